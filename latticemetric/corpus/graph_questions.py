"""Questions to each graph of a corpus that need no references; and how all questions are asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from latticemetric.arguments import path_text
from latticemetric.corpus.answers import Answers
from latticemetric.corpus.metric_question import EachMetric, MetricQuestion, by_each, rates_of
from latticemetric.corpus.question import A, Task
from latticemetric.corpus.read_corpus import ReadCorpus
from latticemetric.corpus.settings import RunSettings
from latticemetric.corpus.sources import paths_of
from latticemetric.errors import UsageError
from latticemetric.renamed import says_new_keywords, unknown_name

if TYPE_CHECKING:
    from latticemetric.corpus.answer import Answer
    from latticemetric.corpus.question import Question

Asked = TypeVar("Asked", bound=Task)


class GraphQuestions(ReadCorpus):
    """A corpus with the questions that need no references: one-bests, n-bests, MBR, posteriors, sizes."""

    def map(self, function: Callable[..., Any], *, run: RunSettings | None = None, **settings: Any) -> Answers[Answer]:
        """Call a function on each graph; with references, on each graph and the list of its references.

        Args:
            function: Your function. With several workers, its results must be picklable; with a Dask client, the
                function must be picklable, too.
            run: The settings of the run.
            settings: The settings of the run by name, such as `workers` or `keep_going`.

        Examples:
            >>> from latticemetric import Corpus, Lattice
            >>> lattice = Lattice.from_strings(["a b", "a"])
            >>> Corpus([lattice]).map(lambda graph: graph.statistics().arcs)["1"]
            3
        """
        from latticemetric.corpus.mapping import Mapped

        if not callable(function):
            raise UsageError(f"function is a {type(function).__name__}", advice="give a function of a graph")
        return self._ask(Mapped(function=function), run, settings)

    def info(self, *, run: RunSettings | None = None, **settings: Any) -> Answers[Answer]:
        """Return the sizes of each graph: states, arcs, paths, lengths, depth, score columns.

        Args:
            run: The settings of the run.
            settings: The settings of the run by name, such as `workers` or `keep_going`.
        """
        from latticemetric.corpus.questions import Sizes

        return self._ask(Sizes(), run, settings)

    def best(self, *, run: RunSettings | None = None, **settings: Any) -> Answers[Answer]:
        """Find the model's 1-best of each graph: words, cost, scores, times, confidences.

        Args:
            run: The settings of the run.
            settings: The settings of the question (`posterior_scale`, see `best`) and of the run by name.
        """
        from latticemetric.corpus.questions import Best

        return self._ask_by(Best, run, settings)

    def nbest(
        self, n: int = 10, *, lists: bool = False, run: RunSettings | None = None, **settings: Any
    ) -> Answers[Answer]:
        """List the n best strings of each graph, each with its best path; or, with `paths=True`, its n best paths.

        Args:
            n: The number of strings or paths.
            lists: Also make n-best lists, for `Answers.write_lattices`.
            run: The settings of the run.
            settings: The settings of the question (`paths`) and of the run by name.
        """
        from latticemetric.corpus.graphs import AS_IT_IS
        from latticemetric.corpus.questions import BestStrings

        question, of_run = divided(BestStrings, {"n": n, **settings})
        return self._ask(question.__replace__(written=AS_IT_IS) if lists else question, run, of_run)

    def posteriors(self, of: str = "words", *, run: RunSettings | None = None, **settings: Any) -> Answers[Answer]:
        """List the posteriors of each graph, most probable first.

        Args:
            of: What to list: `words`, `ngrams`, `arcs`, `edges`, or a `summary` of each graph.
            run: The settings of the run.
            settings: The settings of the question (`posterior_scale`, `order`, `least`, `top`) and of the run by name.
        """
        from latticemetric.corpus.questions import Listing

        return self._ask_by(Listing, run, {"of": of, **settings})

    def consensus(self, *, run: RunSettings | None = None, **settings: Any) -> Answers[Answer]:
        """Build the confusion network of each graph, and find the words with the fewest expected errors.

        Args:
            run: The settings of the run.
            settings: The settings of the question (`posterior_scale`, see `consensus`) and of the run by name.
        """
        from latticemetric.corpus.questions import Networks

        return self._ask_by(Networks, run, settings)

    @says_new_keywords
    def mbr(
        self,
        by: Any = "ngram",
        *,
        evidence: str | os.PathLike[str] | list[str] | tuple[str, ...] | None = None,
        utility_matrix: str | os.PathLike[str] | None = None,
        gains: bool = False,
        gains_only: bool = False,
        run: RunSettings | None = None,
        **settings: Any,
    ) -> Answers[Answer]:
        """Find in each graph the words with the best expected score (minimum Bayes risk).

        Args:
            by: How to decide: `ngram`, `wer`, a metric, settings like `ByNgrams(p=0.9)`, or the list of a grid,
                `ByNgrams.grid(p=[0.8, 0.9])`.
            evidence: Files of graphs that give the posteriors, matched by id.
            utility_matrix: A NumPy file: `.npy` with the matrix of a single graph, or `.npz` with one per id.
            gains: By n-grams: also make lattices with the gains of arcs, for `Answers.write_lattices`.
            gains_only: In these lattices, omit the model's scores and labels.
            run: The settings of the run.
            settings: The settings of the decision (see `mbr`) and of the run by name.

        Examples:
            >>> from latticemetric import Corpus, Lattice
            >>> lattice = Lattice.from_strings(["a b", "a c", "d c"], costs=[0.0, 0.1, 0.2])
            >>> Corpus([lattice]).mbr("wer")["1"].words
            ('a', 'c')
        """
        from latticemetric.corpus.questions import MinimumRisk
        from latticemetric.mbr_decoding.settings import ByUtility, decided_by

        of_run = {name: settings.pop(name) for name in list(settings) if name in RunSettings.fields}
        if utility_matrix is not None:
            by = ByUtility(utility=path_text(utility_matrix, "utility_matrix"), **settings) if by == "ngram" else by
        grid = tuple(by) if isinstance(by, list | tuple) else (decided_by(by, settings),)
        matrix = None if utility_matrix is None else path_text(utility_matrix, "utility_matrix")
        question = MinimumRisk(
            by=grid, evidence=paths_of(evidence), utility_matrix=matrix, gains=gains, gains_only=gains_only
        )
        return self._ask(question, run, of_run)

    # ---- How questions are asked ----

    def _ask_by(self, kind: type[Question[A]], run: RunSettings | None, settings: dict[str, Any]) -> Answers[A]:
        """Ask a question, given its settings and those of the run by name."""
        question, of_run = divided(kind, settings)
        return self._ask(question, run, of_run)

    def _ask_by_rates(
        self,
        kind: type[MetricQuestion[Any]],
        answers: type[Answers[Any]],
        metric: Any,
        run: RunSettings | None,
        settings: dict[str, Any],
    ) -> Any:
        """Ask a question by one or several rates, given its settings and those of the run by name."""
        rates, several = rates_of(metric, self.ignored)
        asked = [divided(kind, {"metric": rate, **settings}) for rate in rates]
        question = by_each([one for one, _ in asked], several=several)
        return answered(answers, self, question, run_of(run, asked[0][1]))

    def _ask(self, question: Question[A], run: RunSettings | None, settings: dict[str, Any]) -> Answers[A]:
        return Answers(self, question, run_of(run, settings))


def divided(kind: type[Asked], settings: dict[str, Any]) -> tuple[Asked, dict[str, Any]]:
    """Return the question with its settings, and the settings of the run, given all by name."""
    of_run = {name: value for name, value in settings.items() if name in RunSettings.fields}
    own = {name: value for name, value in settings.items() if name not in of_run}
    known = kind.public()
    if unknown := next((name for name in own if name not in known), None):
        raise kind.unknown(unknown, [*RunSettings.fields])
    return kind(**own), of_run


def answered(kind: type[Answers[Any]], corpus: ReadCorpus, question: Question[Any], run: RunSettings) -> Any:
    """Return the answers of a run, of this class; if several metrics ask, a mapping from metric to such answers."""
    if not isinstance(question, EachMetric):
        return kind(corpus, question, run)
    from latticemetric.corpus.answers_by_metric import AnswersByMetric

    return AnswersByMetric(Answers(corpus, question, run), kind)


def run_of(run: RunSettings | None, settings: dict[str, Any]) -> RunSettings:
    """Return the settings of a run, given as an object or by name."""
    if unknown := next((name for name in settings if name not in RunSettings.fields), None):
        raise unknown_name("the run", unknown, list(RunSettings.fields))
    if run is None:
        return RunSettings(**settings)
    if not isinstance(run, RunSettings):
        raise UsageError(f"run is a {type(run).__name__}", advice="give a RunSettings")
    return run.__replace__(**settings) if settings else run
