"""Lists and transcripts as JSON: arrays of records (HyPoradise), NeMo manifests, Whisper; and as tables."""

import io

import pyarrow as pa
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from kit.format_cases.nbest_lists import _FEATURES, lists_of
from kit.formats import NAMES, PLAIN_WORDS, SPACED_WORDS, Broken, Case, nbest_lists, small_nbest

ARRAY = b"""[
  {"id": "u-1", "input": ["a b", "a c"], "output": "a b", "am_score": [-0.5, -1.25]},
  {"id": "u-2",
   "hypotheses": [{"text": "c", "score": -2.5, "scores": {"lm": -1.0}}, ["d", -3]], "reference": ["c", "e"]}
]
"""


def _array(element: bytes, says: str, line: int = 2) -> Broken:
    return Broken(b'[{"input": ["a"]},\n' + element + b"\n]\n", line, says)


_ARRAY = {
    "no array": Broken(b'"input"', 1, "the file is not a JSON array"),
    "an object": Broken(b'{"input": ["a"]}', 1, "the file is not a JSON array"),
    "empty array": Broken(b"[]", None, "holds no graph"),
    "a text": _array(b'"input"', "the element is not a JSON object"),
    "a number": _array(b"17", "the element is not a JSON object"),
    "an array inside": _array(b"[]", "the element is not a JSON object"),
    "no hypotheses": _array(b'{"output": "a"}', "the list has no hypotheses"),
    "empty list": _array(b'{"hyps": []}', "the n-best list is empty"),
    "two lists": _array(b'{"input": ["a"], "outputs": ["b"]}', "input and outputs are different lists"),
    "a hypothesis of three": _array(b'{"beams": [["a", 1, 2]]}', "not a pair of a text and its score"),
    "a hypothesis of two texts": _array(b'{"beams": [["a", "1"]]}', "not a pair of a text and its score"),
    "a hypothesis of true": _array(b'{"beams": [["a", true]]}', "not a pair of a text and its score"),
    "scores too few": _array(b'{"input": ["a", "b"], "am_score": [1]}', "am_score is not a list with one number"),
    "score nan": _array(b'{"input": ["a"], "am_score": [NaN]}', "'NaN' is not finite"),
    "id sometimes": _array(b'{"id": "u", "input": ["a"]}', "some lists have an id, but others do not"),
    "key twice": _array(b'{"input": ["a"], "input": ["a"]}', "key 'input' appears twice"),
    "no comma": Broken(b'[{"input": ["a"]}\n{"input": ["a"]}]', 2, "a comma or ] is missing"),
    "no end": Broken(b'[{"input": ["a"]}\n', None, "a comma or ] is missing"),
    "comma at the end": Broken(b'[{"input": ["a"]},\n]', 2, "this is not JSON"),
    "more after it": Broken(b'[{"input": ["a"]}]\n[]', 2, "there is more text after the JSON array"),
    "cut in a text": Broken(b'[{"input": ["a\n', None, "this is not JSON"),
    "not utf8": Broken(b'[{"input": ["a"]},\n{"input": ["\xe9"]}]', 2, "UTF-8"),
    "utf8 cut": Broken(b'[{"input": ["a"]},\n{"input": ["\xc3', 2, "UTF-8"),
    "surrogate": _array(b'{"input": ["\\ud800"]}', "half a character"),
}

NEMO = b"""{"audio_filepath": "a.wav", "duration": 1.5, "text": "a b", "pred_text": "a c"}
{"audio_filepath": "b.wav", "duration": 2.5, "text": "c", "pred_text": "c", "beams": [["c", -1.5], ["d", -2.5]]}
"""


def _nemo(line: bytes, says: str) -> Broken:
    return Broken(NEMO + line + b"\n", 3, says)


_NEMO = {
    "no transcript": _nemo(b'{"audio_filepath": "c.wav", "text": "a"}', "the list has no hypotheses"),
    "transcript a list": _nemo(b'{"audio_filepath": "c.wav", "pred_text": ["a"]}', "the list has no hypotheses"),
    "two transcripts": _nemo(b'{"pred_text": "a", "pred_text_b": "b"}', "the list has no hypotheses"),
    "beams empty": _nemo(b'{"pred_text": "a", "beams": []}', "the n-best list is empty"),
    "beam of one": _nemo(b'{"pred_text": "a", "beams": [["a"]]}', "not a pair of a text and its score"),
    "beam without text": _nemo(b'{"pred_text": "a", "beams": [[1, 2]]}', "not a pair of a text and its score"),
    "beam of null": _nemo(b'{"pred_text": "a", "beams": [["a", null]]}', "not a pair of a text and its score"),
    "score infinite": _nemo(b'{"pred_text": "a", "beams": [["a", -Infinity]]}', "is not finite"),
    "no object": _nemo(b'["a"]', "not a JSON object"),
    "cut": _nemo(b'{"audio_filepath": "c.wav", "pred_te', "this is not JSON"),
    "key twice": _nemo(b'{"pred_text": "a", "pred_text": "b"}', "appears twice"),
    "surrogate": _nemo(b'{"pred_text": "\\udfff"}', "half a character"),
    "not utf8": _nemo(b'{"pred_text": "\xe9"}', "UTF-8"),
}

WHISPER = b"""{"text": " a b c", "language": "en", "segments": [
  {"id": 0, "start": 0.0, "end": 1.5, "text": " a b", "avg_logprob": -0.25, "words": [
    {"word": " a", "start": 0.0, "end": 0.5, "probability": 0.75},
    {"word": " b", "start": 0.5, "end": 1.5, "probability": 0.5}]},
  {"id": 1, "start": 1.5, "end": 2.0, "text": " c", "words": [{"word": "c", "score": 0.25}]}
]}
"""


def _whisper(old: bytes, new: bytes, says: str) -> Broken:
    assert WHISPER.count(old) == 1
    return Broken(WHISPER.replace(old, new), None, says)


_WHISPER = {
    "no object": Broken(b'["a"]', None, "the JSON is not an object"),
    "no text": Broken(b'{"language": "en"}', None, "segment 1: the text is null, not a text"),
    "segments an object": Broken(b'{"text": "a", "segments": {"a": 1}}', None, "the segments are not a list"),
    "a segment of text": Broken(b'{"text": "a", "segments": ["a"]}', None, "segment 1: the segment is not an object"),
    "words a text": Broken(b'{"segments": [{"words": "a"}]}', None, "segment 1: the words are not a list"),
    "a word of text": Broken(b'{"segments": [{"words": ["a"]}]}', None, "word 1: the word is not an object"),
    "word null": _whisper(b'"word": " b"', b'"word": null', "segment 1, word 2: the word is null, not a text"),
    "time in words": _whisper(b'"end": 0.5', b'"end": "0.5"', "word 1: a time is not a number of seconds"),
    "time negative": _whisper(b'"start": 0.5', b'"start": -0.5', "word 2: a time is not a number of seconds"),
    "time true": _whisper(b'"start": 0.5', b'"start": true', "word 2: a time is not a number of seconds"),
    "time huge": _whisper(b'"end": 0.5', b'"end": ' + b"9" * 400, "digits"),
    "end before begin": _whisper(b'"start": 0.5', b'"start": 2.5', "word 2: the word ends at 1.5, before it begins"),
    "timestamp of one": Broken(
        b'{"text": "a", "chunks": [{"text": "a", "timestamp": [0]}]}', None, "is not a list of two times"
    ),
    "confidence a text": _whisper(b"0.75", b'"high"', "word 1: a confidence is not a number"),
    "confidence nan": _whisper(b"0.75", b"NaN", "'NaN' is not finite"),
    "surrogate": _whisper(b'" b"', b'"\\ud800"', "half a character"),
    "cut": Broken(WHISPER[:150], None, "this is not JSON"),
    "several": Broken(WHISPER + WHISPER, None, "this is not JSON"),
    "not utf8": _whisper(b'" b"', b'"\xe9"', "UTF-8"),
}

# --- Tables

ROWS = [
    {"id": "u-1", "nbest": ["a b", "a c"], "score": [-0.5, -1.25], "reference": "a b", "audio": b"\0\1"},
    {"id": "u-2", "nbest": ["c"], "score": [-2.5], "reference": "c", "audio": b""},
]


def parquet_of(rows: list[dict]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), file)
    return file.getvalue()


def arrow_of(rows: list[dict], *, streamed: bool = False) -> bytes:
    file, table = io.BytesIO(), pa.Table.from_pylist(rows)
    with (ipc.new_stream if streamed else ipc.new_file)(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def _tables(written) -> dict[str, Broken]:
    whole = written(ROWS)
    damaged = "the table is damaged or cut short"
    half_named = written([{"id": "u", "nbest": ["a"]}, {"id": None, "nbest": ["a"]}])
    return {
        "no hypotheses": Broken(written([{"id": "u", "reference": "a"}]), None, "row 1: the list has no hypotheses"),
        "empty list": Broken(written([{"nbest": ["a"]}, {"nbest": []}]), None, "row 2 (2): the n-best list is empty"),
        "null hypothesis": Broken(written([{"nbest": ["a", None]}]), None, "must be a text or an object"),
        "numbers": Broken(written([{"nbest": [1, 2]}]), None, "must be a text or an object"),
        "one text": Broken(written([{"nbest": "a b"}]), None, "nbest is not a list"),
        "scores too few": Broken(written([{"nbest": ["a", "b"], "score": [1.0]}]), None, "one number per hypothesis"),
        "score nan": Broken(written([{"nbest": ["a"], "score": [float("nan")]}]), None, "is not finite"),
        "score infinite": Broken(written([{"nbest": [{"text": "a", "score": -float("inf")}]}]), None, "is not finite"),
        "score null": Broken(written([{"nbest": ["a"], "score": [None]}]), None, "one number per hypothesis"),
        "score a text": Broken(written([{"nbest": [{"text": "a", "score": "1"}]}]), None, "'score' is not a number"),
        "id null": Broken(half_named, None, "some lists have"),
        "id twice": Broken(written([{"id": "u", "nbest": ["a"]}] * 2), None, "the id appears twice"),
        "no rows": Broken(written(ROWS[:0]), None, ""),
        "beginning only": Broken(whole[:20], None, damaged),
        "half": Broken(whole[: len(whole) // 2], None, ""),
    }


_COLUMNS = {"score": 1.0, "logprob": 0.0, "total": 0.0}  # the same ones in all lists of a table

CASES = [
    Case(
        "json-nbest",
        ARRAY,
        st.one_of(
            nbest_lists().filter(lambda graph: 1.0 in graph.weights.values() or not graph.weights),
            lists_of(_FEATURES, PLAIN_WORDS + SPACED_WORDS),
        ),
        [*NAMES, "a b", 'say "so"\n'],
        many=True,
        small=small_nbest(),
        broken=_ARRAY,
    ),
    Case("nemo-manifest", NEMO, many=True, broken=_NEMO),
    Case("whisper-json", WHISPER, broken=_WHISPER),
    Case(
        "parquet",
        parquet_of(ROWS),
        lists_of(_COLUMNS),
        [*NAMES, "a b"],
        many=True,
        small=small_nbest(),
        broken=_tables(parquet_of),
    ),
    Case(
        "arrow",
        arrow_of(ROWS),
        lists_of(_COLUMNS),
        [*NAMES, "a b"],
        many=True,
        small=small_nbest(),
        broken=_tables(arrow_of),
    ),
]
