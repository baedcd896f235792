"""Read references: lines in the order of the graphs, lines with ids (like Kaldi's `text`), JSON, trn, STM and CTM."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from latticemetric.cached import cached_property
from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.partial_table import note_lacking
from latticemetric.formats.streams.compression import container_of, is_tar
from latticemetric.formats.streams.stream import UTF_16, Stream, open_stream
from latticemetric.formats.text.fields import is_word_number
from latticemetric.formats.timed_texts import timed_texts
from latticemetric.vocabulary import PartialVocabulary, Vocabulary, split_words

if TYPE_CHECKING:
    from latticemetric.formats.nist.transcripts import Transcript
    from latticemetric.lattice.lattice import Lattice
    from latticemetric.segment_id import SegmentId

# Transcripts in NIST formats contain ids in brackets, labels, or times with a fraction; or their names tell the format.
_TRANSCRIPT_SIGNS = (b")", b"<", b".")
_TRANSCRIPT_SUFFIXES = (".trn", ".stm", ".ctm")
# The beginning of test sets as markup: those of WMT and NIST, and TMX and XLIFF.
_MARKUP = re.compile(rb"\s*<(?:[?]xml|!doctype|mteval|(?:ref|src|tst)set|dataset|tmx|xliff)[\s>]", re.IGNORECASE)
# The beginning of what decoders write in place of lines of text: an object of JSON, or an array of objects, with one of
# the usual fields of texts and audio (texts to score may be other JSON); an n-best list of Moses or Marian.
_JSON = re.compile(rb'\s*(?:\[\s*)?\{\s*"[^"\\\n]*"\s*:')
_TEXT_NAME = (
    "(?:pred_)?text|words|sentence|content|transcript(?:ion)?|ref(?:erence)?s?|hyp(?:othes[ie]s)?|target"
    "|audio_filepath|session_id|segments|chunks|choices|nbest"
)
_TEXT_FIELD = re.compile(rf'"(?:{_TEXT_NAME})"\s*:'.encode())
_NBEST = re.compile(rb"\s*[0-9]+[ \t]*\|\|\|[^\n]*\|\|\|")
# The beginning of graphs in text: checked before the modules of their formats are imported.
_GRAPHS = re.compile(
    rb"\s*(?:#|\(\s*\(|Frames|name\s|[A-Za-z]\w*=\S.*?\n[ \t]*[IJ]=[0-9]|[0-9]+ hyp="
    rb"|\S+[ \t]*\r?\n[0-9]+[ \t]+[0-9]+[ \t]+\S+[ \t]+[^\n]*,)",
    re.DOTALL,
)


class Reference(NamedTuple):
    """The words of a reference or, if it has alternatives, its graph.

    Attributes:
        words: The words; for a reference with alternatives, the words of its graph's first path.
        where: The file and line.
        graph: The graph of its alternatives; `None` if it has none.
        segment: The parts of its id, if it is a segment of an STM or a channel of a CTM.
    """

    words: tuple[str, ...]
    where: str
    graph: Lattice | None = None
    segment: SegmentId | None = None

    @property
    def graph_or_words(self) -> Lattice | tuple[str, ...]:
        """The graph of the alternatives, or the words if there are none."""
        return self.words if self.graph is None else self.graph


@dataclass(frozen=True)
class ReferenceFile:
    """The lines of a reference file.

    Attributes:
        name: The file.
        lines: The fields of each line; the first field may be an id. In formats with ids, the words of each reference.
        table: The symbol table for references that consist of word numbers; `None` if there is no table.
        named: If the file is in a NIST format or JSON, the id of each reference and the reference, in order; otherwise
            `None`.
    """

    name: str
    lines: tuple[tuple[str, ...], ...]
    table: Vocabulary | None = None
    named: tuple[tuple[str, Reference], ...] | None = None

    @property
    def has_ids(self) -> bool:
        """True if the format gives each reference an id; False for lines of text, which may begin with ids."""
        return self.named is not None

    def first_words(self) -> list[str]:
        """Return the ids if the format has them; otherwise, the first word of each line, which may be an id."""
        if self.named is not None:
            return [name for name, _ in self.named]
        return [words[0] for words in self.lines if words]

    @cached_property
    def ids(self) -> frozenset[str]:
        """The distinct values of `first_words`."""
        return frozenset(self.first_words())

    def plain(self) -> list[Reference]:
        """Return one reference per line; an empty line is a reference without words."""
        if self.named is not None:
            return [reference for _, reference in self.named]
        places = (f"{self.name}:{number}" for number in range(1, len(self.lines) + 1))
        return list(map(Reference, self._spelled(self.lines), places))

    def keyed(self) -> Mapping[str, Reference]:
        """Return the references by id; in lines of text, the id is the first word, and empty lines are skipped."""
        named: Iterable[tuple[str, Reference]] | None = self.named
        if named is None:
            rows = [(number, words) for number, words in enumerate(self.lines, start=1) if words]
            numbers = {words[0]: number for number, words in rows}
            if self.table is None and len(numbers) == len(rows):
                return KeyedLines(self, numbers)
            texts = self._spelled([words[1:] for _, words in rows])
            named = (
                (words[0], Reference(text, f"{self.name}:{number}"))
                for (number, words), text in zip(rows, texts, strict=True)
            )
        table: dict[str, Reference] = {}
        for name, reference in named:
            if name in table:
                raise FormatError(
                    f"id '{shortened(name)}' already has a reference, at {table[name].where}",
                    where=reference.where,
                    advice=self._advice_for_twice(reference),
                )
            table[name] = reference
        return table

    def _advice_for_twice(self, reference: Reference) -> str:
        if not self.has_ids:
            return 'if these are not ids, use style="plain"'
        if reference.segment is None:
            return "give each reference its own id"
        from latticemetric.formats.nist.lines import SAME_SEGMENT

        return SAME_SEGMENT

    def _spelled(self, references: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        """Map word numbers to words if the references are integer transcripts, as in Kaldi.

        References are integer transcripts if all words are numbers, and at least one number is not a word of the table.
        """
        table = self.table
        words = {word for reference in references for word in reference}
        if table is None or not all(map(is_word_number, words)) or all(word in table for word in words):
            return iter(references)
        if isinstance(table, PartialVocabulary):
            lacking = sorted(number for number in map(int, words) if not table.has(number))
            note_lacking(self.name, [table.word(number) for number in lacking])
        return (tuple(self._word(table, word) for word in reference) for reference in references)

    def _word(self, table: Vocabulary, number: str) -> str:
        try:
            return table.word(int(number))
        except InputError as error:
            line = next(k for k, words in enumerate(self.lines, start=1) if number in words)
            raise error.at(f"{self.name}:{line}") from None


class KeyedLines(Mapping[str, Reference]):
    """The references of lines that begin with ids. References are made when they are needed."""

    def __init__(self, file: ReferenceFile, numbers: Mapping[str, int]) -> None:
        """Take the file, and the number of the line of each id."""
        self._file, self._numbers = file, numbers

    def __getitem__(self, name: str) -> Reference:
        return Reference(self.words(name), f"{self._file.name}:{self._numbers[name]}")

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words of a reference."""
        return self._file.lines[self._numbers[name] - 1][1:]

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def read_references(path: str, table: Vocabulary | None = None) -> ReferenceFile:
    """Read a file of references; `table` maps word numbers to words."""
    with open_stream(path) as stream:
        if (transcripts := read_transcripts(stream)) is not None:
            return transcripts
        require_lines(stream)
        lines = tuple(tuple(split_words(line)) for line in stream.lines())
    if not lines:
        raise FormatError("the file holds no references", where=path)
    return ReferenceFile(path, lines, table)


def require_lines(stream: Stream, *, of_json: bool = False) -> None:
    """Refuse what would count as words, but is not lines of text.

    That is XML, JSON (unless `of_json` is true), n-best lists, lattices and forests, texts with times such as
    subtitles, archives, binary files, and transcripts in NIST formats.
    """
    head = stream.head()
    if _MARKUP.match(head):
        advice = "write the text of each <seg> on a line of its own"
        raise FormatError("this is XML or SGML, not lines of text", where=stream.name, advice=advice)
    is_json = not of_json and _is_json_of_decoders(head)
    if is_json or _NBEST.match(head):
        what = f"this is {'JSON' if is_json else 'an n-best list'}, not lines of text"
        advice = "write its texts on lines, for example with latticemetric best, which puts the id first"
        raise FormatError(what, where=stream.name, advice=advice)
    _require_text(stream)
    _refuse_graphs(stream)
    if _may_be_transcript(stream):
        from latticemetric.formats.nist.lines import refuse_transcripts

        refuse_transcripts(stream)


def _refuse_graphs(stream: Stream) -> None:
    if _GRAPHS.match(stream.head()) is None:
        return
    from latticemetric.formats.registry import format_of_marked

    if (name := format_of_marked(stream.head())) is not None:
        advice = "write the words of its best path on a line, for example with latticemetric best"
        raise FormatError(f"this is a graph ({name}), not lines of text", where=stream.name, advice=advice)


def _is_json_of_decoders(head: bytes) -> bool:
    """Check whether a file is JSON with texts or audio, rather than texts that are JSON themselves, one per line."""
    if _JSON.match(head) is None or _TEXT_FIELD.search(head) is None:
        return False
    first, _, more = head.strip().partition(b"\n")
    try:
        return not more or _has_texts(json.loads(first))
    except (ValueError, RecursionError):
        return True  # a document of several lines


def _has_texts(value: object) -> bool:
    """Check for fields of texts or audio; leave nested objects out, such as the arguments of a call in JSON."""
    if isinstance(value, list):
        return any(map(_has_texts, value))
    return isinstance(value, dict) and any(
        re.fullmatch(_TEXT_NAME, name) or (isinstance(inner, list) and _has_texts(inner))
        for name, inner in value.items()
    )


def _require_text(stream: Stream) -> None:
    _require_utf8(stream)
    if title := timed_texts(stream.head()):
        advice = "write the words of each segment on a line, or STM or CTM, which have times, too"
        raise FormatError(f"this is {title}, not lines of text", where=stream.name, advice=advice)


def _require_utf8(stream: Stream) -> None:
    head = stream.head()
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # its last character may be cut
    except UnicodeDecodeError:
        pass
    else:
        if b"\0" not in head:
            return
    if container := "a tar archive" if is_tar(head) else container_of(head):
        raise FormatError(f"the file is {container}, not lines of text", where=stream.name, advice="unpack it first")
    if head.startswith(UTF_16):
        raise FormatError("the text is not UTF-8 but UTF-16", where=stream.name, advice="convert the file with iconv")
    if b"\0" in head:
        what, advice = "the file has zero bytes, so it is not text in UTF-8", "if it is UTF-16, convert it with iconv"
        raise FormatError(what, where=stream.name, advice=advice)


def read_transcripts(stream: Stream, *, fold_case: bool = False) -> ReferenceFile | None:
    """Read the references of a stream in a NIST format, or of JSON lines; return `None` for other formats.

    Args:
        stream: The file.
        fold_case: True to take channels of a CTM whose names differ only in case for one.
    """
    _require_text(stream)
    if (texts := texts_with_ids(stream)) is not None:
        return texts
    if not _may_be_transcript(stream):
        return None
    from latticemetric.formats.nist.transcripts import transcripts

    if (read := transcripts(stream, fold_case=fold_case)) is None:
        return None
    named = tuple((one.name, _reference(one)) for one in read)
    return ReferenceFile(stream.name, tuple(reference.words for _, reference in named), None, named)


def _reference(read: Transcript) -> Reference:
    if isinstance(read.text, tuple):
        return Reference(read.text, read.where, None, read.segment)
    return Reference(next(read.text.paths()).words, read.where, read.text, read.segment)


def texts_with_ids(stream: Stream) -> ReferenceFile | None:
    """Read lines of JSON, each with an id and a `text`; return `None` for other content."""
    if _JSON.match(stream.head()) is None:  # checked before the module of these lines is imported
        return None
    from latticemetric.formats.text_records import text_records

    if (read := text_records(stream)) is None:
        return None
    named = tuple((one.name, Reference(tuple(split_words(one.text)), one.place)) for one in read)
    return ReferenceFile(stream.name, tuple(reference.words for _, reference in named), None, named)


def _may_be_transcript(stream: Stream) -> bool:
    """Check what takes no time, before the module of these formats is imported."""
    signs = any(sign in stream.head() for sign in _TRANSCRIPT_SIGNS)
    return signs or stream.stem.lower().endswith(_TRANSCRIPT_SUFFIXES)
