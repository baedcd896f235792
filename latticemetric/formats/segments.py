"""Read test sets to score: outputs and references, one segment per line (perhaps with an id), or in a NIST format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.references import ReferenceFile, read_transcripts, require_lines, texts_with_ids
from latticemetric.formats.streams.stream import STANDARD_INPUT, Stream, is_kept, keep, open_stream, warn
from latticemetric.lattice.lattice import Lattice
from latticemetric.likeness import Names
from latticemetric.line_ids import Ids, Lines, LineStyle, judge_lines
from latticemetric.segment_id import SegmentId
from latticemetric.vocabulary import split_words

SegmentText = str | Lattice
"""The unchanged text of a segment; if the segment has alternatives, a graph."""

_UNEQUAL = 'line k of each file belongs to segment k; if lines begin with ids, use style="keyed"'
_LINE_FOR_EACH_ID = 'every file needs a line for each id; if these are not ids, use style="plain"'
_TEXT_FOR_EACH_ID = "every file needs a text for each id"


class _Placed(NamedTuple):
    """The text of a segment, its place, and the parts of its id."""

    where: str
    text: SegmentText
    segment: SegmentId | None = None


_Table = Mapping[str, _Placed]
"""Segments by id."""


@dataclass(frozen=True)
class TestSet:
    """The texts of the same segments in several files.

    Attributes:
        ids: The id of each segment, or its number (from 1).
        files: For each file, one text per segment.
        segments: The id of each segment with its parts, if a format gives parts; otherwise, the same as `ids`.
    """

    ids: tuple[str, ...]
    files: tuple[tuple[SegmentText, ...], ...]
    segments: tuple[str | SegmentId, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", self.segments or self.ids)

    def __len__(self) -> int:
        return len(self.ids)


def read_segments(
    paths: Sequence[str],
    *,
    style: LineStyle = "auto",
    unequal: str = _UNEQUAL,
    lines_of: Callable[[str], list[str]] | None = None,
) -> TestSet:
    """Read files that hold the same segments, one per line.

    Args:
        paths: The files, compressed or not.
        style: `keyed` if lines begin with ids; then the first file gives the order. If `plain`, line k of each file is
            segment k, and an empty line is a text without words. `auto` compares the lines of all files; see
            `judge_lines`. A warning tells if they begin with ids.
        unequal: The advice of the error for files with different numbers of lines.
        lines_of: Function that returns the texts of a file, for `plain`; by default, its lines.

    Raises:
        FormatError: A segment is missing in a file; or lines seem to begin with ids, but the ids do not match.
    """
    _keep_pipes(paths)
    tables = {} if lines_of else {path: texts for path in paths if (texts := _json_texts(path)) is not None}
    files = {path: (lines_of or read_lines)(path) for path in paths if path not in tables}
    if not files or _are_keyed([(path, files[path]) for path in paths if path in files], tables, style):
        tables |= {path: _keyed_lines(path, lines) for path, lines in files.items()}
        return _joined(tables, paths, paths[0], _LINE_FOR_EACH_ID)
    for path in tables:
        what = "this is JSON, whose texts have ids, but the references are lines of text"
        raise FormatError(what, where=path, advice='if these lines begin with ids, give style="keyed"')
    return _in_order(paths, [files[path] for path in paths], unequal)


def _are_keyed(files: Sequence[tuple[str, Sequence[str]]], tables: Mapping[str, _Table], style: LineStyle) -> bool:
    """Decide whether lines begin with ids; warn if `auto` finds that they do, or if it is not sure."""
    if style != "auto":
        return style == "keyed"
    lines = [Lines(path, texts) for path, texts in files]
    verdict = judge_lines(lines, [Ids(path, table) for path, table in tables.items()])
    if verdict.note:
        warn(verdict.place, verdict.note)
    return verdict.keyed


def _in_order(paths: Sequence[str], files: Sequence[Sequence[str]], unequal: str) -> TestSet:
    counts = ["1 line" if len(lines) == 1 else f"{len(lines)} lines" for lines in files]
    for path, count in zip(paths, counts, strict=True):
        if count != counts[0]:
            raise FormatError(f"{paths[0]} has {counts[0]}, but {path} has {count}", advice=unequal)
    return TestSet(tuple(map(str, range(1, len(files[0]) + 1))), tuple(map(tuple, files)))


def read_nist_segments(
    systems: Sequence[str], references: Sequence[str], style: LineStyle = "auto", *, fold_case: bool = False
) -> TestSet | None:
    """Read outputs and references with ids. Return `None` unless the first reference file is trn, STM, CTM or JSON.

    If the first reference file is STM, its segments divide the timed words of CTM outputs. All files must have the same
    ids. Lines that begin with ids may stand beside JSON; `read_segments` reads both.

    Args:
        systems: Files of outputs.
        references: Files of references.
        style: `keyed` if lines begin with ids.
        fold_case: True to match ids that differ only in case, as sclite does unless it gets `-s`; warn about them.

    Raises:
        FormatError: A segment is missing in a file.
    """
    _keep_pipes([*systems, *references])
    first = references[0]
    expected = _transcripts(first, fold_case=fold_case) if _opens_again(first) else None
    if expected is None or (_json_texts(first) is not None and _has_lines([*systems, *references[1:]], style)):
        return None
    tables = {path: _system_output(path, first, fold_case=fold_case) for path in systems}
    tables |= {path: _required_transcripts(path, fold_case=fold_case) for path in references[1:]}
    if fold_case:
        tables = {path: _with_ids_of(expected, table, first, path) for path, table in tables.items()}
    return _joined({**tables, first: expected}, [*systems, *references], first, _TEXT_FOR_EACH_ID)


def _has_lines(paths: Sequence[str], style: LineStyle) -> bool:
    """Check whether some files are lines of text, which may begin with the ids of others."""
    return style == "keyed" or any(_opens_again(path) and _transcripts(path) is None for path in paths)


def read_nlp_segments(
    systems: Sequence[str], references: Sequence[str], norm: str | None = None, *, classes: bool = False
) -> TestSet | None:
    """Read Rev's transcripts, each file as one segment. Return `None` if the first reference is in another format.

    Args:
        systems: Files of outputs: `.nlp`, CTM with one channel, or plain text with any number of lines.
        references: Files of reference transcripts (`.nlp`).
        norm: The file `norm.json` of alternative forms. If it is given, references become graphs.
        classes: If true, references become graphs, and the arcs of tagged words have a label: the class of the tag.
    """
    from latticemetric.formats.rev import is_nlp, nlp_reference, read_nlp, read_norm

    _keep_pipes([*systems, *references])

    def is_transcript(path: str) -> bool:
        if not _opens_again(path):
            return False
        with open_stream(path) as stream:
            return is_nlp(stream.head())

    if not is_transcript(references[0]):
        return None
    alternatives = None if norm is None else read_norm(norm)
    files: list[tuple[SegmentText, ...]] = []
    for path in systems:
        if is_transcript(path):
            files.append((" ".join(token.word for token in read_nlp(path)),))
        else:
            channel = _only_channel(path)
            files.append((" ".join(read_lines(path)) if channel is None else channel,))
    for path in references:
        tokens = read_nlp(path)
        as_graph = classes or alternatives is not None
        text = nlp_reference(tokens, alternatives) if as_graph else " ".join(token.word for token in tokens)
        files.append((text,))
    return TestSet((Path(references[0]).name.partition(".")[0],), tuple(files))


def _only_channel(path: str) -> SegmentText | None:
    """Return the words of a CTM file with one channel; `None` for other formats."""
    from latticemetric.formats.nist.lines import reference_format

    if not _opens_again(path):
        return None
    with open_stream(path) as stream:
        if reference_format(stream.head(), stream.stem) != "ctm":
            return None
    table = _transcripts(path)
    if table is None or len(table) != 1:
        what = f"the file has {len(table or ())} channels, but a reference in .nlp is one recording"
        raise FormatError(what, where=path, advice="score one channel at a time")
    return next(iter(table.values()))[1]


class RecognisedSegment(NamedTuple):
    """A segment's words with times and confidences, and its reference."""

    name: str
    words: Lattice
    reference: Lattice | tuple[str, ...]


def read_recognised(words: str, reference: str) -> list[RecognisedSegment] | None:
    """Divide the words of a CTM file into the segments of an STM file; return `None` for files in other formats.

    Args:
        words: The CTM file.
        reference: The STM file.
    """
    from latticemetric.formats.nist.transcripts import words_by_segment

    _keep_pipes([words, reference])
    if not (_opens_again(words) and _opens_again(reference)):
        return None
    with open_stream(words) as spoken, open_stream(reference) as segments:
        if not _are_words_and_segments(spoken, segments):
            return None
        cut = words_by_segment(spoken, segments)
    with open_stream(reference) as stream:
        expected = read_transcripts(stream)
    assert expected is not None
    keyed = expected.keyed()
    return [RecognisedSegment(name, graph, keyed[name].graph_or_words) for name, graph in cut.items()]


def _keep_pipes(paths: Sequence[str]) -> None:
    """Keep what commands read from pipes: the format is recognised before the file is read."""
    _refuse_twice(paths)
    for path in paths:
        keep(path)


def _refuse_twice(paths: Sequence[str]) -> None:
    if paths.count(STANDARD_INPUT) > 1:
        raise FormatError("standard input can be read only once", where=STANDARD_INPUT, advice="name files")


def _opens_again(path: str) -> bool:
    return path != STANDARD_INPUT or is_kept(path)


def _joined(tables: Mapping[str, _Table], paths: Sequence[str], first: str, advice: str) -> TestSet:
    """Join the texts of all files by id, in the order of the file `first`; `advice` is for missing ids."""
    for here, there in (pair for path in paths for pair in ((first, path), (path, first))):
        if lacking := [name for name in tables[here] if name not in tables[there]]:
            if lacking[0].casefold() in map(str.casefold, tables[there]):
                advice = "ids differ in case; lowercase=True compares ids as sclite does, without case"
            elif (meant := Names(tables[there]).advice_for(lacking[0])) is not None:
                advice = meant
            more = f" ({len(lacking)} ids are missing in total)" if len(lacking) > 1 else ""
            what = f"the id '{shortened(lacking[0])}' is missing in {there}{more}"
            raise FormatError(what, where=tables[here][lacking[0]].where or here, advice=advice)
    ids = tuple(tables[first])
    files = tuple(tuple(tables[path][name].text for name in ids) for path in paths)
    return TestSet(ids, files, tuple(tables[first][name].segment or name for name in ids))


def _with_ids_of(expected: _Table, table: _Table, first: str, path: str) -> _Table:
    """Return the texts of `path` with the ids of the file `first`, where ids differ only in case."""
    folded: dict[str, list[str]] = {}
    for name in expected:
        folded.setdefault(name.casefold(), []).append(name)
    renamed: dict[str, _Placed] = {}
    for name, row in table.items():
        found = [name] if name in expected else folded.get(name.casefold(), [name])
        if len(found) > 1 or found[0] in renamed or (found[0] != name and found[0] in table):
            raise FormatError(f"'{shortened(name)}' differs from another id only in case", where=row[0] or path)
        renamed[found[0]] = row
    if changed := len(renamed.keys() - table.keys()):
        which = "an id differs" if changed == 1 else f"{changed} ids differ"
        warn(path, f"{which} from {first} in case, which does not count with lowercase=True, as in sclite")
    return renamed


def _json_texts(path: str) -> _Table | None:
    """Read lines of JSON, each with an id and a `text`; return `None` for other content."""
    if not _opens_again(path):
        return None
    with open_stream(path) as stream:
        file = texts_with_ids(stream)
    return None if file is None else _table_of(file)


def _keyed_lines(path: str, lines: Sequence[str]) -> _Table:
    table: dict[str, _Placed] = {}
    for number, line in enumerate(lines, start=1):
        fields = split_words(line)
        if not fields:
            continue
        place = f"{path}:{number}"
        if fields[0] in table:
            raise FormatError(
                f"id '{shortened(fields[0])}' already appears at line {table[fields[0]].where.rpartition(':')[2]}",
                where=place,
                advice='give each segment its own id; if these are not ids, use style="plain"',
            )
        # Keep the spaces inside the text: tokenizers use them.
        table[fields[0]] = _Placed(place, line.split(fields[0], 1)[1].strip(" \t"))
    if not table:
        raise FormatError("the file holds no segments", where=path)
    return table


def read_lines(path: str, *, of_json: bool = False) -> list[str]:
    """Return the lines of a file; refuse an empty file, and what `require_lines` refuses."""
    with open_stream(path) as stream:
        require_lines(stream, of_json=of_json)
        lines = list(stream.lines())
    if not lines:
        raise FormatError("the file is empty", where=path, advice="write one line per segment; a line may be empty")
    return lines


def _system_output(path: str, reference: str, *, fold_case: bool) -> _Table:
    from latticemetric.formats.nist.transcripts import words_by_segment, words_or_graph

    with open_stream(path) as words, open_stream(reference) as segments:
        if _are_words_and_segments(words, segments):
            cut = words_by_segment(words, segments)
            return {name: _Placed(path, _text(words_or_graph(graph))) for name, graph in cut.items()}
    return _required_transcripts(path, fold_case=fold_case)


def _are_words_and_segments(words: Stream, segments: Stream) -> bool:
    """Check whether a file is CTM, or is named .ctm and empty, and another one STM."""
    from latticemetric.formats.nist.lines import is_ctm, reference_format

    is_empty = words.stem.lower().endswith(".ctm") and not words.head().strip()
    is_words = is_empty or is_ctm(words.head()) or reference_format(words.head(), words.stem) == "ctm"
    return is_words and reference_format(segments.head(), segments.stem) == "stm"


def _required_transcripts(path: str, *, fold_case: bool) -> _Table:
    table = _transcripts(path, fold_case=fold_case)
    if table is None:
        if _opens_again(path):
            with open_stream(path) as stream:
                require_lines(stream)  # its errors say more
        raise FormatError(
            "this file is not trn, STM, CTM or JSON with ids, but the first reference file is",
            where=path,
            advice='write trn: one line `words (id)` per segment; beside JSON, style="keyed" takes lines with ids',
        )
    return table


def _transcripts(path: str, *, fold_case: bool = False) -> _Table | None:
    with open_stream(path) as stream:
        file = read_transcripts(stream, fold_case=fold_case)
    return None if file is None else _table_of(file)


def _table_of(file: ReferenceFile) -> _Table:
    return {name: _Placed(one.where, _text(one.graph_or_words), one.segment) for name, one in file.keyed().items()}


def _text(graph_or_words: Lattice | tuple[str, ...]) -> SegmentText:
    return " ".join(graph_or_words) if isinstance(graph_or_words, tuple) else graph_or_words


def read_speakers(path: str) -> dict[str, str]:
    """Read the speaker of each segment or file: lines of id and speaker, like Kaldi's `utt2spk`."""
    speakers: dict[str, str] = {}
    with open_stream(path) as stream:
        for number, line in enumerate(stream.lines(), start=1):
            fields = split_words(line)
            if not fields:
                continue
            if len(fields) != 2 or fields[0] in speakers:  # noqa: PLR2004  an id and a speaker
                what = "the line is not an id and a speaker" if len(fields) != 2 else "the id appears twice"  # noqa: PLR2004
                raise FormatError(
                    what, where=f"{path}:{number}", advice="write one line for each segment or file: ID SPEAKER"
                )
            speakers[fields[0]] = fields[1]
    return speakers
