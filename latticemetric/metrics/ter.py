"""Translation edit rate: edits per reference word, including shifts of adjacent words (Snover et al. 2006)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.errors import importing
from latticemetric.metrics.base import Effects, References, Table, TallyMetric, Text, check_flags, paired, words_of
from latticemetric.metrics.registry import register
from latticemetric.metrics.segments import Segments, number_all
from latticemetric.metrics.signature import Signature, yes_or_no


@register("ter")
@dataclass(frozen=True, kw_only=True)
class TER(TallyMetric):
    """Translation edit rate: the number of edits, divided by the mean number of reference words. Lower is better.

    Edits are insertions, deletions, substitutions and shifts. A greedy search finds the shifts as in tercom, with the
    limits of sacrebleu. So there may be more edits than necessary. With several references, the metric uses the
    smallest number of edits and the mean length of the references.

    Args:
        normalized: Separate punctuation from words, and decode XML entities, as tercom does.
        no_punct: Remove punctuation.
        asian_support: With `normalized`, separate CJK characters; with `no_punct`, also remove CJK punctuation.
        case_sensitive: Distinguish upper and lower case. If False, compare lower-cased words.

    Examples:
        >>> TER().score("to the audience the president spoke", "the president spoke to the audience")
        0.16666666666666666
        >>> str(TER().signature)
        'ter|norm:no|punct:yes|asian:no|refs:1|case:lc|tok:tercom|v:...'
    """

    name = "ter"
    columns = ("edits", "reference_words")
    higher_is_better = False

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    _tokenizer: Callable[[str], str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_flags(**vars(self))
        needed = self.normalized or self.no_punct
        object.__setattr__(self, "_tokenizer", self._find_tokenizer() if needed else None)

    def _find_tokenizer(self) -> Callable[[str], str]:
        advice = "pip install sacrebleu, or leave these parameters out"
        with importing("normalized and no_punct of ter need sacrebleu", advice=advice):
            from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer
        return TercomTokenizer(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)

    def __reduce__(self) -> tuple[Callable[..., TER], tuple[()]]:
        # Do not pickle the tokenizer: it caches texts.
        return partial(TER, **{name: value for name, value in vars(self).items() if name != "_tokenizer"}), ()

    def signature_for(self, references: int | str) -> Signature:
        """Return the signature: name, parameters and version; see `Metric.signature_for`."""
        case = "mixed" if self.case_sensitive else "lc"
        return super().signature_for(references).also(case=case, tok="tercom")

    def _parameters(self) -> dict[str, str]:
        flags = {"norm": self.normalized, "punct": not self.no_punct, "asian": self.asian_support}
        return {name: yes_or_no(value) for name, value in flags.items()}

    def table(self, hypotheses: Sequence[Text], references: Sequence[References]) -> Table:
        """Return the statistics of a test set, one row per segment."""
        expected = [list(map(self._words, several)) for several in paired(hypotheses, references)]
        test = Segments.of(list(map(self._words, hypotheses)), expected)
        edits = _native.count_ter(*test.hypotheses, *test.references, test.owner)
        begin = test.owner[:-1]
        if not len(begin):
            return np.zeros((0, len(self.columns)))
        words = np.add.reduceat(test.references.lengths, begin) / np.diff(test.owner)
        return np.column_stack([np.minimum.reduceat(edits, begin), words]).astype(np.float64)

    def pair_tables(self, hypotheses: Sequence[Text], references: Sequence[Text]) -> Iterator[Table]:
        """Yield the statistics of all hypotheses against each reference."""
        said, expected, _ = number_all(*(list(map(self._words, side)) for side in (hypotheses, references)))
        # Reference words that are in no hypothesis share one number, so that numbers do not grow with the references.
        expected = expected._replace(words=np.minimum(expected.words, said.words.max(initial=-1) + 1))
        each = np.arange(len(hypotheses) + 1, dtype=np.int64)
        for number, words in enumerate(expected.lengths):
            edits = _native.count_ter(*said, *expected.repeated(number, len(hypotheses)), each)
            yield np.column_stack([edits, np.full(len(edits), words)]).astype(np.float64)

    def _words(self, text: Text) -> list[str]:
        line = text if isinstance(text, str) else " ".join(words_of(text))
        if self._tokenizer is not None:
            return self._tokenizer(line.rstrip()).split()
        return (line if self.case_sensitive else line.lower()).split()

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return Effects.of(up="edits", down="reference_words", sizes="reference_words", columns=self.columns)

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the rate of each row of summed statistics.

        Without reference words, the rate is 1 if there are edits, otherwise 0.
        """
        edits, words = np.moveaxis(sums, -1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(words > 0, edits / words, np.where(edits > 0, 1.0, 0.0))
