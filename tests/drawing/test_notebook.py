"""What notebooks show: graphs and answers as pictures and tables."""

import gc
import pickle
import re
from xml.etree import ElementTree as ET

import pytest

import latticemetric as lm
from latticemetric.drawing.notebook import MOST_STEPS

HOSTILE = "</td><script>alert(1)</script>\u202e"


def parsed(html):
    return ET.fromstring(f"<html>{html}</html>")


def lattice():
    return lm.Lattice.from_strings(["we meet", "he meets us"], costs=[1.0, 2.0])


def forest():
    return lm.Forest.from_edges([0, 0, 1], [[], [], [0]], [[1], [2], [-1, 3]], goals=[1])


@pytest.mark.parametrize(
    "graph",
    [lattice(), forest(), forest().tree([2, 0]), lm.consensus(lattice()), lm.draw(lattice())],
    ids=lambda graph: type(graph).__name__,
)
def test_graphs_show_themselves(graph):
    assert ET.fromstring(graph._repr_svg_()).tag == "{http://www.w3.org/2000/svg}svg"


def test_large_graphs_are_cut_down_saying_so():
    large = lm.Lattice.from_strings([f"a{n} b{n}" for n in range(500)], costs=list(map(float, range(500))))
    picture = large._repr_svg_()
    assert "Shown: 60 of 502 states" in picture
    assert len(picture) < 100_000


def test_alignments_are_tables_that_need_no_colours():
    root = parsed(lm.WER().align("a x c e", "a b c d e").__class__(("a", "x"), ("a", "b", "c"), "CSD")._repr_html_())
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
    assert rows == [["reference", "a", "b", "c"], ["hypothesis", "a", "x", "·"], ["edit", "", "S", "D"]]
    assert "S substitution, D deletion" in "".join(root.itertext())


def test_words_in_tables_are_data():
    html = lm.WER().align([HOSTILE], ["b"])._repr_html_()
    assert "<script" not in html
    assert "\u202e" not in html
    cell = parsed(html).findall(".//tr")[1].findall("td")[0]
    assert cell.text == HOSTILE.replace("\u202e", "⟨202E⟩")


def test_long_alignments_are_cut_saying_so():
    html = lm.WER().align(["a"] * 1000, ["a"] * 1000)._repr_html_()
    assert f"Shown: {MOST_STEPS} of 1000 steps." in html
    assert html.count("<td") == 3 * MOST_STEPS


@pytest.mark.parametrize("graph", [lattice(), forest()], ids=["lattice", "forest"])
def test_oracles_show_their_graph_and_how_they_are_aligned(graph):
    words = "he meets" if isinstance(graph, lm.Lattice) else "1"
    best = lm.oracle(graph, words, "wer")
    html = best._repr_html_()
    assert parsed(html).find(".//{http://www.w3.org/2000/svg}svg") is not None
    assert html.count("<table>") == 2
    assert {"path-oracle", "path-1-best"} <= set(re.findall(r"path-[\w-]+", html))
    assert f"({best.numerator}/{best.denominator})" in html
    assert best.signature in html


def test_graphs_are_not_kept_alive_by_their_oracles():
    best = lm.oracle(lattice(), "he meets", "wer")
    gc.collect()
    assert "<svg" not in best._repr_html_()
    assert "<table>" in best._repr_html_()


def test_oracles_travel_without_their_graphs():
    graph = lattice()
    best, *_ = lm.oracles(graph, "he meets", "wer", n=2)
    assert "<svg" in best._repr_html_()
    sent = pickle.loads(pickle.dumps(best))
    assert sent == best
    assert "<svg" not in sent._repr_html_()
