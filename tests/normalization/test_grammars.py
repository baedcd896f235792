"""The grammars that come with the package: each rule by examples, numbers and rates by their definitions."""

import itertools
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.normalization.grammar import find_grammar, rule_sizes
from latticemetric.normalization.shipped import grammar_module, grammar_source

pynini = pytest.importorskip("pynini")


def normal(text, grammar="english"):
    return lm.normalize(text, grammar)


def readings(text, grammar="english"):
    paths = [" ".join(path.words) for path in lm.normalize_reference(text, grammar).paths()]
    assert len(paths) == len(set(paths))
    return set(paths)


# --- Each rule


@pytest.mark.parametrize(
    ("rule", "text", "rewritten"),
    [
        ("LOWER_CASE", "The CAT, ÄRGER Œuvre 12", "the cat, ärger œuvre 12"),
        ("LOWER_CASE", "ΑΒΓ", "ΑΒΓ"),  # beyond Latin Extended-A
        ("PUNCTUATION", 'well, (yes): "no"! why?! ...', "well yes no why"),
        ("PUNCTUATION", "it’s “so” – good…", "it's so good"),
        ("PUNCTUATION", "twenty-one 1,000 3.5 3.5.", "twenty one 1,000 3.5 3.5"),
        ("PUNCTUATION", "-5 -.5 .5 10-20 a-", "minus 5 minus point 5 point 5 10 20 a"),
        ("PUNCTUATION", "'quoted' dogs' don't ''", "quoted dogs don't"),
        ("PUNCTUATION", "'em 'cause 'til 'em. 'em-'em", "them because until them them them"),
        ("PUNCTUATION", "uh-huh, mm-hmm", "uhhuh mhm"),
        ("PUNCTUATION", "the U.S.A. at 5 p.m., i.e. at example.com", "the USA at 5 pm ie at example.com"),
        ("ACCENTS", "naïve café Łódź Æsir", "naive cafe Lodz AEsir"),
        ("SYMBOLS", "555-1234 800-555-0199 (555)", "5 5 5 1 2 3 4 8 0 0 5 5 5 0 1 9 9 5 5 5"),
        ("SYMBOLS", "10-20 5%-10% $5-$10 1:1", "10 to 20 5 percent to 10 percent $5 to $10 1 to 1"),
        ("SYMBOLS", "5% 1/2 2½ 24/7 5/8, and/or", "5 percent one half 2 one half 24 7 five eighths, and or"),
        ("SYMBOLS", "at&t me@x.com 20°c 1st mp3", "at and t me at x dot com 20 degrees celsius 1st mp 3"),
        ("SYMBOLS", "5km/h 2020-01-15", "5 kilometers per hour 2020-01-15"),
        ("NUMBERS", "0 7 10 19 20 21 99", "zero seven ten nineteen twenty twenty one ninety nine"),
        ("NUMBERS", "1,000 1000", "one thousand one thousand"),
        ("NUMBERS", "007 5551234567", "zero zero seven five five five one two three four five six seven"),
        ("NUMBERS", "3.14 1.2.3", "three point one four one point two point three"),
        ("NUMBERS", "$1 $20 $5.50 $0.01", "one dollar twenty dollars five dollars fifty cents one cent"),
        ("NUMBERS", "£1.05 €2 $2.5 50¢", "one pound five pence two euros two point five dollars fifty cents"),
        ("NUMBERS", "10:30 9:05 7:00", "ten thirty nine oh five seven o'clock"),
        ("NUMBERS", "1990s 90s 2000s 1900's", "nineteen nineties nineties two thousands nineteen hundreds"),
        ("NUMBERS", "1000000000 5551234567", "one billion five five five one two three four five six seven"),
        ("NUMBERS", "1st 2nd 3rd 4th 12th", "first second third fourth twelfth"),
        ("NUMBERS", "20th 21st 100th", "twentieth twenty first one hundredth"),
        ("NUMBERS", "b2b mp3 1,00 10,000,00", "b2b mp3 1,00 10,000,00"),
        ("PHRASES", "a hundred and five", "one hundred five"),
        ("PHRASES", "a thousand and a hundred", "one thousand one hundred"),
        ("PHRASES", "hundred and counting a hundredth", "hundred and counting a hundredth"),
        ("PHRASES", "two point five dollars million", "two point five million dollars"),
        ("PHRASES", "two one half two and one half", "two and one half two and one half"),
        ("PHRASES", "a t v the c e o of n a s a m r", "a tv the ceo of nasa m r"),
        ("PHRASES", "five kg per cent", "five kilograms percent"),
        ("CONTRACTIONS", "can't've shouldn't've who'll dont", "can not have should not have who will do not"),
        ("CONTRACTIONS", "isn't won't can't cannot", "is not will not can not can not"),
        ("CONTRACTIONS", "i'm they're we've you'll", "i am they are we have you will"),
        ("CONTRACTIONS", "gonna he's he'd john's ain't", "going to he's he'd john's ain't"),
        ("SPELLING", "colour centre ok mr & at&t", "color center okay mister & at&t"),
        ("SPELLING", "favourites organising analysed metres", "favorites organizing analyzed meters"),
        ("SPELLING", "hour four promise exercise filling", "hour four promise exercise filling"),
        ("HESITATIONS", "hmmm ummm err mhm", "%hesitation %hesitation err mhm"),
        ("HESITATIONS", "uh um er hm umbrella", "%hesitation %hesitation %hesitation %hesitation umbrella"),
    ],
)  # fmt: skip
def test_a_rule_rewrites_its_examples(rule, text, rewritten):
    assert normal(text, f"english:{rule}") == rewritten


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("He isn't 21, I'm sure!", "he is not twenty one i am sure"),
        ("“Isn’t” it A HUNDRED AND 5%?", "is not it one hundred five percent"),
        ("<S> [NOISE] Uh, yes. </S>", "<S> [NOISE] %hesitation yes </S>"),
        ("Well-known Uh-huh.", "well known uhhuh"),
        ("...", ""),
        ("", ""),
        ("a ... b", "a b"),
        ("a - hundred", "one hundred"),
        ("日本語 🙂 naïve", "日本語 🙂 naive"),
    ],
)
def test_texts_get_one_form(text, rewritten):
    assert normal(text) == rewritten


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("plain words", {"plain words"}),
        ("He's here", {"he's here", "he is here", "he has here"}),
        ("he has gone", {"he has gone", "he's gone"}),
        ("she'd go", {"she'd go", "she would go", "she had go"}),
        ("it isn't", {"it is not", "it's not"}),
        ("uh yes", {"yes", "%hesitation yes"}),
        ("um", {"", "%hesitation"}),
        ("ain't", {"ain't", "is not", "am not", "are not", "has not", "have not"}),
        ("John's", {"john's", "john is", "john has"}),
        ("how'd", {"how'd", "how did", "how would", "how had"}),
        ("101", {"one hundred one", "one oh one", "one zero one"}),
        ("$5.50", {"five dollars fifty cents", "five dollars fifty", "five fifty"}),
        ("10K run", {"ten thousand run", "ten k run"}),
    ],
)
def test_a_reference_may_be_several_texts(text, allowed):
    assert readings(text) == allowed


# --- Written and spoken forms of the same words; and texts that must not become equal


def rows(name):
    """The pairs of a table."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]


def meets(one, other):
    """Whether one text is a form of the other, taken as a reference."""
    return normal(one) in readings(other)


def test_nine_of_ten_written_and_spoken_forms_meet():
    pairs = rows("english_pairs.tsv")
    assert len(pairs) >= 200
    missed = [pair for pair in pairs if not (meets(*pair) and meets(*reversed(pair)))]
    assert len(missed) <= len(pairs) / 20, missed
    assert [pair for pair in missed if not (meets(*pair) or meets(*reversed(pair)))] == [
        ("800-555-0199", "eight hundred five five five zero one nine nine")
    ]


def test_texts_that_differ_stay_different():
    pairs = rows("english_different.tsv")
    assert [pair for pair in pairs if meets(*pair) or meets(*reversed(pair))] == []


# --- Numbers, from the definition of their names


@cache
def name_of(number):
    """The words of a number, from the way they are made."""
    names = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
    ]
    names += ["fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
    tens = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
    for value, power in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= value:
            rest = f" {name_of(number % value)}" if number % value else ""
            return f"{name_of(number // value)} {power}{rest}"
    if number < 20:
        return names[number]
    return tens[number // 10 - 2] + (f" {names[number % 10]}" if number % 10 else "")


def test_numbers_to_ten_thousand_have_their_names():
    rule = find_grammar("english:NUMBERS")
    for number in [*range(1000), *range(1000, 10_000, 7)]:  # 7 is prime to ten: all last digits, tens and hundreds
        assert " ".join(rule.text([str(number)])) == name_of(number)


@given(st.integers(0, 999_999_999))
@example(1_000_000)
@example(999_999_999)
@example(100_000)
@example(1_001_000)
def test_numbers_to_a_thousand_million_have_their_names(number):
    assert normal(str(number)) == normal(f"{number:,}") == name_of(number)
    assert "," in f"{number:,}" or number < 1000


@given(st.integers(0, 999_999))
def test_an_ordinal_is_its_number_but_for_the_last_word(number):
    ordinal = normal(f"{number}th").split()
    *same, last = name_of(number).split()
    irregular = {"one": "first", "two": "second", "three": "third", "five": "fifth"}
    irregular |= {"eight": "eighth", "nine": "ninth", "twelve": "twelfth"}
    regular = last[:-1] + "ieth" if last.endswith("y") else last + "th"
    assert ordinal == [*same, irregular.get(last, regular)]


def test_years_have_the_readings_of_years():
    assert {"nineteen oh five", "nineteen hundred five"} < readings("1905")
    assert {"nineteen hundred", "one thousand nine hundred"} < readings("nineteen hundred")
    assert {"two thousand fifteen", "twenty fifteen"} < readings("2015")
    assert "twenty hundred" not in readings("2000")


@pytest.mark.parametrize("year", [1100, 1101, 1110, 1119, 1120, 1500, 1805, 1999, 2001, 2009, 2010, 2099])
def test_a_year_and_its_readings_are_one_another(year):
    found = readings(str(year))
    assert name_of(year) in found
    for reading in found:
        assert {name_of(year), reading} <= readings(reading)


# --- Properties

_PARTS = ["uh", "um-", "'em", "isn't", "and ", "a hundred", "hundred ", "1,000", "th"]
_PIECES = [*"abcAB019 .,-'’$%:()<>[]é\"", " ", " ", *_PARTS]
texts = st.lists(st.sampled_from(_PIECES), max_size=8).map("".join) | st.text(max_size=8)


@given(texts)
@example("''isn't''")
@example("uh")
@example("%:a")
@example("a-.b")
@example("<-'em>")
def test_a_normal_form_is_its_own(text):
    text = text.replace("\0", "")
    once = normal(text)
    assert normal(once) == once


@given(texts)
def test_a_text_has_one_normal_form_and_it_is_one_of_its_readings(text):
    text = text.replace("\0", "")
    once = normal(text)
    assert once in readings(text)


@given(texts)
def test_a_text_becomes_what_pynini_makes_of_it(text):
    words = lm.vocabulary.split_words(text.replace("\0", ""))
    if words:
        for stage in (english().NORMALIZE, english().NORMALIZE_2, english().NORMALIZE_3):
            made = pynini.compose(pynini.escape(" ".join(words)), stage) if words else None
            words = _only(made)
        assert normal(text) == " ".join(words)


def _only(machine):
    """Return the words of the only text that a machine writes."""
    if machine is None:
        return []
    (text,) = set(machine.paths().ostrings())
    return lm.vocabulary.split_words(text)


@cache
def english():
    return grammar_module("english")


# --- Recognition rates


@cache
def recognition():
    return grammar_module("recognition")


STRINGS = ["".join(letters) for size in range(5) for letters in itertools.product("abc", repeat=size)]


def cost(machine, text):
    found = pynini.shortestpath(pynini.compose(text, machine))
    return float(pynini.shortestdistance(found, reverse=True)[found.start()])


@pytest.mark.parametrize("reference", ["", "a", "abac", "aab"])
@pytest.mark.parametrize(("order", "alpha", "beta"), [(1, 1, 0), (2, 1, 0), (4, 1, 0), (3, 0.5, 1), (2, -0.75, 1)])
def test_the_grammar_of_a_rate_is_what_is_compiled(reference, order, alpha, beta):
    grammar = recognition().grr(reference, order, alpha, beta)
    metric = lm.GRR(order, alpha=alpha, beta=beta)
    vocabulary = lm.Vocabulary({ord(letter): letter for letter in recognition().ALPHABET})
    compiled = _without_star(metric.compile([list(reference)], vocabulary))
    for text in STRINGS:
        assert (
            cost(grammar, text)
            == cost(compiled, text)
            == -metric.numerator(metric.statistics(list(text), [list(reference)]))
        )


def _without_star(compiled):
    """★ as each letter of the alphabet."""
    machine = pynini.Fst()
    machine.add_states(compiled.num_states())
    machine.set_start(compiled.start())
    for state in compiled.states():
        machine.set_final(state, compiled.final(state))
        for arc in compiled.arcs(state):
            letters = map(ord, recognition().ALPHABET) if arc.ilabel == lm.vocabulary.STAR else [arc.ilabel]
            for letter in letters:
                machine.add_arc(state, pynini.Arc(letter, letter, arc.weight, arc.nextstate))
    return machine


# --- How they are built


def test_modules_export_themselves_as_pynini_s_do(tmp_path):
    pytest.importorskip("absl")
    for name in ("english", "recognition"):
        path = tmp_path / f"{name}.far"
        subprocess.run([sys.executable, grammar_source(name), "--output", path], check=True, timeout=PATIENCE)
        assert {rule.name for rule in rule_sizes(str(path))} == {rule.name for rule in rule_sizes(name)}


def test_the_installed_package_finds_its_grammars(tmp_path):
    code = "import latticemetric as lm; print(lm.normalize('Isn\\'t it?'))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=tmp_path
    )
    assert done.stdout == "is not it\n"
    assert Path(grammar_source("english")).is_file()
