"""Say that a symbol table lacks numbers of graphs or references."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.formats.streams.once import OnceWarning

_MOST_NUMBERS = 8
_LACKING = OnceWarning()


def note_lacking(place: str, lacking: Sequence[str]) -> None:
    """Say once a run that a symbol table lacks numbers, which stay numbers; these are their words."""
    if not lacking or _LACKING:
        return
    what = "1 word number is" if len(lacking) == 1 else f"{len(lacking)} word numbers are"
    stays = "stays a number" if len(lacking) == 1 else "stay numbers"
    shown = ", ".join(lacking[:_MOST_NUMBERS]) + (", …" if len(lacking) > _MOST_NUMBERS else "")
    _LACKING.write(place, f"{what} not in the symbol table, and {stays} ({shown})")
