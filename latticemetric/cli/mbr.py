"""`latticemetric mbr`: find in each graph the words with the best expected score under the model's distribution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import GraphFiles, TableFiles
from latticemetric.cli.options import (
    PARAMETERS,
    CorpusOptions,
    CTMRateOutputOptions,
    SettingsOptions,
    ShardedRunOptions,
    lattices_option,
    metric_parameters,
    refuse,
)
from latticemetric.cli.run import show
from latticemetric.corpus.questions import MinimumRisk
from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.settings import (
    BY_RISK,
    KINDS,
    ByExactErrors,
    ByMetric,
    ByNgrams,
    ByUtility,
    ByWordErrors,
    Decision,
    metric_of,
)

_EPILOG = """\b
Examples:
  latticemetric mbr lats.ark.gz --by wer --weights acoustic=0.1
  latticemetric mbr lats.ark.gz --by wer --risk exact --format tsv
  latticemetric mbr lattices/ --by wer --format ctm      (words with times and confidences)
  latticemetric mbr lattices/ --posterior-scale 0.4 -p 0.74 --ratio 0.62 --beam 5 --determinize      (as in HiFST)
  latticemetric mbr out.nbest --by 4-grr --weights lm=0.2
  latticemetric mbr lats.ark.gz --by bleu -P bleu.smoothing=exp --samples 1000 --seed 1
  latticemetric mbr samples.jsonl --by chrf --evidence-weights counts --pruning-confidence 0.99
  latticemetric mbr samples.jsonl --utility-matrix comet.npz
  latticemetric mbr dev.plf --word-penalty=-0.1,0,0.1 --format tsv      (one row per setting)
  latticemetric mbr lats.slf --evidence other.slf --write-lattices gains.slf
"""


class _DecisionOptions(SettingsOptions, kinds=KINDS):
    """Options of all kinds of settings of MBR, and the options that choose the kind."""

    by: str = option("--by NAME", "Decode by ngram, wer, or a metric: 4-grr, bleu, meteor …", default="ngram")
    risk: Literal["bound", "exact"] = choice(
        "--risk",
        [*BY_RISK],
        "exact: rank candidates by their exact expected errors over all paths; bound: by an upper bound.",
    )
    parameters: tuple[str, ...] = PARAMETERS
    utility_matrix: str | None = option(
        "--utility-matrix FILE",
        "Scores of each hypothesis (row) against each hypothesis as reference (column): .npy, or .npz with an array "
        "per id.",
        type=TableFiles(),
    )
    lower_is_better: bool = flag("--lower-is-better", "The scores of --utility-matrix are errors: lower is better.")
    evidence: tuple[str, ...] = option(
        "--evidence FILE",
        "Take the posteriors from these graphs (matched by id); repeatable.",
        type=GraphFiles(None),
        multiple=True,
    )

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.by.strip().lower()

    def kind(self) -> type[Decision]:
        """Return the class of the settings; refuse the options of other kinds."""
        if self.utility_matrix is not None:
            kind: type[Decision] = ByUtility
            where = "with --utility-matrix"
            refuse(["by", "risk", "parameters", "evidence"], where)
        else:
            refuse(["lower_is_better"], "without --utility-matrix")
            named: dict[str, type[Decision]] = {"ngram": ByNgrams, "wer": BY_RISK[self.risk]}
            kind = named.get(self.name, ByMetric)
            where = f"with --by {self.name}"
            refuse(["risk"] * (self.name != "wer") + ["parameters"] * (kind is not ByMetric), where)
            if kind is ByWordErrors:
                refuse(ByExactErrors.own, "without exact risks", advice="add --risk exact, or leave it out")
        refuse([name for what, names in _TAKEN.items() if what not in kind.takes for name in names], where)
        self.refuse_others(kind, where)
        return kind

    def decisions(self, kind: type[Decision]) -> list[Decision]:
        """Return the settings: one for each combination of values."""
        values: dict[str, Any] = {}
        if kind is ByMetric:
            parameters = metric_parameters(self.parameters, [self.name], "--by").get(self.name, {})
            values["metric"] = metric_of(self.name, **parameters)
        elif kind is ByUtility:
            values["higher_is_better"] = not self.lower_is_better
        return self.grid(kind, **values)


class _GainOptions(Options):
    write_lattices: str | None = lattices_option("lattices with the gains of arcs")
    gains_only: bool = flag("--gains-only", "In --write-lattices, omit the model's scores and labels.")


# Parameters of the further inputs and outputs that only some kinds support; see `Decision.takes`.
_TAKEN = {"evidence": ["evidence"], "gains": [*_GainOptions.declared]}

_SECTIONS = _DecisionOptions.sections(
    {
        "Decision": "--by --evidence",
        ByNgrams.section: "",
        ByExactErrors.section: "--risk",
        ByMetric.section: "--parameter",
        ByUtility.section: "--utility-matrix --lower-is-better",
    }
)
_SECTIONS[ByNgrams.section] += " --write-lattices --gains-only"


@verb("mbr", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    decision: _DecisionOptions,
    gains: _GainOptions,
    reading: CorpusOptions,
    run: ShardedRunOptions,
    output: CTMRateOutputOptions,
) -> None:
    """Decode GRAPHS by minimum Bayes risk: find the words with the best expected score in each graph.

    Decode by n-grams, by word error rate (as Kaldi's lattice-mbr-decode does), or by a metric. A metric scores each
    string of an n-best list or a small graph against all strings or, with --samples N, against N sampled paths. GRAPHS
    are files, folders, quoted globs, or - for standard input.

    With --by ngram, -p, -r, -T, --word-penalty and --posterior-scale can have several numbers, separated by
    commas; each combination gives a result.

    With --by wer --risk exact, find the candidate with the fewest expected errors, and compare it with the answer
    of --risk bound.

    latticemetric tune --decoder mbr finds the parameters of --by ngram with the best answers on a development set.
    """
    kind = decision.kind()
    if output.output_format == "ctm":
        refuse(["determinize"], "with the format ctm", advice="leave it out, or choose another format")
    question = _question(kind, decision, gains)
    if output.output_format == "ctm" and len(question.by) > 1:
        raise UsageError("ctm holds one setting, but there are several", advice="give one number for each option")
    with _advice_for_gains():
        show(question, reading.corpus(graphs), run, output, lattices=gains.write_lattices)


@contextmanager
def _advice_for_gains() -> Iterator[None]:
    """Replace the advice of errors: `mbr` has neither --sum-scores nor --drop-labels, so advise --gains-only."""
    try:
        yield
    except UsageError as error:
        if not any(name in (error.advice or "") for name in ("sum_scores", "drop_labels")):
            raise
        advice = "--gains-only omits the model's scores and labels"
        raise UsageError(error.what, where=error.where, advice=advice) from None


def _question(kind: type[Decision], decision: _DecisionOptions, gains: _GainOptions) -> MinimumRisk:
    """Return the question about each graph."""
    if gains.gains_only and not gains.write_lattices:
        raise UsageError("--gains-only has no effect without --write-lattices", advice="leave it out")
    settings = decision.decisions(kind)
    if len(settings) > 1 and (kind is not ByNgrams or gains.write_lattices):
        takes = {ByNgrams: "--write-lattices writes", ByUtility: "--utility-matrix takes"}
        what = takes.get(kind, f"--by {decision.name} takes")
        raise UsageError(f"{what} one setting, but there are several", advice="give one number for each option")
    return MinimumRisk(
        by=tuple(settings),
        evidence=decision.evidence,
        utility_matrix=decision.utility_matrix,
        gains=gains.write_lattices is not None,
        gains_only=gains.gains_only,
    )
