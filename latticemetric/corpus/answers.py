"""Apply a function to many graphs, and yield one answer per graph.

Commands of the command line use the functions of this module; `ask_each` takes your own function.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from latticemetric.arguments import refuse_unused
from latticemetric.corpus.pairing import Pair, Style, built, pair_up
from latticemetric.corpus.run import Placed, Run, answer_each
from latticemetric.errors import InputError, LatticeMetricError, placed
from latticemetric.forest.forest import Forest
from latticemetric.formats.reading import as_vocabulary, entries
from latticemetric.formats.references import read_references
from latticemetric.formats.registry import Entry
from latticemetric.graph import Graph, as_lattice, as_lattice_or_forest, named_graphs, path_fields, plain_path
from latticemetric.lattice.lattice import Lattice, Scales, Steps
from latticemetric.mbr_decoding.settings import ByMetric, ByNgrams, Decision, metric_of
from latticemetric.nbest import NBest
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import Workers
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.posterior.listing import PosteriorListing

Record = dict[str, Any]
Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


@dataclass(frozen=True)
class Answer:
    """The answer for one graph: a result or an error.

    Attributes:
        name: The graph's id.
        value: The result; `None` if there is an error.
        problem: The error; `None` if there is a result.
        where: The file and line of the graph.
        format: The format of the graph's file.
    """

    name: str
    value: Any
    problem: LatticeMetricError | None = None
    where: str = ""
    format: str = ""


def answers_of(entries: Iterable[Entry], ask: Callable[[Graph], Any], run: Run) -> Iterator[Answer]:
    """Call `ask` on each graph; yield the answers in order. See `answer_each`."""
    return answer_each(partial(_answer, ask), failed, entries, run)


def _answer(ask: Callable[[Graph], Any], entry: Entry) -> Answer:
    with placed(entry.place):
        return Answer(entry.name, ask(entry.build()), where=entry.where, format=entry.format)


def failed(graph: Placed, error: InputError) -> Answer:
    """Return the answer for a graph that failed with `error`."""
    return Answer(graph.name, None, error, graph.where)


def ask_each(
    ask: Callable[..., Any],
    graphs: Paths | Iterable[tuple[str, Graph]],
    references: Paths | None = None,
    *,
    workers: Workers = 1,
    keep_going: bool = False,
    timeout: float | None = None,
    max_memory: int | None = None,
    format: str | None = None,
    symbols: str | os.PathLike[str] | Vocabulary | None = None,
    style: Style = "auto",
) -> Iterator[Answer]:
    """Call `ask` on many graphs, several at once; yield answers in the order of the graphs.

    Only a few graphs are in memory at a time. If you give file names, the workers read the files themselves.

    Args:
        ask: A function of a graph or, with references, of a graph and its references. With several workers, its results
            must be picklable; with a Dask client, the function must be picklable, too.
        graphs: Files, folders or globs, as for `read`; or pairs of a name and a graph.
        references: Files of references, as for the command line.
        workers: The number of processes, or a Dask client. With 1, no process starts, unless there is a `timeout` or
            `max_memory`.
        keep_going: True to return an answer with a `problem` for a graph that fails, instead of ending the run.
        timeout: Seconds per graph; if a graph takes longer, it fails.
        max_memory: Bytes per graph; if a graph needs more, it fails. Linux only.
        format: The format of the files; by default, detected from the content.
        symbols: A symbol table (or its file) that maps word numbers to words.
        style: `keyed` if reference lines begin with ids, `plain` if not, `auto` to detect this.

    Raises:
        InputError: A graph failed, and `keep_going` is False.

    Examples:
        >>> from functools import partial
        >>> from latticemetric import Lattice, consensus
        >>> lattices = [("one", Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0]))]
        >>> for answer in ask_each(partial(consensus, scale=0.5), lattices):
        ...     print(answer.name, answer.value.words)
        one ('a', 'b')
    """
    if references is None:
        refuse_unused(ask_each, "without references", style=style)
    vocabulary = as_vocabulary(symbols)
    run = Run(workers, keep_going, Limits(timeout, max_memory))
    named = _paths(graphs)
    if named is not None:
        listed = entries(named, format, vocabulary)
    else:
        in_memory: Any = graphs
        pairs = named_graphs(in_memory)
        listed = (Entry(name, name, partial(_identity, graph), naming="own") for name, graph in pairs)
    if references is None:
        return answers_of(listed, ask, run)
    files = [read_references(path, vocabulary) for path in _paths(references) or []]
    return answer_each(partial(_answer_by_references, ask), failed, pair_up(listed, files, style), run)


def _answer_by_references(ask: Callable[..., Any], pair: Pair) -> Answer:
    with built(pair) as (graph, references):
        assert pair.entry is not None
        return Answer(pair.name, ask(graph, references), where=pair.where, format=pair.entry.format)


def _paths(given: Any) -> list[str] | None:
    """Return the file names as a list; `None` if `given` consists of graphs."""
    if isinstance(given, str | os.PathLike):
        return [os.fspath(given)]
    if isinstance(given, Sequence) and given and all(isinstance(one, str | os.PathLike) for one in given):
        return [os.fspath(one) for one in given]
    return None


def _identity(graph: Graph) -> Graph:
    return graph


# ---- Functions of one graph, without references ----


def described(graph: Graph) -> Record:
    """Return the sizes of a graph. For a forest, `states` are nodes, `arcs` are edges, and `paths` are derivations."""
    if isinstance(graph, Lattice):
        return {"kind": "lattice", "arity": 1} | graph.statistics().asdict()
    if isinstance(graph, NBest):
        # There may be many features: list their names without building all columns.
        sizes = graph.to_lattice(keep=()).statistics().asdict()
        return {"kind": "nbest", "arity": 1} | sizes | {"scores": graph.score_names()}
    names = {"nodes": "states", "edges": "arcs", "goals": "final_states", "derivations": "paths"}
    sizes = {names.get(name, name): size for name, size in graph.statistics().asdict().items() if name != "height"}
    epsilons = int((graph.target.lengths() == 0).sum())
    return {"kind": "forest"} | sizes | {"epsilons": epsilons, "depth": None, "density": None}


@dataclass(frozen=True)
class Written:
    """The choice of the scores and labels that are written with a graph.

    Attributes:
        summed_by: Scales, to write one score per arc: its cost under these scales; `None` to write all scores.
        scores_off: True to write no scores; n-best lists are then sorted by cost.
        drop_labels: True to write no labels.
    """

    summed_by: Scales | None = None
    scores_off: bool = False
    drop_labels: bool = False


def converted(graph: Graph, written: Written) -> Graph:
    """Return the graph with only the scores and labels that `written` selects."""
    from latticemetric.formats.columns import summed, without_labels, without_scores

    if written.summed_by is not None:
        graph = summed(graph, written.summed_by)
    if written.scores_off:
        graph = without_scores(graph)
    return without_labels(graph) if written.drop_labels else graph


def pruned(
    graph: Graph, written: Written, *, beam: float | None, density: float | None, nbest: int | None, scales: Scales
) -> Graph:
    """Prune a graph; keep only the scores and labels that `written` selects."""
    if density is None or isinstance(graph, Lattice):
        limits = {"beam": beam, "nbest": nbest} | ({"density": density} if density is not None else {})
        return converted(graph.pruned(scales=scales, **limits), written)  # type: ignore[arg-type]
    what = "an n-best list" if isinstance(graph, NBest) else "a forest"
    raise InputError(f"{what} has no density", advice="prune it by --beam or --nbest")


def determinized(graph: Graph, written: Written, *, scales: Scales) -> Graph:
    """Return the smallest lattice with the best path of each string.

    Keep only the scores and labels that `written` selects.
    """
    from latticemetric.formats.columns import warn_of_rank

    if isinstance(graph, NBest):
        warn_of_rank(graph, scales)
        return converted(graph.determinized(scales, merge="best"), written)
    return converted(as_lattice(graph, advice="only lattices can be determinized").determinized(scales), written)


def minimized(graph: Graph, written: Written) -> Graph:
    """Keep only the scores and labels that `written` selects, then merge equivalent states of the lattice."""
    from latticemetric.formats.columns import to_lattice

    return to_lattice(converted(graph, written)).minimized()


def nbest_records(
    graph: Graph, n: int, written: Written | None, *, scales: Scales, paths: bool
) -> tuple[list[Record], Graph | None]:
    """Return one record for each of the n best strings, and the n-best list to write (`None` if `written` is `None`).

    If `paths` is true, the records and the list have the n best paths instead.
    """
    searched = as_lattice_or_forest(graph, scales)
    found = searched.n_best(n, scales, paths=paths)
    cost = searched.cost(scales)
    records = [
        {
            "rank": rank,
            "hypothesis": " ".join(searched.words(path)),
            "cost": searched.cost_of(path, cost),
            "scores": searched.scores_along(path),
            **_path_numbers(searched, path),
        }
        for rank, path in enumerate(found, start=1)
    ]
    if written is None:
        return records, None
    return records, converted(NBest.from_graph(graph, n, scales, paths=paths), written)


def _path_numbers(graph: Lattice | Forest, path: Steps) -> Record:
    return plain_path(SimpleNamespace(**path_fields(graph, path)))


def listed_posteriors(
    graph: Graph, *, scale: float, scales: Scales | None, options: Mapping[str, Any], with_lattice: bool
) -> tuple[PosteriorListing, Lattice | None]:
    """Return the result of `listing` with `options`, and the lattice with posteriors if `with_lattice`, else `None`."""
    from latticemetric.posterior.listing import listing
    from latticemetric.posterior.posteriors import posteriors

    if not with_lattice and options["of"] != "arcs":
        return listing(posteriors(graph, scale=scale, scales=scales), **options), None
    lattice = as_lattice(graph, scales, advice="use --of edges for forests, without --write-lattices")
    distribution = posteriors(lattice, scale=scale, scales=scales)
    return listing(distribution, **options), distribution.to_lattice() if with_lattice else None


# The functions for MBR return the records of a graph, and the lattice to write, or `None`.


Decoded: TypeAlias = "tuple[list[Record], Lattice | None, tuple[str, ...]]"
"""The records of a graph that was decoded, the lattice with gains, and the words of the first record."""


def mbr_records(
    graph: Graph,
    evidence: Graph | None = None,
    *,
    settings: Sequence[Decision],
    scales: Scales | None,
    rewritten_by: str | None = None,
    ignored: Collection[str] = (),
) -> Decoded:
    """Decode a graph by minimum Bayes risk; return one record per setting.

    The signature of a metric also names the steps that rewrote the texts (`rewritten_by`) and the words removed from
    them (`ignored`).
    """
    from latticemetric.mbr_decoding.mbr import mbr, mbr_grid

    by_ngrams = [by for by in settings if isinstance(by, ByNgrams)]
    if len(by_ngrams) == len(settings):
        answers = mbr_grid(graph, by_ngrams, evidence=evidence, scales=scales)
        return [answer.asdict() for answer in answers], None, answers[0].words
    (by,) = settings  # other kinds have no grid
    answer = mbr(graph, by, evidence=evidence, scales=scales)
    record = answer.asdict()
    if isinstance(by, ByMetric):
        signature = metric_of(by.metric).signature
        record["signature"] = str(signature.also(norm=rewritten_by, ignore=",".join(sorted(ignored)) or None))
    return [record], None, answer.words


def mbr_with_gains(
    graph: Graph, evidence: Graph | None = None, *, by: ByNgrams, scales: Scales | None, gains_only: bool
) -> Decoded:
    """Decode a graph by n-grams; return one record, and the lattice with the gains of arcs."""
    from latticemetric.mbr_decoding.ngram import mbr_with_lattice

    answer, lattice = mbr_with_lattice(graph, by, evidence=evidence, scales=scales, gains_only=gains_only)
    return [answer.asdict()], lattice, answer.words
