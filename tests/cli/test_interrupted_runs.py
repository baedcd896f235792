"""Runs that somebody ends, or that find a disk full: what is done is kept, what goes on says the same, none is left."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from kit.commands import PROGRAMS, assert_one_line_error, good
from kit.interruption import UNHURRIED
from kit.many_graphs import data, oracle
from kit.patience import PATIENCE
from kit.work import living, processor_seconds, wait_for

KILLS = 20
SOME = ("--hope", "0.1", "--nbest", "2", "--also-score", "bleu")
linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux which processes there are")


def started(*arguments: object, hurried: bool = True, **options: object) -> subprocess.Popen:
    program = [str(PROGRAMS / "lattice-oracle")] if hurried else [sys.executable, "-P", "-c", UNHURRIED]
    command = [*program, *map(str, arguments)]
    return subprocess.Popen(command, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **options})


def ended(process: subprocess.Popen) -> tuple[int, str]:
    """How, and what it said."""
    _, told = process.communicate(timeout=PATIENCE)
    return process.returncode, told.decode()


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@contextmanager
def ends_within_two_seconds(process: subprocess.Popen, workers: set[int]):
    """Two seconds of processor time for each of its processes, since the machine may have others that run."""
    pids = {process.pid, *workers}
    before = sum(map(processor_seconds, pids)) + processor_seconds_of_ended()
    yield
    assert processor_seconds_of_ended() - before < 2 * len(pids)


def processor_seconds_of_ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def children(process: subprocess.Popen) -> set[int]:
    """Its workers."""
    try:
        return set(map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()))
    except FileNotFoundError:
        return set()


# --- Killed


@pytest.fixture
def run(tmp_path):
    """A command that keeps a journal, and what it writes when nobody disturbs it."""
    given = [*data(tmp_path, graphs=250, broken=(99,)), "--keep-going", "--metric", "wer", "--format", "json"]
    undisturbed = oracle(*given)
    assert undisturbed.status == 1
    files = ["--output", tmp_path / "out.json", "--failures", tmp_path / "failures"]
    return [*given, "--resume", "--workers", 2, *files], undisturbed.stdout


def assert_finished(folder: Path, undisturbed: str) -> None:
    assert (folder / "out.json").read_text() == undisturbed
    assert sorted(path.name for path in folder.iterdir()) == ["failures", "lats.txt", "out.json", "refs.txt"]
    assert [row.split("\t")[0] for row in (folder / "failures").read_text().splitlines()] == ["id", "u00099"]


def test_a_run_that_is_killed_at_any_moment_says_what_one_that_is_not_says(run, tmp_path):
    given, undisturbed = run
    output, journal = tmp_path / "out.json", tmp_path / "out.json.journal"
    began = time.monotonic()
    assert ended(started(*given))[0] == 1
    seconds = time.monotonic() - began
    assert_finished(tmp_path, undisturbed)
    output.unlink()
    seed = random.randrange(2**32)
    print(f"seed {seed}, undisturbed {seconds:.2f} s")  # noqa: T201  pytest shows it where the test fails
    draw, killed = random.Random(seed), 0
    for _ in range(KILLS):
        kept = size(journal)
        process = started(*given)
        try:
            process.wait(draw.uniform(0, 1.1 * seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            killed += 1
        process.communicate()
        if process.returncode == 1:
            assert_finished(tmp_path, undisturbed)
            output.unlink()
        elif output.exists():  # killed after its last word
            assert output.read_text() == undisturbed
        else:
            assert size(journal) >= kept, "what was kept is kept"
    assert killed > 0
    assert oracle(*given).status == 1
    assert_finished(tmp_path, undisturbed)


KILLED_AT = """
import os, signal, sys
from latticemetric.cli import main
def killed(*_arguments, **_options):
    os.kill(os.getpid(), signal.SIGKILL)
"""

AT_THE_LIST = """
replace = pathlib.Path.replace
pathlib.Path.replace = lambda draft, to: killed() if "failures" in str(to) else replace(draft, to)
"""


@pytest.mark.parametrize(
    ("moment", "has_output", "has_journal"),
    [
        ("import pathlib; pathlib.Path.replace = killed", False, True),
        ("from latticemetric.parallel.journal import Journal; Journal.remove = killed", True, True),
        ("from latticemetric.parallel.journal import Journal; Journal._check = killed", False, True),
        ("from latticemetric.cli.run import Failures; Failures.write = killed", True, True),
        (f"import pathlib; {AT_THE_LIST}", True, True),
        ("from latticemetric.parallel.journal import Journal; Journal._keep = killed", False, True),
    ],
    ids=[
        "before the output has its name",
        "before the journal is removed",
        "with an empty journal",
        "before the list of failures",
        "before the list of failures has its name",
        "at the first answer",
    ],
)
def test_killed_at_that_very_moment(moment, has_output, has_journal, run, tmp_path):
    given, undisturbed = run
    program = f"{KILLED_AT}{moment}\nmain.lattice_oracle()"
    done = subprocess.run([sys.executable, "-P", "-c", program, *map(str, given)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert ((tmp_path / "out.json").exists(), (tmp_path / "out.json.journal").exists()) == (has_output, has_journal)
    assert oracle(*given).status == 1
    assert_finished(tmp_path, undisturbed)


def test_two_runs_do_not_share_a_journal(tmp_path):
    given = [*data(tmp_path, graphs=1000), *SOME, "--resume", "--output", tmp_path / "out"]
    first = started(*given, hurried=False)
    assert wait_for(lambda: size(tmp_path / "out.journal") > 1000)
    first.send_signal(signal.SIGSTOP)
    assert_one_line_error(oracle(*given), "another process uses this file")
    first.kill()
    first.communicate()


# --- Asked to end


ENDINGS = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended by SIGTERM", signal.SIGHUP: "ended by SIGHUP"}


@linux
@pytest.mark.parametrize(
    ("number", "times"), [(signal.SIGINT, 1), (signal.SIGINT, 3), (signal.SIGTERM, 3), (signal.SIGHUP, 1)]
)
def test_a_signal_keeps_what_is_done(number, times, tmp_path):
    given = [*data(tmp_path, graphs=300), *SOME, "--format", "json"]
    output, journal = tmp_path / "out.json", tmp_path / "out.json.journal"
    resumed = [*given, "--resume", "--workers", 2, "--output", output]
    process = started(*resumed, hurried=False)
    assert wait_for(lambda: size(journal) > 30_000)
    workers = children(process)
    for _ in range(times):
        process.send_signal(number)
    status, told = ended(process)
    assert status == 128 + number
    line, *others = told.splitlines()
    assert line.startswith(f"{ENDINGS[number]}; ")
    assert line.endswith(" graphs are done; the same command continues from there")
    assert others == []
    assert wait_for(lambda: not living(workers)), "a worker is left"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lats.txt", "out.json.journal", "refs.txt"]
    good(oracle(*resumed))
    assert output.read_text() == good(oracle(*given)).stdout
    assert not journal.exists()


@linux
def test_a_signal_to_all_processes_of_a_job_is_one_to_the_run(tmp_path):
    given = [*data(tmp_path, graphs=300), *SOME, "--resume", "--workers", 2, "--output", tmp_path / "out"]
    process = started(*given, hurried=False, start_new_session=True)
    assert wait_for(lambda: size(tmp_path / "out.journal") > 30_000)
    os.killpg(process.pid, signal.SIGTERM)
    status, told = ended(process)
    assert (status, told.count("\n"), told[:16]) == (143, 1, "ended by SIGTERM")


def test_without_a_journal_nothing_is_promised(tmp_path):
    given = [*data(tmp_path, graphs=3000), *SOME, "--keep-going", "--format", "jsonl"]
    process = started(*given, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    rest, told = process.communicate()
    assert (process.returncode, told) == (143, b"ended by SIGTERM\n")
    assert all(json.loads(line) for line in rest.splitlines()), "lines are whole"


def test_a_signal_that_is_ignored_stays_so(tmp_path):
    given = [*data(tmp_path, graphs=100), "--metric", "wer", "--resume", "--output", tmp_path / "out"]
    process = started(*given, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # as nohup does
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    assert ended(process)[0] == 0


@linux
@pytest.mark.parametrize(("workers", "limits"), [(1, []), (2, []), (2, ["--timeout", 60, "--nbest", 2])])
def test_a_reader_that_has_seen_enough(workers, limits, tmp_path):
    """Two workers are threads; with a limit and lists of the n best, they are processes."""
    given = [*data(tmp_path, graphs=2000), "--format", "jsonl", "--workers", workers, "--keep-going", *limits]
    process = started(*given, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["id"] == "u00000"
    assert not limits or wait_for(lambda: len(children(process)) == workers)
    found = children(process)
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait() == 0
    process.stderr.close()
    assert wait_for(lambda: not living(found)), "a worker is left"


# A search that takes for ever, in a native call that lets other threads run and knows no signals. Lists of the n best
# are searched one by one.
STUCK = """
import hashlib, pathlib, signal
from latticemetric.corpus import oracles
from latticemetric.cli import main
def stuck(*_arguments, **_options):
    pathlib.Path("stuck").touch()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
oracles.oracle_by_rate = stuck
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
"""
CLOSING = """
import hashlib
from latticemetric.parallel.pool import Pool
Pool.__exit__ = lambda *_: hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
"""
LOST = """
class Lost:
    def __del__(self):
        pathlib.Path("stuck").touch()
        while True:
            pass
def stuck(*_arguments, **_options):
    Lost()
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
oracles.oracle_by_rate = stuck
"""


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("program", "workers"),
    [(STUCK, 1), (STUCK, 2), (STUCK + CLOSING, 2)],
    ids=["here", "in workers", "in workers, and the pool does not close"],
)
def test_a_run_ends_within_two_seconds_whatever_it_does(program, workers, number, tmp_path):
    given = [*data(tmp_path, graphs=40), "--nbest", 2, "--keep-going", "--resume", "--workers", workers]
    given += ["--output", tmp_path / "out"]
    command = [sys.executable, "-P", "-c", program + "main.lattice_oracle()", *map(str, given)]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    assert wait_for((tmp_path / "stuck").exists)
    workers = children(process)
    with ends_within_two_seconds(process, workers):
        for _ in range(3):
            process.send_signal(number)
            time.sleep(0.1)
        status, told = ended(process)
    assert (status, told) == (
        128 + number,
        f"{ENDINGS[number]}; 0 graphs are done; the same command continues from there\n",
    )
    assert wait_for(lambda: not living(workers)), "a worker is left"
    # A process that ends itself may leave its journal, without answers.
    assert {path.name for path in tmp_path.iterdir()} - {"out.journal"} == {"lats.txt", "refs.txt", "stuck"}


@linux
def test_an_interrupt_that_is_lost_ends_the_run_all_the_same(tmp_path):
    """Python prints and forgets what is raised where objects are deleted."""
    given = [*data(tmp_path, graphs=40), "--nbest", 2, "--workers", 1]
    command = [sys.executable, "-P", "-c", STUCK + LOST + "main.lattice_oracle()", *map(str, given)]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    assert wait_for((tmp_path / "stuck").exists)
    with ends_within_two_seconds(process, set()):
        process.send_signal(signal.SIGINT)
        status, told = ended(process)
    assert (status, told.splitlines()[-1]) == (130, "interrupted")


# --- Full disks


def limited(bytes_a_file: int, *arguments: object) -> tuple[int, str]:
    """A run whose files may not grow beyond that: to whoever writes, it is a full disk."""
    import resource

    limit = (bytes_a_file, bytes_a_file)
    return ended(started(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)))


def test_a_disk_that_is_full_under_the_journal(tmp_path):
    given = [*data(tmp_path, graphs=100), *SOME, "--format", "json", "--workers", 2]
    output, journal = tmp_path / "out.json", tmp_path / "out.json.journal"
    resumed = [*given, "--output", output, "--resume"]
    advice = "earlier answers are safe: free some space, and give the same command again"
    for limit in (0, 100, 20_000):
        told = f"error: {journal}: cannot be written: File too large; {advice}\n"
        status, said = limited(limit, *resumed)
        assert (status, said.splitlines(keepends=True)[-1]) == (2, told)
        assert size(journal) == limit
        assert not output.exists()
    good(oracle(*resumed))
    assert output.read_text() == good(oracle(*given)).stdout


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_a_disk_that_is_full_under_the_output(suffix, tmp_path):
    given = [*data(tmp_path, graphs=100), "--nbest", 3, "--format", "json"]
    output = tmp_path / f"out.json{suffix}"
    limit = 60_000 if not suffix else 2_000
    done = limited(limit, *given, "--output", output)
    assert done == (2, f"error: {output}: cannot be written: File too large\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lats.txt", "refs.txt"], "no draft is left"


def test_a_disk_that_fills_up_at_the_end_costs_no_answer(tmp_path):
    given = [*data(tmp_path, graphs=60), "--metric", "wer", "--format", "json"]
    output, journal = tmp_path / "out.json", tmp_path / "out.json.journal"
    broken = KILLED_AT + (
        "from latticemetric.formats.streams import output\n"
        "class Full:\n    def __init__(self, file): self.left = 1000\n    def write(self, data):\n"
        "        self.left -= len(data)\n        if self.left < 0: raise OSError(28, 'No space left on device')\n"
        "    def close(self): pass\n"
        "output.compressing = lambda path, raw: Full(raw)\nmain.lattice_oracle()"
    )
    command = [sys.executable, "-P", "-c", broken, *map(str, given), "--resume", "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, f"error: {output}: cannot be written: No space left on device\n")
    assert journal.exists()
    good(oracle(*given, "--resume", "--output", output))
    assert output.read_text() == good(oracle(*given)).stdout


@pytest.mark.parametrize("options", [(), ("--keep-going",)], ids=["at the end", "at once"])
def test_a_device_that_is_full(options, tmp_path):
    given = [*data(tmp_path, graphs=100), "--format", "jsonl", "--workers", 2, *options]
    with Path("/dev/full").open("wb") as full:
        done = ended(started(*given, stdout=full))
    assert done == (2, "error: standard output: cannot be written: No space left on device\n")
    assert_one_line_error(oracle(*given, "--output", "/dev/full"), "/dev/full: cannot be written")


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 kB, where we may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "latticemetric", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount")
    if done.returncode:
        pytest.skip("we may not mount a file system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)  # a process that ends may still hold a file


def test_a_small_disk(small_disk, tmp_path):
    given = [*data(tmp_path, graphs=200), "--nbest", 3, "--format", "json"]
    output, journal = small_disk / "out.json", small_disk / "out.json.journal"
    done = oracle(*given, "--output", output)
    assert_one_line_error(done, "out.json: cannot be written: No space left on device")
    assert list(small_disk.iterdir()) == []
    done = oracle(*given, "--output", output, "--resume")
    assert_one_line_error(done, r"out.json(.journal)?: cannot be written: No space left on device")
    assert list(small_disk.iterdir()) == [journal]
    subprocess.run(["mount", "-o", "remount,size=16m", str(small_disk)], check=True)
    good(oracle(*given, "--output", output, "--resume"))
    assert output.read_text() == good(oracle(*given)).stdout


def test_temporary_files_that_cannot_be_written_are_said_to_be_that(tmp_path, monkeypatch):
    from latticemetric import InputError
    from latticemetric.formats.streams import output
    from latticemetric.parallel.plain import GraphSpool

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    monkeypatch.setattr(output, "_MOST_IN_MEMORY", 10)
    monkeypatch.setattr("latticemetric.parallel.plain._MOST_IN_MEMORY", 10)
    with output.Spool() as kept, pytest.raises(InputError, match=r"none: temporary files cannot be written: No such"):
        kept.write(b"x" * 11)
    with pytest.raises(InputError, match=r"none: temporary files cannot be written: No such"):
        GraphSpool().add("a", None)


def test_an_interrupt_while_a_command_is_imported_is_told_in_one_line():
    program = """
import signal
import sys
from latticemetric.cli.main import lattice_oracle

class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "latticemetric.cli.oracle":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
lattice_oracle()
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
