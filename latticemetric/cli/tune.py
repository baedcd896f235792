"""`latticemetric tune`: the setting of a decoder with the best answers on graphs with references."""

from __future__ import annotations

import click

from latticemetric.cli.commands import choice, option, verb
from latticemetric.cli.files import GraphFiles, NoFile, Output, ReferenceFiles
from latticemetric.cli.options import (
    IGNORE,
    KeepGoingOptions,
    PairedReadingOptions,
    PlottedOutputOptions,
    SettingsOptions,
    cased_words,
    metrics_named,
    refuse,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.run import Failures, requiring_references
from latticemetric.corpus.tuning_task import DECODERS, NgramTuning, TuningTask, WeightTuning
from latticemetric.corpus.weight_settings import MOST_EXACT
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  latticemetric tune lats.ark.gz text --vary acoustic=0.05:0.2 --vary words=0:1
  latticemetric tune dev/ dev.en --metric bleu --weights params.txt --vary feature_2=-2:2 --write-weights tuned.txt
  latticemetric tune beams.jsonl text --vary lm=0:2 --plot map.svg
  latticemetric tune lats/ text --decoder expected --vary lm=0:2 --vary tm=0:2 --vary words=-1:1
  latticemetric tune dev.plf dev.en --decoder mbr --metric bleu --word-penalty=-0.1,0,0.1
"""


class _TuningOptions(SettingsOptions, kinds=(*DECODERS.values(),)):
    metric: str = option("--metric -m NAME", "Optimize the corpus value of this metric.", default="wer")
    decoder: str = choice(
        "--decoder",
        [*DECODERS],
        "How a setting is decoded. best: weights of scores for the 1-best; expected: weights of scores for expected "
        "errors; mbr: parameters of n-gram MBR.",
    )
    vary: tuple[str, ...] = option_of(WeightTuning.fields["vary"], type=NoFile(), multiple=True)
    evidence: tuple[str, ...] = option_of(NgramTuning.fields["evidence"], type=GraphFiles(None), multiple=True)
    ignore: str | None = IGNORE
    write_weights: str | None = option(
        "--write-weights FILE", "Write the weights of all columns to FILE, which --weights reads.", type=Output()
    )

    def task(self) -> TuningTask:
        """Return the task of the decoder; refuse the options of the other decoders."""
        kind = DECODERS[self.decoder]
        where = f"with --decoder {self.decoder}"
        for name in self.fields:
            if name not in kind.fields:
                having = [other for other, one in DECODERS.items() if name in one.fields]
                refuse([name], where, advice=f"leave it out, or give --decoder {' or '.join(having)}")
        if "vary" in kind.fields:
            if not self.vary:
                raise UsageError("no weight varies", advice="give --vary acoustic=0.05:0.2, for example")
            if len(self.vary) > MOST_EXACT:
                refuse(["plot"], "with more than two weights")
        else:
            refuse(["write_weights"], where)
        if self.decoder != WeightTuning.decoder:
            refuse(["plot"], where)
        self.refuse_others(kind, where)
        (metric,) = metrics_named([self.metric])
        return kind(metric=metric, **self.given(kind.fields))


_SECTIONS = _TuningOptions.sections(
    {
        "Tuning": "--decoder --metric --ignore --folds",
        WeightTuning.section: "--vary --write-weights --min-margin --restarts --most-steps --most-states",
        NgramTuning.section: "--evidence",
    }
)


@verb("tune", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    graphs: str,
    references: tuple[str, ...],
    *,
    tuning: _TuningOptions,
    reading: PairedReadingOptions,
    run: KeepGoingOptions,
    output: PlottedOutputOptions,
) -> None:
    """Find the setting of a decoder with which its answers for GRAPHS score best against REFERENCES.

    --decoder best finds weights of score columns, over all paths of all graphs. One or two are exact: no weights in the
    ranges of --vary score better. Of more, none score better that differ in one column only. The printed weights are
    in the middle of the region of such weights, so that small changes of weights change no string.

    --decoder expected finds weights of any number of columns by gradients: it descends from the weights before tuning
    to fewer expected errors, over all paths of all graphs. Then it decodes the 1-bests, and scores them. With several
    posterior scales, it descends at each in turn, and keeps the weights whose 1-bests score best. As a start for
    --decoder best, pass its output as --weights.

    --decoder mbr searches for the parameters of n-gram MBR, and prints them as options of mbr. It varies -p, --ratio,
    --word-penalty and --posterior-scale, but keeps an option fixed if you give a single number for it; and -T only if
    -T has several numbers.

    GRAPHS is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one line per
    graph, in the order of GRAPHS or beginning with the graph's id. If graphs have several references, give several
    files. Without REFERENCES, the references come from the records of GRAPHS (JSON, tables): see --reference-field.
    All graphs stay in memory.
    """
    from latticemetric.corpus.run import Run
    from latticemetric.corpus.tuned_weights import TunedColumns
    from latticemetric.drawing.canvas import check_suffix

    task = tuning.task()
    if output.plot is not None:
        check_suffix(output.plot)
    corpus = reading.corpus([graphs], references, ignore=cased_words(tuning.ignore))
    failures = Failures(None)
    with requiring_references():
        examples = list(failures.reported(task.examples(corpus, Run(keep_going=run.keep_going, watched=True))))
    failures.require_answers()
    found = task.tuned(examples, corpus, watched=True)
    if tuning.write_weights is not None:
        assert isinstance(found, TunedColumns)
        found.write_weights(tuning.write_weights)
    table = task.table(found, output.looks)
    output.write(table)
    output.say_summary(table)
    failures.exit()
