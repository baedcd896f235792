"""Read NeMo manifests with transcripts: one JSON object per line, with `audio_filepath`, `text` and `pred_text`.

`pred_text` is the hypothesis, and `text` is the reference. If a line has the field `beams`, the pairs of text and
score in this field are the hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.formats.nbest.jsonl import records_of_lines
from latticemetric.formats.nbest.records import ListRecord, is_manifest, list_key
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.stream import Stream
from latticemetric.vocabulary import Vocabulary

_NAME = "nemo-manifest"
_PREFIX = "pred_text"


def _sniff(head: bytes) -> bool:
    return is_manifest(head.lstrip().partition(b"\n")[0])


def _read(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    return records_of_lines(stream, _complete)


def _complete(record: ListRecord) -> ListRecord:
    """Add the fields `hypotheses` and `reference`, if they are missing, from NeMo's fields `pred_text…` and `text`."""
    fields = dict(record.fields)
    predicted = [name for name in fields if name.startswith(_PREFIX) and isinstance(fields[name], str)]
    if list_key(fields, record.place) is None and len(predicted) == 1:
        fields["hypotheses"] = [fields[predicted[0]]]
    if isinstance(fields.get("text"), str):
        fields.setdefault("reference", fields["text"])
    return ListRecord(fields, record.place)


register(Format(_NAME, (".manifest.json", ".manifest.jsonl"), _sniff, _read))
