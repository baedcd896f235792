"""`latticemetric correlate --ranks`: rank metrics by statistics; a significant difference starts a new rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import click

from latticemetric.arguments import MOST_DRAWS
from latticemetric.cli.commands import Options, choice, flag, option
from latticemetric.cli.options import Number, listed
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.evaluation.human import HumanScores
    from latticemetric.evaluation.metric_tests import MetricTask, RankTable
    from latticemetric.evaluation.systems import SystemTables
    from latticemetric.formats.judged import JudgedSystems

    Tables = Mapping[str, SystemTables]

_LEVELS = ("system", "segment", "document", "domain")
_STATISTICS = ("accuracy", "spa", "acc-t", "acc-eq", "pearson", "spearman", "kendall", "tau-c", "tau-23")
_OF_SYSTEMS = {"accuracy", "pearson", "spearman", "kendall"}


class RankOptions(Options):
    """Options for ranking metrics."""

    ranks: str | None = option(
        "--ranks NAMES",
        f"Also rank the metrics by one or more of these statistics: {', '.join(_STATISTICS)}. To choose a level, write "
        f"NAME:LEVEL; levels: {', '.join(_LEVELS)}.",
    )
    average: Literal["item", "system", "none"] = choice(
        "--average",
        ["item", "system", "none"],
        "Average the correlations of each item or of each system, or correlate all scores at once.",
    )
    exchange: Literal["both", "systems", "items", "pairs"] = choice(
        "--exchange",
        ["both", "systems", "items", "pairs"],
        "Swap these units between two metrics in permutation tests.",
    )
    trials: int = option("--trials N", "Trials per test.", default=1000, type=click.IntRange(1, MOST_DRAWS))
    significance: float = option(
        "--significance LEVEL",
        "Significance level: a difference with p ≤ level starts a new rank.",
        type=Number(0, 1, min_open=True, max_open=True),
        default=0.05,
    )
    one_sided: bool = flag("--one-sided", "Rank by one-sided p-values, as WMT's tables do.")

    def wanted(self) -> list[tuple[str, str]]:
        """Return a (statistic, level) pair for each name in `--ranks`, such as `("pearson", "system")`."""
        found = []
        for spelled in listed(self.ranks or ""):
            name, _, level = spelled.partition(":")
            level = level or ("system" if name in _OF_SYSTEMS else "segment")
            if name not in _STATISTICS or level not in _LEVELS or (name == "spa" and level == "system"):
                what = f"metrics cannot be ranked by '{spelled}'"
                levels = f"levels {', '.join(_LEVELS)} (spa: not system)"
                raise UsageError(what, where="--ranks", advice=f"choose among {', '.join(_STATISTICS)}; {levels}")
            found.append((name, level))
        return list(dict.fromkeys(found))

    def table(
        self, judged: JudgedSystems, human: HumanScores, tables: Mapping[str, SystemTables], seed: int
    ) -> RankTable | None:
        """Rank the metrics; return `None` without `--ranks`."""
        from latticemetric.evaluation.metric_tests import rank_metrics

        if self.ranks is None:
            return None
        tasks = [self._task(name, level, judged, human, tables) for name, level in self.wanted()]
        if not tasks:
            raise UsageError("no statistic is named", where="--ranks", advice=f"choose among {', '.join(_STATISTICS)}")
        return rank_metrics(
            tasks, trials=self.trials, seed=seed, significance=self.significance, one_sided=self.one_sided
        )

    def table_over_pairs(self, sides: Mapping[str, tuple[JudgedSystems, HumanScores, Tables]], seed: int) -> RankTable:
        """Rank the metrics on tasks over all language pairs; without `--ranks`, by accuracy over systems only.

        Accuracy over systems gives one task: it compares systems within each language pair, and pools the comparisons
        of all language pairs. Every other statistic gives one task per language pair.
        """
        from latticemetric.evaluation.metric_tests import MetricTask, rank_metrics

        tasks = []
        for name, level in self.wanted() or [("accuracy", "system")]:
            of_pairs = {pair: self._task(name, level, *side) for pair, side in sides.items()}
            if (name, level) == ("accuracy", "system"):
                tasks.append(MetricTask.pooled(name, [(task.gold, task.metrics) for task in of_pairs.values()]))
            else:
                tasks += [replace(task, name=f"{pair} {task.name}") for pair, task in of_pairs.items()]
        return rank_metrics(
            tasks, trials=self.trials, seed=seed, significance=self.significance, one_sided=self.one_sided
        )

    def _task(
        self, name: str, level: str, judged: JudgedSystems, human: HumanScores, tables: Mapping[str, SystemTables]
    ) -> MetricTask:
        import numpy as np

        from latticemetric.evaluation.metric_tests import MetricTask, of_groups
        from latticemetric.evaluation.pairwise import PAIR_SUMS
        from latticemetric.evaluation.systems import SystemTables, snap_matrix, snap_ties

        statistic = "acc-eq" if name == "accuracy" else name
        exchange = self.exchange if self.exchange != "pairs" or statistic in PAIR_SUMS else "both"

        if level == "system":
            people = SystemTables.of(human.segment)
            gold = people.tied(people.of_systems()) if human.system is None else snap_ties(human.system)
            scores = {metric: one.signed(one.tied(one.of_systems()))[:, None] for metric, one in tables.items()}
            return MetricTask(name, statistic, gold[:, None], scores, "none", "systems")
        if np.isnan(human.segment).all():
            raise UsageError(
                "there are no human scores of segments",
                where=f"--ranks {name}",
                advice=f"rank by systems: {name}:system",
            )
        scores = {metric: one.signed(snap_matrix(one.of_segments(), each=True)) for metric, one in tables.items()}
        task = MetricTask(f"{name}:{level}", statistic, human.segment, scores, self.average, exchange)
        if level == "segment":
            return task
        groups = judged.documents if level == "document" else judged.domains
        if groups is None:
            raise UsageError(
                f"the test set does not name the {level} of its segments", where="--ranks", advice="rank by segments"
            )
        return of_groups(task, groups)
