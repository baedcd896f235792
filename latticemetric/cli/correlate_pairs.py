"""`latticemetric correlate` on several language pairs: tables for each pair, and ranks of metrics over all pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from latticemetric.cli.correlate_ranks import rank_lines, rank_rows
from latticemetric.cli.correlate_tables import Correlations
from latticemetric.cli.results import Record, Results, as_json
from latticemetric.errors import UsageError, harmless
from latticemetric.evaluation.metric_tests import RankTable

_PLACE = "{pair}"


def of_pair(path: str, pair: str | None) -> str:
    """Return the file of a language pair: replace `{pair}` in the name."""
    return path if pair is None else path.replace(_PLACE, pair)


def check_outputs(paths: Mapping[str, str | None], pairs: Sequence[str | None]) -> None:
    """Refuse an output file name without `{pair}`: all language pairs would write the same file."""
    for option, path in paths.items():
        if len(pairs) > 1 and path is not None and _PLACE not in path:
            what = "several language pairs would write the same file"
            raise UsageError(what, where=option, advice=f"write {_PLACE} into the name: scores.{_PLACE}.tsv")


def common_metrics(names: Mapping[str, Sequence[str]]) -> tuple[list[str], tuple[str, ...]]:
    """Return the metrics that all language pairs have, and notes on the metrics left out."""
    first = next(iter(names.values()))
    common = [name for name in first if all(name in others for others in names.values())]
    several = dict.fromkeys(name for own in names.values() for name in own if name not in common)
    if not common:
        advice = "give the same metrics for each language pair"
        raise UsageError("no metric has scores for all language pairs", where="--metric-scores", advice=advice)
    return common, tuple(f"{name}: not ranked, since some language pairs have no scores" for name in several)


@dataclass(frozen=True)
class PairedCorrelations(Results):
    """Correlations of each language pair, and ranks of metrics over all pairs."""

    test_set: str
    pairs: dict[str, Correlations]
    ranks: RankTable
    notes: tuple[str, ...]

    columns = ("pair", *Correlations.columns)

    def records(self) -> Iterator[Record]:
        """Yield one record per coefficient or score; `pair` is empty in records over all pairs."""
        for pair, one in self.pairs.items():
            yield from ({"pair": pair, **record} for record in one.records())
        for row in rank_rows(self.ranks):
            yield {"pair": "", **dict(zip(Correlations.columns, row, strict=True))}

    def document(self) -> Iterator[str]:
        """Yield the JSON document."""
        pairs = {pair: json.loads("".join(one.document())) for pair, one in self.pairs.items()}
        yield as_json(
            {"test_set": self.test_set, "pairs": pairs, "ranks": self.ranks.asdict(), "notes": list(self.notes)}
        )

    def text(self) -> Iterator[str]:
        """Yield the tables of each language pair, then the ranks over all pairs."""
        for pair, one in self.pairs.items():
            yield f"== {harmless(pair)}"
            yield from one.text()
            yield ""
        yield f"== {', '.join(map(harmless, self.pairs))}"
        yield from rank_lines(self.ranks)

    def summary(self) -> list[str]:
        """Return the notes of each language pair, then, once, the notes that all pairs share."""
        own = {pair: one.summary()[1:] for pair, one in self.pairs.items()}
        common = [line for line in next(iter(own.values())) if all(line in lines for lines in own.values())]
        each = ((f"{pair}: {line}" for line in lines if line not in common) for pair, lines in own.items())
        return ["", *chain.from_iterable(each), *map(harmless, self.notes), *common]
