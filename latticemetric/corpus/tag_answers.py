"""The tags of the words of 1-bests, with the scores of tags that posteriors predict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latticemetric.cached import cached_property
from latticemetric.corpus.answers import Answers
from latticemetric.corpus.tag_question import TagThresholds

if TYPE_CHECKING:
    from latticemetric.corpus.oracles import ConfidenceEvaluation


class TagAnswers(Answers[Any]):
    """The tags of a corpus: `Answers` whose table, records and totals are about all graphs together.

    Examples:
        >>> from latticemetric import Corpus, Lattice
        >>> lattice = Lattice.from_strings(["a b", "a c"], costs=[0.0, 0.5])
        >>> tags = Corpus({"one": lattice}, {"one": "a c"}).tags("wer", thresholds=[0.5, 0.7])
        >>> tags["one"].one_best.tags, [round(p, 3) for p in tags["one"].confidences.one_best]
        (('OK', 'BAD'), [0.622, 0.622])
        >>> tags.result.sweep.best.threshold
        0.5
    """

    @cached_property
    def result(self) -> ConfidenceEvaluation:
        """The scores of the predicted tags at each threshold."""
        assert isinstance(self.question, TagThresholds)
        return self.question.found(self._all())
