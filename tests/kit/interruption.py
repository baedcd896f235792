"""Graphs that take their time."""

# However fast the machine, somebody can still stop this one while it is at work; even where tests run in the
# background of a shell, which has interrupts ignored.
UNHURRIED = """
import signal, time
from latticemetric.parallel.journal import Journal
from latticemetric.cli import main
keep = Journal._keep
def keep_slowly(journal, answer):
    keep(journal, answer)
    time.sleep(0.05)
Journal._keep = keep_slowly
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
main.lattice_oracle()
"""
