"""Combined texts, as `latticemetric combine` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.cells import aligned, counted, resampled
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, json_document
from latticemetric.errors import UsageError, harmless
from latticemetric.segment_id import SegmentId

if TYPE_CHECKING:
    from latticemetric.corpus.combination import Combinations, Judged, Judgment, TunedVote
    from latticemetric.mbr_decoding.combination import Combination


class CombinationTable(Table):
    """The words of each utterance. The summary and the JSON document also have scores."""

    columns = ("id", "hypothesis", "confidences", "begin", "end", "cost", "bound")

    def __init__(
        self,
        found: Combinations,
        tuned: TunedVote | None = None,
        judged: Judgment | None = None,
        *,
        resampling: Mapping[str, Any] | None = None,
        looks: Looks = AS_FILE,
    ) -> None:
        self._found, self._tuned, self._judged, self._resampling = found, tuned, judged, resampling
        self.looks = looks

    def trn(self) -> Iterator[str]:
        """Yield the lines of trn."""
        return (f"{record['hypothesis']} ({record['id']})".lstrip() for record in self.records())

    def _each(self) -> Iterator[tuple[str, Combination]]:
        """Yield the id and the combination of each utterance.

        A combination keeps what it computed for a vote. If this was not computed before, a copy computes it.
        """
        for name, one in zip(self._found.names, self._found.combinations, strict=True):
            yield name, replace(one) if self._judged is None else one

    def text(self) -> Iterator[str]:
        """Yield one line per utterance: its id and words."""
        for name, one in self._each():
            yield self.looks.words_line(name, " ".join(one.words))

    def records(self) -> Iterator[Record]:
        """Yield one record per utterance.

        Fields:
            id (str): The utterance's id, or its number.
            times (Times | None): Mean begin and end of each word, in seconds; `None` if no system has times or, with
                `--scheme mbr`, if any has none.
        """
        for name, one in self._each():
            yield {"id": name, **one.asdict()}

    def document(self) -> Iterator[str]:
        """Yield the JSON document."""
        return json_document(self.totals(), {"utterances": self.records()}, streamed=False)

    def totals(self) -> Record:
        """Return the systems, their weights, and the scores."""
        one = self._found.combinations[0]
        head: Record = {"systems": list(one.systems), "system_weights": list(one.system_weights), "null": one.null}
        if self._tuned is not None:
            head["tuned"] = {name: getattr(self._tuned, name) for name in ("errors", "errors_before", "tried")}
        if self._judged is not None:
            head["judgment"] = self._judged.to_records()
        return head

    @property
    def is_for_programs(self) -> bool:
        """True: the text is ids and words, for other programs."""
        return True

    def summary(self) -> Sequence[str]:
        """Return the scores, and the cost of the alignment with its lower bound."""
        found = self._found.combinations
        lines = [""]
        if self._tuned is not None:
            chosen = ",".join(f"{weight:g}" for weight in self._tuned.system_weights)
            effect = f"{self._tuned.errors_before} errors before, {self._tuned.errors} after"
            lines += [f"tuned: --system-weights {chosen} --null {self._tuned.null:g} ({effect})", ""]
        if self._judged is not None:
            lines += [*_judgment_table(self._judged, self.looks), ""]
        notes = [counted(len(found), "utterance"), counted(len(self._found.systems), "system")]
        bounds = [one.bound for one in found]
        cost = sum(one.cost for one in found)
        if all(bound is not None for bound in bounds):
            notes.append(f"alignment cost {cost:g} (lower bound {sum(filter(None, bounds)):g})")
        else:
            notes.append(f"alignment cost {cost:.6g}")
        if self._judged is not None and self._resampling is not None and self._resampling["resamples"]:
            notes.append(f"{resampled(**self._resampling)} of {counted(self._judged.blocks, 'block')}")
        return [*lines, "; ".join(notes)]

    def ctm(self) -> Iterator[str]:
        """Yield one CTM line per word: id, channel, begin, duration, word, confidence."""
        for name, one in self._each():
            times = one.times
            if times is None and one.words:
                lacking = "no system has" if one.least_risk is None else 'with scheme="mbr", not all systems have'
                what = f"ctm needs times, but {lacking} times for '{name}'"
                raise UsageError(what, advice="choose another format")
            channel = SegmentId.of_channel(name) or SegmentId(name, "1")
            for word, (begin, end), sure in zip(one.words, times or (), one.confidences, strict=True):
                yield f"{channel.file} {channel.channel} {begin:.2f} {end - begin:.2f} {word} {sure:.4f}"


def _judgment_table(judged: Judgment, looks: Looks) -> Iterator[str]:
    """Yield the table of the systems' scores and of the oracles."""
    rows = [
        ["", looks.rate_title("wer"), "", "more than combined"],
        *(_judgment_row(row, judged.rows[0], looks) for row in judged.rows),
    ]
    for systems, errors in judged.oracles.items():
        score = errors / judged.reference_words if judged.reference_words else None
        name = "oracle of all" if len(judged.oracles) == 1 else f"oracle of {' '.join(map(harmless, systems))}"
        rows.append([name, looks.rate(score), f"{errors}/{judged.reference_words}", ""])
    return iter(aligned(rows))


def _judgment_row(row: Judged, combined: Judged, looks: Looks) -> list[str]:
    half_width = None if row.interval is None else row.interval.half_width
    more = ""
    if row is not combined and row.score is not None and combined.score is not None:
        spread = None if row.difference is None else row.difference.difference.half_width
        more = looks.rate(row.score - combined.score, spread, "+")
    score = looks.rate(row.score, half_width)
    return [harmless(row.name), score, f"{row.errors}/{row.reference_words}", more]
