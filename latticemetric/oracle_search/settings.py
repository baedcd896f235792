"""The settings of searches for oracles: one class for each way to search. Nothing here imports NumPy.

>>> ByRate(metric="wer", hope=(1, 10)).hope
(1.0, 10.0)
>>> searched_by("bleu", {"hope": 1})
Traceback (most recent call last):
latticemetric.errors.UsageError: hope has no effect with BLEU, which searches all graphs together; leave it out, \
or search by a recognition rate
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from latticemetric.arguments import MOST_STRINGS
from latticemetric.errors import UsageError, require_pynini
from latticemetric.renamed import unknown_name
from latticemetric.settings import POSTERIOR_SCALE, Settings, choice, flag, given, like, numbers, whole

if TYPE_CHECKING:
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.bleu import BLEU
    from latticemetric.metrics.recognition import GRR
    from latticemetric.oracle_search.points import Points


class SearchSettings(Settings):
    """The settings that all searches share.

    Attributes:
        engine: `auto`, `native` or `openfst`. All return the same result.
    """

    section = "Search"
    described: ClassVar[str] = "a search"
    """What this kind searches by, for errors."""
    takes: ClassVar[frozenset[str]] = frozenset()
    """Names of further settings, inputs and outputs that a search supports.

    `alignments`: alignments and tags of words; `each`: workers of a cluster, shards, limits and resumption, since each
    graph is searched alone; `graphs`: graphs of all best paths; `ignore`: words that do not count; `rewriting`:
    grammars that rewrite texts; `parameters`: parameters of the metric; `several`: several metrics in one run.
    """
    engines: ClassVar[tuple[str, ...]] = ("native", "openfst")

    engine: Literal["auto", "native", "openfst"] = choice(
        default="auto",
        names=("auto", "native", "openfst"),
        option="--engine",
        help="Search engine; all engines give the same results.",
    )

    def check(self) -> None:
        """Raise `UsageError` if the engine does not support this search."""
        if self.engine not in ("auto", *self.engines):
            advice = f"choose {' or '.join(('auto', *self.engines))}"
            raise UsageError(f"the {self.engine} engine does not search by {self.described}", advice=advice)


class _Shown(SearchSettings):
    """The settings of what is shown beside oracles.

    Attributes:
        also_score: Metrics, or their names with commas between them, by which to score oracles and 1-bests, too.
        posteriors: True to also compute the posterior of each word, its confidence.
        posterior_scale: Factor of the costs, before they become probabilities.
    """

    section = "Also show"

    also_score: str | Collection[Metric[Any] | str] = given(
        default=(),
        option="--also-score NAMES",
        help="Also score oracles and 1-bests by these metrics, such as bleu-sbp,meteor.",
    )
    posteriors: bool = flag(default=False, option="--posteriors", help="Show the posterior (probability) of each word.")
    posterior_scale: float = like(POSTERIOR_SCALE, needs=("posteriors",))

    def check(self) -> None:
        """Replace the names of metrics by the metrics."""
        super().check()
        vars(self)["also_score"] = _metrics(self.also_score)

    @property
    def string_metrics(self) -> tuple[Metric[Any], ...]:
        """The metrics of `also_score`."""
        return cast("tuple[Metric[Any], ...]", self.also_score)


class ByRate(_Shown):
    """Search each graph for the path with the best recognition rate, and for further strings.

    Attributes:
        metric: A recognition rate, or its name: `wer`, `wrr`, `4-grr`, `cer`, …
        nbest: Also find this many strings with the best scores.
        hope: Weights; for each weight, also find the string with the largest weight · metric − cost.
        fear: Weights; for each weight, also find the string with the largest −weight · metric − cost.
        worst: True to also find the string with the worst score.
        on: What weights multiply: the metric's `rate`, or its `numerator`.
        graphs: True to also find the graph of all best paths.
    """

    section = "Also find"
    described = "a recognition rate"
    takes = frozenset({"alignments", "each", "graphs", "ignore", "parameters", "rewriting", "several"})

    metric: str | GRR = given(default="wer")
    nbest: int | None = whole(
        default=None,
        most=MOST_STRINGS,
        phrase="the number of best strings is {}",
        option="--nbest N",
        help="Also list the N best strings of each graph.",
    )
    hope: tuple[float, ...] = numbers(
        default=(),
        least=0,
        phrase="a weight of hope is {}",
        option="--hope W[,W…]",
        help="Also find the string with the largest W · metric − cost, for each weight W; for wer, the metric is "
        "1 − WER.",
    )
    fear: tuple[float, ...] = numbers(
        default=(),
        least=0,
        phrase="a weight of fear is {}",
        option="--fear W[,W…]",
        help="Also find the string with the largest −W · metric − cost, for each weight W.",
    )
    worst: bool = flag(default=False, option="--worst", help="Also find the string that scores worst.")
    on: Literal["rate", "numerator"] = choice(
        default="rate",
        names=("rate", "numerator"),
        needs=("hope", "fear"),
        option="--on",
        help="Apply the weights of --hope and --fear to the rate, or only to its numerator.",
    )
    graphs: bool = flag(default=False, help="Also find the graph of all best paths.")

    def check(self) -> None:
        """Replace the name of the metric by the metric, and the words by their set."""
        super().check()
        from latticemetric.metrics.recognition import as_recognition_rate

        vars(self)["metric"] = as_recognition_rate(self.metric)

    @property
    def rate(self) -> GRR:
        """The metric."""
        return cast("GRR", self.metric)

    @property
    def finds_more(self) -> bool:
        """True if graphs have more results than their oracles: other strings, or the graph of all best paths."""
        return bool(self.nbest or self.hope or self.fear or self.worst or self.graphs)


class ByCompounds(SearchSettings):
    """Search each graph for the path with the fewest word errors if adjacent words may be joined (`compound-wer`)."""

    described = "compound-wer"
    takes = frozenset({"each", "rewriting"})
    engines = ("openfst",)

    def check(self) -> None:
        """Raise an error if OpenFst is missing."""
        super().check()
        require_pynini()


class ByCorpusBLEU(SearchSettings):
    """Search all graphs together, for the paths with the best BLEU over all graphs.

    Attributes:
        metric: BLEU or BLEU-SBP, or its name.
        ignore: Words that do not count.
    """

    described = "BLEU, which searches all graphs together"
    takes = frozenset({"ignore", "parameters", "rewriting"})
    engines = ("native",)

    metric: str | BLEU = given(default="bleu")
    ignore: Collection[str] | str = given(default=frozenset())

    def check(self) -> None:
        """Replace the name of the metric by the metric, and the words by their set."""
        super().check()
        from latticemetric.formats.word_lists import given_words
        from latticemetric.oracle_search.corpus_bleu import as_bleu

        vars(self).update(metric=as_bleu(self.metric), ignore=given_words(self.ignore, "ignore"))

    @property
    def bleu(self) -> BLEU:
        """The metric."""
        return cast("BLEU", self.metric)


class ByAutomaton(SearchSettings):
    """Search each graph for the path with the best value under your own automaton.

    Attributes:
        automaton: A `pynini.Fst`, or the name of its file; see `automaton_oracle`.
    """

    described = "an automaton"
    takes = frozenset({"each"})
    engines = ("openfst",)

    automaton: Any = given(default=None)

    def check(self) -> None:
        """Read the automaton, if a file is named."""
        super().check()
        if self.automaton is None:
            raise UsageError("there is no automaton", advice="give a pynini.Fst, or the name of its file")
        if isinstance(self.automaton, str):
            from latticemetric.oracle_search.user_automaton import read_automaton

            vars(self)["automaton"] = read_automaton(self.automaton)


class PointSettings(Settings):
    """The sizes to which graphs are pruned, to find their oracles at each size.

    Attributes:
        beams: Keep the paths that cost at most this much more than the best path; several beams.
        densities: The largest densities: the number of arcs with a word, divided by the number of reference words.
        nbest_sizes: The sizes of n-best lists of distinct strings.
    """

    section = "Sizes"

    beams: Collection[float] = given(
        default=(),
        option="--beams COSTS",
        help="Prune by each of these beams, such as 1,2,4: keep paths that cost at most this much more than the best "
        "path.",
    )
    densities: Collection[float] = given(
        default=(),
        option="--densities NUMBERS",
        help="Prune to each of these densities or less, such as 1,5,10. The density is the number of arcs with a word, "
        "divided by the number of reference words.",
    )
    nbest_sizes: Collection[int] = given(
        default=(),
        option="--nbest-sizes NUMBERS",
        help="Prune to n-best lists of each of these sizes, such as 1,10,100: keep this many of the model's best "
        "strings.",
    )

    def check(self) -> None:
        """Sort the sizes, and drop duplicates."""
        super().check()
        from latticemetric.oracle_search.points import Points

        points = Points.of(self.beams, self.densities, self.nbest_sizes)
        vars(self).update(beams=points.beams, densities=points.densities, nbest_sizes=points.nbest)

    @property
    def points(self) -> Points:
        """The sizes."""
        from latticemetric.oracle_search.points import Points

        return Points(tuple(self.beams), tuple(self.densities), tuple(self.nbest_sizes))


KINDS: tuple[type[SearchSettings], ...] = (ByRate, ByCompounds, ByCorpusBLEU, ByAutomaton)
_FILE_OF_AUTOMATON = ".fst"


def searched_by(by: str | Metric[Any] | SearchSettings | Any, settings: Mapping[str, Any]) -> SearchSettings:
    """Return the settings that a metric (by name or as an object) or an automaton, and keywords, mean.

    Raises:
        UsageError: A keyword is not a setting of this search.
    """
    if isinstance(by, SearchSettings):
        if settings:
            raise UsageError(f"{by!r} and {', '.join(settings)} are given", advice="put all settings into one object")
        return by
    if isinstance(by, type) and issubclass(by, SearchSettings):
        raise UsageError(f"{by.__name__} is a class of settings", advice=f"give settings: {by.__name__}(…)")
    kind, values = kind_of(by)
    for name in settings:
        refuse_other(kind, name)
    return kind(**values, **settings)


def kind_of(by: str | Metric[Any] | Any) -> tuple[type[SearchSettings], dict[str, Any]]:
    """Return the kind of search that a metric or an automaton means, and the settings that it gives."""
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.recognition import GRR
    from latticemetric.metrics.registry import make_metric

    if names_automaton(by) or not isinstance(by, str | Metric):
        return ByAutomaton, {"automaton": by}
    metric = make_metric(by) if isinstance(by, str) else by
    if isinstance(metric, GRR):  # most runs need none of the others, and start faster without them
        return ByRate, {"metric": metric}
    from latticemetric.metrics.bleu import BLEU
    from latticemetric.metrics.compounds import CompoundWER

    if isinstance(metric, CompoundWER):
        return ByCompounds, {}
    return ByCorpusBLEU if isinstance(metric, BLEU) else ByRate, {"metric": metric}


def names_automaton(name: object) -> bool:
    """Return True if the name of a metric is the name of an automaton file."""
    return isinstance(name, str) and name.endswith(_FILE_OF_AUTOMATON)


def refuse_other(kind: type[SearchSettings], name: str, written: str | None = None) -> None:
    """Raise `UsageError` if a kind lacks a setting; say which kind has it.

    Args:
        kind: The kind of search.
        name: The name of a field, or of what `takes` lists.
        written: The setting as the user wrote it: an option of the command line.
    """

    def has(other: type[SearchSettings]) -> bool:
        return name in other.fields or name in other.takes

    if has(kind):
        return
    owner = next(filter(has, KINDS), None)
    if owner is None:
        known = [one for one in kind.fields if one not in ("metric", "automaton")]
        raise unknown_name(f"the search by {kind.described}", name, known)
    advice = f"leave it out, or search by {owner.described}"
    raise UsageError(f"{written or name} has no effect with {kind.described}", advice=advice)


def _metrics(several: str | Collection[Metric[Any] | str] | None) -> tuple[Metric[Any], ...]:
    """Return metrics that are given as objects or by name; a text may have several names, with commas between them."""
    from latticemetric.metrics.registry import make_metric

    listed = several.split(",") if isinstance(several, str) else several or ()
    metrics: dict[str, Metric[Any]] = {}
    for one in listed:
        metric: Metric[Any] = make_metric(one) if isinstance(one, str) else one
        if metrics.setdefault(metric.name, metric) is not metric:
            raise UsageError(f"metric '{metric.name}' is given twice", advice="leave one of them out")
    return tuple(metrics.values())
