"""Pair graphs for MBR with their evidence (graphs that give the posteriors) or with matrices of utilities.

A graph or evidence without a partner is reported as an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from latticemetric.corpus.answer import Answer, failed
from latticemetric.corpus.pairing import Pair, built, has_numbers, unreadable, words_of
from latticemetric.corpus.run import Run, answer_each
from latticemetric.errors import FormatError, InputError, UsageError, placed, shortened
from latticemetric.formats.registry import Entry, unbuildable
from latticemetric.graph import Graph
from latticemetric.mbr_decoding.utility import Matrix, checked_matrix, opened_matrices
from latticemetric.nbest import NBest
from latticemetric.oracle_search.reference_strings import strings_of_references
from latticemetric.vocabulary import Vocabulary

if TYPE_CHECKING:
    from latticemetric.corpus.read_corpus import ReadCorpus

_CONTINUE = "(keep_going=True reports the error and continues)"


@dataclass(frozen=True)
class EvidencePair:
    """A graph and its evidence, both not yet parsed. The evidence has the same id, and gives the posteriors.

    `problem` is the error if one of the two is missing.
    """

    name: str
    entry: Entry | None
    evidence: Entry | None
    problem: InputError | None = None

    @property
    def where(self) -> str:
        """File and line of the graph, or of the evidence if there is no graph."""
        given = self.entry or self.evidence
        return given.where if given else ""

    @property
    def place(self) -> str:
        """The graph's file, line and id, for errors; only the id if there is no graph."""
        return self.entry.place if self.entry else self.name


def with_evidence(entries: Iterable[Entry], evidence: Iterable[Entry]) -> Iterator[EvidencePair]:
    """Pair each graph with its evidence: a graph of `--evidence` with the same id, which gives the posteriors.

    If graphs and evidence have the same order, only one pair is in memory at a time. Otherwise, evidence is kept until
    its graph comes.

    Raises:
        FormatError: Two graphs, or two pieces of evidence, have the same id.
    """
    waiting: dict[str, Entry] = {}
    rest = _distinct(evidence, "pieces of evidence")
    for entry in _distinct(entries, "graphs"):
        match = waiting.pop(entry.name, None)
        while match is None and (following := next(rest, None)) is not None:
            if following.name == entry.name:
                match = following
            elif following.format:
                waiting[following.name] = following
            else:
                yield _without_graph(following)
        problem = None
        if match is None:
            what = f"there is no evidence named '{shortened(entry.name)}'"
            problem = InputError(what, where=entry.where, advice=f"add it {_CONTINUE}")
        yield EvidencePair(entry.name, entry, match, problem)
    yield from map(_without_graph, waiting.values())
    yield from map(_without_graph, rest)


def answers_by_evidence(
    corpus: ReadCorpus, evidence: Sequence[str], ask: Callable[[Graph, Graph], Any], run: Run
) -> Iterator[Answer]:
    """Call `ask` on each graph of a corpus and its evidence; yield the answers in order."""
    paired = with_evidence(corpus.entries(replace(run, shard=None)), corpus.evidence(evidence))
    taken = paired if run.shard is None else run.shard.take(paired)
    return answer_each(partial(answer_by_evidence, ask), failed, taken, run)


def answer_by_evidence(ask: Callable[[Graph, Graph], Any], pair: EvidencePair) -> Answer:
    """Call `ask` on a graph and its evidence (the graph that gives the posteriors)."""
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    with placed(pair.place):
        graph = pair.entry.build()
    evidence = evidence_of(pair, graph)
    with placed(pair.place):
        return Answer(pair.name, ask(graph, evidence))


def evidence_of(pair: EvidencePair, graph: Graph) -> Graph:
    """Return the parsed evidence of a pair, given its parsed graph.

    Raises:
        InputError: The evidence is missing or cannot be parsed, or only one of the two graphs has word numbers.
    """
    if pair.problem is not None:
        raise pair.problem
    assert pair.evidence is not None
    with placed(pair.evidence.place):
        evidence = pair.evidence.build()
    # If one graph has words and the other has numbers, they never match: a symbol table is missing.
    numeric = [one for one in (graph, evidence) if not isinstance(one, NBest) and one.vocabulary.is_numeric]
    if len(numeric) == 1 and has_numbers(numeric[0]):
        spelled = evidence if numeric[0] is graph else graph
        if not any(map(Vocabulary.numeric().__contains__, words_of(spelled))):
            raise InputError(
                "the graph and its evidence differ: only one has word numbers",
                where=pair.place,
                advice="give the symbol table with symbols=…",
            )
    return evidence


def _distinct(entries: Iterable[Entry], what: str) -> Iterator[Entry]:
    names: set[str] = set()
    for entry in entries:
        if entry.name in names:
            raise FormatError(
                f"two {what} have the id '{shortened(entry.name)}'", where=entry.where, advice="give each its own id"
            )
        names.add(entry.name)
        yield entry


def _without_graph(evidence: Entry) -> EvidencePair:
    problem = unreadable(evidence) or InputError(
        f"there is no graph named '{shortened(evidence.name)}'",
        where=evidence.where,
        advice=f"leave this evidence out {_CONTINUE}",
    )
    return EvidencePair(evidence.name, None, evidence, problem)


class GraphWithUtilities(NamedTuple):
    """A graph, and a matrix with the utility of each pair of the graph's strings."""

    graph: Graph
    utilities: Matrix


def with_utilities(entries: Iterable[Entry], path: str) -> Iterator[Entry]:
    """Yield the entries of graphs, changed so that parsing an entry gives a `GraphWithUtilities`.

    Args:
        entries: The graphs.
        path: A NumPy file: `.npy` with the matrix of a single graph, or `.npz` with one matrix per id.
    """
    if not path.endswith(".npz"):
        listed = list(islice(entries, 2))
        if len(listed) > 1:
            raise UsageError(
                "there is one matrix, but several graphs",
                where=path,
                advice="write an array for each id to an .npz file",
            )
        matrix = checked_matrix(path)
        yield from (entry.changed(partial(GraphWithUtilities, utilities=matrix)) for entry in listed)
        return
    with opened_matrices(path) as matrices:
        for entry in entries:
            try:
                matrix = _matrix_of(entry.name, matrices, path)
            except InputError as error:  # of this graph alone: a run that keeps going continues with the others
                yield entry._replace(build=unbuildable(error))
            else:
                yield entry.changed(partial(GraphWithUtilities, utilities=matrix))


def _matrix_of(name: str, matrices: Mapping[str, Any], path: str) -> Matrix:
    if name not in matrices:
        what = f"there is no matrix named '{shortened(name)}'"
        raise InputError(what, where=path, advice=f"write an array for each id, with numpy.savez {_CONTINUE}")
    return checked_matrix(matrices[name], where=f"{path} ({shortened(name)})")


class Example(NamedTuple):
    """A graph of a development set, all strings of its references, and its evidence (see `EvidencePair`) or `None`."""

    graph: Graph
    references: list[tuple[str, ...]]
    evidence: Graph | None


def examples_of(
    pairs: Iterable[Pair],
    evidence: Iterable[Entry] | None = None,
    *,
    keep_going: bool = False,
    ignored: Collection[str] = (),
) -> Iterator[Answer]:
    """Yield one `Answer` per pair of a development set; its value is an `Example`.

    If a pair fails, or evidence has no graph, raise the error; with `keep_going`, yield an `Answer` with the error.
    `ignored` are words that do not count, for warnings.
    """
    listed, surplus, by_name = list(pairs), list[EvidencePair](), dict[str, EvidencePair]()
    if evidence is not None:
        for found in with_evidence([pair.entry for pair in listed if pair.entry], evidence):
            if found.entry is None:
                surplus.append(found)
            else:
                by_name[found.name] = found
    for pair in listed:
        try:
            with built(pair, ignored) as (graph, references):
                strings = list(strings_of_references(references))
            posteriors_of = None if evidence is None else evidence_of(by_name[pair.name], graph)
            yield Answer(pair.name, Example(graph, strings, posteriors_of))
        except InputError as error:
            if not keep_going:
                raise
            yield Answer(pair.name, None, error)
    for found in surplus:
        assert found.problem is not None
        if not keep_going:
            raise found.problem
        yield Answer(found.name, None, found.problem)
