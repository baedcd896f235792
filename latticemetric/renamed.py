"""Old names of options, keywords and public names of the package: errors for an old name say the new one."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import wraps
from typing import Any, TypeVar, cast

from latticemetric.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

# Each old name, with its new ones: the first one that a verb or a function has is meant.
OPTIONS = {
    "-r": ("--ratio",),
    "--by": ("--group-by",),
    "--mbr-method": ("--mbr-by",),
    "--method": ("--by",),
    "--metrics": ("--metric",),
    "--most-states": ("--most-drawn",),
    "--scale": ("--weights",),
    "--scales": ("--weights",),
    "--score": ("--also-score", "--metric"),
}
KEYWORDS = {
    "method": ("by",),
    "metric": ("by",),
    "metrics": ("metric",),
    "scale": ("posterior_scale", "weight"),
    "scales": ("weights",),
    "weights": ("system_weights", "evidence_weights"),
}
# Names that `latticemetric` no longer has, with what does their work now.
PUBLIC = {
    "ask_each": "Corpus.map",
    "calibration": "Corpus.calibrate",
    "corpus_oracle": "Corpus.oracle",
    "corrections": "Corpus.lists",
    "oracle_at_k": "Corpus.lists",
    "read_lists": "Corpus.from_records",
    "sweep": "Corpus.sweep",
    "tune_mbr": "Corpus.tune",
    "write_report": "Corpus.report",
}


def new_name(old: str, known: Container[str]) -> str | None:
    """Return the new name of an option (`--scale`) or a keyword (`scale`), among those that are `known`."""
    names = (OPTIONS if old.startswith("-") else KEYWORDS).get(old, ())
    return next((name for name in names if name in known), None)


def refuse_old_keyword(old: str, known: Container[str]) -> None:
    """Raise `UsageError` if a keyword is the old name of one that is `known`.

    Examples:
        >>> refuse_old_keyword("scale", ["posterior_scale", "beam"])
        Traceback (most recent call last):
        latticemetric.errors.UsageError: 'scale' is now 'posterior_scale'; give posterior_scale=…
    """
    if new := new_name(old, known):
        raise UsageError(f"'{old}' is now '{new}'", advice=f"give {new}=…")


def says_new_keywords(called: F) -> F:
    """Return a function, or a class, whose error for the old name of a keyword says the new one.

    The names are compared only after an error, so that a call costs little more, and that a setting of a plug-in may
    have a name that was a keyword once.

    Examples:
        >>> @says_new_keywords
        ... def cost(graph, weights=None): ...
        >>> cost("a", scales={})
        Traceback (most recent call last):
        latticemetric.errors.UsageError: 'scales' is now 'weights'; give weights=…
    """
    if isinstance(called, type):
        initialize = type.__getattribute__(called, "__init__")
        type.__setattr__(called, "__init__", says_new_keywords(initialize))
        return called

    @wraps(called)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return called(*arguments, **keywords)
        except (TypeError, UsageError):
            _refuse_old_keywords(called, keywords)
            raise

    return cast("F", call)


def _refuse_old_keywords(called: Callable[..., Any], keywords: Container[str]) -> None:
    from inspect import signature

    known = signature(called).parameters
    for old in KEYWORDS:
        if old in keywords and old not in known:
            refuse_old_keyword(old, known)
