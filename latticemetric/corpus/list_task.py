"""The oracle of the first k hypotheses of the n-best lists of a corpus. Nothing here imports NumPy."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from latticemetric.corpus.question import Resampled, Task, number_of_resamples
from latticemetric.errors import UsageError
from latticemetric.settings import given

if TYPE_CHECKING:
    from latticemetric.corpus.list_arguments import Words
    from latticemetric.corpus.list_blocks import BlockSums
    from latticemetric.corpus.list_results import Corrections, OracleAtK
    from latticemetric.corpus.oracle_at_k import ListSums
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.metrics.recognition import GRR


class ListOracles(Resampled, Task):
    """The oracles of the first k hypotheses of all n-best lists together, and perhaps the scores of corrected texts.

    Attributes:
        metric: A recognition rate, or its name.
        at: The values of k; `None` for the usual ones.
        corrected: Corrected texts, one per list, or a file of them.
    """

    verb = "lists"

    metric: str | GRR = given(default="wer")
    at: Collection[int] | None = given(
        default=None,
        option="--at NUMBERS",
        help="Use these values of k, such as 1,5,10; 1 and the length of the longest list are always added "
        "(default: 1,2,3,4,5,10,20,50,…).",
    )
    corrected: Any = given(
        default=None,
        option="--corrected FILE",
        help="Also score the texts in FILE, one per list: corrected hypotheses, or hypotheses chosen from the list.",
    )
    resamples: int = number_of_resamples(default=0)

    def check(self) -> None:
        """Replace the name of the metric by the metric; check the values of k."""
        super().check()
        from latticemetric.corpus.oracle_at_k import points_within
        from latticemetric.metrics.recognition import as_recognition_rate

        vars(self)["metric"] = as_recognition_rate(self.metric)
        if self.at is not None:
            points_within(self._points, 1)
        if self.corrected is not None and (self.rate.name != "wer" or not self.rate.gains.are_edits):
            raise UsageError("corrected texts are scored by wer only", advice="leave metric out")

    @property
    def rate(self) -> GRR:
        """The metric."""
        return cast("GRR", self.metric)

    @property
    def _points(self) -> Any:
        return self.at

    def _removing(self, corpus: ReadCorpus) -> bool:
        """Return True if the ignored words are removed from texts, since the metric does not ignore them itself."""
        return not corpus.ignored <= self.rate.ignore

    def found(self, corpus: ReadCorpus, run: Run) -> OracleAtK:
        """Return the oracles of all lists of a corpus that has references."""
        from latticemetric.corpus.list_blocks import BlockSums
        from latticemetric.corpus.oracle_at_k import curve_of

        grammar, judged = corpus.grammar, None
        keep, rewrite = bool(self.resamples), None if grammar is None else grammar.text
        settings = BlockSums(self.rate, self._points, corpus.weights, keep=keep, rewrite=rewrite)
        if self.corrected is None:
            sums, references = self._sums(corpus, run, settings)
        else:
            sums, references, judged = self._sums_and_corrections(corpus, run, settings)
        curve = curve_of(list(sums), self.rate, at=self._points, **self.resampling)
        signature = self.rate.signature_for(references).also(norm=corpus.rewritten_by)
        if grammar is not None:
            signature = signature.also(readings=grammar.readings_of_text)
        return replace(curve, signature=str(signature), corrections=judged)

    def _sums(self, corpus: ReadCorpus, run: Run, settings: BlockSums) -> tuple[Iterator[ListSums], int | str]:
        """Return the `ListSums` of each block of lists, and the number of references per list."""
        from latticemetric.corpus.list_blocks import TableSums, sums_of_pairs
        from latticemetric.display.progress import progress

        if (blocks := corpus.blocks()) is not None:
            prepare = corpus.preparing(removing=self._removing(corpus))
            sums = TableSums(
                progress(blocks, None, "blocks") if run.watched else blocks, corpus.reading.reference_field, prepare
            )
            return sums.each(settings, run.workers), sums.references
        # `settings` normalizes, so that lists stay lists.
        paired = corpus.required_pairs(run, removing=self._removing(corpus), rewriting=False)
        return sums_of_pairs(paired.pairs, settings), paired.references

    def _sums_and_corrections(
        self, corpus: ReadCorpus, run: Run, settings: BlockSums
    ) -> tuple[Iterator[ListSums], int | str, Corrections]:
        """Return the `ListSums`, the number of references per list, and the results of the corrected texts."""
        from latticemetric.corpus.corrections import corrections
        from latticemetric.corpus.lists import lists_of_pairs, rewritten_pairs

        paired = corpus.required_pairs(run, removing=self._removing(corpus), rewriting=False)
        pairs: list[Pair] = list(paired.pairs)
        if settings.rewrite is not None:
            pairs = list(rewritten_pairs(pairs, settings.rewrite))
        lists = lists_of_pairs(pairs)
        texts = [
            corpus.prepared_text(text, removing=self._removing(corpus)) for text in self._texts(lists.names, corpus)
        ]
        ignore = self.rate.ignore | self.rate.wildcard
        judged = corrections(lists.lists, lists.references, texts, weights=corpus.weights, ignore=ignore)
        return iter([replace(settings, rewrite=None).of(pairs)]), paired.references, judged

    def _texts(self, names: Sequence[str], corpus: ReadCorpus) -> list[Words]:
        """Return the corrected text of each list."""
        if isinstance(self.corrected, str | os.PathLike):
            from latticemetric.corpus.lists import texts_of

            return texts_of(os.fspath(self.corrected), names, corpus.reading.style)
        from latticemetric.corpus.list_arguments import check_lengths
        from latticemetric.vocabulary import listed_words

        check_lengths(lists=names, corrected=self.corrected)
        return [listed_words(text, "a corrected text") for text in self.corrected]
