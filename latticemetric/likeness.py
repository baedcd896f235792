"""Find the name that a user meant by a wrong one."""

from __future__ import annotations

from collections.abc import Iterable

_LIKENESS = 0.75
_SHORTEST_BEGINNING = 3


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most similar to `name`; `None` if none is similar.

    Names are the same if they differ in case, hyphens, underscores and blanks only.

    Examples:
        >>> nearest("4grr", ["wer", "4-grr"]), nearest("refs", ["references", "graphs"]), nearest("x", ["y"])
        ('4-grr', 'references', None)
    """
    known: dict[str, str] = {}
    for one in names:
        known.setdefault(_folded(one), one)
    wanted = _folded(name)
    if wanted in known:
        return known[wanted]
    begun = [one for one in known if len(wanted) >= _SHORTEST_BEGINNING and one.startswith(wanted.removesuffix("s"))]
    if len(begun) == 1:
        return known[begun[0]]
    import difflib

    return next((known[one] for one in difflib.get_close_matches(wanted, known, n=1, cutoff=_LIKENESS)), None)


def which_of(name: object, names: Iterable[str]) -> str:
    """Return the advice for a wrong name: the most similar of these names or, if none is similar, all of them.

    Examples:
        >>> which_of("w-er", ["cer", "wer"]), which_of("x", ["cer", "wer"])
        ("did you mean 'wer'?", 'choose one of cer, wer')
    """
    known = list(names)
    meant = nearest(name, known) if isinstance(name, str) else None
    return f"choose one of {', '.join(known)}" if meant is None else f"did you mean '{meant}'?"


def _folded(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter not in "-_ \t")
