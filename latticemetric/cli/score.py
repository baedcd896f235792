"""`latticemetric score`: score strings against references by any metric."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import ReferenceFiles, TableFiles, TextFiles
from latticemetric.cli.options import (
    IGNORE,
    LINE_STYLE,
    LOWERCASE,
    NORMALIZE,
    PARAMETERS,
    SHORT_SIGNATURE,
    UTT2SPK,
    RateOutputOptions,
    ResamplingOptions,
    grammar_named,
    listed,
    metrics_named,
    refuse,
    word_list,
)
from latticemetric.cli.results import write_lines
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.evaluation.error_analysis import ErrorAnalysis
    from latticemetric.evaluation.scoring import Tabled
    from latticemetric.evaluation.segment_groups import AnyId
    from latticemetric.formats.segments import TestSet
    from latticemetric.line_ids import LineStyle
    from latticemetric.metrics.base import GraphText, Metric
    from latticemetric.metrics.preparation import Preparation, Preparations

    Texts = Sequence[Sequence[GraphText]]
    Analysed = tuple[Tabled, ErrorAnalysis]

_EPILOG = """\b
Examples:
  latticemetric score out.tok ref.tok --metric bleu,wer
  latticemetric score base.tok ref.0 ref.1 --system new.tok     (two systems, two references)
  latticemetric score out.txt ref.txt --metric bleu --tokenize 13a --lowercase
  latticemetric score out.txt ref.txt --metric bleu,chrf,ter --as sacrebleu
  latticemetric score out.txt ref.txt --metric bleu,ter --tokenize bleu=13a -P ter.normalized=yes
  latticemetric score out.tok ref.tok --metric wer --explain 7
  latticemetric score out.ctm ref.stm --metric sclite,wer --lowercase
  latticemetric score out.ctm ref.stm --metric wer --details --group-by speaker
  latticemetric score out.nlp ref.nlp --norm norm.json --metric wer --group-by class
"""

_SECTIONS = {
    "Systems and segments": "--system --level --explain",
    "Error analysis": "--details --top --group-by --utt2spk --norm",
}


class _ScoreOptions(Options):
    others: tuple[str, ...] = option(
        "--system -s FILE",
        "Output of another system, to compare with HYP; repeatable.",
        type=TextFiles(),
        multiple=True,
    )
    metric: tuple[str, ...] = option(
        "--metric -m NAME", "Metrics, separated by commas; repeatable.", default=("wer,4-grr,bleu",), multiple=True
    )
    parameters: tuple[str, ...] = PARAMETERS
    level: str = choice("--level", ["corpus", "sentence"], "Score the test set, or each segment.")
    tokenize: tuple[str, ...] = option(
        "--tokenize -tok NAME",
        "Tokenizer of sacrebleu: 13a, intl, char, zh, none … (default: split at ASCII white space), or "
        "METRIC=NAME for one metric; repeatable.",
        multiple=True,
    )
    convention: Literal["sacrebleu"] | None = choice(
        "--as", ["sacrebleu"], "Score bleu, chrf, chrf++ and ter as sacrebleu does by default.", optional=True
    )
    lowercase: bool = LOWERCASE
    ignore: str | None = IGNORE
    normalize: str | None = NORMALIZE
    stem: bool = flag("--stem", "Compare Porter stems of words; all metrics must support this.")
    style: LineStyle = LINE_STYLE
    details: bool = flag("--details", "Also list confusion pairs and the words inserted, deleted and substituted.")
    top: int = option(
        "--top N",
        "With --details: list at most N words, or pairs of words, for each kind of error.",
        type=click.IntRange(1),
        default=20,
    )
    group_by: Literal["speaker", "file", "label", "class"] | None = choice(
        "--group-by",
        ["speaker", "file", "label", "class"],
        "Also count errors by speaker, by file, by label of the segments (of an STM), or by class of the words (the "
        "tags in .nlp references).",
        optional=True,
    )
    utt2spk: str | None = UTT2SPK
    norm: str | None = option(
        "--norm FILE",
        "Rev's norm.json: alternative spellings of words with tags in .nlp references.",
        type=TableFiles(),
    )
    explain: str | None = option("--explain SEGMENT", "Show the counts of the segment with this number or id.")
    short_signature: bool = SHORT_SIGNATURE


@verb("score", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("hypotheses", type=TextFiles(), nargs=1, metavar="HYP")
@click.argument("references", type=ReferenceFiles(), nargs=-1, required=True, metavar="REF...")
def command(
    hypotheses: str,
    references: tuple[str, ...],
    *,
    options: _ScoreOptions,
    resampling: ResamplingOptions,
    output: RateOutputOptions,
) -> None:
    """Score a system's output against one or several references.

    HYP and each REF hold one segment per line, compressed or not; - is standard input. Transcripts of NIST (trn, STM,
    CTM) are matched by id; the STM gives the segments of a CTM. Rev's .nlp is one segment per file; HYP may then be
    .nlp, CTM or plain text. Each --system is compared with HYP: the paired bootstrap gives p-values and intervals of
    the differences, and approximate randomisation gives a second p-value.
    """
    from latticemetric.corpus.outer_words import note_on_texts
    from latticemetric.corpus.tables.score import CorpusScoreTable, ErrorTable, SentenceScoreTable, explanation_lines
    from latticemetric.evaluation.scoring import tabulate

    _check_details(options)
    _refuse_metrics_as_files((hypotheses, *references))
    parameters, preparations = _conventions(options)
    metrics = metrics_named(options.metric, stem=options.stem, parameters=parameters)
    preparations.check(metric.name for metric in metrics)
    systems = (hypotheses, *options.others)
    segments = _read(systems, references, options)
    several = [preparations.of(metric.name) for metric in metrics]
    spoken = [text for file in segments.files[len(systems) :] for text in file]
    ignored = word_list(options.ignore)
    notes: dict[str, None] = {}
    for system, file in zip(systems, segments.files, strict=False):
        notes |= dict.fromkeys(note_on_texts(system, file, spoken, ignored))
    texts: dict[str, _PreparedTexts] = {}
    rows: list[dict[str, Tabled]] = [{} for _ in systems]
    for preparation in dict.fromkeys(several):
        alike = [metric for metric, own in zip(metrics, several, strict=True) if own == preparation]
        prepared = _prepared(segments.files, (systems, references), preparation, alike, options.normalize)
        texts |= {metric.name: prepared for metric in alike}
        tabled = tabulate(zip(systems, prepared.outputs, strict=True), prepared.expected, alike)
        for row, found in zip(rows, tabled, strict=True):
            for one in found:
                signature = preparation.signed(one.signature).also(norm=options.normalize)
                row[one.metric.name] = replace(one, signature=signature)
        notes |= dict.fromkeys(preparation.kept_spaces(segments.files) + preparation.added_spaces(alike))
        notes |= dict.fromkeys(preparation.unseen(text for file in segments.files for text in file))
    ordered = [[row[metric.name] for metric in metrics] for row in rows]
    kind = CorpusScoreTable if options.level == "corpus" and options.explain is None else SentenceScoreTable
    table = kind(
        ordered,
        systems,
        segments.ids,
        len(references),
        resampling.asdict(),
        tuple(notes),
        short_signature=options.short_signature,
        looks=output.looks,
    )
    if options.details or options.group_by is not None:
        output.write(ErrorTable(table, *_analyses(ordered, texts, segments.segments, options)))
    elif options.explain is None:
        output.write(table)
    else:
        at = _position(options.explain, segments.ids, output.output_format)
        write_lines(explanation_lines(table, texts, at), output.output)
    output.say_summary(table)


def _refuse_metrics_as_files(files: Sequence[str]) -> None:
    """Raise an error if a file that does not exist has the name of a metric: names of metrics stand in one list."""
    from latticemetric.metrics.registry import is_metric

    wrong = [name for name in files if not os.path.lexists(name) and is_metric(name)]
    if wrong:
        raise UsageError(
            f"'{wrong[0]}' is a metric, but stands where a file does",
            advice="separate the names of metrics by commas: -m bleu,chrf,ter",
        )


def _conventions(options: _ScoreOptions) -> tuple[list[str], Preparations]:
    """Return the parameters of metrics and the preparations: as given, and where nothing is given, as under `--as`."""
    from latticemetric.metrics.preparation import SACREBLEU, Preparations

    named = [name.lower() for several in options.metric for name in listed(several)]
    parameters, tokenizers = list(options.parameters), dict[str, str | None]()
    if options.convention is not None:
        given_parameters = {text.partition("=")[0].lower() for text in parameters}
        if not set(named) & SACREBLEU.keys():
            raise UsageError("sacrebleu has none of these metrics", where="--as", advice="add bleu, chrf or ter")
        for name in dict.fromkeys(named):
            defaults, tokenizers[name] = SACREBLEU.get(name, ({}, None))
            if name == "bleu" and options.level == "sentence":
                defaults = {**defaults, "effective_order": "yes"}
            parameters += [f"{name}.{k}={v}" for k, v in defaults.items() if f"{name}.{k}" not in given_parameters]
    others: str | None = None
    for text in options.tokenize:
        metric, equals, tokenizer = text.rpartition("=")
        if not equals and options.convention is None and others is None:
            others = tokenizer
        elif not equals:
            problem = "beside --as" if options.convention else "twice"
            advice = f"write METRIC={tokenizer} for one metric"
            raise UsageError(f"a tokenizer of all metrics is given {problem}", where="--tokenize", advice=advice)
        else:
            tokenizers[metric.lower()] = tokenizer
    return parameters, Preparations(options.lowercase, tokenizers, others, word_list(options.ignore))


class _PreparedTexts(NamedTuple):
    """The texts as a metric compares them: those of each system, and the references of each segment."""

    outputs: Texts
    expected: Texts


def _prepared(
    files: Sequence[Sequence[Any]],
    names: tuple[Sequence[str], Sequence[str]],
    preparation: Preparation,
    metrics: Sequence[Metric[Any]],
    normalize: str | None,
) -> _PreparedTexts:
    """Return the texts of all files, prepared and normalized; `names` are those of systems and references."""
    systems, references = names
    grammar = grammar_named(normalize)
    if grammar is None:
        lines = [preparation.all_lines(texts) for texts in files]
        return _PreparedTexts(
            lines[: len(systems)], [list(texts) for texts in zip(*lines[len(systems) :], strict=True)]
        )
    from latticemetric.corpus.normalization import normalized_sides

    # A grammar may turn one reference into several.
    named = list(zip([*systems, *references], map(preparation.all_words, files), strict=True))
    return _PreparedTexts(
        *normalized_sides(
            named[: len(systems)],
            named[len(systems) :],
            grammar,
            graphs=all(getattr(metric, "takes_graphs", False) for metric in metrics),
            output_graphs=all(getattr(metric, "takes_hypothesis_graphs", False) for metric in metrics),
        )
    )


def _read(systems: Sequence[str], references: Sequence[str], options: _ScoreOptions) -> TestSet:
    """Read the segments of all files, in the format of the first reference."""
    from latticemetric.formats.segments import read_nist_segments, read_nlp_segments, read_segments

    segments = read_nlp_segments(systems, references, options.norm, classes=options.group_by == "class")
    if segments is not None:
        return segments
    refuse(["norm"], "without references in .nlp")
    if options.group_by == "class":
        raise UsageError("--group-by class needs references with tags", advice="give references in Rev's .nlp format")
    segments = read_nist_segments(systems, references, options.style, fold_case=options.lowercase)
    return read_segments([*systems, *references], style=options.style) if segments is None else segments


def _check_details(options: _ScoreOptions) -> None:
    """Refuse options that contradict `--details` or `--group-by`, and options that need them."""
    if options.details or options.group_by is not None:
        refuse(["explain", "level"], "with --details or --group-by")
    if not options.details:
        refuse(["top"], "without --details")
    if options.group_by != "speaker":
        refuse(["utt2spk"], "without --group-by speaker")


def _analyses(
    tabled: Sequence[Sequence[Tabled]],
    texts: Mapping[str, _PreparedTexts],
    ids: Sequence[AnyId],
    options: _ScoreOptions,
) -> tuple[list[Analysed], int]:
    """Return the errors of each system by each metric that aligns words, and the number of words to list."""
    from latticemetric.evaluation.error_analysis import can_analyse, error_analysis
    from latticemetric.metrics.base import graphs_of

    groups = _groups(ids, options)
    classes = options.group_by == "class"
    if not any(can_analyse(one.metric) for one in tabled[0]):
        raise UsageError("none of the metrics aligns words", where="--details", advice="add wer, cer or sclite")
    graphs = {name: list(map(graphs_of, prepared.expected)) for name, prepared in texts.items()}
    found: list[Analysed] = []
    for number, row in enumerate(tabled):
        for one in row:
            if can_analyse(one.metric):
                name = one.metric.name
                said, meant = texts[name].outputs[number], graphs[name]
                found.append((one, error_analysis(said, meant, one.metric, groups=groups, classes=classes)))
    return found, options.top if options.details else 0


def _groups(ids: Sequence[AnyId], options: _ScoreOptions) -> Sequence[str | tuple[str, ...]] | None:
    """Return the group of each segment, or its labels; `None` unless segments are grouped."""
    from latticemetric.evaluation.segment_groups import categories_of, groups_of
    from latticemetric.formats.segments import read_speakers

    if options.group_by is None or options.group_by == "class":
        return None
    if options.group_by == "label":
        return categories_of(ids)
    speakers = None if options.utt2spk is None else read_speakers(options.utt2spk)
    return groups_of(ids, options.group_by, speakers, fold_case=options.lowercase)


def _position(segment: str, ids: Sequence[str], output_format: str) -> int:
    """Return the position of the segment of `--explain`."""
    if output_format != "text":
        raise UsageError(f"--explain writes text, not {output_format}", advice="remove --format")
    if segment not in ids:
        advice = f"the first is {ids[0]}, the last {ids[-1]}"
        raise UsageError(f"there is no segment with number or id '{segment}'", where="--explain", advice=advice)
    return list(ids).index(segment)
