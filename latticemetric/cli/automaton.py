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

_ENDING = ".fst"
_OF_RATES = (
    "alpha", "beta", "ignore", "wildcard", "normalize", "score", "alignment", "tags", "confidence",
    "nbest", "hope", "fear", "worst", "write_lattices",
)  # fmt: skip
_TSV_COLUMNS = ["id", "score", "hypothesis", "cost", "exact", "one_best_hypothesis", "one_best_score", "one_best_cost"]


def is_automaton(metric: str) -> bool:
    """Whether a metric is named by a file."""
    return metric.endswith(_ENDING)


def put_oracles(
    lattices: str, references: tuple[str, ...], style: Any, output_format: str, output: str, **chosen: Any
) -> None:
    """Reads, asks, and writes."""
    from latticemetric.batch.automaton_oracles import automaton_oracles

    _refuse_others(chosen, output_format)
    pairs = running.taken(_pairs(lattices, references, style, chosen), chosen["shard"])
    metric = _read(chosen["metric"])
    totals, failed = Totals(), running.Failures(chosen["failures"])
    with running.running(output=output, **chosen) as run:
        shown = options.progress(pairs, None, "lattices")
        answers = automaton_oracles(shown, metric, run, scales=dict(chosen["scales"]))
        with options.results(output, at_once=run.keep_going and output_format != "json") as put:
            for line in _WRITERS[output_format](totals.counted(failed.reported(answers)), totals):
                put(line)
        failed.write()
    if output_format == "text":
        say(totals.summary())
    if totals.failed:
        sys.exit(1)


def _refuse_others(chosen: dict[str, Any], output_format: str) -> None:
    """What is told to recognition rates means nothing to an automaton."""
    advice = "leave it out, or name a metric"
    for name in _OF_RATES:
        if chosen.get(name):
            raise UsageError(f"--{name.replace('_', '-')} means nothing to an automaton", advice=advice)
    if chosen["shard"] is not None and output_format == "json":
        raise UsageError("the totals of an automaton cannot be merged", where="--shard", advice="choose --format jsonl")
    if chosen["engine"] == "native":
        raise UsageError("the native engine knows recognition rates only", advice="leave --engine out")


def _read(path: str) -> Any:
    from latticemetric.formats.files.stream import open_stream
    from latticemetric.fst_layout import decode

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
    """Sums over answers."""

    def __init__(self) -> None:
        self.signature = ""
        self.lattices = self.failed = 0
        self._score: float = 0
        self._one_best: float | None = 0

    def counted(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        """Passes answers on."""
        for answer in answers:
            if answer.problem is not None:
                self.failed += 1
            else:
                best = answer.value
                first = best.one_best.score
                self.lattices += 1
                self.signature = best.signature
                self._score += best.score
                self._one_best = None if self._one_best is None or first is None else self._one_best + first
            yield answer

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        sums = {"score": self._score, "one_best": {"score": self._one_best}}
        return {**sums, "lattices": self.lattices, "failed": self.failed}

    def summary(self) -> str:
        """The sums in a few lines."""
        from latticemetric.cli.display import shown, table

        rows = [["oracle", shown(self._score)], ["1-best", shown(self._one_best)]]
        failed = f", {self.failed} failed" if self.failed else ""
        count = "1 lattice" if self.lattices == 1 else f"{self.lattices} lattices"
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
    yield f'], "corpus": {_as_json(totals.asdict())}, "signature": {_as_json(totals.signature)}}}'


_WRITERS = {"text": _text, "tsv": _tsv, "json": _json, "jsonl": _jsonl}


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
