"""The journal of a run: a file that stores answers as they arrive, so that a resumed run does not compute them again.

A journal is one line of JSON that identifies the run, then one record per answer: length, checksum, and the answer as
plain data (see `plain`). Each record is written immediately, so that the record is safe if the process is killed; an
incomplete last record is removed. A record that was damaged on disk stays, and its answer is computed again. A resumed
run writes its whole output again, first from the journal, so that the output is the same as without the interruption. A
journal without answers holds nothing to continue, so any run may overwrite the journal.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import json
import os
import stat
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import IO, Any, TypeVar

try:
    import fcntl

    _HAS_LOCKS = True
except ImportError:  # on Windows: run without locks
    _HAS_LOCKS = False

from latticemetric.errors import InputError, LatticeMetricError, UsageError, shortened
from latticemetric.parallel.plain import NotPlainError, PlainData

Question = TypeVar("Question")
Answer = TypeVar("Answer")
Fingerprint = dict[str, Any]

_RECORD = struct.Struct("<QI")
_SYNC_SECONDS = 10.0
_SECONDS_FOR_LOCK = 2.0
_FORMAT = 2
_BLOCK = 2**20  # bytes to look at together
# The most bytes of the first line, which lists the files of the run: about a hundred bytes per file.
_LONGEST_HEAD = 2**28
_BEGIN_AGAIN = "remove the journal to begin again"
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


_OPEN: set[tuple[int, int]] = set()
"""The journals that this process has locked."""


def _identity(file: io.FileIO) -> tuple[int, int]:
    state = os.fstat(file.fileno())
    return state.st_dev, state.st_ino


class Journal:
    """The journal of one run. It locks its file against other processes.

    Args:
        path: The file of the journal; it is created if it does not exist.
        fingerprint: Plain values (for JSON) that identify the run: its options and files.
        tell: Called with a message on the number of answers that the journal has, if it is of an earlier run, and with
            another one if answers are lost, because the file was damaged.
        known: Values in answers that are the same in each run, such as its settings; see `PlainData`.

    Raises:
        UsageError: The file is not a journal, or it is the journal of a run with another fingerprint.
        InputError: The file cannot be written, or another process uses it.
    """

    def __init__(
        self,
        path: str,
        fingerprint: Fingerprint,
        tell: Callable[[str], None] = lambda _: None,
        known: Sequence[Any] = (),
    ) -> None:
        self.path = path
        self._tell = tell
        self.kept = 0
        self._plain = PlainData(known)
        self._repeated = 0
        self._is_damaged = False
        self._synced = time.monotonic()
        self._file = self._locked()
        self._is_earlier = bool(os.fstat(self._file.fileno()).st_size)
        try:
            self._check({"journal": _FORMAT, **fingerprint})
        except BaseException:
            self.close()
            raise

    def _locked(self) -> io.FileIO:
        """Open the file and lock it."""
        while True:
            try:
                # Use no buffer: bytes that a full disk rejected must not be written again when the file is closed.
                # Refuse a symbolic link: another user who can write into the folder could guess the name and place one.
                file = io.FileIO(os.open(self.path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600), "r+")
            except OSError as error:
                why = "it is a symbolic link" if error.errno == errno.ELOOP else error.strerror
                raise InputError(f"cannot be written: {why}", where=self.path, advice="name another output") from None
            try:
                self._lock(file)
                if self._is_at_path(file):
                    return file
            except BaseException:
                file.close()
                raise
            file.close()  # the run that had the lock has ended, and removed its journal

    def _is_at_path(self, file: io.FileIO) -> bool:
        try:
            return os.path.samestat(os.fstat(file.fileno()), os.lstat(self.path))
        except FileNotFoundError:
            return False

    def continued(
        self, questions: Iterable[Question], answers: Callable[[Iterable[Question]], Iterator[Answer]]
    ) -> Iterator[Answer]:
        """Yield the answers of the journal; then compute the other answers, store and yield them.

        Raises:
            UsageError: The graphs differ from the graphs of the journal's answers, or have another order.
        """
        rest = iter(questions)
        lost: list[Question] = []
        for answer in self._records():
            question: Any = next(rest, None)
            if answer is None:
                if question is not None:
                    lost.append(question)
                continue
            if question is None or question.name != answer.name:
                name = "no graph" if question is None else f"'{shortened(question.name)}'"
                raise UsageError(
                    f"the graphs changed: the journal has '{shortened(answer.name)}', but now there is {name}",
                    where=self.path,
                    advice=_BEGIN_AGAIN,
                )
            yield from self._again(lost, answers)
            lost = []
            self.kept += 1
            self._repeated += 1
            yield answer
        yield from self._again(lost, answers)
        self._tell_of_number()
        for new in answers(rest):
            self._keep(new)
            self.kept += 1
            yield new

    def _again(
        self, lost: Sequence[Question], answers: Callable[[Iterable[Question]], Iterator[Answer]]
    ) -> Iterator[Answer]:
        """Compute the answers of damaged records, and yield them."""
        if lost:
            what = "an answer is" if len(lost) == 1 else f"{len(lost)} answers are"
            self._tell(f"{self.path}: the journal is damaged: {what} computed again, after {self.kept} that are whole")
            for new in answers(lost):
                self.kept += 1
                yield new

    def _tell_of_number(self) -> None:
        """Tell how many answers were read from the journal of an earlier run."""
        if not self._is_earlier:
            return
        number = {0: "no answers", 1: "1 answer"}.get(self._repeated, f"{self._repeated} answers")
        self._tell(f"{number} taken from the journal of an earlier run ({self.path})")

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """Report an unexpected error in the `with` block as a damaged journal, if answers came from the journal.

        Reading an answer checks each field separately. If two fields contradict each other, their use raises an error.
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
        """Remove the journal. Call this when the run has ended and its whole output is on disk."""
        Path(self.path).unlink(missing_ok=True)
        self.close()

    def leave(self) -> None:
        """Close the journal; remove the journal if it has no answers, for example after an error in the options."""
        if not self._file.closed and not self._has_answers():
            Path(self.path).unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Close the journal, so that a later run can resume."""
        if not self._file.closed:
            _OPEN.discard(_identity(self._file))
        if _HAS_LOCKS and not self._file.closed:
            with contextlib.suppress(OSError):
                # Workers inherit the lock, and may end a moment later than this process.
                fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def _lock(self, file: io.FileIO) -> None:
        """Lock the file for this process; raise `InputError` if it is not a regular file, or stays locked."""
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InputError("this is not a regular file", where=self.path, advice="name another output")
        until = time.monotonic() + _SECONDS_FOR_LOCK
        while _HAS_LOCKS:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() < until:  # workers of a killed run end a moment later
                    time.sleep(0.05)
                    continue
                if _identity(file) in _OPEN:
                    if gc.collect() and _identity(file) not in _OPEN:  # answers that nothing but a cycle held
                        continue
                    advice = "read those answers to the end, or delete them"
                    raise InputError("answers of this process use this file", where=self.path, advice=advice) from None
                raise InputError(
                    "another process uses this file", where=self.path, advice="wait for that process, or stop it"
                ) from None
            except OSError:
                return  # this file system has no locks
            _OPEN.add(_identity(file))
            return

    def _check(self, fingerprint: Fingerprint) -> None:
        line = self._reader(0).readline(_LONGEST_HEAD)
        self._begin = len(line)
        head = json.dumps(fingerprint).encode() + b"\n"
        first = head.partition(b":")[0]
        is_incomplete = not line.endswith(b"\n") and line[: len(first)] == first[: len(line)]
        if is_incomplete:  # or new
            self._start(head)
            return
        try:
            before = json.loads(line)
        except (ValueError, RecursionError):
            before = None
        if not (isinstance(before, dict) and "journal" in before):
            raise UsageError("this is not a journal", where=self.path, advice="name another output, or remove it")
        if changed := sorted(changes(before, json.loads(json.dumps(fingerprint)))):
            if not self._has_answers():
                self._start(head)
                return
            raise UsageError(
                f"the journal is of another run: {shortened(', '.join(changed), 200)} changed",
                where=self.path,
                advice="give the same command and files, or remove the journal to begin again",
            )

    def _start(self, head: bytes) -> None:
        """Begin the journal again with this first line."""
        self._cut(0)
        self._write(head)
        self._begin = len(head)

    def _has_answers(self) -> bool:
        return os.fstat(self._file.fileno()).st_size > self._begin

    def _records(self) -> Iterator[Any]:
        """Yield the answer of each whole record, and `None` for each damaged one before it; cut off the rest."""
        end, damaged = self._begin, 0
        for data, after in self._contents():
            if data is None:
                damaged += 1
                continue
            self._is_damaged |= damaged > 0
            yield from repeat(None, damaged)
            yield self._answer(data)
            end, damaged = after, 0
        self._tell_of_loss(end)
        self._cut(end)

    def _contents(self) -> Iterator[tuple[bytes | None, int]]:
        """Yield the data of each record, or `None` if they are damaged; and where the record ends."""
        size, reader = os.fstat(self._file.fileno()).st_size, self._reader(self._begin)
        while len(head := reader.read(_RECORD.size)) == _RECORD.size:
            length, checksum = _RECORD.unpack(head)
            # Zeros: the system had made room for a record, and then lost power.
            if not length or length > size - reader.tell():
                return
            data = reader.read(length)
            yield (data if zlib.crc32(data) == checksum else None), reader.tell()

    def _answer(self, data: bytes) -> Any:
        """Return the answer of a record; `None` if it refers to a damaged record."""
        try:
            answer = self._plain.loads(data)
        except NotPlainError as error:
            if self._is_damaged:
                return None
            raise self._damaged(f"answer {self.kept + 1} cannot be read: {error}") from None
        if not isinstance(getattr(answer, "name", None), str):
            raise self._damaged(f"answer {self.kept + 1} has no name")
        return answer

    def _tell_of_loss(self, end: int) -> None:
        """Tell that the file from `end` cannot be read, unless this is a record that was not written completely."""
        reader = self._reader(end)
        reader.read(_RECORD.size)
        has_zeros = has_others = False
        for block in iter(lambda: reader.read(_BLOCK), b""):
            has_zeros |= b"\0" in block
            has_others |= bool(block.strip(b"\0"))
        # Texts of records have no zeros, but the lengths of further records do.
        if has_zeros and has_others:
            self._tell(
                f"{self.path}: the journal is damaged: its last {reader.tell() - end} bytes cannot be read, so their "
                f"answers are computed again, after {self.kept} that are whole"
            )

    def _reader(self, begin: int) -> IO[bytes]:
        self._file.seek(begin)
        return os.fdopen(self._file.fileno(), "rb", closefd=False)

    def _cut(self, end: int) -> None:
        """Cut the file at `end`, and continue writing there."""
        with self._writing():
            self._file.truncate(end)
            self._file.seek(end)

    def _damaged(self, how: str) -> InputError:
        return InputError(f"the journal is damaged: {how}", where=self.path, advice=_BEGIN_AGAIN)

    def _keep(self, answer: Any) -> None:
        try:
            data = self._plain.dumps(answer)
        except NotPlainError as error:
            raise InputError(
                f"the journal cannot hold an answer: {error}", where=self.path, advice="leave resume=… out"
            ) from None
        self._write(_RECORD.pack(len(data), zlib.crc32(data)) + data)
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            with self._writing():
                os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        with self._writing():
            while left:
                left = left[self._file.write(left) :]

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"cannot be written: {error.strerror}",
                where=self.path,
                advice="earlier answers are safe: free some space, and give the same command again",
            ) from None


def changes(old: Fingerprint, new: Fingerprint) -> Iterator[str]:
    """Yield the names of the values that differ between the fingerprints of two runs."""
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from changes(before, after)
        elif before != after:
            yield str(key)
