"""Registry of the metrics of this package (`4-grr`, `wer`, …) and of other packages."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from latticemetric.errors import UsageError, shortened

_ENTRY_POINTS = "latticemetric.metrics"

# The modules of this package's metrics, imported when needed.
_HOME = {
    **dict.fromkeys(("grr", "wrr", "wer"), "recognition"),
    **dict.fromkeys(("bleu", "bleu-sbp", "bleu-stem", "bleu-sbp-stem"), "bleu"),
    **dict.fromkeys(("nist", "nist-stem"), "nist"),
    "meteor": "meteor",
    "sclite": "sclite",
    **dict.fromkeys(("cer", "gcr", "mixed-er"), "character_rates"),
    **dict.fromkeys(("mer", "wil", "wip"), "error_rates"),
    **dict.fromkeys(("chrf", "chrf++"), "chrf"),
    "ter": "ter",
    "compound-wer": "compounds",
    **{kind + end: "unigram" for kind in ("precision", "recall", "f1", "fmean") for end in ("", "-stem")},
}

OWN_METRICS = frozenset(_HOME)

_factories: dict[str, tuple[Callable[..., Any], bool]] = {}

Factory = Callable[..., Any]


def register(name: str, *, ordered: bool = False) -> Callable[[Factory], Factory]:
    """Return a decorator that registers a factory (a class or function) of a metric.

    With `ordered`, users write the name as `N-name`, and N is the first argument of the factory.
    """

    def add(factory: Factory) -> Factory:
        if name in _factories:
            raise UsageError(f"there are two metrics named '{name}'", advice="give one of them another name")
        _factories[name] = (factory, ordered)
        return factory

    return add


def load_plugins() -> None:
    """Import the metrics of other packages (plug-ins); warn if an import fails."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=_ENTRY_POINTS):
        if entry.name in OWN_METRICS or entry.name in _factories:
            continue
        try:
            factory = entry.load()
            if entry.name not in _factories:
                register(entry.name)(factory)
        except Exception as error:  # noqa: BLE001  another package may raise anything
            warnings.warn(f"metric plug-in '{entry.name}' ({entry.value}) does not load: {error}", stacklevel=2)


def metric_names() -> list[str]:
    """Return the names of all metrics."""
    for name in _HOME:
        _load_own(name)
    load_plugins()
    return sorted(f"N-{name}" if ordered else name for name, (_, ordered) in _factories.items())


def make_metric(spec: str, **parameters: Any) -> Any:
    """Return the metric with the name `spec`.

    Args:
        spec: The name of a metric: `wrr`, `wer`, `4-grr`, `bleu`, …
        **parameters: Parameters of the metric.

    Examples:
        >>> make_metric("3-grr", alpha=0.5).name
        '3-grr'
    """
    if not isinstance(spec, str):
        raise UsageError(f"{spec!r} is not the name of a metric", advice="give a name like 'wer'")
    match = re.fullmatch(r"(?:([0-9]{1,9})-)?(.+)", spec.strip().lower())
    name = match[2] if match else ""
    _load_own(name)
    if name not in _factories:
        load_plugins()
    if not match or name not in _factories or (match[1] is not None) != _factories[name][1]:
        raise UsageError(f"there is no metric '{shortened(spec)}'", advice=f"choose one of {', '.join(metric_names())}")
    factory, ordered = _factories[name]
    leading = (int(match[1]),) if ordered else ()
    try:
        return factory(*leading, **parameters)
    except TypeError as error:
        # The name itself gives an argument that has several values, such as the order of 4-grr.
        unknown = re.search(r"(?:unexpected keyword|multiple values for) argument '(\w+)'", str(error))
        if unknown is None:
            raise
        raise UsageError(
            f"metric '{spec}' has no parameter '{unknown[1]}'",
            advice="leave the parameter out, or choose another metric",
        ) from None


def _load_own(name: str) -> None:
    if name in _HOME and name not in _factories:
        import_module(f"latticemetric.metrics.{_HOME[name]}")
