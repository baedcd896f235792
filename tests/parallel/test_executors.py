"""Questions answered by executors: threads, forked processes, and processes that know nothing beforehand."""

import multiprocessing
import os
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import pytest
from kit.many_graphs import data
from kit.work import heavy, told

import latticemetric as lm
from latticemetric import InputError, LatticeMetricError, UsageError
from latticemetric.batch.answers import answers_of
from latticemetric.formats.reading import entries
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import Run
from latticemetric.parallel.pool import map_in_order

MANY = 200


def square(number: int) -> int:
    return number * number


def spawned(workers: int) -> Executor:
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"))


@pytest.fixture(params=[ThreadPoolExecutor, spawned], ids=["threads", "processes"], scope="module")
def executor(request):
    with request.param(2) as found:
        yield found


@pytest.mark.parametrize("count", [0, 1, 17, MANY])
def test_answers_come_in_order(count, executor):
    assert list(map_in_order(square, range(count), executor)) == [number**2 for number in range(count)]


def test_an_executor_is_nobodys_but_its_owners(executor):
    for _ in range(2):  # it is not shut down, and does not mind that nobody reads to the end
        answers = map_in_order(square, range(10_000), executor)
        assert [next(answers) for _ in range(5)] == [0, 1, 4, 9, 16]
        answers.close()


def test_questions_are_taken_as_they_are_needed(executor):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield taken

    answers = map_in_order(square, endless(), executor)
    for number in range(1, 1001):
        assert next(answers) == number**2
        assert taken <= number + 128 * 2 + 64
    answers.close()


def test_bytes_under_way_are_bounded(executor):
    most = answered = 0

    def large():
        nonlocal most
        for number in range(1, 121):
            most = max(most, number - answered)
            yield b"x" * 2**22

    for _ in map_in_order(len, large(), executor):
        answered += 1
    assert answered == 120
    assert most <= 20  # 64 MB of 4 MB each, and what is taken in at the beginning


def test_errors_of_questions_come_after_the_answers_before_them(executor):
    def questions():
        yield from range(50)
        raise InputError("the archive ends")

    answers = map_in_order(square, questions(), executor)
    assert [next(answers) for _ in range(50)] == [number**2 for number in range(50)]
    with pytest.raises(InputError, match="the archive ends"):
        next(answers)


def fail(number: int) -> int:
    if number == 20:
        raise InputError("this is no number")
    return number


def test_errors_of_answers_come_when_it_is_their_turn(executor):
    answers = map_in_order(fail, range(MANY), executor)
    assert [next(answers) for _ in range(20)] == list(range(20))
    with pytest.raises(InputError, match="this is no number"):
        next(answers)


def test_limits_are_held_in_processes_that_can_be_killed(executor):
    answers = list(map_in_order(heavy, range(10), executor, lost=told, limits=Limits(timeout=1.0)))
    expected = list(map(str, range(10)))
    expected[3] = "3: it takes more than 1 seconds"
    expected[5] = (
        "5: the process that worked on it was twice killed by SIGKILL; perhaps there is too little memory for it"
    )
    assert answers == expected


def test_workers_that_are_not_there_yet_are_waited_for(executor, monkeypatch):
    monkeypatch.setattr("latticemetric.parallel.executors._OfExecutor.slots", lambda _: 0)
    assert list(map_in_order(square, range(MANY), executor)) == [number**2 for number in range(MANY)]


def test_a_broken_executor_is_said():
    with spawned(1) as executor, pytest.raises(LatticeMetricError, match="the executor is broken"):
        list(map_in_order(die, range(MANY), executor))


def die(number: int) -> int:
    if number == 50:
        os._exit(3)
    return number


def test_an_executor_that_is_shut_down_is_said():
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(UsageError, match="takes no work"):
        list(map_in_order(square, range(3), executor))


def test_what_answers_nothing_is_refused():
    with pytest.raises(UsageError, match="is no number, executor or Dask client"):
        list(map_in_order(square, range(3), "four"))


def test_what_cannot_be_sent_is_said():
    def locked(_: int, lock: object = threading.Lock()) -> None:
        del lock

    with ThreadPoolExecutor(1) as executor:
        assert list(map_in_order(locked, range(3), executor)) == [None] * 3  # threads need not send it
        with pytest.raises(UsageError, match="cannot be sent to other processes"):
            list(map_in_order(locked, range(3), executor, limits=Limits(timeout=9)))


class Counting(Executor):
    """Passes work on to processes, and counts what it would send."""

    def __init__(self, other: Executor) -> None:
        self._other, self._max_workers, self.sizes = other, 2, []

    def submit(self, function, /, *arguments) -> Future:
        import pickle

        self.sizes.append(len(pickle.dumps(arguments)))
        return self._other.submit(function, *arguments)


def asked(graph: lm.Lattice) -> lm.Lattice:
    return graph


def test_a_symbol_table_travels_once_a_process_and_places_in_files_do(tmp_path):
    archive, _ = data(tmp_path)
    table = lm.Vocabulary(dict(enumerate([*(f"w{number}" for number in range(30)), *map(str, range(50_000))], start=1)))
    with spawned(2) as processes:
        executor = Counting(processes)
        run = Run(executor)
        answers = list(answers_of(entries([str(archive)], None, table), asked, run))
        alone = list(answers_of(entries([str(archive)], None, table), asked, Run()))
    assert [answer.name for answer in answers] == [answer.name for answer in alone]
    for one, other in zip(answers, alone, strict=True):
        assert one.value.word.tolist() == other.value.word.tolist()
        assert one.value.vocabulary == table
    large = [size for size in executor.sizes if size > 300_000]
    assert len(large) <= 16  # two that come first, and what was under way before each process had it
    assert min(large) > 400_000 > 64 * 600 > max(size for size in executor.sizes if size not in large)


def test_a_file_that_changes_meanwhile_is_not_read_again(tmp_path, executor):
    archive, _ = data(tmp_path)
    expected = [answer.value.word.tolist() for answer in answers_of(entries([str(archive)]), asked, Run())]
    questions = list(entries([str(archive)]))
    content = archive.read_bytes()
    for changed in (None, content[::-1], content.replace(b"w1", b"w2")):
        archive.unlink() if changed is None else archive.write_bytes(changed)
        found = list(answers_of(questions, asked, Run(executor)))
        assert [answer.value.word.tolist() for answer in found] == expected


def test_archives_of_scripts_are_read_here_where_there_are_none(tmp_path, executor, monkeypatch):
    archive, _ = data(tmp_path, broken=(5,))
    text = archive.read_bytes()
    names = [f"u{number:05d}" for number in range(60)]
    lines = [f"{name} lats.txt:{text.index(f'{name} '.encode()) + 7}\n" for name in names]
    (tmp_path / "lats.scp").write_text("".join([*lines, "none lats.txt:99999999\n"]))
    monkeypatch.chdir(tmp_path)  # processes that are there already work elsewhere: they have no such file
    list(map_in_order(square, range(50), executor))

    def answers(workers):
        found = answers_of(entries(["lats.scp"]), asked, Run(workers, keep_going=True))
        return [(one.name, str(one.problem), one.value and one.value.word.tolist()) for one in found]

    assert answers(executor) == answers(1)
    assert [name for name, problem, _ in answers(1) if problem != "None"] == ["u00005", "none"]


def count_paths(graph: lm.Lattice) -> int:
    return graph.statistics().paths


def test_each_graph_is_asked_a_question(tmp_path, executor):
    archive, references = data(tmp_path, broken=(3,))
    ask = partial(lm.oracle, metric="wer")
    alone, many = (list(lm.ask_each(ask, archive, references, workers=who, keep_going=True)) for who in (1, executor))
    assert [(one.name, one.value, str(one.problem)) for one in many] == [
        (one.name, one.value, str(one.problem)) for one in alone
    ]
    assert [one.name for one in many if one.problem] == ["u00003"]
    with pytest.raises(InputError, match=r"lats\.txt"):
        list(lm.ask_each(count_paths, [archive], workers=executor))


def test_graphs_in_memory_are_asked_too(executor):
    graphs = [(name, lm.Lattice.from_strings([name, "x"])) for name in "abc"]
    assert [(one.name, one.value) for one in lm.ask_each(count_paths, graphs, workers=executor)] == [
        (name, 2) for name in "abc"
    ]


def test_a_sweep_takes_an_executor(executor):
    lattices = [lm.Lattice.from_strings(["a x c", "a b c"], costs=[1.0, 2.0])] * 40
    given = (lattices, ["a b c"] * 40, "wer")
    assert lm.sweep(*given, nbest=[1, 2], workers=executor).rows == lm.sweep(*given, nbest=[1, 2]).rows
