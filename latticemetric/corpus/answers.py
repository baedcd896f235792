"""The answers of a run over a corpus: lazily and in order, as objects, records, tables and files."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Generic

from latticemetric.arguments import path_text
from latticemetric.corpus.question import A
from latticemetric.display.frames import Tabular
from latticemetric.display.text import long_integers
from latticemetric.errors import UsageError, shortened
from latticemetric.likeness import Names
from latticemetric.renamed import says_new_keywords

if TYPE_CHECKING:
    from latticemetric.corpus.question import Question
    from latticemetric.corpus.read_corpus import ReadCorpus
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.settings import RunSettings
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.corpus.tables.table import Table

_MOST_ROWS = 50


class Answers(Tabular, Generic[A]):
    """The answers of a run over a corpus, in the order of the graphs.

    The run begins when the first answer is needed. Answers are kept, so that a second use does not compute them again;
    `streamed` yields them without keeping them. If an error or an interrupt ends the run, nothing is kept, and the next
    use begins again.

    Examples:
        >>> from latticemetric import Corpus, Lattice
        >>> best = Corpus({"one": Lattice.from_strings(["a b", "a c"], costs=[1.0, 2.0])}).best()
        >>> [(answer.name, answer.value.words) for answer in best]
        [('one', ('a', 'b'))]
        >>> best["one"].cost
        1.0
        >>> print(best)
        one a b
    """

    def __init__(
        self,
        corpus: ReadCorpus,
        question: Question[A],
        settings: RunSettings,
        *,
        taken: Callable[[Run], Iterator[A]] | None = None,
    ) -> None:
        """Take a corpus, a question and the settings of the run; `taken` yields answers that another run computes."""
        self.corpus, self.question, self._settings = corpus, question, settings
        self._answered = partial(question.answers, corpus) if taken is None else taken
        self._kept: list[A] = []
        self._rest: Iterator[A] | None = None
        self._is_complete = False
        self._shard: ShardRun | None = None  # of the run that kept the answers

    # ---- One after the other ----

    def __iter__(self) -> Iterator[A]:
        position = 0
        while position < len(self._kept) or self._take():
            yield self._kept[position]
            position += 1

    def streamed(self) -> Iterator[A]:
        """Yield the answers without keeping them; if all are kept already, yield those."""
        if self._is_complete:
            return iter(self._kept)
        if self._rest is not None:
            raise UsageError("some answers are kept already", advice="ask the corpus again")
        return self._run()

    def _take(self) -> bool:
        """Compute and keep one more answer; return False if there is none."""
        if self._is_complete:
            return False
        if self._rest is None:
            self._rest = self._run(keeping=True)
        try:
            self._kept.append(next(self._rest))
        except StopIteration:
            self._is_complete, self._rest = True, None
            return False
        except BaseException:
            # The run cannot go on: what is left of it must not look like all answers.
            self._rest, self._kept = None, []
            raise
        return True

    def _run(self, *, keeping: bool = False) -> Iterator[A]:
        # The run must not hold these answers: when they are dropped in the middle, it must end and leave its journal.
        kept = weakref.ref(self) if keeping else None
        return _answers_of(self._answered, self._begun(), kept)

    def _begun(self) -> AbstractContextManager[Run]:
        from latticemetric.corpus.begin import begun

        return begun(self.corpus, self.question, self._settings)

    # ---- All of them ----

    def _all(self) -> list[A]:
        while self._take():
            pass
        return self._kept

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, name: str) -> Any:
        """Return the result for the graph with this id.

        Raises:
            UsageError: No graph has this id, or several do.
            LatticeMetricError: The graph failed.
        """
        if not isinstance(name, str):
            raise UsageError(f"the id {name!r} is not a string", advice="list(answers) has positions")
        found = [answer for answer in self._all() if answer.name == name]
        if len(found) != 1:
            how_many = f"{len(found)} graphs have" if found else "no graph has"
            names = ", ".join(shortened(answer.name, 40) for answer in self._kept[:3])
            meant = None if found else Names(answer.name for answer in self._all()).like(name)
            listed = "" if found else f"; the first ids are {names}" if names else ""
            advice = f"iterate over the answers{listed}" if meant is None else f"did you mean '{shortened(meant)}'?"
            raise UsageError(f"{how_many} the id '{shortened(name)}'", advice=advice)
        (answer,) = found
        if answer.problem is not None and answer.value is None:
            raise answer.problem
        return answer.value

    def __contains__(self, name: object) -> bool:
        return any(answer.name == name for answer in self._all())

    @property
    def failures(self) -> list[A]:
        """The answers of graphs that failed; only runs with `keep_going` have such answers."""
        return [answer for answer in self._all() if answer.problem is not None]

    @property
    def totals(self) -> dict[str, Any]:
        """The numbers of the whole corpus, which the command line shows below the table."""
        table = self._table(self._all())
        table.read_all()
        return table.totals()

    def to_records(self) -> list[dict[str, Any]]:
        """Return one or more records per graph, as JSON lines have them."""
        return list(self._table(self._all()).records())

    def _frame(self) -> list[dict[str, Any]]:
        return list(self._table(self._all()).frame())

    @says_new_keywords
    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:  # noqa: A002  as in `read`
        """Write the answers to a file, as the command line does; if they are not kept yet, do not keep them.

        The file appears when it is complete.

        Args:
            path: The file; `.gz` and similar suffixes compress it.
            format: `text`, `tsv`, `json`, `jsonl`, `ctm` (with times), `parquet` or `arrow`; by default, the suffix of
                the file chooses it.
        """
        from latticemetric.corpus.tables.files import write_table

        name = path_text(path)
        with ExitStack() as stack:
            if self._is_complete or self._rest is not None:
                table = self._table(self._all())
            else:
                run = stack.enter_context(self._begun())
                table = self._table(self._answered(run), run)
            with long_integers():
                write_table(table, name, format)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the answers to a sweep, to a calibration or about tags into a file, as `--plot` does.

        Args:
            path: The file: `.svg`, `.png` or `.pdf`.
        """
        from latticemetric.corpus.report.plots import check_plot

        if not self.question.has_plot:
            advice = "ask for sweep, calibrate or tags"
            raise UsageError(f"the answers of {self.question.verb} have no plot", advice=advice)
        check_plot(path_text(path))
        self._table(self._all()).plot(path_text(path))

    @says_new_keywords
    def write_lattices(self, path: str | os.PathLike[str], format: str | None = None) -> int:  # noqa: A002
        """Write the graphs of the answers, such as confusion networks, and return their number.

        Args:
            path: The file, archive or folder.
            format: The format; by default, the suffix of the file chooses it.
        """
        from latticemetric.formats.writing import NoGraphsError, write

        found = ((answer.name, self.question.graph_of(answer)) for answer in self._all() if answer.value is not None)
        graphs = ((name, graph) for name, graph in found if graph is not None)
        try:
            return write(path_text(path), graphs, format=format)
        except NoGraphsError:
            how = self.question.with_graphs
            advice = "ask for nbest, consensus, posteriors or mbr" if how is None else f"ask with {how}"
            raise UsageError(f"the answers of {self.question.verb} have no graphs", advice=advice) from None

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`."""
        with long_integers():
            return super().to_arrow()

    def _table(self, answers: Iterable[A], run: Run | None = None) -> Table:
        from latticemetric.corpus.run import Run
        from latticemetric.corpus.tables.looks import Looks

        return self.question.table(answers, self.corpus, run or Run(shard=self._shard), Looks())

    def __str__(self) -> str:
        table = self._table(self._all())
        with long_integers():
            return "\n".join([*table.text(), *table.summary()])

    def __repr__(self) -> str:
        so_far = "answered" if self._is_complete else f"{len(self._kept)} so far"
        return f"<Answers: {self.question.verb} of {self.corpus}: {so_far}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks, of the first answers."""
        from html import escape

        table = self._table(self._all())
        rows = list(table.rows())
        used = [k for k, _ in enumerate(table.columns) if any(row[k] not in (None, "", []) for row in rows)]
        lines = ["<table><thead><tr>", *(f"<th>{escape(table.columns[k])}</th>" for k in used), "</tr></thead><tbody>"]
        with long_integers():
            for row in rows[:_MOST_ROWS]:
                lines += ["<tr>", *(f"<td>{escape(_cell(row[k]))}</td>" for k in used), "</tr>"]
        lines.append("</tbody></table>")
        if len(rows) > _MOST_ROWS:
            lines.append(f"<p>… and {len(rows) - _MOST_ROWS} more rows</p>")
        summary = "\n".join(table.summary()).strip()
        return "".join(lines) + (f"<pre>{escape(summary)}</pre>" if summary else "")


def _answers_of(
    answered: Callable[[Run], Iterator[A]], begun: AbstractContextManager[Run], kept: weakref.ref[Answers[A]] | None
) -> Iterator[A]:
    with begun as run:
        if kept is not None and (answers := kept()) is not None:
            answers._shard = run.shard  # noqa: SLF001  of the run that keeps them
        yield from answered(run)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
