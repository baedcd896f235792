"""Runs real commands on hostile inputs and options, under a watch.

    python tests/fuzz/hostile.py [COUNT] [--seed N] [--only NUMBER] [--jobs N] [--keep FOLDER]

or `make mutate`. Each input is made from the seed and its number alone. Each command is a process of its own, in a
folder of its own. No run may end in a traceback, by a signal, or with a status other than 0, 1 and 2; none may take
more than ten seconds or two gigabytes. What fails is told with the command that repeats it, and its files are kept.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import click
from kit.format_cases import CASES
from kit.hostile_inputs import ALL, ESCAPES, archive, bomb, header_of
from kit.outputs import COMMANDS as DECLARED
from kit.outputs import RUNS, command_of, write_examples
from kit.paths import EXAMPLES
from mutate import damaged

from latticemetric.cli.files import NamesFiles
from latticemetric.formats.registry import BUILT_IN
from latticemetric.formats.streams.compression import zstd_module
from latticemetric.normalization.shipped import compiled, shipped_grammars

SECONDS, MEGABYTES = 10.0, 2000
# Time is that of the processor, however busy the machine is. Who waits for something takes none of it.
_LONGEST = 40.0
_POLL = 0.02
PROGRAMS = Path(sys.executable).parent
SKIPPED_OPTIONS = {"--help", "--version"}

# --- What is run

COMMANDS = {command_of(words): words for words in RUNS}
# What is most used is tried most.
WEIGHTS = {"oracle": 8, "info": 6, "convert": 5, "score": 4, "tags": 4, "correlate": 4, "sweep": 4, "mbr": 4}
RARE = {name for name, command in DECLARED.items() if not command.reads}
STEMS = sorted({path.name.split(".")[0] for path in EXAMPLES.glob("*.ref.txt")})


def held_by(command: click.Command, words: list[str]) -> dict[str, str]:
    """What the files hold that a command line names as arguments, by name."""
    context = command.make_context(command.name, list(words), resilient_parsing=True)
    held = {}
    for parameter in command.params:
        if isinstance(parameter, click.Argument) and isinstance(parameter.type, NamesFiles):
            value = context.params[parameter.name]
            held |= dict.fromkeys([value] if isinstance(value, str) else value, parameter.type.holds)
    return held


# --- Values of options

NUMBERS = [
    *("0", "-0", "1", "-1", "2", "0.5", "1e308", "-1e308", "1e-320", "1e18", "1e400", "nan", "inf", "-inf", "9" * 30),
    *("1000000000000000000", "2147483647", "2147483648", "18446744073709551616", "1_0", "٣", "0x10", "", " ", ",", "a"),
]
LISTS = ["1,nan", "1,1e308", "1,,2", "-1,-2", "0,0,0", "1," * 300 + "1", "1e-320,1e308", "1e18,1"]
SIZES = ["1", "0", "-1", "10000000000G", "999999999999999T", "1e9G", "٣G", "G", "50M", "2G"]
TEXTS = [
    *("", " ", "a", "a=1", "=", "a=nan", "x=1e400", "x" * 300, "é" * 200, ESCAPES, "../../x", "*", "[", "a,b", "@none"),
    *("@/dev/zero", "@", "-", "--", "|||", "%s%n", "{}", "$(id)", ";", "\udcff", "null", "1/2", "0/0", "9" * 5000),
]
METRICS = [
    "wer",
    "wrr",
    "bleu",
    "meteor",
    "sclite",
    "bleu-sbp",
    "nist",
    "4-grr",
    "999999999-grr",
    "0-grr",
    "recall",
    "f1",
]
SHARDS = ["1/2", "0/1", "2/1", "1/0", "-1/2", "1/1000000000000000000000", "1/" + "9" * 5000, "1/1", "a/b", "/", "1"]
# An address where nobody answers is waited for: half a minute.
CLUSTERS = ["local:0", "local:-1", "local:9999999999", "slurm:x", "none.json", "x://", ""]
METHODS = ["wer", "ngrams", "bleu", "none", "meteor", "sausage", "recall"]
PATHS = [
    *(
        "/dev/zero",
        "/dev/full",
        "/dev/null",
        "/dev/urandom",
        "/",
        ".",
        "none",
        "none/x",
        "x" * 300,
        "a/" * 3000,
        "*",
        "[a",
    ),
    *(
        "loop",
        "broken",
        "folder",
        "folder/",
        "link",
        "-",
        "-x",
        "~",
        "é\u202e",
        "\udcff",
        "\n",
        " ",
        "",
        "/proc/self/mem",
    ),
    *("/dev/stdin", "empty", "**", "/proc/self/environ", "out.far", "out.xz", "out.zst", "out.png", "out.svg"),
]
BY_OPTION: dict[str, list[str]] = {
    "--metric": METRICS,
    "--also-score": METRICS,
    "--mbr": METHODS,
    "--by": METHODS,
    "--shard": SHARDS,
    "--cluster": CLUSTERS,
    "--max-memory": SIZES,
    "--from": [*BUILT_IN, "none", ""],
    "--to": [*BUILT_IN, "none", ""],
    "--normalize": ["english", "none", "english:none", *PATHS[:8]],
}
WORDY = {"NAME", "NAMES", "WORDS", "TEXT", "ID", "SEGMENT", "SYSTEM", "PAIR", "NAME=NUMBER", "TEXT|FILE", "METRIC"}


def value_of(option: click.Option, chance: random.Random) -> str:
    """A hostile value, now and then a good one."""
    name = option.opts[0]
    if name in BY_OPTION and chance.random() < 0.8:
        return chance.choice(BY_OPTION[name])
    if isinstance(option.type, click.Choice) and chance.random() < 0.9:
        return str(chance.choice(list(option.type.choices)))
    if option.metavar in {"FILE", "DIR", "REFERENCES", "GRAMMAR"}:
        return chance.choice([*PATHS, "other"])
    if option.metavar in WORDY:
        return chance.choice(TEXTS)
    return chance.choice([*NUMBERS, *LISTS] if chance.random() < 0.9 else TEXTS)


def options_of(command: click.Command, count: int, chance: random.Random) -> Iterator[str]:
    """So many options of a command, with hostile values."""
    known = [one for one in command.params if isinstance(one, click.Option) and one.opts[0] not in SKIPPED_OPTIONS]
    for option in chance.sample(known, min(count, len(known))):
        yield option.opts[0]
        if not option.is_flag:
            yield value_of(option, chance)


# --- Files

Maker = Callable[[bytes, random.Random], bytes]
HUGE = [b"1000000000000000000", b"2147483647", b"4294967296", b"-1", b"9" * 400, b"1e308", b"1e-320", b"nan", b"0"]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 3, 30])):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _spliced(data: bytes, chance: random.Random) -> bytes:
    other = chance.choice([chance.choice(list(CASES.values())).valid, chance.choice(_examples()).read_bytes()])
    at, size = chance.randrange(min(len(data), 400) + 1), chance.randrange(min(len(other), 4000) + 1)
    return chance.choice([other[:size] + data[at:], data[:at] + other, data + other, other + data])


def _renumbered(data: bytes, chance: random.Random) -> bytes:
    """Numbers of the text are replaced by absurd ones; of a binary file, eight bytes are."""
    starts = [at for at in range(len(data)) if data[at : at + 1].isdigit() and not data[at - 1 : at].isdigit()][:3000]
    if not starts or chance.random() < 0.2:
        at = chance.randrange(len(data) + 1)
        return data[:at] + chance.choice([2**60, 2**31 - 1, 2**63 - 1]).to_bytes(8, "little") + data[at + 8 :]
    for at in sorted(chance.sample(starts, min(len(starts), chance.choice([1, 1, 2, 20]))), reverse=True):
        end = at
        while data[end : end + 1].isdigit():
            end += 1
        data = data[:at] + chance.choice(HUGE) + data[end:]
    return data


def _repeated(data: bytes, chance: random.Random) -> bytes:
    """A piece stands there very often: long lines, deep nesting, many fields, many lines."""
    unit = chance.choice(
        [b"(", b"[", b"{", b'{"a":', b"a", b"a ", b" ", b"\t", b"\n", b"\r", b"0 ", b"|||", b",", b"\xc3", b"{ a / "]
    )
    if chance.random() < 0.4 and data:
        at = chance.randrange(len(data))
        unit = data[at : at + chance.randrange(1, 60)]
    at = chance.randrange(len(data) + 1)
    return data[:at] + unit * (chance.choice([10**3, 10**5, 10**6]) // len(unit) + 1) + data[at:]


def _bytes_inside(data: bytes, chance: random.Random) -> bytes:
    what = chance.choice(
        [b"\0", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", ESCAPES.encode(), b"\r", b"\x1a", b"\xef\xbb\xbf"]
    )
    for _ in range(chance.choice([1, 5, 50])):
        at = chance.randrange(len(data) + 1)
        data = data[:at] + what + data[at:]
    return data


def _bomb(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1) if data else 0
    unit = chance.choice([b"\n", b" ", b"\0", b"a ", b"a\n", data[at : at + 50] or b"(", data[:5000] or b"["])
    head = chance.choice([b"", data, data[:at]])
    return bomb(
        unit, head, chance.choice([gzip.compress, lzma.compress, _zstd]), megabytes=chance.choice([80, 400, 1600])
    )


def _zstd(data: bytes) -> bytes:
    return bytes(zstd_module().compress(data))


def _packed(data: bytes, chance: random.Random) -> bytes:
    """Compressed, and then perhaps damaged, cut, followed by something, or compressed again."""
    compress = chance.choice([gzip.compress, lzma.compress, _zstd])
    packed = compress(data)
    after = [
        _cut,
        _flipped,
        damaged,
        lambda d, _: d + b"junk",
        lambda d, _: d + bytes(7),
        lambda d, _: d + compress(b""),
    ]
    return chance.choice([*after, lambda d, _: compress(d), lambda d, _: d + d])(packed, chance)


def _in_tar(data: bytes, chance: random.Random) -> bytes:
    names = ["a", "._a", ".a", "../a", "/a", "x" * 300, "a/" * 200, ESCAPES, "\udcff", "a\nb", "-", "", "a"]
    whole = archive(*((name, data) for name in chance.sample(names, 3)))
    kind = chance.choice([tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
    declared = header_of(kind, chance.choice([2**40, 2**70, -1, 2**33, 0]))
    odd = archive(("a", data), type=chance.choice([b"1", b"2", b"3", b"6", b"5", b"S"]), linkname="/etc/passwd")
    made = chance.choice(
        [whole, odd, declared + data, whole[:1024] + declared + whole[1024:], archive(("x.tar", whole))]
    )
    return chance.choice([bytes, gzip.compress, lzma.compress])(
        made if chance.random() < 0.6 else damaged(made, chance)
    )


def _other_encoding(data: bytes, chance: random.Random) -> bytes:
    text = data.decode("utf-8", "replace")
    return text.encode(chance.choice(["utf-16", "utf-16-le", "utf-32", "utf-7", "cp037"]), "replace")


def _known(_data: bytes, chance: random.Random) -> bytes:
    """One of the rows of `hostile_inputs`."""
    made = chance.choice(list(ALL.values())).data
    made = made() if callable(made) else made
    return made.encode("utf-8", "surrogateescape") if isinstance(made, str) else made


def _of_format(_data: bytes, chance: random.Random) -> bytes:
    """A damaged file of any format."""
    case = chance.choice(list(CASES.values()))
    return damaged(chance.choice([case.valid, *(row.data for row in case.broken.values())]), chance)


MAKERS: dict[str, Maker] = {
    "damaged": damaged,
    "of another format": _of_format,
    "cut": _cut,
    "flipped": _flipped,
    "spliced": _spliced,
    "renumbered": _renumbered,
    "repeated": _repeated,
    "bytes": _bytes_inside,
    "bomb": _bomb,
    "packed": _packed,
    "tar": _in_tar,
    "encoding": _other_encoding,
    "known": _known,
    "empty": lambda _data, _chance: b"",
}


@cache
def _examples() -> list[Path]:
    return sorted(path for path in EXAMPLES.iterdir() if path.is_file())


@cache
def _shards() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        write_examples(Path(folder))
        return {path.name: path.read_bytes() for path in Path(folder).glob("meeting.?.json")}


@cache
def _grammar() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rule.far"
        program = [
            str(PROGRAMS / "latticemetric"),
            "convert",
            str(EXAMPLES / "proverbs.plf"),
            str(path),
            "--sum-scores",
        ]
        subprocess.run([*program, "--drop-labels"], check=True, capture_output=True)
        return path.read_bytes()


class Files:
    """The files of one run, in a folder of its own."""

    def __init__(self, folder: Path, chance: random.Random, *, hostile: bool) -> None:
        self._folder, self._chance, self._hostile = folder, chance, hostile
        self._stem = chance.choice(STEMS)
        self._count = 0
        self.kinds: list[str] = []
        (folder / "folder").mkdir()
        (folder / "folder" / ".hidden").write_text("x")
        os.mkfifo(folder / "folder" / "pipe")
        (folder / "broken").symlink_to("nowhere")
        (folder / "loop").symlink_to("loop")
        (folder / "link").symlink_to("folder")
        (folder / "empty").touch()
        shutil.copy(EXAMPLES / "meeting.ref.txt", folder / "other")

    def spelled(self, word: str, held: str | None, before: str) -> str:
        """A word of a command; in place of a file that holds something, such as graphs, another file."""
        if before == "--to":
            return self._chance.choice(list(BUILT_IN))
        if word == "harvest":
            return self._test_set()
        data = self._valid(word, held)
        if data is None:
            return word
        self._count += 1
        name = f"file{self._count}"
        kind = self._chance.choice(list(MAKERS)) if self._hostile and self._chance.random() < 0.55 else "good"
        self.kinds.append(kind)
        if kind != "good":
            data = MAKERS[kind](data, self._chance)
        (self._folder / name).write_bytes(data)
        return self._placed(name)

    def _placed(self, name: str) -> str:
        """The file, or what leads to it; now and then something else."""
        where = self._chance.random() if self._hostile else 1.0
        if where < 0.03:
            return self._chance.choice([path for path in PATHS if path])
        if where < 0.08:
            (self._folder / name).rename(self._folder / "folder" / name)
            return "folder"
        if where < 0.12:
            odd = self._chance.choice(
                ["-", "x" * 250, ESCAPES.replace("/", ""), "é", "*", "a:5", "\udcff", "x.gz", "x.tar"]
            )
            (self._folder / name).rename(self._folder / odd)
            return odd
        if where < 0.15:
            (self._folder / "script").write_text(f"u {name}:{self._chance.choice([0, 5, 10**17])}\nv folder/pipe:0\n")
            return "script"
        return name

    def _valid(self, word: str, held: str | None) -> bytes | None:
        """What a good file holds that takes the place of this one; nothing where the word is no file."""
        if held is None:
            return None
        if held == "grammars":
            return _grammar()
        if held == "shards":
            return _shards()[word]
        if word.split(".", maxsplit=1)[0] not in STEMS:
            return (EXAMPLES / word).read_bytes()
        if held == "graphs":
            graphs = [p for p in _examples() if p.name.startswith(f"{self._stem}.") and ".ref" not in p.name]
            return self._chance.choice(graphs or _examples()).read_bytes()
        return (EXAMPLES / f"{self._stem}.ref.txt").read_bytes()

    def _test_set(self) -> str:
        if self._chance.random() < 0.3:
            path = self._folder / "judged.tsv"
            path.write_bytes((EXAMPLES / "harvest.tsv").read_bytes())
            files = [path]
        else:
            shutil.copytree(EXAMPLES / "harvest", self._folder / "judged.tsv")
            files = sorted(path for path in (self._folder / "judged.tsv").rglob("*") if path.is_file())
        if self._hostile:
            path, kind = self._chance.choice(files), self._chance.choice(list(MAKERS))
            self.kinds.append(kind)
            path.write_bytes(MAKERS[kind](path.read_bytes(), self._chance))
        return "judged.tsv"


def made(seed: int, number: int, folder: Path) -> tuple[list[str], list[str]]:
    """The command of a number, its files written; and what is hostile about it."""
    chance = random.Random(f"{seed} {number}")
    verb = chance.choices(list(COMMANDS), [WEIGHTS.get(name, 0.4 if name in RARE else 3) for name in COMMANDS])[0]
    in_files = chance.random() < 0.6
    files = Files(folder, chance, hostile=in_files)
    words = COMMANDS[verb][len(verb.split()) :]
    held = held_by(DECLARED[verb], words)
    pairs = zip(["", *words], words, strict=False)
    arguments = [files.spelled(word, held.get(word), before) for before, word in pairs]
    count = chance.choice([0, 0, 0, 1, 2]) if in_files else chance.choice([1, 1, 1, 2, 3])
    options = list(options_of(DECLARED[verb], count, chance))
    if chance.random() < 0.2 and "--keep-going" in {name for one in DECLARED[verb].params for name in one.opts}:
        options.append("--keep-going")
    program = ["lattice-oracle"] if verb == "oracle" and chance.random() < 0.5 else ["latticemetric", *verb.split()]
    return [*program, *arguments, *options], [*files.kinds, *(name for name in options if name.startswith("--"))]


# --- The watch


class Outcome(NamedTuple):
    """What a run did: its time is that of processors, `waited` by the clock."""

    status: int
    seconds: float
    waited: float
    megabytes: int
    stdout: bytes
    stderr: bytes

    def faults(self) -> Iterator[str]:
        """What must not be."""
        if b"Traceback (most recent call last)" in self.stderr + self.stdout:
            yield "a traceback"
        if self.status not in {0, 1, 2}:
            yield f"status {self.status}"
        if self.status == 2 and not self.stderr.strip():
            yield "an error without a word"
        if self.seconds > SECONDS:
            yield f"{self.seconds:.1f} s"
        if self.waited > _LONGEST:
            yield f"no end after {self.waited:.0f} s"
        if self.megabytes > MEGABYTES:
            yield f"{self.megabytes} MB"


def _children(process: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield process
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        found = [child for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return
    for child in found:
        yield from _children(int(child))


def _megabytes(process: int) -> int:
    """What the processes have of the memory now. What they share counts once for each."""
    total = 0
    for one in _children(process):
        try:
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
    return total * os.sysconf("SC_PAGE_SIZE") >> 20


def watched(command: list[str], folder: Path) -> Outcome:
    """Runs a command in a folder, and kills it when it has taken far too much."""
    environment = {**os.environ}
    environment.pop("LATTICEMETRIC_MOST_AT_ONCE", None)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, (folder / "other").open("rb") as given:
        begin = time.monotonic()
        program = [str(PROGRAMS / command[0]), *command[1:]]
        running = subprocess.Popen(
            program, stdin=given, stdout=out, stderr=err, cwd=folder, env=environment, start_new_session=True
        )
        most, ended = 0, 0
        while not ended:
            most = max(most, _megabytes(running.pid))
            if most > 1.5 * MEGABYTES or time.monotonic() - begin > _LONGEST:
                os.killpg(running.pid, signal.SIGKILL)
            time.sleep(_POLL)
            ended, status, usage = os.wait4(running.pid, os.WNOHANG)
        running.returncode = os.waitstatus_to_exitcode(status)
        waited = time.monotonic() - begin
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read(2**24))
    return Outcome(running.returncode, usage.ru_utime + usage.ru_stime, waited, most, *said)


class Report(NamedTuple):
    """A run, and what is wrong with it."""

    number: int
    command: list[str]
    kinds: list[str]
    outcome: Outcome
    faults: list[str]


@cache
def _compile_grammars() -> None:
    """The first command that needs a grammar compiles it, which is not what is watched here."""
    for name in shipped_grammars():
        compiled(name)


def tried(seed: int, number: int, keep: Path) -> Report:
    """Makes the input of a number, and runs its command."""
    _compile_grammars()
    folder = keep / f"{seed}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command, kinds = made(seed, number, folder)
    outcome = watched(command, folder)
    faults = list(outcome.faults())
    if not faults:
        shutil.rmtree(folder, ignore_errors=True)
    return Report(number, command, kinds, outcome, faults)


def main() -> None:
    """Tries so many inputs, or one again."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("count", nargs="?", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="Begin at this number.")
    parser.add_argument("--only", type=int, help="Run the input of this number alone, and show what it says.")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "latticemetric-hostile")
    chosen = parser.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.count) if chosen.only is None else [chosen.only]
    print(f"{len(numbers)} hostile inputs, seed {chosen.seed}", flush=True)
    statuses: Counter[int] = Counter()
    slowest = largest = 0.0
    failed = 0
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for report in pool.map(lambda number: tried(chosen.seed, number, chosen.keep), numbers):
            statuses[report.outcome.status] += 1
            slowest, largest = max(slowest, report.outcome.seconds), max(largest, report.outcome.megabytes)
            failed += bool(report.faults)
            if report.faults or chosen.only is not None:
                show(report, chosen.seed, chosen.keep)
    ends = ", ".join(f"{count} with status {status}" for status, count in sorted(statuses.items()))
    print(f"{len(numbers)} runs: {ends}; {failed} failed; slowest {slowest:.1f} s, largest {largest:.0f} MB")
    sys.exit(bool(failed))


def show(report: Report, seed: int, keep: Path) -> None:
    """Says what failed, and how to repeat it."""
    last = report.outcome.stderr.decode("utf-8", "backslashreplace").strip().split("\n")[-1]
    print(f"{report.number}: {', '.join(report.faults) or 'nothing wrong'} ({', '.join(report.kinds)})")
    print(f"    {ascii(shlex.join(report.command))[1:300]}")
    print(f"    {ascii(last)[:300]}")
    print(f"    repeat: python tests/fuzz/hostile.py --seed {seed} --only {report.number}", end="")
    print(f"   files: {keep / f'{seed}-{report.number}'}" if report.faults else "", flush=True)


if __name__ == "__main__":
    main()
