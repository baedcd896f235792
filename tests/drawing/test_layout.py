"""Layouts keep their promises: nothing lies over anything else, and every link is there from end to end."""

import dataclasses
import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.pictures import crossed_texts, outside, overlaps
from kit.strategies import lattices

import latticemetric as lm
from latticemetric.display.text import display_width, visible
from latticemetric.drawing.api import Drawing, draw
from latticemetric.drawing.diagram import LATTICE, Diagram, Link, Vertex
from latticemetric.drawing.layout import crossings, layered_graph, layers_of, ordered_columns
from latticemetric.drawing.terminal import detour_rows, detours, main_path

WORDS = ["a", "word", "Rechtsschutzversicherung", "漢字", "MMWW@@", "\u202ex", "naïve", ""]
VOCABULARY = lm.Vocabulary.from_words(word for word in WORDS if word)
MOST_STATES = 60


@st.composite
def large_lattices(draw_):
    """Up to 60 states, with arcs that skip many of them and with parallel ones."""
    states = draw_(st.integers(2, MOST_STATES))
    random = np.random.default_rng(draw_(st.integers(0, 2**32 - 1)))
    more = draw_(st.integers(0, 2 * MOST_STATES - states))
    longest = draw_(st.integers(1, states))
    source = [*range(states - 1), *random.integers(0, states - 1, more).tolist()]
    target = [
        *range(1, states),
        *(min(states - 1, s + 1 + int(random.integers(longest))) for s in source[states - 1 :]),
    ]
    return lm.Lattice.from_arcs(
        source,
        target,
        random.integers(0, len(VOCABULARY) + 1, len(source)),
        final=[states - 1],
        scores={"cost": lm.Column(random.random(len(source)), [0.0])},
        vocabulary=VOCABULARY,
        times=np.arange(states) / 7 if draw_(st.booleans()) else None,
    )


def check(drawing):
    picture = drawing.picture()
    assert overlaps(picture) == []
    assert crossed_texts(picture) == []
    assert outside(picture) == []
    return picture


def touches(point, rectangle):
    return rectangle.left - 1 <= point.x <= rectangle.right + 1 and rectangle.top - 1 <= point.y <= rectangle.bottom + 1


@settings(max_examples=15, deadline=None)
@given(large_lattices(), st.booleans())
def test_nothing_overlaps_in_lattices_of_up_to_sixty_states(lattice, with_posteriors):
    best = lm.oracle(lattice, "a word a", "wer")
    found = lm.posteriors(lattice) if with_posteriors else None
    drawing = draw(lattice, ways={"oracle": best, "1-best": best.one_best}, posteriors=found)
    picture = check(drawing)
    for link, curve in zip(drawing.diagram.links, picture.curves, strict=True):
        for end, point in ((link.source, curve.points[0]), (link.target, curve.points[-1])):
            assert touches(point, picture.shapes[end].rectangle)


@settings(max_examples=30, deadline=None)
@given(lattices(), st.data())
def test_every_highlighted_path_is_a_line_from_the_start_to_an_end(lattice, data):
    paths = list(lattice.paths())
    ways = {name: data.draw(st.sampled_from(paths)).arcs for name in ("oracle", "1-best", "mbr")}
    picture = check(draw(lattice, ways=ways))
    for number, arcs in enumerate(ways.values()):
        taken = [curve for curve in picture.curves if number in curve.paths]
        assert len(taken) == len(set(arcs))
        assert [shape for shape in picture.shapes if number in shape.paths] or not arcs


@pytest.mark.parametrize("reference", ["", "a", "a b", "the cat the cat sat"])
@pytest.mark.parametrize("metric", ["wer", "2-grr", "4-grr"])
def test_nothing_overlaps_in_automata(metric, reference):
    check(draw(lm.make_metric(metric), reference=reference))


def test_nothing_overlaps_in_forests_networks_and_trees():
    words = lm.Vocabulary.from_words(["a", "Rechtsschutzversicherung"])
    forest = lm.Forest.from_edges(
        [0, 0, 1, 2, 2, 3, 3],
        [[], [], [0], [0, 1], [1, 0], [2, 1, 0], [2]],
        [[1], [2, 2], [2, -1], [-1, -2], [-2, 1, -1], [-3, 2, -1, 1, -2], [1, -1]],
        goals=[3],
        vocabulary=words,
    )
    best = lm.oracle(forest, "a a", "wer")
    check(draw(forest, ways={"oracle": best}, posteriors=lm.posteriors(forest)))
    check(draw(forest.tree(best.edges)))
    lattice = lm.Lattice.from_strings(["a b c", "a longer d", "a d e"], costs=[0.0, 0.1, 0.2])
    check(draw(lm.consensus(lattice)))


def grid(columns, rows):
    """Every state of a layer joined to every one of the next: nobody can draw that without crossings."""
    vertices = tuple(Vertex(str(n)) for n in range(columns * rows + 2))
    layers = [[0], *([1 + c * rows + r for r in range(rows)] for c in range(columns)), [columns * rows + 1]]
    links = tuple(Link(a, b, "w") for here, there in pairwise(layers) for a in here for b in there)
    return Diagram(LATTICE, "grid", vertices, links)


def test_a_planar_graph_has_no_crossings():
    ladder = lm.Lattice.from_strings([f"{a} {b} {c}" for a in "ab" for b in "cd" for c in "ef"])
    diagram = draw(ladder).diagram
    graph = layered_graph(diagram, layers_of(diagram))
    assert crossings(graph, ordered_columns(graph)) == 0


def test_crossings_are_counted():
    diagram = grid(2, 2)
    graph = layered_graph(diagram, layers_of(diagram))
    assert crossings(graph, ordered_columns(graph)) == 1
    check(Drawing(grid(3, 4)))


# --- Letters on a terminal

README = """\
    we *     should *      meet *       on       monday
(0)══════(1)══════════(2)══════════(4)══════(5)══════════((6))
  ╰─ he ─╯ │            ╰── beat ──┤ ├─ in ─╯ ╰─ sunday ─┤
           ╰──── shut ────(3)─ it ─╯ ╰─────── ε * ───────╯

     reference   we should all meet on monday
═══  oracle      we should     meet on monday  1/6
 *   1-best      we should     meet            3/6
"""


def meeting():
    return lm.Lattice.from_arcs(
        [0, 0, 1, 1, 2, 2, 3, 4, 4, 4, 5, 5],
        [1, 1, 2, 3, 4, 4, 4, 5, 5, 6, 6, 6],
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10, 11],
        final=[6],
        scores={"cost": lm.Column([3.4, 4.4, 6.0, 6.9, 4.3, 5.5, 4.1, 2.1, 2.3, 2.5, 6.8, 6.7], [0.0])},
        vocabulary=lm.Vocabulary.from_words(
            ["we", "he", "should", "shut", "meet", "beat", "it", "on", "in", "monday", "sunday"]
        ),
    )


def test_a_lattice_in_letters():
    best = lm.oracle(meeting(), "we should all meet on monday", "wer")
    assert draw(meeting(), ways={"oracle": best, "1-best": best.one_best}).text() == README


def test_what_is_too_wide_is_a_list():
    text = draw(meeting(), ways={"1-best": [0, 2, 4, 9]}).text(40)
    lines = text.splitlines()
    assert lines[0] == "*  (0)  →  (1)    we"
    assert len([line for line in lines if "→" in line]) == 12
    assert lines[-1].startswith("This is a list, since the picture needs 60 columns and the terminal has 40: widen the")
    assert "═" not in text


@settings(max_examples=60, deadline=None)
@given(large_lattices())
def test_terminals_show_every_word_and_state(lattice):
    drawing = draw(lattice, times=False)
    rows = drawing.text(None).partition("\n\n")[0]
    for vertex in drawing.diagram.vertices:
        assert rows.count(f"({vertex.text})") == 1
    for word, links in Counter(visible(link.label) for link in drawing.diagram.links).items():
        assert len(re.findall(rf"(?<!\S){re.escape(word)}(?!\S)", rows)) == links


UPWARD, DOWNWARD = set("│╰╯├┤┴┼"), set("│╭╮├┤┬┼")


@settings(max_examples=60, deadline=None)
@given(large_lattices())
def test_lines_on_terminals_are_not_broken(lattice):
    lattice = dataclasses.replace(lattice, vocabulary=lm.Vocabulary.from_words(list("abcdefgh")))
    rows = draw(lattice, times=False).text(None).partition("\n\n")[0].splitlines()
    wide = max(map(len, rows))
    sheet = [row.ljust(wide) for row in rows]
    for above, below in pairwise(sheet):
        for upper, lower in zip(above, below, strict=True):
            # A box may stand at either end.
            assert lower not in UPWARD or upper in DOWNWARD or upper in "()0123456789"
            assert upper not in DOWNWARD or lower in UPWARD or lower in "()0123456789"


@settings(max_examples=60, deadline=None)
@given(large_lattices())
def test_detours_hold_every_link_once_and_share_no_row(lattice):
    diagram = draw(lattice).diagram
    main = main_path(diagram)
    found = detours(diagram, main)
    assert sorted([*main, *(number for detour in found for number in detour.links)]) == list(range(len(diagram.links)))
    rows = detour_rows(found)
    for detour, row in rows.items():
        assert row >= 1
        for other, same in rows.items():
            if other is not detour and same == row:
                assert detour.last <= other.first or other.last <= detour.first


def test_letters_of_two_columns_are_counted_as_such():
    lattice = lm.Lattice.from_strings(["漢字 b", "c d"])
    first, second, third = draw(lattice).text().splitlines()
    assert first.index("漢") < second.rindex("(")
    assert second.count("(") == third.count("(") + 3
    widths = {display_width(row) for row in (second, third)}
    assert len(widths) <= 2


def test_layers_are_found_without_conversions_that_warn(monkeypatch):
    import networkx.convert

    def warn(*_):
        raise ImportWarning("pandas not found")  # NetworkX 3.2 and 3.3 do, where warnings are errors

    monkeypatch.setattr(networkx.convert, "to_networkx_graph", warn)
    assert layers_of(grid(2, 1)) == [0, 1, 2, 3]
