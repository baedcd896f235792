"""Results on a terminal: colours only where they can be seen."""

import pytest

import latticemetric as lm
from latticemetric.cli.results import alignment_lines


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"TERM": "xterm-256color"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)],
)
def test_alignments_have_colours_where_a_terminal_has_them(environment, coloured, monkeypatch):
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    alignment = lm.oracle(lm.Lattice.from_strings(["a b"]), "a c", "wer").alignment
    assert "\x1b" not in "".join(alignment_lines(alignment))  # into a pipe or a file
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert ("\x1b" in "".join(alignment_lines(alignment))) is coloured
