"""Development sets from files: graphs with references, and with evidence of their own if there is any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from latticemetric.batch.answers import Answer
from latticemetric.batch.evidence import Supported, evidence_of, with_evidence
from latticemetric.batch.oracles import built
from latticemetric.batch.pairing import Pair
from latticemetric.errors import InputError, placed
from latticemetric.formats.registry import Entry, Graph
from latticemetric.questions.oracles.readings import readings_of


class Example(NamedTuple):
    """A graph, all that its references say, and what to take posteriors from where that is another graph."""

    graph: Graph
    references: list[tuple[str, ...]]
    evidence: Graph | None


def examples_of(
    pairs: Iterable[Pair], evidence: Iterable[Entry] | None = None, *, keep_going: bool = False
) -> Iterator[Answer]:
    """Builds each pair, in their order: answers whose values are examples.

    Raises:
        InputError: A pair has a problem, unless `keep_going`: then it is an answer.
    """
    listed, surplus, by_name = list(pairs), list[Supported](), dict[str, Supported]()
    if evidence is not None:
        for found in with_evidence([pair.entry for pair in listed if pair.entry], evidence):
            if found.entry is None:
                surplus.append(found)
            else:
                by_name[found.name] = found

    def example(pair: Pair) -> Example:
        graph, references = built(pair)
        assert pair.entry is not None
        with placed(pair.entry.place):
            said = list(readings_of(references))
        return Example(graph, said, None if evidence is None else evidence_of(by_name[pair.name], graph))

    for pair in listed:
        try:
            yield Answer(pair.name, example(pair))
        except InputError as error:
            if not keep_going:
                raise
            yield Answer(pair.name, None, error)
    for found in surplus:
        assert found.problem is not None
        if not keep_going:
            raise found.problem
        yield Answer(found.name, None, found.problem)
