"""Questions through worker processes: order, bounds, and workers that die, hang, or eat all memory."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from kit.patience import PATIENCE
from kit.work import living, told, wait_for

from latticemetric import InputError, UsageError, Vocabulary
from latticemetric.corpus.packing import graph_packing
from latticemetric.parallel import pickling
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import map_in_order
from latticemetric.parallel.pickling import Packing

MANY = 200


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, MANY])
def test_answers_come_in_order(count, workers):
    def square(number: int) -> int:
        time.sleep(0.001 * (number % 3))
        return number * number

    assert list(map_in_order(square, range(count), workers)) == [number**2 for number in range(count)]


def of_whom(seconds, folder, workers):
    """A function that returns the process it runs in; a worker waits for the others, which a busy machine may delay."""
    parent = os.getpid()

    def answer(_: int) -> int:
        time.sleep(seconds)
        if os.getpid() != parent:
            (folder / str(os.getpid())).touch()
            wait_for(lambda: len(list(folder.iterdir())) == workers, 20)
        return os.getpid()

    return answer


def test_work_is_done_elsewhere_and_by_all(tmp_path):
    assert len(set(map_in_order(of_whom(0.005, tmp_path, 3), range(60), 3)) - {os.getpid()}) == 3


def test_few_slow_questions_are_shared_too(tmp_path):
    assert len(set(map_in_order(of_whom(0.05, tmp_path, 2), range(8), 2))) == 3  # the first here, the others by two


def test_slow_questions_are_sent_one_by_one():
    """While some workers have many slow questions, others would have none at the end."""

    def slow(_: int) -> int:
        time.sleep(0.1)
        return os.getpid()

    counts = Counter(map_in_order(slow, range(48), 6))
    assert max(counts.values()) <= 14  # 8 each, and some room for a busy machine; a batch would be 16


@pytest.mark.parametrize("workers", [1, 2])
def test_questions_are_taken_as_they_are_needed(workers):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield taken

    answers = map_in_order(lambda number: number, endless(), workers)
    for number in range(1, 1001):
        assert next(answers) == number
        assert taken <= number + 128 * workers + 16
    answers.close()


def test_bytes_under_way_are_bounded():
    most = 0
    answered = 0

    def large():
        nonlocal most
        for number in range(1, 121):
            most = max(most, number - answered)
            yield b"x" * 2**22

    for _ in map_in_order(len, large(), 2):
        answered += 1
    assert answered == 120
    assert most <= 20  # 64 MB of 4 MB each, and what is taken in at the beginning


class Held:
    """Bytes of a file that a question keeps in memory: here, only their number."""

    def __init__(self, size: int, unreleased: list["Held"]) -> None:
        self.size, self.unreleased = size, unreleased
        unreleased.append(self)

    def release(self) -> None:
        self.unreleased.remove(self)


class HoldingPacking(Packing):
    """Pickles questions, each of which holds bytes of a file."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.held_size, self.unreleased, self.most = size, list[Held](), 0

    def pack(self, question, *, whole=False):
        packed = super().pack(question, whole=whole)
        held = Held(self.held_size, self.unreleased)
        self.most = max(self.most, len(self.unreleased))
        return packed._replace(held=(held,))


@pytest.mark.parametrize(("megabytes", "most"), [(1, 17), (20, 3)])
@pytest.mark.parametrize("first_is_slow", [False, True])
@pytest.mark.parametrize("limits", [Limits(), Limits(timeout=PATIENCE)])
def test_bytes_of_files_are_held_until_the_answer_only(megabytes, most, first_is_slow, limits, tmp_path):
    whom = of_whom(0.002, tmp_path, 2)

    def slow_at_first(number: int) -> int:
        time.sleep(0.5 if first_is_slow and number == 0 else 0)
        return whom(number)

    packing = HoldingPacking(megabytes << 20)
    workers = list(map_in_order(slow_at_first, range(MANY), 2, packing=lambda: packing, limits=limits))
    assert len(workers) == MANY
    assert len(set(workers)) == 2  # nobody waits for the first answer, or for bytes that others hold
    assert packing.most <= most  # 8 MB for each worker, and one more; or one question for each worker, and one more
    assert not packing.unreleased


@pytest.mark.parametrize("limits", [Limits(), Limits(timeout=3.0)])
def test_questions_without_an_answer_let_go_of_their_bytes(limits):
    def fatal(number: int) -> int:
        if number in {3, 20}:
            if not limits:
                os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
        return number

    packing = HoldingPacking(1 << 20)
    found = list(map_in_order(fatal, range(40), 2, lost=lambda *_: -1, packing=lambda: packing, limits=limits))
    assert found == [-1 if number in {3, 20} else number for number in range(40)]
    assert not packing.unreleased


def test_large_questions_and_answers_block_nobody():
    large = [bytes([number]) * 3_000_000 for number in range(40)]
    assert list(map_in_order(lambda data: data[::-1], large, 2)) == large


def test_errors_of_questions_come_after_the_answers_before_them():
    def questions():
        yield from range(50)
        raise InputError("the archive ends")

    answers = map_in_order(lambda number: number, questions(), 2)
    assert [next(answers) for _ in range(50)] == list(range(50))
    with pytest.raises(InputError, match="the archive ends"):
        next(answers)


class UnpicklableError(Exception):
    """What pickle writes, and cannot read."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def test_an_error_that_cannot_be_pickled_is_told():
    def fail(number: int) -> int:
        if number == 20:
            raise UnpicklableError(1, 2)
        return number

    answers = map_in_order(fail, range(MANY), 2)
    assert [next(answers) for _ in range(20)] == list(range(20))
    with pytest.raises(RuntimeError, match="UnpicklableError: 1 and 2") as caught:
        next(answers)
    assert "in fail" in caught.value.__notes__[0]  # where it arose is not lost


def test_an_answer_that_cannot_be_pickled_is_an_error():
    with pytest.raises(Exception, match="pickle"):
        list(map_in_order(lambda _: lambda: None, range(MANY), 2))


def test_what_kills_its_worker_twice_has_no_answer():
    def answer(number: int) -> str:
        if number == 37:
            os.kill(os.getpid(), signal.SIGKILL)
        return str(number)

    expected = [str(number) for number in range(MANY)]
    expected[37] = (
        "37: the worker process was killed by SIGKILL twice on this task; "
        "it may need more memory: use fewer workers, or prune the graph"
    )
    assert list(map_in_order(answer, range(MANY), 3, lost=told)) == expected


def test_who_asks_no_better_gets_an_error_for_it():
    answers = map_in_order(lambda number: os._exit(7) if number == 5 else number, range(MANY), 2)
    assert [next(answers) for _ in range(5)] == list(range(5))
    with pytest.raises(InputError, match="ended with status 7"):
        next(answers)


@pytest.mark.parametrize("what", ["fork", "thread"])
def test_a_system_that_allows_no_further_process_or_thread_is_told(what, monkeypatch, capfd):
    def no_fork():
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    def no_thread(_thread):
        raise RuntimeError("can't start new thread")

    if what == "fork":
        monkeypatch.setattr(os, "fork", no_fork)
    else:
        monkeypatch.setattr(threading.Thread, "start", no_thread)
    with pytest.raises(UsageError, match="the system allows no further process or thread; use fewer workers"):
        list(map_in_order(lambda number: number, range(4), 2, limits=Limits(timeout=PATIENCE)))
    assert capfd.readouterr().err == ""


def test_a_worker_killed_once_costs_nothing(tmp_path):
    def answer(number: int) -> int:
        mark = tmp_path / "killed"
        if number == 50 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert list(map_in_order(answer, range(MANY), 2)) == list(range(MANY))
    assert (tmp_path / "killed").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_what_takes_too_long_has_no_answer(workers):
    def answer(number: int) -> str:
        if number in {0, 5, 6, 9}:
            time.sleep(60)
        return str(number)

    answers = list(map_in_order(answer, range(10), workers, lost=told, limits=Limits(timeout=2.0)))
    why = "the search takes more than 2 seconds; prune the graph, or allow more time: timeout=…"
    late = {number: f"{number}: {why}" for number in (0, 5, 6, 9)}
    assert answers == [late.get(number, str(number)) for number in range(10)]


@pytest.mark.parametrize("size", [1, 300_000], ids=["small", "more than a pipe takes in"])
def test_time_that_the_reader_of_answers_takes_is_no_graphs_fault(size):
    def answer(number: int) -> str:
        return str(number % 10) * size

    answers = []
    for found in map_in_order(answer, range(40), 2, limits=Limits(timeout=4.0), lost=told):
        answers.append(found)
        if len(answers) == 5:
            time.sleep(5)
    assert answers == list(map(answer, range(40)))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_what_needs_too_much_memory_has_no_answer():
    def answer(number: int) -> str:
        return str(len(bytes(2**29 if number == 3 else 10)))

    answers = list(map_in_order(answer, range(6), 1, lost=told, limits=Limits(memory=2**27)))
    advice = "prune the graph, or shorten its reference if there is one, or allow more: "
    lost = f"3: this graph needs more than 128 MB of memory; {advice}"
    assert answers.pop(3).startswith(lost)
    assert answers == ["10"] * 5


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_question_that_needs_too_much_memory_by_itself_hangs_nobody_and_costs_no_other():
    questions = [bytes(2**20 if number != 3 else 2**26) for number in range(20)]
    answers = list(map_in_order(len, questions, 2, lost=lambda _, error: str(error), limits=Limits(memory=2**23)))
    assert "this graph needs more than 8 MB of memory; " in answers.pop(3)
    assert answers == [2**20] * 19


def test_a_thread_that_has_constants_in_hand_while_another_one_forks_holds_no_worker_up():
    words = Vocabulary.from_words(map(str, range(200)))
    held = threading.Event()

    def hold() -> None:
        with pickling._lock:
            held.set()
            time.sleep(0.5)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    questions = [(number, words) for number in range(40)]
    ask, limits = (lambda question: question[0] + len(question[1])), Limits(timeout=PATIENCE)
    answers = map_in_order(ask, questions, 2, limits=limits, packing=graph_packing)
    assert list(answers) == [number + len(words) for number in range(40)]
    thread.join()


@pytest.mark.parametrize("limits", [{"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"memory": 0}])
def test_limits_that_make_no_sense(limits):
    with pytest.raises(UsageError):
        Limits(**limits)


@pytest.mark.parametrize("workers", ["four", ThreadPoolExecutor(1)], ids=["text", "an executor"])
def test_workers_that_are_none_are_refused(workers):
    with pytest.raises(UsageError, match="is neither a number nor a Dask client; give a number of processes, or"):
        list(map_in_order(abs, range(3), workers))


def test_workers_end_with_what_they_were_for():
    answers = map_in_order(lambda _: time.sleep(0.002) or os.getpid(), range(10_000), 3)
    pids = {next(answers) for _ in range(100)}
    assert living(pids) == pids
    answers.close()
    assert living(pids) == set()


ORPHANS = """
import os, signal, sys, time
from latticemetric.parallel.map import map_in_order
from latticemetric.parallel.pickling import Packing
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background inherits that it is ignored
def answer(number):
    with open(sys.argv[1], "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(60)
for _ in map_in_order(answer, range(100), 2):
    pass
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_its_parent(number, tmp_path):
    pids = tmp_path / "pids"
    parent = subprocess.Popen([sys.executable, "-P", "-c", ORPHANS, str(pids)], stderr=subprocess.DEVNULL)
    assert wait_for(lambda: pids.exists() and len(pids.read_text().split()) >= 2)
    parent.send_signal(number)
    parent.wait(timeout=PATIENCE)
    workers = {int(pid) for pid in pids.read_text().split()}
    assert wait_for(lambda: not living(workers)), "an orphan is left"


ENDS = """
import sys, time
from latticemetric.parallel.map import map_in_order
answers = map_in_order(lambda number: time.sleep(0.01) or number, range(10**6), 2)
print(next(answers), flush=True)
"""


def test_a_process_ends_that_keeps_the_iterator_of_a_run():
    done = subprocess.run(
        [sys.executable, "-P", "-c", ENDS], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


WITHIN = """
import multiprocessing, time
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import map_in_order

def work(number):
    time.sleep(0.01)
    return number

def run(_):
    return list(map_in_order(work, range(40), 2, limits=Limits(timeout=300)))

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(1) as pool:
        print(pool.map(run, [0]) == [list(range(40))])
"""


def test_a_worker_of_multiprocessing_may_have_workers(tmp_path):
    pytest.importorskip("cloudpickle")
    script = tmp_path / "within.py"
    script.write_text(WITHIN)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
