"""Wrong names of options and keywords: errors say the new name of an old one, or the name that was meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from latticemetric.errors import UsageError, shortened

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
MOVED = {("mbr", "--tune"): "latticemetric tune GRAPHS REFERENCES --decoder mbr"}
"""By verb and option, the command that does the work of an option now."""
KEYWORDS = {
    "by": ("decoder",),
    "method": ("by",),
    "metric": ("by",),
    "metrics": ("metric",),
    "scale": ("posterior_scale", "weight"),
    "scales": ("weights",),
    "weights": ("system_weights", "evidence_weights"),
}
# Names of other packages and of habit, with the keywords here.
_ELSEWHERE = {
    "ascale": ("posterior_scale",),
    "acoustic_scale": ("posterior_scale", "weights"),
    "hyp": ("hypotheses", "hypothesis"),
    "hyps": ("hypotheses", "hypothesis"),
    "input_format": ("format",),
    "continue_on_error": ("keep_going",),
    "ignore_errors": ("keep_going",),
    "jobs": ("workers",),
    "journal": ("resume",),
    "k": ("n", "at"),
    "lc": ("lowercase",),
    "lm_scale": ("weights",),
    "n_jobs": ("workers",),
    "nbest": ("n",),
    "nj": ("workers",),
    "num_workers": ("workers",),
    "processes": ("workers",),
    "ref": ("references", "reference"),
    "refs": ("references", "reference"),
    "threads": ("workers",),
    "tok": ("tokenize",),
    "tokenizer": ("tokenize",),
    "verbose": ("progress",),
    "vocab": ("symbols", "vocabulary"),
    "vocabulary": ("symbols",),
    "words_file": ("symbols",),
}
_READING = dict.fromkeys(
    ("format", "keep_marks", "lowercase", "normalize", "reference_field", "shard", "style", "symbols", "tokenize"),
    "Corpus.read",
)
_RUNNING = dict.fromkeys(
    ("keep_going", "max_memory", "progress", "resume", "timeout", "workers"), "the methods of a Corpus"
)
PLACES = {**_READING, **_RUNNING, "ignore": "Corpus.read, or to the metric", "weights": "Corpus.read"}
"""By keyword, who takes it, if another function was given it."""
# Names that `latticemetric` no longer has, and names of verbs, with what does their work.
PUBLIC = {
    "MBRTuning": "TunedMBR",
    "ask_each": "Corpus.map",
    "calibrate": "Corpus.calibrate",
    "calibration": "Corpus.calibrate",
    "convert": "Corpus.write",
    "corpus_oracle": "Corpus.oracle",
    "corrections": "Corpus.lists",
    "determinize": "Lattice.determinized",
    "grammar": "normalize",
    "info": "Corpus.info",
    "lists": "Corpus.lists",
    "minimize": "Lattice.minimized",
    "oracle_at_k": "Corpus.lists",
    "prune": "Lattice.pruned",
    "read_lists": "Corpus.from_records",
    "report": "Corpus.report",
    "sweep": "Corpus.sweep",
    "tags": "Corpus.tags",
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


def unknown_name(owner: str, name: str, known: Collection[str], noun: str = "setting") -> UsageError:
    """Return the error for a keyword that `owner` does not have: it says which one was meant, or who has it.

    Args:
        owner: The function, class or verb.
        name: The keyword.
        known: The keywords that it has.
        noun: What the keywords are called.

    Examples:
        >>> print(unknown_name("best", "wieghts", ["weights"], "keyword"))
        best has no keyword 'wieghts'; did you mean weights=…?
        >>> print(unknown_name("Corpus", "symbols", ["weights"], "keyword"))
        Corpus has no keyword 'symbols'; give it to Corpus.read
        >>> print(unknown_name("Corpus", "num_workers", ["weights"], "keyword"))
        Corpus has no keyword 'num_workers'; did you mean workers=… of the methods of a Corpus?
    """
    from latticemetric.likeness import nearest

    refuse_old_keyword(name, known)
    if name in PLACES and noun != "parameter" and PLACES[name].split(", ")[0] != owner:
        advice = f"give it to {PLACES[name]}"
    elif meant := _usual_name(name, known) or nearest(name, known):
        advice = f"did you mean {meant}=…?"
    elif noun != "parameter" and (meant := _usual_name(name, PLACES) or nearest(name, PLACES)):
        advice = f"did you mean {meant}=… of {PLACES[meant]}?"
    else:
        advice = f"its {noun}s are {', '.join(known)}" if known else "leave it out"
    return UsageError(f"{owner} has no {noun} '{shortened(name)}'", advice=advice)


def _usual_name(name: str, known: Container[str]) -> str | None:
    """Return the keyword that other packages call by this name, if it is `known`."""
    return next((one for one in _ELSEWHERE.get(name.lower(), ()) if one in known), None)


def says_new_keywords(called: F) -> F:
    """Return a function, or a class, whose error for an unknown keyword says which one was meant, or is new.

    The names are compared only after an error, so that a call costs little more, and that a setting of a plug-in may
    have a name that was a keyword once.

    Examples:
        >>> @says_new_keywords
        ... def cost(graph, weights=None): ...
        >>> cost("a", scales={})
        Traceback (most recent call last):
        latticemetric.errors.UsageError: 'scales' is now 'weights'; give weights=…
        >>> cost("a", weihgts={})
        Traceback (most recent call last):
        latticemetric.errors.UsageError: cost has no keyword 'weihgts'; did you mean weights=…?
    """
    if isinstance(called, type):
        initialize = type.__getattribute__(called, "__init__")
        type.__setattr__(called, "__init__", says_new_keywords(initialize))
        return called

    @wraps(called)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return called(*arguments, **keywords)
        except (TypeError, UsageError) as error:
            if keywords:
                _refuse_old_keywords(called, keywords)
            if keywords and isinstance(error, TypeError):
                _refuse_unknown_keywords(called, arguments, keywords)
            raise

    return cast("F", call)


def _refuse_old_keywords(called: Callable[..., Any], keywords: Container[str]) -> None:
    from inspect import signature

    known = signature(called).parameters
    for old in KEYWORDS:
        if old in keywords and old not in known:
            refuse_old_keyword(old, known)


def _refuse_unknown_keywords(
    called: Callable[..., Any], arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> None:
    known = keywords_of(called)
    if known is None:
        return
    is_method = "." in called.__qualname__ and arguments and known[:1] in (["self"], ["cls"])
    known = known[1 if is_method else 0 :]
    if unknown := next((name for name in keywords if name not in known), None):
        raise unknown_name(_owner(called, arguments[0] if is_method else None), unknown, known, "keyword") from None


def keywords_of(called: Callable[..., Any]) -> list[str] | None:
    """Return the names of the parameters of a function or class; `None` if it takes any keywords."""
    from inspect import Parameter, signature

    try:
        parameters = signature(called).parameters.values()
    except (TypeError, ValueError):  # a built-in function
        return None
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
        return None
    return [one.name for one in parameters if one.kind is not Parameter.POSITIONAL_ONLY]


def _owner(called: Callable[..., Any], of: object) -> str:
    """Return the name of a function, or of a method with the class that users know."""
    if of is None:
        return called.__name__
    kind = of if isinstance(of, type) else type(of)
    return kind.__name__ if called.__name__ == "__init__" else f"{kind.__name__}.{called.__name__}"
