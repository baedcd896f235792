"""Recognition rates of characters and other units of words: CER, n-GCR, the mixed error rate."""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np

from latticemetric import _native
from latticemetric.automata.recognition import compile_references
from latticemetric.automata.reference import reversed_lattice
from latticemetric.automata.spelling import Spelling, UnitNumbers, spelled_lattice
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.lattice.columns import is_any_of
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.alignment import UnitAlignment
from latticemetric.metrics.base import GraphReferences, References, Text, check_flags, graphs_of, paired, words_of
from latticemetric.metrics.characters import UnicodeForm, normalizer, text_segments
from latticemetric.metrics.recognition import GRR, Counts, EditRate, Empty, best_reference_path, best_reversed_arcs
from latticemetric.metrics.recognition_statistics import Penalty
from latticemetric.metrics.reference_checks import check_references
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import count_segments
from latticemetric.metrics.signature import Signature, yes_or_no
from latticemetric.vocabulary import EPSILON, Vocabulary


class SpelledRate(GRR):
    """A recognition rate of the units of words, such as characters. Statistics count units, not words."""

    tokens = "none"
    """The name of the unit in signatures."""

    alignments = UnitAlignment
    counts_all_words = False
    splits_words = True

    @property
    def separator(self) -> str | None:
        """The unit between two words, such as a space; `None` if no unit separates words."""
        return None

    @abstractmethod
    def spelled(self, words: Sequence[str]) -> Sequence[Sequence[str]]:
        """Return the units of each word of a graph, without the separators between words."""

    @abstractmethod
    def counted(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the units of a text, given as words. Ignored words and wildcards are left out."""

    def units(self, text: Text) -> tuple[str, ...]:
        """Split a text into the units that the metric compares."""
        return self.counted(words_of(text))

    def signature_for(self, references: int | str) -> Signature:
        """Return the signature: name, parameters and version; see `Metric.signature_for`."""
        return super().signature_for(references).also(tok=self.tokens)

    def spelling(self, lattice: Lattice, numbers: UnitNumbers | None = None, *, backward: bool = False) -> Spelling:
        """Return the units of the words on a lattice's arcs. Ignored words and wildcards have no units or separators.

        Args:
            lattice: The lattice.
            numbers: The numbers of units, to share them among several graphs; `None` for new numbers.
            backward: True to spell words from their ends, for a reversed lattice.
        """
        word = lattice.word
        if silent := self.ignore | self.wildcard:
            word = np.where(is_any_of(word, silent, lattice.vocabulary), np.int32(EPSILON), word)
        spelled = self._spelled_backward if backward else self.spelled
        return Spelling.of(word, lattice.vocabulary, spelled, self.separator, numbers)

    def _spelled_backward(self, words: Sequence[str]) -> Sequence[Sequence[str]]:
        return [units[::-1] for units in self.spelled(words)]

    def compile(self, references: GraphReferences, vocabulary: Vocabulary | None = None) -> Any:
        """Compile metric and references into a `pynini.Fst` over units."""
        check_references(references)
        listed = graphs_of(references)
        strings = [self.units(reference) for reference in listed if not isinstance(reference, Lattice)]
        if len(strings) < len(listed):
            raise UsageError(
                f"{self.name} can compile only references that are strings", advice="give strings, or use wer"
            )
        return compile_references(strings, self.gains, vocabulary, ())

    def _best_string(self, hypothesis: Text, reference: Lattice) -> tuple[str, ...]:
        turned, arc_of = reversed_lattice(reference)
        spelling = self.spelling(turned, backward=True)
        graph = spelled_lattice(turned, spelling)
        units = spelling.numbers.encode(self.units(hypothesis)).tolist()
        arcs = best_reversed_arcs(list(map(str, units)), graph.lattice, self.gains)
        return reference.words(best_reference_path(graph.arcs_of(arcs), arc_of))

    def _pair_counts(self, hypotheses: Sequence[Text], references: Sequence[References]) -> tuple[Counts, Counts]:
        listed = [list(map(self.units, several)) for several in paired(hypotheses, references)]
        return count_segments(list(map(self.units, hypotheses)), listed, self.gains)


@register("gcr", ordered=True)
@dataclass(frozen=True)
class GCR(SpelledRate):
    """The n-gram recognition rate of characters (code points): n-GRR on characters.

    Args:
        order: n, the length of the longest n-grams that count.
        alpha: The insertion penalty; negative values reward insertions.
        beta: The deletion penalty.
        spaces: Count the spaces between words; a run of white space is one space. If False, ignore white space, for
            scripts without spaces.
        unicode: The Unicode normalisation form for the comparison: `nfc`, `nfd`, `nfkc`, `nfkd`, or `none`.
        ignore: Words to remove from hypothesis and reference before splitting into characters.
        wildcard: Words that cost nothing in hypothesis and reference. Their characters do not count, but results show
            them.

    Examples:
        >>> GCR(2).score("the cats", "the cat")
        0.9230769230769231
        >>> str(GCR(4, spaces=False).signature)
        '4-gcr|alpha:1|beta:0|spaces:no|unicode:none|refs:1|case:mixed|tok:char|v:...'
    """

    spaces: bool = True
    unicode: UnicodeForm = "none"

    tokens = "char"

    def __init__(
        self,
        order: int = 4,
        *,
        alpha: Penalty = 1,
        beta: Penalty = 0,
        spaces: bool = True,
        unicode: UnicodeForm = "none",
        ignore: str | Iterable[str] = (),
        wildcard: str | Iterable[str] = (),
    ) -> None:
        check_flags(spaces=spaces)
        normalizer(unicode)
        super().__init__(order, alpha=alpha, beta=beta, ignore=ignore, wildcard=wildcard)
        object.__setattr__(self, "spaces", spaces)
        object.__setattr__(self, "unicode", unicode)

    @property
    def name(self) -> str:
        """The name on the command line."""
        return f"{self.order}-gcr"

    @property
    def separator(self) -> str | None:
        """A space; `None` if spaces do not count."""
        return " " if self.spaces else None

    def _parameters(self) -> dict[str, str]:
        return {**super()._parameters(), **self._characters()}

    def _characters(self) -> dict[str, str]:
        return {"spaces": yes_or_no(self.spaces), "unicode": self.unicode}

    def text(self, text: Text) -> str:
        """Return the text that the metric splits into characters: normalised, without words that do not count."""
        return self._text(words_of(text))

    def _text(self, words: Iterable[str]) -> str:
        joined = " ".join(self.counted_words(words))
        # If spaces do not count, remove Unicode spaces inside words, too.
        return normalizer(self.unicode)(joined if self.spaces else "".join(joined.split()))

    def counted(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the characters of a text, given as words. Ignored words and wildcards are left out."""
        return tuple(self._text(words))

    def spelled(self, words: Sequence[str]) -> Sequence[str]:
        """Return the characters of each word of a graph.

        Raises:
            InputError: Spaces do not count, and normalisation could join a word's first character to the word before.
        """
        texts = words if self.spaces else ["".join(word.split()) for word in words]
        if self.unicode == "none":
            return texts
        texts = list(map(normalizer(self.unicode), texts))
        for word, text in zip(words, texts, strict=True):
            if not self.spaces and text and _joins(text[0]):
                form = self.unicode.upper()
                raise InputError(
                    f"the word '{shortened(word)}' begins with a character that {form} may join to the word before",
                    advice="count spaces, or leave the parameter unicode out",
                )
        return texts

    def _pair_counts(self, hypotheses: Sequence[Text], references: Sequence[References]) -> tuple[Counts, Counts]:
        if len(hypotheses) == 1:  # then arrays of code points would cost more than they save
            return super()._pair_counts(hypotheses, references)
        test = text_segments(hypotheses, references, self.text)
        return _native.count_pairs(*test.hypotheses, *test.references, test.owner, self.gains), test.owner


_JAMO = re.compile("[\u1160-\u11ff]")  # Hangul vowels and final consonants, which join the consonant before them


def _joins(character: str) -> bool:
    """Check whether normalisation may join a character to the one before it, or swap the two."""
    return unicodedata.category(character).startswith("M") or _JAMO.match(character) is not None


@register("cer")
@dataclass(frozen=True)
class CER(EditRate, GCR):
    """The character error rate, (S + D + I) / (H + S + D), over code points. Lower is better.

    Args:
        substitution: The cost of a substitution; deletions and insertions cost 1.
        empty: How segments without reference words count: `errors`, `ignore` or `0`; see `WER`.
        spaces: Count the spaces between words; a run of white space is one space. If False, ignore white space, for
            scripts without spaces.
        unicode: The Unicode normalisation form for the comparison: `nfc`, `nfd`, `nfkc`, `nfkd`, or `none`.
        ignore: Words to remove from hypothesis and reference before splitting into characters.
        wildcard: Words that cost nothing in hypothesis and reference. Their characters do not count, but results show
            them.

    Examples:
        >>> CER().score("the cats", "the cat")
        0.14285714285714285
        >>> CER(spaces=False).score("北 京", "北京"), CER(unicode="nfc").score("e\u0301", "é")
        (0.0, 0.0)
        >>> str(CER().signature)
        'cer|spaces:yes|unicode:none|refs:1|case:mixed|tok:char|v:...'
    """

    name = "cer"

    def __init__(
        self,
        *,
        substitution: Penalty = 1,
        empty: Empty | Literal[0] = "errors",
        spaces: bool = True,
        unicode: UnicodeForm = "none",
        ignore: str | Iterable[str] = (),
        wildcard: str | Iterable[str] = (),
    ) -> None:
        super().__init__(
            substitution=substitution, empty=empty, spaces=spaces, unicode=unicode, ignore=ignore, wildcard=wildcard
        )

    def _parameters(self) -> dict[str, str]:
        return {**super()._parameters(), **self._characters()}


# Characters that are tokens of their own: Han, kana and bopomofo, with punctuation and radicals. Hangul is not among
# them, since Korean has spaces between words.
_CJK = (
    "\u2e80-\u2fdf\u3001-\u30ff\u3100-\u312f\u31a0-\u31ff\u3200-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff0f"
    "\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# A pattern that is compiled at its first use, since compiling takes milliseconds.
_MIXED_TOKENS = f"[{_CJK}]|[^{_CJK}\u3000]+"  # U+3000 is a space


@register("mixed-er")
@dataclass(frozen=True)
class MixedErrorRate(EditRate, SpelledRate):
    """The error rate of texts that mix scripts: Han, kana and bopomofo by character, other text by word.

    Args:
        substitution: The cost of a substitution; deletions and insertions cost 1.
        empty: How segments without reference words count: `errors`, `ignore` or `0`; see `WER`.
        ignore: Words to remove from hypothesis and reference before splitting into units.
        wildcard: Words that cost nothing, in hypothesis and reference.

    Examples:
        >>> MixedErrorRate().units("我们 use the GPU运行")
        ('我', '们', 'use', 'the', 'GPU', '运', '行')
        >>> MixedErrorRate().score("我 use 的 GPU", "我们 use the GPU")
        0.4
    """

    name = "mixed-er"
    tokens = "cjk-char"

    def __init__(
        self,
        *,
        substitution: Penalty = 1,
        empty: Empty | Literal[0] = "errors",
        ignore: str | Iterable[str] = (),
        wildcard: str | Iterable[str] = (),
    ) -> None:
        super().__init__(substitution=substitution, empty=empty, ignore=ignore, wildcard=wildcard)

    def spelled(self, words: Sequence[str]) -> list[list[str]]:
        """Return the units of each word: each Han, kana or bopomofo character, and each piece of text between them."""
        return [re.findall(_MIXED_TOKENS, word) for word in words]

    def counted(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the units of a text, given as words: Han, kana and bopomofo by character, other text by word.

        Ignored words and wildcards are left out.
        """
        return tuple(chain.from_iterable(self.spelled(self.counted_words(words))))
