"""A question to a corpus: its settings, the answers of a run, and their table. Nothing here imports NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from latticemetric.arguments import MOST_DRAWS
from latticemetric.errors import LatticeMetricError, UsageError
from latticemetric.settings import POSTERIOR_SCALE, SEED, Settings, like, number, whole

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.graph import Graph
    from latticemetric.metrics.recognition import GRR


class GraphAnswer(Protocol):
    """The answer of a graph. If the graph failed, `problem` is the error, and `where` is the graph's file and line."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def value(self) -> Any:
        """The result; `None` if the graph failed."""

    @property
    def problem(self) -> LatticeMetricError | None:
        """The error; `None` if there is a result."""

    @property
    def where(self) -> str:
        """The file and line of the graph."""


A = TypeVar("A", bound=GraphAnswer)


class Task(Settings):
    """The task of a run over a corpus. Its fields are its settings."""

    verb: ClassVar[str]
    """The verb of the command line."""

    @classmethod
    def _called(cls) -> str:
        return cls.verb

    def files(self) -> Sequence[str]:
        """Return the files that the settings name."""
        return ()

    def known(self) -> Sequence[Any]:
        """Return values that answers hold, too, so that journals need not hold them."""
        return ()

    def uncounted(self) -> frozenset[str]:
        """Return the words that the metrics do not count: those to ignore, and wildcards."""
        return frozenset()


class Question(Task, Generic[A]):
    """A question to each graph of a corpus: a task whose answers have a table."""

    with_graphs: ClassVar[str | None] = None
    """The setting by which answers have graphs that can be written; `None` if no setting gives them graphs."""
    has_plot: ClassVar[bool] = False
    """True if the table of the answers can be drawn."""

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[A]:
        """Yield the answer of each graph of the run, in order."""
        raise NotImplementedError

    def table(self, answers: Iterable[A], corpus: ReadCorpus, run: Run, looks: Looks) -> Table:
        """Return the table of the answers of a run, as the command line writes it."""
        raise NotImplementedError

    def graph_of(self, answer: A) -> Graph | None:
        """Return the graph of an answer, to be written beside the answers; `None` if there is none."""
        del answer
        return None


class GraphQuestion(Question["Answer"]):
    """A question to each graph, without its references."""

    weighted: ClassVar[bool] = True
    """True if the answer depends on the model's costs, so that the weights of scores must name columns of graphs."""
    quick: ClassVar[bool] = False
    """True if an answer takes little more time than reading a graph."""

    def asked(self, corpus: ReadCorpus) -> Callable[[Graph], Any]:
        """Return the function that answers the question about a graph."""
        raise NotImplementedError

    def answers(self, corpus: ReadCorpus, run: Run) -> Iterator[Answer]:
        """Yield the answer of each graph of the run, in order."""
        from latticemetric.corpus.answer import answers_of

        entries = corpus.entries(run, weighted=self.weighted)
        return answers_of(entries, self.asked(corpus), run, quick=self.quick)


def number_of_resamples(*, default: int) -> Any:
    """Declare the field of the number of resamples."""
    return whole(
        default=default,
        least=0,
        most=MOST_DRAWS,
        phrase="the number of resamples is {}",
        help="Number of resamples for intervals and p-values; 0: none.",
        option="--resamples N",
    )


class Resampled(Settings):
    """The settings of intervals by resampling.

    Attributes:
        resamples: The number of resamples for intervals; 0 for no intervals.
        seed: The seed of the resamples.
        confidence: The confidence level of the intervals.
    """

    section = "Intervals"
    resamples: int = number_of_resamples(default=1000)
    seed: int = like(SEED)
    confidence: float = number(
        default=0.95,
        above=0,
        below=1,
        phrase="the confidence level is {}",
        help="Confidence level of the intervals, as a fraction.",
        option="--confidence SHARE",
    )

    def check(self) -> None:
        """Refuse settings that have no effect."""
        super().check()
        if not self.resamples and (unused := [name for name in self.of_resamples() if name in self.changed()]):
            raise UsageError(f"{unused[0]} has no effect without resamples", advice="leave it out")

    def of_resamples(self) -> tuple[str, ...]:
        """Return the settings that have no effect without resamples."""
        return "seed", "confidence"

    @property
    def resampling(self) -> dict[str, Any]:
        """The settings by name."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": self.confidence}


class Scaled(Settings):
    """A question about the model's distribution.

    Attributes:
        posterior_scale: Factor of the costs, before they become probabilities; below 1, it makes the distribution
            flatter.
    """

    section = "Model scores"

    posterior_scale: float = like(POSTERIOR_SCALE)


def uncounted_by(metrics: Iterable[Any]) -> frozenset[str]:
    """Return the words that metrics do not count: those to ignore, and wildcards. Some metrics have none."""
    return frozenset[str]().union(*(getattr(one, name, ()) for one in metrics for name in ("ignore", "wildcard")))


def rate_of(metric: str | GRR, ignored: frozenset[str]) -> GRR:
    """Return the rate of this name, which ignores these words; a rate that is given as an object stays as it is."""
    from latticemetric.metrics.recognition import as_recognition_rate
    from latticemetric.metrics.registry import make_metric

    rate = as_recognition_rate(metric)
    return as_recognition_rate(make_metric(metric, ignore=ignored)) if isinstance(metric, str) and ignored else rate
