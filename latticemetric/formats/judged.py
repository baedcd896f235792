"""Read test sets with human scores: outputs of several systems and human judgments, in one of four layouts.

The layouts: a folder of plain files (`systems/`, references, `human.tsv`); one table with one row per system, segment
and judge; folders of WMT; folders of mt-metrics-eval.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.campaigns import (
    MQM,
    NO_TRANSLATION,
    CampaignFolder,
    by_system,
    campaign_folder,
    is_campaign_folder,
    is_mqm,
    read_documents,
    read_mqm,
    read_ratings,
    read_score_lines,
    read_texts,
)
from latticemetric.formats.segments import read_segments
from latticemetric.formats.streams.compression import without_compression
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream
from latticemetric.formats.text.fields import is_number
from latticemetric.formats.wmt import is_wmt_folder, read_wmt_ranking, wmt_files, wmt_pairs
from latticemetric.judgments import WHOLE_SYSTEM, Judgments
from latticemetric.line_ids import LineStyle


@dataclass(frozen=True)
class JudgedSystems:
    """A test set with outputs, references and human scores.

    Attributes:
        systems: Names of the systems.
        segments: Ids of the segments.
        outputs: For each system, one text per segment.
        references: The references of each segment.
        judgments: The human scores.
        raw: True if texts are untokenized, like those of WMT.
        notes: Notes on omitted data, with reasons.
        target: The code of the target language, such as `de`; `None` if unknown.
        standard: The column of human scores to use if the user names none; `None` to use all columns.
        documents: The document of each segment; `None` if unknown.
        domains: The domain of each segment; `None` if unknown.
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    outputs: tuple[tuple[str, ...], ...]
    references: tuple[tuple[str, ...], ...]
    judgments: Judgments
    raw: bool = False
    notes: tuple[str, ...] = ()
    target: str | None = None
    standard: str | None = None
    documents: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None

    def without(self, names: Collection[str]) -> JudgedSystems:
        """Return the test set without the systems in `names`.

        Raises:
            UsageError: A name is unknown, or no system is left.
        """
        unknown = [name for name in names if name not in self.systems]
        kept = [k for k, name in enumerate(self.systems) if name not in names]
        if unknown or not kept:
            what = f"there is no system '{unknown[0]}'" if unknown else "no system is left"
            raise UsageError(what, advice=f"the systems are {', '.join(self.systems)}")
        number = np.full(len(self.systems), -1)
        number[kept] = np.arange(len(kept))
        old = self.judgments
        rows = number[old.system] >= 0
        systems = tuple(self.systems[k] for k in kept)
        judgments = replace(
            old,
            systems=systems,
            system=number[old.system][rows],
            segment=old.segment[rows],
            judge=old.judge[rows],
            scores=old.scores[rows],
        )
        return replace(self, systems=systems, outputs=tuple(self.outputs[k] for k in kept), judgments=judgments)


_Row = tuple[str, dict[str, str]]
"""The place of a table's row, and its fields by column name."""


class JudgmentRows:
    """Collects human scores of systems and segments while a file is read; `columns` are the names of the scores."""

    def __init__(self, systems: Sequence[str], segments: Sequence[str], columns: Sequence[str]) -> None:
        self.systems, self.segments, self.columns = systems, segments, columns
        self._system = {name: k for k, name in enumerate(systems)}
        self._segment = {name: k for k, name in enumerate(segments)}
        self._rows: list[tuple[int, int, int, Sequence[float]]] = []
        self._judges: dict[str, int] = {}
        self._unknown_systems: Counter[str] = Counter()

    def add(self, system: str, segment: str, judge: str, scores: Sequence[float], place: str) -> None:
        """Add the scores of a segment or, if `segment` is empty, of a whole system."""
        if segment and segment not in self._segment:
            raise FormatError(
                f"there is no segment '{segment}'",
                where=place,
                advice=f"the first segment is {self.segments[0]}, the last is {self.segments[-1]}",
            )
        if system not in self._system:
            self._unknown_systems[system] += 1
            return
        number = self._segment[segment] if segment else WHOLE_SYSTEM
        self._rows.append((self._system[system], number, self._judges.setdefault(judge, len(self._judges)), scores))

    def add_table(self, rows: Iterable[_Row]) -> None:
        """Add the rows of a table."""
        for place, row in rows:
            scores = [_number(row[name], name, place) for name in self.columns]
            self.add(row["system"], row.get("segment", ""), row.get("judge", ""), scores, place)

    def judgments(self, place: str) -> Judgments:
        """Return the collected scores as arrays; `place` names the file in errors."""
        if not self._rows:
            raise FormatError(
                "no human score belongs to a system with outputs",
                where=place,
                advice=f"use these names of systems: {', '.join(self.systems)}",
            )
        system, segment, judge, scores = zip(*self._rows, strict=True)
        return Judgments(
            tuple(self.systems),
            len(self.segments),
            tuple(self._judges),
            tuple(self.columns),
            np.array(system, dtype=np.int64),
            np.array(segment, dtype=np.int64),
            np.array(judge, dtype=np.int64),
            np.array(scores, dtype=np.float64).reshape(len(system), len(self.columns)),
        )

    def notes(self) -> tuple[str, ...]:
        """Return a note for each system with human scores but without output."""
        return tuple(
            f"{name}: left out, since there is no output (judged {number} {'time' if number == 1 else 'times'})"
            for name, number in self._unknown_systems.items()
        )


def read_judged(
    path: str,
    *,
    pair: str | None = None,
    references: Sequence[str] = (),
    human: str | None = None,
    with_people: bool = False,
) -> JudgedSystems:
    """Read outputs, references and human scores.

    Args:
        path: One table with everything, a folder of plain files, or a folder of WMT or mt-metrics-eval.
        pair: The language pair, such as `cs-en`; required if a folder has several.
        references: Files to read instead of the folder's references. In folders of mt-metrics-eval also names of
            references, such as `refA`.
        human: A table to read instead of the folder's judgments.
        with_people: In folders of mt-metrics-eval, also score human translations, unless they are references.

    Raises:
        InputError: The file or folder does not exist, or is not complete.
        UsageError: An option does not apply to this layout.
    """
    folder = Path(path)
    if not folder.is_dir():
        if not folder.exists() and path != "-":
            raise InputError("there is no such file or folder", where=path, advice="check the path")
        for option, given in (("pair", pair), ("reference", references), ("human", human)):
            if given:
                raise UsageError(f"{option}=… needs a folder, but this is a file", where=path, advice="leave it out")
        return _read_long_table(path)
    if is_campaign_folder(folder):
        return _read_campaign(folder, pair, references, human, with_people=with_people)
    return _read_other_folder(folder, pair, references, human, with_people=with_people)


def _read_other_folder(
    folder: Path, pair: str | None, references: Sequence[str], human: str | None, *, with_people: bool
) -> JudgedSystems:
    """Read a folder of WMT or of plain files."""
    if with_people:
        raise UsageError(
            "with_people=True needs a folder of mt-metrics-eval, which marks human translations", advice="leave it out"
        )
    if any((folder / name).is_file() for name in (_SYSTEM_SCORES, _SEGMENT_SCORES)):
        return _read_direct_assessment(folder, pair, references, human)
    if is_wmt_folder(folder):
        return _read_wmt(folder, pair, references, human)
    if pair is not None:
        what = "pair=… is for folders of WMT or mt-metrics-eval with several language pairs"
        raise UsageError(what, where=str(folder), advice="leave it out")
    if any(folder.glob(_RANKINGS)):
        return _read_ranking(folder, references, human)
    return _read_plain_folder(folder, references, human)


# ---- Folders: outputs of systems, references, and judgments (in the folder, or in a table that the user names) ----


_UNEQUAL = "line k of each file belongs to segment k"


def _read_outputs(
    systems: Sequence[str],
    outputs: Sequence[str],
    references: Sequence[str],
    table: str | None,
    add_scores: Callable[[JudgmentRows], str] | None = None,
    *,
    columns: Sequence[str] = ("score",),
    style: LineStyle = "plain",
    lines_of: Callable[[str], list[str]] | None = None,
) -> JudgedSystems:
    """Read the files of systems and references, and the human scores.

    Scores come from a table. It has the column `system`, columns of scores, and perhaps the columns `segment` and
    `judge`. Without a table, `add_scores` adds the scores of a folder of WMT or mt-metrics-eval. It returns a path for
    error messages.
    """
    by_system(systems, outputs)
    read = read_segments([*outputs, *references], style=style, unequal=_UNEQUAL, lines_of=lines_of)
    files = [tuple(map(str, file)) for file in read.files]  # `read_segments` returns texts only
    if table:
        rows = _judgment_table(table, systems, read.ids)
        place = table
    else:
        assert add_scores is not None
        rows = JudgmentRows(systems, read.ids, columns)
        place = add_scores(rows)
    return JudgedSystems(
        tuple(systems),
        read.ids,
        tuple(files[: len(outputs)]),
        tuple(zip(*files[len(outputs) :], strict=True)),
        rows.judgments(place),
        raw=add_scores is not None,
        notes=rows.notes(),
    )


def _judgment_table(table: str, systems: Sequence[str], segments: Sequence[str]) -> JudgmentRows:
    """Read a table of scores (one row per system, segment and judge), of MQM annotations, or of their averages."""
    header = ""
    if table != STANDARD_INPUT:  # standard input can be read only once
        with open_stream(table) as stream:
            header = next(stream.lines(), "")
    if is_mqm(header.split("\t" if "\t" in header else None)):
        rows = JudgmentRows(systems, segments, (MQM,))
        for place, system, segment, rater, score in read_mqm(table):
            rows.add(system, segment, rater, [score], place)
        return rows
    listed = list(_read_rows(table, ("system",)))
    rows = JudgmentRows(systems, segments, _score_columns(listed, _IDS, table))
    rows.add_table(listed)
    return rows


# ---- A folder of plain files: `systems/` (one file per system), references, and `human.tsv` ----

_SUFFIXES = (".txt", ".tok")
_IDS = ("system", "segment", "judge")
_LAYOUT = "a folder has systems/ (one file per system), references/ or ref* (one file per reference), and human.tsv"


def _read_plain_folder(folder: Path, references: Sequence[str], human: str | None) -> JudgedSystems:
    outputs = _files_in(folder / "systems")
    systems = [without_compression(Path(path).name) for path in outputs]
    for suffix in _SUFFIXES:
        systems = [name.removesuffix(suffix) for name in systems]
    if not human:
        tables = [path for path in sorted(folder.glob("human.tsv*")) if without_compression(path.name) == "human.tsv"]
        if not tables:
            raise FormatError("there is no human.tsv", where=str(folder), advice=_LAYOUT)
        human = str(tables[0])
    return _read_outputs(systems, outputs, references or _reference_files(folder), human, style="auto")


def _files_in(folder: Path) -> list[str]:
    """Return the files of a folder, sorted by name; refuse an empty folder."""
    entries = folder.iterdir() if folder.is_dir() else ()
    files = [str(path) for path in entries if path.is_file() and not path.name.startswith(".")]
    if not files:
        raise FormatError("there is no such folder, or it has no files", where=str(folder), advice=_LAYOUT)
    return sorted(files, key=natural_order)


def _reference_files(folder: Path) -> list[str]:
    """Return the files in `references/` or, without that folder, the files whose names begin with ref."""
    if (folder / "references").is_dir():
        return _files_in(folder / "references")
    files = [str(path) for path in folder.glob("ref*") if path.is_file()]
    if not files:
        raise FormatError("there are no references", where=str(folder), advice=_LAYOUT)
    return sorted(files, key=natural_order)


# ---- WMT's folders: direct assessment of 2017, rankings of later years; texts are raw ----
#
# `DA-syslevel.csv` and `DA-seglevel.csv` have a header and separate fields by blanks. Segment `SID` is a line number
# from 1; a system `a+b` means systems with the same output, which were judged as one.
# `ad-sys-ranking-….csv` has no header: mean score, mean of standardised scores, two counts, SYSTEM.NUMBER.

_SYSTEM_SCORES, _SEGMENT_SCORES = "DA-syslevel.csv", "DA-seglevel.csv"
_RANKINGS = "ad-sys-ranking*.csv"
_SCORE = "score"


def _read_direct_assessment(
    folder: Path, pair: str | None, references: Sequence[str], human: str | None
) -> JudgedSystems:
    """Read the systems of one language pair: `system-outputs/cs-en/…`, `references/…csen…`, and the scores."""
    pair = language_pair(folder, pair)
    outputs = _files_in(folder / "system-outputs" / pair)
    # newstest2017.SYSTEM.cs-en
    systems = [Path(path).name.partition(".")[2].removesuffix(f".{pair}") for path in outputs]

    def add_scores(rows: JudgmentRows) -> str:
        for path in (folder / _SYSTEM_SCORES, folder / _SEGMENT_SCORES):
            for place, row in _read_rows(str(path), ("LP", "SYSTEM", "HUMAN"), None) if path.is_file() else ():
                if row["LP"] == pair:
                    score = _number(row["HUMAN"], "HUMAN", place)
                    for system in row["SYSTEM"].split("+"):
                        rows.add(system, row.get("SID", ""), "", [score], place)
        return str(folder)

    if not references:
        wanted = f"-{pair.replace('-', '')}-"
        references = [path for path in _reference_files(folder) if wanted in Path(path).name]
        if not references:
            raise FormatError(
                f"there is no reference for {pair}",
                where=str(folder / "references"),
                advice=f"add a file whose name contains {wanted}",
            )
    found = _read_outputs(systems, outputs, references, human, add_scores)
    return replace(found, target=pair.partition("-")[2] or None)


def _read_campaign(
    folder: Path, pair: str | None, references: Sequence[str], human: str | None, *, with_people: bool
) -> JudgedSystems:
    """Read a language pair of a folder of mt-metrics-eval."""
    files = campaign_folder(folder, language_pair(folder, pair))
    named = [files.references.get(name, name) for name in references or files.references]
    # Leave out human translations that are also references: each would be compared with itself.
    people = [name for name in files.outputs if name in files.references]
    omitted = [name for name in people if not with_people or files.references[name] in named]
    systems = [name for name in files.outputs if name not in omitted]

    def add_scores(rows: JudgmentRows) -> str:
        for place, system, segment, rater, column, score in _campaign_scores(files, rows.segments):
            if score is not None and system not in omitted:
                scores = [score if name == column else math.nan for name in rows.columns]
                rows.add(system, segment, rater, scores, place)
        return str(folder)

    outputs = [files.outputs[name] for name in systems]
    found = _read_outputs(systems, outputs, named, human, add_scores, columns=files.kinds, lines_of=read_texts)
    lacking = [name for name, texts in zip(found.systems, found.outputs, strict=True) if NO_TRANSLATION in texts]
    if lacking and len(lacking) < len(found.systems):
        found = found.without(lacking)
    why = "used as a reference" if with_people else "use with_people=True to score those that are not references"
    notes = [f"{name}: left out, since it is a human translation ({why})" for name in omitted]
    notes += [f"{name}: left out, since some segments have no translation" for name in lacking]
    notes += [f"{kind}: left out, since it has no scores of segments or systems" for kind in files.unused]
    domains, documents = read_documents(files.documents) if files.documents else (None, None)
    if documents is not None and len(documents) != len(found.segments):
        raise FormatError(
            f"the file of documents has {len(documents)} lines for {len(found.segments)} segments",
            where=str(files.documents),
            advice="give one line per segment",
        )
    return replace(
        found,
        notes=(*notes, *found.notes),
        target=files.pair.partition("-")[2] or None,
        standard=None if human else files.kinds[0],
        documents=documents,
        domains=domains,
    )


def _campaign_scores(
    files: CampaignFolder, segments: Sequence[str]
) -> Iterator[tuple[str, str, str, str, str, float | None]]:
    """Yield the place, system, segment (empty for a whole system), rater, kind and value of each human score."""
    of_ratings = {path: kind for kind, paths in files.ratings.items() for path in paths}
    of_scores = {path: name for name, path in files.scores.items()}
    for path, (kind, level) in {**of_scores, **{path: (kind, "seg") for path, kind in of_ratings.items()}}.items():
        turns: Counter[str] = Counter()
        plain = ((place, system, "", score) for place, system, score in read_score_lines(path))
        for place, system, rater, score in read_ratings(path) if path in of_ratings else plain:
            turns[system] += 1
            if turns[system] > (len(segments) if level == "seg" else 1):
                number, unit = (f"more than {len(segments)}", "segment") if level == "seg" else ("two", "system")
                what = f"{shortened(system)} has {number} scores"
                raise FormatError(what, where=place, advice=f"give one line per {unit}")
            yield place, system, segments[turns[system] - 1] if level == "seg" else "", rater, kind, score
        for system, turn in turns.items():
            if level == "seg" and turn < len(segments):  # without one line, later scores would move up a segment
                number = f"{turn} score{'' if turn == 1 else 's'}"
                what = f"{shortened(system)} has {number}, but the test set has {len(segments)} segments"
                raise FormatError(what, where=path, advice="give one line per segment: its score, or None")


def language_pairs(folder: str) -> list[str]:
    """Return the language pairs of a folder of WMT or mt-metrics-eval."""
    if is_wmt_folder(Path(folder)):
        return wmt_pairs(Path(folder))
    outputs = Path(folder) / "system-outputs"
    pairs = sorted(path.name for path in outputs.iterdir() if path.is_dir()) if outputs.is_dir() else []
    if not pairs:
        raise FormatError(
            "there are no outputs", where=str(outputs), advice="make one folder per language pair, with its outputs"
        )
    return pairs


def language_pair(folder: Path, pair: str | None) -> str:
    """Return `pair` if the folder has it, or the folder's only pair if `pair` is `None`; otherwise raise an error."""
    pairs = language_pairs(str(folder))
    if pair is None and len(pairs) == 1:
        return pairs[0]
    if pair not in pairs:
        what = "there are several language pairs" if pair is None else f"there is no language pair '{pair}'"
        raise FormatError(what, where=str(folder), advice=f"choose with pair=…: {', '.join(pairs)}")
    return pair


def _read_wmt(folder: Path, pair: str | None, references: Sequence[str], human: str | None) -> JudgedSystems:
    """Read a language pair of a folder with `txt/` and `humaneval/`."""
    pair = language_pair(folder, pair)
    files = wmt_files(folder, pair)
    ranking = files.ranking
    if not human and not ranking:
        advice = f"name a table with human=…, or add humaneval/ad-sys-ranking-{pair}-z.csv"
        raise FormatError(f"there are no human scores for {pair}", where=str(folder), advice=advice)

    def add_scores(rows: JudgmentRows) -> str:
        for place, system, score in read_wmt_ranking(str(ranking)):
            rows.add(system, "", "", [score], place)
        return str(ranking)

    named = [files.references.get(name, name) for name in references or files.references]
    found = _read_outputs(list(files.outputs), list(files.outputs.values()), named, human, add_scores)
    return replace(found, target=pair.partition("-")[2] or None)


def _read_ranking(folder: Path, references: Sequence[str], human: str | None) -> JudgedSystems:
    """Read a folder with `sys/…`, `ref.A.en`, … and a ranking by standardised scores."""
    outputs = _files_in(folder / "sys")
    systems = [Path(path).name for path in outputs]

    def add_scores(rows: JudgmentRows) -> str:
        path = str(min(folder.glob(_RANKINGS)))
        for place, system, score in read_wmt_ranking(path):
            rows.add(system, "", "", [score], place)
        return path

    return _read_outputs(systems, outputs, references or _reference_files(folder), human, add_scores)


# ---- One table with everything: one row per system, segment and judge ----

_TEXT = "hypothesis"
_REFERENCE = "reference"

T = TypeVar("T")


def _read_long_table(path: str) -> JudgedSystems:
    """Read a table: `system`, `segment`, `hypothesis`, `reference…`, optionally `judge`, and score columns."""
    listed = list(_read_rows(path, ("system", "segment", _TEXT, _REFERENCE)))
    references = [name for name in (listed[0][1] if listed else ()) if name.startswith(_REFERENCE)]
    columns = _score_columns(listed, (*_IDS, _TEXT, *references), path)
    outputs: dict[str, dict[str, str]] = {}
    expected: dict[str, tuple[str, ...]] = {}
    for place, row in listed:
        system, segment = row["system"], row["segment"]
        if not segment:
            raise FormatError("the row has no segment", where=place, advice="give the id of the segment")
        _require_same(outputs.setdefault(system, {}), segment, row[_TEXT], f"the output of {system}", place)
        _require_same(expected, segment, tuple(row[name] for name in references), "the reference", place)
    for system, own in outputs.items():
        if lacking := [segment for segment in expected if segment not in own]:
            raise FormatError(
                f"system {system} has {len(own)} segments of {len(expected)}: '{shortened(lacking[0])}' is missing",
                where=path,
                advice="add one row per segment; scores may be empty",
            )
    judged = JudgmentRows(list(outputs), list(expected), columns)
    judged.add_table(listed)
    texts = tuple(tuple(own[segment] for segment in expected) for own in outputs.values())
    return JudgedSystems(tuple(outputs), tuple(expected), texts, tuple(expected.values()), judged.judgments(path))


def _require_same(known: dict[str, T], segment: str, value: T, what: str, place: str) -> None:
    if known.setdefault(segment, value) != value:
        raise FormatError(
            f"{what} for segment '{shortened(segment)}' differs from a row above",
            where=place,
            advice="repeat it in every row of the segment",
        )


# ---- Tables with a header: fields separated by tabs or by white space, without quotes ----


def _read_rows(path: str, needed: Sequence[str], separator: str | None = "\t") -> Iterator[_Row]:
    """Yield the rows of a table that has at least the columns `needed`; a separator of `None` means white space."""
    with open_stream(path) as stream:
        lines = stream.lines()
        first = next(lines, None)
        if first is None:
            raise FormatError("the table is empty", where=path, advice=f"its header needs {', '.join(needed)}")
        header = first.split(separator)
        if missing := [name for name in needed if name not in header]:
            what = f"the header has no column '{missing[0]}'"
            raise FormatError(what, where=stream.place(), advice=f"its columns are {', '.join(header)}")
        if twice := [name for k, name in enumerate(header) if name in header[:k]]:
            raise FormatError(f"two columns have the name '{twice[0]}'", where=stream.place(), advice="rename one")
        for line in lines:
            if not line.strip():
                continue
            fields = line.split(separator)
            if len(fields) != len(header):
                raise FormatError(
                    f"the row has {len(fields)} fields, but the header has {len(header)}",
                    where=stream.place(),
                    advice="separate fields by one tab" if separator else "remove white space inside fields",
                )
            yield stream.place(), dict(zip(header, fields, strict=True))


def _number(field: str, column: str, place: str) -> float:
    """Read a score; return NaN if the field is empty or NA."""
    text = field.strip()
    if text in {"", "NA"}:
        return math.nan
    if not is_number(text):
        raise FormatError(
            f"{column} is '{shortened(text)}', which is not a number",
            where=place,
            advice="leave the field empty if there is no score",
        )
    return float(text)


def _score_columns(rows: Sequence[_Row], others: Sequence[str], path: str) -> list[str]:
    """Return the columns of scores: those that are not in `others`. Refuse a table without scores or without rows."""
    if not rows:
        raise FormatError("the table has no rows", where=path)
    columns = [name for name in rows[0][1] if name not in others]
    if not columns:
        raise FormatError("the table has no column of scores", where=path, advice="add one, such as 'score'")
    return columns
