"""Scores of texts under metrics (`score`); comparison of several systems, with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from typing import Any

from latticemetric.arguments import is_table, require_items
from latticemetric.display.frames import Tabular, as_plain, by_label, labels_of
from latticemetric.display.text import error_line
from latticemetric.errors import FormatError, UsageError, placed, shortened
from latticemetric.evaluation.error_analysis import ErrorAnalysis, error_analysis
from latticemetric.evaluation.intervals import (
    Interval,
    PairedBootstrap,
    Values,
    difference_columns,
    interval_of,
    or_none,
    paired_bootstrap_of,
    resampled_sums,
    value_of,
)
from latticemetric.evaluation.significance import Randomisation, randomisation_of, swapped_sums
from latticemetric.frozen import Frozen, Result
from latticemetric.likeness import Names, which_of
from latticemetric.line_ids import Lines, judge_lines, listed_names
from latticemetric.metrics.base import (
    GraphReferences,
    GraphText,
    Metric,
    Table,
    check_flags,
    graphs_of,
    listed_references,
    plain_sum,
    references_each,
    require_hypothesis,
)
from latticemetric.metrics.preparation import Preparation, Preparations
from latticemetric.metrics.reference_checks import check_corpus, require_same_labels
from latticemetric.metrics.registry import make_metric
from latticemetric.metrics.signature import Signature
from latticemetric.renamed import says_new_keywords

AnyMetric = Metric[Any]

_ERROR_RATES = ("wer", "cer")


@dataclass(frozen=True, eq=False)
class Tabled(Frozen):
    """The statistics of one named system under one metric: one row per segment."""

    system: str
    metric: AnyMetric
    table: Table
    signature: Signature

    @property
    def value(self) -> float:
        """The value of the whole test set; NaN if undefined."""
        return value_of(self.metric, self.table)

    def sentences(self) -> list[float | None]:
        """Return the sentence scores; `None` where undefined."""
        return list(map(or_none, self.metric.values(self.table).tolist()))

    def sums(self) -> dict[str, int | float]:
        """Return the summed statistics, by name."""
        return dict(zip(self.metric.columns, map(plain_sum, self.table.sum(axis=0).tolist()), strict=True))

    def error_line(self, owner: str = "") -> str | None:
        """Return the line `%WER 27.17 [ 25 / 92, 8 ins, 15 del, 2 sub ]`.

        Return `None` if the metric is not a word or character error rate (or weights substitutions), or the references
        have no words.
        """
        if self.metric.name not in _ERROR_RATES or getattr(self.metric, "substitution", 1) != 1:
            return None
        sums = self.sums()
        edits = [sums[name] for name in ("insertions", "deletions", "substitutions")]
        size = sums.get("matches_1", sums.get("matches", 0)) + sums["substitutions"] + sums["deletions"]
        return error_line(self.metric.name.upper(), sum(edits), size, edits, owner) if size else None


@dataclass(frozen=True)
class Comparison:
    """A comparison of a system with the first system.

    Attributes:
        difference: The system's value minus the first system's value; `None` if one is undefined.
        bootstrap: The difference on resamples of the segments; `None` without resamples.
        randomisation: The randomisation test of the difference; `None` without resamples.
    """

    difference: float | None
    bootstrap: PairedBootstrap | None
    randomisation: Randomisation | None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            p_randomisation (float | None): Two-sided p-value by approximate randomisation.
        """
        return {
            "difference": self.difference,
            **difference_columns(self.bootstrap),
            "p_randomisation": self.randomisation.p if self.randomisation else None,
        }


@dataclass(frozen=True)
class SystemScore:
    """A system's corpus value under one metric.

    Attributes:
        tabled: The system, the metric and the statistics.
        score: The corpus value; `None` if undefined.
        interval: The percentile interval of the value; `None` without resamples.
        comparison: The comparison with the first system; `None` for the first system.
    """

    tabled: Tabled
    score: float | None
    interval: Interval | None
    comparison: Comparison | None

    def asdict(self, *, short_signature: bool = False) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            system (str): The file, as given.
            metric (str): The name of the metric.
            low (float | None): The lower end of the interval; `None` without resamples, or if no resample has a value.
            high (float | None): The upper end.
            half_width (float | None): Half of the interval's width.
            undefined (int | None): Resamples without a value; `None` without resamples.
            statistics (Mapping): The summed columns of the metric, from which the value is computed.
            signature (str): The metric, its parameters, the preparation of the strings, and the version.
        """
        bounds = asdict(self.interval) if self.interval else {}
        return {
            "system": self.tabled.system,
            "metric": self.tabled.metric.name,
            "score": self.score,
            **{name: bounds.get(name) for name in ("low", "high", "half_width", "undefined")},
            "statistics": self.tabled.sums(),
            "comparison": self.comparison.asdict() if self.comparison else None,
            "signature": self.tabled.signature.format(short=short_signature),
        }


def tabulate(
    systems: Iterable[tuple[str, Sequence[Any]]], references: Sequence[Any], metrics: Sequence[AnyMetric]
) -> list[list[Tabled]]:
    """Return the statistics of each system under each metric: one list per system.

    Args:
        systems: Names and outputs: strings, or graphs if all metrics support them.
        references: The references of each segment, in a form that the metrics support.
        metrics: The metrics.
    """
    number = references_each(references)

    def tabled(system: str, hypotheses: Sequence[Any], metric: AnyMetric) -> Tabled:
        with placed(f"{shortened(system)}, {metric.name}"):
            return Tabled(system, metric, metric.table(hypotheses, references), metric.signature_for(number))

    return [[tabled(name, hypotheses, metric) for metric in metrics] for name, hypotheses in systems]


def corpus_scores(
    tabled: Sequence[Sequence[Tabled]], *, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> list[list[SystemScore]]:
    """Return corpus values of systems, with intervals, and compare each system with the first one.

    All systems and metrics use the same resamples and trials.

    Args:
        tabled: Statistics, one list per system, all for the same metrics and segments.
        resamples: The number of resamples, and of trials of the randomisation test; 0: no intervals and no tests.
        seed: The same seed draws and swaps the same segments.
        confidence: The share of resamples inside the interval.
    """
    first, *others = tabled or [[]]
    flat = [one for row in tabled for one in row]
    drawn: list[Values] = []  # for each element of `flat`, the values in all resamples
    # For each element of `flat` after the first system: the sums of the first system and of the element, in all trials.
    trials: list[tuple[Table, Table]] = []
    if resamples:
        sums = resampled_sums([one.table for one in flat], resamples, seed)
        drawn = [one.metric.values(own) for one, own in zip(flat, sums, strict=True)]
    if resamples and others:
        pairs = [(one.table, other.table) for row in others for one, other in zip(first, row, strict=True)]
        trials = swapped_sums(pairs, resamples, seed)
    scores = []
    for number, one in enumerate(flat):
        base = number % len(first)
        value, difference = one.value, one.value - first[base].value
        interval = interval_of(value, drawn[number], confidence) if resamples else None
        comparison, resampled, tested = None, None, None
        if resamples and number >= len(first):
            resampled = paired_bootstrap_of(difference, drawn[number] - drawn[base], confidence)
            before, after = map(one.metric.values, trials[number - len(first)])
            tested = randomisation_of(difference, after - before)
        if number >= len(first):
            comparison = Comparison(or_none(difference), resampled, tested)
        scores.append(SystemScore(one, or_none(value), interval, comparison))
    return [scores[begin : begin + len(first)] for begin in range(0, len(flat), max(1, len(first)))]


# ---- One test set ----


@dataclass(frozen=True, eq=False, repr=False)
class MetricScore(Result, Frozen):
    """The score of a test set under one metric.

    Attributes:
        name: The name of the metric.
        value: The corpus value; `None` if undefined.
        statistics: The summed statistics that give the value.
        signature: The metric, its parameters, the preparation of texts, and the version.
        higher_is_better: False if the metric counts errors.
        line: The line `%WER 27.17 [ 25 / 92, 8 ins, 15 del, 2 sub ]`, for `wer` and `cer`; else `None`.
        ids: The id of each segment, or its number from 1.
    """

    name: str
    value: float | None
    statistics: Mapping[str, int | float]
    signature: str
    higher_is_better: bool
    line: str | None
    ids: tuple[str, ...]
    _tabled: Tabled
    _texts: tuple[tuple[GraphText, ...], tuple[tuple[GraphText, ...], ...]]

    @property
    def segments(self) -> dict[str, float | None]:
        """The sentence scores by segment id; `None` where undefined."""
        return dict(zip(self.ids, self._tabled.sentences(), strict=True))

    @says_new_keywords
    def details(self, groups: Sequence[str | Sequence[str]] | None = None) -> ErrorAnalysis:
        """Count the words inserted, deleted and confused; see `error_analysis`."""
        return error_analysis(*self._texts, self._tabled.metric, groups=groups)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "metric": self.name,
            "score": self.value,
            "statistics": dict(self.statistics),
            "line": self.line,
            "signature": self.signature,
        }

    def __str__(self) -> str:
        return self.line or f"{self.name} {'–' if self.value is None else f'{self.value:.4f}'}"


@dataclass(frozen=True, repr=False)
class Scores(Result, Tabular):
    """The scores of a test set under several metrics, by name: `scores["wer"].value`.

    Iteration gives the scores; `"wer" in scores` tells if a metric was scored.
    """

    metrics: tuple[MetricScore, ...]

    def __getitem__(self, name: str) -> MetricScore:
        for score in self.metrics:
            if score.name == name:
                return score
        raise UsageError(
            f"'{shortened(str(name))}' was not scored", advice=which_of(name, (score.name for score in self.metrics))
        )

    def __contains__(self, name: object) -> bool:
        return any(name == (score.name if isinstance(name, str) else score) for score in self.metrics)

    def __iter__(self) -> Iterator[MetricScore]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def values(self) -> dict[str, float | None]:
        """The corpus values by metric name."""
        return {score.name: score.value for score in self.metrics}

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"scores": [score.asdict() for score in self.metrics]}

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record per metric: its name, value, statistics and signature."""
        return [
            {"metric": one.name, "score": one.value, **one.statistics, "signature": one.signature}
            for one in self.metrics
        ]

    def __repr__(self) -> str:
        return f"Scores({', '.join(map(str, self.metrics))})"

    def __str__(self) -> str:
        return "\n".join(map(str, self.metrics))


Hypotheses = GraphText | Sequence[GraphText] | Mapping[str, GraphText]
AnyReferences = GraphReferences | Sequence[GraphReferences] | Mapping[str, GraphReferences]


@says_new_keywords
def score(
    hypotheses: Hypotheses,
    references: AnyReferences,
    metric: str | AnyMetric | Sequence[str | AnyMetric] = "wer",
    *,
    lowercase: bool = False,
    tokenize: str | Mapping[str, str | None] | None = None,
    ignore: Collection[str] | str = (),
) -> Scores:
    """Score hypotheses against references by one or several metrics.

    Args:
        hypotheses: One text per segment, or a mapping from ids to texts, or a series of pandas with ids as its index; a
            single string is one segment.
        references: One reference per segment, or a list of references per segment, or a mapping from the same ids to
            references.
        metric: A name of a metric (`"wer"`), several names (`"wer,cer"`), a metric object, or a list of these.
        lowercase: Compare lower-cased texts.
        tokenize: A tokenizer of sacrebleu, for texts that are strings: `13a`, `intl`, `char`, `zh`, `none`, … A mapping
            gives tokenizers by metric: `{"bleu": "13a"}`.
        ignore: Words to remove from hypotheses and references, as for `Corpus.read`: a list, `"<s>,</s>"` or `"@FILE"`.

    Examples:
        >>> found = score(["the cat sat", "a dog"], ["the cat sat down", "the dog"], "wer,chrf")
        >>> found["wer"].value, round(found["chrf"].value, 4)
        (0.3333333333333333, 0.5692)
        >>> print(found["wer"])
        %WER 33.33 [ 2 / 6, 0 ins, 1 del, 1 sub ]
        >>> found["wer"].segments
        {'1': 0.25, '2': 0.5}
        >>> dict(found["wer"].details().total.confusions)
        {('the', 'a'): 1}
    """
    check_flags(lowercase=lowercase)
    chosen, preparations = _metrics(metric), Preparations(lowercase, tokenize, ignore=ignore)
    preparations.check(one.name for one in chosen)
    several = [preparations.of(one.name) for one in chosen]
    ids, said, expected = _test_set(hypotheses, references, raw=any(one.takes_only_texts for one in several))
    scores: dict[str, MetricScore] = {}
    for preparation in dict.fromkeys(several):
        alike = [each_metric for each_metric, own in zip(chosen, several, strict=True) if own == preparation]
        outputs, meant = said, expected
        if preparation:
            outputs = preparation.all_texts(said)
            meant = [preparation.all_texts(each) for each in expected]
            for note in preparation.unseen(chain(said, *expected)):
                _warn("ignore", note)
        (row,) = tabulate([("hypotheses", outputs)], meant, alike)
        texts = tuple(outputs), tuple(map(tuple, meant))
        scores |= {one.metric.name: _metric_score(one, preparation, ids, texts) for one in row}
    return Scores(tuple(scores[metric.name] for metric in chosen))


def _metrics(given: str | AnyMetric | Iterable[str | AnyMetric]) -> list[AnyMetric]:
    """Return the metrics of names, of comma-separated lists of names, and of metric objects."""
    if isinstance(given, type):
        raise UsageError(
            f"{given.__name__} is a class, not a metric", advice=f"give an object, like {given.__name__}()"
        )
    chosen = []
    if not isinstance(given, str | Metric):
        require_items(given, "metrics")
    for one in [given] if isinstance(given, str | Metric) else given:
        chosen += [make_metric(name.strip()) for name in one.split(",")] if isinstance(one, str) else [one]
    if not chosen:
        raise UsageError("no metric is given", advice="give at least one, like 'wer'")
    twice = [name for name, number in Counter(metric.name for metric in chosen).items() if number > 1]
    if twice:
        raise UsageError(f"metric '{twice[0]}' is given twice", advice="call `score` separately for each")
    return chosen


def _metric_score(
    tabled: Tabled,
    preparation: Preparation,
    ids: tuple[str, ...],
    texts: tuple[tuple[GraphText, ...], tuple[tuple[GraphText, ...], ...]],
) -> MetricScore:
    signed = replace(tabled, signature=preparation.signed(tabled.signature))
    return MetricScore(
        signed.metric.name,
        or_none(signed.value),
        signed.sums(),
        str(signed.signature),
        signed.metric.higher_is_better,
        signed.error_line(),
        ids,
        signed,
        texts,
    )


def _test_set(
    hypotheses: Any, references: Any, *, raw: bool
) -> tuple[tuple[str, ...], Sequence[GraphText], Sequence[Sequence[GraphText]]]:
    """Return the ids of the segments, their hypotheses, and the references of each."""
    hypotheses, references = _by_ids(hypotheses, references)
    if isinstance(hypotheses, Mapping) != isinstance(references, Mapping):
        raise UsageError("only one of hypotheses and references has ids", advice="give two mappings, or two lists")
    if isinstance(hypotheses, Mapping):
        for here, there, what in ((hypotheses, references, "reference"), (references, hypotheses, "hypothesis")):
            if lacking := [name for name in here if name not in there]:
                advice = Names(map(str, there)).advice_for(str(lacking[0]))
                raise UsageError(
                    f"segment '{shortened(str(lacking[0]))}' has no {what}",
                    advice=advice or "give a hypothesis and a reference for each id",
                )
        ids = tuple(map(str, references))
        if twice := [name for name, number in Counter(ids).items() if number > 1]:
            raise UsageError(f"two segments have the id '{shortened(twice[0])}'", advice="do not mix 1 and '1' as ids")
        said, expected = [hypotheses[name] for name in references], list(references.values())
    else:
        if isinstance(hypotheses, str):
            hypotheses, references = [hypotheses], [references]
        require_same_labels(hypotheses, references)
        said, expected = _listed(hypotheses, "hypotheses"), _listed(references, "references")
        _warn_of_ids(said, expected)
        ids = tuple(str(number) for number in range(1, len(said) + 1))
    said, expected = list(map(as_plain, said)), list(map(as_plain, expected))
    check_corpus(said, expected, raw=raw)
    for name, hypothesis in zip(ids, said, strict=False):
        if not isinstance(hypothesis, str):
            with placed(f"segment {shortened(name)}"):
                require_hypothesis(hypothesis, "the hypothesis")
    return ids, said, [_each(name, several) for name, several in zip_longest(ids, expected, fillvalue="")]


def _by_ids(hypotheses: Any, references: Any) -> tuple[Any, Any]:
    """Return two series of pandas as mappings if their labels are ids; and one series, if the other is a mapping."""
    labels = labels_of(hypotheses), labels_of(references)
    are_ids = [one is not None and bool(one) and all(isinstance(name, str) for name in one) for one in labels]
    if all(are_ids) or (are_ids[0] and isinstance(references, Mapping)):
        hypotheses = by_label(hypotheses, "hypotheses")
    if all(are_ids) or (are_ids[1] and isinstance(hypotheses, Mapping)):
        references = by_label(references, "references")
    if any(are_ids) and None in labels and not isinstance(hypotheses, Mapping) and not isinstance(references, Mapping):
        one, other = ("hypotheses", "references") if are_ids[0] else ("references", "hypotheses")
        what = f"the series has ids, but {other} have none, so texts are paired by order"
        _warn(one, f"{what}; give two series with ids, or two lists if the order is right")
    return hypotheses, references


def _warn(place: str, what: str) -> None:
    import logging

    logging.getLogger("latticemetric").warning("%s: %s", place, what)


def _warn_of_ids(hypotheses: Sequence[Any], references: Sequence[Any]) -> None:
    """Warn if texts begin with ids, or perhaps do, as lines of files do: in lists, these are words."""
    sides = {"hypotheses": hypotheses, "references": references}
    if not all(isinstance(text, str) for texts in sides.values() for text in texts):
        return
    texts = [Lines(name, texts) for name, texts in sides.items()]
    first = next((one for one in texts if one.seem_keyed), texts[0])
    place, what = first.name, f"texts seem to begin with ids ({listed_names(first.firsts)}), which count as words"
    with suppress(FormatError):
        verdict = judge_lines(texts)
        if not verdict.keyed:
            place, what = verdict.place, verdict.what
    if what:
        _warn(place, f"{what}; to pair texts by ids, give mappings")


def _listed(texts: Any, name: str) -> list[Any]:
    """Return the items of a list, an array or a column; raise an error for a table or a set."""
    if hasattr(texts, "to_pylist") and not is_table(texts):  # a column of Arrow
        return list(texts.to_pylist())
    require_items(texts, name)
    return list(texts)


def _each(segment: str, references: GraphReferences) -> list[GraphText]:
    """Return the references of a segment as a list."""
    if isinstance(references, str):
        return [references]
    with placed(f"segment {shortened(segment)}"):
        graphs_of(references)  # raises an error if these are not references
        return list(listed_references(references))
