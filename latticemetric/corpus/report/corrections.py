"""Corrected texts of n-best lists in a report: alignments, and a section with totals."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from latticemetric.corpus.corrections import corrections, wer_among
from latticemetric.corpus.list_arguments import Words, ranked_words
from latticemetric.corpus.list_results import SYSTEMS, Corrections, Edits
from latticemetric.corpus.lists import Lists
from latticemetric.corpus.oracle_at_k import compositional_errors, sums_of
from latticemetric.corpus.report.charts import amount, rate_text, short_number, span
from latticemetric.corpus.report.options import ReportOptions
from latticemetric.frozen import Frozen
from latticemetric.lattice.columns import Weights
from latticemetric.metrics.alignment import Alignment
from latticemetric.metrics.base import Table
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics

CORRECTED = "corrected"

CorrectedTexts = str | os.PathLike[str] | Iterable[str | Sequence[str]]


@dataclass(frozen=True)
class CorrectedText:
    """A corrected text, scored against its reference like oracles and 1-bests."""

    words: Words
    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: RecognitionStatistics
    alignment: Alignment


@dataclass(frozen=True, eq=False)
class CorrectedLists(Frozen):
    """The corrected texts of the n-best lists in a report.

    Attributes:
        texts: The corrected texts, in the order of the lists.
        found: The comparison of the corrected texts with the lists.
        tables: The statistics of 1-best, corrected texts and oracles for `bootstrap`, one row per list.
    """

    texts: tuple[CorrectedText, ...]
    found: Corrections
    tables: Mapping[str, Table] = field(repr=False)

    @classmethod
    def of(cls, lists: Lists, texts: Sequence[Words], rate: GRR, weights: Weights | None = None) -> Self:
        """Compare corrected texts with their lists.

        Raises:
            UsageError: The numbers of texts and lists differ, a list has several references, or `rate` is not wer.
        """
        wer_among([rate])
        silent = rate.ignore | rate.wildcard
        found = corrections(lists.lists, lists.references, texts, weights=weights, ignore=silent)
        references = [several[0] for several in lists.references]
        choices = sums_of(lists.lists, lists.references, rate, at=[1], weights=weights, keep=True)
        tables = {
            "one_best": choices.tables[1].astype(np.float64),
            "corrected": rate.table(texts, [[reference] for reference in references]),
            "oracle": choices.tables[choices.longest].astype(np.float64),
            "compositional": _compositional(lists, references, rate),
        }
        return cls(tuple(_scored(*pair, rate) for pair in zip(texts, references, strict=True)), found, tables)

    def section(self, rate: GRR, options: ReportOptions) -> dict[str, Any]:
        """Return the data of the page's section on corrections: a summary, and tables of systems and shares."""
        intervals = {name: options.interval(rate, table) for name, table in self.tables.items()}
        words = short_number(self.found.reference_words)
        rows = [
            {
                "side": name,
                "label": label,
                "cells": [
                    rate_text(intervals[name].value),
                    span(intervals[name].low, intervals[name].high),
                    f"{short_number(getattr(self.found, name))}/{words}",
                ],
            }
            for name, label in SYSTEMS.items()
        ]
        header = ["", rate.name, f"{100 * options.confidence:g} % interval", "errors"]
        return {"lead": self._lead(rate, options), "header": header, "rows": rows, "shares": _shares(self.found)}

    def _lead(self, rate: GRR, options: ReportOptions) -> str:
        change = options.difference(rate, self.tables["one_best"], self.tables["corrected"])
        if change.value is None:
            return "No rate is defined: the references have no words."
        before, after = (rate_text(self.found.rate(n)) for n in (self.found.one_best, self.found.corrected))
        resampled = "" if change.low is None else f", with {100 * change.confidence:g} % of resamples in "
        interval = resampled and resampled + span(change.low, change.high)
        return (
            f"The 1-bests score {before}, the corrected texts {after}: {rate.name} changes by "
            f"{rate_text(change.value)}{interval} (below 0 is better)."
        )


def _scored(words: Words, reference: Words, rate: GRR) -> CorrectedText:
    best = rate.evaluate(words, [reference])
    counts = best.statistics
    kept = tuple(word for word in words if word not in rate.ignore)
    return CorrectedText(kept, *rate.parts(counts), counts, best.alignment)


def _compositional(lists: Lists, references: Sequence[Words], rate: GRR) -> Table:
    """Return statistics, one row per list: the only errors are reference words that are in no hypothesis."""
    rows = []
    for nbest, reference in zip(lists.lists, references, strict=True):
        words = rate.counted_words(reference)
        missing = compositional_errors(ranked_words(nbest), words)
        rows.append(RecognitionStatistics((len(words) - missing,), 0, missing, 0, (len(words),)).as_columns())
    return np.array(rows, dtype=np.float64)


def _shares(found: Corrections) -> list[tuple[str, str, str]]:
    """Return a (name, value, counts) triple of texts for each share."""
    hallucinated = found.hallucinations
    invented = f"{hallucinated.novel} new, {hallucinated.repeated} repeated, of {hallucinated.words}"
    kept = f"{amount(hallucinated.passed_through, 'error')} kept from the lists"
    outside = f"{amount(hallucinated.generative, 'right word')} from outside the lists"
    return [
        ("headroom recovered (RIR)", rate_text(found.recovered), _gain(found)),
        ("harmful edits, utterances", *_edits(found.utterances)),
        ("harmful edits, words", *_edits(found.words)),
        (
            "hallucinated words",
            rate_text(hallucinated.rate),
            f"{invented}; {kept}, {outside}",
        ),
    ]


def _gain(found: Corrections) -> str:
    gain = found.one_best - found.corrected
    change = f"{amount(abs(gain), 'error')} {'more' if gain < 0 else 'fewer'}"
    return f"{change}; the best hypotheses have {short_number(found.one_best - found.oracle)} fewer"


def _edits(edits: Edits) -> tuple[str, str]:
    others = {"neutral": edits.neutral, "missed": edits.missed, "unchanged": edits.unchanged}
    known = [f"{number} {name}" for name, number in others.items() if number is not None]
    return rate_text(edits.harmful_rate), ", ".join([f"{edits.helpful} helpful", f"{edits.harmful} harmful", *known])
