"""The task of a report: a page of HTML about oracles, 1-bests and MBR answers. Nothing here imports NumPy."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.metric_question import DEFAULT_METRICS, listed_metrics, refuse_twice, removes
from latticemetric.corpus.question import Resampled, Scaled, Task, uncounted_by
from latticemetric.errors import UsageError
from latticemetric.oracle_search.settings import ByRate, PointSettings
from latticemetric.settings import BEAM, SAMPLES, flag, given, like, whole

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.report.corrections import CorrectedTexts
    from latticemetric.corpus.report.options import ReportOptions
    from latticemetric.corpus.report.report import Report
    from latticemetric.corpus.review import MBRSettings, Review, ReviewSettings
    from latticemetric.corpus.run import Run
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.recognition import GRR

    Reviews = Iterator[Review]

_NO_MBR = "none"
# Settings that the page does not list: it shows them elsewhere, or they are no plain values.
_NOT_LISTED = {"title", "resamples", "seed", "said"}


class Pages(Scaled, Resampled, PointSettings, Task):
    """A page about the oracle, the 1-best and the MBR answer of each graph.

    Attributes:
        metric: A recognition rate, or several: objects, or names with commas between them. The page is by the first;
            the others have totals, and a rate for each graph.
        mbr_by: How MBR decides: `ngram`, `wer` or a metric; `auto`: by n-grams for forests, by word errors for other
            graphs; `none`: no MBR.
        beam: For MBR: keep only the paths that cost at most this much more than the best path.
        samples: For MBR by a metric: draw this number of paths instead of listing all.
        expected: Also show the expected rate of each graph, and of the paths through each arc.
        also_score: Further metrics, by which oracles, 1-bests and MBR answers are scored, too.
        corrected: Corrected texts of n-best lists, one per list, or a file with them; see `corrections`. Only for
            pages by `wer`.
        utt2spk: The speaker of each id, or a file with them, to count errors by speaker; by default, ids contain the
            speaker.
        title: The title of the page; by default, the name of the graphs' file.
        most_graphs: The number of graphs to draw: those with the largest difference between 1-best and oracle.
        engine: The search engine.
        said: The files and settings that the page lists; by default, those that were given.
    """

    verb = "report"
    section = "Page"

    metric: Any = given(default=DEFAULT_METRICS)
    mbr_by: Any = given(
        default="auto",
        option="--mbr-by NAME",
        help="Method of the MBR answers: ngram, wer or a metric; none: no MBR; auto: ngram for forests, wer for all "
        "others.",
    )
    beam: float | None = like(
        BEAM, help="For MBR: keep only the paths that cost at most this much more than the best path."
    )
    samples: int | None = like(SAMPLES, help="For MBR by a metric: sample N paths instead of listing all strings.")
    expected: bool = flag(
        default=False,
        option="--expected",
        help="Also show the expected rate of each graph, and of the paths through each arc.",
    )
    also_score: Any = like(ByRate.fields["also_score"])
    corrected: CorrectedTexts | None = given(default=None)
    utt2spk: Mapping[str, str] | str | os.PathLike[str] | None = given(default=None)
    title: str | None = given(
        default=None, option="--title TEXT", help="Title of the page (default: the name of the graphs' file)."
    )
    most_graphs: int = whole(
        default=100,
        least=0,
        phrase="the largest number of graphs is {}",
        option="--most-graphs N",
        help="Draw at most N graphs: those with the largest difference between 1-best and oracle.",
    )
    engine: str = like(ByRate.fields["engine"])
    said: tuple[tuple[str, str], ...] | None = given(default=None, internal=True)

    def check(self) -> None:
        """Replace the names of metrics by metrics; refuse settings without effect."""
        super().check()
        from latticemetric.corpus.corrections import wer_among
        from latticemetric.metrics.recognition import as_recognition_rate
        from latticemetric.metrics.registry import make_metric

        unused = [] if self._decides else [name for name in ("beam", "samples") if name in self.changed()]
        if unused:
            raise UsageError(f"{unused[0]} has no effect without MBR", advice="leave it out")
        vars(self)["metric"] = tuple(map(as_recognition_rate, listed_metrics(self.metric)[0]))
        refuse_twice([rate.name for rate in self.rates])
        also = self.also_score
        several = also.split(",") if isinstance(also, str) else also
        vars(self)["also_score"] = tuple(make_metric(one.strip()) if isinstance(one, str) else one for one in several)
        if self.corrected is not None and wer_among(self.rates) is not self.rate:
            what = f"corrected texts are shown by wer, but the page is by {self.rate.name}, the first metric"
            raise UsageError(what, advice="name wer first")
        self._decoding()  # refuses unknown methods

    def of_resamples(self) -> tuple[str, ...]:
        """Return the settings that have no effect without resamples; the seed is that of `samples`, too."""
        return ("confidence",)

    def uncounted(self) -> frozenset[str]:
        """Return the words that some metric does not count."""
        return uncounted_by(self.rates)

    @property
    def rates(self) -> tuple[GRR, ...]:
        """The metrics."""
        rates: tuple[GRR, ...] = self.metric
        return rates

    @property
    def rate(self) -> GRR:
        """The metric of the page, the first."""
        return self.rates[0]

    @property
    def _decides(self) -> bool:
        return self.mbr_by is not None and self.mbr_by != _NO_MBR

    def _decoding(self) -> MBRSettings | None:
        if not self._decides:
            return None
        from latticemetric.corpus.review import MBRSettings

        return MBRSettings.of(self.mbr_by, beam=self.beam, samples=self.samples, seed=self.seed)

    def files(self) -> Sequence[str]:
        """Return the files that the settings name."""
        named = (self.corrected, self.utt2spk)
        return [os.fspath(one) for one in named if isinstance(one, str | os.PathLike)]

    def report(
        self, corpus: ReadCorpus, run: Run, noted: Callable[[Reviews], Reviews] = lambda reviews: reviews
    ) -> Report:
        """Return the report; `noted` passes on the results of each graph."""
        from latticemetric.corpus.report.report import Report
        from latticemetric.corpus.review import reviews_of

        review, options = self._review(corpus), self._options(corpus)
        paired = corpus.required_pairs(run, removing=removes(self.rates, corpus), rewriting=self.corrected is None)
        report = Report(review, options, paired.references, corpus.rewritten_by)
        pairs = paired.pairs if self.corrected is None else self._with_corrections(report, paired.pairs, corpus)
        report.add_all(noted(reviews_of(pairs, review, run)))
        return report

    def _review(self, corpus: ReadCorpus) -> ReviewSettings:
        from latticemetric.corpus.review import ReviewSettings
        from latticemetric.corpus.string_scores import StringScorer

        metrics: tuple[Metric[Any], ...] = self.also_score
        return ReviewSettings(
            self.rate,
            self.points,
            further=self.rates[1:],
            decoding=self._decoding(),
            weights=corpus.weights,
            engine=self.engine,
            scorer=StringScorer(metrics, self.rate.ignore, normalize=corpus.rewritten_by) if metrics else None,
            posterior_scale=self.posterior_scale,
            drawn=self.most_graphs > 0,
            expected=self.expected,
        )

    def _options(self, corpus: ReadCorpus) -> ReportOptions:
        from latticemetric.corpus.report.options import ReportOptions
        from latticemetric.formats.segments import read_speakers

        speakers: Any = self.utt2spk
        return ReportOptions(
            title=self.title or corpus.title,
            most_graphs=self.most_graphs,
            **self.resampling,
            settings=self._said(corpus) if self.said is None else self.said,
            speakers=read_speakers(os.fspath(speakers)) if isinstance(speakers, str | os.PathLike) else speakers,
        )

    def _said(self, corpus: ReadCorpus) -> tuple[tuple[str, str], ...]:
        """Return the settings of reading and of the page that differ from their defaults, and are plain values."""
        changed = {name: getattr(corpus.reading, name) for name in corpus.reading.changed()}
        changed |= {name: getattr(self, name) for name in self.changed() if name not in _NOT_LISTED}
        changed["metric"] = ",".join(rate.name for rate in self.rates)
        return (("graphs", corpus.title), *((name, str(one)) for name, one in changed.items() if _is_plain(one)))

    def _with_corrections(self, report: Report, pairs: Iterable[Pair], corpus: ReadCorpus) -> Iterator[Pair]:
        """Add corrected texts to a report; return the n-best lists to show, normalized as these texts."""
        from latticemetric.corpus.lists import corrected_texts, lists_of_pairs, rewritten_pairs
        from latticemetric.corpus.report.corrections import CorrectedLists

        listed = list(pairs if corpus.grammar is None else rewritten_pairs(pairs, corpus.grammar.text))
        lists = lists_of_pairs(listed)
        texts = corrected_texts(self.corrected, lists.names, corpus, removing=removes(self.rates, corpus))
        report.corrected = CorrectedLists.of(lists, texts, self.rate, corpus.weights)
        return iter(listed)


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    several = value if isinstance(value, list | tuple) else [value]
    return all(isinstance(one, str | int | float) for one in several)
