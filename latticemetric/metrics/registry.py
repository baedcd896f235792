"""Registry of the metrics of this package (`4-grr`, `wer`, …) and of other packages."""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, TypeVar

from latticemetric import plugins
from latticemetric.errors import UsageError, reason_of, shortened
from latticemetric.likeness import nearest
from latticemetric.renamed import keywords_of, says_new_keywords, unknown_name

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

_SPEC = re.compile(r"(?:([0-9]{1,9})-)?(.+)")
_UNKNOWN_PARAMETER = re.compile(r"(?:unexpected keyword|multiple values for) argument '(\w+)'")

_factories: dict[str, tuple[Callable[..., Any], bool]] = {}

Factory = Callable[..., Any]
F = TypeVar("F", bound=Factory)


def register(name: str, *, ordered: bool = False) -> Callable[[F], F]:
    """Return a decorator that registers a factory (a class or function) of a metric.

    With `ordered`, users write the name as `N-name`, and N is the first argument of the factory.
    """

    def add(factory: F) -> F:
        if name in _factories:
            raise UsageError(f"there are two metrics named '{name}'", advice="give one of them another name")
        _factories[name] = (factory, ordered)
        return says_new_keywords(factory) if isinstance(factory, type) else factory

    return add


def load_plugins() -> None:
    """Import the metrics of other packages (plug-ins); warn if an import fails."""
    for name, problem in _load(lambda _: True).items():
        warnings.warn(f"metric plug-in '{name}' {problem}", stacklevel=2)


def _load(is_wanted: Callable[[str], bool]) -> dict[str, str]:
    """Import the plug-ins with these names; return why imports failed, by name."""
    problems = {}
    for entry in plugins.entries("metric"):
        key = entry.name.lower()  # as users may write it
        if is_metric(key) or key in _factories or not is_wanted(key):
            continue
        try:
            factory = _factory_of(entry.name, plugins.load("metric", entry))
            if key not in _factories:
                register(key)(factory)
        except (Exception, SystemExit) as error:  # noqa: BLE001  another package may raise anything
            problems[entry.name] = f"({plugins.origin(entry)}) {plugins.not_loading(error)}"
    return problems


def _factory_of(name: str, loaded: Any) -> Factory:
    """Return the factory of a plug-in, which may be a class, a factory, a metric, or a function of two texts.

    Its metrics have the name of the entry point.
    """
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.functions import metric_from_function, needs_texts

    if needs_texts(loaded):

        def make_function_metric(**parameters: Any) -> Any:
            return metric_from_function(loaded, name, parameters=parameters)

        return make_function_metric
    if isinstance(loaded, Metric):

        def make_same_metric() -> Any:
            return loaded

        return partial(_named, name, make_same_metric)
    if not callable(loaded):
        raise UsageError(
            f"it is an object of {type(loaded).__name__}", advice="name a metric, its class, or a function of two texts"
        )
    return partial(_named, name, loaded)


def _named(name: str, factory: Factory, **parameters: Any) -> Any:
    """Return the metric that a plug-in's factory makes, with the name of its entry point.

    Raises:
        UsageError: The factory fails, or makes no metric.
    """
    from latticemetric.metrics.base import Metric

    _refuse_unknown(name, factory, parameters)
    try:
        metric = factory(**parameters)
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, TypeError) and _UNKNOWN_PARAMETER.search(str(error)):
            raise
        what = reason_of(error) if isinstance(error, SystemExit) else f"{type(error).__name__}: {reason_of(error)}"
        raise UsageError(f"the metric plug-in '{name}' fails: {what}", advice="correct or remove it") from error
    if not isinstance(metric, Metric):
        raise UsageError(
            f"the metric plug-in '{name}' makes an object of {type(metric).__name__}, not a metric",
            advice="derive it from latticemetric.metrics.base.Metric, or name a function of two texts",
        )
    return renamed(metric, name)


def renamed(metric: Any, name: str) -> Any:
    """Return a copy of a metric with another name; the metric itself if it has this name."""
    if metric.name == name:
        return metric
    other = copy.copy(metric)
    vars(other).pop("_signatures", None)  # which have the old name
    kind: Any = type(metric)
    object.__setattr__(other, "__class__", _renamed_class(kind, name))
    return other


@lru_cache
def _renamed_class(kind: Any, name: str) -> type:
    def reduce(metric: Any) -> tuple[Any, ...]:
        """Pickle the metric under its own class, which can be imported."""
        original: Any = object.__new__(kind)
        vars(original).update({key: value for key, value in vars(metric).items() if key != "_signatures"})
        return renamed, (original, name)

    own = {"name": name, "__slots__": (), "__reduce__": reduce, "__module__": kind.__module__, "__doc__": kind.__doc__}
    return type(kind.__name__, (kind,), own)


def metric_names() -> list[str]:
    """Return the names of all metrics."""
    for name in _HOME:
        _load_own(name)
    load_plugins()
    return sorted(f"N-{name}" if ordered else name for name, (_, ordered) in _factories.items())


def is_metric(name: str) -> bool:
    """Check whether `name` (`wer`, `4-grr`) means a metric of this package, without importing it."""
    match = _SPEC.fullmatch(name.strip().lower())
    return match is not None and match[2] in OWN_METRICS


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
    match = _SPEC.fullmatch(spec.strip().lower())
    name = match[2] if match else ""
    _load_own(name)
    # Only the plug-in of this name, since others may be slow, or fail.
    problems = {} if name in _factories else _load(lambda plugin: plugin == name)
    if not match or name not in _factories or (match[1] is not None) != _factories[name][1]:
        why = "".join(f": plug-in '{plugin}' {problem}" for plugin, problem in problems.items())
        raise UsageError(f"there is no metric '{shortened(spec)}'{why}", advice=which_metric(spec))
    factory, ordered = _factories[name]
    leading = (int(match[1]),) if ordered else ()
    _refuse_unknown(spec, factory, parameters, len(leading))
    try:
        return factory(*leading, **parameters)
    except TypeError as error:
        # The name itself gives an argument that has several values, such as the order of 4-grr.
        unknown = _UNKNOWN_PARAMETER.search(str(error))
        if unknown is None:
            raise
        raise UsageError(
            f"metric '{spec}' has no parameter '{unknown[1]}'",
            advice="leave the parameter out, or choose another metric",
        ) from None


def which_metric(spec: str, *others: str) -> str:
    """Return the advice for an unknown name: the metric that is most similar or, if none is similar, all of them.

    Args:
        spec: The unknown name.
        others: Further names that are known.
    """
    order = re.search(r"[1-9]", spec)
    named = [name.replace("N-", f"{order[0] if order else 4}-") for name in metric_names()]
    meant = nearest(spec, [*others, *named])
    return f"choose one of {', '.join([*others, *metric_names()])}" if meant is None else f"did you mean '{meant}'?"


def _refuse_unknown(spec: str, factory: Factory, parameters: Mapping[str, Any], leading: int = 0) -> None:
    """Raise `UsageError` if a factory lacks a parameter; the name of the metric gives its `leading` ones."""
    if parameters and (known := keywords_of(factory)) is not None:
        known = known[leading:]
        if unknown := next((name for name in parameters if name not in known), None):
            raise unknown_name(f"metric '{spec}'", unknown, known, "parameter")


def _load_own(name: str) -> None:
    if name in _HOME and name not in _factories:
        import_module(f"latticemetric.metrics.{_HOME[name]}")
