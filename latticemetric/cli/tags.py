"""`latticemetric tags`: score OK and BAD tags of words (word-level quality estimation)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from latticemetric.arguments import MOST_DRAWS
from latticemetric.cli.commands import Options, choice, flag, one_of, option, verb
from latticemetric.cli.files import GraphFiles, TextFiles
from latticemetric.cli.options import (
    SEED,
    Number,
    OneRateOptions,
    OutputOptions,
    PairedReadingOptions,
    PlottedOutputOptions,
    RunOptions,
    SettingsOptions,
    numbers,
    whole_numbers,
)
from latticemetric.cli.run import show
from latticemetric.corpus.tables.formats import FORMATS
from latticemetric.corpus.tag_question import TagThresholds
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.tables.tags import TagTable
    from latticemetric.evaluation.word_tags.tags import WordTags
    from latticemetric.formats.word_tags import TagLines

_EPILOG = """\b
Examples:
  latticemetric tags test.tags system-a.tags system-b.tags
  latticemetric tags test.tags submissions/*.tags --all --compare
  latticemetric tags test.tags submissions/*.tags --sampling --format json
  latticemetric tags --from-lattices lats.ark.gz text --metric wer --weights acoustic=0.1 --plot threshold.svg
"""

_SECTIONS = {
    "Tags": "--words --gaps --all --layout",
    "Comparison of systems": "--synthetic --compare --pairs-by --trials --significance",
    "Repeated sampling": "--sampling --error-rates --sample-sizes --rounds --seed",
    "Tags of lattices (--from-lattices)": "--from-lattices --thresholds --plot",
}
_DRAWS = click.IntRange(1, MOST_DRAWS)


class _TagOptions(Options):
    which: str = one_of(
        "words",
        words="Evaluate the tags of words (default).",
        gaps="Evaluate the tags of gaps.",
        all="Evaluate the tags of words and gaps.",
    )
    layout: str = choice(
        "--layout", ["auto", "words", "words-and-gaps"], "Tags in each line; auto: detect from their number."
    )
    synthetic: bool = flag("--synthetic", "Also score trivial baselines.")
    compare: bool = flag(
        "--compare", "Test each pair of systems; show how many pairs each metric separates significantly."
    )
    sampling: bool = flag(
        "--sampling", "Find how many samples each metric needs to detect small differences of error rates."
    )
    pairs_by: str = option(
        "--pairs-by NAME", "With --compare: show the p-values of this metric for each pair.", default="f1_mult"
    )
    trials: int | None = option(
        "--trials N", "Trials per test (default: 1000, or more if the significance level needs more).", type=_DRAWS
    )
    error_rates: tuple[float, ...] = option(
        "--error-rates SHARES",
        "Error rates of the samples, such as 0.1,0.1005 (default: 0.3 to 0.302, as in Logacheva 2016, or lower rates "
        "if systems make fewer errors).",
        reads=numbers,
    )
    sample_sizes: tuple[int, ...] = option(
        "--sample-sizes NUMBERS",
        "Numbers of samples to try, separated by commas (default: 100 to 10000, as in Logacheva 2016).",
        reads=whole_numbers,
    )
    rounds: int = option(
        "--rounds N",
        "Number of rounds for the largest of --sample-sizes; smaller sizes have more rounds. P-values are means over "
        "rounds.",
        default=10,
        type=_DRAWS,
    )
    significance: float = option(
        "--significance LEVEL",
        "Family-wise significance level of all tests of a metric.",
        type=Number(0, 1, min_open=True, max_open=True),
        default=0.05,
    )
    seed: int = SEED

    def check(self, output_format: str) -> None:
        """Refuse the metric of --pairs-by if --compare does not support this metric.

        With --compare or --sampling, also refuse formats that hold only scores.
        """
        from latticemetric.evaluation.word_tags.metrics import COMPARED, find_tag_metric

        if find_tag_metric(self.pairs_by) not in COMPARED:
            advice = "choose a metric that --compare shows"
            raise UsageError(f"--compare does not support {self.pairs_by}", where="--pairs-by", advice=advice)
        if FORMATS[output_format].needs in ("rows", "records") and (self.compare or self.sampling):
            raise UsageError(
                f"{output_format} cannot hold comparisons or samples, only scores", advice="choose --format json"
            )


class _LatticeOptions(SettingsOptions, kinds=(TagThresholds,)):
    from_lattices: bool = flag(
        "--from-lattices",
        "Tag the 1-bests of lattices: GOLD is the file of lattices, PRED the file of their references.",
    )


@verb("tags", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("gold", type=GraphFiles(), metavar="GOLD")
@click.argument("predicted", type=TextFiles(), nargs=-1, metavar="PRED...")
def command(
    gold: str,
    predicted: tuple[str, ...],
    *,
    options: _TagOptions,
    of_lattices: _LatticeOptions,
    metric: OneRateOptions,
    reading: PairedReadingOptions,
    run: RunOptions,
    output: PlottedOutputOptions,
) -> None:
    """Score predicted tags by F1-BAD, F1-OK, F1-mult, MCC, SeqCor and phrase-level F1.

    GOLD and each PRED hold the tags (OK or BAD) of words, or of words and gaps. A file has one segment per line, or is
    a table with one tag per line and fields separated by tabs.

    With --from-lattices, GOLD is a file of lattices, and each PRED is a file of their references; without PRED, the
    references are taken from the records of GOLD. Words of the 1-best that match the reference have the gold tag OK,
    other words BAD. Words with a posterior below a threshold have the predicted tag BAD, other words OK. Under
    --keep-going, lattices that fail are skipped.
    """
    _refuse_others(from_lattices=of_lattices.from_lattices)
    if of_lattices.from_lattices:
        output.check_plot()
        question = of_lattices.settings(TagThresholds, metric=metric.rate())
        show(question, reading.corpus([gold], predicted), run, output, at_once=False)
        return
    if not predicted:
        raise click.MissingParameter(param_hint="'PRED...'", param_type="argument")
    options.check(output.output_format)
    table = _evaluate(gold, predicted, options)
    output.write(table)
    output.say_summary(table)


def _refuse_others(*, from_lattices: bool) -> None:
    """With lattices, refuse options for files of tags; without lattices, refuse options for lattices."""
    context = click.get_current_context()
    of_tags = _TagOptions.declared
    of_both = {"gold", "predicted", "from_lattices", *OutputOptions.declared}
    for parameter in context.command.params:
        name = parameter.name or ""
        is_given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_given and name not in of_both and (name in of_tags) == from_lattices:
            what, advice = ("lattices", "leave it out") if from_lattices else ("files of tags", "add --from-lattices")
            spelled = ", ".join(one.opts[0] for one in context.command.params if one.name == name)
            raise UsageError(f"this has no effect with {what}", where=spelled, advice=advice)


# Files of tags


def _evaluate(gold: str, predicted: Sequence[str], options: _TagOptions) -> TagTable:
    """Read the tags, and evaluate them."""
    from latticemetric.corpus.tables.tags import TagTable
    from latticemetric.evaluation.word_tags.evaluation import TagEvaluation
    from latticemetric.formats.word_tags import read_paired_tags

    # Systems are named by their files, or by whole paths if two files have the same name.
    files = [Path(path).name for path in predicted]
    names = [path if files.count(file) > 1 else file for path, file in zip(predicted, files, strict=True)]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise UsageError(f"the file '{repeated}' is given twice", advice="name each file once")
    paths = [gold, *predicted]
    (tags, has_gaps), *others = [
        _chosen(lines, path, options) for lines, path in zip(read_paired_tags(paths), paths, strict=True)
    ]
    systems = {name: one for name, (one, _) in zip(names, others, strict=True)}
    evaluation = TagEvaluation.of(tags, systems, gold)
    alpha, seed, comparison, sampling = options.significance, options.seed, None, None
    if options.compare:
        comparison = evaluation.discrimination(alpha=alpha, trials=options.trials, seed=seed)
    if options.sampling:
        given = {"error_rates": options.error_rates, "sizes": options.sample_sizes}
        parameters: dict[str, Any] = {name: values for name, values in given.items() if values}
        sampling = evaluation.repeated_sampling(**parameters, rounds=options.rounds, alpha=alpha, seed=seed)
    return TagTable(
        gold=gold,
        has_gaps=has_gaps,
        tags=tags,
        systems=evaluation.scores(),
        synthetic=evaluation.synthetic_scores(seed) if options.synthetic else None,
        comparison=comparison,
        sampling=sampling,
        which=options.which,
        significance=alpha,
        seed=seed,
        pairs_by=options.pairs_by,
    )


def _chosen(lines: TagLines, path: str, options: _TagOptions) -> tuple[WordTags, bool]:
    """Return the tags of a file that the options select, and `True` if the file also has tags of gaps."""
    from latticemetric.evaluation.word_tags.tags import WordTags, chosen_tags, has_gaps

    tags = WordTags(lines.bad, lines.begin)
    kept = chosen_tags(tags, path, options.which, options.layout, gaps=lines.gaps)
    return kept, has_gaps(tags, options.layout, gaps=lines.gaps)
