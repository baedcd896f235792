"""The outputs of several systems for many utterances, and their references: read from files, or given in memory."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from latticemetric.arguments import is_missing, is_nbest, path_text, require_items, require_list
from latticemetric.display.frames import by_label
from latticemetric.errors import FormatError, UsageError, placed, shortened
from latticemetric.formats.reading import entries
from latticemetric.formats.references import Reference, ReferenceFile, read_references, require_lines, texts_with_ids
from latticemetric.formats.registry import UnknownFormatError, sniff
from latticemetric.formats.streams.compression import is_tar
from latticemetric.formats.streams.stream import HEAD_SIZE, STANDARD_INPUT, is_kept, keep, open_stream, warn
from latticemetric.likeness import Names
from latticemetric.line_ids import Ids, Lines, LineStyle, are_positions, judge_by_names, judge_lines, listed_names
from latticemetric.vocabulary import Vocabulary, listed_words, split_words

Words = tuple[str, ...]

TEXT = "text"
"""The format name of outputs that are plain lines."""


class NamedOutput(NamedTuple):
    """The output of a system for one utterance: its name, whether the name is an id or a position, words or a graph."""

    name: str
    is_id: bool
    output: Any


class Utterance(NamedTuple):
    """The id of an utterance, and the output of each system by the system's name."""

    name: str
    outputs: Mapping[str, Any]


def named_systems(given: Any) -> dict[str, str | list[NamedOutput]]:
    """Return the file of each system, or its outputs in memory, by the name of the system.

    Systems are a mapping from names, or a list. In a list, a file is its name; others are named by their positions.
    """
    if isinstance(given, str | os.PathLike):
        given = [given]
    if not isinstance(given, Mapping):
        require_items(given, "systems")
    listed = list(given.items()) if isinstance(given, Mapping) else [(None, one) for one in given]
    found: dict[str, str | list[NamedOutput]] = {}
    for number, (name, one) in enumerate(listed, start=1):
        if name is not None and not isinstance(name, str):
            raise UsageError(f"the name {name!r} of a system is not a string", advice=f"give '{name}'")
        is_file = isinstance(one, str | os.PathLike)
        called = name or (path_text(one, "a file of a system") if is_file else str(number))
        if called in found:
            advice = "give each file once; to give a system more influence, raise its weight"
            raise UsageError("a file is given twice", advice=advice)
        found[called] = path_text(one, "a file of a system") if is_file else _in_memory(called, one)
    return found


def _in_memory(system: str, given: Any) -> list[NamedOutput]:
    """Return the outputs of a system: of a mapping or a series with ids as its labels by id, of a list by order."""
    with placed(f"system {shortened(system)}"):
        given = by_label(given, "outputs")
        if isinstance(given, Mapping):
            if wrong := [name for name in given if not isinstance(name, str)]:
                raise UsageError(f"the id {wrong[0]!r} is not a string", advice=f"give '{wrong[0]}'")
            return [NamedOutput(name, is_id=True, output=_output(one, system, name)) for name, one in given.items()]
        if is_nbest(given) or hasattr(given, "best_path"):
            advice = "give a list of its outputs for all utterances, or a dict by id; for one utterance, use combine"
            raise UsageError(f"this is one {type(given).__name__}", advice=advice)
        require_items(given, "outputs")
        return [
            NamedOutput(str(number), is_id=False, output=_output(one, system, str(number)))
            for number, one in enumerate(given, start=1)
        ]


def _output(given: Any, system: str, utterance: str) -> Any:
    """Return a graph unchanged, and a text as the list of its words."""
    with placed(f"system {shortened(system)}, utterance {shortened(utterance)}"):
        if is_missing(given):
            raise UsageError("it is missing", advice="give a text; an empty string has no words")
        is_graph = is_nbest(given) or hasattr(given, "best_path")
        return given if is_graph else list(listed_words(given, "an output"))


def read_systems(
    systems: Mapping[str, str | list[NamedOutput]],
    *,
    format: str | None = None,  # noqa: A002  as in `read`
    style: LineStyle = "auto",
    vocabulary: Vocabulary | None = None,
    lowercase: bool = False,
    ignore: Collection[str] = (),
    keep_marks: bool = False,
    beside: Sequence[str] = (),
) -> list[Utterance]:
    """Read the outputs of systems, if they are files: transcripts, CTMs, n-best lists or lattices; match utterances.

    Match utterances by id, or by order if a file has no ids. If each file has one utterance, ignore ids. A system has
    no words in an utterance that its file lacks; an empty file has no words in any utterance. Warnings tell of both.

    Args:
        systems: The file of each system, or its outputs, by name: see `named_systems`.
        format: The format of graphs, or `text` for lines of words; by default, detected from the content.
        style: `keyed` if lines of text begin with ids, `plain` if not; `auto` compares all files, see `judge_lines`. A
            warning tells if lines begin with ids.
        vocabulary: Maps word numbers of graphs to words.
        lowercase: True to write all words in lower case.
        ignore: Words to remove.
        keep_marks: True to read the sentence marks of a format as words.
        beside: Files of references, which show, too, whether lines begin with ids.
    """
    for given in systems.values():
        if isinstance(given, str):
            keep(given)  # its format is recognised before it is read
    reading: dict[str, Any] = {"vocabulary": vocabulary, "keep_marks": keep_marks}
    files = _outputs(systems, format, style=style, reading=reading, beside=beside)
    if lowercase or ignore:
        files = [_prepared(file, lowercase=lowercase, ignore=ignore) for file in files]
    for (name, given), file in zip(systems.items(), files, strict=True):
        if not file:
            empty = "the file is empty" if isinstance(given, str) else "there are no outputs"
            warn(name, f"{empty}, so this system has no words")
    return _paired(list(systems), files)


def _paired(paths: Sequence[str], files: Sequence[Sequence[NamedOutput]]) -> list[Utterance]:
    """Match the utterances of all files."""
    if not any(files):
        return [Utterance("1", dict.fromkeys(paths, ()))]
    counts = {len(file) for file in files if file}
    if counts == {1} and not all(one.is_id for file in files for one in file):
        files = [file or _numbered([[]]) for file in files]
    if {len(file) for file in files} == {1}:
        return [_only_utterance(paths, files)]
    if all(is_id for file in files for _, is_id, _ in file):
        return _matched(paths, files)
    if len({len(file) for file in files}) > 1:
        listed = ", ".join(f"{path} has {len(file)}" for path, file in zip(paths, files, strict=True))
        raise FormatError(
            f"the systems have different numbers of utterances: {listed}",
            advice="give the same utterances of each system, or give each utterance an id",
        )
    named = {path: [one.name for one in file] for path, file in zip(paths, files, strict=True) if file[0].is_id}
    for path, ids in named.items():
        if ids != (first := next(iter(named.values()))):
            at = next(number for number, both in enumerate(zip(ids, first, strict=True)) if both[0] != both[1])
            what = f"utterance {at + 1} is '{shortened(ids[at])}', but '{shortened(first[at])}' in {next(iter(named))}"
            raise FormatError(what, where=path, advice="give the same order, since another system has no ids")
    names = next((file for file in files if all(is_id for _, is_id, _ in file)), files[0])
    rows = zip(*files, strict=True)
    return [
        Utterance(name, {p: one[2] for p, one in zip(paths, row, strict=True)})
        for (name, _, _), row in zip(names, rows, strict=True)
    ]


def _only_utterance(paths: Sequence[str], files: Sequence[Sequence[NamedOutput]]) -> Utterance:
    """Return the only utterance of each file; warn if they have different ids."""
    ids = {file[0].name: path for path, file in zip(paths, files, strict=True) if file[0].is_id}
    if len(ids) > 1:
        (first, _), (other, path) = list(ids.items())[:2]
        warn(path, f"the only utterance is '{shortened(other)}', and combined with '{shortened(first)}' of other files")
    return Utterance(next(iter(ids), "1"), {p: file[0].output for p, file in zip(paths, files, strict=True)})


def _matched(paths: Sequence[str], files: Sequence[Sequence[NamedOutput]]) -> list[Utterance]:
    """Match utterances by id; where a file lacks an utterance, the system has no words.

    Raises:
        FormatError: A file has no utterance of the other files, or ids differ only in case.
    """
    tables = {path: {one.name: one.output for one in file} for path, file in zip(paths, files, strict=True)}
    names = list(dict.fromkeys(chain.from_iterable(tables.values())))
    for path, table in tables.items():
        others = dict.fromkeys(chain.from_iterable(other for name, other in tables.items() if name != path))
        lacking = [name for name in others if name not in table]
        if not table or not lacking:
            continue
        known = {name.casefold() for name in table}
        recased = [name for name in lacking if name.casefold() in known]
        if recased or len(lacking) == len(others):
            own = [name for name in table if name not in others]
            what = f"ids are not those of the other files: only here: {listed_names(own) or 'none'}; "
            what += f"only there: {listed_names(lacking)}{' (some differ only in case)' if recased else ''}"
            raise FormatError(what, where=path, advice="give the same utterances of each system")
        what = f"{len(lacking)} of {len(names)} utterances are not in this file, so this system has no words there"
        warn(path, f"{what}: {listed_names(lacking)}")
    return [Utterance(name, {path: table.get(name, ()) for path, table in tables.items()}) for name in names]


def _outputs(
    systems: Mapping[str, str | list[NamedOutput]],
    format_name: str | None,
    *,
    style: LineStyle,
    reading: Mapping[str, Any],
    beside: Sequence[str],
) -> list[list[NamedOutput]]:
    """Return the outputs of each system; `reading` are arguments of `entries`."""
    found: dict[str, list[NamedOutput]] = {}
    lines: dict[str, list[list[str]]] = {}
    for name, path in systems.items():
        if not isinstance(path, str):
            found[name] = path
        elif _is_silent(path):
            lines[name] = _empty_lines(path)
        elif format_name == TEXT or (format_name is None and _is_text(path, style)):
            texts = _texts(path)
            if isinstance(texts, ReferenceFile):
                found[name] = [NamedOutput(own, is_id=True, output=list(x.words)) for own, x in texts.keyed().items()]
            else:
                lines[name] = texts
        else:
            found[name] = list(_graphs(path, format_name, reading))
    spoken = {name: texts for name, texts in lines.items() if any(texts)}
    is_keyed = style == "keyed" or (style == "auto" and _are_keyed(spoken, found, beside))
    for name, texts in lines.items():
        found[name] = _keyed(name, texts) if is_keyed else _numbered(texts)
    return [found[name] for name in systems]


def _graphs(path: str, format_name: str | None, reading: Mapping[str, Any]) -> Iterator[NamedOutput]:
    for entry in entries([path], format_name, **reading):
        with placed(entry.place):
            yield NamedOutput(entry.name, entry.naming == "own", entry.build())


def _are_keyed(
    lines: Mapping[str, Sequence[Sequence[str]]], others: Mapping[str, Sequence[NamedOutput]], beside: Sequence[str]
) -> bool:
    """Decide whether lines of text begin with ids; warn if they do, or if it is not sure."""
    known = [
        Ids(path, [one.name for one in outputs]) for path, outputs in others.items() if outputs and outputs[0].is_id
    ]
    if not lines:
        return bool(known)  # files without words have the ids of others
    files = [Lines(path, texts) for path, texts in lines.items()]
    for path in beside:
        keep(path)
        reference = read_references(path)
        if not reference.has_ids:
            files.append(Lines(path, reference.lines))
        elif not any(one.segment for _, one in reference.named or ()):  # ids of an STM are not those of its channels
            known.append(Ids(path, reference.ids))
    verdict = judge_lines(files, known, may_lack=True)
    if verdict.note:
        warn(verdict.place, verdict.note)
    return verdict.keyed


def _prepared(file: list[NamedOutput], *, lowercase: bool, ignore: Collection[str]) -> list[NamedOutput]:
    # Import late: few combinations need these modules.
    from latticemetric.corpus.preparation import prepared_graph
    from latticemetric.metrics.preparation import Preparation

    preparation = Preparation(lowercase, ignore=frozenset(ignore))
    found = []
    for name, is_id, output in file:
        with placed(name):
            is_line = isinstance(output, list)
            prepared = preparation.listed(output) if is_line else prepared_graph(output, preparation)
        found.append(NamedOutput(name, is_id, prepared))
    return found


def _is_text(path: str, style: LineStyle) -> bool:
    """Return True if a file has no known format, so that it is read as lines of text.

    Outside of commands, standard input cannot be read twice, so the style decides: `keyed` means lines of text, others
    mean graphs.
    """
    if path == STANDARD_INPUT and not is_kept(path):
        return style == "keyed"
    try:
        with open_stream(path) as stream:
            if is_tar(stream.head()):
                return False
            sniff(stream)
    except UnknownFormatError:
        return True
    except IsADirectoryError:
        return False
    return False


def _is_silent(path: str) -> bool:
    """Check whether a file has nothing but empty lines and comments of NIST's formats."""
    if (path == STANDARD_INPUT and not is_kept(path)) or Path(path).is_dir():
        return False
    with open_stream(path) as stream:
        head = stream.head()
    return len(head) < HEAD_SIZE and all(line.startswith(b";;") or not line.strip() for line in head.splitlines())


def _empty_lines(path: str) -> list[list[str]]:
    """Return no words for each line of a file that has none; comments do not count."""
    with open_stream(path) as stream:
        return [[] for line in stream.lines() if not line.startswith(";;")]


def _texts(path: str) -> ReferenceFile | list[list[str]]:
    """Return the words of each line, or the texts of JSON lines, which have ids."""
    with open_stream(path) as stream:
        if (texts := texts_with_ids(stream)) is not None:
            return texts
        require_lines(stream)
        return [split_words(line) for line in stream.lines()]


def _numbered(lines: Iterable[list[str]]) -> list[NamedOutput]:
    return [NamedOutput(str(number), is_id=False, output=words) for number, words in enumerate(lines, start=1)]


def _keyed(path: str, lines: Sequence[list[str]]) -> list[NamedOutput]:
    found = {words[0]: words[1:] for words in lines if words}
    if len(found) < sum(map(bool, lines)):
        raise FormatError(
            "two lines begin with the same id", where=path, advice='if these are not ids, use style="plain"'
        )
    return [NamedOutput(name, is_id=True, output=words) for name, words in found.items()]


def references_of(
    path: str,
    names: Sequence[str],
    *,
    lowercase: bool = False,
    ignore: Collection[str] = (),
    style: LineStyle = "auto",
) -> list[Words]:
    """Return the reference of each utterance, matched by id, by the `file,channel` of an STM file, or by order.

    Utterances without ids have numbers as names. Ids of a single utterance are ignored. A warning says if an STM file
    leaves out segments, since channels are scored whole.

    Args:
        path: The file of the references.
        names: The names of the utterances.
        lowercase: True to write all words in lower case.
        ignore: Words to remove.
        style: `plain` if lines of text do not begin with ids, whatever they look like.
    """
    from latticemetric.metrics.preparation import Preparation

    keep(path)  # it is read again if it may have segments that are not scored
    file = read_references(path)
    table = None if style == "plain" and not file.has_ids else _keyed_references(file, names)
    listed = file.plain() if table is None else [table[name] for name in names]
    if table is not None:
        _warn_of_others(path, [name for name in table if name not in set(names)])
    if len(listed) != len(names):
        what = f"there are {len(names)} utterances, and {len(listed)} references"
        raise FormatError(
            what, where=path, advice="give one reference per utterance, in the same order or with the id first"
        )
    for reference in listed:
        if reference.graph is not None:
            raise FormatError(
                "the reference has alternatives", where=reference.where, advice="keep one of the alternatives"
            )
    preparation = Preparation(lowercase, ignore=frozenset(ignore))
    return [tuple(preparation.listed(reference.words)) for reference in listed]


def given_references(
    given: Any, names: Sequence[str], *, lowercase: bool = False, ignore: Collection[str] = ()
) -> list[Words]:
    """Return the reference of each utterance, from references in memory: a mapping by id, or a list by order."""
    from latticemetric.metrics.preparation import Preparation

    given = by_label(given, "references")
    if isinstance(given, Mapping):
        table = dict(zip(names, given.values(), strict=True)) if len(given) == len(names) == 1 else given
        if lacking := [name for name in names if name not in table]:
            advice = Names(map(str, table)).advice_for(lacking[0])
            what = f"there is no reference for '{shortened(lacking[0])}'"
            raise UsageError(what, advice=advice or "give each reference the id of its utterance")
        _warn_of_others("references", [str(name) for name in table if name not in set(names)])
        listed = [table[name] for name in names]
    else:
        require_list(given, "references")
        listed = list(given)
        if len(listed) != len(names):
            what = f"there are {len(names)} utterances, and {len(listed)} references"
            raise UsageError(what, advice="give one reference per utterance, in the same order, or a dict by id")
    preparation = Preparation(lowercase, ignore=frozenset(ignore))
    found = []
    for name, one in zip(names, listed, strict=True):
        with placed(f"the reference of {shortened(name)}"):
            found.append(tuple(preparation.listed(list(listed_words(one, "a reference")))))
    return found


def _warn_of_others(where: str, names: Sequence[str]) -> None:
    """Warn of references whose utterances no system has: nobody's words in them are counted as deleted."""
    if names:
        what = "1 reference is" if len(names) == 1 else f"{len(names)} references are"
        warn(where, f"{what} of utterances that no system has, and not scored: {listed_names(names)}")


def _keyed_references(file: ReferenceFile, names: Sequence[str]) -> Mapping[str, Reference] | None:
    """Return the references by id, or by `file,channel`; `None` if they are matched by order.

    Raises:
        FormatError: There is no reference for an id, but references have ids, or begin with other ids of utterances.
    """
    if list(names) == ["1"] and not file.has_ids:
        return None  # a text without an id, though its reference may begin with this number
    if file.ids >= set(names):
        return file.keyed()
    joined = _joined_channels(file) if file.has_ids else {}
    if joined.keys() >= set(names):
        _warn_of_ignored(file.name, set(names))
        return joined
    has_ids = len(names) > 1 and not are_positions(names)
    if not file.has_ids:
        judge_by_names(Lines(file.name, file.lines), names if has_ids else (), "the systems")
    elif has_ids:
        lacking = [name for name in names if name not in file.ids | joined.keys()]
        what = f"there is no reference for '{shortened(lacking[0])}'"
        advice = Names(file.ids | joined.keys()).advice_for(lacking[0])
        raise FormatError(what, where=file.name, advice=advice or "give each reference the id of its utterance")
    return None


def _joined_channels(file: ReferenceFile) -> dict[str, Reference]:
    """Return the words of the segments of each channel, by `file,channel`; with a graph if a segment has one."""
    segments: dict[str, list[Reference]] = {}
    for name, reference in file.keyed().items():
        channel = name if reference.segment is None else reference.segment.channel_name
        segments.setdefault(channel, []).append(reference)
    joined = {}
    for channel, several in segments.items():
        first = next((reference for reference in several if reference.graph is not None), several[0])
        joined[channel] = first._replace(words=tuple(chain.from_iterable(one.words for one in several)))
    return joined


def _warn_of_ignored(path: str, channels: AbstractSet[str]) -> None:
    """Warn if an STM file leaves out segments of some channels: the words of systems in them cannot be left out."""
    from latticemetric.formats.nist.transcripts import ignored_segments

    with open_stream(path) as stream:
        ignored = [one for one in ignored_segments(stream) if one.segment and one.segment.channel_name in channels]
    if ignored:
        advice = "write the combination as a CTM, and score it and the systems with latticemetric score"
        warn(ignored[0].where, f"words of systems in segments that are not scored count as insertions; {advice}")
