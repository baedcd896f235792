"""Prepare strings before scoring: lower-casing, sacrebleu's tokenizers, Porter's stemmer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from typing import Protocol, cast

import numpy as np

from latticemetric.errors import MissingDependencyError, UsageError
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.signature import Signature
from latticemetric.vocabulary import EPSILON, Vocabulary, split_words


class Tokenizer(Protocol):
    """A tokenizer of sacrebleu."""

    def __call__(self, line: str) -> str:
        """Separate the tokens of a line by spaces."""
        ...

    def signature(self) -> str:
        """Return the tokenizer's name, for a signature; some add the version of a package that they use."""
        ...


@dataclass(frozen=True)
class Preparation:
    """Turn strings into words. As in sacrebleu, lower-casing comes before the tokenizer.

    Args:
        lowercase: Write all words in lower case.
        tokenize: A tokenizer of sacrebleu; `none` splits at white space.

    Examples:
        >>> Preparation(lowercase=True).words("The cat")
        ('the', 'cat')
    """

    lowercase: bool = False
    tokenize: str = "none"
    _tokenizer: Tokenizer | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tokenizer", None if self.tokenize == "none" else find_tokenizer(self.tokenize))

    def words(self, text: str) -> tuple[str, ...]:
        """Return the words of a line."""
        cased = text.lower() if self.lowercase else text
        return tuple(split_words(self._tokenizer(cased.rstrip()) if self._tokenizer else cased))

    def all_words(self, texts: Sequence[str | Lattice]) -> list[tuple[str, ...] | Lattice]:
        """Return the words of each line, and each graph with its words prepared."""
        return [self.graph(text) if isinstance(text, Lattice) else self.words(text) for text in texts]

    def graph(self, lattice: Lattice) -> Lattice:
        """Return the same graph with its words prepared."""
        if self._tokenizer:
            raise UsageError(
                "a text with alternatives cannot be tokenized", advice="tokenize the files, and leave --tokenize out"
            )
        if not self.lowercase:
            return lattice
        words = [word.lower() for word in lattice.vocabulary.decode(range(1, len(lattice.vocabulary) + 1))]
        vocabulary = Vocabulary.from_words(words)
        number = np.array([EPSILON, *map(vocabulary.number, words)], dtype=np.int32)
        return replace(lattice, word=number[lattice.word], vocabulary=vocabulary)

    def signed(self, signature: Signature) -> Signature:
        """Return a metric's signature with the fields of this preparation."""
        done = {"case": "lc"} if self.lowercase else {}
        done |= {"tok": self._tokenizer.signature()} if self._tokenizer else {}
        return signature.also(**done)


def find_tokenizer(name: str) -> Tokenizer:
    """Return a tokenizer of sacrebleu, by its name there; raise an error if it needs packages that are missing."""
    try:
        bleu = import_module("sacrebleu.metrics").BLEU
    except ImportError as error:
        raise MissingDependencyError(
            f"the tokenizer '{name}' needs sacrebleu, which is not installed",
            advice="pip install sacrebleu, or tokenize the files and leave --tokenize out",
        ) from error
    if name not in bleu.TOKENIZERS:
        raise UsageError(
            f"there is no tokenizer '{name}'", advice=f"choose one of {', '.join(sorted(bleu.TOKENIZERS))}"
        )
    try:
        tokenizer: Tokenizer = bleu(tokenize=name).tokenizer
    except (RuntimeError, ImportError, OSError) as error:  # some tokenizers need packages, or models from the network
        reason = re.sub(r"\s+", " ", str(error)).strip()
        raise MissingDependencyError(f"the tokenizer '{name}' cannot be loaded: {reason}") from error
    return tokenizer


_TYPES_KEPT = 1 << 20  # far more than a test set's vocabulary, but bounded for servers


@lru_cache(maxsize=_TYPES_KEPT)
def porter_stem(word: str) -> str:
    """Return the stem of a word by the algorithm of Porter (1980); case is kept, as in every comparison of words.

    Examples:
        >>> [porter_stem(word) for word in ("computers", "computer", "dying", "as")]
        ['comput', 'comput', 'dy', 'a']
    """
    return _stemmer()(word, False)  # noqa: FBT003  nltk's `to_lowercase`


@cache
def _stemmer() -> Callable[[str, bool], str]:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise MissingDependencyError(
            "Porter stems need nltk, which is not installed", advice="install it: pip install nltk"
        ) from error
    # nltk's default mode has extensions for short and irregular words; it differs on 41 of the 1584 word types of a
    # test set.
    stemmer = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM)
    return cast("Callable[[str, bool], str]", stemmer.stem)
