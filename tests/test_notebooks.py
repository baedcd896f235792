"""Notebooks run, and the outputs that are kept in them are those that come out."""

import nbformat
import pytest
from kit.paths import ROOT
from kit.patience import PATIENCE
from kit.versions import without_version
from nbclient import NotebookClient

pytest.importorskip("matplotlib")

NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
# Pictures may differ by a pixel from one version of a library to the next; that they are there is what counts.
DRAWN = ("image/png", "image/svg+xml", "text/html")


def shown(cell):
    """What a cell shows, piece by piece: text as it is, pictures by their kind."""
    found = []
    for output in cell.get("outputs", ()):
        if output.output_type != "stream":
            data = output["data"]
            drawn = [kind for kind in DRAWN if kind in data]
            found.append((output.output_type, drawn or without_version(data["text/plain"])))
        elif found and found[-1][0] == output.name:  # what is printed comes in pieces, as it happens
            found[-1] = (output.name, found[-1][1] + without_version(output.text))
        else:
            found.append((output.name, without_version(output.text)))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_did_when_it_was_kept(path):
    kept = nbformat.read(path, as_version=4)
    run = nbformat.from_dict(kept)
    for cell in run.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    NotebookClient(
        run, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    ).execute()
    code = [(old, new) for old, new in zip(kept.cells, run.cells, strict=True) if old.cell_type == "code"]
    for old, new in code:
        assert shown(new) == shown(old), old.source
    assert any(shown(old) for old, _ in code)
    assert [old.execution_count for old, _ in code] == list(range(1, len(code) + 1))


def test_there_are_notebooks():
    assert NOTEBOOKS
