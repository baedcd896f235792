"""`latticemetric mbr`: find in each graph the words with the best expected score under the model's distribution.

With `--tune`, find the parameters with the best answers on a development set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import GraphFiles, NamesFiles
from latticemetric.cli.options import (
    ALPHA,
    BEAM,
    BETA,
    IGNORE,
    MOST_STRINGS,
    PARAMETERS,
    SAMPLES,
    SEED,
    STYLE,
    CTMRateOutputOptions,
    Number,
    OutputOptions,
    PreparationOptions,
    ScoredReadingOptions,
    ShardedRunOptions,
    given,
    lattices_option,
    metric_parameters,
    metrics_named,
    numbers,
    refuse,
    weights,
    word_list,
)
from latticemetric.cli.results import (
    CTMResults,
    Record,
    Results,
    TimedWords,
    as_json,
    counted,
    progress,
    rate,
    rate_title,
    shown,
    table,
    words_line,
)
from latticemetric.cli.run import Failures, ask_graphs
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.pairing import Style
    from latticemetric.batch.tuning import MBRTuning
    from latticemetric.evaluation.intervals import PairedBootstrap
    from latticemetric.metrics.base import Metric

_EPILOG = """\b
Examples:
  latticemetric mbr lats.ark.gz --method wer --scale acoustic=0.1
  latticemetric mbr lats.ark.gz --method wer --risk exact --format tsv
  latticemetric mbr lattices/ --method wer --format ctm      (words with times and confidences)
  latticemetric mbr lattices/ --posterior-scale 0.4 -p 0.74 -r 0.62 --beam 5 --determinize      (as in HiFST)
  latticemetric mbr out.nbest --method 4-grr --scale lm=0.2
  latticemetric mbr lats.ark.gz --method bleu --smoothing exp --samples 1000 --seed 1
  latticemetric mbr samples.jsonl --method chrf --weights counts --pruning-confidence 0.99
  latticemetric mbr samples.jsonl --utility-matrix comet.npz
  latticemetric mbr dev.plf --word-penalty=-0.1,0,0.1 --format tsv      (one row per setting)
  latticemetric mbr lats.slf --evidence other.slf --write-lattices gains.slf
  latticemetric mbr dev.plf --tune dev.en --metric bleu
"""

_SECTIONS = {
    "Decision": "--method --posterior-scale --beam --determinize --evidence",
    "By n-grams (--method ngram)": "-p -r -T --word-penalty --order --write-lattices --gains-only",
    "By word errors (--method wer)": "--risk --candidates --most-states",
    "By a metric (--method 4-grr, bleu …)": "--samples --seed --weights --alpha --beta --smoothing --parameter "
    "--pruning-confidence",
    "By scores of another program": "--utility-matrix --lower-is-better",
    "Tuning": "--tune --metric --ignore --style",
}
_NOT_FOR_TUNING = ("cluster", "shard", "resume", "timeout", "max_memory", "failures")


class _DecisionOptions(Options):
    method: str = option("--method NAME", "Decode by ngram, wer, or a metric: 4-grr, bleu, meteor …", default="ngram")
    beam: float | None = BEAM
    determinize: bool = flag("--determinize", "Determinize first: keep only the best path of each string.")
    evidence: tuple[str, ...] = option(
        "--evidence FILE",
        "Take the posteriors from these graphs (matched by id); repeatable.",
        type=GraphFiles(None),
        multiple=True,
    )


class _NgramOptions(Options):
    """Parameters of n-gram MBR, each with one or several values, and the order (one value)."""

    scale: tuple[float, ...] = option(
        "--posterior-scale NUMBERS",
        "Multiply costs by this factor to get posteriors, P ∝ exp(−factor · cost); factors below 1 flatten posteriors.",
        default="1",
        reads=weights,
    )
    p: tuple[float, ...] = option(
        "-p --precision NUMBERS", "Assumed average precision of unigrams.", default="0.85", reads=numbers
    )
    r: tuple[float, ...] = option(
        "-r --ratio NUMBERS",
        "Assumed ratio of the precision of n-grams to that of (n−1)-grams.",
        default="0.72",
        reads=numbers,
    )
    T: tuple[float, ...] = option(
        "-T --length NUMBERS",
        "Assumed number of words per sentence; changes the answers only if --word-penalty is not 0.",
        default="10",
        reads=numbers,
    )
    word_penalty: tuple[float, ...] = option(
        "--word-penalty NUMBERS", "Additional cost of each word; negative: a bonus.", default="0", reads=numbers
    )
    order: int = option(
        "--order N",
        "Length of the longest n-grams; the gain of an n-gram of length n is its posterior/(N·T·p·rⁿ⁻¹).",
        default=4,
        type=click.IntRange(1),
    )

    def grid(self) -> dict[str, tuple[float, ...]]:
        return {name: getattr(self, name) for name in ("scale", "p", "r", "T", "word_penalty")}

    def settings(self) -> int:
        """Return the number of combinations of values."""
        return math.prod(map(len, self.grid().values()))


class _GainOptions(Options):
    write_lattices: str | None = lattices_option("lattices with the gains of arcs")
    gains_only: bool = flag("--gains-only", "In --write-lattices, omit the model's scores and labels.")


class _RiskOptions(Options):
    """Options of the risk, for MBR by word errors."""

    risk: Literal["bound", "exact"] = choice(
        "--risk",
        ["bound", "exact"],
        "exact: rank candidates by their exact expected errors over all paths; bound: by an upper bound.",
    )
    candidates: int | None = option(
        "--candidates N",
        "Number of candidates from each graph, and from its confusion network (default: 20).",
        type=click.IntRange(1, MOST_STRINGS),
    )
    most_states: int | None = option(
        "--most-states N",
        "Limit on search states for an exact risk; above it, the risk is an interval (default: 2000000).",
        type=click.IntRange(1),
    )


class _MetricOptions(Options):
    """Options for sampling and scoring strings, for MBR by a metric."""

    samples: int | None = SAMPLES
    seed: int = SEED
    alpha: str | None = ALPHA
    beta: str | None = BETA
    smoothing: str | None = option(
        "--smoothing NAME",
        "Smoothing of bleu: none (default), floor, add-k or exp. With none, strings that share no 4-gram score 0.",
    )
    parameters: tuple[str, ...] = PARAMETERS
    weights: str = choice(
        "--weights",
        ["probabilities", "counts"],
        "Weights of n-best entries: their probabilities, or counts (each entry is one sample).",
    )
    pruning_confidence: float | None = option(
        "--pruning-confidence SHARE",
        "Score fewer pairs: drop hypotheses that lose in this share of resamples (0.5 to 1), such as 0.99; with 1, "
        "drop only those that cannot win.",
        type=Number(0.5, 1),
    )


class _UtilityOptions(Options):
    """Options for MBR by the scores of another program, which scored each pair of hypotheses."""

    utility_matrix: str | None = option(
        "--utility-matrix FILE",
        "Scores of each hypothesis (row) against each hypothesis as reference (column): .npy, or .npz with an array "
        "per id.",
        type=NamesFiles(),
    )
    lower_is_better: bool = flag("--lower-is-better", "The scores of --utility-matrix are errors: lower is better.")


class _TuningOptions(Options):
    tune: tuple[str, ...] = option(
        "--tune REFERENCES",
        "Find the parameters that score best against these references; repeatable.",
        type=NamesFiles(),
        multiple=True,
    )
    metric: str = option("--metric NAME", "With --tune: optimize this metric.", default="bleu")
    ignore: str | None = IGNORE
    style: Style = STYLE


@verb("mbr", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    decision: _DecisionOptions,
    ngrams: _NgramOptions,
    gains: _GainOptions,
    risks: _RiskOptions,
    strings: _MetricOptions,
    utilities: _UtilityOptions,
    tuning: _TuningOptions,
    texts: PreparationOptions,
    reading: ScoredReadingOptions,
    run: ShardedRunOptions,
    output: CTMRateOutputOptions,
) -> None:
    """Decode GRAPHS by minimum Bayes risk: find the words with the best expected score in each graph.

    Decode by n-grams, by word error rate (as Kaldi's lattice-mbr-decode does), or by a metric. A metric scores each
    string of an n-best list or a small graph against all strings or, with --samples N, against N sampled paths. GRAPHS
    are files, folders, quoted globs, or - for standard input.

    With --method ngram, -p, -r, -T, --word-penalty and --posterior-scale can have several numbers, separated by commas;
    each combination gives a result.

    With --method wer --risk exact, find the candidate with the fewest expected errors, and compare it with the answer
    of --risk bound.

    With --tune, search for the parameters whose answers score best against references, and print the parameters as
    options. The search varies -p, -r, --word-penalty and --posterior-scale, but it keeps an option fixed if you give a
    single number for it. The search varies -T only if -T has several numbers.
    """
    method = decision.method.strip().lower()
    _refuse_others(method, risks.risk, tune=bool(tuning.tune), matrix=utilities.utility_matrix is not None)
    if output.output_format == "ctm":
        refuse(["tune", "determinize"], "with the format ctm", advice="leave it out, or choose another format")
        if ngrams.settings() > 1:
            raise UsageError("ctm holds one setting, but there are several", advice="give one number for each option")
    shared = {"scales": reading.weights, "beam": decision.beam, "determinize": decision.determinize}
    if tuning.tune:
        parameters = shared | {name: getattr(ngrams, name) for name in _NgramOptions.declared if given([name])}
        inputs: dict[str, Any] = {"texts": texts, "reading": reading, "keep_going": run.keep_going}
        _write_tuning(graphs, decision.evidence, tuning=tuning, parameters=parameters, output=output, **inputs)
        return
    entries, evidence = texts.prepared_graphs(reading.entries(graphs)), reading.evidence(decision.evidence)
    if utilities.utility_matrix is not None:
        from latticemetric.batch.mbr_evidence import with_utilities

        entries = with_utilities(entries, utilities.utility_matrix)
        decode = _matrix_decoder(ngrams, strings, utilities, shared)
    else:
        decode = _decoder(method, shared, ngrams=ngrams, strings=strings, gains=gains, risks=risks, texts=texts)
    kind = _ExactRisks if risks.risk == "exact" else _Decoded

    with _advice_for_gains():
        ask_graphs(
            decode,
            entries,
            partial(kind, records_each=ngrams.settings()),
            run,
            output,
            evidence=None if evidence is None else texts.prepared_graphs(evidence),
            lattices=gains.write_lattices,
            lattice_of=itemgetter(1),
        )


@contextmanager
def _advice_for_gains() -> Iterator[None]:
    """Replace the advice of errors: `mbr` has neither --sum-scores nor --drop-labels, so advise --gains-only."""
    try:
        yield
    except UsageError as error:
        if not any(option in (error.advice or "") for option in ("--sum-scores", "--drop-labels")):
            raise
        advice = "--gains-only omits the model's scores and labels"
        raise UsageError(error.what, where=error.where, advice=advice) from None


def _refuse_others(method: str, risk: str, *, tune: bool, matrix: bool) -> None:
    """Refuse options that apply only to other methods or other risks."""
    of_gains, of_tuning = _GainOptions.declared, [name for name in _TuningOptions.declared if name != "tune"]
    if matrix:
        of_metrics = ["alpha", "beta", "smoothing", "parameters", "samples"]
        others = ["method", "evidence", "p", "r", "T", "word_penalty", "order", *of_metrics, *of_gains, "tune"]
        refuse([*others, *of_tuning, *_RiskOptions.declared], "with --utility-matrix")
        return
    refuse(["lower_is_better"], "without --utility-matrix")
    if method != "ngram":
        refuse(["p", "r", "T", "word_penalty", "order", *of_gains, "tune", *of_tuning], f"with the method {method}")
    if method == "wer":
        refuse(["evidence"], "with the method wer")
    else:
        refuse(_RiskOptions.declared, f"with the method {method}")
    if risk == "bound":
        refuse(["candidates", "most_states"], "without exact risks", advice="add --risk exact, or leave it out")
    if method in {"ngram", "wer"}:
        refuse(_MetricOptions.declared, f"with the method {method}")
    if tune:
        refuse([*of_gains, *_NOT_FOR_TUNING], "with --tune")
    else:
        refuse(of_tuning, "without --tune")


def _decoder(
    method: str,
    shared: dict[str, Any],
    *,
    ngrams: _NgramOptions,
    strings: _MetricOptions,
    gains: _GainOptions,
    risks: _RiskOptions,
    texts: PreparationOptions,
) -> Callable[..., Any]:
    """Return the function that decodes a graph, or a graph and its evidence (the graph that gives the posteriors)."""
    from latticemetric.batch.answers import mbr_records, mbr_with_gains

    if gains.gains_only and not gains.write_lattices:
        raise UsageError("--gains-only has no effect without --write-lattices", advice="leave it out")
    if method == "ngram" and not gains.write_lattices:
        parameters: dict[str, Any] = {**ngrams.grid(), "order": ngrams.order}
        return partial(mbr_records, **shared, **parameters)
    if ngrams.settings() > 1:
        what = "--write-lattices writes" if method == "ngram" else f"the method {method} takes"
        raise UsageError(f"{what} one setting, but there are several", advice="give one number for each option")
    single = {name: values[0] for name, values in ngrams.grid().items()}
    if method == "ngram":
        parameters = {**single, "order": ngrams.order}
        return partial(mbr_with_gains, **shared, parameters=parameters, gains_only=gains.gains_only)
    if method == "wer":
        asked = {name: getattr(risks, name) for name in _RiskOptions.declared}
        return partial(mbr_records, method="wer", scale=single["scale"], **asked, **shared)
    from latticemetric.mbr_decoding.mbr import mbr_metric

    named = {"alpha": strings.alpha, "beta": strings.beta, "smoothing": strings.smoothing}
    parameters = metric_parameters(strings.parameters, [method], "--method").get(method, {})
    parameters |= {name: value for name, value in named.items() if value is not None}
    return partial(
        mbr_records,
        method=mbr_metric(method, **parameters),
        rewritten_by=texts.rewritten_by,
        scale=single["scale"],
        samples=strings.samples,
        seed=strings.seed,
        weights=strings.weights,
        pruning_confidence=strings.pruning_confidence,
        **shared,
    )


def _matrix_decoder(
    ngrams: _NgramOptions, strings: _MetricOptions, utilities: _UtilityOptions, shared: dict[str, Any]
) -> Callable[..., Any]:
    """Return the function that decodes a list by a matrix of utilities."""
    from latticemetric.batch.mbr_evidence import mbr_by_matrix

    if len(ngrams.scale) > 1:
        raise UsageError("--utility-matrix supports one --posterior-scale only", advice="give one number")
    return partial(
        mbr_by_matrix,
        higher_is_better=not utilities.lower_is_better,
        scale=ngrams.scale[0],
        seed=strings.seed,
        weights=strings.weights,
        pruning_confidence=strings.pruning_confidence,
        **shared,
    )


class _Decoded(CTMResults):
    columns: Sequence[str] = (
        "id", "hypothesis", "gain", "risk", "cost", "confidences", "one_best",
        "scale", "T", "p", "r", "order", "word_penalty", "error"
    )  # fmt: skip

    def records_of(self, answer: Answer) -> Iterable[Record]:
        records: list[Record] = answer.value[0]
        return records

    def timed_words(self, answer: Answer) -> TimedWords:
        (record, *_), _, words = answer.value
        return words, record["times"], record["confidences"]

    def text(self) -> Iterator[str]:
        """Yield lines of id and words, as decoders write them."""
        for record in self.records():
            yield words_line(record["id"], record.get("hypothesis", "failed"))


class _ExactRisks(_Decoded):
    """Answers by exact risk, compared with the answers by the upper bound."""

    columns = (
        "id", "hypothesis", "risk", "low", "high", "exact", "expected_words", "expected_wer", "confidences",
        "one_best", "one_best_risk", "word_mbr", "word_mbr_risk", "word_mbr_bound", "improvement", "candidates", "error"
    )  # fmt: skip

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._found: list[Record] = []

    def records(self) -> Iterator[Record]:
        """Yield the records of each graph, and add up their risks."""
        for record in super().records():
            if "error" not in record:
                self._found.append({name: record[name] for name in (*_RISKS.values(), "expected_words", "exact")})
            yield record

    @property
    def is_for_programs(self) -> bool:
        """True, since the text is ids and words."""
        return True

    def summary(self) -> list[str]:
        """Return the total expected errors of answers by exact risk, of answers by the upper bound, and of 1-bests."""
        found = self._found
        words = math.fsum(record["expected_words"] for record in found)
        least = math.fsum(record["risk"] for record in found)
        rows = [["", "expected errors", rate_title("expected wer"), "more"]]
        for label, name in _RISKS.items():
            risk = math.fsum(record[name] for record in found)
            more = "" if name == "risk" else f"{risk - least:.4f}"
            rows.append([label, f"{risk:.4f}", rate(risk / words if words else None), more])
        better = sum(record["risk"] < record["word_mbr_risk"] for record in found)
        lines = ["", *table(rows), f"{counted(len(found), 'graph')}, {better} better than by the upper bound"]
        inexact = sum(not record["exact"] for record in found)
        return [*lines, f"{counted(inexact, 'graph')} not exact: interval only"] if inexact else lines


_RISKS = {"by exact risk": "risk", "by upper bound": "word_mbr_risk", "1-best": "one_best_risk"}


def _write_tuning(
    graphs: Sequence[str],
    evidence: Sequence[str],
    *,
    tuning: _TuningOptions,
    texts: PreparationOptions,
    parameters: dict[str, Any],
    reading: ScoredReadingOptions,
    output: OutputOptions,
    keep_going: bool,
) -> None:
    """Tune the parameters and write the result. With `keep_going`, skip graphs that fail, and exit with status 1."""
    from latticemetric.batch.mbr_evidence import examples_of
    from latticemetric.batch.pairing import pair_up
    from latticemetric.batch.tuning import tune_mbr

    (metric,) = metrics_named([tuning.metric])
    ignore = word_list(tuning.ignore)
    pairs = texts.prepared(pair_up(reading.entries(graphs), reading.references(tuning.tune), tuning.style))
    evidence_graphs = reading.evidence(evidence)
    evidence_graphs = None if evidence_graphs is None else texts.prepared_graphs(evidence_graphs)
    answers = progress(examples_of(pairs, evidence_graphs, keep_going=keep_going), None, "graphs")
    failures = Failures(None)
    examples = [answer.value for answer in failures.reported(answers) if answer.problem is None]
    failures.require_answers()
    tuned = tune_mbr(
        [example.graph for example in examples],
        [example.references for example in examples],
        metric,
        evidence=[example.evidence for example in examples] if evidence else None,
        ignore=ignore,
        rewritten_by=texts.rewritten_by,
        **parameters,
    )
    results = _TuningResults(tuned, metric)
    output.write(results)
    output.say_summary(results)
    failures.exit()


class _TuningResults(Results):
    """All settings that were tried, and the best one."""

    columns = ("scale", "T", "p", "r", "order", "word_penalty", "score", "best")

    def __init__(self, tuning: MBRTuning, metric: Metric[Any]) -> None:
        self._tuning, self._metric = tuning, metric

    def text(self) -> list[str]:
        """Return the best setting as options of this program."""
        best = self._tuning.best.parameters
        first = f"--posterior-scale {best.scale:.10g} -T {best.T:.10g} -p {best.p:.10g} -r {best.r:.10g}"
        return [f"{first} --word-penalty={best.word_penalty:.10g} --order {best.order}"]

    def records(self) -> Iterator[Record]:
        return ({**trial.asdict(), "best": trial == self._tuning.best} for trial in self._tuning.trials)

    def document(self) -> list[str]:
        return [as_json(self._tuning.asdict())]

    @property
    def is_for_programs(self) -> bool:
        """True, since the text is options for `latticemetric mbr`."""
        return True

    def summary(self) -> list[str]:
        """Return the scores of the best setting, the default setting and the 1-bests, and the held-out score.

        The held-out score is an estimate for new graphs, by cross-validation. Also return two differences of scores,
        with intervals and p-values: best setting minus default setting, and best setting minus 1-bests.
        """
        tuning, name = self._tuning, self._metric.name
        score, title = (rate, rate_title(name)) if self._metric.is_fraction else (shown, name)
        rows = [
            ["", title, "best minus this", "95 % interval", "p"],
            ["best", score(tuning.best.score), "", "", ""],
            ["default", score(tuning.default.score), *_comparison_cells(tuning.over_default, score)],
            ["1-best", score(tuning.one_best), *_comparison_cells(tuning.over_one_best, score)],
            ["held out", score(tuning.held_out), "", "", ""],
        ]
        graphs = counted(tuning.graphs, "graph")
        return ["", *table(rows), f"{len(tuning.trials)} settings, {graphs}   {tuning.signature}"]


def _comparison_cells(comparison: PairedBootstrap | None, score: Callable[[float | None], str]) -> list[str]:
    if comparison is None:
        return ["", "", ""]
    difference = comparison.difference
    return [score(difference.value), f"{score(difference.low)} … {score(difference.high)}", shown(comparison.p)]
