"""The question of oracles: in each graph, the path that scores best against the references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.metric_question import MetricQuestion, by_each, listed_metrics
from latticemetric.corpus.question import Question, uncounted_by
from latticemetric.errors import UsageError
from latticemetric.oracle_search.settings import ByAutomaton, ByCorpusBLEU, ByRate, SearchSettings, kind_of, searched_by
from latticemetric.settings import flag, given

if TYPE_CHECKING:
    from latticemetric.corpus.graphs import Written
    from latticemetric.corpus.oracles import OracleSearch
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.graph import Graph
    from latticemetric.metrics.recognition import GRR


class Oracles(MetricQuestion[Any]):
    """The oracle of each graph, by one search.

    Attributes:
        by: The settings of the search.
        tags: Tag words as OK or BAD; the text of the table is then the tags of the 1-best.
        alignment: Show alignments in the text of the table.
        sentence_scores: With `also_score` of a search: score each sentence, not only the corpus.
        written: The scores and labels of graphs that are written beside the answers; `None` to write none.
        removing: Remove the ignored words of the corpus from its texts. If the metrics ignore them themselves, they
            stay in results.
    """

    verb = "oracle"
    with_graphs = "graphs=True"

    by: SearchSettings = given(default=None)
    tags: bool = flag(default=False, help="Tag words as OK or BAD.")
    alignment: bool = flag(default=False, help="Show the alignment of words in text output.")
    sentence_scores: bool = flag(default=True, help="Score each sentence, not only the corpus.")
    written: Written | None = given(default=None, internal=True)
    removing: bool = flag(default=True, help="Remove the ignored words from texts, since no metric ignores them.")

    @property
    def rate(self) -> GRR:
        """The rate of a search by a rate."""
        assert isinstance(self.by, ByRate)
        return self.by.rate

    def uncounted(self) -> frozenset[str]:
        """Return the words that the search does not count."""
        return uncounted_by([self.by, *(getattr(self.by, name, None) for name in ("rate", "metric"))])

    def removes(self, corpus: ReadCorpus) -> bool:  # noqa: ARG002
        """Return True if the ignored words are removed from texts."""
        return self.removing

    def search(self, corpus: ReadCorpus) -> OracleSearch:
        """Return the search of each graph by a rate."""
        from latticemetric.corpus.oracles import OracleSearch, scorer_of

        assert isinstance(self.by, ByRate)
        scorer = scorer_of(self.by, corpus.rewritten_by, each=self.sentence_scores)
        return OracleSearch(self.by, corpus.weights, scorer)

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Any]:
        """Yield the answer of each graph of the run, in order."""
        from latticemetric.corpus.oracles import oracles_of

        how = {"removing": self.removing, "required": not isinstance(self.by, ByAutomaton)}
        return oracles_of(
            corpus.required_pairs(run, **how).pairs,
            self.by,
            run,
            weights=corpus.weights,
            rewritten_by=corpus.rewritten_by,
            sentence_scores=self.sentence_scores,
        )

    def table(self, answers: Iterable[Any], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the answers."""
        from latticemetric.corpus.tables.oracles import oracle_table

        return oracle_table(
            answers,
            self.by,
            corpus.references,
            rewritten_by=corpus.rewritten_by,
            shard=run.shard,
            looks=looks,
            tags=self.tags,
            alignment=self.alignment,
        )

    def graph_of(self, answer: Any) -> Graph | None:
        """Return the graph of the best paths of an answer."""
        margins = getattr(answer, "margins", None)
        if margins is None or margins.graph is None:
            return None
        from latticemetric.corpus.graphs import AS_IT_IS, converted

        return converted(margins.graph, self.written or AS_IT_IS)

    def known(self) -> Sequence[Any]:
        """Return values that answers hold, too."""
        return [self.by]


def question_of(metric: Any, ignored: frozenset[str], settings: Mapping[str, Any], **looks: Any) -> Question[Any]:
    """Return the question of oracles by one or several metrics.

    Args:
        metric: A metric, an automaton or settings; several are a list, or names with commas between them. A list
            asks by each metric, even if it has only one.
        ignored: Words that do not count. Rates and BLEU that are given by name ignore them themselves.
        settings: Further settings of each search.
        looks: What tables show: `tags`, `alignment`.
    """
    names, several = listed_metrics(metric)
    by_name = all(isinstance(one, str) and kind_of(one)[0] in (ByRate, ByCorpusBLEU) for one in names)
    searches = [_search(one, ignored if by_name else frozenset(), settings) for one in names]
    return oracles_by(searches, several=several, removing=not by_name, **looks)


def oracles_by(searches: Sequence[SearchSettings], *, several: bool = False, **settings: Any) -> Question[Any]:
    """Return the question of oracles by one or several searches.

    Args:
        searches: The settings of each search.
        several: Answer by each metric, even if there is only one.
        settings: Further settings of `Oracles`.
    """
    several = several or len(searches) > 1
    for one in searches if several else ():
        if "several" not in one.takes:
            what = f"a search by {one.described} takes no other metric beside it"
            raise UsageError(what, advice="name it alone")
    return by_each([Oracles(by=one, **settings) for one in searches], several=several)


def _search(metric: Any, ignored: frozenset[str], settings: Mapping[str, Any]) -> SearchSettings:
    """Return the search by a metric that ignores these words."""
    if not ignored:
        return searched_by(metric, settings)
    if kind_of(metric)[0] is ByCorpusBLEU:
        return searched_by(metric, {"ignore": ignored, **settings})
    from latticemetric.metrics.registry import make_metric

    return searched_by(make_metric(metric, ignore=ignored), settings)
