"""A corpus: many graphs, perhaps with references. Each question about it is a method."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from latticemetric.arguments import path_text
from latticemetric.corpus.answers import Answers
from latticemetric.corpus.graph_questions import GraphQuestions, answered, divided, run_of
from latticemetric.corpus.metric_question import (
    DEFAULT_METRICS,
    only_rate,
    rates_of,
)
from latticemetric.corpus.read_corpus import ReadCorpus
from latticemetric.corpus.settings import ReadingSettings, RunSettings
from latticemetric.corpus.sources import Files, Memory, Records, paths_of
from latticemetric.errors import UsageError
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.answers_by_metric import AnswersByMetric
    from latticemetric.corpus.calibration import Calibration, CalibrationReport
    from latticemetric.corpus.calibration_answers import CalibrationAnswers
    from latticemetric.corpus.compounds import CompoundAnswer
    from latticemetric.corpus.corpus_bleu import CorpusPathAnswer
    from latticemetric.corpus.expected_weights import ExpectedWeights
    from latticemetric.corpus.gradients import ExpectedAnswers
    from latticemetric.corpus.list_results import OracleAtK, OracleAtKByMetric
    from latticemetric.corpus.oracles import OracleAnswer
    from latticemetric.corpus.pairing import Style
    from latticemetric.corpus.shards import Shard
    from latticemetric.corpus.sweep import Swept
    from latticemetric.corpus.tag_answers import TagAnswers
    from latticemetric.corpus.tuned_mbr import TunedMBR
    from latticemetric.corpus.tuned_weights import TunedWeights
    from latticemetric.drawing.api import Drawing
    from latticemetric.mbr_decoding.settings import ByNgrams
    from latticemetric.metrics.bleu import BLEU
    from latticemetric.metrics.compounds import CompoundWER
    from latticemetric.metrics.recognition import GRR
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.oracle_search.settings import ByCompounds, ByCorpusBLEU, ByRate
    from latticemetric.vocabulary import Vocabulary

    # What `Corpus.oracle` searches by, for type checkers: of names, only these tell what the result is.
    _Several = Literal["wer,4-grr"] | list[str] | list[GRR] | list[ByRate] | tuple[str | GRR | ByRate, ...]
    _Rate = Literal["wer", "wrr", "cer", "1-grr", "2-grr", "3-grr", "4-grr", "mixed-er"] | GRR | ByRate
    _SeveralRates = Literal["wer,4-grr"] | list[str] | list[GRR] | tuple[str | GRR, ...]
    _OneRate = Literal["wer", "wrr", "cer", "1-grr", "2-grr", "3-grr", "4-grr", "mixed-er"] | GRR
    _CorpusBLEU = Literal["bleu", "bleu-sbp"] | BLEU | ByCorpusBLEU
    _Compounds = Literal["compound-wer"] | CompoundWER | ByCompounds

    Paths = str | os.PathLike[str] | list[str] | tuple[str, ...]


class Corpus(GraphQuestions):
    """Many graphs, perhaps with references, and how both are read and prepared.

    Graphs are read when a question needs them, a few at a time; a corpus takes no memory. It does not change.

    Args:
        graphs: Graphs in memory: a mapping from ids to graphs, pairs of an id and a graph, or graphs, whose ids are
            1, 2, 3, … For files, use `Corpus.read`.
        references: A mapping from ids to references, or a list in the order of the graphs. The references of a graph
            are a string, a lattice whose paths are all correct, or a list of these.
        weights: The weight of each score column in the model's cost, by name; or a file of weights.
        lowercase: Write all words in lower case.
        tokenize: A tokenizer of sacrebleu.
        normalize: A grammar, or its name, that rewrites all texts.
        ignore: Words to remove from graphs and references: a list, a text like `"uh,um"`, or `"@FILE"`.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattices = {"one": Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])}
        >>> corpus = Corpus(lattices, {"one": "a c"})
        >>> corpus.best()["one"].words
        ('a', 'b')
    """

    @says_new_keywords
    def __init__(
        self,
        graphs: Any,
        references: Any = None,
        *,
        weights: Any = None,
        lowercase: bool = False,
        tokenize: str | None = None,
        normalize: str | Grammar | None = None,
        ignore: Collection[str] | str = (),
    ) -> None:
        reading = ReadingSettings(
            weights=weights, lowercase=lowercase, tokenize=tokenize, normalize=normalize, ignore=ignore
        )
        super().__init__(Memory(graphs, references), reading)

    @classmethod
    @says_new_keywords
    def read(
        cls,
        graphs: Paths,
        references: Paths | None = None,
        *,
        weights: Any = None,
        symbols: str | os.PathLike[str] | Vocabulary | None = None,
        lowercase: bool = False,
        tokenize: str | None = None,
        normalize: str | Grammar | None = None,
        ignore: Collection[str] | str = (),
        format: str | None = None,  # noqa: A002  as in `read`
        style: Style = "auto",
        reference_field: str | None = None,
        keep_marks: bool = False,
        shard: str | Shard | None = None,
    ) -> Self:
        """Return the corpus of files, as the command line reads them.

        A file that does not exist is an error at once; the contents are read when a question needs them.

        Args:
            graphs: Files, folders or globs, as for `read`.
            references: Files of references; a graph has one reference in each. By default, references come from the
                records of the graphs, if there are any.
            weights: The weight of each score column in the model's cost, by name; or a file of weights.
            symbols: A symbol table, or its file, that maps word numbers to words.
            lowercase: Write all words in lower case.
            tokenize: A tokenizer of sacrebleu.
            normalize: A grammar, or its name, that rewrites all texts.
            ignore: Words to remove from graphs and references: a list, a text like `"uh,um"`, or `"@FILE"`.
            format: The format of the graphs; detected by default.
            style: `keyed` if lines of references begin with ids, `plain` if not, `auto` to detect this.
            reference_field: Without files of references: the field of each graph's record that holds its references.
            keep_marks: Read the sentence marks of a format, such as `<s>` in HTK lattices, as words.
            shard: `I/N` for every N-th graph, beginning with the I-th.
        """
        reading = ReadingSettings(
            weights=weights,
            symbols=symbols,
            format=format,
            keep_marks=keep_marks,
            style=style,
            reference_field=reference_field,
            lowercase=lowercase,
            tokenize=tokenize,
            normalize=normalize,
            ignore=ignore,
        )
        corpus = cls.of_files(paths_of(graphs), paths_of(references), reading, shard)
        corpus.require_files()
        return corpus

    @classmethod
    @says_new_keywords
    def from_records(
        cls,
        table: Any,
        *,
        reference_field: str | None = None,
        n: int | None = None,
        weights: Any = None,
        lowercase: bool = False,
        tokenize: str | None = None,
        normalize: str | Grammar | None = None,
        ignore: Collection[str] | str = (),
    ) -> Self:
        """Return the corpus of the n-best lists in a table, with the references in the same records.

        Args:
            table: A data frame of pandas or polars, an Arrow table, or an iterable of mappings (such as a data set of
                `datasets`). Columns are named like the keys of records in JSON lines.
            reference_field: The field with the references; detected by default.
            n: For records that join the lists of several inputs, as `generate` of transformers returns them: the number
                of hypotheses per input. By default, it is the record's field `num_return_sequences`.
            weights: The weight of each score column in the model's cost, by name; or a file of weights.
            lowercase: Write all words in lower case.
            tokenize: A tokenizer of sacrebleu.
            normalize: A grammar, or its name, that rewrites all texts.
            ignore: Words to remove from graphs and references: a list, a text like `"uh,um"`, or `"@FILE"`.

        Examples:
            >>> corpus = Corpus.from_records([{"nbest": ["a b", "a c"], "reference": "a c"}])
            >>> corpus.oracle("wer")["1"].words
            ('a', 'c')
        """
        reading = ReadingSettings(
            reference_field=reference_field,
            weights=weights,
            lowercase=lowercase,
            tokenize=tokenize,
            normalize=normalize,
            ignore=ignore,
        )
        corpus = cls.__new__(cls)
        ReadCorpus.__init__(corpus, Records(table, n), reading)
        return corpus

    @classmethod
    def of_files(
        cls,
        graphs: tuple[str, ...],
        references: tuple[str, ...] = (),
        reading: ReadingSettings | None = None,
        shard: str | Shard | None = None,
    ) -> Self:
        """Return the corpus of files that are read by these settings."""
        if shard is not None:
            from latticemetric.corpus.shards import Shard

            shard = Shard.parse(shard) if isinstance(shard, str) else shard
            if not isinstance(shard, Shard):
                raise UsageError(f"the shard is {shard!r}", advice="give 'I/N', like '1/3'")
        if not graphs:
            raise UsageError("there are no files of graphs", advice="name at least one")
        reading = reading or ReadingSettings()
        if references and reading.reference_field is not None:
            what = "reference_field has no effect with files of references"
            raise UsageError(what, advice="give one of them")
        if not references and reading.style != "auto":
            raise UsageError("style has no effect without files of references", advice="leave it out")
        corpus = cls.__new__(cls)
        ReadCorpus.__init__(corpus, Files(graphs, references), reading, shard)
        return corpus

    def __repr__(self) -> str:
        settings = repr(self.reading).partition("(")[2].rstrip(")")
        return f"<Corpus: {self._source}{f' ({settings})' if settings else ''}>"

    def write(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002  as in `write`
        *,
        run: RunSettings | None = None,
        **settings: Any,
    ) -> int:
        """Write the graphs to a file, folder or archive, and return their number.

        Args:
            path: The file; if it ends with `/`, a folder with a file for each graph.
            format: The format; by default, the suffix of the file chooses it.
            run: The settings of the run.
            settings: The settings of the run by name, such as `workers`. With `keep_going`, warn of graphs that fail.
        """
        from latticemetric.corpus.begin import begun
        from latticemetric.corpus.questions import Graphs
        from latticemetric.corpus.writing import write_graphs

        task, failed = Graphs(), list[str]()

        def noted(answers: Iterable[Answer]) -> Iterator[Answer]:
            for answer in answers:
                if answer.problem is not None:
                    failed.append(str(answer.problem))
                yield answer

        with begun(self, task, run_of(run, settings)) as started:
            answers = noted(task.answers(self, started))
            written = write_graphs(answers, path_text(path), format, failures=lambda: len(failed))
        for note in failed:
            warnings.warn(note, stacklevel=2)
        return written

    # ---- Questions ----

    @overload
    def oracle(
        self, metric: _Several = ..., *, run: RunSettings | None = ..., **settings: Any
    ) -> AnswersByMetric[Answers[OracleAnswer]]: ...
    @overload
    def oracle(self, metric: _Rate, *, run: RunSettings | None = ..., **settings: Any) -> Answers[OracleAnswer]: ...
    @overload
    def oracle(
        self, metric: _CorpusBLEU, *, run: RunSettings | None = ..., **settings: Any
    ) -> Answers[CorpusPathAnswer]: ...
    @overload
    def oracle(
        self, metric: _Compounds, *, run: RunSettings | None = ..., **settings: Any
    ) -> Answers[CompoundAnswer]: ...
    @overload
    def oracle(
        self, metric: str, *, run: RunSettings | None = ..., **settings: Any
    ) -> Answers[Any] | AnswersByMetric[Answers[OracleAnswer]]: ...
    @overload
    def oracle(self, metric: Any, *, run: RunSettings | None = ..., **settings: Any) -> Answers[Answer]: ...
    @says_new_keywords
    def oracle(self, metric: Any = DEFAULT_METRICS, *, run: RunSettings | None = None, **settings: Any) -> Any:
        """Find in each graph the path that scores best against the references.

        Args:
            metric: A metric: `wer`, `wrr`, `4-grr` (any N), `cer`, …, or an object; `compound-wer`; `bleu` and
                `bleu-sbp`, over all graphs together; or an automaton of yours, `FILE.fst` or a `pynini.Fst`. A list of
                rates, or names with commas between them, gives a mapping from metric to answers; a list with a single
                rate does, too.
            run: The settings of the run.
            settings: The settings of the search (see `ByRate` and the other kinds) and of the run by name.

        Examples:
            >>> from latticemetric import Lattice
            >>> corpus = Corpus([Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])], ["a c"])
            >>> wer = corpus.oracle("wer")
            >>> wer["1"].words, wer.totals["score"], wer.totals["one_best"]["score"]
            (('a', 'c'), 0.0, 0.5)

        Type checkers know the class of the result for lists, objects and the usual names. Of another string, they only
        know that it gives answers or a mapping: there, give a list or an object.
        """
        from latticemetric.corpus.begin import refuse_runs
        from latticemetric.corpus.oracle_question import Oracles, question_of

        of_run = {name: settings.pop(name) for name in list(settings) if name in RunSettings.fields}
        looks = {name: settings.pop(name) for name in ("tags", "alignment") if name in settings}
        question = question_of(metric, self.ignored, settings, **looks)
        how = run_of(run, of_run)
        if isinstance(question, Oracles) and "each" not in question.by.takes:
            what = question.by.described.partition(",")[0]
            refuse_runs(self, how, what, ["timeout", "max_memory", "resume"])
        return answered(Answers, self, question, how)

    @overload
    def sweep(
        self,
        metric: _SeveralRates = ...,
        *,
        beams: Collection[float] = ...,
        densities: Collection[float] = ...,
        nbest_sizes: Collection[int] = ...,
        by_length: Collection[float] = ...,
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> AnswersByMetric[Answers[Swept]]: ...
    @overload
    def sweep(
        self,
        metric: _OneRate,
        *,
        beams: Collection[float] = ...,
        densities: Collection[float] = ...,
        nbest_sizes: Collection[int] = ...,
        by_length: Collection[float] = ...,
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> Answers[Swept]: ...
    @overload
    def sweep(
        self,
        metric: str,
        *,
        beams: Collection[float] = ...,
        densities: Collection[float] = ...,
        nbest_sizes: Collection[int] = ...,
        by_length: Collection[float] = ...,
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> Answers[Swept] | AnswersByMetric[Answers[Swept]]: ...
    @says_new_keywords
    def sweep(
        self,
        metric: Any = DEFAULT_METRICS,
        *,
        beams: Collection[float] = (),
        densities: Collection[float] = (),
        nbest_sizes: Collection[int] = (),
        by_length: Collection[float] = (),
        run: RunSettings | None = None,
        **settings: Any,
    ) -> Answers[Swept] | AnswersByMetric[Answers[Swept]]:
        """Prune each graph to several sizes, and find the oracles at each size and by reference length.

        There is an answer for each graph. The table, records and totals are sums over all graphs: the model's 1-bests,
        then each size, then whole graphs, then each group of reference lengths.

        Args:
            metric: A recognition rate: `wer`, `wrr`, `4-grr` (any N), `cer`, …, or an object. A list, or names with
                commas between them, gives a mapping from metric to answers; each graph is read once.
            beams: Pruning beams; a beam keeps the paths that cost at most this much more than the best path.
            densities: Largest densities: the number of arcs with a word, divided by the number of reference words. Each
                lattice is pruned by the widest beam that does not exceed the density.
            nbest_sizes: Sizes of n-best lists of distinct strings.
            by_length: The largest reference length of each group, in words; a last group has all longer references.
            run: The settings of the run.
            settings: The settings of intervals (`resamples`, `seed`, `confidence`) and of the run by name.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattice = Lattice.from_strings(["a x c", "a y z", "a b c"], costs=[1.0, 2.0, 3.0])
            >>> found = Corpus([lattice], ["a b c"]).sweep("wer", beams=[1], nbest_sizes=[1, 3])
            >>> for row in found.totals["rows"]:
            ...     print(row["kind"], row["at"], row["score"], row["density"])
            one_best None 0.3333333333333333 None
            beam 1.0 0.3333333333333333 2.0
            nbest 1 0.3333333333333333 None
            nbest 3 0.0 None
            whole None 0.0 3.0
        """
        from latticemetric.corpus.sweep_question import Sweeps

        sizes = {"beams": beams, "densities": densities, "nbest_sizes": nbest_sizes, "by_length": by_length}
        answers: Answers[Swept] | AnswersByMetric[Answers[Swept]]
        answers = self._ask_by_rates(Sweeps, Answers, metric, run, {**sizes, **settings})
        return answers

    @overload
    def expected(
        self, metric: _SeveralRates = ..., *, run: RunSettings | None = ..., **settings: Any
    ) -> AnswersByMetric[ExpectedAnswers]: ...
    @overload
    def expected(self, metric: _OneRate, *, run: RunSettings | None = ..., **settings: Any) -> ExpectedAnswers: ...
    @overload
    def expected(
        self, metric: str, *, run: RunSettings | None = ..., **settings: Any
    ) -> ExpectedAnswers | AnswersByMetric[ExpectedAnswers]: ...
    @says_new_keywords
    def expected(
        self, metric: Any = DEFAULT_METRICS, *, run: RunSettings | None = None, **settings: Any
    ) -> ExpectedAnswers | AnswersByMetric[ExpectedAnswers]:
        """Compute how the paths of each graph score on average under the model's probabilities.

        Args:
            metric: A recognition rate: `wer`, `wrr`, `4-grr` (any N), `cer`, …, or an object. A list, or names with
                commas between them, gives a mapping from metric to answers; each graph is read once.
            run: The settings of the run.
            settings: The settings of the question (`posterior_scale`, `most_states`, `gradient`, see `expected`) and of
                the run by name.

        Examples:
            >>> from latticemetric import Lattice
            >>> corpus = Corpus([Lattice.from_strings(["a b", "a c"], costs=[1.0, 1.0])], ["a c"])
            >>> wer = corpus.expected("wer")
            >>> wer["1"].value, wer.totals["one_best"]["score"]
            (0.25, 0.5)
        """
        from latticemetric.corpus.expectation_question import Expectations
        from latticemetric.corpus.gradients import ExpectedAnswers

        answers: ExpectedAnswers | AnswersByMetric[ExpectedAnswers]
        answers = self._ask_by_rates(Expectations, ExpectedAnswers, metric, run, settings)
        return answers

    @overload
    def calibrate(
        self, *, own_confidences: Literal[False] = False, run: RunSettings | None = None, **settings: Any
    ) -> CalibrationAnswers[Calibration]: ...

    @overload
    def calibrate(
        self, *, own_confidences: Literal[True], run: RunSettings | None = None, **settings: Any
    ) -> CalibrationAnswers[CalibrationReport]: ...

    def calibrate(
        self, *, own_confidences: bool = False, run: RunSettings | None = None, **settings: Any
    ) -> CalibrationAnswers[Any]:
        """Compare word confidences and expected errors with the references, and fit the posterior scale.

        The words that `ignore` names do not count. The answers are the graphs, which all stay in memory; their table,
        records, totals and `result` are about all graphs together.

        Args:
            own_confidences: Evaluate the confidences in the input (CTM); do not fit a scale.
            run: The settings of the run; only `keep_going` and `progress` have an effect.
            settings: The settings of the question and of the run by name. `test` is the corpus of the test set;
                without it, there are `folds`. `posterior_scale` are the scales to try first, `criterion` (`words` or
                `errors`) is what the scale fits, `answer` (`one-best` or `mbr`) gives the words that are evaluated.
                Further settings: `halvings`, `most_states`, `bins`, `resamples`, `seed`, `confidence`.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattices = [Lattice.from_strings(texts, costs=[0.0, 3.0]) for texts in (["a", "b"], ["c", "d"])]
            >>> corpus = Corpus(lattices, ["a", "d"])
            >>> corpus.calibrate(posterior_scale=[0.5, 1.0], resamples=0).result.posterior_scale
            0.5
        """
        from latticemetric.corpus.begin import refuse_shard
        from latticemetric.corpus.calibration_answers import CalibrationAnswers
        from latticemetric.corpus.calibration_question import Calibrations, OwnConfidences, Reliability

        kind: type[Reliability] = OwnConfidences if own_confidences else Calibrations
        question, given = divided(kind, settings)
        of_run = run_of(run, given)
        refuse_shard(self, "calibrate")
        for name in of_run.changed():
            if name not in ("keep_going", "progress"):
                what = f"{name} has no effect on calibrate, which needs all graphs together"
                raise UsageError(what, advice="leave it out")
        return CalibrationAnswers(self, question, of_run)

    @says_new_keywords
    def tags(
        self,
        metric: str | GRR = "wer",
        *,
        thresholds: Collection[float] = (),
        run: RunSettings | None = None,
        **settings: Any,
    ) -> TagAnswers:
        """Tag the words of each 1-best as OK or BAD, by the references and by their posteriors; score these tags.

        Words of the 1-best that match the reference have the true tag OK, other words BAD. Words with a posterior below
        a threshold have the predicted tag BAD, other words OK. The table, records, totals and `result` are about all
        graphs together.

        Args:
            metric: A recognition rate: `wer`, `wrr`, `4-grr` (any N), …, or an object; it aligns the words.
            thresholds: The thresholds; by default, 0.05, 0.1, …, 0.95.
            run: The settings of the run.
            settings: The settings of the question (`posterior_scale`) and of the run by name.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattice = Lattice.from_strings(["a b", "a c"], costs=[0.0, 0.5])
            >>> Corpus([lattice], ["a c"]).tags("wer", thresholds=[0.5, 0.7]).totals["best"]
            0.5
        """
        from latticemetric.corpus.begin import refuse_shard
        from latticemetric.corpus.tag_answers import TagAnswers
        from latticemetric.corpus.tag_question import TagThresholds

        values = {"metric": only_rate(metric, self.ignored), "thresholds": thresholds, **settings}
        question, of_run = divided(TagThresholds, values)
        refuse_shard(self, "tags")
        return TagAnswers(self, question, run_of(run, of_run))

    # ---- One graph ----

    @says_new_keywords
    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        id: str | None = None,  # noqa: A002  the word of the command line and of records
        references: str | Collection[str] | None = None,
        metric: str | GRR = "wer",
        **settings: Any,
    ) -> Drawing:
        """Draw one graph, and highlight its oracle, its 1-best and its MBR answer.

        Args:
            path: The file to write, if any; its name ends in .svg, .png, .pdf, .dot or .txt.
            id: The id of the graph; not needed if there is only one.
            references: The text of a reference, or several texts; by default, the references of the corpus.
            metric: A recognition rate: `wer`, `wrr`, `4-grr` (any N), `cer`, …, or an object.
            settings: What to draw: `kind` (`graph`, `network`, `tree` or `automaton`); `oracle`, `one_best` and `mbr`
                to highlight paths; `posteriors` and `expected` (rates), written under words, with `posterior_scale`;
                `scores`, the names of score columns to write; `times=False`; `most_drawn`, the number of states (0:
                all); and `beam`.

        Examples:
            >>> from latticemetric import Lattice
            >>> lattice = Lattice.from_strings(["so it goes", "so it grows"], costs=[1.0, 2.0])
            >>> print(Corpus({"one": lattice}, {"one": "so it grows"}).draw(metric="wer", oracle=True))
                       so             it     grows
            (0)═══════════════════(3)════(4)═══════((5))
              ╰─ so ─(1)─ it ─(2)────── goes ──────╯
            <BLANKLINE>
                 reference   so it grows
            ═══  oracle      so it grows  0/3
        """
        from latticemetric.corpus.begin import begun
        from latticemetric.corpus.picture import GraphPicture
        from latticemetric.vocabulary import listed_words

        picture = GraphPicture(metric=only_rate(metric, self.ignored), **settings)
        texts = [references] if isinstance(references, str) else references
        words = None if texts is None else [self.prepared_text(listed_words(text, "a reference")) for text in texts]
        if words and not picture.needs_references:
            raise UsageError("references has no effect without oracle or expected", advice="add oracle=True")
        with begun(self, picture, RunSettings()) as started:
            drawing = picture.drawing(self, started, id, words)
        if path is not None:
            drawing.save(path)
        return drawing

    # ---- All graphs together ----

    @says_new_keywords
    def report(
        self,
        path: str | os.PathLike[str],
        metric: Any = DEFAULT_METRICS,
        *,
        run: RunSettings | None = None,
        **settings: Any,
    ) -> None:
        """Write an HTML page about oracles, 1-bests and MBR answers: totals, charts, alignments, drawings.

        The page is one file, which appears when it is complete. With `keep_going`, it lists the graphs that failed, and
        the words of their references count as deleted.

        Args:
            path: The file to write, compressed if its suffix is `.gz`, `.xz` or `.zst`; `-` for standard output.
            metric: A recognition rate: `wer`, `wrr`, `4-grr` (any N), `cer`, …, or an object; or a list, or names with
                commas between them. The page is by the first; the others have totals, and a rate for each graph.
            run: The settings of the run.
            settings: What the page shows: `mbr_by` (a method of `mbr`, `auto` or `none`) with `posterior_scale`, `beam`
                and `samples`; `beams`, `densities` and `nbest_sizes`, to which graphs are pruned; `also_score`, further
                metrics; `expected=True` for expected rates; `corrected`, the corrected texts of n-best lists or their
                file; `utt2spk`, the speaker of each id or a file of these; `title`; `most_graphs`, the number of
                drawings; `resamples`, `seed` and `confidence` of intervals; and the settings of the run by name.
        """
        from latticemetric.arguments import path_text
        from latticemetric.corpus.begin import begun, refuse_shard
        from latticemetric.corpus.report.page import check_page, page
        from latticemetric.corpus.report.pages import Pages
        from latticemetric.formats.streams.output import atomic_output

        check_page()
        refuse_shard(self, "a report")
        rates, _ = rates_of(metric, self.ignored)
        task, of_run = divided(Pages, {"metric": rates, **settings})
        with begun(self, task, run_of(run, of_run)) as started, atomic_output(path_text(path)) as file:
            text = page(task.report(self, started))
            file.write(f"{text}\n".encode("utf-8", "backslashreplace"))  # names of files may hold any bytes

    @overload
    def lists(
        self,
        metric: _SeveralRates = ...,
        *,
        at: Collection[int] | None = ...,
        corrected: Any = ...,
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> OracleAtKByMetric: ...
    @overload
    def lists(
        self,
        metric: _OneRate,
        *,
        at: Collection[int] | None = ...,
        corrected: Any = ...,
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> OracleAtK: ...
    @overload
    def lists(
        self,
        metric: str,
        *,
        at: Collection[int] | None = ...,
        corrected: Any = ...,
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> OracleAtK | OracleAtKByMetric: ...
    @says_new_keywords
    def lists(
        self,
        metric: Any = DEFAULT_METRICS,
        *,
        at: Collection[int] | None = None,
        corrected: Any = None,
        run: RunSettings | None = None,
        **settings: Any,
    ) -> OracleAtK | OracleAtKByMetric:
        """Find the oracle of the first k hypotheses of all n-best lists, for several k; also score corrected texts.

        Lists are counted block by block, and only sums are kept. So there is no answer for each list, but one result.

        Args:
            metric: A recognition rate: `wer`, `wrr`, `4-grr` (any N), `cer`, …, or an object. A list, or names with
                commas between them, gives a mapping from metric to result; each list is read once.
            at: The values of k; 1 and the length of the longest list are always added. By default, 1, 2, 3, 4, 5, 10,
                20, 50, 100, 200, 500 and 1000. Values above the length of the longest list are left out.
            corrected: Corrected texts, one per list, or a file of them; they are scored by `wer`, one of the metrics.
            run: The settings of the run: `workers` and `progress`.
            settings: The settings of intervals (`resamples`, `seed`, `confidence`) and of the run by name.

        Examples:
            >>> corpus = Corpus.from_records([{"nbest": ["a b", "a c"], "reference": "a c"}])
            >>> found = corpus.lists("wer", corrected=["a c"])
            >>> [(point.k, point.numerator, point.denominator) for point in found.points]
            [(1, 1, 2), (2, 0, 2)]
            >>> found.corrections.recovered
            1.0
        """
        from latticemetric.corpus.begin import begun, refuse_runs
        from latticemetric.corpus.list_task import ListOracles

        rates, several = rates_of(metric, self.ignored)
        values = {"metric": rates, "at": at, "corrected": corrected, **settings}
        task, of_run = divided(ListOracles, values)
        how = run_of(run, of_run)
        refuse_runs(self, how, "an oracle of lists", ["keep_going", "timeout", "max_memory", "resume"])
        with begun(self, task, how) as started:
            found = task.found(self, started)
        return found if several else found.curves[0]

    @overload
    def tune(
        self, metric: Any = ..., *, decoder: Literal["best"] = ..., run: RunSettings | None = ..., **settings: Any
    ) -> TunedWeights: ...
    @overload
    def tune(
        self,
        metric: Any = ...,
        *,
        decoder: Literal["mbr"] | ByNgrams | Sequence[ByNgrams],
        run: RunSettings | None = ...,
        **settings: Any,
    ) -> TunedMBR: ...
    @overload
    def tune(
        self, metric: Any = ..., *, decoder: Literal["expected"], run: RunSettings | None = ..., **settings: Any
    ) -> ExpectedWeights: ...
    @says_new_keywords
    def tune(
        self, metric: Any = "wer", *, decoder: Any = "best", run: RunSettings | None = None, **settings: Any
    ) -> Any:
        """Find the setting of a decoder whose answers score best. All graphs stay in memory.

        Args:
            metric: A metric or its name; its corpus value is optimized.
            decoder: How a setting is decoded: `best` finds weights of score columns for the 1-best, over all paths, one
                or two exactly; `expected` descends to weights with fewer expected errors; `mbr` tries parameters of
                n-gram MBR, as do the settings to try first, `ByNgrams.grid(p=[0.6, 0.8], …)`, of which those with one
                value are kept.
            run: The settings of the run; with `keep_going`, warn of graphs that fail.
            settings: `folds` for the score to expect on new graphs; `resamples`, `seed` and `confidence` of intervals;
                those of the decoder; and the settings of the run by name. Of `best`: `vary`, the lowest and the highest
                weight of columns by name, `{"acoustic": (0.05, 0.2)}` (`words` counts words), `min_margin` and, for
                three and more weights, `restarts`. Of `expected`: `vary`; values of `posterior_scale`, to descend at
                each in turn; `most_steps` and `most_states`. Of `mbr`: values of `posterior_scale`, `T`, `p`, `r` and
                `word_penalty` to try first, one of each to keep it; `order`, `beam` and `determinize` (see
                `ByNgrams`); `halvings`, the rounds of ever smaller steps (0: none); and `evidence`, graphs that give
                the posteriors.

        Examples:
            >>> from latticemetric import Lattice, NBest
            >>> beams = [
            ...     NBest.from_strings(["a b", "a c"], scores={"am": [1.0, 2.0], "lm": [3.0, 1.0]}),
            ...     NBest.from_strings(["d", "d e"], scores={"am": [1.0, 2.0], "lm": [1.0, 0.0]}),
            ... ]
            >>> found = Corpus(beams, ["a c", "d"]).tune("wer", vary={"lm": (0, 2)}, resamples=0)
            >>> dict(found.best.weights), found.best.score, found.default.score, found.region
            ({'lm': 0.8}, 0.0, 0.0, ((0.5,), (1.0,)))
            >>> lattice = Lattice.from_strings(["a b c", "a c", "c d"], costs=[0.0, 0.3, 0.7])
            >>> corpus = Corpus([lattice], ["a c"])
            >>> found = corpus.tune("wer", decoder="mbr", posterior_scale=[0.5, 1.0], p=0.85, r=0.72, resamples=0)
            >>> found.best.by.posterior_scale, found.best.by.word_penalty, found.best.score, found.one_best
            (0.5, 0.0, 0.0, 0.5)
        """
        from latticemetric.corpus.begin import begun, refuse_runs
        from latticemetric.corpus.tuning_task import tuning_by

        kind, values = tuning_by(decoder, {"metric": metric, **settings})
        task, of_run = divided(kind, values)
        how = run_of(run, of_run)
        refuse_runs(self, how, "tuning", ["timeout", "max_memory", "resume"])
        with begun(self, task, how) as started:
            examples = list(task.examples(self, started))
        for one in examples:
            if one.problem is not None:
                warnings.warn(str(one.problem), stacklevel=3)  # says_new_keywords calls this method
        return task.tuned(examples, self, watched=how.progress)
