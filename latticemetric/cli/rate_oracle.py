"""`lattice-oracle --metric 4-grr`: the path of each lattice that scores best by a recognition rate."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

from latticemetric.cli import options, running, searches
from latticemetric.cli.display import say
from latticemetric.cli.oracle_lattices import LatticeFile
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.margins import MarginOptions
    from latticemetric.batch.string_scores import StringScorer
    from latticemetric.metrics.recognition import GRR


def put_rate_oracles(
    lattices: str, references: tuple[str, ...], style: Any, output_format: str, output: str, **chosen: Any
) -> None:
    """Reads, asks, and writes."""
    from latticemetric.batch.outcomes import oracles_of
    from latticemetric.batch.totals import OracleSums
    from latticemetric.cli.oracle_writing import Writer

    _refuse_contradictions(output_format, **chosen)
    metric = searches.rate(**chosen)
    scorer = _scorer(chosen["score"], metric, each=output_format != "text", normalize=chosen["normalize"])
    wanted = _wanted(**chosen)
    lattices_of = _lattice_file(**chosen)
    pairs = searches.pairs(lattices, references, style, **chosen)
    sums = OracleSums(metric, len(references), scorer, wanted)
    shown = {"alignment": chosen["alignment"], "tags": chosen["tags"], "confidence": chosen["posteriors"]}
    writer = Writer(sums, **shown, normalize=chosen["normalize"], shard=chosen["shard"])
    failed = running.Failures(chosen["failures"])
    asked: dict[str, Any] = {"scorer": scorer, "confidence": _posterior_scale(**chosen), "wanted": wanted}
    with running.running(output=output, **chosen) as run:
        outcomes = oracles_of(pairs, metric, run, scales=dict(chosen["scales"]), engine=chosen["engine"], **asked)
        with options.results(output, at_once=run.keep_going and output_format != "json") as put:
            for line in writer.lines(lattices_of.kept(failed.reported(outcomes)), output_format):
                put(line)
            lattices_of.write()
        failed.write()
    if output_format == "text":
        say("\n".join(writer.summary()))
    if failed.count:
        sys.exit(1)


def _refuse_contradictions(
    output_format: str, *, tags: bool, alignment: bool, nbest: int | None, posteriors: bool, **_: Any
) -> None:
    """Lines of tags are there for other programs to read, and a table has no place for alignments."""
    if tags and output_format == "text" and (alignment or nbest or posteriors):
        raise UsageError("--tags writes nothing but tags as text", advice="choose --format json, which has everything")
    if alignment and output_format == "tsv":
        raise UsageError("--alignment means nothing to tsv", advice="choose --format json, which always says")


def _posterior_scale(*, posteriors: bool, posterior_scale: float, **_: Any) -> float | None:
    """Return the factor of costs in posteriors; `None` without --posteriors."""
    if not posteriors:
        options.refuse(["posterior_scale"], "a run without --posteriors")
        return None
    return posterior_scale


def _lattice_file(
    *,
    write_lattices: str | None,
    to_format: str | None,
    sum_scores: bool,
    drop_labels: bool,
    scales: tuple[tuple[str, float], ...],
    **_: Any,
) -> LatticeFile:
    """Where the lattices of all best paths go, if anywhere."""
    return LatticeFile(
        write_lattices, to_format, summed_by=dict(scales) if sum_scores else None, drop_labels=drop_labels
    )


def _wanted(
    *,
    nbest: int | None,
    hope: tuple[float, ...],
    fear: tuple[float, ...],
    worst: bool,
    on: Literal["rate", "numerator"],
    write_lattices: str | None,
    **_: Any,
) -> MarginOptions | None:
    """What is asked for beside oracles, if anything is."""
    if not (hope or fear):
        options.refuse(["on"], "a run without --hope and --fear")
    graphs = write_lattices is not None
    if not (nbest or hope or fear or worst or graphs):
        return None
    from latticemetric.batch.margins import MarginOptions

    return MarginOptions(nbest or 0, hope, fear, on, worst, graphs)


def _scorer(names: str | None, metric: GRR, *, each: bool, normalize: str | None) -> StringScorer | None:
    """What scores the extracted strings, if that is asked for."""
    if names is None:
        return None
    from latticemetric.batch.string_scores import StringScorer

    return StringScorer(tuple(options.metric_list([names])), metric.ignore, each, normalize)
