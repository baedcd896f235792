"""Options that several commands share: parsers of values, and groups of options."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cached import cached_property
from latticemetric.cli.commands import Options, choice, flag, option
from latticemetric.cli.files import (
    STANDARD,
    ClusterName,
    GrammarName,
    GraphOutput,
    MetricName,
    Output,
    ResultFile,
    ScoreWeights,
    TableFiles,
    WordList,
)
from latticemetric.errors import InputError, UsageError, placed

if TYPE_CHECKING:
    from latticemetric.corpus.graphs import Written
    from latticemetric.corpus.pairing import Pair, Style
    from latticemetric.corpus.reading import PairedLattices
    from latticemetric.corpus.run import Placed
    from latticemetric.corpus.shards import ShardRun
    from latticemetric.corpus.string_scores import StringScorer
    from latticemetric.corpus.tables.looks import Looks
    from latticemetric.corpus.tables.table import Table
    from latticemetric.formats.references import ReferenceFile
    from latticemetric.formats.registry import Block, Entry
    from latticemetric.lattice.columns import FeatureWeights, Scales
    from latticemetric.metrics.base import Metric
    from latticemetric.metrics.preparation import Preparation
    from latticemetric.metrics.recognition import GRR
    from latticemetric.normalization.grammar import Grammar
    from latticemetric.parallel.cluster import Cluster
    from latticemetric.vocabulary import Vocabulary

    AnyLocated = TypeVar("AnyLocated", bound=Placed)

# Upper limits: more draws do not change the digits that are shown, and nobody reads more strings per graph.
MOST_DRAWS, MOST_STRINGS = 10**6, 10**6


# Values of options


class Number(click.FloatRange):
    """The type of a finite number in a range; click's own types accept NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; refuse NaN and infinities."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"'{value}' is not a finite number.", param, ctx)
        return number


def numbers(value: str | None) -> tuple[float, ...]:
    """Parse numbers separated by commas; return an empty tuple if the option is not given."""
    try:
        # Read numbers as in files: Python alone would accept 1_0 and digits of any script.
        ascii_only = (value or "").encode("ascii").replace(b"_", b"?")
        return tuple(map(float, ascii_only.split(b","))) if value is not None else ()
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a number or a list of numbers separated by commas") from None


def whole_numbers(value: str | None, *, most_strings: float = math.inf) -> tuple[int, ...]:
    """Parse whole numbers separated by commas; refuse numbers above `most_strings`."""
    given = numbers(value)
    if not all(number.is_integer() for number in given):
        raise click.BadParameter(f"'{value}' has a number that is not a whole number")
    if any(number > most_strings for number in given):
        raise click.BadParameter(f"'{value}' asks for more than {most_strings} strings")
    return tuple(map(int, given))


def weights(value: str | None) -> tuple[float, ...]:
    """Parse numbers ≥ 0 separated by commas; drop duplicates."""
    given = numbers(value)
    if not all(0 <= weight < math.inf for weight in given):
        raise click.BadParameter(f"'{value}' has a number that is negative or not finite")
    return tuple(dict.fromkeys(given))


def _feature_weights(values: Sequence[str]) -> FeatureWeights:
    """Return the weights of `NAME=NUMBER` values and files; numbers replace those of files."""
    from latticemetric.formats.text.fields import is_number
    from latticemetric.lattice.columns import FeatureWeights

    weights, named = FeatureWeights({}), dict[str, float]()
    for value in values:
        name, _, number = value.rpartition("=")
        if ScoreWeights.names_file(value):
            if weights:
                raise UsageError("there are two files of weights", where="--scale", advice="give one of them")
            from latticemetric.formats.weights import read_weights

            weights = read_weights(value)
        elif not name or not is_number(number):
            raise click.BadParameter(
                f"'{value}' is neither NAME=NUMBER, like acoustic=0.1, nor a file", param_hint="'--scale'"
            )
        elif named.setdefault(name, float(number)) != float(number):
            raise UsageError(f"'{name}' has two different weights", where="--scale", advice="give one of them")
    return weights.updated(named)


def _weighted(entries: Iterator[Entry], weights: FeatureWeights) -> Iterator[Entry]:
    from latticemetric.corpus.feature_weights import weighted_entries

    return weighted_entries(entries, weights)


def _report_unused(weights: FeatureWeights, context: click.Context) -> None:
    """Raise `InputError` if a weight names no score column of any graph.

    If other graphs of the run may have it (in other shards, in a journal or on a cluster), and for files with names
    that graphs have, only say it.
    """
    unused = weights.unused
    if not unused or sys.exc_info()[0] is not None:  # another error ends the run
        return
    from latticemetric.cli.results import say
    from latticemetric.line_ids import listed_names

    if weights.whole and len(unused) < len(weights.names):
        say(f"--scale: {len(unused)} of {len(weights.names)} weights name columns that no graph has")
        return
    what = f"no graph has a score column '{unused[0]}', so its weight had no effect"
    if weights.whole:
        what = f"no graph has any of the {len(unused)} score columns ({listed_names(unused)}), so all scores count 0"
    if any(context.params.get(name) for name in ("shard", "resume", "cluster")):
        say(f"--scale: {what}")
    else:
        raise InputError(what, where="--scale", advice="latticemetric info lists the columns of each graph")


def _workers(number: int | None) -> int | None:
    if number is not None and number > 1:
        from latticemetric.parallel.limits import check_workers

        with placed("--workers"):
            check_workers(number)
    return number


def _bytes(text: str | None) -> int | None:
    """Convert a size like 500M or 2G to bytes."""
    if text is None:
        return None
    from latticemetric.memory import parse_size

    size = parse_size(text)
    if size is None:
        raise click.BadParameter(f"'{text}' is not a size like 500M or 2G")
    return size


def _cluster(text: str | None) -> Cluster | None:
    if text is None:
        return None
    from latticemetric.parallel.cluster import Cluster

    return Cluster.parse(text)


def _shard(text: str | None) -> ShardRun | None:
    if text is None:
        return None
    from latticemetric.corpus.shards import Shard, ShardRun

    context = click.get_current_context()

    def run() -> dict[str, Any]:
        from latticemetric.cli.fingerprint import common_to_shards

        return common_to_shards(context)

    return ShardRun(Shard.parse(text), run)


def listed(names: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def word_list(text: str | None) -> frozenset[str]:
    """Return the words of an option: separated by white space, or read from a file after `@`."""
    if not text:
        return frozenset()
    from latticemetric.vocabulary import split_words

    if text.startswith("@"):
        from latticemetric.formats.streams.stream import open_stream

        with open_stream(text[1:]) as stream:
            return frozenset(word for line in stream.lines() for word in split_words(line))
    if os.path.isfile(text):  # noqa: PTH113  a name may be longer than a path may be
        raise UsageError(
            f"'{text}' is given as a word, but is the name of a file",
            advice=f"to read words from the file, give @{text}",
        )
    try:
        # In an ASCII locale, Python represents non-ASCII characters of an argument as escaped bytes.
        return frozenset(split_words(os.fsencode(text).decode("utf-8")))
    except UnicodeError:
        raise UsageError("the words of an option are not UTF-8", advice="set LC_ALL to a UTF-8 locale") from None


def cased_words(text: str | None) -> frozenset[str]:
    """Return the words of an option (see `word_list`), lower-cased under `--lowercase`, as the texts are."""
    words = word_list(text)
    return frozenset(map(str.lower, words)) if click.get_current_context().params.get("lowercase") else words


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


def grammar_named(name: str | None) -> Grammar | None:
    """Return the grammar of `--normalize`; `None` if `name` is `None`."""
    if name is None:
        return None
    from latticemetric.normalization.grammar import find_grammar

    return find_grammar(name)


# Options that were given


def given(names: Iterable[str]) -> list[str]:
    """Return the options that the user gave to the running command, among the options of the parameters `names`."""
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    written = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    return [written[name] for name in names if context.get_parameter_source(name) is not default]


def refuse(names: Iterable[str], where: str, *, advice: str = "leave it out") -> None:
    """Raise an error if the user gave one of these parameters.

    Args:
        names: The parameters.
        where: The condition under which the parameters have no effect, such as `without --shard`.
        advice: What the user can do.
    """
    for name in given(names):
        raise UsageError(f"{name} has no effect {where}", advice=advice)


# Options and groups of options that several commands share. If several groups have the same option, its field has the
# same name in all of them.

NORMALIZE = option(
    "--normalize GRAMMAR",
    "Normalize hypotheses and references with this grammar first: english, your own rules.far:RULE, or rules.glm.",
    type=GrammarName(),
)
POSTERIOR_SCALE = option(
    "--posterior-scale NUMBER",
    "Multiply costs by this factor to get posteriors, P ∝ exp(−factor · cost); factors below 1 flatten posteriors.",
    type=Number(0),
    default=1.0,
)
BEAM = option(
    "--beam COST", "Prune: keep the paths that cost at most this much more than the best path.", type=Number(0)
)
SAMPLES = option(
    "--samples N",
    "For MBR by a metric: sample N paths instead of listing all strings.",
    type=click.IntRange(1, MOST_DRAWS),
)
SEED = option("--seed N", "Seed of the random numbers.", type=click.IntRange(0), default=0)
PARAMETERS = option(
    "--parameter -P METRIC.NAME=VALUE",
    "Parameter of a metric: chrf.beta=3, ter.normalized=yes, cer.unicode=nfc, 'wer.ignore=uh um', …; repeatable.",
    multiple=True,
)
IGNORE = option(
    "--ignore WORDS",
    "Words to remove from hypotheses and references first: '<s> </s>'; @FILE reads them from a file.",
    type=WordList(),
)
SCORE = option("--score NAMES", "Also score oracles and 1-bests by these metrics, such as bleu-sbp,meteor.")
UTT2SPK = option(
    "--utt2spk FILE",
    "Speakers of segments or files: lines of id and speaker, as in Kaldi's utt2spk.",
    type=TableFiles(),
)
STYLE = choice(
    "--style",
    ["auto", "plain", "keyed"],
    "keyed: reference lines begin with ids; plain: they do not; auto: detect.",
)
LINE_STYLE = choice(
    "--style",
    ["auto", "plain", "keyed"],
    "keyed: lines begin with ids (Kaldi's text), in any order; plain: they do not; auto: compare all files.",
)
LOWERCASE = flag("--lowercase -lc", "Lowercase before tokenization.")
TOKENIZE = option(
    "--tokenize -tok NAME", "Tokenizer of sacrebleu: 13a, intl, char, zh, none … (default: split at ASCII white space)."
)
FRACTIONS = flag("--fractions", "Show rates in text output as fractions, as in other formats, not in per cent.")
SHORT_SIGNATURE = flag("--short-signature", "Abbreviate signatures.")
PLOT = option("--plot FILE", "Also draw the results: .svg, .png or .pdf.", type=Output())
OUTPUT = option(
    "--output -o FILE",
    "Output file; .gz and similar suffixes compress it (default: standard output).",
    type=ResultFile(),
    default=STANDARD,
    show_default=False,
    is_eager=True,  # its suffix decides the format
)
_SUFFIXES = {"txt": "text", "ndjson": "jsonl", "feather": "arrow"}
TABLES = ("parquet", "arrow")
"""The suffixes of `--output` that mean a table: one row per record."""


def format_option(*names: str) -> Any:
    """Declare the field of the output format: one of `names`.

    By default, the suffix of `--output` chooses the format; if it names no format, use the first of `names`. If `names`
    has `jsonl`, the suffixes in `TABLES` choose a table.
    """

    def chosen(value: str | None) -> str:
        if value is not None:
            return value
        from latticemetric.formats.streams.compression import without_compression

        output = str(click.get_current_context().params.get("output") or "")
        suffix = without_compression(output).rpartition(".")[2].lower()
        named = _SUFFIXES.get(suffix, suffix)
        if named in TABLES and "jsonl" in names:
            from latticemetric.display.frames import require_arrow

            with placed(output):
                require_arrow()
            return named
        return named if named in names else names[0]

    text = f"Output format (default: by the suffix of --output, else {names[0]})."
    return option("--format", text, type=click.Choice(names), reads=chosen)


def resamples_option(default: int) -> Any:
    """Declare the field of the number of resamples."""
    text = "Number of resamples for intervals and p-values; 0: none."
    return option("--resamples N", text, type=click.IntRange(0, MOST_DRAWS), default=default)


def lattices_option(what: str, format_parameter: str | None = None) -> Any:
    """Declare the field of `--write-lattices`; in its help text, `what` describes the graphs.

    `format_parameter` names the parameter with the format; without it, the suffix of the file chooses the format.
    """
    text = f"Also write {what} to FILE, in the format of its suffix."
    return option("--write-lattices FILE", text, type=GraphOutput(format_parameter))


class ReadingOptions(Options):
    """Options for reading graphs."""

    symbols: str | None = option(
        "--symbols FILE",
        "Symbol table (words.txt) to turn word numbers of graphs and references into words.",
        type=TableFiles(),
    )
    from_format: str | None = option("--from FORMAT", "Format of the graphs (default: detected from content).")
    keep_marks: bool = flag(
        "--keep-marks", "Read the sentence marks of a format, such as <s> and !SENT_START in HTK lattices, as words."
    )

    @cached_property
    def vocabulary(self) -> Vocabulary | None:
        """The symbol table, read once; `None` if there is none."""
        from latticemetric.formats.reading import as_vocabulary

        return as_vocabulary(self.symbols)

    def entries(self, graphs: Sequence[str]) -> Iterator[Entry]:
        """Read graphs from files."""
        from latticemetric.formats.reading import entries

        return entries(graphs, self.from_format, self.vocabulary, keep_marks=self.keep_marks)

    def blocks(self, graphs: str) -> Iterator[Block] | None:
        """Split a file into blocks that other processes can parse; `None` for folders and formats without blocks."""
        from latticemetric.formats.reading import blocks

        return blocks(graphs, self.from_format)

    def evidence(self, graphs: Sequence[str]) -> Iterator[Entry] | None:
        """Read the graphs of `--evidence`, which give the posteriors; return `None` without files."""
        from latticemetric.formats.reading import entries

        return entries(graphs, None, self.vocabulary, keep_marks=self.keep_marks) if graphs else None

    def references(self, files: Sequence[str]) -> list[ReferenceFile]:
        """Read files of references."""
        from latticemetric.formats.references import read_references

        return [read_references(file, self.vocabulary) for file in files]


class ScoredReadingOptions(ReadingOptions):
    """Options for reading graphs and weighting their scores."""

    scales: tuple[str, ...] = option(
        "--scale NAME=NUMBER",
        "Weight of a score column in the model's cost (default: as the file says, mostly 1); repeatable. Or a FILE of "
        "weights of cdec, Moses or HiFST, of lines NAME=NUMBER, or JSON; columns that it lacks count 0.",
        multiple=True,
        type=ScoreWeights(),
    )

    @cached_property
    def weights(self) -> FeatureWeights:
        """The weights of score columns, by name; when the command ends, say which names no graph had."""
        weights = _feature_weights(self.scales)
        if weights:
            context = click.get_current_context()
            context.call_on_close(functools.partial(_report_unused, weights, context))
        return weights

    def entries(self, graphs: Sequence[str], *, weighted: bool = True) -> Iterator[Entry]:
        """Read graphs from files; check the weights of their scores when they are parsed, unless no cost is needed."""
        read = super().entries(graphs)
        return _weighted(read, self.weights) if weighted else read


class WordReadingOptions(ScoredReadingOptions):
    """Options for reading graphs, weighting their scores and removing words."""

    ignore: str | None = IGNORE

    def entries(self, graphs: Sequence[str], *, weighted: bool = True) -> Iterator[Entry]:
        """Read graphs from files; remove the words of `--ignore` from each graph when it is parsed."""
        read = super().entries(graphs, weighted=weighted)
        if not (words := word_list(self.ignore)):
            return read
        from latticemetric.corpus.preparation import prepared_entries
        from latticemetric.metrics.preparation import Preparation

        return prepared_entries(read, Preparation(ignore=words))


class PreparationOptions(Options):
    """Options for preparing texts before scoring."""

    tokenize: str | None = TOKENIZE
    lowercase: bool = LOWERCASE

    @cached_property
    def preparation(self) -> Preparation | None:
        """The preparation of texts; `None` leaves the texts unchanged."""
        if not self.lowercase and self.tokenize is None and not self.ignored:
            return None
        from latticemetric.metrics.preparation import Preparation

        return Preparation(self.lowercase, self.tokenize, self.ignored)

    @property
    def ignored(self) -> frozenset[str]:
        """The words to remove from texts; none where the metric ignores words itself."""
        return frozenset()

    @property
    def rewritten_by(self) -> str | None:
        """The steps that rewrite texts, as signatures name them: `lc+13a+english`; `None` if there are no steps."""
        return "+".join(self._steps()) or None

    def _steps(self) -> list[str]:
        return ["lc"] * self.lowercase + [self.tokenize] * (self.tokenize not in (None, "none"))  # type: ignore[list-item]

    def prepared(self, lattices: Iterator[Pair]) -> Iterator[Pair]:
        """Yield the lattices and their references, lower-cased and tokenized as the options say."""
        if (preparation := self.preparation) is None:
            return lattices
        from latticemetric.corpus.preparation import prepared_pairs

        return prepared_pairs(lattices, preparation)

    def prepared_graphs(self, graphs: Iterator[Entry]) -> Iterator[Entry]:
        """Yield the graphs; lower-case and tokenize each one when it is parsed."""
        if (preparation := self.preparation) is None:
            return graphs
        from latticemetric.corpus.preparation import prepared_entries

        return prepared_entries(graphs, preparation)


class IgnoringPreparationOptions(PreparationOptions):
    """Options for preparing texts and removing words from them."""

    ignore: str | None = IGNORE

    @property
    def ignored(self) -> frozenset[str]:
        """The words of `--ignore`."""
        return word_list(self.ignore)


class PairedReadingOptions(ScoredReadingOptions, PreparationOptions):
    """Options for reading, preparing and normalizing lattices and their references."""

    normalize: str | None = NORMALIZE
    style: Style = STYLE
    reference_field: str | None = option(
        "--reference-field NAME",
        "Without REFERENCES: the field of each graph's record that holds its references (default: detected).",
    )

    def paired(
        self,
        lattices: str,
        references: Sequence[str],
        shard: ShardRun | None = None,
        *,
        required: bool = True,
        rewrite: bool = True,
    ) -> PairedLattices:
        """Pair each lattice with its references: from files, or from a field of its own record.

        With a shard, return only the lattices of that shard. If references are not `required`, lattices may have none.
        Without `rewrite`, do not apply `--normalize`.
        """
        from latticemetric.cli.results import progress
        from latticemetric.corpus.reading import PairReader

        if references:
            refuse(["reference_field"], "with files of references", advice="give one of them")
        else:
            refuse(["style"], "without files of references")
        reader = PairReader(
            vocabulary=self.vocabulary,
            from_format=self.from_format,
            keep_marks=self.keep_marks,
            style=self.style,
            reference_field=self.reference_field,
            preparation=self.preparation,
            grammar=grammar_named(self.normalize) if rewrite else None,
            scales=self.weights,
            shard=shard,
            watched=functools.partial(progress, what="lattices"),
        )
        paired = reader.read_pairs(lattices, references, required=required)
        if paired is None:
            raise click.MissingParameter(param_hint="'REFERENCES...'", param_type="argument")
        return paired

    def _steps(self) -> list[str]:
        return [*super()._steps(), *([] if self.normalize is None else [self.normalize])]


ENGINE = choice("--engine", ["auto", "native", "openfst"], "Search engine; all engines give the same results.")
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


class WorkerOptions(Options):
    """The number of workers."""

    workers: int | None = option(
        "--workers N",
        "Number of processes or threads (default: one per processor).",
        reads=_workers,
        type=click.IntRange(1),
    )


class RunOptions(WorkerOptions):
    """Workers, limits and error handling of a run over many graphs."""

    cluster: Cluster | None = option(
        "--cluster WHERE",
        "Use Dask workers: local[:N], slurm:N, tcp://HOST:PORT or a scheduler's FILE.json.",
        type=ClusterName(),
        reads=_cluster,
    )
    timeout: float | None = option(
        "--timeout SECONDS", "Time limit per graph (default: none); above it, the graph fails.", type=float
    )
    max_memory: int | None = option(
        "--max-memory SIZE",
        "Memory limit per graph, such as 2G (default: 1.5 GiB, or less if little memory is free); above it, the graph "
        "fails.",
        reads=_bytes,
    )
    resume: bool = flag("--resume", "Keep a journal beside the output; continue an interrupted run from it.")
    failures: str | None = option(
        "--failures FILE", "Also list the failed graphs in FILE: id, file, line, reason.", type=Output()
    )
    keep_going: bool = flag(
        "--keep-going", "Report graphs that fail, and continue with the others; the exit status is then 1."
    )


class ShardedRunOptions(RunOptions):
    """Workers, limits and error handling of a run over many graphs, or over a shard of them."""

    shard: ShardRun | None = option(
        "--shard I/N",
        "Process only every N-th graph, starting with the I-th; join the results with merge.",
        reads=_shard,
    )

    def take(self, graphs: Iterable[AnyLocated]) -> Iterable[AnyLocated]:
        """Return the graphs (or pairs) of the shard, or all without a shard."""
        return graphs if self.shard is None else self.shard.take(graphs)


class OutputOptions(Options):
    """Options for the format and the file of results."""

    output_format: str = format_option("text", "tsv", "json", "jsonl")
    output: str = OUTPUT

    @property
    def looks(self) -> Looks:
        """How text looks there: rates in per cent, unless the command has `--fractions` and the user gives it."""
        from latticemetric.cli.results import looks_in

        return looks_in(self.output, percent=not vars(self).get("fractions"))

    def write(self, table: Table, *, at_once: bool = False, beside: Callable[[], None] = lambda: None) -> None:
        """Write a table to `--output` in the format of `--format`.

        Args:
            table: The table.
            at_once: Show each line on standard output immediately (`results.writing`).
            beside: Function that writes other files; called just before the results become visible.
        """
        from latticemetric.cli.results import writing

        if self.output_format in TABLES:
            from latticemetric.display.frames import write_table
            from latticemetric.formats.streams.output import atomic_output

            with atomic_output(self.output) as file:
                write_table(table.records(), file, self.output_format)
                beside()
            return
        with writing(self.output, at_once=at_once) as put:
            for line in table.lines(self.output_format):
                put(line)
            if self.output_format == "text" and self.output != STANDARD and not table.is_for_programs:
                for line in table.summary():
                    put(line)
            beside()

    def say_summary(self, table: Table) -> None:
        """Print the summary on standard error if the format is text."""
        if self.output_format == "text":
            from latticemetric.cli.results import say

            say("\n".join(table.summary()))


class CTMOutputOptions(OutputOptions):
    """Options for the format and the file of results; the formats include CTM."""

    output_format: str = format_option("text", "tsv", "json", "jsonl", "ctm")


class CTMRateOutputOptions(CTMOutputOptions):
    """Options for the format and the file of results that have rates; the formats include CTM."""

    fractions: bool = FRACTIONS


class RateOutputOptions(OutputOptions):
    """Options for the format and the file of results that have rates."""

    fractions: bool = FRACTIONS


class PlottedOutputOptions(OutputOptions):
    """Options for the format, the file and the plot of results."""

    plot: str | None = PLOT

    def check_plot(self) -> None:
        """Raise an error before the search starts if the plot cannot be drawn."""
        if self.plot is not None:
            from latticemetric.report.plots import check_plot

            check_plot(self.plot)


class ResamplingOptions(Options):
    """Options for resampling."""

    resamples: int = resamples_option(1000)
    seed: int = SEED
    confidence: float = option(
        "--confidence SHARE",
        "Confidence level of the intervals, as a fraction.",
        type=Number(0, 1, min_open=True, max_open=True),
        default=0.95,
    )

    def asdict(self) -> dict[str, Any]:
        """Return the options by their names."""
        return {"resamples": self.resamples, "seed": self.seed, "confidence": self.confidence}


class PointOptions(Options):
    """Options for the sizes to which each graph is pruned, to find its oracle at each size."""

    beams: tuple[float, ...] = option(
        "--beams COSTS",
        "Prune by each of these beams, such as 1,2,4: keep paths that cost at most this much more than the best path.",
        reads=numbers,
    )
    densities: tuple[float, ...] = option(
        "--densities NUMBERS",
        "Prune to each of these densities or less, such as 1,5,10. The density is the number of arcs with a word, "
        "divided by the number of reference words.",
        reads=numbers,
    )
    nbest_sizes: tuple[int, ...] = option(
        "--nbest-sizes NUMBERS",
        "Prune to n-best lists of each of these sizes, such as 1,10,100: keep this many of the model's best strings.",
        reads=functools.partial(whole_numbers, most_strings=MOST_STRINGS),
    )


class GraphFormatOptions(Options):
    """Options for writing graphs."""

    to_format: str | None = option("--to FORMAT", "Format of the written graphs (default: by the suffix).")
    sum_scores: bool = flag(
        "--sum-scores", "Write one score per arc: its cost, the sum of its scores weighted by --scale."
    )
    scores_off: bool = flag("--scores-off", "Write no scores.")
    drop_labels: bool = flag("--drop-labels", "Drop the labels of arcs: input labels, transition ids and others.")

    def written(self, scales: Scales) -> Written:
        """Return the settings for written graphs, with the weights of `--scale`."""
        from latticemetric.corpus.graphs import Written

        if self.sum_scores and self.scores_off:
            raise UsageError("--sum-scores and --scores-off contradict each other", advice="give one of them")
        return Written(scales if self.sum_scores else None, self.scores_off, self.drop_labels)

    @staticmethod
    def check_beside(path: str | None, what: str) -> None:
        """Check the options for writing graphs to a file beside the results; `what` describes the graphs.

        Refuse standard output. Without a file, refuse the options for writing graphs.
        """
        if path == STANDARD:
            raise UsageError("results already go to standard output", where="--write-lattices", advice="name a file")
        if path is None:
            for name in given(GraphFormatOptions.declared):
                raise UsageError(f"no {what} are written", where=name, advice="also give --write-lattices FILE")
