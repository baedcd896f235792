"""Answers kept on disk as they come: what a run that was killed had done is not done again.

A journal is a line of JSON that tells whose it is, and a record an answer: its length, a checksum, the answer as plain
data (see `plain`). Each record is handed to the system as soon as it is known, so that it outlives the process; a
record that was cut short is the last one, and is cut off. The run that goes on says everything again from its
beginning, in the same words, with the answers of the journal: what it writes cannot differ.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import stat
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from latticemetric.errors import InputError, LatticeMetricError, UsageError, shortened
from latticemetric.parallel.plain import NotPlainError, PlainData

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Fingerprint = dict[str, Any]

_RECORD = struct.Struct("<QI")
_SYNC_SECONDS = 10.0
_FORMAT = 2
# What a journal begins with is read whole: it lists the files of a run, a hundred bytes each.
_LONGEST_HEAD = 2**28
_BEGIN_AGAIN = "remove it to begin again"
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Journal:
    """The journal of one run; nobody else may have it meanwhile.

    Args:
        path: Where it is, or will be.
        fingerprint: What tells one run from another: plain values, for JSON.

    Raises:
        UsageError: There is one, of another run.
        InputError: It cannot be read or written, or another process is at work on it.
    """

    def __init__(self, path: str, fingerprint: Fingerprint) -> None:
        self.path = path
        self.kept = 0
        self._plain = PlainData()
        self._repeated = 0
        self._synced = time.monotonic()
        try:
            # Without a buffer: what a full disk did not take must not be tried again when the file is closed.
            # Nor through a link: its name is known beforehand, and others may write into the folder.
            self._file = io.FileIO(os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600), "r+")
        except OSError as error:
            why = "it is a link" if error.errno == errno.ELOOP else error.strerror
            raise InputError(f"cannot be written: {why}", where=path) from None
        try:
            self._require_file()
            self._lock()
            self._check({"journal": _FORMAT, **fingerprint})
        except BaseException:
            self._file.close()
            raise

    def continued(
        self, questions: Iterable[Question], answers: Callable[[Iterable[Question]], Iterator[Answer]]
    ) -> Iterator[Answer]:
        """The answers that are kept, and then those to the questions that are left, which are kept, too."""
        rest = iter(questions)
        for answer in self._records():
            question: Any = next(rest, None)
            if question is None or question.name != answer.name:
                there = "no graph" if question is None else f"'{shortened(question.name)}'"
                raise UsageError(
                    f"the journal has '{shortened(answer.name)}' where there is {there} now",
                    where=self.path,
                    advice=_BEGIN_AGAIN,
                )
            self.kept += 1
            self._repeated += 1
            yield answer
        for new in answers(rest):
            self._keep(new)
            self.kept += 1
            yield new

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """Names the journal in an error that nobody foresaw, in a run that repeats answers of it.

        What is read is checked field by field. Whether the fields of an answer fit together, only its user can tell.
        """
        try:
            yield
        except LatticeMetricError:
            raise
        except (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as e:
            if not self._repeated:
                raise
            raise self._damaged(f"its answers cannot be used ({type(e).__name__})") from e

    def remove(self) -> None:
        """Everything is done, and what was written with these answers is safe."""
        Path(self.path).unlink(missing_ok=True)
        self._file.close()

    def close(self) -> None:
        """It will be gone on with."""
        self._file.close()

    def _require_file(self) -> None:
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise InputError("this is no file", where=self.path, advice="name another output")

    def _lock(self) -> None:
        try:
            import fcntl

            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                "another process is at work on this", where=self.path, advice="wait for it, or stop it"
            ) from None
        except (OSError, ImportError):
            return  # some file systems have no locks, and Windows has others

    def _check(self, fingerprint: Fingerprint) -> None:
        line = self._reader(0).readline(_LONGEST_HEAD)
        self._begin = len(line)
        head = json.dumps(fingerprint).encode() + b"\n"
        first = head.partition(b":")[0]
        if not line.endswith(b"\n") and line[: len(first)] == first[: len(line)]:  # new, or killed in its first line
            self._cut(0)
            self._write(head)
            self._begin = len(head)
            return
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise UsageError("this is no journal", where=self.path, advice="name another output, or remove it")
        if changed := sorted(_changes(found, json.loads(json.dumps(fingerprint)))):
            raise UsageError(
                f"the run that was broken off is another one: {shortened(', '.join(changed), 200)} changed",
                where=self.path,
                advice="give the same command and files, or remove the journal to begin again",
            )

    def _records(self) -> Iterator[Any]:
        """The answers that are kept whole; what follows them is cut off."""
        end, reader = self._begin, self._reader(self._begin)
        while (data := self._read_record(reader)) is not None:
            yield self._answer(data)
            end += _RECORD.size + len(data)
        self._cut(end)

    def _reader(self, begin: int) -> IO[bytes]:
        self._file.seek(begin)
        return os.fdopen(self._file.fileno(), "rb", closefd=False)

    def _cut(self, end: int) -> None:
        """What is written next follows this place, as nothing else does."""
        try:
            self._file.truncate(end)
            self._file.seek(end)
        except OSError as error:
            raise self._unwritable(error) from None

    def _read_record(self, reader: IO[bytes]) -> bytes | None:
        head = reader.read(_RECORD.size)
        if len(head) < _RECORD.size:
            return None
        length, checksum = _RECORD.unpack(head)
        left = os.fstat(self._file.fileno()).st_size - reader.tell()
        if length > left or zlib.crc32(data := reader.read(length)) != checksum:
            return None
        return data

    def _answer(self, data: bytes) -> Any:
        try:
            answer = self._plain.loads(data)
        except NotPlainError as error:
            raise self._damaged(f"answer {self.kept + 1} cannot be read: {error}") from None
        if not isinstance(getattr(answer, "name", None), str):
            raise self._damaged(f"answer {self.kept + 1} has no name")
        return answer

    def _damaged(self, how: str) -> InputError:
        return InputError(f"the journal is damaged: {how}", where=self.path, advice=_BEGIN_AGAIN)

    def _keep(self, answer: Any) -> None:
        try:
            data = self._plain.dumps(answer)
        except NotPlainError as error:
            raise InputError(
                f"the journal cannot hold an answer: {error}", where=self.path, advice="leave --resume out"
            ) from None
        self._write(_RECORD.pack(len(data), zlib.crc32(data)) + data)
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            self._sync()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise self._unwritable(error) from None

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from None
        self._synced = time.monotonic()

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(
            f"cannot be written: {error.strerror}",
            where=self.path,
            advice="what it has is kept; make room, and give the same command",
        )


def _changes(old: Fingerprint, new: Fingerprint) -> Iterator[str]:
    """The names of what is not the same."""
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from _changes(before, after)
        elif before != after:
            yield str(key)
