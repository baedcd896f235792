"""`latticemetric expected`: the expected rate of each graph's paths, its distribution and its gradient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import Options, option, verb
from latticemetric.cli.files import STANDARD, GraphFiles, MetricName, Output, ReferenceFiles
from latticemetric.cli.options import (
    POSTERIOR_SCALE,
    PairedReadingOptions,
    RateOptions,
    RateOutputOptions,
    ShardedRunOptions,
)
from latticemetric.cli.results import say
from latticemetric.cli.run import running
from latticemetric.errors import InputError, UsageError, harmless

if TYPE_CHECKING:
    from latticemetric.corpus.expectations import ExpectationAnswer

_EPILOG = """\b
Examples:
  latticemetric expected lats.ark.gz text --weights acoustic=0.1
  latticemetric expected lattices/ refs.txt --metric 4-grr --posterior-scale 0.5 --format jsonl
  latticemetric expected dev.plf dev.en --gradient slopes.npz --format tsv
"""

_SECTIONS = {"Search": "--most-states", "Gradient": "--gradient"}
_SHOWN = 3  # ids of graphs that a message lists


class _ExpectedOptions(Options):
    posterior_scale: float = POSTERIOR_SCALE
    most_states: int = option(
        "--most-states N",
        "Limit on search states per graph; above it, the result is an interval.",
        type=click.IntRange(1),
        default=2_000_000,
    )
    gradient: str | None = option(
        "--gradient FILE",
        "Also write ∂ rate / ∂ cost of each arc and final state to FILE, in NumPy's .npz format.",
        type=Output(),
    )


class _MetricOptions(RateOptions):
    metric: str = option(
        "--metric -m NAME", "Metric: wer, wrr, N-grr (any N), cer, N-gcr or mixed-er.", type=MetricName(), default="wer"
    )


@verb("expected", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    metric: _MetricOptions,
    search: _ExpectedOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    output: RateOutputOptions,
) -> None:
    """Compute the expected rate of the paths of each lattice under the model's probabilities.

    The probability of a path is proportional to exp(−s · cost), where s is --posterior-scale. The expected rate is
    exact. Results also have the variance of the rate over the paths and, except in text, the probability of each number
    of errors. If a graph is too large (see --most-states), its result is an interval.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field. Under --keep-going, the reference words of graphs that fail count as deletions.
    """
    from latticemetric.corpus.expectations import ExpectationSearch, expectations_of
    from latticemetric.corpus.tables.cells import counted
    from latticemetric.corpus.tables.expected import ExpectedTable

    rate = metric.rate()
    if search.gradient == STANDARD:
        raise UsageError("results already go to standard output", where="--gradient", advice="name a file")
    if search.gradient is not None and reading.normalize is not None:
        raise UsageError(
            "a normalized graph has other arcs than the graph in the file, and the gradient would be that of its arcs",
            where="--gradient with --normalize",
            advice="leave one out; in Python, give the result of normalize() to expected()",
        )
    asked = ExpectationSearch(
        rate, search.posterior_scale, reading.weights, search.gradient is not None, search.most_states
    )
    paired = reading.paired(lattices, references, run.shard)
    without: list[str] = []
    with running(run, output.output) as (started, failures):
        answers = failures.reported(expectations_of(paired.pairs, asked, started))
        if search.gradient is not None:
            answers = _with_gradients(answers, search.gradient, without)
        table = ExpectedTable(
            answers, rate, paired.references, run.shard, looks=output.looks, normalize=reading.rewritten_by
        )
        output.write(table, at_once=run.keep_going and output.output_format != "json")
    output.say_summary(table)
    if without:
        shown = ", ".join(map(harmless, without[:_SHOWN])) + (", …" if len(without) > _SHOWN else "")
        say(
            f"warning: {counted(len(without), 'graph')} without gradient, not exact or without reference words: {shown}"
            f"; prune large graphs, or raise --most-states"
        )
    failures.exit()


def _with_gradients(answers: Iterable[ExpectationAnswer], path: str, without: list[str]) -> Iterator[ExpectationAnswer]:
    """Yield the answers; then write the gradients: for each graph, the arrays `ID` and `ID/final`.

    The array `ID` has a number for each arc, edge (of a forest) or hypothesis (of an n-best list). The array `ID/final`
    has a number for each final state. A graph without a gradient has no arrays; if it did not fail, its id is added to
    `without`.
    """
    from latticemetric.formats.streams.output import atomic_output

    arrays: dict[str, Any] = {}
    for answer in answers:
        found = answer.expected
        if found is not None and found.gradient is not None and found.final_gradient is not None:
            for name, array in ((answer.name, found.gradient), (f"{answer.name}/final", found.final_gradient)):
                if name in arrays:
                    what = f"two arrays would have the name '{name}'"
                    advice = "give each graph its own id, without /final at its end, or leave --gradient out"
                    raise InputError(what, where="--gradient", advice=advice)
                arrays[name] = array
        elif found is not None:
            without.append(answer.name)
        yield answer
    with atomic_output(path) as file:
        _write_arrays(file, arrays)


def _write_arrays(file: IO[bytes], arrays: Mapping[str, Any]) -> None:
    """Write arrays as `numpy.savez` does, which takes them as keywords and so refuses or loses some names: `file`."""
    import zipfile

    import numpy as np

    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
