"""Scores of OK and BAD tags, as `latticemetric tags` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.cells import aligned, counted, shown
from latticemetric.corpus.tables.table import Record, Table, as_json, values
from latticemetric.errors import harmless
from latticemetric.metrics.signature import Signature

if TYPE_CHECKING:
    from latticemetric.corpus.oracles import ConfidenceEvaluation
    from latticemetric.evaluation.word_tags.discrimination import Discrimination
    from latticemetric.evaluation.word_tags.metrics import TagScores
    from latticemetric.evaluation.word_tags.sampling import RepeatedSampling
    from latticemetric.evaluation.word_tags.tags import WordTags


@dataclass(frozen=True)
class TagTable(Table):
    """Scores of tags, comparisons of systems, and sample sizes."""

    gold: str
    has_gaps: bool
    tags: WordTags
    systems: dict[str, TagScores]
    synthetic: dict[str, TagScores] | None
    comparison: list[Discrimination] | None
    sampling: RepeatedSampling | None
    which: str
    significance: float
    seed: int
    pairs_by: str

    @property
    def _signature(self) -> str:
        return str(Signature("word-tags", {"tags": self.which}))

    @property
    def _scores(self) -> dict[str, TagScores]:
        return {**self.systems, **(self.synthetic or {})}

    def text(self) -> Iterator[str]:
        """Yield the table of scores, then those of comparisons and sample sizes."""
        yield from _score_table(self._scores)
        if self.comparison is not None:
            yield ""
            yield from _discrimination_table(self.comparison)
            by_pairs = next(one for one in self.comparison if one.metric == self.pairs_by)
            if by_pairs.pairs:
                yield ""
                yield from _pair_table(by_pairs)
        if self.sampling is not None:
            yield ""
            yield from _sampling_table(self.sampling)

    def records(self) -> Iterator[Record]:
        """Yield a record for each system."""
        return ({"system": name, **one.asdict()} for name, one in self._scores.items())

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

        return ["system", *TAG_METRICS, "tags", "bad", "errors", "notes"]

    def rows(self) -> Iterator[list[object]]:
        """Yield a row for each system."""
        return (values(_with_notes(record), self.columns) for record in self.records())

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            signature (str): The kind of tags, and the version.
            gold (str): The file of gold tags, as given.
            which (str): `words`, `gaps` or `all`.
            gaps (bool): True if lines were read as 2n + 1 tags of words and gaps.
            segments (int): Number of segments.
            tags (int): Number of evaluated tags.
            bad (int): Number of evaluated gold tags that are BAD.
            systems (Mapping[str, TagScores]): By system (the name of its file, or the path if two files have the same
                name), its scores.
            synthetic (Mapping[str, TagScores]): With `--synthetic`: by synthetic labelling, its scores.
            comparison (Mapping): With `--compare`: tests of all pairs.
            sampling (RepeatedSampling): With `--sampling`: repeated sampling.
            significance (float): The family-wise level of all tests of a metric, or of all pairs of error rates.
            seed (int): The seed of the trials, samples and synthetic labellings.
            metrics (Mapping[str, Discrimination]): By metric, its results.
        """
        document: Record = {
            "signature": self._signature,
            "gold": self.gold,
            "which": self.which,
            "gaps": self.has_gaps,
            "segments": len(self.tags),
            "tags": len(self.tags.bad),
            "bad": int(self.tags.bad.sum()),
            "systems": {name: one.asdict() for name, one in self.systems.items()},
        }
        drawn = {"significance": self.significance, "seed": self.seed}
        if self.synthetic is not None:
            document["synthetic"] = {name: one.asdict() for name, one in self.synthetic.items()}
        if self.comparison is not None:
            document["comparison"] = {**drawn, "metrics": {one.metric: one.asdict() for one in self.comparison}}
        if self.sampling is not None:
            document["sampling"] = {**drawn, **self.sampling.asdict()}
        yield as_json(document)

    def summary(self) -> list[str]:
        """Return the numbers of segments and tags, the settings and the signature."""
        number = len(self.tags.bad)
        share = f", {100 * self.tags.bad.mean():.1f} % BAD in {harmless(self.gold)}" if number else ""
        what = {"words": "words", "gaps": "gaps", "all": "words and gaps"}[self.which]
        if not self.has_gaps:
            what = "words, without gaps"
        notes = [f"{counted(len(self.tags), 'segment')}, {counted(number, 'tag')} of {what}{share}"]
        if self.comparison is not None:
            pairs = counted(len(self.comparison[0].pairs), "pair")
            notes.append(f"{pairs} at a family-wise level of {self.significance:g}")
        if any(part is not None for part in (self.synthetic, self.comparison, self.sampling)):
            notes.append(f"seed {self.seed}")
        return ["", "; ".join(notes), self._signature]


def _with_notes(record: Record) -> Record:
    """Return a record with its notes joined into one text, for the cell of a table."""
    return {**record, "notes": "; ".join(f"{name} {why}" for name, why in record["notes"].items())}


def _score_table(scores: dict[str, TagScores]) -> Iterator[str]:
    """Yield one row per system, then the reasons why values are undefined or 0."""
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    rows = [["", *(metric.label for metric in TAG_METRICS.values()), "BAD", "errors"]]
    for name, one in scores.items():
        shares = [f"{100 * count / one.tags:.1f} %" if one.tags else "–" for count in (one.bad, one.errors)]
        rows.append([harmless(name), *(shown(getattr(one, metric)) for metric in TAG_METRICS), *shares])
    yield from aligned(rows)
    for name, one in scores.items():
        yield from (f"{harmless(name)}: {reason}" for reason in _reasons(one))


def _reasons(scores: TagScores) -> Iterator[str]:
    """Yield each reason why values are undefined or 0. Each line begins with the labels of the metrics concerned."""
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    for reason in dict.fromkeys(scores.notes.values()):
        labels = ", ".join(TAG_METRICS[metric].label for metric, why in scores.notes.items() if why == reason)
        yield f"{labels} {reason}"


def _discrimination_table(rows: Sequence[Discrimination]) -> Iterator[str]:
    from latticemetric.evaluation.word_tags.discrimination import SYNTHETIC
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    yield "Share of pairs separated, and number of systems below each trivial baseline:"
    cells = [["", "d", "d top", "d bottom", *SYNTHETIC, "sum"]]
    for row in rows:
        shares = map(shown, (row.d, row.d_top, row.d_bottom))
        below = [str(row.below[kind]) for kind in SYNTHETIC]
        cells.append([TAG_METRICS[row.metric].label, *shares, *below, str(row.below_total)])
    yield from aligned(cells)
    for column, label in (("d", "d"), ("d_top", "d top"), ("d_bottom", "d bottom")):
        if getattr(rows[0], column) is None:
            yield f"{label} undefined: there are fewer than two systems"


def _pair_table(metric: Discrimination) -> Iterator[str]:
    """Yield the p-values of all pairs of systems, ordered by rank."""
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    yield f"{TAG_METRICS[metric.metric].label}: p-value of each pair, * if significant:"
    ranks = {name: rank for rank, (name, _) in enumerate(metric.ranking, start=1)}
    cells = {(pair.first, pair.second): shown(pair.p) + (" *" if pair.significant else "  ") for pair in metric.pairs}
    rows = [["", "", *(f"{rank}  " for rank in list(ranks.values())[1:])]]
    for name, score in metric.ranking:
        others = (cells.get((name, other), "") for other in list(ranks)[1:])
        rows.append([f"{ranks[name]} {harmless(name)}", shown(score), *others])
    yield from aligned(rows)


def _sampling_table(sampling: RepeatedSampling) -> Iterator[str]:
    from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

    rates = sorted({rate for test in sampling.tests for rate in (test.first, test.second)})
    listed = ", ".join(f"{100 * rate:g} %" for rate in rates)
    yield f"Samples needed to detect the difference between two of the error rates {listed}:"
    needed = sampling.needed()
    differences = list(next(iter(needed.values())))
    most = max(sampling.sizes)
    rows = [["", *(f"{100 * difference:g} %" for difference in differences)]]
    for name, row in needed.items():
        sizes = [f"> {most}" if number is None else str(number) for number in row.values()]
        rows.append([TAG_METRICS[name].label, *sizes])
    yield from aligned(rows)


class ThresholdTable(Table):
    """Scores of tags of lattices: one row per threshold of posteriors."""

    def __init__(self, evaluation: ConfidenceEvaluation, signature: str) -> None:
        self._evaluation, self._signature = evaluation, signature

    def text(self) -> Iterator[str]:
        """Yield a table, then the reasons why values are undefined or 0, with their thresholds."""
        from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

        sweep = self._evaluation.sweep
        rows = [["threshold", *(metric.label for metric in TAG_METRICS.values()), "BAD"]]
        reasons: dict[str, list[str]] = {}
        for row in sweep.rows:
            best = " *" if row == sweep.best else "  "
            scores = [shown(getattr(row.scores, name)) + (best if name == "f1_mult" else "") for name in TAG_METRICS]
            share = f"{100 * row.scores.bad / row.scores.tags:.1f} %" if row.scores.tags else "–"
            rows.append([f"{row.threshold:g}", *scores, share])
            for reason in _reasons(row.scores):
                reasons.setdefault(reason, []).append(f"{row.threshold:g}")
        yield from aligned(rows)
        for reason, thresholds in reasons.items():
            yield f"{reason}: at {', '.join(thresholds)}"

    def records(self) -> list[Record]:
        """Return a record for each threshold."""
        return [row.asdict() for row in self._evaluation.sweep.rows]

    @property
    def columns(self) -> list[str]:
        """The titles of the TSV columns."""
        return [*(name for name in self.records()[0] if name != "notes"), "notes"]

    def rows(self) -> Iterator[list[object]]:
        """Yield a row for each threshold."""
        return (values(_with_notes(record), self.columns) for record in self.records())

    def document(self) -> Iterator[str]:
        """Yield the JSON document.

        Fields:
            signature (str): The metric that aligns words.
            best (float | None): The threshold with the highest F1-mult, the lowest of equal ones.
            thresholds (list[TagScores]): Objects with `threshold` and scores, in increasing order.
        """
        yield as_json(self.totals())

    def totals(self) -> Record:
        """Return the numbers of all graphs: the fields of the JSON document."""
        evaluation, best = self._evaluation, self._evaluation.sweep.best
        sizes = {name: getattr(evaluation, name) for name in ("lattices", "failed", "words", "bad")}
        head = {"signature": self._signature, **sizes, "best": best and best.threshold}
        return {**head, "thresholds": self.records()}

    def plot(self, path: str) -> None:
        """Draw the scores against the thresholds."""
        from latticemetric.corpus.report.plots import draw_thresholds

        draw_thresholds(self._evaluation.sweep, path, "posterior")

    def summary(self) -> list[str]:
        """Return the numbers of lattices and words, and the signature."""
        evaluation = self._evaluation
        notes = [counted(evaluation.lattices, "lattice")]
        notes += [f"{evaluation.failed} failed"] if evaluation.failed else []
        share = f", {100 * evaluation.bad / evaluation.words:.1f} % BAD" if evaluation.words else ""
        return ["", f"{'; '.join(notes)}; {evaluation.words} words{share}; * best F1-mult", self._signature]
