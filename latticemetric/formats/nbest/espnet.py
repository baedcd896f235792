"""Read n-best lists of ESPnet2: a folder `{n}best_recog` for each rank, with the files `text`, `token` and `score`.

`s2t_inference` also writes `text_nospecial`, without marks of language, task and time: then these are the words.
These folders are in one folder, or in one folder per job. Lines are `utt value`. Scores are natural log probabilities,
as plain numbers or as PyTorch prints a tensor. All files of a job are open together, and one utterance at a time is
read from all of them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, NoReturn

from latticemetric.errors import FormatError, shortened
from latticemetric.formats.columns import read_cost
from latticemetric.formats.registry import Entry, Format, register
from latticemetric.formats.streams.compression import COMPRESSED_SUFFIXES
from latticemetric.formats.streams.paths import natural_order
from latticemetric.formats.streams.stream import Stream, open_stream
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.vocabulary import Vocabulary, split_words

_NAME = "espnet-nbest"
_FIRST = "1best_recog"
_BEST = re.compile(r"([1-9][0-9]{0,5})best_recog")
_JOB = re.compile(r"output\.[0-9]+")
_TENSOR = re.compile(r"tensor\(([^(),]*)(?:,[^()]*)?\)")
_SCORE = "score"
_TEXTS = ("text_nospecial", "text", "token")  # the first that exists has the words


class _Row(NamedTuple):
    key: str
    value: str
    place: str


def _jobs(folder: Path) -> list[Path]:
    """Return the folder itself if it has hypotheses; otherwise, return its folders of jobs with hypotheses."""
    if (folder / _FIRST).is_dir():
        return [folder]
    jobs = (child for child in folder.iterdir() if _JOB.fullmatch(child.name) and (child / _FIRST).is_dir())
    return sorted(jobs, key=lambda job: natural_order(job.name))


def _files(folder: Path) -> Iterator[Path]:
    for job in _jobs(folder):
        for rank in _ranks(job):
            yield from filter(None, (_file(rank, name) for name in (*_TEXTS, _SCORE)))


def _read_folder(folder: Path, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    for job in _jobs(folder):
        with contextlib.ExitStack() as stack:
            tables = [_opened(rank, stack) for rank in _ranks(job)]
            while (first := tables[0][0].row) is not None:
                rows = []
                for texts, scores in tables:
                    if (text := texts.take(first.key)) is not None:
                        score = None if scores is None else scores.take(first.key)
                        if scores is not None and score is None:
                            _refuse_order(scores.row or text)
                        rows.append((text, score))
                yield Entry(first.key, first.place, partial(_build, rows), naming="own")
            for rows_left in (file for table in tables for file in table):
                if rows_left is not None and rows_left.row is not None:
                    _refuse_order(rows_left.row)


def _ranks(job: Path) -> list[Path]:
    """Return the folders `1best_recog`, `2best_recog` and so on of a job, in this order."""
    ranks = {int(match[1]): child for child in job.iterdir() if (match := _BEST.fullmatch(child.name))}
    for rank in range(1, len(ranks) + 1):
        if rank not in ranks:
            what = f"the folder has {max(ranks)}best_recog, but no {rank}best_recog"
            raise FormatError(
                what, where=str(job), advice="add the missing folder, or remove the folders of later ranks"
            )
    return [ranks[rank] for rank in sorted(ranks)]


class _Rows:
    """The lines of one file; `row` is the next line."""

    def __init__(self, path: Path, stack: contextlib.ExitStack) -> None:
        self._stream = stack.enter_context(open_stream(str(path)))
        self._lines = self._stream.lines()
        self.row = self._next()

    def _next(self) -> _Row | None:
        for line in self._lines:
            if line.strip():
                if line[0].isspace():
                    where = self._stream.place()
                    raise FormatError("the line does not begin with the id of an utterance", where=where)
                key = split_words(line)[0]
                return _Row(key, line[len(key) :], self._stream.place())
        return None

    def take(self, key: str) -> _Row | None:
        """Return the next line if it has this key, otherwise `None`."""
        row = self.row
        if row is None or row.key != key:
            return None
        self.row = self._next()
        return row


def _opened(folder: Path, stack: contextlib.ExitStack) -> tuple[_Rows, _Rows | None]:
    """Open the texts of a folder `{n}best_recog`, and its scores; return `None` for missing scores."""
    texts = next(filter(None, (_file(folder, name) for name in _TEXTS)), None)
    if texts is None:
        raise FormatError("the folder has no file 'text' and no file 'token'", where=str(folder))
    scores = _file(folder, _SCORE)
    return _Rows(texts, stack), None if scores is None else _Rows(scores, stack)


def _refuse_order(row: _Row) -> NoReturn:
    raise FormatError(
        f"another file of the folder does not have '{shortened(row.key, 40)}', or has it at another position",
        where=row.place,
        advice="sort all files of the folder in the same order (LC_ALL=C sort)",
    )


def _file(folder: Path, name: str) -> Path | None:
    candidates = (folder / (name + suffix) for suffix in ("", *COMPRESSED_SUFFIXES))
    return next((path for path in candidates if path.is_file()), None)


def _build(rows: list[tuple[_Row, _Row | None]]) -> NBest:
    hypotheses = []
    for text, score in rows:
        costs = {}
        if score is not None:
            value = score.value.strip()
            tensor = _TENSOR.fullmatch(value)
            costs = {_SCORE: read_cost(tensor[1] if tensor else value, score.place)}
        hypotheses.append(Hypothesis(tuple(split_words(text.value)), costs))
    return NBest(tuple(hypotheses), {_SCORE: 1.0} if any(h.scores for h in hypotheses) else {})


def _read_file(stream: Stream, _vocabulary: Vocabulary | None) -> Iterator[Entry]:
    what = f"{_NAME} needs a folder with {_FIRST}/, but this is a file"
    raise FormatError(what, where=stream.name, advice="name the folder")


register(
    Format(
        _NAME,
        (),
        lambda _head: False,
        _read_file,
        claims_folder=lambda folder: bool(_jobs(folder)),
        read_folder=_read_folder,
        folder_files=_files,
    )
)
