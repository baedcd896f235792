"""A corpus as questions see it: its graphs and references, as they are read, changed and prepared."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, Self

from latticemetric.cached import cached_property
from latticemetric.corpus.settings import ReadingSettings
from latticemetric.corpus.sources import Files, Memory, PairedGraphs, Source
from latticemetric.errors import InputError, UsageError
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.shards import Shard
    from latticemetric.formats.registry import Block, Entry
    from latticemetric.graph import Graph
    from latticemetric.lattice.columns import FeatureWeights
    from latticemetric.metrics.preparation import Preparation
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.vocabulary import Vocabulary


class MissingReferencesError(UsageError):
    """Error for a question about references if there are none."""


class ReadCorpus:
    """Graphs and their references, as they are read, changed and prepared; `Corpus` adds the questions.

    Args:
        source: Where graphs and references come from.
        reading: How they are read and prepared.
        shard: The shard of the graphs; `None` for all.
    """

    reading: ReadingSettings
    shard: Shard | None
    references: int | str
    """The number of references of each graph, known when graphs have been paired; `var` if it varies."""
    _source: Source
    _changes: tuple[tuple[str, Callable[[Graph], Graph]], ...]
    _is_summed: bool
    _is_weighted: bool

    def __init__(self, source: Source, reading: ReadingSettings, shard: Shard | None = None) -> None:
        vars(self).update(
            _source=source, reading=reading, shard=shard, _changes=(), _is_summed=False, _is_weighted=False
        )

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"cannot assign to '{name}': a corpus does not change")

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The symbol table, read once; `None` if there is none."""
        from latticemetric.formats.reading import as_vocabulary

        return as_vocabulary(self.reading.symbols)

    @cached_property
    def weights(self) -> FeatureWeights:
        """The weights of score columns, by name; they remember which columns graphs have."""
        from latticemetric.corpus.feature_weights import as_feature_weights

        # Changed graphs may have a single score, which is the cost under the given weights.
        return as_feature_weights(None) if self._is_summed else self._weights_given

    @cached_property
    def _weights_given(self) -> FeatureWeights:
        from latticemetric.corpus.feature_weights import as_feature_weights

        return as_feature_weights(self.reading.weights)

    @cached_property
    def grammar(self) -> Grammar | None:
        """The grammar that rewrites texts; `None` if there is none."""
        given: str | Grammar | None = self.reading.normalize
        if not isinstance(given, str):
            return given
        from latticemetric.normalization.grammar import find_grammar

        return find_grammar(given)

    @property
    def ignored(self) -> frozenset[str]:
        """The words that are removed from texts, in lower case if all words are."""
        words = self.reading.ignored()
        return frozenset(map(str.lower, words)) if self.reading.lowercase else words

    @property
    def rewritten_by(self) -> str | None:
        """The steps that rewrite texts, as signatures name them: `lc+13a+english`; `None` if there are no steps."""
        return "+".join(self.reading.steps) or None

    def _preparation(self, *, removing: bool) -> Preparation | None:
        """Return the preparation of texts; `None` leaves them unchanged."""
        ignored = self.reading.ignored() if removing else frozenset()
        if not (self.reading.lowercase or self.reading.tokenize is not None or ignored):
            return None
        from latticemetric.metrics.preparation import Preparation

        return Preparation(self.reading.lowercase, self.reading.tokenize, ignored)

    @property
    def title(self) -> str:
        """The name of the graphs, for titles: the names of their files."""
        return self._source.title

    @property
    def place(self) -> str:
        """The files of the graphs as they were given, for errors."""
        return str(self._source)

    def preparing(self, *, removing: bool) -> Callable[[Iterator[Pair]], Iterator[Pair]] | None:
        """Return the function that prepares pairs of this corpus; `None` if they stay as they are."""
        if (preparation := self._preparation(removing=removing)) is None:
            return None
        from latticemetric.corpus.preparation import prepared_pairs

        return partial(prepared_pairs, preparation=preparation)

    def prepared_text(self, words: Sequence[str], *, removing: bool = True) -> tuple[str, ...]:
        """Return the words of a text, prepared as those of graphs and references.

        Args:
            words: The words.
            removing: False to leave the ignored words.
        """
        text = tuple(words)
        if (preparation := self._preparation(removing=removing)) is not None:
            text = preparation.words(" ".join(text))
        return text if self.grammar is None else self.grammar.text(text)

    def blocks(self) -> Iterator[Block] | None:
        """Return blocks of n-best lists with their references, which other processes can parse.

        Return `None` if the corpus is not one file in such a format, or its graphs are changed.
        """
        return None if self._changes else self._source.blocks(self.reading)

    def entries(self, run: Run, *, weighted: bool = True) -> Iterator[Entry]:
        """Yield the graphs of the run, which are prepared when they are parsed.

        Check the weights of scores against each graph, unless no cost is needed (`weighted`).
        """
        listed = self._entries(weighted=weighted)
        return self.prepared(run.taken(listed, None, "graphs"))

    def prepared(self, listed: Iterator[Entry]) -> Iterator[Entry]:
        """Yield graphs, changed so that each is prepared as those of this corpus when it is parsed."""
        # Import late: most runs rewrite nothing, and start faster without these modules.
        if (preparation := self._preparation(removing=True)) is not None:
            from latticemetric.corpus.preparation import prepared_entries

            listed = prepared_entries(listed, preparation)
        if self.grammar is not None:
            from latticemetric.corpus.normalization import normalized_entries

            listed = normalized_entries(listed, self.grammar, self.weights)
        return listed

    def evidence(self, given: Sequence[str] | Memory) -> Iterator[Entry]:
        """Yield graphs that give posteriors, of files or in memory, prepared as those of this corpus."""
        from latticemetric.formats.reading import entries

        if isinstance(given, Memory):
            return self.prepared(given.entries(self.reading, self.vocabulary))
        return self.prepared(entries(given, None, self.vocabulary, keep_marks=self.reading.keep_marks))

    def pairs(
        self, run: Run, *, required: bool = True, removing: bool = True, rewriting: bool = True
    ) -> PairedGraphs | None:
        """Return the graphs of the run, paired with their references; both are prepared when they are parsed.

        Args:
            run: The run.
            required: False to accept graphs without references. If they are required, but the graphs are files without
                records, and there are no files of references, return `None`.
            removing: False to leave the ignored words in texts, for a metric that ignores them itself.
            rewriting: False to leave the texts as the grammar finds them.
        """
        paired = self._source.pairs(self._entries(), self.reading, self.vocabulary, required=required)
        if paired is None:
            return None
        vars(self)["references"] = paired.references
        pairs = run.taken(paired.pairs, paired.total, "lattices")
        if (preparation := self._preparation(removing=removing)) is not None:
            from latticemetric.corpus.preparation import prepared_pairs

            pairs = prepared_pairs(pairs, preparation)
        if rewriting and self.grammar is not None:
            from latticemetric.corpus.normalization import normalized_pairs

            pairs = normalized_pairs(pairs, self.grammar, self.weights)
        return paired._replace(pairs=pairs)

    def required_pairs(self, run: Run, **how: bool) -> PairedGraphs:
        """Return the graphs of the run paired with their references; raise an error if there are none."""
        paired = self.pairs(run, **how)
        if paired is None:
            raise MissingReferencesError("the corpus has no references", advice="give them beside the graphs")
        return paired

    def _entries(self, *, weighted: bool = True) -> Iterator[Entry]:
        from latticemetric.corpus.feature_weights import weighted_entries

        listed = self._source.entries(self.reading, self.vocabulary)
        listed = weighted_entries(listed, self._weights_given) if weighted or self._is_weighted else listed
        for _, change in self._changes:
            listed = changed_entries(listed, change)
        return listed

    def check_weights(self, *, partial_run: bool) -> None:
        """Raise `InputError` if a weight names no score column of any graph that was read; see `unused_weights`.

        If other graphs of a `partial_run` may have it, and for files with names that graphs have, only say it.
        """
        from latticemetric.corpus.feature_weights import unused_weights
        from latticemetric.formats.streams.stream import warn

        if (note := unused_weights(self._weights_given)) is None:
            return
        if note.fatal and not partial_run:
            raise InputError(note.what, where="weights", advice="Corpus.info lists the columns of each graph")
        warn("weights", note.what)

    # ---- Changed graphs ----

    @says_new_keywords
    def pruned(self, beam: float | None = None, *, density: float | None = None, nbest: int | None = None) -> Self:
        """Return the corpus with pruned graphs; they are pruned when they are read.

        Args:
            beam: Keep the paths that cost at most this much more than the best path.
            density: Keep the best arcs, up to this density (lattices only).
            nbest: Keep the paths that are needed for this many best strings.

        Examples:
            >>> from latticemetric import Corpus, Lattice
            >>> corpus = Corpus([Lattice.from_strings(["a", "b", "c"], costs=[0.0, 1.0, 5.0])])
            >>> corpus.pruned(beam=2).info()["1"]["paths"]
            2
        """
        from latticemetric.corpus.graphs import pruned

        if [beam, density, nbest].count(None) != 2:  # noqa: PLR2004  one of three is given
            raise UsageError("no limit or several are given", advice="give one of beam, density and nbest")
        return self._changed("pruned", pruned, beam=beam, density=density, nbest=nbest, weights=self.weights)

    def determinized(self) -> Self:
        """Return the corpus with the smallest lattices that have the best path of each string."""
        from latticemetric.corpus.graphs import determinized

        return self._changed("determinized", determinized, summed=True, weights=self.weights)

    def minimized(self) -> Self:
        """Return the corpus with lattices whose equivalent states are merged."""
        from latticemetric.corpus.graphs import minimized

        return self._changed("minimized", minimized)

    @says_new_keywords
    def converted(self, *, sum_scores: bool = False, scores_off: bool = False, drop_labels: bool = False) -> Self:
        """Return the corpus with graphs that have other scores or labels.

        Args:
            sum_scores: Replace the scores of each arc by one: its cost under the weights of the corpus.
            scores_off: Drop all scores.
            drop_labels: Drop all labels, such as transition ids.
        """
        from latticemetric.corpus.graphs import Written, converted

        if sum_scores and scores_off:
            raise UsageError("sum_scores and scores_off contradict each other", advice="give one of them")
        written = Written(self.weights if sum_scores else None, scores_off, drop_labels)
        return self._changed("converted", converted, summed=sum_scores, written=written)

    def _changed(self, name: str, change: Callable[..., Graph], *, summed: bool = False, **settings: Any) -> Self:
        changed = type(self).__new__(type(self))
        described = f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items() if key != 'weights')})"
        changes = (*self._changes, (described, partial(change, **settings)))
        vars(changed).update(vars(self), _weights_given=self._weights_given, _changes=changes)
        if summed or "weights" in settings:
            vars(changed).update(_is_weighted=True)
        if summed:
            vars(changed).update(_is_summed=True)
            vars(changed).pop("weights", None)
        return changed

    # ---- What identifies a run ----

    def named(self) -> dict[str, str]:
        """Return the names of files and the settings of reading as texts, by name."""
        from latticemetric.corpus.fingerprint import as_text

        changes = {"changes": repr([name for name, _ in self._changes])} if self._changes else {}
        reading = {name: as_text(value) for name, value in self.reading.asdict().items()}
        return {**self._source.named, **reading, **changes}

    def files(self) -> list[str]:
        """Return the files whose change would change the answers."""
        files = [*self.graph_files(), *self._source.reference_files()]
        own = (self.reading.symbols, self.reading.weights, str(self.reading.normalize or "").partition(":")[0])
        named = (os.fspath(one) for one in own if isinstance(one, str | os.PathLike))
        return [*files, *filter(os.path.isfile, named)]

    def require_files(self) -> None:
        """Raise an error if a named file of graphs, references or symbols does not exist; read no contents."""
        from latticemetric.formats.streams.stream import require_file

        self._source.require_files()
        if isinstance(symbols := self.reading.symbols, str | os.PathLike):
            require_file(os.fspath(symbols))

    def graph_files(self) -> list[str]:
        """Return the files of the graphs."""
        return self._source.graph_files(self.reading)

    def has_references(self) -> bool:
        """Return True if references are given: in memory, as files, or as a field of records."""
        return self._source.has_references or self.reading.reference_field is not None

    def given_files(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files, folders or globs of graphs, and the files of references, as they were given."""
        source = self._source
        return (source.graphs, source.references) if isinstance(source, Files) else ((), ())

    def in_memory(self) -> bool:
        """Return True if the graphs are in memory, so that no other run can read them again."""
        return not isinstance(self._source, Files)


def changed_entries(listed: Iterator[Entry], change: Callable[[Graph], Graph]) -> Iterator[Entry]:
    """Yield graphs that `change` changes when they are parsed."""
    return (entry.changed(change) for entry in listed)
