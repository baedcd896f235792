"""Options that name metrics, and the rate that a search optimizes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from latticemetric.cli.commands import Options, choice, flag, option
from latticemetric.cli.files import MetricName, WordList
from latticemetric.cli.options.preparation import IGNORE
from latticemetric.cli.options.values import cased_words, listed, word_list
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.string_scores import StringScorer
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.recognition import GRR


def metrics_named(names: Iterable[str], *, stem: bool = False, parameters: Iterable[str] = ()) -> list[Metric[Any]]:
    """Return the metrics named in these comma-separated lists; refuse one that is named twice.

    If `stem` is set, all metrics compare stems of words. `parameters` are texts such as `chrf.beta=3`: metric,
    parameter and value.
    """
    from latticemetric.metrics.registry import make_metric, metric_names

    all_names = [name for several in names for name in listed(several)]
    if not all_names:
        raise UsageError("no metric is given", advice=f"choose among {', '.join(metric_names())}")
    given_parameters = metric_parameters(parameters, all_names)
    metrics = {}
    for name in all_names:
        stems = {"stem": True} if stem and not name.endswith("-stem") else {}
        try:
            metric = make_metric(name, **stems, **given_parameters.get(name.lower(), {}))
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


# Parameters of metrics that are sets of words, written as in --ignore.
_WORD_SETS = ("ignore", "wildcard", "stop_words")


def metric_parameters(
    texts: Iterable[str], names: Iterable[str], option: str = "--metrics"
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
        parameters.setdefault(metric, {})[name] = word_list(value) if name in _WORD_SETS else _parameter_value(value)
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


def string_scorer(names: str | None, metric: GRR, normalize: str | None, *, each: bool = True) -> StringScorer | None:
    """Return the scorer of oracles and 1-bests by the metrics of `--score`; `None` if `names` is `None`."""
    if names is None:
        return None
    from latticemetric.corpus.string_scores import StringScorer

    return StringScorer(tuple(metrics_named([names])), metric.ignore, each, normalize)


PARAMETERS = option(
    "--parameter -P METRIC.NAME=VALUE",
    "Parameter of a metric: chrf.beta=3, ter.normalized=yes, cer.unicode=nfc, 'wer.ignore=uh um', …; repeatable.",
    multiple=True,
)
SCORE = option("--score NAMES", "Also score oracles and 1-bests by these metrics, such as bleu-sbp,meteor.")
ALPHA = option("--alpha A", "Insertion penalty (N-grr and N-gcr, default 1).")
BETA = option("--beta B", "Deletion penalty (N-grr and N-gcr, default 0).")


class RateOptions(Options):
    """Options of the recognition rate that the search optimizes."""

    metric: str = option(
        "--metric NAME", "Metric: wer, wrr, N-grr (any N), cer, N-gcr or mixed-er.", type=MetricName(), default="4-grr"
    )
    parameters: tuple[str, ...] = option(
        "--parameter -P METRIC.NAME=VALUE",
        "Parameter of the metric: wer.substitution=1.5, cer.unicode=nfc, …; repeatable.",
        multiple=True,
    )
    alpha: str | None = ALPHA
    beta: str | None = BETA
    ignore: str | None = IGNORE
    wildcard: str | None = option(
        "--wildcard WORDS",
        "Words of hypotheses and references to skip in scoring, but to keep in results; @FILE reads them from a file.",
        type=WordList(),
    )
    no_spaces: bool = flag("--no-spaces", "Leave out the spaces between words (cer, N-gcr).")
    unicode: str | None = choice(
        "--unicode",
        ["nfc", "nfd", "nfkc", "nfkd"],
        "Compare characters in this normalisation form (cer, N-gcr).",
        optional=True,
    )

    def rate_of(self, name: str) -> GRR:
        """Return the rate called `name`, with the ignored words and the wildcards of these options."""
        from latticemetric.metrics.recognition import as_recognition_rate
        from latticemetric.metrics.registry import make_metric

        return as_recognition_rate(make_metric(name, **self._words()))

    def rate(self) -> GRR:
        """Return the metric.

        Raises:
            UsageError: The search does not support this metric.
        """
        from latticemetric.metrics.recognition import as_recognition_rate
        from latticemetric.metrics.registry import make_metric

        options: dict[str, Any] = {
            "alpha": self.alpha,
            "beta": self.beta,
            **self._words(),
            "spaces": False if self.no_spaces else None,
            "unicode": self.unicode,
        }
        parameters = {name: value for name, value in options.items() if value is not None}
        name = self.metric.lower()
        for parameter, value in metric_parameters(self.parameters, [name], "--metric").get(name, {}).items():
            if parameter in parameters:
                raise UsageError(f"{parameter} is given twice", where="--parameter", advice="give it once")
            parameters[parameter] = value
        # First refuse a metric that the search does not support, whatever its options are.
        rate = as_recognition_rate(self.metric)
        return as_recognition_rate(make_metric(self.metric, **parameters)) if parameters else rate

    def _words(self) -> dict[str, frozenset[str]]:
        words = {"ignore": cased_words(self.ignore), "wildcard": cased_words(self.wildcard)}
        return {name: value for name, value in words.items() if value}
