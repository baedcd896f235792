"""Programs with threads of their own: workers begin, and the interpreter ends, whatever the threads do meanwhile."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.cached import cached_property

GRAPHS = """
import os, random, sys, threading, time
import latticemetric as lm
strings = [" ".join(random.Random(k).choices("abcdefgh", k=6)) for k in range(60)]
lattice = lm.Lattice.from_strings(strings, costs=[k / 10 for k in range(60)])
"""

BUSY = """
def work():
    while True:
        lm.mbr(lattice)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
"""


def done(program: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


ASKED = """
from functools import partial
graphs = [(str(k), lattice) for k in range(100)]
for _ in range(3):
    answers = lm.Corpus(graphs).map(partial(lm.mbr, posterior_scale=0.5), workers=2, timeout=30)
    assert [answer.value.words for answer in answers] == [lm.mbr(lattice, posterior_scale=0.5).words] * 100
print("answered", flush=True)
os._exit(0)
"""


def test_workers_begin_while_threads_hold_locks():
    """A copy of the process would wait for ever for a lock that a thread held when it was made."""
    found = done(GRAPHS + BUSY + ASKED)
    assert (found.returncode, found.stdout) == (0, "answered\n"), found.stderr


COPIED = """
from latticemetric.parallel.map import map_in_order
def of_this_program(graph):
    return lm.mbr(graph).words
for ask in (of_this_program, lambda graph: lm.mbr(graph).words, of_this_program):
    words = list(map_in_order(ask, [lattice] * 60, 2))
    assert words == [lm.mbr(lattice).words] * 60
print("answered", flush=True)
os._exit(0)
"""


def test_what_cannot_be_sent_to_a_program_is_asked_of_copies_which_find_no_property_locked():
    # What threads are importing at that moment is locked all the same: here, nothing is.
    imported = "lm.mbr(lattice)\n"
    found = done("import sys\nsys.modules['cloudpickle'] = None\n" + GRAPHS + imported + BUSY + COPIED)
    assert (found.returncode, found.stdout) == (0, "answered\n"), found.stderr


def test_the_command_line_forks_though_a_thread_waits_for_signals():
    program = (
        "from latticemetric.cli.signals import listen\nfrom latticemetric.parallel.pool import other_threads_live\n"
    )
    found = done(program + "listen()\nprint(other_threads_live())")
    assert found.stdout == "False\n", found.stderr


ENDING = """
states = 3000
arcs = [(k, k + 1, word) for k in range(states) for word in range(1, 7)]
wide = lm.Lattice.from_arcs(*zip(*arcs), final=[states])
def work():
    while True:
        lm.oracle(wide, "1 2 3 4 5 6 " * 5, "wer")
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
"""


@pytest.mark.parametrize("_time", range(3))
def test_an_interpreter_that_ends_does_not_abort_threads_in_native_calls(_time):
    found = done(GRAPHS + ENDING)
    assert (found.returncode, found.stderr) == (0, "")


def test_the_package_has_one_property_without_a_lock_and_no_other():
    package = Path(lm.__file__).parent
    from_functools = re.compile(r"functools\.cached_property|from functools import .*cached_property")
    sources = {
        str(path.relative_to(package)) for path in package.rglob("*.py") if from_functools.search(path.read_text())
    }
    assert sources == {"cached.py"}


def test_a_property_is_computed_while_another_thread_computes_that_of_another_object():
    begun, free = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, waits):
            self.waits = waits

        @cached_property
        def value(self):
            if self.waits:
                begun.set()
                assert free.wait(60)
            return self.waits

    slow, quick = Slow(waits=True), Slow(waits=False)
    thread = threading.Thread(target=lambda: slow.value, daemon=True)
    thread.start()
    assert begun.wait(60)
    read = threading.Thread(target=lambda: quick.value, daemon=True)
    read.start()
    read.join(60)
    assert vars(quick) == {"waits": False, "value": False}
    free.set()
    thread.join(60)
    assert vars(slow) == {"waits": True, "value": True}


FORKED = """
import signal, warnings
warnings.simplefilter("ignore", DeprecationWarning)
lists = {f"s{k}": [" ".join(random.Random(9 * k + j).choices("abcd", k=6)) for j in range(4)] for k in range(3)}
def networks():
    return lm.consensus(lattice).words, lm.combine({k: lm.Lattice.from_strings(v) for k, v in lists.items()}).words
expected = networks()
def work():
    while True:
        networks()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
for _ in range(40):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if networks() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
print("answered", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_copy_of_the_process_makes_networks_whatever_threads_were_making_at_that_moment():
    found = done(GRAPHS + FORKED, 120)
    assert (found.returncode, found.stdout) == (0, "answered\n"), found.stderr
