"""Preparation of strings before scoring: lower case, sacrebleu's tokenizers, Porter's stemmer."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from latticemetric.errors import MissingDependencyError, UsageError, importing, shortened
from latticemetric.formats.word_lists import given_words, note_of_unseen
from latticemetric.lattice.lattice import Lattice
from latticemetric.likeness import which_of
from latticemetric.metrics.signature import Signature
from latticemetric.vocabulary import EPSILON, Vocabulary, Words, listed_words, numbered_words, split_words

# Unicode white space that is not ASCII white space.
_UNICODE_SPACE = re.compile(r"[^\S \t\n\r\f\v]")


class Tokenizer(Protocol):
    """A tokenizer of sacrebleu."""

    def __call__(self, line: str) -> str:
        """Separate the tokens of a line by spaces."""
        ...

    def signature(self) -> str:
        """Return the tokenizer's name for a signature, if necessary with the version of its package."""
        ...


@dataclass(frozen=True)
class Preparation:
    r"""Settings that turn strings into words. As in sacrebleu, lower-casing comes before the tokenizer.

    Args:
        lowercase: Write all words in lower case.
        tokenize: The name of a tokenizer of sacrebleu. Its output is split at Unicode white space, as in sacrebleu.
            With the name `none`, texts are split at Unicode white space, but not tokenized. Default: texts are split at
            ASCII white space, as in lattices.
        ignore: Words to remove, before the tokenizer and after it. With `lowercase`, their case does not matter.

    Examples:
        >>> Preparation(lowercase=True).words("The cat")
        ('the', 'cat')
        >>> number = "10\N{NO-BREAK SPACE}000"
        >>> len(Preparation().words(number)), Preparation(tokenize="none").words(number)
        (1, ('10', '000'))
        >>> Preparation(tokenize="13a", ignore={"<s>", "."}).words("<s> A cat.")
        ('A', 'cat')
    """

    lowercase: bool = False
    tokenize: str | None = None
    ignore: Collection[str] = frozenset()
    _tokenizer: Tokenizer | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named = self.tokenize not in {None, "none"}
        object.__setattr__(self, "_tokenizer", find_tokenizer(str(self.tokenize)) if named else None)
        ignored = given_words(self.ignore, "ignore")
        object.__setattr__(self, "ignore", frozenset(map(str.lower, ignored)) if self.lowercase else ignored)

    def __reduce__(self) -> tuple[Callable[..., Preparation], tuple[bool, str | None, Collection[str]]]:
        # Do not pickle the tokenizer: it caches texts.
        return Preparation, (self.lowercase, self.tokenize, self.ignore)

    def __bool__(self) -> bool:
        return self.lowercase or self.tokenize is not None or bool(self.ignore)

    @property
    def takes_only_texts(self) -> bool:
        """True if there is a tokenizer, which takes strings, but no lists of words."""
        return self._tokenizer is not None

    def words(self, text: str) -> tuple[str, ...]:
        """Return the words of a line."""
        cased = self._without_ignored(text.lower() if self.lowercase else text)
        if self.tokenize is None:
            return tuple(split_words(cased))
        words = (self._tokenizer(cased.rstrip()) if self._tokenizer else cased).split()
        return tuple(word for word in words if word not in self.ignore) if self.ignore else tuple(words)

    def text(self, line: str) -> str | tuple[str, ...]:
        """Return the words of a line. Without a tokenizer, return a string: chrF may count its white space."""
        if self.tokenize is not None:
            return self.words(line)
        return self._without_ignored(line.lower() if self.lowercase else line)

    def _without_ignored(self, line: str) -> str:
        """Return a line without the ignored words; a line that has none keeps its white space."""
        if not self.ignore:
            return line
        words = split_words(line)
        kept = [word for word in words if word not in self.ignore]
        return line if len(kept) == len(words) else " ".join(kept)

    def ignored_in(self, words: Iterable[str]) -> frozenset[str]:
        """Return the words to remove from a graph that has `words`."""
        if not self.ignore:
            return frozenset()
        return frozenset(word for word in words if (word.lower() if self.lowercase else word) in self.ignore)

    def kept_spaces(self, files: Iterable[Iterable[object]]) -> tuple[str, ...]:
        """Return a note if Unicode spaces stay inside words, because texts are split only at ASCII white space."""
        if self.tokenize is not None:
            return ()
        lines = [text for texts in files for text in texts if isinstance(text, str)]
        unusual = (line for line in lines if not (line.isascii() and line.isprintable()))  # U+001C is a space, too
        found = Counter(space for line in unusual for space in set(_UNICODE_SPACE.findall(line)))
        if not found:
            return ()
        space, number = found.most_common(1)[0]
        others = " and other Unicode spaces" if len(found) > 1 else ""
        what = f"U+{ord(space):04X} ({unicodedata.name(space, 'control').lower()}){others}"
        place = f"in {number} line{'' if number == 1 else 's'}" + (" or more" if others else "")
        return (f'{what} {place}: not a word boundary; use tokenize="none" to split there, as sacrebleu does',)

    def unseen(self, texts: Iterable[object]) -> tuple[str, ...]:
        """Return a note if no text has some of the words to remove; a tokenizer makes words that no text has."""
        left = set() if self._tokenizer is not None else set(self.ignore)
        for text in texts:
            if not left:
                return ()
            if isinstance(text, str):
                line = text.lower() if self.lowercase else text
                if any(word in line for word in left):
                    left.difference_update(split_words(line))
            else:
                graph = text if isinstance(text, Lattice) else None
                words: Any = text if graph is None else graph.vocabulary.decode(numbered_words(graph.word)[0])
                left.difference_update(map(str.lower, words) if self.lowercase else words)
        return (note_of_unseen(sorted(left)),) if left else ()

    def added_spaces(self, metrics: Iterable[object]) -> tuple[str, ...]:
        """Return a note if metrics of characters count the spaces that the tokenizer puts between its tokens."""
        names = [str(getattr(metric, "name", "")) for metric in metrics if getattr(metric, "spaces", False)]
        if not names or self._tokenizer is None:
            return ()
        count = "counts" if len(names) == 1 else "count"
        options = " ".join(f'make_metric("{name}", spaces=False)' for name in names)
        return (
            f"{' and '.join(names)} {count} the spaces that tokenizer {self.tokenize} adds; {options} leaves them out",
        )

    def all_words(self, texts: Sequence[str | Lattice]) -> list[tuple[str, ...] | Lattice]:
        """Return the words of each line, or the graph with its words prepared."""
        return [self.graph(text) if isinstance(text, Lattice) else self.words(text) for text in texts]

    def all_lines(self, texts: Sequence[str | Lattice]) -> list[str | tuple[str, ...] | Lattice]:
        """Return each line prepared by `text`, or the graph with its words prepared."""
        return [self.graph(text) if isinstance(text, Lattice) else self.text(text) for text in texts]

    def all_texts(self, texts: Sequence[str | Sequence[str] | Lattice]) -> list[str | tuple[str, ...] | Lattice]:
        """Return each text prepared by `text`, or the graph with its words prepared; refuse to tokenize other types."""
        if self.takes_only_texts and not all(isinstance(text, str) for text in texts):
            raise UsageError(
                "only strings can be tokenized", advice="leave tokenize out, or join the words with spaces"
            )
        return [self._prepared(text) for text in texts]

    def _prepared(self, text: str | Sequence[str] | Lattice) -> str | tuple[str, ...] | Lattice:
        if isinstance(text, Lattice):
            return self.graph(text)
        if isinstance(text, str):
            return self.text(text)
        return tuple(self.listed(listed_words(text)))

    def listed(self, words: Sequence[str]) -> list[str]:
        """Return a list of words, lower-cased and without the ignored words, but not tokenized."""
        cased = map(str.lower, words) if self.lowercase else words
        return [word for word in cased if word not in self.ignore]

    def graph(self, lattice: Lattice) -> Lattice:
        """Return the same graph, with each word prepared separately; ignored words become ε."""
        silent = self._silenced(lattice)
        return silent if not self.lowercase and self.tokenize is None else self._silenced(self._respelled(silent))

    def _silenced(self, lattice: Lattice) -> Lattice:
        """Return the lattice with ε in place of ignored words."""
        if not self.ignore:
            return lattice
        used = lattice.vocabulary.decode(numbered_words(lattice.word)[0])
        ignored = self.ignored_in(used)
        is_word = lattice.is_word(ignored) > 0
        return replace(lattice, word=np.where(is_word, lattice.word, EPSILON)) if ignored else lattice

    def _respelled(self, lattice: Lattice) -> Lattice:
        used, place = numbered_words(lattice.word)
        pieces = [list(self._of_word(word)) for word in lattice.vocabulary.decode(used)]
        vocabulary = Vocabulary.from_words(chain.from_iterable(pieces))
        numbers = [[EPSILON], *([vocabulary.number(piece) for piece in each] or [EPSILON] for each in pieces)]
        if all(len(each) == 1 for each in numbers):
            number = np.array([each[0] for each in numbers], dtype=np.int32)
            return replace(lattice, word=number[place], vocabulary=vocabulary)
        return replace(_with_words(lattice, place, numbers, vocabulary), ranked=lattice.ranked)

    def _of_word(self, word: str) -> Sequence[str]:
        if self.tokenize is None:
            return (word.lower() if self.lowercase else word,)
        if self.tokenize not in _WORD_BY_WORD:
            raise UsageError(
                f"tokenizer '{self.tokenize}' needs whole texts, not the words of a graph",
                advice=f"choose one of {', '.join(_WORD_BY_WORD)}, or give n-best lists",
            )
        first, *pieces, last = self.words(f"{_BESIDE} {word} {_BESIDE}")
        assert first == last == _BESIDE
        return pieces

    def signed(self, signature: Signature) -> Signature:
        """Return a metric's signature with the settings of this preparation added.

        Examples:
            >>> str(Preparation(lowercase=True, tokenize="char").signed(Signature("cer", {"tok": "char"})))
            'cer|tok:char+char|case:lc|v:...'
        """
        done = {"case": "lc"} if self.lowercase else {}
        if self._tokenizer:
            own = signature.fields.get("tok", "none")  # how the metric itself splits what the tokenizer has written
            done |= {"tok": self._tokenizer.signature() + ("" if own == "none" else f"+{own}")}
        if self.ignore:
            own = signature.fields.get("ignore", "")
            done |= {"ignore": ",".join(sorted({*self.ignore, *filter(None, own.split(","))}))}
        return signature.also(**done)


@dataclass(frozen=True)
class Preparations:
    """The preparation of texts for each metric: one for all, and tokenizers of single metrics.

    Args:
        lowercase: Write all words in lower case.
        tokenize: The tokenizer of all metrics (a name, or `None`; see `Preparation`), or tokenizers of single metrics.
        others: The tokenizer of metrics that `tokenize` does not name.
        ignore: Words to remove.

    Examples:
        >>> both = Preparations(tokenize={"bleu": "13a"})
        >>> both.of("bleu").words("No, no."), both.of("ter").words("No, no.")
        (('No', ',', 'no', '.'), ('No,', 'no.'))
    """

    lowercase: bool = False
    tokenize: str | Mapping[str, str | None] | None = None
    others: str | None = None
    ignore: Collection[str] | str = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "ignore", given_words(self.ignore, "ignore"))

    def of(self, metric: str) -> Preparation:
        """Return the preparation for the metric with this name."""
        if isinstance(self.tokenize, Mapping):
            return self._made(
                {name.lower(): one for name, one in self.tokenize.items()}.get(metric.lower(), self.others)
            )
        return self._made(self.tokenize)

    def check(self, metrics: Iterable[str]) -> None:
        """Raise `UsageError` if there is a tokenizer for a metric that is not among those with these names."""
        known = {name.lower() for name in metrics}
        for name in self.tokenize if isinstance(self.tokenize, Mapping) else ():
            if name.lower() not in known:
                raise UsageError(
                    f"the metric '{shortened(name)}' is not scored, but has a tokenizer",
                    advice=which_of(name, sorted(known)),
                )

    def _made(self, tokenizer: str | None) -> Preparation:
        return _preparation(self.lowercase, tokenizer, frozenset(self.ignore))


@lru_cache(maxsize=16)
def _preparation(lowercase: bool, tokenizer: str | None, ignore: frozenset[str]) -> Preparation:  # noqa: FBT001  a field
    return Preparation(lowercase, tokenizer, ignore)


SACREBLEU: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "bleu": ({"effective_length": "closest", "smoothing": "exp"}, "13a"),
    **dict.fromkeys(("chrf", "chrf++", "ter"), ({}, "none")),
}
"""By metric, sacrebleu's parameters and tokenizer. For single sentences, it also uses effective orders of BLEU."""


# Tokenizers that split a word in the same way everywhere in a text. `intl` and `zh` split differently at the end.
_WORD_BY_WORD = ("13a", "char", "none")
# A neighbour for a single word: a word that these tokenizers do not change.
_BESIDE = "a"


def _with_words(lattice: Lattice, words: Words, numbers: Sequence[Sequence[int]], vocabulary: Vocabulary) -> Lattice:
    """Return the lattice with each word replaced by its pieces.

    The pieces of arc a are `numbers[words[a]]`, as numbers in the new `vocabulary`. Each piece has its own arc. The
    first arc gets the scores and labels of the old arc.
    """
    sizes = np.array([len(each) for each in numbers])[words]
    origin = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum(sizes) - sizes
    place = np.arange(len(origin)) - first[origin]
    is_last = place == sizes[origin] - 1
    # New states lie between the pieces of an arc.
    inner = lattice.num_states + np.cumsum(~is_last) - 1
    target = np.where(is_last, lattice.target[origin], inner)
    source = np.where(place == 0, lattice.source[origin], np.roll(inner, 1))
    word = np.fromiter(chain.from_iterable(numbers[k] for k in words.tolist()), np.int32, len(origin))
    times = None
    if lattice.times is not None:
        begin, end = lattice.times[lattice.source[origin]], lattice.times[lattice.target[origin]]
        passed = begin + (place + 1) / sizes[origin] * (end - begin)
        times = [*lattice.times.tolist(), *passed[~is_last].tolist()]

    def carried(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.where(place == 0, values[origin], values.dtype.type(0))

    return Lattice.from_arcs(
        source,
        target,
        word,
        final=lattice.final.tolist(),
        scores={name: replace(column, arc=carried(column.arc)) for name, column in lattice.scores.items()},
        vocabulary=vocabulary,
        times=times,
        labels={name: replace(side, arc=carried(side.arc)) for name, side in lattice.labels.items()},
    )


def find_tokenizer(name: str) -> Tokenizer:
    """Return a tokenizer of sacrebleu by name; raise `MissingDependencyError` if a package is not installed."""
    advice = "pip install sacrebleu, or tokenize the files and leave tokenize=… out"
    with importing(f"the tokenizer '{name}' needs sacrebleu", advice=advice):
        bleu = import_module("sacrebleu.metrics").BLEU
    if name not in bleu.TOKENIZERS:
        raise UsageError(f"there is no tokenizer '{name}'", advice=which_of(name, sorted(bleu.TOKENIZERS)))
    try:
        tokenizer: Tokenizer = bleu(tokenize=name).tokenizer
    except (RuntimeError, ImportError, OSError) as error:  # some tokenizers need packages, or models from the network
        reason = re.sub(r"\s+", " ", str(error)).strip()
        raise MissingDependencyError(f"the tokenizer '{name}' cannot be loaded: {reason}") from error
    return tokenizer


# By target language: its tokenizer, and the tokenizer to use if a package of the first is missing (`None`: 13a).
_OF_LANGUAGE = {"zh": ("zh", None), "ja": ("ja-mecab", "char"), "ko": ("ko-mecab", None)}
# Codes of three letters (ISO 639-3, as in FLORES), and codes of Chinese languages.
_SAME_LANGUAGE = {"zho": "zh", "chi": "zh", "cmn": "zh", "yue": "zh", "jpn": "ja", "kor": "ko"}
_WITHOUT_SPACES = {"zh": r"[\u3400-\u9fff\uf900-\ufaff]", "ja": r"[\u3040-\u30ff]"}
_SHARE = 0.1  # a text is Japanese or Chinese if a larger share of its letters matches the pattern


def tokenizer_for(language: str | None, texts: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the name of WMT's tokenizer for raw texts of a language, and notes for the user.

    The tokenizer is `13a`, except for Chinese, Japanese and Korean.

    Args:
        language: The code of the target language, such as `de`, `zh_CN` or `zho_Hans`; `None` to detect Chinese and
            Japanese from the texts.
        texts: Some texts.

    Examples:
        >>> tokenizer_for("de", []), tokenizer_for(None, ["我们 应该 见面"])
        (('13a', ()), ('zh', ('tokenizer zh, as the texts look like zh',)))
    """
    notes: tuple[str, ...] = ()
    code = re.split(r"[-_]", language.lower())[0] if language else None
    code = _SAME_LANGUAGE.get(code or "", code)
    if code is None and (code := _language_of(texts)) is not None:
        notes = (f"tokenizer {_OF_LANGUAGE[code][0]}, as the texts look like {code}",)
    name, other = _OF_LANGUAGE.get(code or "", ("13a", "13a"))
    try:
        if name != "13a":
            find_tokenizer(name)
    except MissingDependencyError as error:
        return other or "13a", (f"tokenizer {other or '13a'} instead of {name}: {error}",)
    return name, notes


def unsuitable_tokenizer(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return a note if a tokenizer needs spaces between words, but the texts are Chinese or Japanese."""
    if name not in {"13a", "intl"} or (code := _language_of(texts)) is None:
        return ()
    return (f"tokenizer {name} on {code}, which has no spaces between words: use {_OF_LANGUAGE[code][0]} or char",)


def _language_of(texts: Sequence[str]) -> str | None:
    """Return `zh` or `ja` if the texts look like Chinese or Japanese, otherwise `None`."""
    text = "".join(texts[:200])
    letters = sum(map(str.isalpha, text))
    for code in ("ja", "zh"):
        if letters and len(re.findall(_WITHOUT_SPACES[code], text)) > _SHARE * letters:
            return code
    return None


_TYPES_KEPT = 1 << 20  # cached words: far more than a test set has, but bounded for servers


@lru_cache(maxsize=_TYPES_KEPT)
def porter_stem(word: str) -> str:
    """Return the stem of a word by Porter's algorithm (1980); case is kept.

    Examples:
        >>> [porter_stem(word) for word in ("computers", "computer", "dying", "as")]
        ['comput', 'comput', 'dy', 'a']
    """
    return _stemmer()(word, False)  # noqa: FBT003  nltk's `to_lowercase`


@cache
def _stemmer() -> Callable[[str, bool], str]:
    with importing("Porter stems need nltk", advice="pip install nltk"):
        from nltk.stem.porter import PorterStemmer
    # nltk's default mode has extensions for short and irregular words; it differs on 41 of the 1584 word types of a
    # test set.
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    return cast("Callable[[str, bool], str]", stemmer.stem)
