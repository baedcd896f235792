"""Maps of tuned weights: their values against decoding, their borders against neighbours, and the pictures."""

import base64
import io
import random
import re
import shlex
import shutil
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.commands import good, run
from kit.paths import EXAMPLES, ROOT
from tuning.graphs import WORDS, best_by_ties, random_graph
from tuning.test_cells import costs_on, ranges_of

import latticemetric as lm
from latticemetric import _native
from latticemetric.drawing.canvas import png_of
from latticemetric.tuning.cells import cells_of
from latticemetric.tuning.costs import CostTable

METRICS = ["wer", "4-grr", "cer", "bleu", "nist"]


# Costs are whole numbers: strings do not change at weights with such digits.
FIRST, SECOND = (-1.0371, 2.0113), (-0.9177, 3.0131)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), metric=st.sampled_from(METRICS), both=st.booleans())
def test_the_values_of_a_map_are_those_of_the_cheapest_paths(seed, metric, both):
    chance = random.Random(seed)
    samples = [random_graph(chance) for _ in range(chance.randint(1, 4))]
    references = [[chance.choices(WORDS, k=chance.randint(1, 4))] for _ in samples]
    corpus = lm.Corpus([sample.graph for sample in samples], references)
    ranges = {"first": FIRST, "second": SECOND} if both else {"first": FIRST}
    found = corpus.tune(metric, vary=ranges, resamples=0, folds=0)
    n = 5
    values = found.map(n)
    for place in np.ndindex(*values.shape):
        shares = [Fraction(2 * k + 1, 2 * n) for k in place]
        weights = [
            Fraction(repr(low)) + share * (Fraction(repr(high)) - Fraction(repr(low)))
            for share, (low, high) in zip(shares, ranges.values(), strict=True)
        ]
        texts = [cheapest(sample, weights[0], weights[1] if both else 1).words for sample in samples]
        score = lm.make_metric(metric).corpus(texts, references).score
        assert values[place] == pytest.approx(np.nan if score is None else score, abs=1e-12, nan_ok=True)


def cheapest(sample, first, second):
    """The cheapest path, in fractions: decoding rounds its sums, which may break ties."""
    costs = [path.sums[0] + first * path.sums[1] + second * path.sums[2] for path in sample.paths]
    least = [path for path, cost in zip(sample.paths, costs, strict=True) if cost == min(costs)]
    return best_by_ties(sample.graph, least)


BOX = [-4, 4, -3, 5, 1]


def overlay_of(chance):
    overlay, graphs = _native.Overlay(BOX, 2), []
    while len(graphs) < chance.randint(1, 3):
        table = CostTable([random_graph(chance).graph], ["first", "second"], None)
        cells = cells_of(table, costs_on(table, ranges_of(BOX[:4])), 0)
        rows = np.array([[chance.randint(0, 9), chance.randint(0, 1)] for _ in cells.strings], dtype=float)
        overlay.add(cells.native, rows)
        graphs.append(rows)
    return overlay, graphs


@given(seed=st.integers(0, 2**32), n=st.integers(1, 12))
def test_sums_on_a_grid_are_those_of_points_on_borders_too(seed, n):
    chance = random.Random(seed)
    overlay, graphs = overlay_of(chance)
    unit = chance.choice([1, 2, 3])
    (left, right), (low, high) = (
        sorted(chance.sample(range(bounds[0] * unit, bounds[1] * unit + 1), 2)) for bounds in (BOX[:2], BOX[2:4])
    )
    sums = overlay.sums([left, right, low, high, unit], n)
    for j in range(n):
        for k in range(n):
            x, y = 2 * n * left + (2 * k + 1) * (right - left), 2 * n * low + (2 * j + 1) * (high - low)
            cells = overlay.at(x, y, 2 * n * unit)
            expected = sum(rows[cell] for rows, cell in zip(graphs, cells.tolist(), strict=True))
            assert sums[j * n + k].tolist() == expected.tolist()


@given(seed=st.integers(0, 2**32))
def test_statistics_change_on_borders_and_nowhere_else(seed):
    chance = random.Random(seed)
    overlay, graphs = overlay_of(chance)
    found = overlay.borders(10_000)
    assert len(overlay.borders(1)) == min(1, len(found))
    fine = 10**9

    def rows(point):
        cells = overlay.at(*(round(value * fine) for value in point), fine)
        return [tuple(one[cell]) for one, cell in zip(graphs, cells.tolist(), strict=True)]

    for begin, end in found:
        middle, along = (begin + end) / 2, end - begin
        if np.hypot(*along) > 1e-3:
            across = np.array([-along[1], along[0]]) / np.hypot(*along) * 1e-6
            assert rows(middle + across) != rows(middle - across)
    for _ in range(20):
        one, other = (np.array([chance.uniform(*BOX[:2]), chance.uniform(*BOX[2:4])]) for _ in range(2))
        if rows(one) != rows(other):
            assert any(crosses(one, other, *border) for border in found)


def crosses(a, b, c, d):
    def side(p, q, r):
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) <= 1e-9 and side(c, d, a) * side(c, d, b) <= 1e-9


# ---- Pictures ----


def tuned(**settings):
    corpus = lm.Corpus.read(EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt", weights={"acoustic": 0.1})
    return corpus.tune("wer", **{"resamples": 20, "vary": {"acoustic": (0.05, 0.2), "words": (-1, 1)}, **settings})


@pytest.fixture(scope="module")
def found():
    return tuned()


def texts_of(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def image_of(data):
    image = pytest.importorskip("matplotlib.image")
    return np.rint(255 * image.imread(io.BytesIO(data))).astype(int)


def test_a_map_names_its_numbers(found, tmp_path):
    found.plot(tmp_path / "map.svg")
    texts = texts_of((tmp_path / "map.svg").read_text())
    assert {"acoustic", "words", "0.05", "0.2", "−1", "best", "worst"} <= set(texts)
    assert "best 21.43% at acoustic 0.054, words −0.95" in texts
    assert "default 35.71% at acoustic 0.1, words 0" in texts
    assert "held out 35.71%" in texts
    assert "margin: 2.5% of the ranges" in texts
    assert "lines: a string and its score change" in texts
    assert any(text.startswith("best on resamples: acoustic ") for text in texts)


def test_a_pixel_has_the_colour_of_its_score(found, tmp_path):
    found.plot(tmp_path / "map.svg")
    (data, *_) = re.findall(r"base64,([^\"]*)", (tmp_path / "map.svg").read_text())
    pixels = image_of(base64.b64decode(data))
    values = found.map(len(pixels)).T[::-1]
    colours = {}
    for colour, value in zip(pixels.reshape(-1, 4).tolist(), values.ravel().tolist(), strict=True):
        assert colours.setdefault(value, colour) == colour
    by_score = [sum(colour[:3] * np.array([0.2126, 0.7152, 0.0722])) for _, colour in sorted(colours.items())]
    assert len(by_score) > 2
    assert by_score == sorted(by_score, reverse=True)  # brighter is better, in print too


def test_a_line_is_drawn_as_steps(tmp_path):
    found = tuned(vary={"words": (-1, 1)})
    found.plot(tmp_path / "line.svg")
    svg = (tmp_path / "line.svg").read_text()
    assert "words" in texts_of(svg)
    (curve,) = re.findall(r'class="line-first" d="M([^"]*)"', svg)
    heights = [point.split(",")[1] for point in curve.split()]
    assert len(set(heights)) == len(set(found.map(1000).tolist()))


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_other_formats_need_matplotlib(found, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    found.plot(tmp_path / f"map.{suffix}")
    begin = (tmp_path / f"map.{suffix}").read_bytes()[:4]
    assert begin == (b"\x89PNG" if suffix == "png" else b"%PDF")


def test_equal_results_give_equal_files(found, tmp_path):
    found.plot(tmp_path / "one.svg")
    tuned().plot(tmp_path / "other.svg")
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


PAGES = [page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))]
LINES = [line for page in PAGES for line in re.findall(r"^\$ (latticemetric tune .*--plot \S+)$", page, re.MULTILINE)]
KEPT = ROOT / "docs" / "_static" / "tune"


def test_every_map_of_a_page_is_made_on_it():
    shown = {name for page in PAGES for name in re.findall(r"\]\((?:\.\./)?_static/tune/(\S+)\)", page)}
    assert shown == {path.name for path in KEPT.iterdir()}
    assert shown <= {line.split()[-1] for line in LINES}


@pytest.mark.parametrize("line", LINES)
def test_the_map_of_a_page_is_what_its_command_draws(line, tmp_path):
    name = line.split()[-1]
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    command = "latticemetric convert voyage.lat.gz voyage.lat --symbols voyage.words.txt"
    for one in (command, line):
        good(run(*shlex.split(one), cwd=tmp_path))
    made, kept = ((folder / name).read_text(encoding="utf-8") for folder in (tmp_path, KEPT))
    # Versions of zlib compress differently.
    data = re.compile(r"base64,([^\"]*)")
    assert data.sub("", made) == data.sub("", kept), (
        f"docs/_static/tune/{name} is old: look at the new one, and keep it"
    )
    for one, other in zip(data.findall(made), data.findall(kept), strict=True):
        assert np.array_equal(image_of(base64.b64decode(one)), image_of(base64.b64decode(other)))


def test_a_small_region_is_shown_enlarged(tmp_path):
    lists = [lm.NBest.from_strings(["a", "b", "c"], scores={"am": [0.0, 1.0, 10.0], "lm": [10.0, 8.99, 0.0]})]
    found = lm.Corpus(lists, ["b"]).tune(vary={"lm": (0, 8), "words": (0, 1)}, resamples=0)
    found.plot(tmp_path / "map.svg")
    svg = (tmp_path / "map.svg").read_text()
    assert "around the best weights" in texts_of(svg)
    assert svg.count("<image") == 3  # the map, its surroundings, the scale of colours


def test_undefined_scores_are_grey(tmp_path):
    lists = [lm.NBest.from_strings(["a", "b"], scores={"am": [0.0, 1.0], "lm": [1.0, 0.0]})]
    for ranges in ({"lm": (0, 2), "words": (0, 1)}, {"lm": (0, 2)}):
        lm.Corpus(lists, [""]).tune("wer", vary=ranges, resamples=0).plot(tmp_path / "map.svg")
        assert "best – at lm" in (tmp_path / "map.svg").read_text()


def test_the_verb_draws_the_map(tmp_path):
    path = tmp_path / "map.svg"
    asked = ("latticemetric", "tune", EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt", "--resamples", "0")
    good(run(*asked, "--vary", "acoustic=0.05:0.2", "--vary", "words=-1:1", "--plot", path))
    assert "best 21.43% at acoustic 0.054, words −0.95" in texts_of(path.read_text())
    refused = run(*asked, "--vary", "words=-1:1", "--plot", tmp_path / "map.txt")
    assert refused.status == 2
    assert "use one of .svg, .png, .pdf" in refused.stderr


def test_a_copy_knows_no_graphs(found, tmp_path):
    import pickle

    with pytest.raises(lm.UsageError, match="ask the result itself"):
        pickle.loads(pickle.dumps(found)).plot(tmp_path / "map.svg")


@given(seed=st.integers(0, 2**32))
def test_images_are_written_as_png(seed):
    chance = np.random.default_rng(seed)
    pixels = chance.integers(0, 7, chance.integers(1, 9, 2)).astype(np.uint8)
    colours = chance.integers(0, 256, (7, 4)).astype(np.uint8)
    colours[:, 3] = 255
    assert image_of(png_of(pixels, colours))[:, :, :3].tolist() == colours[pixels][:, :, :3].tolist()
