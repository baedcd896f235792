"""A report in a browser: clicked through, by keyboard and by touch, on a desk and on a phone."""

import csv
import io
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from kit.paths import DATA

import latticemetric as lm
from latticemetric.evaluation.segment_groups import groups_of

sync_api = pytest.importorskip("playwright.sync_api", reason="there is no playwright here (make browser installs it)")
pytest.importorskip("jinja2")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("there is no chromium here (make browser installs it)", allow_module_level=True)


DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
HOSTILE = [
    "</script><script>document.title='run'</script>",
    "<img/src=x/onerror=document.title='run'>",
    "\"'&lt;b>",
    "\u202eevil",
    "a\x00b",
    "x" * 10_000,
    "שלום",
]

# Letters whose contrast with what is behind them is less than 4.5, as WCAG measures it.
WEAK_LETTERS = r"""() => {
  const numbers = (text) => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (one) => {
    for (let e = one; e; e = e.parentElement) {
      const found = numbers(getComputedStyle(e).backgroundColor);
      if (found.length < 4 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const weak = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !one.checkVisibility() || one.closest("script, style, option, :disabled")) continue;
    const style = getComputedStyle(one);
    const ink = numbers(one instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(ground(one))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) weak.push(`${one.tagName} ${one.getAttribute("class")} ${one.textContent}`);
  }
  return weak;
}"""

UNNAMED = """() => [...document.querySelectorAll("button, input, select, svg[role], [role=region], table")]
  .filter((one) => !one.getAttribute("aria-label") && !one.getAttribute("aria-labelledby"))
  .filter((one) => !one.labels?.length && !one.textContent.trim())
  .map((one) => one.outerHTML.slice(0, 80))"""

# Ids that attributes point at, and that nothing has.
BROKEN_NAMES = """() => ["aria-labelledby", "aria-controls", "aria-describedby"]
  .flatMap((name) => [...document.querySelectorAll(`[${name}]`)].flatMap((one) => one.getAttribute(name).split(" ")))
  .filter((id) => !document.getElementById(id))"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Twelve lattices; from the sixth on, the 1-best has more wrong words than the oracle."""
    graphs, references = [], []
    for n in range(1, 13):
        wrong = " ".join(["the", *(["wrong"] * (n // 3)), "ship", f"sails{n}"])
        strings = [wrong, f"the old ship sails{n} home", f"a ship sails{n}"]
        graphs.append((f"sea-{n}", lm.Lattice.from_strings(strings, [1.0, 2.0, 3.0])))
        references.append(f"the ship sails{n}")
    written = tmp_path_factory.mktemp("report") / "page.html"
    lm.Corpus(graphs, references).report(written, "wer", title="ships", beams=[0, 1, 2])
    return written


@pytest.fixture
def opened(browser, path):
    """Opens a page, and asks at the end that nothing went wrong, and nothing was fetched."""
    contexts, wrong = [], []

    def page_at(viewport, file=path, **options):
        context = browser.new_context(viewport=viewport, reduced_motion="reduce", **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        return page

    yield page_at
    for context in contexts:
        context.close()
    assert wrong == []


def ids(page):
    return page.locator("tr.row > th").all_inner_texts()


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def aligned(page, kind):
    """The cells of a row of the alignment, of all its lines; unseen words stand before the seen ones."""
    page.locator(".aligned").first.wait_for()
    cells = page.locator(f"tr{kind} td").all_inner_texts()
    return [" ".join(cell.split()) for cell in cells]


def focused(page):
    return page.evaluate("document.activeElement.innerText")


def viewbox(page):
    return [float(part) for part in page.locator(".drawing svg").first.get_attribute("viewBox").split()]


def test_headers_sort_and_say_so(opened):
    page = opened(DESK)
    assert ids(page) == [f"sea-{n}" for n in range(1, 13)]
    header = page.get_by_role("columnheader", name="Headroom")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert ids(page)[0] == "sea-12"
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    page.get_by_role("columnheader", name="Id").get_by_role("button").click()
    assert header.get_attribute("aria-sort") is None
    assert ids(page)[1:3] == ["sea-2", "sea-3"]


def test_the_list_is_searched_and_filtered(opened):
    page = opened(DESK)
    page.keyboard.press("/")
    page.keyboard.type("SAILS7")
    assert ids(page) == ["sea-7"]
    assert "1 of 12" in page.get_by_role("status").first.inner_text()
    page.keyboard.press("Escape")
    assert len(ids(page)) == 12
    page.get_by_label("with headroom").check()
    assert ids(page) == [f"sea-{n}" for n in range(6, 13)]
    page.get_by_role("searchbox").fill("nothing like this")
    assert ids(page) == []
    assert page.get_by_text("No utterance matches.").is_visible()
    assert page.get_by_label("failed").is_disabled()


def test_the_keyboard_is_enough(opened):
    page = opened(DESK)
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the utterances"
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    assert focused(page) == "sea-1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "sea-11"
    page.keyboard.press("Enter")
    button = page.get_by_role("button", name="sea-11")
    assert button.get_attribute("aria-expanded") == "true"
    assert page.locator(f"#{button.get_attribute('aria-controls')}").is_visible()
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert button.get_attribute("aria-expanded") == "false"
    assert focused(page) == "sea-11"
    assert page.locator("tr.detail").count() == 0


def test_an_utterance_shows_its_alignments(opened):
    page = opened(DESK)
    page.get_by_role("button", name="sea-6").click()
    assert aligned(page, ".reference") == ["the", "", "", "ship", "sails6"]
    assert aligned(page, ".oracle") == ["instead: ≠a", "", "", "ship", "sails6"]
    assert aligned(page, ".one_best") == ["the", "added: +wrong", "added: +wrong", "ship", "sails6"]
    assert "2 insertions" in page.locator(".side.one_best").inner_text()
    oracle = page.locator(".side.oracle").inner_text()
    assert "wer 33.33%" in oracle
    assert "the ship sails6" in page.locator("p.reference").inner_text()


def test_a_drawing_is_moved_and_read(opened):
    page = opened(DESK)
    page.get_by_role("button", name="sea-9").click()
    drawing = page.locator(".drawing svg")
    page.wait_for_function("document.querySelector('.drawing svg').hasAttribute('viewBox')")
    before = viewbox(page)
    page.get_by_role("button", name="Larger").click()
    assert viewbox(page)[2] == pytest.approx(before[2] / 1.25, rel=0.01)
    drawing.focus()
    page.keyboard.press("-")
    assert viewbox(page)[2] == pytest.approx(before[2], rel=0.01)
    page.keyboard.press("ArrowRight")
    assert viewbox(page)[0] > before[0]
    page.keyboard.press("0")
    fitted = viewbox(page)
    drawing.hover()
    page.mouse.wheel(0, -200)
    page.wait_for_function(
        f"Number(document.querySelector('.drawing svg').getAttribute('viewBox').split(' ')[2]) < {fitted[2]}"
    )
    box = drawing.bounding_box()
    before = viewbox(page)
    page.mouse.move(box["x"] + 200, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 40, steps=4)
    page.mouse.up()
    assert viewbox(page)[0] > before[0]
    page.keyboard.press("n")
    told = page.locator(".drawing .told").inner_text()
    assert "posterior" in told
    page.keyboard.press("n")
    assert page.locator(".drawing .told").inner_text() != told
    page.locator(".drawing").get_by_label("1-best").uncheck()
    assert not page.locator(".way.one_best").first.is_visible()
    page.locator(".drawing select").select_option("cost")
    assert page.locator(".drawing text.under").first.text_content() in {"0", "1", "2", "3"}
    page.get_by_text("The drawing as a table").click()
    page.locator(".drawing tbody tr").first.wait_for()
    assert page.locator(".drawing tbody tr").count() == page.locator(".drawing g.arc").count()


def test_forests_are_read_rule_by_rule(opened, tmp_path):
    forest = lm.Forest.from_edges(
        [0, 0, 1],
        [[], [], [0]],
        [[1], [2], [3, -1]],
        goals=[1],
        vocabulary=lm.Vocabulary.from_words(["cat", "dog", "the"]),
        scores={"cost": lm.Column([1.0, 2.0, 0.5], [0.0])},
    )
    written = tmp_path / "forest.html"
    lm.Corpus([("pets", forest)], ["the dog"]).report(written, "wer")
    page = opened(DESK, file=written)
    page.get_by_role("button", name="pets").click()
    page.locator(".drawing svg").focus()
    read = []
    for _ in range(3):
        page.keyboard.press("n")
        read.append(page.locator(".drawing .told").last.inner_text())
    assert [text.split(" posterior")[0] for text in read] == ["the [1]", "cat", "dog"]
    assert "on Oracle, 1-best, MBR" in read[0]
    assert read[2].endswith("on Oracle")
    page.get_by_text("The drawing as a table").click()
    page.locator(".drawing tbody tr").first.wait_for()
    rows = page.locator(".drawing tbody tr").all_inner_texts()
    assert rows[2].split("\t")[:3] == ["1", "0", "the [1]"]


def test_long_lists_are_shown_in_parts(opened, tmp_path):
    written = tmp_path / "many.html"
    graph = lm.Lattice.from_strings(["a", "b"], [1.0, 2.0])
    lm.Corpus([(f"u{n}", graph) for n in range(150)], ["b"] * 150).report(written, "wer", most_graphs=1, resamples=10)
    page = opened(DESK, file=written)
    assert len(ids(page)) == 100
    assert "150 of 150 utterances, the first 100 are listed" in page.get_by_role("status").first.inner_text()
    page.get_by_role("button", name="Show more").click()
    assert len(ids(page)) == 150
    assert focused(page) == "u100"
    page.get_by_role("button", name="u7", exact=True).click()
    assert page.get_by_text("only the graph with the most headroom is").is_visible()


def test_hundreds_of_thousands_of_utterances_are_listed(opened, path, tmp_path):
    file = tmp_path / "huge.html"
    failed = ",".join(f'{{"id":"u{k}","references":[],"error":"empty"}}' for k in range(200_000))
    text = path.read_text(encoding="utf-8").replace('"utterances":[', f'"utterances":[{failed},')
    file.write_text(text, encoding="utf-8")
    page = opened(DESK, file=file)
    assert "200012 of 200012 utterances" in page.get_by_role("status").first.inner_text()
    page.get_by_role("columnheader", name="Headroom").get_by_role("button").click()
    assert ids(page)[0] == "sea-12"


def test_long_alignments_are_passages_that_open_one_by_one(opened, tmp_path):
    reference = [f"w{k}" for k in range(1000)]
    path = tmp_path / "long.html"
    wrong = " ".join("x" if k % 100 == 0 else word for k, word in enumerate(reference))
    lattice = lm.Lattice.from_strings([wrong, f"{wrong} y"], costs=[1.0, 0.0])
    lm.Corpus([("hour", lattice)], [" ".join(reference)]).report(path, "wer", resamples=10)
    page = opened(DESK, file=path)
    page.get_by_role("button", name="hour", exact=True).click()
    side = page.locator(".passages")
    side.locator("table").first.wait_for()
    titles = side.locator("summary").all_inner_texts()
    assert titles[:2] == ["Words 1 to 250 of 1001 · 9 errors", "Words 251 to 500 of 1001 · 6 errors"]
    assert side.locator("details:has(table)").count() == 1
    side.locator("summary").nth(3).click()
    opened_last = side.locator("details").nth(3)
    opened_last.locator("table").first.wait_for()
    assert opened_last.locator("tr.reference td").count() == 250
    assert page.locator("details.reference summary").inner_text() == "Reference · 1000 words"


def test_rows_show_the_words_of_the_one_best(opened):
    page = opened(DESK)
    said = page.locator("tr.said").nth(5)
    assert " ".join(said.inner_text().split()) == "1-best: the added: wrong added: wrong ship sails6"
    said.click()
    assert page.locator("tr.detail").count() == 1
    assert not said.is_visible()


def test_words_of_a_row_run_in_the_direction_of_their_script(opened, tmp_path):
    file = tmp_path / "directions.html"
    texts = [("שלום, abc! עולם", "שלום, abc! טוב עולם"), ("see שלום now", "see שלום now")]
    graphs = [lm.Lattice.from_strings([said]) for said, _ in texts]
    lm.Corpus(graphs, [reference for _, reference in texts]).report(file, "wer", mbr_by="none", resamples=0)
    page = opened(DESK, file)
    lefts = "(row) => [...row.querySelectorAll('.own')].map((one) => one.getBoundingClientRect().left)"
    hebrew, english = (row.evaluate(lefts) for row in page.locator("tr.said").all())
    assert hebrew == sorted(hebrew, reverse=True)
    assert english == sorted(english)


def test_narrow_pages_break_alignments_into_lines(opened, tmp_path):
    path = tmp_path / "long.html"
    words = [f"word{k}" for k in range(40)]
    lattice = lm.Lattice.from_strings([" ".join(words[1:]), " ".join([*words, "more"])], costs=[0.0, 1.0])
    lm.Corpus([("hour", lattice)], [" ".join(words)]).report(path, "wer", resamples=10)
    numbers = []
    for viewport in (DESK, PHONE):
        page = opened(viewport, path)
        page.get_by_role("button", name="hour", exact=True).click()
        assert aligned(page, ".reference") == words
        assert aligned(page, ".oracle") == ["missing −", *words[1:]]
        assert overflow(page) == 0
        numbers.append(page.locator("table.aligned").count())
    assert numbers[0] < numbers[1]


# --- Errors

SAID = {
    "ann-f1-1": ("a cat sat", "the cat sat here"),
    "ann-f2-1": ("=a cat", "the, cat"),
    "bob-f3-1": ("a a dog", "the dog"),
    "bob-f3-2": ("so it is", "so it is"),
}


@pytest.fixture(scope="module")
def spoken(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "spoken.html"
    graphs = [(name, lm.Lattice.from_strings([said, "x y"], [0.0, 5.0])) for name, (said, _) in SAID.items()]
    references = [reference for _, reference in SAID.values()]
    lm.Corpus(graphs, references).report(path, "wer", title="who said it", resamples=10, expected=True)
    return path


def error_rows(page):
    """The rows of the table of errors, in an order of their own."""
    rows = page.locator(".errors").first.locator("tbody tr").all()
    return sorted([cell.inner_text() for cell in row.locator("td").all()][:4] for row in rows)


def chooser(page, name):
    return page.locator("label", has=page.get_by_text(name, exact=True)).locator("select")


def counted(details):
    rows = [["confusion", r, h, str(n)] for (r, h), n in details.confusions.items()]
    rows += [["insertion", "–", word, str(n)] for word, n in details.insertions.items()]
    return sorted(rows + [["deletion", word, "–", str(n)] for word, n in details.deletions.items()])


def test_errors_are_those_of_the_error_analysis(opened, spoken):
    page = opened(DESK, spoken)
    texts = [said for said, _ in SAID.values()], [[reference] for _, reference in SAID.values()]
    for by, which in (("speaker", ["ann", "bob"]), ("file", ["ann-f1", "ann-f2", "bob-f3"])):
        analysis = lm.error_analysis(*texts, groups=groups_of(list(SAID), by))
        chooser(page, "By").select_option(label=by)
        assert error_rows(page) == counted(analysis.total)
        groups = page.locator(".errors").nth(1).locator("tbody tr")
        told = {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in groups.all()}
        assert list(told) == sorted(which, key=lambda name: -analysis.groups[name].rate)
        for name in which:
            found = analysis.groups[name]
            inserted, deleted, replaced = found.edits
            numbers = [found.segments, found.words, replaced, deleted, inserted, found.errors]
            assert told[name][:6] == list(map(str, numbers))
            assert told[name][6] == f"{100 * found.rate:.2f}%"
            chooser(page, "Only").select_option(label=name)
            assert error_rows(page) == counted(found)
        chooser(page, "Only").select_option(label="all of them")
    page.get_by_label("Kind").select_option("insertion")
    assert {row[0] for row in error_rows(page)} == {"insertion"}
    page.get_by_label("Errors of").select_option("oracle")
    page.get_by_label("Kind").select_option("")
    best = [lm.oracle(lm.Lattice.from_strings([said, "x y"]), ref, "wer").words for said, ref in SAID.values()]
    assert error_rows(page) == counted(lm.error_analysis(best, texts[1]).total)


def test_errors_are_sorted_and_saved(opened, spoken):
    page = opened(DESK, spoken)
    errors = page.locator(".errors").first
    header = errors.get_by_role("columnheader", name="Reference")
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    column = [cell for cell in errors.locator("tbody td:nth-child(2)").all_inner_texts() if cell != "–"]
    assert column == sorted(column)
    with page.expect_download() as saving:
        errors.get_by_role("button", name="Save as CSV").click()
    assert saving.value.suggested_filename == "who_said_it.one_best.errors.csv"
    with saving.value.path().open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["kind"], row["expected"], row["hypothesis"], row["count"]) for row in rows} == {
        ("confusion", "the", "a", "2"),
        ("confusion", "the,", "'=a", "1"),  # a table would take it for a formula
        ("insertion", "", "a", "1"),
        ("deletion", "here", "", "1"),
    }


def test_expected_rates_are_shown(opened, spoken):
    page = opened(DESK, spoken)
    graph = lm.Lattice.from_strings([SAID["ann-f1-1"][0], "x y"], [0.0, 5.0])
    value = lm.expected(graph, SAID["ann-f1-1"][1]).value
    assert page.locator("tr.row").first.get_by_text(f"{100 * value:.2f}").is_visible()
    page.get_by_role("button", name="ann-f1-1").click()
    page.get_by_label("Below:").select_option("expected rate")
    under = set(page.locator(".drawing .arc text.under").all_text_contents()) - {""}
    assert under == {"0.50", "1.00"}  # the paths: two of four words wrong, or all


# --- Corrections

BEAMS = {
    "rain-1": (["a blanket may rain", "a blanket may reign"], "a blanket may reign", "a blanket may rain"),
    "rain-2": (["we meat here", "we meet here"], "we meet right here", "we meet here"),
    "rain-3": (["so it is", "so is it"], "so it is", "so it is"),
}


@pytest.fixture(scope="module")
def corrected(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "corrected.html"
    lists = [(name, lm.NBest.from_strings(texts)) for name, (texts, *_) in BEAMS.items()]
    texts, references = ([beam[k] for beam in BEAMS.values()] for k in (1, 2))
    lm.Corpus(lists, references).report(path, "wer", corrected=texts, resamples=50)
    return path


def test_corrections_are_a_row_of_the_alignment(opened, corrected):
    page = opened(DESK, corrected)
    page.get_by_role("button", name="rain-2").click()
    assert aligned(page, ".reference") == ["we", "meet", "", "here"]
    assert aligned(page, ".corrected") == ["we", "meet", "added: +right", "here"]
    assert aligned(page, ".one_best") == ["we", "instead: ≠meat", "", "here"]
    assert "1 insertion" in page.locator(".side.corrected").inner_text()
    header = page.get_by_role("columnheader", name="Corrected")
    header.get_by_role("button").click()
    assert ids(page) == ["rain-2", "rain-1", "rain-3"]
    page.get_by_label("Errors of").select_option("corrected")
    assert error_rows(page) == [["confusion", "rain", "reign", "1"], ["insertion", "–", "right", "1"]]


def test_corrections_have_the_scores_of_other_metrics(opened, tmp_path):
    file = tmp_path / "page.html"
    graph = lm.NBest.from_strings(["a blanket may rain down"])
    fixed, reference = "a blanket may reign", "a blanket may reign down"
    lm.Corpus([graph], [reference]).report(file, "wer", corrected=[fixed], also_score=["bleu", "ter"], most_graphs=0)
    page = opened(DESK, file)
    page.locator("tr.row button").click()
    side = page.locator(".side.corrected").inner_text()
    assert (
        f"bleu {100 * lm.BLEU().score(fixed, reference):.2f}% · ter {100 * lm.TER().score(fixed, reference):.2f}%"
        in side
    )
    sizes = page.locator(".chips").inner_text().split("\n")
    assert sizes[:4] == ["6 states", "5 arcs", "1 path", "1 best path"]
    assert page.get_by_text(
        "1 error in 5 words: 1 confused, 0 deleted, 0 inserted; errors in 1 of 1 utterance."
    ).count()


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_further_metrics_have_totals_and_rates_and_stick_out_nowhere(opened, tmp_path, viewport, scheme):
    lattice = lm.Lattice.from_strings(["the ship sails", "a ship sails now", "the ship fails"], [1.0, 2.0, 3.0])
    lm.Corpus([lattice], ["a ship sails"]).report(tmp_path / "page.html", "wer,4-grr,wrr")
    page = opened(viewport, tmp_path / "page.html", color_scheme=scheme)
    titles = page.locator("#summary th[scope=rowgroup]").all_inner_texts()
    assert titles == ["wer, lower is better", "4-grr, higher is better", "wrr, higher is better"]
    page.locator("tr.row button").click()
    best, decoded = lm.oracle(lattice, "a ship sails", "4-grr"), lm.mbr(lattice, "wer")
    rates = best.score, lm.GRR(4).score(decoded.words, "a ship sails"), best.one_best.score
    shown = "4-grr: oracle {:.2f}% · MBR {:.2f}% · 1-best {:.2f}%".format(*(100 * rate for rate in rates))
    assert shown in page.locator(".chips").inner_text()
    assert "wer" in page.locator(".side.oracle").inner_text()
    assert overflow(page) == 0
    assert page.evaluate(WEAK_LETTERS) == []


def test_harm_is_filtered(opened, corrected):
    page = opened(DESK, corrected)
    page.get_by_label("harmed by their correction").check()
    assert ids(page) == ["rain-1"]


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_corrections_can_be_read_and_stick_out_nowhere(opened, corrected, viewport, scheme):
    page = opened(viewport, corrected, color_scheme=scheme)
    page.get_by_role("button", name="rain-1").click()
    page.locator(".aligned").first.wait_for()
    assert overflow(page) == 0
    section = page.locator("section[aria-labelledby=corrections-title]")
    wide = section.locator(".wide")
    assert wide.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    values = section.locator(".shares td:nth-child(2)").all()
    whole = (
        "(one) => { const range = new Range(); range.selectNodeContents(one); return range.getClientRects().length; }"
    )
    assert [value.evaluate(whole) for value in values] == [1] * 4
    assert page.evaluate(WEAK_LETTERS) == []
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(BROKEN_NAMES) == []


def test_fingers_are_told_what_they_can_do(opened):
    for options, said in (({"has_touch": True, "is_mobile": True}, "Tap an arc"), ({}, "Point at an arc")):
        page = opened(PHONE, **options)
        page.get_by_role("button", name="sea-9").click()
        assert page.locator(".told").inner_text().startswith(said)


@pytest.mark.parametrize("name", ["path", "spoken"])
def test_ids_are_whole_on_a_phone(name, opened, request):
    page = opened(PHONE, request.getfixturevalue(name))
    assert page.evaluate("document.querySelector('tr.row > th').clientWidth") > 80
    assert page.evaluate(
        "[...document.querySelectorAll('tr.row > th > button')].every((b) => b.scrollWidth <= b.clientWidth)"
    )


@pytest.mark.parametrize("viewport", [DESK, PHONE])
def test_letters_of_charts_are_whole(opened, viewport, tmp_path):
    file = tmp_path / "charts.html"
    graphs, references = [], []
    for n in range(1, 9):
        words = [f"w{k}" for k in range(40 * n)]
        graphs.append((f"id{n}", lm.Lattice.from_strings([words, [*words, "x"], words[:-1]], [1.0, 0.5, 2.0])))
        references.append(" ".join(words))
    lm.Corpus(graphs, references).report(file, "wer", nbest_sizes=[1, 10, 1000], beams=[0, 0.125, 100000], resamples=50)
    page = opened(viewport, file)
    cut = """() => [...document.querySelectorAll("svg.chart")].flatMap((svg) => {
      const whole = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.left < whole.left - 0.5 || box.right > whole.right + 0.5
          || box.top < whole.top - 0.5 || box.bottom > whole.bottom + 0.5;
      }).map((text) => text.textContent);
    })"""
    assert page.locator("svg.chart").count() >= 5
    assert page.evaluate(cut) == []


def test_two_fingers_make_a_drawing_larger(opened):
    page = opened(PHONE, has_touch=True)
    page.get_by_role("button", name="sea-9").tap()
    page.wait_for_function("document.querySelector('.drawing svg').hasAttribute('viewBox')")
    before = viewbox(page)
    page.evaluate(
        """() => {
          const svg = document.querySelector('.drawing svg');
          svg.setPointerCapture = () => {};
          const box = svg.getBoundingClientRect();
          const send = (name, id, x) => svg.dispatchEvent(new PointerEvent(name, { pointerId: id, bubbles: true,
            clientX: box.left + x, clientY: box.top + 30 }));
          send('pointerdown', 1, 100); send('pointerdown', 2, 140);
          send('pointermove', 2, 220); send('pointerup', 1, 100); send('pointerup', 2, 220);
        }"""
    )
    assert viewbox(page)[2] == pytest.approx(before[2] / 3, rel=0.05)


def test_the_theme_is_chosen_and_remembered(opened):
    page = opened(DESK, color_scheme="light")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button = page.get_by_role("button", name="Dark")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    dark = page.evaluate(ground)
    assert dark != light
    assert button.get_attribute("aria-pressed") == "true"
    page.reload()
    assert page.evaluate(ground) == dark
    assert opened(DESK, color_scheme="dark").evaluate(ground) == dark


def test_without_storage_the_page_works(browser, path):
    context = browser.new_context(viewport=DESK)
    context.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('none'); } })")
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.get_by_role("button", name="Dark").click()
    assert page.locator("tr.row").count() == 12
    assert errors == []
    context.close()


@pytest.mark.parametrize("viewport", [DESK, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_can_be_read_and_nothing_sticks_out(opened, viewport, scheme):
    page = opened(viewport, color_scheme=scheme)
    assert overflow(page) == 0
    page.get_by_role("button", name="sea-9").click()
    page.get_by_text("The same in numbers").first.click()
    assert overflow(page) == 0
    assert page.evaluate(WEAK_LETTERS) == []


def test_letters_that_cannot_be_read_would_be_found(opened):
    page = opened(DESK, color_scheme="light")
    page.evaluate("document.querySelector('.lead').style.color = '#949494'")
    (found,) = page.evaluate(WEAK_LETTERS)
    assert found.startswith("P lead")


def test_everything_has_a_name(opened):
    page = opened(DESK)
    page.get_by_role("button", name="sea-9").click()
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(BROKEN_NAMES) == []
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((one) => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.evaluate("document.documentElement.lang") == "en"


def test_on_a_phone_the_list_can_be_sorted_by_all(opened):
    page = opened(PHONE)
    assert not page.get_by_role("columnheader", name="Density").is_visible()
    page.get_by_label("Sort by").select_option("density")
    assert ids(page)[0] == "sea-12"


def test_hostile_words_do_not_run(opened, tmp_path):
    written = tmp_path / "hostile.html"
    graphs = [(w, lm.Lattice.from_strings([[w, "b"], ["b", w]], [1.0, 2.0])) for w in HOSTILE]
    lm.Corpus(graphs, [[["b", w]] for w in HOSTILE]).report(written, "wer", title=HOSTILE[0])
    page = opened(PHONE, file=written)
    title = page.title()
    assert title.startswith("</script>")
    for button in page.locator("tr.row > th > button").all():
        button.click()
    assert page.locator("tr.detail").count() == len(HOSTILE)
    assert page.title() == title
    assert page.locator("img").count() == 0
    assert overflow(page) == 0
    assert HOSTILE[0] in page.locator(".columns").first.inner_text()


def test_what_the_policy_forbids_does_not_run(browser, path, tmp_path):
    """The policy is what stops it: the same page with a further script."""
    text = path.read_text(encoding="utf-8")
    changed = tmp_path / "changed.html"
    changed.write_text(text.replace("</main>", "</main><script>document.title='run'</script>"), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.goto(changed.as_uri())
    assert page.title() != "run"
    assert any(re.search("Content.Security.Policy", message) for message in messages)
    context.close()


def test_it_prints_on_paper(opened):
    page = opened(DESK)
    page.get_by_role("button", name="sea-9").click()
    page.emulate_media(media="print")
    assert not page.locator("#tools").is_visible()
    assert page.locator(".side.oracle").is_visible()
    assert page.locator("svg.chart .bar").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_paper_is_light_and_shows_whole_tables(opened, tmp_path):
    texts = [(f"r{k} b", f"s{k} b") for k in range(40)]
    graphs = [lm.Lattice.from_strings([said, "b"], [0.0, 1.0]) for _, said in texts]
    file = tmp_path / "page.html"
    lm.Corpus(graphs, [reference for reference, _ in texts]).report(
        file, "wer", also_score=["bleu", "ter", "chrf"], resamples=9
    )
    page = opened(DESK, file, color_scheme="light")
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 990})
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 35)"
    assert page.evaluate(WEAK_LETTERS) == []
    cut = "(all) => all.filter((one) => one.checkVisibility() && one.scrollHeight > one.clientHeight).length"
    assert page.locator(".wide").evaluate_all(cut) == 0
    assert page.locator("#summary").evaluate("(one) => one.getBoundingClientRect().right <= innerWidth")


# Cells of the list whose text is longer than the cell.
CUT_CELLS = """() => [...document.querySelectorAll("#list > thead th, #list > tbody > tr.row > td")]
  .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth).map((one) => one.textContent)"""


@pytest.mark.parametrize("width", [320, 390, 600, 736, 740, 768, 834, 1000, 1024, 1040, 1152, 1280])
def test_numbers_of_the_list_are_whole_on_every_screen(opened, spoken, corrected, width):
    for file in (spoken, corrected):
        assert opened({"width": width, "height": 900}, file).evaluate(CUT_CELLS) == []


# --- Tables that scroll


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_tables_that_do_not_fit_say_that_they_scroll(opened, tmp_path, viewport, scheme):
    texts = [(f"r{k} b", f"s{k} b") for k in range(60)]
    graphs = [lm.Lattice.from_strings([said, "b"], [0.0, 1.0]) for _, said in texts]
    file = tmp_path / "page.html"
    lm.Corpus(graphs, [expected for expected, _ in texts]).report(file, "wer", also_score=["bleu", "ter"], resamples=9)
    page = opened(viewport, file, color_scheme=scheme)
    assert overflow(page) == 0
    page.locator("details summary").first.click()
    regions = page.locator(".wide").all()
    assert len(regions) > 3
    for region in regions:
        if not region.is_visible():
            continue
        wide, tall = region.evaluate(
            "(one) => [one.scrollWidth > one.clientWidth, one.scrollHeight > one.clientHeight]"
        )
        hint = page.locator(f"#{region.get_attribute('aria-describedby')}")
        assert hint.is_visible() == (wide or tall)
        if wide or tall:
            assert ("sideways" in hint.inner_text(), "down" in hint.inner_text()) == (wide, tall)
    assert page.locator("#summary").locator("..").evaluate("(one) => one.scrollWidth > one.clientWidth") == (
        viewport == PHONE
    )
    assert page.evaluate(WEAK_LETTERS) == []


def test_the_table_of_errors_shows_its_bar_and_how_many_rows_there_are(browser, tmp_path):
    """Browsers for phones, and this one without its option, hide bars until a table is scrolled."""
    graphs = [lm.Lattice.from_strings([f"s{k} b"]) for k in range(60)]
    file = tmp_path / "page.html"
    lm.Corpus(graphs, [f"r{k} b" for k in range(60)]).report(file, "wer", resamples=9)
    launched = browser.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox"], ignore_default_args=["--hide-scrollbars"]
    )
    try:
        page = launched.new_page(viewport=PHONE)
        page.goto(file.as_uri())
        errors = page.locator(".errors").first
        assert errors.locator(".wide").evaluate("(one) => one.offsetWidth - one.clientWidth") >= 8
        assert errors.locator("[role=status]").inner_text() == "60 rows, the first 50 are listed"
        errors.get_by_role("button", name="Show more").click()
        assert errors.locator("[role=status]").inner_text() == "60 rows"
    finally:
        launched.close()


# --- Real lattices

REAL = {
    "hifst": ["hifst/att", "hifst/refs.50.idx", "--metric", "4-grr", "--ignore", "1 2", "--beams", "1,5"],
    "kaldi": ["kaldi/ps-medium.lat.txt.gz", "kaldi/ps-medium.ref.int", "--metric", "wer"],
}


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("name", REAL)
def test_a_report_of_real_lattices_is_clicked_through(name, opened, tmp_path):
    graphs, references, *options = REAL[name]
    file = tmp_path / "report.html"
    program = Path(sys.executable).parent / "latticemetric"
    subprocess.run([program, "report", DATA / graphs, DATA / references, *options, "-o", file], check=True, cwd=DATA)
    assert file.stat().st_size < 5_000_000
    for viewport in (DESK, PHONE):
        page = opened(viewport, file)
        known = ids(page)
        page.keyboard.press("/")
        page.keyboard.type(known[-1])
        assert known[-1] in ids(page)
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.locator("tr.detail .drawing svg").first.is_visible()
        page.wait_for_function("document.querySelector('.drawing svg').hasAttribute('viewBox')")
        before = viewbox(page)
        page.get_by_role("button", name="Larger").click()
        assert viewbox(page)[2] < before[2]
        page.get_by_role("button", name="Dark").click()
        assert overflow(page) == 0
    page = opened(DESK, file)
    page.get_by_role("columnheader", name="Headroom").get_by_role("button").click()
    assert sorted(ids(page)) == sorted(known)
    assert ids(page) != known


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("within", ["nothing", "a page", "a notebook"])
def test_drawings_are_read_on_any_ground(browser, tmp_path, scheme, within):
    """Opened by itself, or as a picture of a page that knows no colour schemes, as JupyterLab is."""
    image = pytest.importorskip("matplotlib.image")
    drawing = lm.draw(lm.Lattice.from_strings(["the old ship", "an old ship"]), tmp_path / "ship.svg").svg()
    source = "ship.svg" if within == "a page" else f"data:image/svg+xml,{quote(drawing)}"
    (tmp_path / "page.html").write_text(f'<!doctype html><img src="{source}">', encoding="utf-8")
    shown = tmp_path / ("ship.svg" if within == "nothing" else "page.html")
    page = browser.new_page(viewport={"width": 300, "height": 100}, color_scheme=scheme)
    page.goto(shown.as_uri())
    light = image.imread(io.BytesIO(page.screenshot(clip={"x": 12, "y": 12, "width": 200, "height": 40})))[..., :3]
    page.close()
    assert light.max() - light.min() > 0.75
