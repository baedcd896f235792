"""Checks of references: a list of single words is ambiguous.

The list may be one reference, or several references of one word each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from latticemetric.arguments import require_items, require_list
from latticemetric.display.frames import labels_of
from latticemetric.errors import UsageError
from latticemetric.vocabulary import split_words

_USUAL = (str, list, tuple)
_UNSUITABLE = (bytes, bytearray, np.ndarray, Iterator, Mapping, AbstractSet)


def check_references(references: Any) -> None:
    """Raise `UsageError` if the references of one hypothesis are a list of single words, or of an unsuitable type.

    `["the", "cold"]` may be the words of one reference, or two references of one word. Write `"the cold"` or `[["the",
    "cold"]]` for one reference, `[["the"], ["cold"]]` for two.
    """
    # The usual types come first, since a check against an abstract class takes ten times as long.
    if not isinstance(references, _USUAL) and isinstance(references, _UNSUITABLE):
        raise UsageError(
            f"references is a {type(references).__name__}", advice="give a string, or a list of references"
        )
    if are_single_words(references):
        raise _ambiguous(references)
    for one in references if isinstance(references, list) else ():
        check_hypothesis(one, "a reference")


def check_hypothesis(text: Any, what: str = "the hypothesis") -> None:
    """Raise `UsageError` if a text is a list of texts instead of a list of words.

    The text `["the cold"]` would be one word with a space. `what` names the text in the message.
    """
    if isinstance(text, list) and text and all(isinstance(one, str) and len(split_words(one)) > 1 for one in text):
        raise UsageError(f"{what} is a list of texts, not of words: {text!r}", advice=f"give the string {text[0]!r}")


def check_corpus(hypotheses: Any, references: Any, *, raw: bool = False) -> None:
    """Raise `UsageError` if hypotheses or references are a string, or if references seem to be lists of words.

    A segment may have several references of one word each. But if some segment has several references, and no reference
    of the corpus has more than one word, the caller probably passed lists of words. Not if texts are `raw`: a tokenizer
    takes no lists of words, and texts of scripts without spaces look like single words.
    """
    require_same_labels(hypotheses, references)
    for name, given in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(given, str):
            raise UsageError(f"{name} is a string", advice=f"give a list of {name}, one per segment")
        require_list(given, name)
    for hypothesis in hypotheses if isinstance(hypotheses, list) else ():
        check_hypothesis(hypothesis)
    if isinstance(references, Sequence):
        for _ in checked_corpus(references, raw=raw):
            pass


def require_same_labels(hypotheses: Any, references: Any) -> None:
    """Raise `UsageError` if two series of pandas are not in the same order: if their rows have other labels."""
    labels = labels_of(hypotheses), labels_of(references)
    if None not in labels and labels[0] != labels[1]:
        advice = "bring both into the same order, such as references.loc[hypotheses.index], or give lists: .tolist()"
        raise UsageError("the rows of hypotheses and references have different labels", advice=advice)


def checked_corpus(references: Iterable[Any], *, raw: bool = False) -> Iterator[Any]:
    """Check and yield the references of each segment.

    At the end, raise `UsageError` if the references seem to be lists of words; see `check_corpus`.
    """
    if isinstance(references, str):
        raise UsageError("references is a string", advice="give a list: the references of each graph")
    require_items(references, "references")
    suspect = None
    is_clear = raw
    for several in references:
        if are_single_words(several):
            suspect = suspect or several
        elif not is_clear:
            one = several[0] if _is_list(several) and len(several) == 1 else several
            is_clear = not (isinstance(one, str) and len(split_words(one)) == 1)
        for text in several if isinstance(several, list) else ():
            check_hypothesis(text, "a reference")
        yield several
    if suspect is not None and not is_clear:
        raise _ambiguous(suspect)


def are_single_words(references: Any) -> bool:
    """Check whether `references` are several strings of one word each."""
    if not _is_list(references) or len(references) < 2:  # noqa: PLR2004  one reference is not ambiguous
        return False
    return all(isinstance(one, str) and len(split_words(one)) == 1 for one in references)


def _is_list(given: Any) -> bool:
    return not isinstance(given, str) and isinstance(given, (list, tuple, Sequence))


def _ambiguous(references: Sequence[str]) -> UsageError:
    shown = list(references[:3])
    more = ", …" if len(references) > len(shown) else ""
    words = ", ".join(map(repr, shown)) + more
    each = ", ".join(f"[{word!r}]" for word in shown) + more
    text = " ".join(shown) + (" …" if more else "")
    return UsageError(
        f"references is a list of single words, [{words}], which may be one reference or several",
        advice=f"for one reference give the string '{text}'; for several give references=[{each}]",
    )
