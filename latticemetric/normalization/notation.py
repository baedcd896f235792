"""Write alternatives of a text in NIST's notation: `he { is / has } gone`; `@` stands for no word."""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Lattice
from latticemetric.normalization.application import arcs_from

MOST_ALTERNATIVES = 1000
_NO_WORDS = "@"
_Text = tuple[str, ...]


def with_alternatives(lattice: Lattice) -> str:
    """Return the texts of a lattice as one line, with alternatives between the states that all paths share.

    Each text must have only one path.

    Raises:
        InputError: There are more than `MOST_ALTERNATIVES` alternatives between two shared states.
    """
    meetings, arcs, finals = _shared_states(lattice), arcs_from(lattice), set(lattice.final.tolist())
    parts: list[str] = []
    for here, there in zip(meetings, [*meetings[1:], None], strict=True):
        ends = finals if there is None else {there}
        parts.extend(_alternatives(list(dict.fromkeys(_texts_between(arcs, here, ends, goes_on=there is None)))))
    return " ".join(parts)


def _alternatives(texts: list[_Text]) -> list[str]:
    """Return the notation of texts: alternatives, then the last words that all texts share."""
    ending: list[str] = []
    while len(texts) > 1 and all(texts) and len({text[-1] for text in texts}) == 1:
        ending.insert(0, texts[0][-1])
        texts = [text[:-1] for text in texts]
    if len(texts) == 1:
        return [*texts[0], *ending]
    for word in dict.fromkeys(text[0] for text in texts if text):
        # A first word is optional if the texts are the same with and without it.
        with_word = [text[1:] for text in texts if text[:1] == (word,)]
        without = [text for text in texts if text[:1] != (word,)]
        if set(with_word) == set(without):
            return [f"{{ {word} / {_NO_WORDS} }}", *_alternatives(without), *ending]
    return ["{ " + " / ".join(" ".join(text) or _NO_WORDS for text in texts) + " }", *ending]


def _shared_states(lattice: Lattice) -> list[int]:
    """Return the states that all paths share, in order."""
    furthest, meetings = 0, []
    reach = [0] * lattice.num_states
    for source, target in zip(lattice.source.tolist(), lattice.target.tolist(), strict=True):
        reach[source] = max(reach[source], target)
    for state in range(int(lattice.final[0]) + 1):
        if furthest <= state:
            meetings.append(state)
        furthest = max(furthest, reach[state])
    return meetings


def _texts_between(
    arcs: list[list[tuple[int, int, str]]], here: int, ends: set[int], *, goes_on: bool
) -> Iterator[_Text]:
    """Yield the texts of the paths from `here` to states in `ends`.

    `goes_on` is True if states in `ends` may have arcs.
    """
    pending: list[tuple[int, _Text]] = [(here, ())]
    count = 0
    while pending:
        state, words = pending.pop()
        if state in ends:
            count += 1
            yield words
        if count > MOST_ALTERNATIVES:
            raise InputError(
                f"there are more than {MOST_ALTERNATIVES} alternatives in one place", advice="shorten the text"
            )
        if goes_on or state not in ends:
            pending.extend((t, (*words, word) if word else words) for _, t, word in reversed(arcs[state]))
