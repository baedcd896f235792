"""The pictures of the page on drawing are those that its commands make."""

import re
import shlex
from pathlib import Path

import pytest

from latticemetric.cli.draw import command

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "draw.md").read_text(encoding="utf-8")
LINES = re.findall(r"^\$ latticemetric draw (.* -o \S+\.svg)$", PAGE, re.MULTILINE)
COMMANDS = {line.rpartition(" ")[2]: line for line in LINES}
SHOWN = re.findall(r"\]\(_static/draw/(\S+)\)", PAGE)


def test_every_picture_of_the_page_is_made_on_it():
    assert sorted(SHOWN) == sorted(COMMANDS)
    assert sorted(path.name for path in (ROOT / "docs" / "_static" / "draw").iterdir()) == sorted(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_the_picture_is_what_its_command_draws(name, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / "examples" / "data")
    *arguments, _ = shlex.split(COMMANDS[name])
    command.main([*arguments, str(tmp_path / name)], standalone_mode=False)
    kept = ROOT / "docs" / "_static" / "draw" / name
    assert (tmp_path / name).read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), (
        f"{kept.relative_to(ROOT)} is not what `latticemetric draw` makes now: look at the new one, and keep it"
    )
