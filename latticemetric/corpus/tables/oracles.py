"""Oracles as `lattice-oracle` writes them: by a rate, WER with joined words, corpus BLEU, or a user's automaton."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeGuard

from latticemetric.corpus.tables.by_metric import RateTable
from latticemetric.corpus.tables.cells import IdColumn, aligned, counted, named_scores, shown, spoken
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.ready_lines import Lines, ReadyLines, as_json_lines, as_scored_words, as_tsv_lines
from latticemetric.corpus.tables.table import (
    AnswerTable,
    Record,
    ShardSums,
    Table,
    as_json,
    json_document,
    spaced_words,
    split_text,
    words_of,
)
from latticemetric.display.frames import flat
from latticemetric.display.text import error_line
from latticemetric.errors import harmless
from latticemetric.metrics.registry import make_metric
from latticemetric.oracle_search.settings import ByAutomaton, ByCompounds, ByCorpusBLEU, ByRate, SearchSettings

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.compounds import CompoundAnswer, CompoundTotals
    from latticemetric.corpus.corpus_bleu import CorpusPathAnswer
    from latticemetric.corpus.margins import MarginKind
    from latticemetric.corpus.oracle_columns import FoundOracles
    from latticemetric.corpus.oracles import OracleAnswer, OracleAnswers, OracleSums
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.corpus.user_automaton import AutomatonTotals
    from latticemetric.metrics.alignment import Alignment
    from latticemetric.metrics.recognition_statistics import RecognitionStatistics
    from latticemetric.oracle_search.scored_path import ScoredPath

COLUMNS = (
    "id", "score", "numerator", "denominator", "hypothesis", "cost",
    "matches", "substitutions", "deletions", "insertions", "reference", "exact"
)  # fmt: skip
ONE_BEST_COLUMNS = ("hypothesis", "score", "numerator", "denominator", "cost")
_MARGIN_COLUMNS = ("hypothesis", "score", "numerator", "denominator", "cost", "exact", "bound", "scores")
_SIDES = {"oracle": "oracle", "one_best": "1-best"}
_PREFIXES = {"oracle": "", "one_best": "one_best_"}
_COUNTS = ("", "matches", "subst.", "del.", "ins.")


def _titles(columns: Sequence[str], one_best: Sequence[str]) -> list[str]:
    return [*columns, *(f"one_best_{name}" for name in one_best), "error"]


def oracle_table(
    answers: Iterable[Any],
    search: SearchSettings,
    references: int | str,
    *,
    rewritten_by: str | None = None,
    shard: ShardRun | None = None,
    looks: Looks = AS_FILE,
    tags: bool = False,
    alignment: bool = False,
) -> Table:
    """Return the table of the answers of `oracles_of`.

    Args:
        answers: The answers.
        search: The settings of the search.
        references: The number of references of each graph.
        rewritten_by: The steps that rewrote the texts, for signatures.
        shard: The shard of the run, if the JSON document is for `merge`.
        looks: How the text looks.
        tags: True to tag words as OK or BAD; the text is then the tags of the 1-best.
        alignment: True to show alignments in the text.
    """
    from latticemetric.corpus.oracles import OracleSums

    match search:
        case ByRate():
            sums = OracleSums(search, references, rewritten_by)
            return OracleTable(answers, sums, shard, looks=looks, tags=tags, alignment=alignment)
        case ByCompounds():
            signature = make_metric("compound-wer").signature_for(references).also(norm=rewritten_by)
            return CompoundTable(answers, str(signature), shard, looks=looks)
        case ByAutomaton():
            return AutomatonTable(answers, shard, looks=looks)
        case ByCorpusBLEU():
            return CorpusBLEUTable(answers, search, rewritten_by=rewritten_by, looks=looks)
        case _:
            raise AssertionError(f"no table is known for {search!r}")


class OracleTable(RateTable):
    """Oracles by a recognition rate, further results, and their sums. Answers are read one by one.

    Args:
        answers: The answers.
        sums: The sums, which grow as the answers are read.
        shard: The shard of the run, if the JSON document is for `merge`.
        looks: How the text looks.
        tags: True to tag words as OK or BAD; the text is then the tags of the 1-best.
        alignment: True to show alignments in the text.
    """

    kind = "oracles"

    def __init__(
        self,
        answers: Iterable[OracleAnswer],
        sums: OracleSums,
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
        tags: bool = False,
        alignment: bool = False,
    ) -> None:
        search = sums.search
        super().__init__(answers, sums.metric, sums.signature, shard)
        self.sums = sums
        self.looks, self._tags, self._alignment = looks, tags, alignment
        self._lists = [*(["tags", "gap_tags"] if tags else []), *(["confidences"] if search.posteriors else [])]
        self._sides: list[MarginKind] = []
        self._nbest = bool(search.nbest)
        if search.finds_more:
            from latticemetric.corpus.margins import margin_kinds

            self._sides = margin_kinds(search)
        self._metrics = [metric.name for metric in search.string_metrics]
        self._has_more = bool(self._lists or self._sides or self._nbest or self._metrics)
        self._ready: dict[tuple[str, str], ReadyLines[FoundOracles]] = {}

    def add(self, answer: OracleAnswer) -> None:
        """Add an answer to the sums."""
        self.sums.add(answer)

    def add_all(self, answers: Sequence[OracleAnswer]) -> None:
        """Add answers to the sums."""
        if self._are_ready(answers):
            self.sums.add_rows(answers.found, answers.rows)
        else:
            super().add_all(answers)

    def texts_of(self, answers: Sequence[OracleAnswer], column: IdColumn, metric: str = "") -> Iterable[str]:
        """Yield the lines of each answer, as one text."""
        if self._alignment or not self._are_ready(answers):
            yield from super().texts_of(answers, column, metric)
            return
        ready = self._ready_lines("text").of(answers.found, answers.rows)
        for number, (name, scored) in enumerate(zip(answers.names, ready, strict=True)):
            if scored is None:
                yield "\n".join(super().text_lines(answers.answer(number), column, metric))
            else:
                yield f"{column(name)}{metric}  {harmless(scored)}"

    def json_lines_of(self, answers: Sequence[OracleAnswer], metric: str = "") -> Iterable[str]:
        """Yield the line of JSON of each answer."""
        if not self._are_ready(answers):
            return super().json_lines_of(answers, metric)
        return self._filled(answers, self._ready_lines("json", metric), super().json_line, metric)

    def tsv_lines_of(self, answers: Sequence[OracleAnswer], metric: str = "") -> Iterable[str]:
        """Yield the line of TSV of each answer."""
        if not self._are_ready(answers):
            return super().tsv_lines_of(answers, metric)
        return self._filled(answers, self._ready_lines("tsv", metric), super().tsv_line, metric)

    def _are_ready(self, answers: Sequence[OracleAnswer]) -> TypeGuard[OracleAnswers]:
        """Return True if a kernel writes the lines of these answers."""
        from latticemetric.corpus.oracles import OracleAnswers

        return isinstance(answers, OracleAnswers) and not self._has_more

    @staticmethod
    def _filled(
        answers: OracleAnswers, ready: ReadyLines[FoundOracles], line: Callable[[OracleAnswer, str], str], metric: str
    ) -> Iterator[str]:
        """Yield the lines that are ready, and the others one by one."""
        for number, one in enumerate(ready.of(answers.found, answers.rows)):
            yield line(answers.answer(number), metric) if one is None else one

    def text_lines(self, answer: OracleAnswer, column: IdColumn, metric: str = "") -> Iterator[str]:
        """Yield the line of a lattice, with the name of the metric if there are several, and of further results."""
        scored = None if self._alignment else self._ready_line("text", answer)
        if scored is None:
            return super().text_lines(answer, column, metric)
        return iter([f"{column(answer.name)}{metric}  {harmless(scored)}"])

    def json_line(self, answer: OracleAnswer, metric: str = "") -> str:
        """Return the record of a lattice as a line of JSON."""
        return self._ready_line("json", answer, metric) or super().json_line(answer, metric)

    def tsv_line(self, answer: OracleAnswer, metric: str = "") -> str:
        """Return the row of a lattice as a line of TSV."""
        return self._ready_line("tsv", answer, metric) or super().tsv_line(answer, metric)

    def _ready_line(self, kind: str, answer: OracleAnswer, metric: str = "") -> str | None:
        """Return the line of an answer that was found together with others; `None` if there is none."""
        if answer.row is None or self._has_more:
            return None
        found, number = answer.row
        return self._ready_lines(kind, metric).of(found, range(number, number + 1))[0]

    def _ready_lines(self, kind: str, metric: str = "") -> ReadyLines[FoundOracles]:
        """Return the lines of answers that were found together."""
        if (ready := self._ready.get((kind, metric))) is None:
            write: Callable[[FoundOracles], Lines] = partial(as_scored_words, percent=self.looks.percent)
            if kind == "json":
                write = partial(as_json_lines, metric=metric)
            elif kind == "tsv":
                write = partial(as_tsv_lines, columns=COLUMNS, one_best_columns=ONE_BEST_COLUMNS, metric=metric)
            ready = self._ready[kind, metric] = ReadyLines(write)
        return ready

    def record_of(self, answer: OracleAnswer) -> Record:
        """Return the record of a lattice, without the signature: the document has it once."""
        record = answer.asdict()
        record.pop("signature", None)
        if (oracle := answer.oracle) is not None:
            record["alignment"] = oracle.alignment.edits
            record |= spaced_words(oracle.words) | spaced_words(oracle.reference, "reference_words")
            if self._tags:
                record |= _tags(oracle)
                record["one_best"] |= _tags(oracle.one_best)
        return record

    def text_of(self, record: Record, column: IdColumn, metric: str = "") -> Iterator[str]:
        """Yield the line of a lattice, with the name of the metric if there are several, and of further results."""
        failed = "error" in record
        if self._tags:
            yield "" if failed else " ".join(_tags_with_gaps(record["one_best"]))
            return
        if failed:
            yield f"{harmless(record['id'])}{metric.rstrip()}  failed"
            return
        words = words_of(record)
        if self.sums.search.posteriors:
            words = [f"{word}:{p:.3f}" for word, p in zip(words, record["confidences"], strict=True)]
        yield f"{column(record['id'])}{metric}  {_scored(record, self.looks)}  {spoken(words)}"
        if self._alignment:
            yield from (f"    {line}" for line in self.looks.alignment_lines(self._aligned(record)))
            yield ""
        yield from self._margin_lines(record)

    def _aligned(self, record: Record) -> Alignment:
        """Return the alignment of the oracle with its reference."""
        spaced: list[str] | None = record.get("reference_words")
        reference = split_text(record["reference"]) if spaced is None else spaced
        counted = self.metric.counted
        return self.metric.alignments(counted(words_of(record)), counted(reference), record["alignment"])

    def _margin_lines(self, record: Record) -> Iterator[str]:
        """Yield the other n-best strings, then the hope, fear and worst strings."""
        for rank, best in enumerate(record.get("nbest", [])[1:], start=2):
            yield f"  {rank!s:<10}  {_scored(best, self.looks)}  {spoken([best['hypothesis']])}"
        for side in self._sides:
            margin = _margin_of(record, side)
            if margin is None or "error" in margin:
                yield f"  {side.name:<10}  {'failed':>7}"
                continue
            bound = None if side.kind == "hope" or margin["exact"] else margin["bound"]
            note = "" if bound is None else f"  (not exact: bound {shown(bound)})"
            yield f"  {side.name:<10}  {_scored(margin, self.looks)}  {spoken([margin['hypothesis']])}{note}"

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        both = [f"{prefix}{name}" for name in (*self._metrics, *self._lists) for prefix in _PREFIXES.values()]
        sides = [f"{_prefix(side)}{name}" for side in self._sides for name in _columns_of(side)]
        return [*_titles(COLUMNS, ONE_BEST_COLUMNS), *both, *(["nbest"] if self._nbest else []), *sides]

    def flat(self, record: Record) -> Record:
        """Return the columns of a lattice: `bleu` and `one_best_bleu` of further scores, `hope_1_score` of margins."""
        nested = ("sentence_scores", *(side.kind for side in self._sides))
        found = super().flat({name: value for name, value in record.items() if name not in nested})
        for metric, scores in record.get("sentence_scores", {}).items():
            found |= {f"{prefix}{metric}": scores[side] for side, prefix in _PREFIXES.items()}
        for side in self._sides:
            found |= {f"{_prefix(side)}{name}": value for name, value in flat(_margin_of(record, side) or {}).items()}
        return found

    def cells(self, record: Record) -> Record:
        """Return the strings of the n best, and the scores of margins, as TSV shows them."""
        cells = {"nbest": " ||| ".join(best["hypothesis"] for best in record.get("nbest", []))}
        margins = {_prefix(side): _margin_of(record, side) or {} for side in self._sides}
        return cells | {f"{prefix}scores": named_scores(one.get("scores", {})) for prefix, one in margins.items()}

    @property
    def unshown(self) -> list[str]:
        """The results that options ask for, but text leaves out: with tags, all others."""
        asked = {"alignment": self._alignment, "nbest": self._nbest, "posteriors": self.sums.search.posteriors}
        return [name for name, is_asked in asked.items() if is_asked and self._tags]

    def settings(self) -> Record:
        """Return what the text and the rows show."""
        asked = {"tags": self._tags, "alignment": self._alignment}
        return {**asked, "posteriors": self.sums.search.posteriors}

    def state(self) -> Record:
        """Return the sums as plain values, for `merge`."""
        return self.sums.state()

    @classmethod
    def merged(cls, shards: ShardSums, looks: Looks) -> OracleTable:
        """Return the table of all shards, without records."""
        from latticemetric.corpus.oracles import OracleSums

        shown = dict(shards.settings)
        sums = OracleSums.merged(shards.states, posteriors=shown.pop("posteriors"))
        table = cls((), sums, looks=looks, **shown)
        table.signature = shards.signature
        return table

    @property
    def is_for_programs(self) -> bool:
        """True with `--tags`: the text is tags only."""
        return self._tags

    def warning(self) -> str | None:
        """Return a warning if few reference words occur in the lattices."""
        return self.sums.occurrences.warning()

    headings = _COUNTS

    def rates(self) -> list[list[str]]:
        """Return a row for the oracle, the 1-best and each other string: rate, counts; and the headroom."""
        totals, metric = self.sums.totals, self.sums.metric
        rows = []
        for name, statistics in self._sides_of_corpus():
            corpus = metric.corpus_score(statistics, self.sums.references)
            counts = [statistics.matches[0], statistics.substitutions, statistics.deletions, statistics.insertions]
            fraction = f"{shown(corpus.numerator)}/{corpus.denominator}"
            rows.append([name, self.looks.rate(corpus.score), fraction, *map(str, counts)])
        best, one_best = metric.value(totals.best), metric.value(totals.one_best)
        if best is not None and one_best is not None:
            rows.append(["headroom", self.looks.rate(float(abs(best - one_best))), *[""] * 5])
        return rows

    def _sides_of_corpus(self) -> list[tuple[str, RecognitionStatistics]]:
        totals, margins = self.sums.totals, self.sums.margins
        sides = [] if margins is None else [(side.name, total.statistics) for side, total in margins.sides.items()]
        return [("oracle", totals.best), ("1-best", totals.one_best), *sides]

    def error_lines(self) -> Iterator[str]:
        """Yield the %WER line of the oracle, the 1-best and each other string."""
        metric = self.sums.metric
        if metric.name not in ("wer", "cer") or not metric.gains.are_edits:
            return
        for name, statistics in self._sides_of_corpus():
            corpus = metric.corpus_score(statistics, self.sums.references)
            edits = statistics.insertions, statistics.deletions, statistics.substitutions
            if corpus.score is not None:
                yield error_line(metric.name.upper(), sum(edits), corpus.denominator or 0, edits, name)

    def string_scores(self) -> list[list[str]]:
        """Return a table of the further scores of oracle and 1-best, of which each metric has a column."""
        if self.sums.strings is None:
            return []
        scores, cells = self.sums.strings.asdict(self.sums.references), []
        for one in self.sums.strings.scorer.metrics:
            title, score = (self.looks.rate_title, self.looks.rate) if one.is_fraction else (str, shown)
            cells.append([title(one.name), *(score(scores[one.name][side]["score"]) for side in _SIDES)])
        return [list(row) for row in zip(["", *_SIDES.values()], *cells, strict=True)]

    def notes(self) -> Iterator[str]:
        """Yield notes on strings that are not exact, or that failed."""
        margins = {} if self.sums.margins is None else self.sums.margins.sides
        yield from (f"{side.name}: {total.inexact} not exact" for side, total in margins.items() if total.inexact)
        alone = {side.name: total.failed - self.sums.totals.failed for side, total in margins.items()}
        yield from (f"{name}: {number} failed" for name, number in alone.items() if number)

    def string_signatures(self) -> list[str]:
        """Return the signatures of the further scores."""
        scores = {} if self.sums.strings is None else self.sums.strings.asdict(self.sums.references)
        return [score["oracle"]["signature"] for score in scores.values()]

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self.sums.corpus()

    def counts(self) -> str:
        """Return the numbers of lattices that were searched and that failed."""
        return _counted(self.sums.totals.lattices, self.sums.totals.failed)


class CorpusBLEUTable(Table):
    """One path per lattice: the paths that have the best BLEU together."""

    columns = _titles((*COLUMNS, "headroom"), ONE_BEST_COLUMNS)

    def __init__(
        self,
        answers: Iterable[CorpusPathAnswer],
        search: ByCorpusBLEU,
        *,
        rewritten_by: str | None = None,
        looks: Looks = AS_FILE,
    ) -> None:
        from latticemetric.corpus.corpus_bleu import of_no_graphs

        self._answers, self._metric, self.looks = list(answers), search.bleu.name, looks
        self._corpus = self._answers[0].corpus if self._answers else of_no_graphs(search, rewritten_by)

    def text(self) -> Iterator[str]:
        """Yield one line per lattice."""
        column = IdColumn()
        for answer in self._answers:
            if answer.value is None:
                yield f"{harmless(answer.name)}  failed"
            else:
                score = self.looks.lone_rate(answer.value.score)
                yield f"{column(answer.name)}  {score:>7}  {spoken(answer.value.words)}"

    def records(self) -> Iterator[Record]:
        """Yield one record per lattice."""
        return (answer.asdict() for answer in self._answers)

    def document(self) -> Iterator[str]:
        """Yield the JSON document."""
        corpus = self._corpus
        end = f'], "corpus": {as_json(corpus.asdict())}}}'
        head = {"signature": corpus.signature}
        return json_document(head, {"lattices": self.records()}, lambda: end, streamed=False)

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self._corpus.asdict()

    def summary(self) -> list[str]:
        """Return the totals of the corpus."""
        corpus = self._corpus
        oracle = corpus.oracle
        scores = {"oracle": oracle.corpus, "4-GRR oracles": oracle.start, "1-best": oracle.one_best}
        rows = [["", self.looks.rate_title(self._metric)]]
        rows += ([side, self.looks.rate(score.score)] for side, score in scores.items())
        sweeps = f"{counted(oracle.sweeps, 'sweep')}; a better oracle may exist"
        return ["", *aligned(rows), sweeps, f"{_counted(corpus.lattices, corpus.failed)}   {corpus.signature}"]


class SummedTable(AnswerTable):
    """Oracles and their sums: totals that add up.

    Attributes:
        sums: The sums, which grow as the answers are read.
    """

    sums: Any  # a class with `of`, `+` and `state`

    def _counted(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        for answer in answers:
            self.sums += self.sums.of(answer)
            yield answer

    def lines_of(self, records: Iterable[Record]) -> Iterator[str]:
        """Yield one line per lattice."""
        column = IdColumn()
        for record in records:
            if "error" in record:
                yield f"{harmless(record['id'])}  failed"
            else:
                yield f"{column(record['id'])}  {self.scored(record)}  {spoken([record['hypothesis']])}"

    @abstractmethod
    def scored(self, record: Record) -> str:
        """Return the score of a record."""

    def state(self) -> Record:
        """Return the sums as plain values, for `merge`."""
        state: Record = self.sums.state()
        return state

    def counts(self) -> str:
        """Return the numbers of lattices that were searched and that failed."""
        return _counted(self.sums.lattices, self.sums.failed)


class AutomatonTable(SummedTable):
    """Oracles by a user's automaton, and their sums."""

    kind = "automaton"
    columns = _titles(("id", "score", "hypothesis", "cost", "exact"), ("hypothesis", "score", "cost"))
    sums: AutomatonTotals

    def __init__(self, answers: Iterable[Answer], shard: ShardRun | None = None, *, looks: Looks = AS_FILE) -> None:
        from latticemetric.corpus.user_automaton import AutomatonTotals

        super().__init__(answers, shard, looks=looks)
        self.sums = AutomatonTotals()

    def scored(self, record: Record) -> str:
        """Return the score of a record."""
        return f"{shown(record['score']):>9}"

    def noted(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records with the signature, which items of documents do not have."""
        for record in records:
            if "error" not in record and "signature" not in record:
                one_best = record.pop("one_best")
                record |= {"signature": self.sums.signature, "one_best": one_best}
            yield record

    def items(self) -> Iterator[Record]:
        """Yield the items of the JSON document: without the signature, which stands once behind them."""
        return ({name: value for name, value in one.items() if name != "signature"} for one in self.records())

    def end(self) -> Record:
        """Return the sums and the signature."""
        return self.sums.asdict()

    @classmethod
    def merged(cls, shards: ShardSums, looks: Looks) -> AutomatonTable:
        """Return the table of all shards, without records."""
        table = cls((), looks=looks)
        table.sums = sum(map(table.sums.of_state, shards.states), table.sums)
        return table

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return dict(self.sums.asdict()["corpus"])

    def summary(self) -> list[str]:
        """Return the sums of all lattices."""
        corpus = self.totals()
        rows = [["oracle", shown(corpus["score"])], ["1-best", shown(corpus["one_best"]["score"])]]
        return ["", *aligned(rows), self.counts()]


class CompoundTable(SummedTable):
    """Oracles by the word error rate with joined words, and their sums."""

    kind = "compounds"
    columns = _titles(("id", "score", "numerator", "denominator", "hypothesis", "cost", "exact"), ONE_BEST_COLUMNS)
    sums: CompoundTotals

    def __init__(
        self,
        answers: Iterable[CompoundAnswer],
        signature: str,
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
    ) -> None:
        from latticemetric.corpus.compounds import CompoundTotals

        super().__init__(answers, shard, looks=looks)
        self.sums, self._signature = CompoundTotals(), signature

    def scored(self, record: Record) -> str:
        """Return the score of a record."""
        return _scored(record, self.looks)

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield the record of a graph, without the signature: the document has it once."""
        yield {name: value for name, value in answer.value.asdict().items() if name != "signature"}

    def head(self) -> Record:
        """Return the signature."""
        return {"signature": self._signature}

    def end(self) -> Record:
        """Return the totals."""
        return {"corpus": self.totals()}

    @classmethod
    def merged(cls, shards: ShardSums, looks: Looks) -> CompoundTable:
        """Return the table of all shards, without records."""
        table = cls((), shards.signature, looks=looks)
        table.sums = table.sums.merged(shards.states)
        return table

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self.sums.asdict()

    def summary(self) -> list[str]:
        """Return the totals of the corpus: oracle, 1-best, and the difference of their scores."""
        corpus = self.totals()
        rows = [["", self.looks.rate_title("compound-wer"), ""]]
        for label, side in (("oracle", corpus), ("1-best", corpus["one_best"])):
            rows.append([label, self.looks.rate(side["score"]), f"{side['numerator']}/{side['denominator']}"])
        if corpus["score"] is not None and corpus["one_best"]["score"] is not None:
            rows.append(["headroom", self.looks.rate(abs(corpus["score"] - corpus["one_best"]["score"])), ""])
        return ["", *aligned(rows), f"{self.counts()}   {self._signature}"]


def _counted(lattices: int, failed: int) -> str:
    return counted(lattices, "lattice") + (f", {failed} failed" if failed else "")


def _columns_of(side: MarginKind) -> list[str]:
    return [*(["value"] if side.weight is not None else []), *_MARGIN_COLUMNS]


def _prefix(side: MarginKind) -> str:
    return f"{side.name.replace(' ', '_')}_"


def _margin_of(record: Record, side: MarginKind) -> Record | None:
    """Return the hope, fear or worst string in a record, or the error of its search; `None` if the graph failed."""
    found = record.get(side.kind, [])
    several = found if isinstance(found, list) else [found]
    return next((one for one in several if one.get("weight") == side.weight), None)


def _scored(path: Record, looks: Looks) -> str:
    counts = f"{shown(path['numerator'])}/{path['denominator']}"
    return f"{looks.lone_rate(path['score']):>7}  {counts:>9}"


def _tags(path: ScoredPath) -> dict[str, list[str]]:
    """Return the fields of the tags of a path.

    Fields:
        tags (list[str]): `OK` or `BAD` for each word of `hypothesis`.
        gap_tags (list[str]): The same for the gaps before the first word, between words, and after the last.
    """
    return {"tags": list(path.tags), "gap_tags": list(path.tags_with_gaps[::2])}


def _tags_with_gaps(path: Record) -> Iterator[str]:
    """Yield the tags of a path: those of gaps and words in turn."""
    for gap, word in zip_longest(path["gap_tags"], path["tags"]):
        yield from (gap,) if word is None else (gap, word)
