"""Write the gradients of expected rates: for each graph, arrays in NumPy's .npz format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

from latticemetric.arguments import path_text
from latticemetric.corpus.answers import Answers
from latticemetric.corpus.expectation_question import Expectations
from latticemetric.errors import InputError, UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.expectations import ExpectationAnswer


class ExpectedAnswers(Answers["ExpectationAnswer"]):
    """The expected rates of the graphs of a corpus: `Answers` whose gradients can be written.

    Examples:
        >>> from latticemetric import Corpus, Lattice
        >>> corpus = Corpus({"one": Lattice.from_strings(["a b", "a c"], costs=[1.0, 1.0])}, {"one": "a c"})
        >>> wer = corpus.expected("wer")
        >>> wer["one"].value, wer.totals["one_best"]["score"]
        (0.25, 0.5)
    """

    def write_gradients(self, path: str | os.PathLike[str]) -> int:
        """Write the gradients to a file in NumPy's .npz format, and return the number of graphs that have one.

        The array `ID` has a number for each arc, edge (of a forest) or hypothesis (of an n-best list) of a graph. The
        array `ID/final` has a number for each final state. Warn of graphs without a gradient that did not fail.
        """
        assert isinstance(self.question, Expectations)
        if not self.question.gradient:
            raise UsageError("the answers have no gradients", advice="ask with gradient=True")
        table = self._table(with_gradients(self._all(), path_text(path)))
        table.read_all()
        if (note := table.warning()) is not None:
            warnings.warn(note, stacklevel=2)
        return sum(_has_gradient(answer) for answer in self._all())


def with_gradients(
    answers: Iterable[ExpectationAnswer], path: str, asked_by: str = "gradient"
) -> Iterator[ExpectationAnswer]:
    """Yield the answers; then write their gradients to a file, see `ExpectedAnswers.write_gradients`.

    `asked_by` names the setting or the option that asks for them, for errors.
    """
    from latticemetric.formats.streams.output import atomic_output

    arrays: dict[str, Any] = {}
    for answer in answers:
        if answer.value is not None and _has_gradient(answer):
            found = answer.value
            for name, array in ((answer.name, found.gradient), (f"{answer.name}/final", found.final_gradient)):
                if name in arrays:
                    what = f"two arrays would have the name '{name}'"
                    advice = f"give each graph its own id, without /final at its end, or leave {asked_by} out"
                    raise InputError(what, where=asked_by, advice=advice)
                arrays[name] = array
        yield answer
    with atomic_output(path) as file:
        _write_arrays(file, arrays)


def _has_gradient(answer: ExpectationAnswer) -> bool:
    return answer.value is not None and answer.value.gradient is not None


def _write_arrays(file: IO[bytes], arrays: Mapping[str, Any]) -> None:
    """Write arrays as `numpy.savez` does, which takes them as keywords and so refuses or loses some names: `file`."""
    import zipfile

    import numpy as np

    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
