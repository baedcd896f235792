"""Pictures of graphs: everything is there, nothing overlaps, and words of others do no harm."""

import re
from xml.etree import ElementTree as ET

import pytest

import latticemetric as lm
from latticemetric.drawing.pictures import svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["</svg><script>alert(1)</script>", "\"&<>'", "]]>", "a\x00b\x1b[31m", "\u202eevil\u2066", "\ud800", "\u2028"]


def read(text):
    return ET.fromstring(text.encode("utf-8"))


def written(text):
    return [element.text for element in read(text).iter(f"{SVG}text")]


def test_every_word_state_and_way_is_in_the_picture():
    lattice = lm.Lattice.from_strings(["we meet", "he meets us"], costs=[1.0, 2.0])
    best = lm.oracle(lattice, "he meets", "wer")
    text = svg(lattice, {"oracle": best.arcs, "1-best": best.one_best.arcs})
    assert {"we", "he", "meet", "meets", "us", *map(str, range(lattice.num_states))} <= set(written(text))
    names = [
        element.get("class").split()[-1] for element in read(text).iter(f"{SVG}path") if "way" in element.get("class")
    ]
    assert names.count("path-oracle") == len(best.arcs) + 1  # and a line in the legend
    assert names.count("path-1-best") == len(best.one_best.arcs) + 1


@pytest.mark.parametrize("word", HOSTILE)
def test_hostile_words_are_data(word):
    text = svg(lm.Lattice.from_strings([[word, "b"]]), title=word)
    root = read(text)
    assert {element.tag for element in root.iter()} <= {
        SVG + n for n in ("svg", "title", "style", "path", "circle", "text")
    }
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u2028]", text)
    (label,) = [e.text for e in root.iter(f"{SVG}text") if e.get("class") == "label" and e.text != "b"]
    assert re.sub("⟨([0-9A-F]+)⟩", lambda match: chr(int(match[1], 16)), label) == word


def test_the_same_graph_is_the_same_picture():
    lattice = lm.Lattice.from_strings(["a b c", "a d", "b d c"])
    assert svg(lattice) == svg(lattice)


def test_ways_are_those_of_the_graph():
    with pytest.raises(lm.UsageError, match="takes arc 9, which is not there"):
        svg(lm.Lattice.from_strings(["a"]), {"oracle": [9]})


def test_large_graphs_say_what_is_left_out():
    lattice = lm.Lattice.from_strings([f"a{n} b{n} c{n}" for n in range(50)], costs=list(map(float, range(50))))
    text = svg(
        lattice,
        {"oracle": [49, *(a for a in range(50, 150) if lattice.source[a] == lattice.target[49])]},
        most_states=12,
    )
    assert any(t.startswith("Shown: 12 of 102 states") for t in written(text))
    assert {"a0", "a3", "a49"} <= set(written(text))
    assert "a4" not in written(text)
