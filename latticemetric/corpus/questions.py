"""The questions that need no references. Nothing here imports NumPy: `--help` reads the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from latticemetric.arguments import MOST_STRINGS
from latticemetric.corpus.question import GraphQuestion, Scaled, Task
from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.settings import ByExactErrors, ByMetric, ByNgrams, ByUtility, Decision, metric_of
from latticemetric.settings import choice, flag, given, number, whole

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.graphs import Written
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.graph import Graph


class Best(Scaled, GraphQuestion):
    """The model's 1-best of each graph; see `best`."""

    verb = "best"
    quick = True

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Any]:
        """Return the function that answers the question about a graph."""
        from latticemetric.posterior.best import best

        return partial(best, posterior_scale=self.posterior_scale, weights=corpus.weights)

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield the answer of each graph of the run, in order."""
        from latticemetric.corpus.answer import answering_alone, answers_of
        from latticemetric.corpus.best_blocks import best_in_blocks, may_be_blocks

        ask, entries = self.asked(corpus), corpus.entries(run)
        elsewhere = partial(answers_of, ask=ask, run=run, quick=self.quick)
        if not may_be_blocks(corpus.weights, run):
            return elsewhere(entries)
        alone = answering_alone(ask, run)
        return best_in_blocks(entries, self.posterior_scale, corpus.weights, run, alone=alone, elsewhere=elsewhere)

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the answers."""
        from latticemetric.corpus.tables.best import BestTable

        return BestTable(answers, run.shard, looks=looks)


class BestStrings(GraphQuestion):
    """The model's best strings or paths of each graph.

    Attributes:
        n: The number of strings or paths.
        paths: List paths instead of strings; several paths may have the same words.
        written: The scores and labels of the lists that are written beside the answers; `None` to write none.
    """

    verb = "nbest"
    section = "List"
    with_graphs = "lists=True"

    n: int = whole(
        default=10,
        most=MOST_STRINGS,
        phrase="n is {}",
        help="List the N best strings of each graph.",
        option="--nbest -n N",
    )
    paths: bool = flag(
        default=False,
        help="List the N best paths instead of strings; several paths may have the same words.",
        option="--paths",
    )
    written: Written | None = given(default=None, internal=True)

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Any]:
        """Return the function that answers the question about a graph."""
        from latticemetric.corpus.decoding import best_paths

        return partial(best_paths, n=self.n, weights=corpus.weights, paths=self.paths, written=self.written)

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the answers."""
        from latticemetric.corpus.tables.nbest import NBestTable

        return NBestTable(answers, run.shard, looks=looks)

    def graph_of(self, answer: Answer) -> Graph | None:
        """Return the n-best list of an answer."""
        written: Graph | None = answer.value.written
        return written


class Listing(Scaled, GraphQuestion):
    """Posteriors of each graph; see `listing`.

    Attributes:
        of: What to list: `words`, `ngrams`, `arcs` (of lattices), `edges` (of forests), or a `summary` of each graph.
        order: The length of the longest n-grams.
        least: The smallest posterior to list.
        top: The largest number of rows per graph.
        with_lattice: Also make the lattice with posteriors.
    """

    verb = "posteriors"
    section = "List"
    with_graphs = "with_lattice=True"

    of: Literal["words", "ngrams", "arcs", "edges", "summary"] = choice(
        default="words",
        names=("words", "ngrams", "arcs", "edges", "summary"),
        help="List words, n-grams, arcs (of lattices), edges (of forests), or a summary per graph.",
        option="--of",
    )
    order: int = whole(default=4, help="Length of the longest n-grams.", option="--order N")
    least: float = number(
        default=0.0, least=0, most=1, phrase="least is {}", help="List only posteriors ≥ P.", option="--least P"
    )
    top: int | None = whole(default=None, least=0, help="List at most N rows per graph.", option="--top N")
    with_lattice: bool = flag(default=False, help="Also make the lattice with posteriors.")

    def check(self) -> None:
        """Refuse settings that have no effect."""
        if self.of == "edges" and self.with_lattice:
            what = 'with_lattice=True writes lattices, but of="edges" lists forests'
            raise UsageError(what, advice='give of="arcs", or leave with_lattice=True out')
        unused = {"order"} if self.of != "ngrams" else set()
        for name in unused | ({"least", "top"} if self.of == "summary" else set()):
            if getattr(self, name) != self.fields[name].default:
                raise UsageError(f"{name} has no effect on {self.of}", advice="leave it out")

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Any]:
        """Return the function that answers the question about a graph."""
        from latticemetric.corpus.decoding import listed_posteriors

        named = ("posterior_scale", "of", "order", "least", "top", "with_lattice")
        settings: dict[str, Any] = {name: getattr(self, name) for name in named}
        return partial(listed_posteriors, weights=corpus.weights, **settings)

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the answers."""
        from latticemetric.corpus.tables.posteriors import PosteriorTable

        return PosteriorTable(answers, run.shard, looks=looks, of=self.of)

    def graph_of(self, answer: Answer) -> Graph | None:
        """Return the lattice with posteriors."""
        lattice: Graph | None = answer.value.lattice
        return lattice


class Networks(Scaled, GraphQuestion):
    """The confusion network of each graph; see `consensus`.

    Attributes:
        least: In the networks that are written beside the answers, omit words with a smaller posterior.
    """

    verb = "consensus"

    least: float = number(
        default=1e-6,
        phrase="least is {}",
        least=0,
        most=1,
        help="In --write-lattices, omit words with a posterior below P.",
        option="--least P",
    )

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Any]:
        """Return the function that answers the question about a graph."""
        from latticemetric.mbr_decoding.consensus import consensus

        return partial(consensus, posterior_scale=self.posterior_scale, weights=corpus.weights)

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the answers."""
        from latticemetric.corpus.tables.consensus import ConsensusTable

        return ConsensusTable(answers, run.shard, looks=looks)

    def graph_of(self, answer: Answer) -> Graph | None:
        """Return the network as a lattice."""
        lattice: Graph = answer.value.to_lattice(self.least)
        return lattice


class Sizes(GraphQuestion):
    """The sizes of each graph.

    Attributes:
        sort: The column to sort by; by default, the order of the graphs.
    """

    verb = "info"
    weighted = False
    quick = True

    sort: str | None = given(default=None)

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Any]:  # noqa: ARG002
        """Return the function that answers the question about a graph."""
        from latticemetric.corpus.graphs import described

        return described

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:  # noqa: ARG002
        """Return the table of the answers."""
        from latticemetric.corpus.tables.info import InfoTable

        return InfoTable(answers, run.shard, looks=looks, sort=self.sort)


class MinimumRisk(GraphQuestion):
    """The words of each graph with the best expected score; see `mbr`.

    Attributes:
        by: The settings of the decision; several are those of a grid of n-grams.
        evidence: Files of graphs that give the posteriors, matched by id.
        utility_matrix: A NumPy file with the utilities of each graph's strings.
        gains: Also make the lattice with the gains of arcs.
        gains_only: In that lattice, omit the model's scores and labels.
    """

    verb = "mbr"
    with_graphs = "gains=True"

    by: tuple[Decision, ...] = given(default=(ByNgrams(),))
    evidence: tuple[str, ...] = given(default=())
    utility_matrix: str | None = given(default=None)
    gains: bool = flag(default=False, help="Also make the lattice with the gains of arcs.")
    gains_only: bool = flag(default=False, help="In that lattice, omit the model's scores and labels.")

    def check(self) -> None:
        """Check that the settings fit together."""
        kinds = {type(by) for by in self.by}
        (kind,) = kinds if len(kinds) == 1 else (None,)
        if kind is None or (len(self.by) > 1 and (kind is not ByNgrams or self.gains)):
            raise UsageError("several settings are a grid of ByNgrams", advice="give one setting")
        takes = {"evidence": self.evidence, "gains": self.gains}
        for name, value in takes.items():
            if value and name not in kind.takes:
                raise UsageError(f"{name} has no effect with {kind.__name__}", advice="leave it out")
        if self.gains_only and not self.gains:
            raise UsageError("gains_only has no effect without gains", advice="leave it out")

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield the answer of each graph of the run, in order."""
        if not self.evidence:
            entries = corpus.entries(run)
            if self.utility_matrix is not None:
                from latticemetric.corpus.mbr_evidence import with_utilities

                entries = with_utilities(entries, self.utility_matrix)
            from latticemetric.corpus.answer import answers_of

            return answers_of(entries, self.asked(corpus), run)
        from latticemetric.corpus.mbr_evidence import answers_by_evidence

        return answers_by_evidence(corpus, self.evidence, self.asked(corpus), run)

    def asked(self, corpus: ReadCorpus) -> Callable[..., Any]:
        """Return the function that answers the question about a graph."""
        from latticemetric.corpus.decoding import decided, decided_by_matrix, decided_with_gains

        (first, *_) = self.by
        if self.utility_matrix is not None and isinstance(first, ByUtility):
            return partial(decided_by_matrix, by=first, weights=corpus.weights)
        if self.gains and isinstance(first, ByNgrams):
            return partial(decided_with_gains, by=first, weights=corpus.weights, gains_only=self.gains_only)
        return partial(decided, settings=self.by, weights=corpus.weights)

    def table(self, answers: Iterable[Answer], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the answers."""
        from latticemetric.corpus.tables.mbr import ExactRiskTable, MBRTable

        kind = ExactRiskTable if isinstance(self.by[0], ByExactErrors) else MBRTable
        return kind(answers, run.shard, looks=looks, records_each=len(self.by), signature=self._signature(corpus))

    def _signature(self, corpus: ReadCorpus) -> str | None:
        """Return the signature of the metric, with the steps that rewrote texts and the words that were removed."""
        (first, *_) = self.by
        if not isinstance(first, ByMetric):
            return None
        signature = metric_of(first.metric).signature
        return str(signature.also(norm=corpus.rewritten_by, ignore=",".join(sorted(corpus.reading.ignored())) or None))

    def graph_of(self, answer: Answer) -> Graph | None:
        """Return the lattice with gains."""
        lattice: Graph | None = getattr(answer.value, "lattice", None)
        return lattice

    def files(self) -> tuple[str, ...]:
        """Return the files that the settings name."""
        from latticemetric.formats.reading import files_read

        evidence = tuple(file for one in self.evidence for file in files_read(one))
        return evidence if self.utility_matrix is None else (*evidence, self.utility_matrix)

    def known(self) -> tuple[Decision, ...]:
        """Return the settings, which answers hold, too."""
        return self.by


class Graphs(Task):
    """The graphs themselves, to be written."""

    verb = "convert"

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield each graph of the run, in order."""
        from latticemetric.corpus.answer import answers_of
        from latticemetric.corpus.graphs import converted

        return answers_of(corpus.entries(run, weighted=False), converted, run, quick=True)
