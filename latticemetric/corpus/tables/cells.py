"""Write values for people: cells, columns and short phrases of text tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from latticemetric.display.text import aligned_rows, display_width, padding
from latticemetric.errors import harmless

_ID_WIDTH = 12


def shown(value: float | str | None) -> str:
    """Return a value for a table: four decimal places, or a dash if it is undefined."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    return harmless(str(value))


def with_interval(value: float | None, half_width: float | None, sign: str = "", *, percent: bool = False) -> str:
    """Return a value and its interval: `0.5000 ± 0.0100`; in per cent `50.00 ± 1.00`."""
    if value is None:
        return shown(value)
    factor, digits = (100, 2) if percent else (1, 4)
    text = f"{factor * value:{sign}.{digits}f}"
    return text if half_width is None else f"{text} ± {factor * half_width:.{digits}f}"


def resampled(confidence: float, resamples: int, seed: int) -> str:
    """Return the settings of intervals: `± 95 % of 1000 resamples, seed 0`."""
    return f"± {100 * confidence:g} % of {resamples} resamples, seed {seed}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: `1 graph`, `2 graphs`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def spoken(words: Iterable[str]) -> str:
    """Join words into a text, or return `(no words)`."""
    return harmless(" ".join(words)) or "(no words)"


def named_scores(scores: Mapping[str, float]) -> str:
    """Return scores for a table: `acoustic=1.5 lm=2.0`."""
    return " ".join(f"{name}={score!r}" for name, score in scores.items())


def aligned(rows: Sequence[Sequence[str]], *, left: Iterable[int] = (0,)) -> list[str]:
    """Return rows as lines; align the columns with the numbers `left` to the left, the others to the right."""
    return aligned_rows(rows, set(left))


class IdColumn:
    """A column of ids. Each line is written immediately, so a longer id widens the column only from its own line on."""

    def __init__(self) -> None:
        self._width = _ID_WIDTH

    def __call__(self, name: str) -> str:
        """Return an id, padded to the width of the column."""
        text = harmless(name)
        self._width = max(self._width, display_width(text))
        return text + padding(text, self._width)
