"""`latticemetric tags`: word-level quality estimation, OK or BAD for each word."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options, running, searches
from latticemetric.cli.display import say
from latticemetric.cli.files import GraphFiles, NamesFiles, Output
from latticemetric.cli.help_page import verb
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.cli.tags_writing import Findings
    from latticemetric.evaluation.word_tags.evaluation import TagEvaluation
    from latticemetric.evaluation.word_tags.tags import WordTags

_EPILOG = """\b
Examples:
  latticemetric tags test.tags system-a.tags system-b.tags
  latticemetric tags test.tags submissions/*.tags --all --compare
  latticemetric tags test.tags submissions/*.tags --sampling --format json
  latticemetric tags --from-lattices lats.ark.gz text --metric wer --scale acoustic=0.1 --plot threshold.svg
"""

_SECTIONS = {
    "Which tags": "--words --gaps --all --layout",
    "Systems compared": "--synthetic --compare --pairs-by --trials --significance",
    "Repeated sampling": "--sampling --error-rates --sample-sizes --rounds --seed",
    "Tags of lattices (--from-lattices)": "--from-lattices --thresholds --plot",
}


@verb("tags", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("gold", type=GraphFiles(), metavar="GOLD")
@click.argument("predicted", type=NamesFiles(), nargs=-1, required=True, metavar="PRED...")
@click.option(
    "--words",
    "which",
    flag_value="words",
    default="words",
    help="Evaluate those tags of 2n+1 that are of words (default).",
)
@click.option("--gaps", "which", flag_value="gaps", help="Evaluate those of gaps.")
@click.option("--all", "which", flag_value="all", help="Evaluate all of them.")
@click.option(
    "--layout",
    type=click.Choice(["auto", "words", "words-and-gaps"]),
    default="auto",
    show_default=True,
    help="What lines hold; auto: as their numbers of tags say.",
)
@click.option("--synthetic", is_flag=True, help="Score labellings that nobody wants, too.")
@click.option("--compare", is_flag=True, help="Test each pair of systems; how well metrics tell them apart.")
@click.option("--sampling", is_flag=True, help="How many samples metrics need to see small differences.")
@click.option("--pairs-by", default="f1_mult", show_default=True, metavar="NAME", help="Metric of the table of pairs.")
@click.option(
    "--trials",
    type=click.IntRange(1, options.MOST_DRAWS),
    metavar="N",
    help="Trials of each test (default: 1000, or what it needs).",
)
@click.option(
    "--error-rates",
    metavar="SHARES",
    callback=options.numbers,
    help="Error rates to sample at: 0.1,0.1005 (default: the paper's).",
)
@click.option(
    "--sample-sizes",
    metavar="NUMBERS",
    callback=options.whole_numbers,
    help="Numbers of words to try (default: the paper's).",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, options.MOST_DRAWS),
    default=1,
    show_default=True,
    metavar="N",
    help="Rounds of the largest sample size.",
)
@click.option(
    "--significance",
    type=options.Number(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    metavar="LEVEL",
    help="That of all tests of a metric together.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N", help="The same seed draws the same."
)
@click.option(
    "--from-lattices", is_flag=True, help="GOLD is lattices, PRED their references: thresholds on posteriors."
)
@click.option(
    "--thresholds",
    metavar="NUMBERS",
    callback=options.numbers,
    help="Words less probable are predicted to be BAD (default: 0.05,0.1,…,0.95).",
)
@click.option("--plot", type=Output(), metavar="FILE", help="Draw F1-mult against thresholds: .svg, .png or .pdf.")
@options.posterior_scale
@searches.rate_options("wer, wrr, or N-grr for any N.")
@options.normalize
@options.scale
@running.unshared
@options.symbols
@options.from_format
@searches.references_style
@click.option("--keep-going", is_flag=True, help="Report lattices that fail, leave them out, and go on.")
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
def command(
    *, gold: str, predicted: tuple[str, ...], from_lattices: bool, output_format: str, output: str, **chosen: Any
) -> None:
    """F1-BAD, F1-OK, F1-mult, MCC, SeqCor and phrase-level F1 of predicted tags.

    GOLD and each PRED hold the tags OK and BAD, a segment a line, of words or of words and gaps; or a table with tabs.

    With --from-lattices, GOLD is a file of lattices and PRED of their references: words of the model's 1-best that
    match are OK, and those are predicted to be BAD whose posterior is below a threshold.
    """
    _refuse_strangers(of_lattices=from_lattices)
    if from_lattices:
        from latticemetric.cli.tags_of_lattices import evaluate_lattices

        if not evaluate_lattices(
            gold, predicted, output_format=output_format, output=output, **_without(chosen, _FOR_TAGS)
        ):
            sys.exit(1)
        return
    from latticemetric.cli.tags_writing import LINES, footer

    _check(output_format, **chosen)
    found = _found(gold, predicted, **chosen)
    with options.results(output, at_once=False) as put:
        for line in LINES[output_format](found):
            put(line)
    if output_format == "text":
        say("\n".join(footer(found)))


_FOR_TAGS = frozenset(
    [
        *("which", "layout", "synthetic", "compare", "sampling", "pairs_by", "trials", "error_rates", "sample_sizes"),
        *("rounds", "significance", "seed"),
    ]
)
_FOR_BOTH = frozenset(("gold", "predicted", "from_lattices", "output_format", "output"))


def _refuse_strangers(*, of_lattices: bool) -> None:
    """Refuses options that mean nothing to what is evaluated."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name not in _FOR_BOTH and (name in _FOR_TAGS) == of_lattices:
            what, advice = ("lattices", "leave it out") if of_lattices else ("files of tags", "say --from-lattices too")
            spelled = ", ".join(one.opts[0] for one in context.command.params if one.name == name)
            raise UsageError(f"it means nothing to {what}", where=spelled, advice=advice)


def _check(output_format: str, *, compare: bool, sampling: bool, pairs_by: str, **_: Any) -> None:
    from latticemetric.evaluation.word_tags.metrics import COMPARED, find_tag_metric

    if find_tag_metric(pairs_by) not in COMPARED:
        raise UsageError(f"{pairs_by} is not compared", where="--pairs-by", advice="choose among those of --compare")
    if output_format in {"tsv", "jsonl"} and (compare or sampling):
        raise UsageError(f"{output_format} has scores only", advice="choose --format json, which has everything")


def _names(paths: Sequence[str]) -> list[str]:
    """Systems are called by their files; by whole paths, where files of two folders have one name."""
    names = [Path(path).name for path in paths]
    found = [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]
    again = next((name for name in found if found.count(name) > 1), None)
    if again is not None:
        raise UsageError(f"'{again}' is given twice", advice="name each file once")
    return found


def _found(gold: str, predicted: Sequence[str], **chosen: Any) -> Findings:
    """All that is asked for."""
    from latticemetric.cli.tags_writing import Findings
    from latticemetric.evaluation.word_tags.evaluation import TagEvaluation

    if (gold, *predicted).count("-") > 1:
        raise UsageError("standard input can be read only once", advice="name files")
    which, layout = chosen["which"], chosen["layout"]
    right, has_gaps = _read(gold, which, layout)
    systems = {name: _read(path, which, layout)[0] for name, path in zip(_names(predicted), predicted, strict=True)}
    evaluation = TagEvaluation.of(right, systems, gold)
    parts = {"synthetic": _synthetic, "comparison": _comparison, "sampling": _sampling}
    found = {part: ask(evaluation, chosen) for part, ask in parts.items()}
    same = {name: chosen[name] for name in ("which", "pairs_by", "significance", "seed")}
    return Findings(gold=gold, has_gaps=has_gaps, tags=right, systems=evaluation.scores(), **found, **same)


def _read(path: str, which: str, layout: str) -> tuple[WordTags, bool]:
    """The tags asked for, and whether they are taken from words with gaps."""
    from latticemetric.evaluation.word_tags.tags import WordTags, chosen_tags, has_gaps
    from latticemetric.formats.word_tags import read_tags

    lines = read_tags(path)
    tags = WordTags(lines.bad, lines.begin)
    return chosen_tags(tags, path, which, layout, gaps=lines.gaps), has_gaps(tags, layout, gaps=lines.gaps)


def _synthetic(evaluation: TagEvaluation, chosen: dict[str, Any]) -> Any:
    return evaluation.synthetic_scores(chosen["seed"]) if chosen["synthetic"] else None


def _comparison(evaluation: TagEvaluation, chosen: dict[str, Any]) -> Any:
    if not chosen["compare"]:
        return None
    return evaluation.discrimination(alpha=chosen["significance"], trials=chosen["trials"], seed=chosen["seed"])


def _sampling(evaluation: TagEvaluation, chosen: dict[str, Any]) -> Any:
    if not chosen["sampling"]:
        return None
    parameters = {"error_rates": chosen["error_rates"], "sizes": chosen["sample_sizes"]}
    return evaluation.repeated_sampling(
        **{name: values for name, values in parameters.items() if values},
        rounds=chosen["rounds"],
        alpha=chosen["significance"],
        seed=chosen["seed"],
    )


def _without(chosen: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in chosen.items() if name not in names}
