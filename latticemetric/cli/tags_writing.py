"""Results of `latticemetric tags` as text, TSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from latticemetric.cli.display import shown, table, tsv_field
from latticemetric.errors import harmless
from latticemetric.evaluation.word_tags.discrimination import SYNTHETIC, Discrimination
from latticemetric.evaluation.word_tags.metrics import TAG_METRICS, TagScores
from latticemetric.evaluation.word_tags.sampling import RepeatedSampling
from latticemetric.evaluation.word_tags.tags import WordTags
from latticemetric.signature import Signature

_COUNTS = ("tags", "bad", "errors")


@dataclass(frozen=True)
class Findings:
    """What was found: all of it is written as JSON, what was asked for as text."""

    gold: str
    which: str
    tags: WordTags
    systems: dict[str, TagScores]
    synthetic: dict[str, TagScores] | None
    comparison: list[Discrimination] | None
    sampling: RepeatedSampling | None
    pairs_by: str
    significance: float
    seed: int
    has_gaps: bool

    @property
    def signature(self) -> Signature:
        """What was evaluated."""
        return Signature("word-tags", {"tags": self.which})


# --- For people


def text_lines(found: Findings) -> Iterator[str]:
    """A table of scores, and below it what was asked for beside."""
    yield from score_table({**found.systems, **(found.synthetic or {})}, "")
    if found.comparison is not None:
        yield ""
        yield from _discrimination(found.comparison)
        shown_pairs = next(one for one in found.comparison if one.metric == found.pairs_by)
        if shown_pairs.pairs:
            yield ""
            yield from _pairs(shown_pairs)
    if found.sampling is not None:
        yield ""
        yield from _samples(found.sampling)


def score_table(scores: dict[str, TagScores], what: str) -> Iterator[str]:
    """A row each, and why values are undefined, or 0."""
    header = [what, *(metric.label for metric in TAG_METRICS.values()), "BAD", "errors"]
    rows = [_score_row(name, one) for name, one in scores.items()]
    yield from table([header, *rows])
    for name, one in scores.items():
        for reason in dict.fromkeys(one.notes.values()):
            labels = ", ".join(TAG_METRICS[metric].label for metric, why in one.notes.items() if why == reason)
            yield f"{harmless(name)}: {labels} {reason}"


def _score_row(name: str, one: TagScores) -> list[str]:
    shares = [f"{100 * count / one.tags:.1f} %" if one.tags else "–" for count in (one.bad, one.errors)]
    return [harmless(name), *(shown(getattr(one, metric)) for metric in TAG_METRICS), *shares]


def _discrimination(rows: Sequence[Discrimination]) -> Iterator[str]:
    yield "Share of pairs told apart, and systems rated below each synthetic labelling:"
    header = ["", "d", "d top", "d bottom", *SYNTHETIC, "sum"]
    yield from table(
        [
            header,
            *(
                [
                    TAG_METRICS[row.metric].label,
                    *map(shown, (row.d, row.d_top, row.d_bottom)),
                    *(str(row.below[kind]) for kind in SYNTHETIC),
                    str(row.below_total),
                ]
                for row in rows
            ),
        ]
    )
    for column, label in (("d", "d"), ("d_top", "d top"), ("d_bottom", "d bottom")):
        if getattr(rows[0], column) is None:
            yield f"{label} undefined: there are fewer than two systems to tell apart"


def _pairs(found: Discrimination) -> Iterator[str]:
    """p-values of all pairs, systems by rank."""
    yield f"{TAG_METRICS[found.metric].label}: p of each pair, * where significant:"
    numbers = {name: place for place, (name, _) in enumerate(found.ranking, start=1)}
    cells = {(pair.first, pair.second): shown(pair.p) + (" *" if pair.significant else "  ") for pair in found.pairs}
    header = ["", "", *(f"{number}  " for number in list(numbers.values())[1:])]
    rows = [
        [f"{numbers[name]} {harmless(name)}", shown(value), *(cells.get((name, other), "") for other in [*numbers][1:])]
        for name, value in found.ranking
    ]
    yield from table([header, *rows])


def _samples(found: RepeatedSampling) -> Iterator[str]:
    rates = sorted({rate for test in found.tests for rate in (test.first, test.second)})
    listed = ", ".join(f"{100 * rate:g} %" for rate in rates)
    yield f"Samples needed to see a difference of error rates, among {listed}:"
    needed = found.needed()
    differences = list(next(iter(needed.values())))
    most = max(found.sizes)
    rows = [
        [TAG_METRICS[name].label, *(f"> {most}" if number is None else str(number) for number in row.values())]
        for name, row in needed.items()
    ]
    yield from table([["", *(f"{100 * difference:g} %" for difference in differences)], *rows])


def footer(found: Findings) -> list[str]:
    """What a reader of the tables has to know."""
    number = len(found.tags.bad)
    share = f", {100 * found.tags.bad.mean():.1f} % BAD in {harmless(found.gold)}" if number else ""
    what = {"words": "words", "gaps": "gaps", "all": "words and gaps"}[found.which]
    if not found.has_gaps:
        what = "words, without gaps"
    notes = [f"{_number(len(found.tags), 'segment')}, {_number(number, 'tag')} of {what}{share}"]
    if found.comparison is not None:
        pairs = len(found.comparison[0].pairs)
        notes.append(f"{_number(pairs, 'pair')} at a level of {found.significance:g} together")
    if any(part is not None for part in (found.synthetic, found.comparison, found.sampling)):
        notes.append(f"seed {found.seed}")
    return ["", "; ".join(notes), str(found.signature)]


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# --- For machines


def tsv_lines(found: Findings) -> Iterator[str]:
    """A row a system."""
    names = ["system", *TAG_METRICS, *_COUNTS, "notes"]
    yield "\t".join(names)
    for item in _items(found):
        notes = "; ".join(f"{name} {why}" for name, why in item["notes"].items())
        yield "\t".join(tsv_field(value) for value in [*(item[name] for name in names[:-1]), notes])


def jsonl_lines(found: Findings) -> Iterator[str]:
    """An object a system."""
    yield from map(_as_json, _items(found))


def _items(found: Findings) -> list[dict[str, Any]]:
    scores = {**found.systems, **(found.synthetic or {})}
    return [{"system": name, **one.asdict()} for name, one in scores.items()]


def json_lines(found: Findings) -> Iterator[str]:
    """One document."""
    document: dict[str, Any] = {
        "signature": str(found.signature),
        "gold": found.gold,
        "which": found.which,
        "gaps": found.has_gaps,
        "segments": len(found.tags),
        "tags": len(found.tags.bad),
        "bad": int(found.tags.bad.sum()),
        "systems": {name: one.asdict() for name, one in found.systems.items()},
    }
    drawn = {"significance": found.significance, "seed": found.seed}
    if found.synthetic is not None:
        document["synthetic"] = {name: one.asdict() for name, one in found.synthetic.items()}
    if found.comparison is not None:
        document["comparison"] = {**drawn, "metrics": {row.metric: row.asdict() for row in found.comparison}}
    if found.sampling is not None:
        document["sampling"] = {**drawn, **found.sampling.asdict()}
    yield _as_json(document)


LINES = {"text": text_lines, "tsv": tsv_lines, "json": json_lines, "jsonl": jsonl_lines}


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
