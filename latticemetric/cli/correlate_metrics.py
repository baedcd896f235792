"""Which metrics `latticemetric correlate` is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latticemetric.cli import options
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.evaluation.scoring import AnyMetric

_ALL_METRICS = (
    "nist,nist-stem,bleu,bleu-stem,bleu-sbp,precision,precision-stem,recall,recall-stem,f1,f1-stem,fmean,fmean-stem,"
    "meteor,wer,wrr,4-grr"
)


def chosen_metrics(chosen: dict[str, Any]) -> tuple[list[AnyMetric], tuple[str, ...]]:
    """The metrics, and which of them are left out that nobody asked for by name, and why."""
    metrics = options.metric_list(chosen["metrics"] or [_ALL_METRICS])
    notes = () if chosen["metrics"] else _without_wordnet()
    if notes:
        metrics = [metric for metric in metrics if metric.name != "meteor"]
    single(chosen["unigram"], "--unigram")
    baseline(metrics, chosen["baseline"])
    return with_length(metrics, chosen["effective_length"]), notes


def _without_wordnet() -> tuple[str, ...]:
    """Why METEOR is to be left out; nothing where it is not."""
    from latticemetric.errors import MissingDependencyError
    from latticemetric.metrics.wordnet import wordnet

    try:
        wordnet()
    except MissingDependencyError as error:
        return (f"meteor: left out, as {error}",)
    return ()


def with_length(metrics: list[AnyMetric], length: str | None) -> list[AnyMetric]:
    """The metrics, those of several references' lengths with this one."""
    from dataclasses import replace

    if length is None:
        return metrics
    return [
        replace(metric, effective_length=length) if hasattr(metric, "effective_length") else metric  # type: ignore[type-var]
        for metric in metrics
    ]


def baseline(metrics: list[AnyMetric], name: str | None) -> str:
    """The name of the metric that others are compared with: the first, if none is named."""
    names = [metric.name for metric in metrics]
    if name is None:
        return names[0]
    found: str = single(name, "--baseline").name
    if found not in names:
        raise UsageError(f"{name} is not among the metrics", where="--baseline", advice=f"choose {', '.join(names)}")
    return found


def single(name: str, option: str) -> AnyMetric:
    """The one metric that an option names."""
    found: list[AnyMetric] = options.metric_list([name])
    if len(found) != 1:
        raise UsageError(f"'{name}' names several metrics", where=option, advice="name one")
    return found[0]
