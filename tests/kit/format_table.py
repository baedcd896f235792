"""The table of formats in docs/formats/index.md, made from the registry.

`PYTHONPATH=tests python -m kit.format_table` writes it into the page; a test checks that it is that of today's formats.
"""

import re
from pathlib import Path

from kit.paths import ROOT
from latticemetric.formats.registry import BUILT_IN, OTHER_NAMES, formats

PAGE = ROOT / "docs" / "formats" / "index.md"
NOTE = "<!-- Made by `PYTHONPATH=tests python -m kit.format_table` from `formats/registry.py`: edit that. -->"


def pages_of_formats() -> dict[str, Path]:
    """Return the page of each format: a page names its formats in its title, in brackets."""
    pages = {}
    for page in sorted(PAGE.parent.glob("*.md")):
        title = page.read_text(encoding="utf-8").partition("\n")[0]
        for name in re.findall(r"`([a-z0-9-]+)`", title):
            assert name not in pages, f"{name} has two pages"
            pages[name] = page
    return pages


def table() -> str:
    """Return the lines of the table."""
    rows = ["| Name | Format | Suffixes | Graphs in a file | Ids | Scores |", "|---|---|---|---|---|---|"]
    known, pages = formats(), pages_of_formats()
    for name, one in BUILT_IN.items():
        title = one.title if known[name].can_be_written else f"{one.title} (read only)"
        suffixes = ", ".join(f"`{suffix}`" for suffix in known[name].suffixes if known[name].can_be_written)
        assert name in pages, f"no page in {PAGE.parent} names {name} in its title"
        graphs = one.graphs or ("one" if known[name].single else "many")
        others = "".join(f", `{other}`" for other, meant in OTHER_NAMES.items() if meant == name)
        rows.append(
            f"| [`{name}`]({pages[name].name}){others} | {title} | {suffixes} | {graphs} | {one.ids} | {one.scores} |"
        )
    return "\n".join(rows) + "\n"


def written(text: str) -> str:
    """Return the page with the table of today's formats."""
    found = re.search(rf"(?:{re.escape(NOTE)}\n+)?(?:^\|.*\n)+", text, re.MULTILINE)
    assert found, "the page has no table"
    return f"{text[: found.start()]}{NOTE}\n\n{table()}{text[found.end() :]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
