"""Oracles as `lattice-oracle` writes them: by a rate, WER with joined words, corpus BLEU, or a user's automaton."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.cells import IdColumn, aligned, counted, named_scores, shown, spoken
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import AnswerTable, Record, Table, as_json, json_document, values
from latticemetric.display.text import error_line
from latticemetric.errors import harmless

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.compounds import CompoundAnswer
    from latticemetric.corpus.corpus_bleu import CorpusAnswer, CorpusPathAnswer
    from latticemetric.corpus.margins import MarginKind, Margins
    from latticemetric.corpus.oracles import OracleAnswer, OracleSums, Totals
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.metrics.recognition import GRR
    from latticemetric.metrics.recognition_statistics import RecognitionStatistics
    from latticemetric.oracle_search.compounds import CompoundPath
    from latticemetric.oracle_search.scored_path import ScoredPath

COLUMNS = (
    "id", "score", "numerator", "denominator", "hypothesis", "cost",
    "matches", "substitutions", "deletions", "insertions", "reference", "exact"
)  # fmt: skip
ONE_BEST_COLUMNS = ("hypothesis", "score", "numerator", "denominator", "cost")
_MARGIN_COLUMNS = ("hypothesis", "score", "numerator", "denominator", "cost", "exact", "bound", "scores")
_SIDES = {"oracle": "oracle", "one_best": "1-best"}


def _titles(columns: Sequence[str], one_best: Sequence[str]) -> list[str]:
    return [*columns, *(f"one_best_{name}" for name in one_best), "error"]


class OracleTable(Table):
    """Oracles by a recognition rate, further results, and their sums. Answers are read one by one.

    Args:
        answers: The answers.
        sums: The sums, which grow as the answers are read.
        shard: The shard of the run, if the JSON document is for `merge`.
        looks: How the text looks.
        tags: True to tag words as OK or BAD; the text is then the tags of the 1-best.
        alignment: True to show alignments in the text.
        posteriors: True to have the posterior of each word in TSV.
        normalize: The steps that rewrote the texts, for the signature.
    """

    def __init__(
        self,
        answers: Iterable[OracleAnswer],
        sums: OracleSums,
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
        tags: bool = False,
        alignment: bool = False,
        posteriors: bool = False,
        normalize: str | None = None,
    ) -> None:
        self._answers, self._sums, self._shard = sums.counted(answers), sums, shard
        self.looks, self._tags, self._alignment = looks, tags, alignment
        self._lists = ["tags", "gap_tags"] if self._tags else []
        self._lists += ["confidences"] if posteriors else []
        self._sides = [] if sums.wanted is None else sums.wanted.sides
        self._nbest = sums.wanted is not None and bool(sums.wanted.nbest)
        self._metrics = [] if sums.strings is None else [metric.name for metric in sums.strings.scorer.metrics]
        self._signature = sums.metric.signature_for(sums.references).also(norm=normalize)

    def text(self) -> Iterator[str]:
        """Yield one line per lattice and its further results; with `--tags`, only the tags of the 1-best."""
        column = IdColumn()
        for answer in self._answers:
            oracle = answer.oracle
            if self._tags:
                yield "" if oracle is None else " ".join(oracle.one_best.tags_with_gaps)
                continue
            if oracle is None:
                yield f"{harmless(answer.name)}  failed"
                continue
            words: Sequence[str] = oracle.words
            if answer.confidences is not None:
                words = [f"{word}:{p:.3f}" for word, p in zip(words, answer.confidences.oracle, strict=True)]
            yield f"{column(answer.name)}  {_scored(oracle, self.looks)}  {spoken(words)}"
            if self._alignment:
                yield from (f"    {line}" for line in self.looks.alignment_lines(oracle.alignment))
                yield ""
            if answer.margins is not None:
                yield from self._margin_lines(answer.margins)

    def _margin_lines(self, margins: Margins) -> Iterator[str]:
        """Yield the other n-best strings, then the hope, fear and worst strings."""
        from latticemetric.oracle_search.margin import Hope

        for rank, best in enumerate(margins.nbest[1:], start=2):
            yield f"  {rank!s:<10}  {_scored(best, self.looks)}  {spoken(best.words)}"
        for side in self._sides:
            margin = margins.found.get(side)
            if margin is None:
                yield f"  {side.name:<10}  {'failed':>7}"
                continue
            bound = None if isinstance(margin, Hope) or margin.exact else margin.bound
            note = "" if bound is None else f"  (not exact: bound {shown(bound)})"
            yield f"  {side.name:<10}  {_scored(margin, self.looks)}  {spoken(margin.words)}{note}"

    def records(self) -> Iterator[Record]:
        """Yield one record per lattice, without the signature: the document has it once."""
        return map(self._record, self._answers)

    def _record(self, answer: OracleAnswer) -> Record:
        record = answer.asdict()
        record.pop("signature", None)
        if answer.oracle is not None:
            record["alignment"] = answer.oracle.alignment.edits
            if self._tags:
                record |= _tags(answer.oracle)
                record["one_best"] |= _tags(answer.oracle.one_best)
        return record

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        both = [f"{prefix}{name}" for name in (*self._metrics, *self._lists) for prefix in ("", "one_best_")]
        sides = [f"{side.name.replace(' ', '_')}_{name}" for side in self._sides for name in _columns_of(side)]
        return [*_titles(COLUMNS, ONE_BEST_COLUMNS), *both, *(["nbest"] if self._nbest else []), *sides]

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per lattice."""
        for answer in self._answers:
            record, margins = self._record(answer), answer.margins
            one_best, scores = record.get("one_best", {}), record.get("sentence_scores", {})
            row = [*values(record, COLUMNS), *values(one_best, ONE_BEST_COLUMNS), record.get("error")]
            row += [scores.get(name, {}).get(side) for name in self._metrics for side in _SIDES]
            row += [part.get(name) for name in self._lists for part in (record, one_best)]
            if self._nbest:
                row.append(" ||| ".join(" ".join(best.words) for best in (() if margins is None else margins.nbest)))
            for side in self._sides:
                margin = None if margins is None else margins.found.get(side)
                fields = {} if margin is None else margin.asdict()
                fields["scores"] = "" if margin is None else named_scores(margin.scores)
                row += values(fields, _columns_of(side))
            yield row

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums."""
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self._sums.state()}
            return document_end({"corpus": self._sums.corpus()}, self._shard, **state)

        return json_document({"signature": str(self._signature)}, {"lattices": self.records()}, end)

    @property
    def is_for_programs(self) -> bool:
        """True with `--tags`: the text is tags only."""
        return self._tags

    def warning(self) -> str | None:
        """Return a warning if few reference words occur in the lattices."""
        return self._sums.occurrences.warning()

    def _table(self, metric: GRR, totals: Totals, sides: Sequence[tuple[str, RecognitionStatistics]]) -> list[str]:
        """Return the table of rates and counts of oracle, 1-best and other strings, and their %WER lines."""
        error_lines: list[str] = []
        rows = [["", self.looks.rate_title(metric.name), "", "matches", "subst.", "del.", "ins."]]
        for name, statistics in (("oracle", totals.best), ("1-best", totals.one_best), *sides):
            corpus = metric.corpus_score(statistics, self._sums.references)
            counts = [statistics.matches[0], statistics.substitutions, statistics.deletions, statistics.insertions]
            fraction = f"{shown(corpus.numerator)}/{corpus.denominator}"
            rows.append([name, self.looks.rate(corpus.score), fraction, *map(str, counts)])
            edits = statistics.insertions, statistics.deletions, statistics.substitutions
            if metric.name in ("wer", "cer") and metric.gains.are_edits and corpus.score is not None:
                error_lines.append(error_line(metric.name.upper(), sum(edits), corpus.denominator or 0, edits, name))
        best, one_best = metric.value(totals.best), metric.value(totals.one_best)
        if best is not None and one_best is not None:
            rows.append(["headroom", self.looks.rate(float(abs(best - one_best))), *[""] * 5])
        return ["", *aligned(rows), *error_lines]

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self._sums.corpus()

    def summary(self) -> list[str]:
        """Return the totals: oracle, 1-best, and the difference of their scores."""
        totals, metric = self._sums.totals, self._sums.metric
        margins = {} if self._sums.margins is None else self._sums.margins.sides
        sides = [(side.name, total.statistics) for side, total in margins.items()]
        beside = self._sums.beside
        lines = [] if beside is None else self._table(beside, self._sums.beside_totals, ())
        lines += self._table(metric, totals, sides)
        scores = {} if self._sums.strings is None else self._sums.strings.asdict(self._sums.references)
        if self._sums.strings is not None:
            cells = []
            for one in self._sums.strings.scorer.metrics:
                title, score = (self.looks.rate_title, self.looks.rate) if one.is_fraction else (str, shown)
                cells.append([title(one.name), *(score(scores[one.name][side]["score"]) for side in _SIDES)])
            lines += ["", *aligned(list(zip(["", *_SIDES.values()], *cells, strict=True)))]
        lines += [f"{side.name}: {total.inexact} not exact" for side, total in margins.items() if total.inexact]
        alone = {side.name: total.failed - totals.failed for side, total in margins.items()}
        lines += [f"{name}: {number} failed" for name, number in alone.items() if number]
        lines.append(f"{_counted(totals.lattices, totals.failed)}   {self._signature}")
        return [*lines, *(score["oracle"]["signature"] for score in scores.values())]


class CorpusBLEUTable(Table):
    """One path per lattice: the paths that have the best BLEU together."""

    columns = _titles((*COLUMNS, "headroom"), ONE_BEST_COLUMNS)

    def __init__(
        self, corpus: CorpusAnswer, answers: Sequence[CorpusPathAnswer], metric: str, *, looks: Looks = AS_FILE
    ) -> None:
        self._corpus, self._answers, self._metric, self.looks = corpus, answers, metric, looks

    def text(self) -> Iterator[str]:
        """Yield one line per lattice."""
        column = IdColumn()
        for answer in self._answers:
            if answer.path is None:
                yield f"{harmless(answer.name)}  failed"
            else:
                score = self.looks.lone_rate(answer.path.score)
                yield f"{column(answer.name)}  {score:>7}  {spoken(answer.path.words)}"

    def records(self) -> Iterator[Record]:
        """Yield one record per lattice."""
        return (answer.asdict() for answer in self._answers)

    def document(self) -> Iterator[str]:
        """Yield the JSON document."""
        end = f'], "corpus": {as_json(self._corpus.corpus())}}}'
        head = {"signature": self._corpus.signature}
        return json_document(head, {"lattices": self.records()}, lambda: end, streamed=False)

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self._corpus.corpus()

    def summary(self) -> list[str]:
        """Return the totals of the corpus."""
        oracle, failed = self._corpus.oracle, self._corpus.failed
        scores = {"oracle": oracle.corpus, "4-GRR oracles": oracle.start, "1-best": oracle.one_best}
        rows = [["", self.looks.rate_title(self._metric)]]
        rows += ([side, self.looks.rate(score.score)] for side, score in scores.items())
        sweeps = f"{counted(oracle.sweeps, 'sweep')}; a better oracle may exist"
        lattices = _counted(len(self._answers) - failed, failed)
        return ["", *aligned(rows), sweeps, f"{lattices}   {self._corpus.signature}"]


class AutomatonTable(AnswerTable):
    """Oracles by a user's automaton, and their sums."""

    columns = _titles(("id", "score", "hypothesis", "cost", "exact"), ("hypothesis", "score", "cost"))

    def __init__(self, answers: Iterable[Answer], shard: ShardRun | None = None, *, looks: Looks = AS_FILE) -> None:
        from latticemetric.corpus.user_automaton import AutomatonTotals

        super().__init__(self._counted(answers), shard, looks=looks)
        self._totals = AutomatonTotals()

    def _counted(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        for answer in answers:
            self._totals += self._totals.of(answer)
            yield answer

    def text(self) -> Iterator[str]:
        """Yield one line per lattice."""
        column = IdColumn()
        for answer in self.answers:
            if answer.problem is not None:
                yield f"{harmless(answer.name)}  failed"
            else:
                yield f"{column(answer.name)}  {shown(answer.value.score):>9}  {spoken(answer.value.words)}"

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums."""
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self._totals.state()}
            return document_end(self._totals.asdict(), self._shard, **state)

        unsigned = ({name: value for name, value in one.items() if name != "signature"} for one in self.records())
        return json_document({}, {"lattices": unsigned}, end)

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return dict(self._totals.asdict()["corpus"])

    def summary(self) -> list[str]:
        """Return the sums of all lattices."""
        corpus = self._totals.asdict()["corpus"]
        rows = [["oracle", shown(corpus["score"])], ["1-best", shown(corpus["one_best"]["score"])]]
        return ["", *aligned(rows), _counted(self._totals.lattices, self._totals.failed)]


class CompoundTable(AnswerTable):
    """Oracles by the word error rate with joined words, and their sums."""

    columns = _titles(("id", "score", "numerator", "denominator", "hypothesis", "cost", "exact"), ONE_BEST_COLUMNS)

    def __init__(
        self,
        answers: Iterable[CompoundAnswer],
        shard: ShardRun | None = None,
        *,
        looks: Looks = AS_FILE,
        signature: str,
    ) -> None:
        from latticemetric.corpus.compounds import CompoundTotals

        super().__init__(self._counted(answers), shard, looks=looks)
        self._totals, self._signature = CompoundTotals(), signature

    def _counted(self, answers: Iterable[CompoundAnswer]) -> Iterator[CompoundAnswer]:
        for answer in answers:
            self._totals += self._totals.of(answer)
            yield answer

    def text(self) -> Iterator[str]:
        """Yield one line per lattice."""
        column = IdColumn()
        for answer in self.answers:
            if answer.problem is not None:
                yield f"{harmless(answer.name)}  failed"
            else:
                yield f"{column(answer.name)}  {_scored(answer.value, self.looks)}  {spoken(answer.value.words)}"

    def records_of(self, answer: Answer) -> Iterator[Record]:
        """Yield the record of a graph, without the signature: the document has it once."""
        yield {name: value for name, value in answer.value.asdict().items() if name != "signature"}

    def document(self) -> Iterator[str]:
        """Yield the JSON document: items as they arrive, then the sums."""
        from latticemetric.corpus.shards import document_end

        def end() -> str:
            state = {} if self._shard is None else {"sums": self._totals.state()}
            return document_end({"corpus": self._totals.asdict()}, self._shard, **state)

        return json_document({"signature": self._signature}, {"lattices": self.records()}, end)

    def totals(self) -> Record:
        """Return the numbers of all answers; call this after the answers were read."""
        return self._totals.asdict()

    def summary(self) -> list[str]:
        """Return the totals of the corpus: oracle, 1-best, and the difference of their scores."""
        corpus = self._totals.asdict()
        rows = [["", self.looks.rate_title("compound-wer"), ""]]
        for label, side in (("oracle", corpus), ("1-best", corpus["one_best"])):
            rows.append([label, self.looks.rate(side["score"]), f"{side['numerator']}/{side['denominator']}"])
        if corpus["score"] is not None and corpus["one_best"]["score"] is not None:
            rows.append(["headroom", self.looks.rate(abs(corpus["score"] - corpus["one_best"]["score"])), ""])
        return ["", *aligned(rows), f"{_counted(self._totals.lattices, self._totals.failed)}   {self._signature}"]


def _counted(lattices: int, failed: int) -> str:
    return counted(lattices, "lattice") + (f", {failed} failed" if failed else "")


def _columns_of(side: MarginKind) -> list[str]:
    return [*(["value"] if side.weight is not None else []), *_MARGIN_COLUMNS]


def _scored(path: ScoredPath | CompoundPath, looks: Looks) -> str:
    counts = f"{shown(path.numerator)}/{path.denominator}"
    return f"{looks.lone_rate(path.score):>7}  {counts:>9}"


def _tags(path: ScoredPath) -> dict[str, list[str]]:
    return {"tags": list(path.tags), "gap_tags": list(path.tags_with_gaps[::2])}
