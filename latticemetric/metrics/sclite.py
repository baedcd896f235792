"""The word error rate of NIST's sclite, from the alignment with the lowest cost (not the fewest errors).

sclite aligns networks of words. A substitution costs 4, a deletion or insertion 3, and each silence (`@`) in hypothesis
or reference 0.001. Three substitutions cost as much as four deletions or insertions, so the alignment may have more
errors than necessary. In a network, the alignment may also have other words than an alignment with the fewest errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.automata.reference import counted_labels, words_in
from latticemetric.lattice.lattice import Lattice
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import (
    CorpusScore,
    Effects,
    GraphReferences,
    GraphText,
    Metric,
    Table,
    graphs_of,
    references_each,
    require_as_many,
)
from latticemetric.metrics.recognition import WER
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.reference_checks import check_corpus, check_hypothesis, check_references
from latticemetric.metrics.registry import register
from latticemetric.vocabulary import EPSILON, Vocabulary

_COSTS = 4.0, 3.0, 3.0, 0.001  # costs of a substitution, a deletion, an insertion, a silence
_WER = WER()


class _Network(NamedTuple):
    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    label: npt.NDArray[np.int32]
    final: npt.NDArray[np.uint8]


@register("sclite")
@dataclass(frozen=True)
class Sclite(Metric[RecognitionStatistics]):
    """The word error rate by sclite's alignment, (S + D + I) / |r|. Lower is better.

    Hypotheses may be graphs, too. Words are case-sensitive, as with sclite's option -s.

    Examples:
        >>> errors = Sclite().statistics("x y z", "a b c d x")
        >>> errors.substitutions, errors.deletions, errors.insertions
        (3, 2, 0)
    """

    name = "sclite"
    columns = _WER.columns
    higher_is_better = False
    takes_graphs = True
    takes_hypothesis_graphs = True

    def align(self, hypothesis: GraphText, reference: GraphText) -> Alignment:
        """Return the alignment with the lowest cost; resolve ties as sclite does."""
        return self.align_arcs(hypothesis, reference)[0]

    def align_arcs(self, hypothesis: GraphText, reference: GraphText) -> tuple[Alignment, npt.NDArray[np.integer[Any]]]:
        """Return the alignment and, for each hypothesis word, its arc (or its position if the hypothesis is text)."""
        sides = [graphs_of(side if isinstance(side, str | Lattice) else [side])[0] for side in (reference, hypothesis)]
        vocabulary = Vocabulary.from_words([*words_in(sides[1]), *words_in(sides[0])])
        networks = [_network(side, vocabulary) for side in sides]
        *arcs, edits = _native.align_networks(*networks[0], *networks[1], *_COSTS)
        expected, words = (vocabulary.decode(one.label[of]) for one, of in zip(networks, arcs, strict=True))
        hypothesis_arcs = arcs[1][networks[1].label[arcs[1]] != EPSILON]  # without gaps between words
        return Alignment(tuple(words), tuple(expected), edits), hypothesis_arcs

    def statistics(self, hypothesis: GraphText, references: GraphReferences) -> RecognitionStatistics:
        """Return the statistics against the reference with the fewest errors per word (ties: the first)."""
        check_hypothesis(hypothesis)
        check_references(references)
        return self._counted([hypothesis], [references])[0]

    def score(self, hypothesis: GraphText, references: GraphReferences) -> float | None:
        """Return the rate of one hypothesis; `None` if the reference has no words."""
        return _WER.value(self.statistics(hypothesis, references))

    def corpus(
        self, hypotheses: Sequence[GraphText], references: Sequence[GraphReferences]
    ) -> CorpusScore[RecognitionStatistics]:
        """Return the sum of errors divided by the sum of reference words."""
        check_corpus(hypotheses, references)
        total = sum(self._counted(hypotheses, references), RecognitionStatistics.zero(1))
        signature = str(self.signature_for(references_each(references)))
        return CorpusScore(_WER.value(total), _WER.numerator(total), _WER.denominator(total), total, signature)

    @property
    def effects(self) -> Effects:
        """The effect of each column on the value."""
        return _WER.effects

    def table(self, hypotheses: Sequence[GraphText], references: Sequence[GraphReferences]) -> Table:
        """Return the statistics of a test set, one row per segment."""
        rows = [counted.as_columns() for counted in self._counted(hypotheses, references)]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.columns))

    def values(self, sums: Table) -> npt.NDArray[np.float64]:
        """Return the rate of each row of summed statistics; NaN if the references have no words."""
        return _WER.values(sums)

    def _counted(
        self, hypotheses: Sequence[GraphText], references: Sequence[GraphReferences]
    ) -> list[RecognitionStatistics]:
        require_as_many(hypotheses, references)
        found = []
        for hypothesis, several in zip(hypotheses, references, strict=True):
            edits = [self.align(hypothesis, reference).edits for reference in graphs_of(several)]
            found.append(max((RecognitionStatistics.of_edits(each, 1) for each in edits), key=_WER.merit))
        return found


def _network(side: Lattice | tuple[str, ...], vocabulary: Vocabulary) -> _Network:
    if not isinstance(side, Lattice):
        places = np.arange(len(side) + 1, dtype=np.int32)
        return _Network(places[:-1], places[1:], vocabulary.encode(side), (places == len(side)).astype(np.uint8))
    final = np.zeros(side.num_states, dtype=np.uint8)
    final[side.final] = 1
    return _Network(side.source, side.target, counted_labels(side, vocabulary, ()), final)
