"""A picture of one graph of a corpus. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, cast

from latticemetric.corpus.metric_question import removes
from latticemetric.corpus.question import Scaled, Task
from latticemetric.errors import InputError, UsageError, harmless, placed, shortened
from latticemetric.settings import BEAM, choice, flag, given, like, whole

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.drawing.api import Drawing
    from latticemetric.formats.registry import Entry
    from latticemetric.graph import Graph
    from latticemetric.lattice.columns import Weights
    from latticemetric.metrics.base import GraphReference
    from latticemetric.metrics.recognition import GRR

    References = list[GraphReference]

T = TypeVar("T", "Entry", "Pair")

_MOST_NAMED = 5


class GraphPicture(Scaled, Task):
    """A drawing of a graph, of its confusion network or derivation tree, or of the automaton of a metric.

    Attributes:
        kind: What to draw: `graph`, `network`, `tree` (of a forest) or `automaton` (of the metric, for the reference).
        metric: A recognition rate, or its name.
        oracle: Highlight the path that scores best against the reference.
        one_best: Highlight the model's 1-best.
        mbr: Highlight the answer of n-gram MBR.
        posteriors: Write posteriors (probabilities of arcs) under words.
        expected: Write the expected rate of the paths through each arc, and colour the arc by this rate.
        scores: The score columns to write under words.
        times: Write times under states.
        most_drawn: Draw only the best paths, with at most this number of states; 0 to draw all.
        beam: Draw only the paths that cost at most this much more than the best path.
    """

    verb = "draw"
    section = "Picture"
    without_effect: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "graph": (),
        "network": ("oracle", "one_best", "mbr", "scores", "times", "beam", "expected"),
        "tree": ("posteriors", "scores", "times", "beam", "most_drawn", "expected"),
        "automaton": (
            "oracle", "one_best", "mbr", "posteriors", "scores", "times", "beam", "most_drawn", "expected",
        ),
    }  # fmt: skip
    """The settings that do not change drawings of each kind."""

    kind: Literal["graph", "network", "tree", "automaton"] = choice(
        default="graph",
        names=("graph", "network", "tree", "automaton"),
        help="Draw the graph, its confusion network, a derivation tree of a forest, or the metric's automaton.",
        option="--kind",
    )
    oracle: bool = flag(
        default=False, help="Highlight the path that scores best against the reference.", option="--oracle"
    )
    one_best: bool = flag(default=False, help="Highlight the model's 1-best.", option="--one-best")
    mbr: bool = flag(default=False, help="Highlight the answer of n-gram MBR.", option="--mbr")
    metric: str | GRR = given(default="wer")
    posteriors: bool = flag(
        default=False, help="Write posteriors (probabilities of arcs) under words.", option="--posteriors"
    )
    expected: bool = flag(
        default=False,
        help="Write the expected rate of the paths through each arc; colour the arc by this rate.",
        option="--expected",
    )
    scores: Collection[str] = given(
        default=(),
        help="Write these score columns under words, such as acoustic,lm.",
        option="--scores NAMES",
    )
    times: bool = flag(default=True, help="Write times under states.")
    most_drawn: int = whole(
        default=60,
        least=0,
        help="Draw only the best paths, with at most N states; 0: draw all.",
        option="--most-drawn N",
    )
    beam: float | None = like(BEAM)

    def check(self) -> None:
        """Replace the name of the metric by the metric; refuse settings that have no effect."""
        from latticemetric.metrics.recognition import as_recognition_rate

        for name in self.changed():
            if name in self.without_effect[self.kind]:
                what = f"{name} has no effect with kind='{self.kind}'"
                raise UsageError(what, advice="leave it out, or choose kind='graph'")
        vars(self)["metric"] = as_recognition_rate(self.metric)

    @property
    def rate(self) -> GRR:
        """The metric."""
        return cast("GRR", self.metric)

    @property
    def needs_references(self) -> bool:
        """True if the picture shows how a graph compares with its references."""
        return self.oracle or self.expected or self.kind == "automaton"

    def drawing(
        self, corpus: ReadCorpus, run: Run, name: str | None = None, references: Iterable[Sequence[str]] | None = None
    ) -> Drawing:
        """Draw one graph of a corpus.

        Args:
            corpus: The graphs.
            run: The run that reads them.
            name: The id of the graph; not needed if there is only one.
            references: The words of its references, in place of those of the corpus.
        """
        if references is None and self.needs_references:
            pairs = corpus.required_pairs(run, removing=removes([self.rate], corpus)).pairs
            pair = _with_id((one for one in pairs if one.entry is not None), name, corpus.place)
            if pair.problem is not None:
                raise pair.problem
            assert pair.entry is not None
            entry, compared = pair.entry, pair.graph_references()
        else:
            entry = _with_id(corpus.entries(run), name, corpus.place)
            compared = [tuple(one) for one in references or ()]
        with placed(entry.place):
            graph = entry.build()
        return self.automaton(compared) if self.kind == "automaton" else self._of(graph, compared, corpus.weights)

    def automaton(self, references: References) -> Drawing:
        """Draw the automaton of the metric for a reference."""
        from latticemetric.drawing.api import draw

        if len(references) > 1:
            raise UsageError(
                f"an automaton is drawn for one reference, but there are {len(references)}",
                advice="give one text with references=…",
            )
        return draw(self.rate, reference=references[0])

    def _of(self, graph: Graph, references: References, weights: Weights) -> Drawing:
        from latticemetric.drawing.api import draw
        from latticemetric.graph import as_lattice_or_forest
        from latticemetric.posterior.posteriors import posteriors

        # Keep the columns of scores that are shown.
        shape = as_lattice_or_forest(graph, {**dict.fromkeys(self.scores, 0.0), **weights})
        most_drawn, posterior_scale = self.most_drawn or None, self.posterior_scale
        if self.kind == "network":
            from latticemetric.mbr_decoding.consensus import consensus

            return draw(consensus(shape, posterior_scale=posterior_scale, weights=weights), most_drawn=most_drawn)
        ways = self._ways(shape, references, weights)
        if self.kind == "tree":
            return _tree(shape, ways)
        found: Any = None
        if self.posteriors or self.expected:
            found = posteriors(shape, posterior_scale=posterior_scale, weights=weights)
        return draw(
            shape,
            ways=ways,
            posteriors=found if self.posteriors else None,
            rates=self._rates(shape, references, found, weights) if self.expected else None,
            scores=list(self.scores),
            times=self.times,
            beam=self.beam,
            weights=weights,
            most_drawn=most_drawn,
        )

    def _ways(self, shape: Graph, references: References, weights: Weights) -> dict[str, Any]:
        """Return the paths or derivations to highlight, by name."""
        ways: dict[str, Any] = {}
        if self.oracle:
            from latticemetric.oracle_search.oracle import oracle

            ways["oracle"] = oracle(shape, references, self.rate, weights=weights)
        # A tree shows one derivation: the 1-best, unless the oracle or the MBR answer is chosen.
        if self.one_best or (self.kind == "tree" and not (self.oracle or self.mbr)):
            from latticemetric.oracle_search.search_space import as_search_space

            best = ways.get("oracle")
            ways["1-best"] = best.one_best if best else as_search_space(shape, self.rate, weights).one_best().tolist()
        if self.mbr:
            from latticemetric.mbr_decoding.mbr import mbr
            from latticemetric.mbr_decoding.settings import ByNgrams

            ways["mbr"] = mbr(shape, ByNgrams(posterior_scale=self.posterior_scale), weights=weights)
        return ways

    def _rates(self, graph: Graph, references: References, distribution: Any, weights: Weights) -> Any:
        """Return the expected rate of the paths through each arc or edge."""
        from latticemetric.posterior.expected import expected

        scale = self.posterior_scale
        found = expected(
            graph, references, self.rate, posterior_scale=scale, weights=weights, gradient=True, distribution=False
        )
        if not found.exact:
            what = "this graph is too large for exact expected rates of its arcs"
            raise InputError(what, advice="prune it first: Corpus.pruned(beam=…)")
        return found.through(distribution.edge if hasattr(distribution, "edge") else distribution.arc, scale)


def _tree(shape: Graph, ways: Mapping[str, Any]) -> Drawing:
    """Draw the only derivation."""
    from latticemetric.drawing.api import draw
    from latticemetric.forest.forest import Forest

    if not isinstance(shape, Forest):
        raise UsageError("a lattice has no derivation trees", advice='choose kind="graph"')
    if len(ways) > 1:
        what = f"a tree shows one derivation, but {' and '.join(ways)} are given"
        raise UsageError(what, advice="choose one")
    (way,) = ways.values()
    return draw(shape.tree(getattr(way, "edges", way)))


def _with_id(graphs: Iterable[T], name: str | None, where: str) -> T:
    """Return the graph with this id; without an id, return the only graph."""
    known: dict[str, list[T]] = {}
    for one in graphs:
        known.setdefault(one.name, []).append(one)
    total = sum(map(len, known.values()))
    chosen = next(iter(known)) if name is None and total == 1 else name
    if chosen is not None and len(found := known.get(chosen, [])) > 0:
        if len(found) > 1:
            what = f"{len(found)} graphs have the id '{shortened(harmless(chosen))}'"
            raise InputError(what, where=where, advice="draw from a file in which the id is unique")
        return found[0]
    names = ", ".join(shortened(harmless(one)) for one in list(known)[:_MOST_NAMED])
    more = ", …" if len(known) > _MOST_NAMED else ""
    if chosen is None:
        raise UsageError(f"{where} holds {total} graphs", advice=f"choose one with id=…: {names}{more}")
    from latticemetric.likeness import Names

    meant = Names(known).like(chosen)
    advice = f"there are {names}{more}" if meant is None else f"did you mean '{shortened(harmless(meant))}'?"
    raise InputError(f"there is no graph '{shortened(chosen)}'", where=where, advice=advice)
