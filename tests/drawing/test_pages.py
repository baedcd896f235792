"""The pictures of the pages are those that their commands make."""

import re
import shlex

import pytest
from kit.paths import ROOT

from latticemetric.cli.draw import command

KEPT = ROOT / "docs" / "_static" / "draw"
PAGES = [page.read_text(encoding="utf-8").replace("\\\n", "") for page in sorted((ROOT / "docs").rglob("*.md"))]
LINES = [line for page in PAGES for line in re.findall(r"^\$ latticemetric draw (.* -o \S+\.svg)$", page, re.MULTILINE)]
COMMANDS = {line.rpartition(" ")[2]: line for line in LINES}
SHOWN = sorted({name for page in PAGES for name in re.findall(r"\]\((?:\.\./)?_static/draw/(\S+)\)", page)})


def test_every_picture_of_a_page_is_made_on_it():
    assert set(SHOWN) <= set(COMMANDS)
    assert sorted(path.name for path in KEPT.iterdir()) == SHOWN


@pytest.mark.parametrize("name", SHOWN)
def test_the_picture_is_what_its_command_draws(name, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT / "examples" / "data")
    *arguments, _ = shlex.split(COMMANDS[name])
    command.main([*arguments, str(tmp_path / name)], standalone_mode=False)
    kept = KEPT / name
    assert (tmp_path / name).read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), (
        f"{kept.relative_to(ROOT)} is not what `latticemetric draw` makes now: look at the new one, and keep it"
    )
