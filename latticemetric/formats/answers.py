"""Recognise files of answers, which this package writes, and which are not graphs."""

from __future__ import annotations

import re

# A document, whose lines may look like n-best lists.
_DOCUMENT = re.compile(rb'\{[^\n]*"lattices": \[\r?\n\{"id": ')
# One record per line, or a table with tabs.
_RECORDS = re.compile(
    rb'\{"id": "[^\n]*(?:"paths": \[\{"rank": |"hypothesis": "[^\n]*"(?:cost|bayes_risk)": )|'
    rb"id\t(?:[^\n]*\t)?hypothesis\t(?:[^\n]*\t)?error\r?\n"
)
WHAT = "these are answers, not graphs"
ADVICE = "to write n-best lists as graphs, use Corpus.nbest(n, lists=True).write_lattices(FILE)"


def is_document_of_answers(head: bytes) -> bool:
    """Check whether a file with these first bytes is a JSON document of answers."""
    return _DOCUMENT.match(head) is not None


def are_records_of_answers(head: bytes) -> bool:
    """Check whether a file that is in no format of graphs has records of answers: JSON lines, or a table with tabs."""
    return _RECORDS.match(head) is not None
