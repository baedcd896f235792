"""The oracles of the first k hypotheses of the n-best lists of a corpus. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.metric_question import DEFAULT_METRICS, listed_metrics, refuse_twice, removes
from latticemetric.corpus.question import Resampled, Task, number_of_resamples, uncounted_by
from latticemetric.settings import given

if TYPE_CHECKING:
    from latticemetric.corpus.list_blocks import BlockSums, Sums
    from latticemetric.corpus.list_results import Corrections, OracleAtK, OracleAtKByMetric
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.metrics.recognition import GRR


class ListOracles(Resampled, Task):
    """The oracles of the first k hypotheses of all n-best lists together, and perhaps the scores of corrected texts.

    Attributes:
        metric: A recognition rate, or several: objects, or names with commas between them. Each list is read once.
        at: The values of k; `None` for the usual ones.
        corrected: Corrected texts, one per list, or a file of them.
    """

    verb = "lists"

    metric: Any = given(default=DEFAULT_METRICS)
    at: Collection[int] | None = given(
        default=None,
        option="--at NUMBERS",
        help="Use these values of k, such as 1,5,10; 1 and the length of the longest list are always added "
        "(default: 1,2,3,4,5,10,20,50,…).",
    )
    corrected: Any = given(
        default=None,
        option="--corrected FILE",
        help="Also score, by WER, the texts in FILE, one per list: corrected hypotheses, or ones chosen from the list.",
    )
    resamples: int = number_of_resamples(default=0)

    def check(self) -> None:
        """Replace the names of the metrics by the metrics; check the values of k."""
        super().check()
        from latticemetric.corpus.corrections import wer_among
        from latticemetric.corpus.oracle_at_k import points_within
        from latticemetric.metrics.recognition import as_recognition_rate

        vars(self)["metric"] = tuple(map(as_recognition_rate, listed_metrics(self.metric)[0]))
        refuse_twice([rate.name for rate in self.rates])
        if self.at is not None:
            points_within(self.at, 1)
        if self.corrected is not None:
            wer_among(self.rates)

    def uncounted(self) -> frozenset[str]:
        """Return the words that some metric does not count."""
        return uncounted_by(self.rates)

    @property
    def rates(self) -> tuple[GRR, ...]:
        """The metrics."""
        rates: tuple[GRR, ...] = self.metric
        return rates

    def found(self, corpus: ReadCorpus, run: Run) -> OracleAtKByMetric:
        """Return the oracles of all lists of a corpus that has references."""
        from latticemetric.corpus.list_blocks import BlockSums
        from latticemetric.corpus.list_results import OracleAtKByMetric

        rewrite = None if corpus.grammar is None else corpus.grammar.text
        settings = BlockSums(self.rates, self.at, corpus.weights, keep=bool(self.resamples), rewrite=rewrite)
        if self.corrected is None:
            sums, references = self._sums(corpus, run, settings)
            return OracleAtKByMetric(self._curves(sums, references, corpus))
        sums, references, judged = self._sums_and_corrections(corpus, run, settings)
        curves = self._curves(sums, references, corpus)
        return OracleAtKByMetric(
            tuple(replace(one, corrections=judged) if one.metric == "wer" else one for one in curves)
        )

    def _curves(self, sums: Iterable[Sums], references: int | str, corpus: ReadCorpus) -> tuple[OracleAtK, ...]:
        """Return the oracles by each metric, from the sums of all blocks of lists."""
        from latticemetric.corpus.oracle_at_k import curve_of

        parts, curves = list(sums), []
        for position, rate in enumerate(self.rates):
            curve = curve_of([part[position] for part in parts], rate, at=self.at, **self.resampling)
            signature = rate.signature_for(references).also(norm=corpus.rewritten_by)
            if corpus.grammar is not None:
                signature = signature.also(readings=corpus.grammar.readings_of_text)
            curves.append(replace(curve, signature=str(signature)))
        return tuple(curves)

    def _sums(self, corpus: ReadCorpus, run: Run, settings: BlockSums) -> tuple[Iterable[Sums], int | str]:
        """Return the sums of each block of lists, and the number of references per list."""
        from latticemetric.corpus.list_blocks import TableSums, sums_of_pairs
        from latticemetric.display.progress import progress

        if (blocks := corpus.blocks()) is not None:
            prepare = corpus.preparing(removing=removes(self.rates, corpus))
            sums = TableSums(
                progress(blocks, None, "blocks") if run.watched else blocks, corpus.reading.reference_field, prepare
            )
            return sums.each(settings, run.workers), sums.references
        # `settings` normalizes, so that lists stay lists.
        paired = corpus.required_pairs(run, removing=removes(self.rates, corpus), rewriting=False)
        return sums_of_pairs(paired.pairs, settings), paired.references

    def _sums_and_corrections(
        self, corpus: ReadCorpus, run: Run, settings: BlockSums
    ) -> tuple[Iterable[Sums], int | str, Corrections]:
        """Return the sums, the number of references per list, and the results of the corrected texts."""
        from latticemetric.corpus.corrections import corrections, wer_among
        from latticemetric.corpus.lists import corrected_texts, lists_of_pairs, rewritten

        removing, wer = removes(self.rates, corpus), wer_among(self.rates)
        paired = corpus.required_pairs(run, removing=removing, rewriting=False)
        pairs = list(paired.pairs)
        lists = lists_of_pairs(pairs)
        if settings.rewrite is not None:
            lists = rewritten(lists, settings.rewrite)
        texts = corrected_texts(self.corrected, lists.names, corpus, removing=removing)
        ignore = wer.ignore | wer.wildcard
        judged = corrections(lists.lists, lists.references, texts, weights=corpus.weights, ignore=ignore)
        return [replace(settings, rewrite=None).of_lists(pairs, lists)], paired.references, judged
