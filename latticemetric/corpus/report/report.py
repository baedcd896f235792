"""Collect the results of many graphs in a report: totals, rates, and the JSON data for the page's scripts."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from latticemetric.cached import cached_property
from latticemetric.corpus.expectations import ExpectationAnswer, ExpectationTotals
from latticemetric.corpus.report.charts import paths
from latticemetric.corpus.report.corrections import CORRECTED, CorrectedLists, CorrectedText
from latticemetric.corpus.report.errors import error_groups
from latticemetric.corpus.report.options import ReportOptions
from latticemetric.corpus.review import (
    MBR,
    ONE_BEST,
    ORACLE,
    SIDES,
    DrawnArc,
    MBRAnswer,
    Review,
    ReviewSettings,
    Sketch,
)
from latticemetric.corpus.sweep import Score, Sweep, SweepSettings, Swept
from latticemetric.display.text import shown_unit, visible
from latticemetric.drawing.diagram import FOREST
from latticemetric.drawing.layout import layered_layout
from latticemetric.drawing.picture import Picture, PlacedText, Shape
from latticemetric.evaluation.intervals import Interval
from latticemetric.evaluation.segment_groups import AnyId
from latticemetric.frozen import Frozen
from latticemetric.metrics.alignment import DELETION, SUBSTITUTION
from latticemetric.metrics.base import Table, common_number, references_each
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.scored_path import ScoredPath

_LENGTHS = 5
# The largest whole number that scripts hold exactly; large enough for sorting.
_LARGEST = 2**53
_COUNTS = ("matches", "substitutions", "deletions", "insertions")
_SIDES = {"oracle": "oracle", "1-best": "one_best", "mbr": "mbr"}


class Failure(NamedTuple):
    """A graph without a result: its name, its place in the input, and the reason."""

    name: str
    where: str
    reason: str


@dataclass(frozen=True, eq=False)
class SideTotal(Frozen):
    """The totals of one side of a report: of the oracles, of the 1-bests, or of the MBR answers.

    Attributes:
        side: `oracle`, `one_best` or `mbr`.
        total: The metric's value and the summed statistics.
        table: Statistics for `bootstrap`, one row per graph; all sides have the same rows.
    """

    side: str
    total: Score
    table: Table = field(repr=False, compare=False)


@dataclass
class Report:
    """A report: totals, utterances, and drawings of the graphs with the most headroom.

    Attributes:
        references: Number of references per graph; `None` to count the references.
        normalize: The steps that rewrote graphs and references (such as `lc+13a+english`), for signatures.
        corrected: Corrected texts, one per graph, if all graphs are n-best lists.
        undecoded: Number of graphs that MBR could not decode.
    """

    review: ReviewSettings
    options: ReportOptions
    references: int | str | None = None
    normalize: str | None = None
    corrected: CorrectedLists | None = None
    lattices: int = 0
    undecoded: int = 0
    methods: set[str] = field(default_factory=set)
    utterances: list[dict[str, Any]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    rates: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    densities: list[tuple[float, float]] = field(default_factory=list)
    sketched: int = 0
    expectation: ExpectationTotals = field(default_factory=ExpectationTotals)
    _ids: list[AnyId] = field(default_factory=list)
    _sketches: list[tuple[float, int, Sketch]] = field(default_factory=list)
    _swept: list[Swept] = field(default_factory=list)
    _rows: list[dict[str, list[list[int]]]] = field(init=False)
    _strings: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows = [{side: [] for side in SIDES} for _ in self.review.metrics]

    def add_all(self, reviews: Iterable[Review]) -> None:
        """Add the results of graphs; only one result is in memory at a time."""
        for review in reviews:
            place, item = len(self.utterances), utterance(review)
            self._ids.append(review.segment or review.name)
            if self.review.points.nbest and review.swept.kept:
                item["at_k"] = self._at_k(review.swept)
            if self.review.further and "sides" in item:
                item["further"] = self._further(review)
            if self.corrected is not None and "sides" in item:
                self._add_corrected(item, self.corrected.texts[place], review)
            self._add_statistics(review)
            self.utterances.append(item)
            if review.problem is not None:
                self.failures.append(Failure(item["id"], visible(review.where), item["error"]))
            self._add_rates(item)
            gap, dense = _headroom(review), _density(review)
            if gap is not None and dense is not None:
                self.densities.append((dense, gap))
            if review.sketch is not None:
                self._add_sketch(gap or 0.0, place, review.sketch)

    def _add_rates(self, item: dict[str, Any]) -> None:
        """Keep the rate of each side of a graph by each metric, for the charts."""
        own = {side: answer["score"] for side, answer in item.get("sides", {}).items()}
        for name, sides in ({self.review.metric.name: own} | item.get("further", {})).items():
            of_metric = self.rates.setdefault(name, {})
            for side, score in sides.items():
                if score is not None:
                    of_metric.setdefault(side, []).append(float(score))

    def _add_corrected(self, item: dict[str, Any], text: CorrectedText, review: Review) -> None:
        """Add a corrected text to the data of its list, with its scores by other metrics."""
        item["sides"][CORRECTED] = _side(text)
        for metric in self.review.further:
            item["further"][metric.name][CORRECTED] = metric.score(text.words, list(review.references))
        if self.review.scorer is not None:
            references: list[Any] = list(map(self.review.scorer.kept, review.references))
            item["scores"] = {
                metric.name: {**item["scores"][metric.name], CORRECTED: metric.score(text.words, references)}
                for metric in self.review.scorer.metrics
            }

    def _add_sketch(self, gap: float, place: int, sketch: Sketch) -> None:
        """Keep the drawing while its graph is among the graphs with the most headroom (ties: the first)."""
        self.sketched += 1
        heapq.heappush(self._sketches, (gap, -place, sketch))
        if len(self._sketches) > self.options.most_graphs:
            heapq.heappop(self._sketches)

    def _further(self, review: Review) -> dict[str, dict[str, float | None]]:
        """Return the rate of each side of a graph by each further metric."""
        each = zip(self.review.further, review.further, strict=True)
        return {metric.name: {side: metric.value(one) for side, one in sides.items()} for metric, sides in each}

    def _at_k(self, swept: Swept) -> list[list[Any]]:
        """Return each n-best size k of the sweep, with the rate of the oracle of the first k strings."""
        points = zip(self.review.points.listed(), swept.kept, strict=True)
        return [[at, self.review.metric.value(kept.statistics)] for (kind, at), kept in points if kind == "nbest"]

    def _add_statistics(self, review: Review) -> None:
        self._swept.append(review.swept)
        self.undecoded += review.mbr_problem is not None
        if self.review.expected:
            answer = ExpectationAnswer(review.name, review.expected, review.oracle, missed=review.swept.missed)
            self.expectation += ExpectationTotals.of(answer, self.review.metric)
        if review.oracle is not None:
            self.lattices += 1
        if review.mbr is not None:
            self.methods.add(review.mbr.method)
        for rows, statistics in zip(self._rows, review.statistics, strict=False):  # none without references
            for side, one in statistics.items():
                rows[side].append(one.as_columns())
        if self.review.scorer is not None and review.references:
            kept = tuple(map(self.review.scorer.kept, review.references))
            self._strings.append({side: review.words(side) for side in SIDES} | {"references": kept})

    def groups(self) -> dict[str, list[str]]:
        """Return the group of each utterance by speaker and by file; see `error_groups`."""
        return error_groups(self._ids, self.options.speakers)

    def sketches(self) -> dict[int, Sketch]:
        """Return the graphs to draw, by the index of their utterance."""
        return {-place: one for _, place, one in sorted(self._sketches, key=lambda kept: -kept[1])}

    @cached_property
    def sides(self) -> list[list[SideTotal]]:
        """By metric: the corpus values of oracles, MBR answers and 1-bests; read them after all graphs are added."""
        each = zip(self.review.metrics, self._rows, strict=True)
        return [[self._total(side, metric, rows[side]) for side in self._totalled] for metric, rows in each]

    @property
    def _totalled(self) -> tuple[str, ...]:
        """The sides that have totals: a total of MBR needs the answers of all graphs."""
        decoded = self.review.decoding is not None and not self.undecoded and self.lattices > 0
        return (ORACLE, MBR, ONE_BEST) if decoded else (ORACLE, ONE_BEST)

    def _total(self, side: str, metric: GRR, rows: list[list[int]]) -> SideTotal:
        table = np.array(rows, dtype=np.float64).reshape(-1, len(metric.columns))
        counts = RecognitionStatistics.of_columns(table.sum(axis=0).astype(int).tolist())
        return SideTotal(side, metric.corpus_score(counts, self.references or 1), table)

    @cached_property
    def scores(self) -> dict[str, dict[str, float | None]]:
        """By side: the score of each string metric; read them after all graphs are added."""
        metrics = () if self.review.scorer is None else self.review.scorer.metrics
        references = [list(row["references"]) for row in self._strings]
        return {
            side: {one.name: one.corpus([row[side] for row in self._strings], references).score for one in metrics}
            for side in self._totalled
        }

    @cached_property
    def sweep(self) -> Sweep:
        """The sweep, with bins of reference lengths; read it only after all graphs are added."""
        borders = tuple(_borders([swept.length for swept in self._swept if swept.length is not None]))
        settings = SweepSettings(self.review.metric, self.review.points, borders, self.references, self.normalize)
        return settings.sweep(self._swept)

    def signatures(self) -> dict[str, str]:
        """Return the signatures of further rates and of string metrics, by name."""
        given = self.references or common_number(one.references for one in self._swept if one.kept)
        rates = self.review.further
        further = {rate.name: str(rate.signature_for(given).also(norm=self.normalize)) for rate in rates}
        scorer = self.review.scorer
        if scorer is None:
            return further
        read = references_each([list(row["references"]) for row in self._strings])
        return further | {metric.name: scorer.signature(metric, given, read) for metric in scorer.metrics}

    @cached_property
    def headroom(self) -> list[Interval]:
        """By metric: the rate of the oracles minus the rate of the 1-bests, with an interval from paired resamples."""
        found = []
        for metric, sides in zip(self.review.metrics, self.sides, strict=True):
            tables = {side.side: side.table for side in sides}
            found.append(self.options.difference(metric, tables[ONE_BEST], tables[ORACLE]))
        return found


def _borders(lengths: Sequence[float]) -> list[float]:
    """Return the upper ends of length bins with about equally many utterances; `[]` if all lengths are equal."""
    ordered = sorted(lengths)
    if not ordered or ordered[0] == ordered[-1]:
        return []
    ends = [ordered[round(k * len(ordered) / _LENGTHS) - 1] for k in range(1, _LENGTHS) if len(ordered) >= _LENGTHS]
    return sorted({float(int(end)) for end in ends} - {ordered[-1]})


# ---- The data that the page's scripts read ----


def utterance(review: Review) -> dict[str, Any]:
    """Return the data of one utterance, without its drawing.

    References are lists of words. Each side (oracle, 1-best and MBR answer) has its `words` and the `edits` of its
    alignment with the reference. `expected` has the reference words that are replaced or deleted; `hypothesis` has the
    aligned words or characters of the side, if they differ from `words`. `Report.add_all` adds corrected texts.
    """
    common: dict[str, Any] = {"id": visible(review.name), "references": [_shown(words) for words in review.references]}
    if review.oracle is None:
        return {**common, "error": visible(str(review.problem))}
    best, size = review.oracle, review.size
    assert size is not None
    sides = {ORACLE: _side(best), ONE_BEST: _side(best.one_best)}
    if review.mbr is not None:
        sides[MBR] = _side(review.mbr) | {"method": review.mbr.method, "distance": review.mbr.distance}
    item = {
        **common,
        "length": review.swept.length,
        "headroom": _headroom(review),
        "density": _density(review),
        "kind": size.kind,
        "states": size.states,
        "arcs": size.arcs,
        "paths": paths(size.paths),
        "best_paths": [min(review.best_paths or _LARGEST, _LARGEST), paths(review.best_paths)],
        "exact": best.exact,
        "sides": sides,
    }
    if review.expected is not None:
        rate = review.expected
        item["expected"] = [rate.value, rate.low, rate.high, rate.exact]
    if review.mbr_problem is not None:
        item["mbr_problem"] = visible(str(review.mbr_problem))
    return item if review.scores is None else {**item, "scores": review.scores}


def _headroom(review: Review) -> float | None:
    """Return the absolute difference between the rates of a graph's oracle and 1-best; `None` if undefined."""
    if review.oracle is None or review.oracle.score is None or review.oracle.one_best.score is None:
        return None
    return abs(review.oracle.score - review.oracle.one_best.score)


def _density(review: Review) -> float | None:
    """Return the number of arcs with a word, divided by the number of reference words; `None` if undefined."""
    whole = review.swept.kept[-1].word_arcs if review.swept.kept else None
    return whole / review.swept.length if whole is not None and review.swept.length else None


def _side(path: ScoredPath | MBRAnswer | CorrectedText) -> dict[str, Any]:
    counts = path.statistics.asdict()
    side = {
        "score": path.score,
        "fraction": [path.numerator, path.denominator],
        "counts": [counts[name] for name in _COUNTS],
        "words": _shown(path.words),
        "edits": path.alignment.edits,
        # Only reference words that are replaced or deleted; all others equal the aligned words of this side.
        "expected": _cells(
            path, (r or "" for edit, r, _ in path.alignment.steps() if edit in {SUBSTITUTION, DELETION})
        ),
    }
    if path.alignment.hypothesis != path.words:  # some words do not count, or the alignment is of characters
        side["hypothesis"] = _cells(path, path.alignment.hypothesis)
    return {**side, "cost": path.cost} if isinstance(path, ScoredPath) else side


def _cells(path: ScoredPath | MBRAnswer | CorrectedText, words: Iterable[str]) -> list[str]:
    return _shown(words if path.alignment.of_words else map(shown_unit, words))


def _shown(words: Iterable[str]) -> list[str]:
    return [visible(word) for word in words]


def drawing(sketch: Sketch) -> dict[str, Any]:
    """Lay out a sketch; return the data of the drawing for the page's scripts.

    The data have these fields, among others:

    - `paths`: the names of the highlighted paths (oracle, 1-best, MBR), in the order of their numbers.
    - `vertices`: for each vertex, `[x, y, width, height, shape, text, detail, paths]`.
    - `links`: for each link, `[points, paths, label, source, target]`. `points` has the coordinates of a `Curve`; the
      label is `[x, y, text]` or `None`.
    - `arcs`: for each arc of a lattice (a link) or edge of a forest (a vertex), `[text, cost, posterior, scores,
      expected rate]`, without the expected rate if it is unknown.
    - `edges`: for a forest, the number of the first vertex that is an edge.
    """
    diagram, picture = sketch.diagram, layered_layout(sketch.diagram)
    columns = list(sketch.arcs[0].scores) if sketch.arcs else []
    # The picture's labels are in the order of the labelled links.
    texts = iter([[*_rounded(text.x, text.y), text.text] for text in picture.texts if text.role == "label"])
    labels = [next(texts) if link.label else None for link in diagram.links]
    return {
        "paths": [_SIDES[name] for name in picture.paths],
        "notes": [*diagram.omissions, *diagram.notes],
        "columns": [visible(name) for name in columns],
        "edges": len(diagram.vertices) - len(sketch.arcs) if diagram.kind == FOREST else None,
        "vertices": [
            [
                *_rounded(shape.x, shape.y, shape.width, shape.height),
                *(shape.kind, visible(vertex.text), "" if diagram.kind == FOREST else visible(vertex.detail)),
                list(vertex.paths),
            ]
            for shape, vertex in zip(picture.shapes, diagram.vertices, strict=True)
        ],
        "links": [
            [
                _rounded(*(value for point in curve.points for value in point)),
                *(list(curve.paths), label, link.source, link.target),
            ]
            for curve, label, link in zip(picture.curves, labels, diagram.links, strict=True)
        ],
        "arcs": [_arc_details(arc, columns) for arc in sketch.arcs],
        "box": _box(picture),
    }


def _arc_details(arc: DrawnArc, columns: Sequence[str]) -> list[Any]:
    posterior = None if arc.posterior is None else float(f"{arc.posterior:.4g}")
    scores = [float(f"{arc.scores[name]:.6g}") for name in columns]
    details = [visible(arc.text), float(f"{arc.cost:.6g}"), posterior, scores]
    return details if arc.expected is None else [*details, float(f"{arc.expected:.4g}")]


def _box(picture: Picture) -> list[float]:
    """Return the area of a drawing without its legend; the page shows the legend separately."""
    covering: list[Shape | PlacedText] = [*picture.shapes, *(text for text in picture.texts if text.role != "note")]
    covered = [thing.rectangle for thing in covering]
    points = [point for curve in picture.curves for point in curve.points]
    left = min([*(one.left for one in covered), *(point.x for point in points)])
    top = min([*(one.top for one in covered), *(point.y for point in points)])
    right = max([*(one.right for one in covered), *(point.x for point in points)])
    bottom = max([*(one.bottom for one in covered), *(point.y for point in points)])
    return _rounded(left, top, right - left, bottom - top)


def _rounded(*values: float) -> list[float]:
    return [int(r) if (r := round(value, 1)).is_integer() else r for value in values]
