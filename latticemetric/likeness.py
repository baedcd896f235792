"""Find the name that a user meant by a wrong one."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from latticemetric.errors import shortened

_LIKENESS = 0.75
_SUFFIXES = re.compile(r"(?<=.)(?:\.[^\W\d]\w*)+$")
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


class Names:
    """Names, some of which others may write differently.

    Examples:
        >>> Names(["utt-1", "utt-2"]).advice_for("UTT_2 ")
        "did you mean 'utt-2'? make the ids equal"
        >>> Names(["utt1", "utt2"]).like("lattices/utt1.lat.gz")
        'utt1'
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names
        self._by_form: dict[str, str] | None = None

    def like(self, name: str) -> str | None:
        """Return the name that is the same but for case, hyphens, blanks, path and suffix; `None` if not one."""
        if self._by_form is None:
            names = list(self._names)
            stems = [(_stem(one), one) for one in names]
            several = Counter(stem for stem, _ in stems)
            self._by_form = {stem: one for stem, one in stems if several[stem] == 1}
            self._by_form |= {_folded(one): one for one in names}
        return self._by_form.get(_folded(name)) or self._by_form.get(_stem(name))

    def advice_for(self, name: str) -> str | None:
        """Return advice about the id that `like` finds; `None` if there is none."""
        meant = self.like(name)
        return None if meant is None else f"did you mean '{shortened(meant)}'? make the ids equal"


def which_of(name: object, names: Iterable[str]) -> str:
    """Return the advice for a wrong name: the most similar of these names or, if none is similar, all of them.

    Examples:
        >>> which_of("w-er", ["cer", "wer"]), which_of("x", ["cer", "wer"])
        ("did you mean 'wer'?", 'choose one of cer, wer')
    """
    known = list(names)
    meant = nearest(name, known) if isinstance(name, str) else None
    return f"choose one of {', '.join(known)}" if meant is None else f"did you mean '{meant}'?"


def _stem(name: str) -> str:
    """Return a name without its path and its suffixes, folded: `utt1` of `lattices/UTT-1.lat.gz`."""
    return _folded(_SUFFIXES.sub("", name.strip().rpartition("/")[2]))


def _folded(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(letter for letter in folded if letter not in "-_" and not letter.isspace())
