"""`lattice-oracle --metric my.fst`: the path of each lattice that a user's own automaton values most."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.cli import options, running
from latticemetric.cli.display import say
from latticemetric.errors import UsageError, placed, require_pynini

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.pairing import Pair
    from latticemetric.batch.shards import Part

_ENDING = ".fst"
_OF_RATES = (
    "alpha", "beta", "ignore", "wildcard", "normalize", "score", "alignment", "tags", "posteriors", "posterior_scale",
    "nbest", "hope", "fear", "worst", "on", "write_lattices", "to_format", "sum_scores", "drop_labels",
)  # fmt: skip
_TSV_COLUMNS = ["id", "score", "hypothesis", "cost", "exact", "one_best_hypothesis", "one_best_score", "one_best_cost"]


def is_automaton(metric: str) -> bool:
    """Whether a metric is named by a file."""
    return metric.endswith(_ENDING)


def put_automaton_oracles(
    lattices: str, references: tuple[str, ...], style: Any, output_format: str, output: str, **chosen: Any
) -> None:
    """Reads, asks, and writes."""
    from latticemetric.batch.user_automaton import automaton_oracles

    _refuse_others(references, chosen["engine"])
    pairs = running.taken(_pairs(lattices, references, style, chosen), chosen["shard"])
    metric = _read(chosen["metric"])
    totals, failed = Totals(chosen["shard"]), running.Failures(chosen["failures"])
    with running.running(output=output, **chosen) as run:
        shown = options.progress(pairs, None, "lattices")
        answers = automaton_oracles(shown, metric, run, scales=dict(chosen["scales"]))
        with options.results(output, at_once=run.keep_going and output_format != "json") as put:
            for line in _WRITERS[output_format](totals.counted(failed.reported(answers)), totals):
                put(line)
        failed.write()
    if output_format == "text":
        say(totals.summary())
    if totals.sums.failed:
        sys.exit(1)


def _refuse_others(references: tuple[str, ...], engine: str) -> None:
    """What is told to recognition rates means nothing to an automaton."""
    options.refuse(_OF_RATES, "an automaton", advice="leave it out, or name a metric")
    if not references:
        options.refuse(["style"], "an automaton without references")
    if engine == "native":
        raise UsageError("the native engine knows recognition rates only", advice="leave --engine out")


def _read(path: str) -> Any:
    from latticemetric.formats.streams.stream import open_stream
    from latticemetric.lattice.fst_binary import decode

    require_pynini()
    import pynini

    with open_stream(path) as stream, placed(path):
        data = stream.read()
        decode(data)  # what is wrong with a file is said here; OpenFst would write it to stderr by itself
    return pynini.Fst.read_from_string(data)


def _pairs(lattices: str, references: tuple[str, ...], style: Any, chosen: dict[str, Any]) -> Iterator[Pair]:
    from latticemetric.batch.pairing import Pair, pair_up
    from latticemetric.formats.reading import entries
    from latticemetric.formats.references import read_references
    from latticemetric.formats.symbols import as_vocabulary

    vocabulary = as_vocabulary(chosen["symbols"])
    found = entries([lattices], chosen["from_format"], vocabulary)
    if references:
        return pair_up(found, [read_references(path, vocabulary) for path in references], style)
    return (Pair(entry.name, entry, ()) for entry in found)


class Totals:
    """Sums over answers as they are written.

    Attributes:
        sums: What there is up to now.
        part: Which shard it is, if it is one.
    """

    def __init__(self, part: Part | None) -> None:
        from latticemetric.batch.user_automaton import AutomatonTotals

        self.sums, self.part = AutomatonTotals(), part

    def counted(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        """Passes answers on."""
        for answer in answers:
            self.sums += self.sums.of(answer)
            yield answer

    def end(self) -> str:
        """What follows the items of the JSON document."""
        from latticemetric.batch.shards import document_end

        sums = {} if self.part is None else {"sums": self.sums.state()}
        return document_end(self.sums.asdict(), self.part, **sums)

    def summary(self) -> str:
        """The sums in a few lines."""
        from latticemetric.cli.display import shown, table

        corpus, sums = self.sums.asdict()["corpus"], self.sums
        rows = [["oracle", shown(corpus["score"])], ["1-best", shown(corpus["one_best"]["score"])]]
        failed = f", {sums.failed} failed" if sums.failed else ""
        count = "1 lattice" if sums.lattices == 1 else f"{sums.lattices} lattices"
        return "\n".join(["", *table(rows), f"{count}{failed}"])


def _item(answer: Answer) -> dict[str, Any]:
    if answer.problem is not None:
        return {"id": answer.name, "error": str(answer.problem)}
    return {"id": answer.name, **answer.value.asdict()}


def _text(answers: Iterable[Answer], _totals: Totals) -> Iterator[str]:
    from latticemetric.cli.display import named, shown
    from latticemetric.errors import harmless

    for answer in answers:
        if answer.problem is not None:
            yield f"{harmless(answer.name)}  failed"
            continue
        words = harmless(" ".join(answer.value.words)) or "(no words)"
        yield f"{named(answer.name)}  {shown(answer.value.score):>9}  {words}"


def _tsv(answers: Iterable[Answer], _totals: Totals) -> Iterator[str]:
    from latticemetric.cli.display import tsv_field

    yield "\t".join([*_TSV_COLUMNS, "error"])
    for answer in answers:
        item = _item(answer)
        item |= {f"one_best_{name}": value for name, value in item.get("one_best", {}).items()}
        yield "\t".join(tsv_field(item.get(name)) for name in [*_TSV_COLUMNS, "error"])


def _jsonl(answers: Iterable[Answer], _totals: Totals) -> Iterator[str]:
    return (_as_json(_item(answer)) for answer in answers)


def _json(answers: Iterable[Answer], totals: Totals) -> Iterator[str]:
    """One document, whose items are written as they come; what sums them up follows them."""
    yield '{"lattices": ['
    before = ""
    for answer in answers:
        item = _item(answer)
        item.pop("signature", None)
        yield before + _as_json(item)
        before = ","
    yield totals.end()


_WRITERS = {"text": _text, "tsv": _tsv, "json": _json, "jsonl": _jsonl}


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
