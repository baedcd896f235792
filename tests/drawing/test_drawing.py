"""Pictures of graphs: everything is there, nothing overlaps, and words of others do no harm."""

import html
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from kit.paths import EXAMPLES
from kit.pictures import overlaps

import latticemetric as lm
from latticemetric.display.text import visible
from latticemetric.drawing.api import draw, svg
from latticemetric.drawing.diagram import Link
from latticemetric.drawing.graphs import _merged
from latticemetric.drawing.picture import text_width
from latticemetric.drawing.selection import Bounds, select_arcs

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
    with pytest.raises(lm.UsageError, match="takes arc 9, but the graph has no arc 9"):
        svg(lm.Lattice.from_strings(["a"]), {"oracle": [9]})


def test_large_graphs_say_what_is_left_out():
    lattice = lm.Lattice.from_strings([f"a{n} b{n} c{n}" for n in range(50)], costs=list(map(float, range(50))))
    text = svg(
        lattice,
        {"oracle": [49, *(a for a in range(50, 150) if lattice.source[a] == lattice.target[49])]},
        most_drawn=12,
    )
    assert any(t.startswith("Shown: 12 of 102 states") for t in written(text))
    assert {"a0", "a3", "a49"} <= set(written(text))
    assert "a4" not in written(text)


# --- What is in a picture


def forest():
    words = lm.Vocabulary.from_words(["the", "cat", "dog", "sleeps", "a"])
    return lm.Forest.from_edges(
        [0, 0, 1, 2, 2],
        [[], [], [], [0, 1], [1, 0]],
        [[1, 2], [5, 3], [4], [-1, -2], [-2, 4, -1]],
        goals=[2],
        scores={"cost": lm.Column([0.0, 1.0, 0.5, 0.0, 2.0], [0.0])},
        vocabulary=words,
        node_labels={"category": lm.NodeLabels.from_texts(["NP", "VP", "S"])},
    )


def curves_of(picture, way):
    number = picture.paths.index(way)
    return [curve for curve in picture.curves if number in curve.paths]


def test_derivations_are_drawn_whole():
    graph = forest()
    best = lm.oracle(graph, "a dog sleeps", "wer")
    drawing = draw(graph, ways={"oracle": best})
    # A line to each rule, and one to each of its tails.
    lines = sum(1 + len(graph.tails.row(edge)) for edge in best.edges)
    assert len(curves_of(drawing.picture(), "oracle")) == lines
    assert {"NP 0", "VP 1", "S 2", "a dog", "[1] [2]", "[2] sleeps [1]"} <= set(written(drawing.svg()))


def test_posteriors_and_scores_are_written_under_words():
    lattice = lm.Lattice.from_strings(["a b", "c"], costs=[0.0, 8.0])
    texts = written(svg(lattice, posteriors=lm.posteriors(lattice), scores=["cost"]))
    assert {"1.00, cost 0", "<0.01, cost 8"} <= set(texts)
    assert written(svg(lattice, posteriors=lm.posteriors(lattice).arc)) != written(svg(lattice))
    with pytest.raises(lm.UsageError, match="there are 2 posteriors, but 3 arcs"):
        svg(lattice, posteriors=[0.5, 0.5])
    with pytest.raises(lm.UsageError, match="no score column 'lm'; the columns here are: cost"):
        svg(lattice, scores=["lm"])


def test_times_are_written_under_states_unless_they_are_not_wanted():
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [1, 2], final=[2], times=[0.0, 0.25, 1.0])
    assert "0.25 s" in written(svg(lattice))
    assert "0.25 s" not in written(svg(lattice, times=False))


@pytest.mark.parametrize(("order", "reference", "labels"), [(1, "a b", 9), (4, "a b c", 28)])
def test_an_automaton_has_all_of_its_transitions(order, reference, labels):
    diagram = draw(lm.GRR(order), reference=reference).diagram
    assert len(diagram.links) == labels
    edits = [link.detail.partition(" ")[0] for link in diagram.links]
    words = len(reference.split())
    # Of (i, m) there are min(i, n - 1) + 1; all but the last ones match, delete and substitute, and all insert.
    states = [min(i, order - 1) + 1 for i in range(words + 1)]
    assert [edits.count(edit) for edit in "CDSI"] == [sum(states[:-1])] * 3 + [sum(states)]
    gains = {link.detail for link in diagram.links if link.detail.startswith("C")}
    assert gains == {f"C +{k}" for k in range(1, min(order, words) + 1)}


def test_automata_of_graphs_and_of_what_is_not_counted():
    reference = lm.Lattice.from_strings(["a b", "c"])
    labels = {link.label for link in draw(lm.WER(), reference=reference).diagram.links}
    assert labels == {"a", "b", "c", "ε", "★"}
    ignoring = draw(lm.WER(ignore=["uh"]), reference="uh a").diagram
    assert {link.label for link in ignoring.links} == {"a", "ε", "★"}
    with pytest.raises(lm.UsageError, match="a drawing of a metric needs a reference"):
        draw(lm.WER())


def test_networks_have_their_best_words_on_top_and_say_what_they_leave_out():
    lattice = lm.Lattice.from_strings(["a b c", "a d c", "a d e"], costs=[0.0, 0.1, 9.0])
    network = lm.consensus(lattice)
    drawing = draw(network)
    said = [link.label for link in drawing.diagram.links if link.paths]
    assert said == list(network.words)
    assert "e" not in [link.label for link in drawing.diagram.links]
    assert any("posteriors below 0.01" in note for note in drawing.diagram.omissions)
    bends = {text.text: text.y for text in drawing.picture().texts if text.role == "label"}
    assert bends[said[1]] < max(bends[word] for word in ("b", "d"))


def test_trees_have_words_in_order():
    graph = forest()
    best = lm.oracle(graph, "sleeps sleeps the cat", "wer")
    picture = draw(graph.tree(best.edges)).picture()
    leaves = [(s.x, t.text) for s, t in zip(picture.shapes, picture.texts, strict=False) if s.kind == "word"]
    assert tuple(word for _, word in sorted(leaves)) == best.words
    assert overlaps(picture) == []


def test_what_has_no_picture_says_so():
    with pytest.raises(lm.UsageError, match="an object of type int cannot be drawn; draw a lattice"):
        draw(3)
    with pytest.raises(lm.UsageError, match="need a lattice or a forest"):
        draw(lm.WER(), ways={"oracle": [0]}, reference="a")
    with pytest.raises(lm.UsageError, match="a picture of 0 states is not possible"):
        draw(lm.Lattice.from_strings(["a b"]), most_drawn=0)


def test_nbest_lists_are_drawn_as_the_lattices_they_are():
    nbest = next(lm.read(EXAMPLES / "garden.jsonl"))[1]
    assert len(draw(nbest).diagram.vertices) == nbest.to_lattice(keep=()).num_states


@pytest.mark.parametrize("graph", [lm.Lattice.from_strings([""]), lm.Lattice.from_arcs([], [], [], final=[0])])
def test_the_smallest_graphs_have_pictures(graph):
    drawing = draw(graph)
    read(drawing.svg())
    assert drawing.text()
    assert drawing.dot()


# --- Parts of large graphs


def test_what_is_left_out_is_of_the_worst_paths_only():
    lattice = lm.Lattice.from_strings([f"w{n}" for n in range(300)], costs=list(range(300)))
    drawing = draw(lattice, most_drawn=10)
    assert [link.label for link in drawing.diagram.links] == ["w0 / w1 / w2 / w3 / +16"]
    assert drawing.diagram.omissions == ("Shown: 2 of 2 states and 20 of 300 arcs, those of the best paths.",)
    assert len(draw(lattice, most_drawn=None).diagram.links) == 300


def sausage(words, length):
    """A lattice of `length` positions, each with all of `words`, the cheapest first."""
    rows = [(n, n + 1, word, float(k)) for n in range(length) for k, word in enumerate(words)]
    return "".join(f"{source} {target} {word} {cost}\n" for source, target, word, cost in rows) + f"{length}\n"


def test_parallel_arcs_of_large_lattices_are_one_line(tmp_path):
    file = tmp_path / "sausage.fst.txt"
    file.write_text(sausage(list("fedcba"), 100))
    lattice = lm.read_one(file, format="openfst-text")
    best = [arc for arc in range(600) if arc % 6 == 0]
    drawing = draw(lattice, ways={"1-best": best}, most_drawn=None, beam=2.5)
    links = drawing.diagram.links
    assert [link.label for link in links if link.paths] == ["f"] * 100
    others = [link for link in links if not link.paths]
    assert [(link.source, link.label) for link in others] == [(n, "e / d") for n in range(100)]
    assert drawing.diagram.omissions == ("Shown: 101 of 101 states and 300 of 600 arcs, those of the best paths.",)
    assert "several words" in drawing.svg()
    whole = draw(lattice, most_drawn=None)
    assert len(whole.diagram.links) == 600
    assert whole.diagram.notes == ()


def test_lines_of_many_words_count_the_rest():
    costs = [0.0, 3.0, 1.0, 2.0, 5.0, 4.0, 6.0]
    links = [Link(0, 1, f"w{k}", f"{k}") for k in range(7)] + [Link(0, 1, "way", paths=(0,)), Link(1, 2, "end")]
    merged, notes = _merged(links, [*costs, 0.0, 0.0])
    assert merged == [
        Link(0, 1, "w0 / w2 / w3 / w1 / +3", "0 / 2 / 3 / 1 / …"),
        Link(0, 1, "way", paths=(0,)),
        Link(1, 2, "end"),
    ]
    assert len(notes) == 1


def test_expected_rates_are_written_under_words():
    lattice = lm.Lattice.from_strings(["a b", "a c", "d"], costs=[0.0, 0.0, 0.0])
    found = lm.expected(lattice, "a b", gradient=True)
    posteriors = lm.posteriors(lattice)
    drawing = draw(lattice, posteriors=posteriors, rates=found.through(posteriors.arc))
    details = {link.label + " " + link.detail for link in drawing.diagram.links}
    assert details == {
        "a 0.33, rate 0.00",
        "b 0.33, rate 0.00",
        "a 0.33, rate 0.50",
        "c 0.33, rate 0.50",
        "d 0.33, rate 1.00",
    }
    # Purple bands, the stronger the higher the rate; plain DOT lines have the colour themselves.
    assert {link.label: link.shade for link in drawing.diagram.links if link.label in "bcd"} == {"b": 0, "c": 2, "d": 4}
    svg, dot = drawing.svg(), drawing.dot()
    assert re.findall(r'class="shade".*stroke-opacity="(\S+)"', svg)[:3] == ["0.1", "0.46", "0.85"]
    assert "expected rate, from 0.00 to 1.00" in svg
    assert "purple: expected rate, from 0.00 to 1.00" in dot
    assert 'd\\n0.33, rate 1.00", arrowhead=normal, color="#a044c4d9"' in dot
    assert "rate, from" not in str(drawing)
    # An arc that no path is likely to take has no rate.
    unlikely = lm.Lattice.from_strings(["a", "b"], costs=[0.0, 50.0])
    rates = lm.expected(unlikely, "a", gradient=True).through(lm.posteriors(unlikely).arc)
    assert [link.detail for link in draw(unlikely, rates=rates).diagram.links] == ["rate 0.00", ""]
    with pytest.raises(lm.UsageError, match="there are 1 rates, but 2 arcs"):
        draw(unlikely, rates=[0.0])
    with pytest.raises(lm.UsageError, match="there is no gradient"):
        lm.expected(unlikely, "a").through([1.0, 0.0])


def test_a_beam_keeps_what_is_highlighted():
    lattice = lm.Lattice.from_strings(["a", "b", "c", "d"], costs=[0.0, 1.0, 2.0, 3.0])
    drawing = draw(lattice, ways={"oracle": [3]}, beam=1.0)
    assert {link.label for link in drawing.diagram.links} == {"a / b", "d"}
    assert draw(lattice, beam=5.0).diagram.omissions == ()
    with pytest.raises(lm.UsageError, match="the beam is -1"):
        draw(lattice, beam=-1)


def test_large_forests_are_cut_down_to_whole_derivations():
    edges = 200
    graph = lm.Forest.from_edges(
        [*range(edges), *[edges] * edges],
        [*[[]] * edges, *[[k] for k in range(edges)]],
        [*[[1]] * edges, *[[-1]] * edges],
        goals=[edges],
        scores={"cost": lm.Column([*[0.0] * edges, *map(float, range(edges))], [0.0])},
    )
    drawing = draw(graph, ways={"oracle": [edges + 150, 150]}, most_drawn=11)
    rules = [vertex for vertex in drawing.diagram.vertices if vertex.shape == "box"]
    assert len(rules) == 20
    assert sum(bool(rule.paths) for rule in rules) == 2
    assert drawing.diagram.omissions[0] == "Shown: 11 of 201 nodes and 20 of 400 edges, those of the best derivations."


def test_deep_trees_are_drawn_as_far_as_there_is_room():
    depth = 5000
    graph = lm.Forest.from_edges(
        range(depth), [[], *[[k] for k in range(depth - 1)]], [[1], *[[-1]] * (depth - 1)], goals=[depth - 1]
    )
    drawing = draw(graph.tree(range(depth - 1, -1, -1)))
    assert len(drawing.diagram.vertices) < 500
    assert drawing.diagram.omissions == ("…: the children of 1 node are left out.",)
    assert "(31)" in drawing.text()


# --- Other ways to write


def test_png_and_pdf_show_the_same_picture_again_and_again(tmp_path):
    lattice = lm.Lattice.from_strings(["a $x$ b", "a \u202eж"], costs=[0.0, 1.0])
    for name, sign in (("a.png", b"\x89PNG"), ("a.pdf", b"%PDF")):
        files = [tmp_path / f"{number}{name}" for number in range(2)]
        for file in files:
            draw(lattice, file, ways={"oracle": [0, 2, 3], "1-best": [1]})
        one, other = (file.read_bytes() for file in files)
        assert one.startswith(sign)
        assert one == other
    from matplotlib.image import imread

    pixels = imread(files[0].with_name("0a.png"))
    picture = draw(lattice, ways={"oracle": [0, 2, 3], "1-best": [1]}).picture()
    assert pixels.shape[1] == pytest.approx(2 * picture.width, abs=2)
    # Ink, and the blue of the oracle.
    assert (pixels[..., :3].sum(axis=-1) < 1).any()
    assert ((pixels[..., 2] > 0.6) & (pixels[..., 0] < 0.1)).any()


def test_letters_that_no_font_has_are_told_once(tmp_path, monkeypatch):
    monkeypatch.setattr("latticemetric.drawing.image.installed_families", lambda: ["DejaVu Sans"])
    with pytest.warns(UserWarning, match="no font has the letters 字漢; install a font that has them") as told:
        draw(lm.Lattice.from_strings(["schön 漢字 שלום"]), tmp_path / "a.png")
    assert len(told) == 1


def test_without_matplotlib_there_is_svg(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    lattice = lm.Lattice.from_strings(["a"])
    with pytest.raises(lm.MissingDependencyError, match="need matplotlib"):
        draw(lattice, tmp_path / "a.png")
    draw(lattice, tmp_path / "a.svg")
    assert [file.name for file in tmp_path.iterdir()] == ["a.svg"]


@pytest.mark.parametrize("name", ["a", "a.jpg"])
def test_files_say_what_they_are(name, tmp_path):
    with pytest.raises(lm.UsageError, match="suffix is not a drawing format"):
        draw(lm.Lattice.from_strings(["a"]), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def unquoted(line):
    """The strings of a line of DOT, read by its rules; Graphviz replaces entities in labels, too."""
    return [
        html.unescape(re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text))
        for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    ]


@pytest.mark.parametrize("word", [*HOSTILE, 'a\\"b', "\\N", "<b>x</b>", "&#124;", "&amp;amp;", "AT&T"])
def test_words_in_dot_are_data(word):
    text = draw(lm.Lattice.from_strings([[word, "b"]]), ways={"1-best": [0, 1]}).dot()
    links = [line for line in text.splitlines() if " -> " in line]
    assert unquoted(links[0])[0] == f"{visible(word)} *"
    assert [re.sub('"(?:[^"\\\\]|\\\\.)*"', "", line).count('"') for line in links] == [0, 0]


def test_graphviz_reads_dot():
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    for drawing in (draw(forest()), draw(lm.GRR(2), reference='a "b" \\n'), draw(lm.Lattice.from_strings(HOSTILE[:3]))):
        done = subprocess.run(["dot", "-Tplain"], input=drawing.dot().encode(), capture_output=True, check=True)
        assert done.stdout.count(b"\nnode ") == len(drawing.diagram.vertices)
        assert done.stdout.count(b"\nedge ") == len(drawing.diagram.links)


def test_svg_for_pages_takes_their_ink():
    lattice = lm.Lattice.from_strings(["a"])
    assert "{ color: " in draw(lattice).svg()
    assert "{ color: " not in draw(lattice).svg(standalone=False)


def test_a_picture_brings_the_ground_that_fits_its_ink():
    lattice = lm.Lattice.from_strings(["a"])
    assert "color-scheme: light dark; background: Canvas" in lattice._repr_svg_()
    assert "background" not in draw(lattice).svg(standalone=False)


def test_widths_are_no_less_than_those_of_a_common_font():
    ft2font = pytest.importorskip("matplotlib.ft2font")
    from matplotlib import get_data_path

    font = ft2font.FT2Font(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    font.set_size(100, 72)
    for code in [
        *range(32, 127),
        *range(0xA1, 0x180),
        *range(0x391, 0x3CA),
        *range(0x410, 0x450),
        *range(0x627, 0x64B),
    ]:
        if font.get_char_index(code):
            advance = font.load_char(code).linearHoriAdvance / 65536
            assert advance <= text_width(chr(code), 100) + 0.5, chr(code)


@pytest.mark.parametrize("kind", ["lattice", "forest"])
def test_of_paths_that_all_cost_the_same_as_many_are_drawn_as_fit(kind):
    ends = [(source, target) for source in range(30) for target in range(source + 1, 30)]
    lattice = lm.Lattice.from_arcs(*zip(*ends, strict=True), [1 + k % 2 for k in range(len(ends))], final=[29])
    graph = lattice if kind == "lattice" else lm.Forest.from_lattice(lattice)
    arcs, (note,) = select_arcs(graph, [5], Bounds(10, None))
    assert {5, *graph.best_path().tolist()} <= set(arcs.tolist())
    assert len(arcs) <= 20
    assert note.startswith("Shown: ")
