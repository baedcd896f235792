"""Read and write n-best lists as JSON lines: `{"id": "utt-1", "hypotheses": [{"text": "a b", "score": -1.5}, …]}`.

Each line is a record; see `records` for the names and weights of its fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from latticemetric.errors import FormatError, UsageError, shortened
from latticemetric.formats.columns import require_all_have, require_nbest
from latticemetric.formats.nbest.keyed import has_keyed_lists
from latticemetric.formats.nbest.records import (
    ANY_LIST,
    IDS,
    NESTED,
    TEXTS,
    TOKENS,
    TOTALS,
    Alike,
    ListRecord,
    is_manifest,
    weights_of,
)
from latticemetric.formats.registry import Entry, Format, Naming, register, unbuildable
from latticemetric.formats.streams.stream import Stream
from latticemetric.formats.text.json import blank_lines, object_of, parsed_json
from latticemetric.graph import Graph
from latticemetric.vocabulary import Vocabulary

_NAME = "jsonl-nbest"
_OTHER_SPACE = re.compile(r"[\t\n\r\f\v]")
# Finds the id in a line that is not JSON.
_ANY_ID = re.compile(rf'"(?:{"|".join(IDS)})"\s*:\s*"([^"\\]+)"'.encode())


def _sniff(head: bytes) -> bool:
    line = head.lstrip().partition(b"\n")[0]
    is_record = line.startswith(b"{") and ANY_LIST.search(line) is not None and not is_manifest(line)
    return is_record and not has_keyed_lists(head)


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return records_of_lines(stream)


def records_of_lines(
    stream: Stream, complete: Callable[[ListRecord], ListRecord] = lambda record: record
) -> Iterator[Entry]:
    """Yield an entry for each line that is not blank; pass each record through `complete` first.

    If records have no ids, line numbers are used as ids. Then, each blank line before the last record gets an entry,
    too; the `build` of this entry raises an error.
    """
    alike = Alike()
    named: bool | None = None
    read = 0
    for line in stream.byte_lines():
        if not line.strip():
            continue
        number, place = stream.line, stream.place()
        try:
            entries = list(alike.entries(complete(_record(line, stream)), number))
        except FormatError as error:  # report this list, by its id if there is one, and read the next line
            match = _ANY_ID.search(line)
            naming: Naming = "own" if match else "position" if named is False else "file"
            own = match[1].decode("utf-8", "replace") if match else ""
            lost = own or (str(number) if naming == "position" else place)
            entries = [Entry(lost, place, unbuildable(error), naming=naming)]
        else:
            named = entries[0].naming == "own"
        # If lines have no ids, report each blank line, except at the end.
        if entries[0].naming == "position":
            yield from blank_lines(stream, range(read + 1, number))
        read = number
        yield from entries


def _record(line: bytes, stream: Stream) -> ListRecord:
    fields = parsed_json(line, stream.name, stream.line, objects=object_of)
    if not isinstance(fields, dict):
        raise FormatError("the line is not a JSON object", where=stream.place())
    return ListRecord(fields, stream.place())


def _write(file: IO[bytes], name: str, graph: Graph) -> None:
    line = json.dumps(as_record(name, graph, _NAME), ensure_ascii=False, allow_nan=False)
    file.write((line + "\n").encode("utf-8"))


def as_record(name: str, graph: Graph, format_name: str) -> dict[str, Any]:
    """Return a record that is read back as the same list; refuse weights that would change."""
    nbest = require_nbest(graph, format_name)
    names = set(nbest.score_names())
    counted = {key for key in names if nbest.weights.get(key, 1.0) != 0}
    nested = set() if len(counted) == 1 and counted <= set(TOTALS) else counted
    weights = weights_of(nested, names - nested)
    other = sorted(key for key in names if weights[key] != nbest.weights.get(key, 1.0))
    other += sorted((names - nested) & {*TEXTS, *TOKENS, NESTED})
    if other:
        raise UsageError(
            f"{format_name} cannot store these scores with their names and weights: {shortened(', '.join(other), 200)}",
            advice="add the scores up with Corpus.converted(sum_scores=True)",
        )
    if total := next((key for key in names if key in TOTALS and weights[key]), None):
        require_all_have(nbest, total)
    return {"id": name, "hypotheses": [_as_object(h.words, h.scores, nested) for h in nbest.hypotheses]}


def _as_object(words: tuple[str, ...], costs: Mapping[str, float], nested: set[str]) -> dict[str, Any]:
    if "" in words:
        raise UsageError("an empty word cannot be written", advice="leave the empty word out")
    text = " ".join(words)
    # Reading splits the text at white space again.
    is_plain = text.count(" ") == max(len(words) - 1, 0) and not _OTHER_SPACE.search(text)
    fields: dict[str, Any] = {"text": text} if is_plain else {"words": list(words)}
    fields |= {name: 0.0 - cost for name, cost in costs.items() if name not in nested}
    scores = {name: 0.0 - cost for name, cost in costs.items() if name in nested}
    return fields | ({NESTED: scores} if scores else {})


register(Format(_NAME, (".jsonl", ".nbest.jsonl"), _sniff, _read, _write))
