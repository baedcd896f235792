"""Calibrate a model's probabilities: fit the scale of its costs on graphs with references; test on other graphs.

Word confidences come from the alignment of word MBR (`word_mbr`). A word is right if sclite's alignment matches it with
a reference word. The expected errors of an answer are exact expectations over all paths of the graph, or estimates if
the search is too large (`expected`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric.arguments import require_items, require_list
from latticemetric.corpus.answer import Answer
from latticemetric.corpus.coordinate_search import Point, best_of, coordinate_search
from latticemetric.corpus.mbr_evidence import examples_of
from latticemetric.corpus.pairing import built
from latticemetric.display.progress import progress_bar
from latticemetric.errors import InputError, UsageError, placed
from latticemetric.evaluation.calibration import (
    BINS,
    ErrorCalibration,
    EventCalibration,
    Resampling,
    Values,
    error_calibration,
    event_calibration,
    log_probabilities,
)
from latticemetric.evaluation.intervals import ROUNDING
from latticemetric.formats.segments import read_recognised
from latticemetric.formats.streams.stream import warn
from latticemetric.frozen import Record, Result
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice.columns import Weights
from latticemetric.lattice.lattice import Lattice
from latticemetric.mbr_decoding.word import Aligner, search_words
from latticemetric.metrics.alignment import DELETION, MATCH
from latticemetric.metrics.base import GraphReference, GraphReferences, graphs_of, references_of
from latticemetric.metrics.preparation import Preparation
from latticemetric.metrics.recognition import WER
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.sclite import Sclite
from latticemetric.posterior.expected import expected
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.calibration_settings import CalibrationSettings
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run

_FEWEST_FOLDS = 2
_FOR_FORESTS = "calibrate lattices or n-best lists"
_ONE_ITEM_EACH = "give one item per graph: a reference, or a list of references"
_SCLITE = Sclite()

String = tuple[str, ...]


@dataclass(frozen=True)
class CalibrationReport(Record):
    """The calibration of a set of graphs: their probabilities, compared with the true outcomes.

    Attributes:
        utterances: The number of graphs.
        words: Calibration of word confidences; sclite's alignment decides which words are right. It has `count`,
            `happened` (number of right words), `mean` confidence, `nce`, `ece`, `brier`, `auc` and `bins`.
        sentences: The same for the probability that an answer has no errors; `None` for confidences from a file.
        errors: Expected and real errors of the answers: `utterances`, `expected` (WER), `rate` (WER), `difference`,
            `ece`, `squared_error` and `bins`; `None` for confidences from a file.
        inexact: The number of graphs whose expected errors are only estimates; `sentences` omits these graphs.
    """

    utterances: int
    words: EventCalibration
    sentences: EventCalibration | None
    errors: ErrorCalibration | None
    inexact: int = 0


class ScaleTrial(NamedTuple):
    """A scale that was tried, and its merit on the development set (larger is better).

    With the criterion `words`, the merit is the mean log2 probability of the true outcome of a word (right or wrong).
    With `errors`, it is minus the mean squared difference between the expected and the real errors of an utterance.

    Attributes:
        posterior_scale: The scale.
        merit: The merit.
    """

    posterior_scale: float
    merit: float


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """A fitted scale, and the quality of the probabilities at this scale.

    Attributes:
        posterior_scale: The best scale of costs on the development set.
        criterion: `words` maximizes the likelihood of right and wrong words (and so NCE); `errors` minimizes the
            squared difference between expected and real errors.
        answer: The evaluated words: `one-best` or `mbr`.
        development: Results on the development set at `posterior_scale`: optimistic, since the scale was fitted to this
            set.
        held_out: Results on the test set at `posterior_scale`. Without a test set, results of cross-validation: each
            fold is evaluated at the best scale of the other folds; `None` if there is only one graph.
        unscaled: Results on the graphs of `held_out` at scale 1.
        fold_scales: The scale of each fold; empty with a test set.
        trials: The scales tried on the whole development set, in ascending order: `posterior_scale` and `merit` (higher
            is better).
    """

    posterior_scale: float
    criterion: str
    answer: str
    development: CalibrationReport
    held_out: CalibrationReport | None
    unscaled: CalibrationReport
    fold_scales: tuple[float, ...]
    trials: tuple[ScaleTrial, ...]

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "posterior_scale": self.posterior_scale,
            "criterion": self.criterion,
            "answer": self.answer,
            "development": self.development.asdict(),
            "held_out": None if self.held_out is None else self.held_out.asdict(),
            "unscaled": self.unscaled.asdict(),
            "fold_scales": list(self.fold_scales),
            "trials": [trial._asdict() for trial in self.trials],
        }


def fitted(
    development: Sequence[TunedUtterance],
    test: Sequence[TunedUtterance] | None,
    asked: CalibrationSettings,
    *,
    watched: bool = False,
) -> Calibration:
    """Fit the scale of costs on a development set; on other graphs, compare probabilities with true outcomes.

    Args:
        development: The graphs and references of the development set.
        test: Those of the test set; `None` to use folds of the development set (cross-validation).
        asked: The settings.
        watched: True to show a progress bar: of the answers to graphs at the scales that are tried.

    Raises:
        InputError: All scales fit the words, or errors, of the development set equally well, for example because the
            graphs have no alternatives, or because all alternatives have the same cost.
    """
    bar = progress_bar(None, "answers at a scale") if watched else None
    with nullcontext() if bar is None else bar:
        return _fitted(development, test, asked, (lambda: None) if bar is None else bar.update)


def _fitted(
    development: Sequence[TunedUtterance],
    test: Sequence[TunedUtterance] | None,
    asked: CalibrationSettings,
    noted: Callable[[], object],
) -> Calibration:
    """Do the same as `fitted`; call `noted` for each answer at a scale."""
    grid, criterion, halvings = sorted(asked.posterior_scale), asked.criterion, asked.halvings
    utterances = _Utterances(development, asked, noted)
    drawn = Resampling(asked.resamples, asked.seed, asked.confidence)
    reporter = _Reporter(utterances, asked.bins, drawn)
    merits = utterances.fitted(range(len(utterances)), grid, criterion, halvings)
    if len(merits) > 1 and max(merits.values()) - min(merits.values()) <= ROUNDING:
        advice = "give graphs whose paths differ in cost, or a single scale, to calibrate without a fit"
        raise InputError(f"all scales fit the {criterion} equally well", advice=advice)
    best, judged = best_of(merits), reporter
    fold_scales: tuple[float, ...] = ()
    if test is not None:
        judged = reporter._replace(utterances=_Utterances(test, asked, noted))
    else:
        fold_scales = utterances.scales_of_folds(min(asked.folds, len(utterances)), grid, criterion, halvings)
    held_out_scales = fold_scales if test is None else (best,)
    held_out = judged.report(held_out_scales) if held_out_scales else None
    trials = tuple(ScaleTrial(at, merit) for at, merit in sorted(merits.items()))
    reports = reporter.report([best]), held_out, judged.report([1.0])
    return Calibration(best, criterion, asked.answer, *reports, fold_scales, trials)


def utterances_of(corpus: ReadCorpus, run: Run, *, tested: bool = False) -> Iterator[Answer]:
    """Yield one `Answer` per graph of a corpus with references; its value is an `TunedUtterance`."""
    pairs, ignored = corpus.required_pairs(run, removing=False).pairs, corpus.ignored
    for answer in examples_of(pairs, keep_going=run.keep_going, ignored=ignored):
        if answer.problem is None:
            example = answer.value
            utterance = TunedUtterance(example.graph, example.references, corpus.weights, ignored, tested)
            yield Answer(answer.name, utterance)
        else:
            yield answer


# ---- Utterances: the probabilities of a graph at a scale, and the true outcomes ----


class TunedUtterance(NamedTuple):
    """A graph, with what it is compared with and how its words are judged.

    Attributes:
        graph: The graph.
        references: The words of its references; or, for confidences from a file, words or graphs.
        weights: The weights of score columns in the model's cost.
        ignored: Words that do not count.
        tested: True for a graph of the test set.
    """

    graph: Graph
    references: Sequence[Any]
    weights: Weights | None = None
    ignored: frozenset[str] = frozenset()
    tested: bool = False


class _Words(NamedTuple):
    """The words of an answer without ignored words, their confidences, and True for each word that is right."""

    words: String
    probability: Values
    right: npt.NDArray[np.bool_]


class _Errors(NamedTuple):
    """The errors of an answer.

    Attributes:
        expected: The expected number of errors under the graph.
        perfect: The probability that there are no errors; `None` if `expected` is an estimate.
        errors: The real number of errors.
        words: The number of reference words.
    """

    expected: float
    perfect: float | None
    errors: int
    words: int


def _place(number: int) -> str:
    return f"graph {number + 1}"


class _Utterances:
    """Graphs and references of a development or test set. Results per graph and scale are cached."""

    def __init__(
        self, examples: Sequence[TunedUtterance], asked: CalibrationSettings, noted: Callable[[], object]
    ) -> None:
        if not examples:
            raise UsageError("there are no graphs to calibrate", advice="give at least one")
        self._lattices: list[Lattice] = []
        for number, example in enumerate(examples):
            with placed(_place(number)):
                self._lattices.append(as_lattice(example.graph, example.weights, advice=_FOR_FORESTS))
        self._asked, self._examples, self._noted = asked, examples, noted
        self._metric = WER(ignore=examples[0].ignored)
        self._references = [tuple(map(self._counted, references_of(one.references))) for one in examples]
        self._words: dict[tuple[int, float], _Words] = {}
        self._errors: dict[tuple[int, float], _Errors] = {}
        self._right: dict[tuple[int, String], npt.NDArray[np.bool_]] = {}

    def __len__(self) -> int:
        return len(self._lattices)

    def words(self, number: int, posterior_scale: float) -> _Words:
        """Return the words of the answer of a graph (by its number), with confidences and true outcomes."""
        key = number, posterior_scale
        if key in self._words:
            return self._words[key]
        self._noted()
        with placed(_place(number)):
            aligner = Aligner.of(self._lattices[number], posterior_scale, self._examples[number].weights)
            if self._asked.answer == "mbr":
                _, hypothesis, _ = search_words(aligner)
            else:
                lattice = aligner.lattice
                hypothesis = aligner.aligned(lattice.word[lattice.best_path(aligner.cost)])
        pairs = zip(hypothesis.words, hypothesis.confidences, strict=True)
        counted = [(word, p) for word, p in pairs if word not in self._metric.ignore]
        words = tuple(word for word, _ in counted)
        self._words[key] = _Words(words, np.array([p for _, p in counted]), self._are_right(number, words))
        return self._words[key]

    def errors(self, number: int, posterior_scale: float) -> _Errors:
        """Return the expected and the real errors of the answer of a graph (by its number)."""
        key = number, posterior_scale
        if key in self._errors:
            return self._errors[key]
        words = self.words(number, posterior_scale).words
        weights, most_states = self._examples[number].weights, self._asked.most_states
        settings: dict[str, Any] = {"weights": weights, "most_states": most_states}
        with placed(_place(number)):
            believed = expected(
                self._lattices[number], [words], self._metric, posterior_scale=posterior_scale, **settings
            )
        assert believed.numerator is not None
        counted = self._metric.statistics(words, self._references[number])
        shares = believed.distribution
        perfect = None if shares is None else min(1.0, shares.get(0, 0.0))
        errors = counted.substitutions + counted.deletions + counted.insertions
        size = int(self._metric.denominator(counted))
        self._errors[key] = _Errors(believed.numerator, perfect, int(errors), size)
        return self._errors[key]

    def scales_of_folds(self, folds: int, grid: Sequence[float], criterion: str, halvings: int) -> tuple[float, ...]:
        """Return the scale of each fold, fitted on the other folds; an empty tuple if there is only one fold."""
        if folds < _FEWEST_FOLDS:
            return ()
        others = [[k for k in range(len(self)) if k % folds != fold] for fold in range(folds)]
        return tuple(best_of(self.fitted(kept, grid, criterion, halvings)) for kept in others)

    def fitted(self, chosen: Sequence[int], grid: Sequence[float], criterion: str, halvings: int) -> dict[float, float]:
        """Fit the scale on the `chosen` utterances; return the merit of each scale that was tried."""
        given = {math.log2(one): one for one in grid}  # search in log2, but use the exact scales of the grid
        axis = list(given)

        def scale_of(point: Point) -> float:
            return float(given.get(point[0], 2.0 ** point[0]))

        def merits(points: Sequence[Point]) -> list[float]:
            return [self._merit(chosen, scale_of(point), criterion) for point in points]

        tried = coordinate_search(
            {"posterior_scale": axis}, merits, halvings, lambda point: axis[0] <= point[0] <= axis[-1]
        )
        return {scale_of(point): merit for point, merit in tried.items()}

    def _merit(self, chosen: Sequence[int], posterior_scale: float, criterion: str) -> float:
        if criterion == "errors":
            found = [self.errors(number, posterior_scale) for number in chosen]
            return -math.fsum((one.expected - one.errors) ** 2 for one in found) / len(found)
        words = [self.words(number, posterior_scale) for number in chosen]
        p, right = (np.concatenate([getattr(one, name) for one in words]) for name in ("probability", "right"))
        return float(log_probabilities(p, right).mean()) if len(p) else 0.0

    def _are_right(self, number: int, words: String) -> npt.NDArray[np.bool_]:
        key = number, words
        if key not in self._right:
            self._right[key] = right_words(words, self._references[number])[0]
        return self._right[key]

    def _counted(self, words: String) -> String:
        return tuple(word for word in words if word not in self._metric.ignore)


def right_words(
    hypothesis: Lattice | String, references: GraphReferences
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.integer[Any]]]:
    """Align a hypothesis with its best reference, as sclite does.

    Return two arrays with an entry per aligned word of the hypothesis: True if the word matches, and its arc.
    """
    found = []
    for reference in graphs_of(references):
        alignment, arcs = _SCLITE.align_arcs(hypothesis, reference)
        found.append((RecognitionStatistics.of_edits(alignment.edits, 1), alignment.edits, arcs))
    _, edits, arcs = max(found, key=lambda one: _MERIT(one[0]))
    return np.array([edit == MATCH for edit in edits if edit != DELETION], dtype=bool), arcs


_MERIT = WER().merit


class _Reporter(NamedTuple):
    """Utterances, and the settings of reports on them."""

    utterances: _Utterances
    bins: int
    drawn: Resampling

    def report(self, posterior_scales: Sequence[float]) -> CalibrationReport:
        """Report on all utterances; utterance k uses the scale with index k modulo the number of scales."""
        at_scales = [
            (number, posterior_scales[number % len(posterior_scales)]) for number in range(len(self.utterances))
        ]
        words = [self.utterances.words(number, posterior_scale) for number, posterior_scale in at_scales]
        errors = [self.utterances.errors(number, posterior_scale) for number, posterior_scale in at_scales]
        settings: dict[str, Any] = {"bins": self.bins, **self.drawn._asdict()}
        known = [one for one in errors if one.perfect is not None]
        return CalibrationReport(
            utterances=len(words),
            words=event_calibration(
                np.concatenate([one.probability for one in words]),
                np.concatenate([one.right for one in words]),
                np.repeat(np.arange(len(words)), [len(one.words) for one in words]),
                **settings,
            ),
            sentences=event_calibration(
                [one.perfect or 0.0 for one in known], [not one.errors for one in known], **settings
            ),
            errors=error_calibration(
                *(zip(*((e.expected, e.errors, e.words) for e in errors), strict=True)), **settings
            ),
            inexact=len(errors) - len(known),
        )


# ---- Confidences from files ----


def recognised_utterances(corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
    """Yield the words of a CTM file as graphs with confidences, each with its references.

    If the references are an STM file, cut the words into the segments of the STM file, as sclite does.
    """
    words, references = corpus.given_files()
    cut = read_recognised(words[0], references[0]) if len(words) == len(references) == 1 else None
    prepared = Preparation(lowercase=corpus.reading.lowercase)

    def utterance(graph: Graph, several: Iterable[GraphReference]) -> TunedUtterance:
        graph = prepared.graph(graph) if isinstance(graph, Lattice) else graph
        return TunedUtterance(
            graph,
            [prepared.graph(one) if isinstance(one, Lattice) else prepared.words(" ".join(one)) for one in several],
        )

    if cut is not None:
        yield from (Answer(one.name, utterance(one.words, [one.reference])) for one in cut)
        return
    for pair in corpus.required_pairs(run).pairs:
        try:
            with built(pair) as (graph, several):
                yield Answer(pair.name, utterance(graph, several))
        except InputError as error:
            if not run.keep_going:
                raise
            yield Answer(pair.name, None, error)


@says_new_keywords
def confidence_calibration(
    graphs: Iterable[Graph],
    references: Sequence[GraphReferences],
    *,
    bins: int = BINS,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> CalibrationReport:
    """Compare the confidences of recognised words (in CTM files) with their accuracy by sclite's alignment.

    NCE is computed as in NIST's sclite. No scale is fitted, and the report has no results for whole utterances.

    Args:
        graphs: Lattices with the label `confidence`, as read from CTM files; alternatives are resolved as in sclite.
        references: One or several references per graph; they may be graphs.
        bins: Number of bins of the reliability diagram.
        resamples: Number of resamples of utterances for intervals; 0: no intervals.
        seed: The seed of the resamples.
        confidence: The share of resamples inside an interval.
    """
    probability: list[float] = []
    right: list[bool] = []
    owner: list[int] = []
    require_items(graphs, "graphs")
    listed = list(graphs)
    require_list(references, "references")
    if len(listed) != len(references):
        raise UsageError(f"there are {len(listed)} graphs, but {len(references)} references", advice=_ONE_ITEM_EACH)
    for number, (graph, several) in enumerate(zip(listed, references, strict=True)):
        with placed(_place(number)):
            lattice = as_lattice(graph, advice="give words with confidences, as in a CTM file")
            matched, arcs = right_words(lattice, several)
            probability += _confidences(lattice, arcs.tolist())
        right += matched.tolist()
        owner += [number] * len(matched)
    if outside := sum(not 0 <= value <= 1 for value in probability):
        warn("confidences", f"{outside} of {len(probability)} are outside 0 … 1, and count as 0 or 1 as in sclite")
    probability = [min(1.0, max(0.0, value)) for value in probability]
    words = event_calibration(
        probability, right, owner, bins=bins, resamples=resamples, seed=seed, confidence=confidence
    )
    return CalibrationReport(len(listed), words, sentences=None, errors=None)


def _confidences(lattice: Lattice, arcs: Sequence[int]) -> list[float]:
    """Return the confidences of arcs."""
    labels = lattice.labels.get("confidence")
    found = []
    for arc in arcs:
        text = "" if labels is None else labels.vocabulary.word(int(labels.arc[arc]))
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            word = lattice.vocabulary.word(int(lattice.word[arc]))
            raise InputError(
                f"the word '{word}' has no confidence", advice="give words with confidences: a CTM with 6 fields"
            )
        found.append(value)
    return found
