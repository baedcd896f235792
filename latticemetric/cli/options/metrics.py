"""Options that name metrics, and the rate that a search optimizes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from latticemetric.cli.commands import Options, option
from latticemetric.cli.files import WORD_SETS, MetricName, MetricParameter
from latticemetric.cli.options.preparation import IGNORE
from latticemetric.cli.options.values import cased_words, listed
from latticemetric.corpus.metric_question import DEFAULT_METRICS
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.recognition import GRR


def metrics_named(
    names: Iterable[str],
    *,
    stem: bool = False,
    parameters: Iterable[str] = (),
    ignore: frozenset[str] = frozenset(),
    known: Iterable[str] = (),
) -> list[Metric[Any]]:
    """Return the metrics named in these comma-separated lists; refuse one that is named twice.

    Args:
        names: The lists of names.
        stem: True if all metrics compare stems of words.
        parameters: Texts such as `chrf.beta=3`: metric, parameter and value.
        ignore: Words that all metrics ignore.
        known: Names of other metrics that may have parameters.
    """
    from latticemetric.metrics.registry import make_metric, metric_names

    all_names = [name for several in names for name in listed(several)]
    if not all_names:
        raise UsageError("no metric is given", advice=f"choose among {', '.join(metric_names())}")
    given_parameters = metric_parameters(parameters, [*all_names, *known])
    metrics = {}
    for name in all_names:
        values: dict[str, Any] = {"stem": True} if stem and not name.endswith("-stem") else {}
        values |= {"ignore": ignore} if ignore else {}
        own = given_parameters.get(name.lower(), {})
        if twice := values.keys() & own.keys():
            raise UsageError(f"{min(twice)} is given twice", where="--parameter", advice="give it once")
        try:
            metric = make_metric(name, **{**values, **own})
        except UsageError as error:
            if not stem or "'stem'" not in str(error):
                raise
            raise UsageError(
                f"{name} does not support stems", where="--stem", advice="leave --stem or the metric out"
            ) from None
        if metric.name in metrics:
            raise UsageError(f"metric '{metric.name}' is given twice", advice="leave one of them out")
        metrics[metric.name] = metric
    return list(metrics.values())


def metric_parameters(
    texts: Iterable[str], names: Iterable[str], option: str = "--metric"
) -> dict[str, dict[str, Any]]:
    """Parse texts such as `chrf.beta=3`; return the parameters of each metric, by metric.

    `names` are the metrics that may have parameters; `option` names them on the command line.
    """
    parameters: dict[str, dict[str, Any]] = {}
    known = {name.lower() for name in names}
    for text in texts:
        target, equals, value = text.partition("=")
        metric, dot, name = target.lower().rpartition(".")
        if not (equals and dot and name.isidentifier()):
            raise UsageError(
                f"'{text}' is not a parameter of a metric", where="--parameter", advice="write it as chrf.beta=3"
            )
        if metric not in known:
            raise UsageError(
                f"'{metric}' is not named in {option}",
                where="--parameter",
                advice=f"name it there, or leave {text} out",
            )
        is_words = name in WORD_SETS
        parameters.setdefault(metric, {})[name] = cased_words(value, target) if is_words else _parameter_value(value)
    return parameters


def _parameter_value(text: str) -> bool | int | float | str:
    """Convert a value to the type that a metric takes: yes or no, a number, or a text."""
    if text.lower() in ("yes", "true", "no", "false"):
        return text.lower() in ("yes", "true")
    if text.isascii() and "_" not in text:  # Python alone would accept 1_0 and digits of any script
        for kind in (int, float):
            with contextlib.suppress(ValueError):
                return kind(text)
    return text


PARAMETERS = option(
    "--parameter -P METRIC.NAME=VALUE",
    "Parameter of a metric: chrf.beta=3, ter.normalized=yes, cer.unicode=nfc, wer.ignore=uh,um, …; repeatable.",
    multiple=True,
    type=MetricParameter(),
)


class RateOptions(Options):
    """Options of the recognition rates that the search optimizes."""

    metric: str = option(
        "--metric -m NAME",
        "Metric, or several, separated by commas: wer, wrr, N-grr (any N), cer, N-gcr or mixed-er.",
        type=MetricName(),
        default=DEFAULT_METRICS,
    )
    parameters: tuple[str, ...] = PARAMETERS
    ignore: str | None = IGNORE

    def names(self) -> list[str]:
        """Return the names of the metrics."""
        if names := listed(self.metric):
            return names
        from latticemetric.metrics.registry import metric_names

        raise UsageError("no metric is given", where="--metric", advice=f"choose among {', '.join(metric_names())}")

    def metrics(self, names: Iterable[str], *, among: str | None = None, ignoring: bool = False) -> list[Metric[Any]]:
        """Return the metrics of these names, with their parameters.

        Args:
            names: The names.
            among: Names of other metrics that may have parameters, beside those of `--metric`.
            ignoring: True for metrics that ignore the words of `--ignore`.
        """
        known = [*self.names(), *listed(among or "")]
        words = cased_words(self.ignore) if ignoring else frozenset()
        return metrics_named(names, parameters=self.parameters, ignore=words, known=known)

    def rates(self) -> list[GRR]:
        """Return the metrics that `--metric` names.

        Raises:
            UsageError: The search does not support one of them.
        """
        from latticemetric.metrics.recognition import as_recognition_rate

        names = self.names()
        for name in names:  # first refuse metrics that the search does not support, whatever their parameters are
            as_recognition_rate(name)
        return [as_recognition_rate(metric) for metric in self.metrics(names, ignoring=True)]


class OneRateOptions(RateOptions):
    """Options of the only recognition rate of a search."""

    metric: str = option(
        "--metric -m NAME",
        "Metric: wer, wrr, N-grr (any N), cer, N-gcr or mixed-er.",
        type=MetricName(),
        default="wer",
    )

    def rate(self) -> GRR:
        """Return the only metric that `--metric` names.

        Raises:
            UsageError: The search does not support this metric, or there are several.
        """
        first, *others = self.rates()
        if others:
            raise UsageError(
                f"there are {len(others) + 1} metrics, but this verb searches by one",
                where="--metric",
                advice=f"name one, such as {first.name}",
            )
        return first
