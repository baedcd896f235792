"""Recognition rates in plain values, for the documents of shards."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.registry import make_metric


def metric_state(metric: GRR) -> dict[str, Any]:
    """All of a metric in plain values, for JSON."""
    penalties = {"alpha": str(Fraction(metric.alpha)), "beta": str(Fraction(metric.beta))}
    words = {"ignore": sorted(metric.ignore), "wildcard": sorted(metric.wildcard)}
    given = {name: value for name, value in words.items() if value}
    return {"spec": metric.name, "parameters": {**(penalties if type(metric) is GRR else {}), **given}}


def metric_of(state: Mapping[str, Any]) -> GRR:
    """The metric of these values."""
    metric = make_metric(state["spec"], **state["parameters"])
    assert isinstance(metric, GRR)
    return metric
