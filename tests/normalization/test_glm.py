"""NIST's mapping rules: against their definition, character by character, and against sctk's csrfilt."""

import json
import os
import pickle
import re
import shutil
import subprocess
from itertools import chain, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.brute_force import enumerate_paths
from kit.commands import assert_one_line_error, good, run
from kit.strategies import drafts, lattices

import latticemetric as lm
from latticemetric.formats.nist.words import parsed_transcript
from latticemetric.normalization.application import apply_rule
from latticemetric.normalization.distinct import distinct_texts
from latticemetric.normalization.glm import alternatives, read_glm
from latticemetric.normalization.grammar import find_grammar

FOUND = shutil.which("csrfilt.sh", path=f"{os.environ['PATH']}:/usr/lib/sctk/bin")
SCTK = Path(FOUND or "/usr/lib/sctk/bin/csrfilt.sh").parent
PATHS = os.environ | {"PATH": f"{SCTK}:{os.environ['PATH']}"}
with_sctk = pytest.mark.skipif(FOUND is None, reason="csrfilt.sh is not installed (Debian's package sctk)")
HEAD = ";; rules\n* name 'test'\n* format = 'NIST1'\n* case_sensitive = 'F'\n"
RULES = """
GONNA => GOING TO / [ ] __ [ ] ;; often
it's => [{it is / it's}] / [ ] __ [ ]
UH => (%HESITATION) / [ ] __ [ ]
[ICE CREAM] => ICECREAM
[ HM ] => [ ]
CHE => CZE / __ [CH]
[WELL ] => [] / [ ] __
A.B. => {A. B. / {A / @} B} / __ [ ]
B => C / [A ] __
"""
SECTIONS = ';;  INPUT_DEPENDENT_APPLICATION = "hyp"\nX => Y\n;; INPUT_DEPENDENT_APPLICATION = "ref"\nX => Z\n'


def rules(folder, text, head=HEAD):
    path = folder / "rules.glm"
    path.write_text(head + text, encoding="utf-8")
    return str(path)


def rewritten(path, text, side="hyp"):
    grammar = find_grammar(path)
    lattice = lm.Lattice.from_strings([text.split()])
    for rule in grammar.reference_rules if side == "ref" else grammar.rules:
        lattice = apply_rule(rule, lattice)
    return {" ".join(found.words) for found in enumerate_paths(lattice)}


# --- The definition


def defined(table, words, *, upper, case, copied):
    """All outputs of the rules (source, output, before, after), applied to a text character by character."""
    if not words:
        return {()}
    text = "  " + " ".join(words) + "  "
    text = text.upper() if upper else text
    fold = (lambda one: one) if case else str.upper
    parts, at = [], 0
    while at < len(text):
        for source, output, before, after in table:
            if (
                fold(text[at:]).startswith(fold(source + after))
                and fold(text[:at]).endswith(fold(before))
            ):  # fmt: skip
                parts.append([one.upper() if upper else one for one in output])
                at += len(source)
                break
        else:
            parts.append([text[at] if copied else ""])
            at += 1
    return {tuple("".join(chosen).split()) for chosen in product(*parts)}


def quoted(text):
    return f"[{text}]"


texts = st.text("aAbB ", max_size=4)
table = st.lists(
    st.tuples(
        st.text("aAbB ", min_size=1, max_size=5),
        st.lists(st.text("abC ", max_size=3), min_size=1, max_size=2),
        texts,
        texts,
    ),
    max_size=5,
)


@given(table=table, draft=drafts(), flags=st.tuples(st.booleans(), st.booleans(), st.booleans()))
def test_every_path_becomes_what_the_rules_make_of_it(tmp_path_factory, table, draft, flags):
    upper, case, copied = flags
    path = tmp_path_factory.getbasetemp() / "random.glm"
    lines = [f"* case_sensitive = '{'FT'[case]}'", f"* copy_no_hit = '{'FT'[copied]}'"]
    for source, output, before, after in table:
        lines.append(f"[{source}] => [{{{'/'.join(output)}}}] / [{before}] __ [{after}]")
    path.write_text("\n".join([";;", *lines, ""]))
    lattice = draft.lattice()
    found_lattice = find_grammar(str(path) + ("" if upper else ":KEEP_CASE")).lattice(lattice)
    found = {(p.words, tuple(sorted(p.sums.items()))) for p in enumerate_paths(found_lattice)}
    find_grammar.__globals__["_loaded"].cache_clear()  # the next file may have the same size and time
    assert found == {
        (words, tuple(sorted(p.sums.items())))
        for p in enumerate_paths(lattice)
        for words in defined(table, p.words, upper=upper, case=case, copied=copied)
    }


# --- sctk

WORDS = "gonna it's uh ice cream hm chech che well a.b. a.b b a IT'S Gonna well-known Ice x".split()  # noqa: SIM905  easier to read


@with_sctk
@pytest.mark.parametrize(("option", "flag"), [("", None), (":KEEP_CASE", "-s"), (":SPLIT_HYPHENS", "-dh")])
@pytest.mark.parametrize("side", ["ref", "hyp"])
def test_csrfilt_writes_the_same(tmp_path, option, flag, side):
    path = rules(tmp_path, RULES + SECTIONS)
    draws = np.random.default_rng(7)
    lines = [" ".join(draws.choice(WORDS, draws.integers(1, 9))) for _ in range(60)]
    command = [SCTK / "csrfilt.sh", "-i", "trn", "-t", side, *([flag] if flag else []), path]
    given_lines = "".join(f"{line} (u-{number})\n" for number, line in enumerate(lines))
    written = subprocess.run(command, input=given_lines, capture_output=True, text=True, env=PATHS, check=True)
    theirs = [re.sub(r"\s*\(u-\d+\)$", "", line) for line in written.stdout.splitlines()]
    assert len(theirs) == len(lines)
    for line, written_line in zip(lines, theirs, strict=True):
        # sclite compares without case, so what rules write is upper-cased, too.
        expected = alternatives(written_line if option == ":KEEP_CASE" else written_line.upper())
        assert rewritten(path + option, line, side) == {" ".join(text.split()) for text in expected}


ONE_WORD = """
GONNA => GOING TO / [ ] __ [ ]
CHE => CZE / __ [CH]
ICE CREAM => ICECREAM
B => C / [A ] __
X => Y / [ ] __ [ ]
[ HM ] => [ UH HUH ]
"""


@with_sctk
def test_csrfilt_rewrites_words_of_a_ctm_one_by_one(tmp_path):
    path = rules(tmp_path, ONE_WORD)
    words = "ice cream gonna a b chech x x hm hm b"
    lines = "".join(f"u 1 {place} 1 {word} 0.5\n" for place, word in enumerate(words.split()))
    command = [SCTK / "csrfilt.sh", "-i", "ctm", "-t", "hyp", path]
    written = subprocess.run(command, input=lines, capture_output=True, text=True, env=PATHS, check=True)
    expected = [line.split()[4] for line in written.stdout.splitlines()]
    assert " ".join(expected) == "ICE CREAM GOING TO A B CZECH Y Y UH HUH UH HUH B"
    assert lm.normalize(words, f"{path}:TIMED") == " ".join(expected)
    assert lm.normalize(words, path) == "ICECREAM GOING TO A C CZECH Y Y UH HUH HM B"


# --- By hand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we're gonna go", {"WE'RE GOING TO GO"}),
        ("it's uh", {"IT'S %HESITATION", "IT IS %HESITATION", "IT'S", "IT IS"}),
        ("nice creams", {"NICECREAMS"}),  # rules without context apply inside words
        ("a hm b", {"A B"}),  # the rule for B sees the text as it was
        ("a b", {"A C"}),
        ("well well no", {"NO"}),
        ("a.b.", {"A. B.", "A B", "B"}),
        ("", {""}),
    ],
)
def test_rules_by_example(tmp_path, text, expected):
    assert rewritten(rules(tmp_path, RULES), text) == expected


def test_each_side_has_its_sections(tmp_path):
    path = rules(tmp_path, RULES + SECTIONS)
    assert [rewritten(path, "x", side) for side in ("ref", "hyp")] == [{"Z"}, {"Y"}]
    assert lm.normalize("x", path) == "Y"
    assert [found.words for found in lm.normalize_reference("x", path).paths()] == [("Z",)]
    shown = good(run("latticemetric", "grammar", "show", path))
    assert shown.stdout.split() == ["side", "rules", "ref", "10", "hyp", "10"]


def test_transcripts_with_times_have_sections_of_their_own(tmp_path):
    sections = "".join(
        f';; INPUT_DEPENDENT_APPLICATION = "{kind}"\n{word} => [{kind}] / [ ] __ [ ]\n'
        for word, kind in zip("PQR", ("trn", "ctm", "stm"), strict=True)
    )
    path = rules(tmp_path, sections)
    assert [rewritten(path, "p q r", side) for side in ("ref", "hyp")] == [{"TRN Q R"}] * 2
    timed = f"{path}:TIMED"
    assert lm.normalize("p q r", timed) == "P CTM R"
    assert [found.words for found in lm.normalize_reference("p q r", timed).paths()] == [("P", "Q", "STM")]


def test_words_of_a_timed_hypothesis_are_rewritten_one_by_one(tmp_path):
    path = rules(tmp_path, "A B => C\n[D] => [{D / E}] / [ ] __ [ ]\n") + ":TIMED"
    assert lm.normalize("a b", path) == "A B"
    assert [found.words for found in lm.normalize_reference("a b", path).paths()] == [("C",)]
    found = lm.normalize(lm.Lattice.from_strings(["d a b", "d"]), path)
    assert {way.words for way in found.paths()} == {("D", "A", "B"), ("E", "A", "B"), ("D",), ("E",)}


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("[X] => [{X / Y}] / [ ] __A [ ]", "x", {"X", "Y"}),  # in a file of NIST's test suite
        ("X => Y / [ ] __A [ B]", "x b x a", {"Y B X A"}),
        ("X => Y /[ ] __ [ ]", "x ]x", {"X ]Y"}),  # the context is "]"
        ("X => Y / [ ]__[ ]", "x x]", {"X Y]"}),
    ],
)
def test_contexts_begin_after_a_space_as_in_rfilter1(tmp_path, rule, text, expected):
    assert rewritten(rules(tmp_path, rule), text) == expected


@pytest.mark.parametrize("setting", ["* case_sensitive = 'F'", "*CASE_SENSITIVE:'f'", "* set case_sensitive to 'no'"])
def test_settings_have_their_name_anywhere_before_the_value(tmp_path, setting):
    path = rules(tmp_path, f"{setting}\nx => y\n", head=";;\n")
    assert rewritten(path + ":KEEP_CASE", "X x") == {"y y"}


OPTIONAL = """
QQ => P Q-R / [ ] __ [ ]
X-Y => Z / [ ] __ [ ]
ICE CREAM => ICECREAM
BB => CC / [AA ] __
SO => {S-O / S O / @} / [ ] __ [ ]
"""


def readings(path, text, side="ref"):
    graph = parsed_transcript(text, "here")
    grammar = find_grammar(path)
    found = grammar.reference(graph) if side == "ref" else grammar.lattice(graph)
    return {" ".join(one.words) for one in enumerate_paths(found)}


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("", "a (uh-huh) b", "a (uh-huh) b"),
        (":SPLIT_HYPHENS", "a (uh-huh) b", "a (uh) (huh) b"),
        (":SPLIT_HYPHENS", "(this-that-but) (o-) (-o)", "(this) (that) (but) (o-) (-o)"),
        (":SPLIT_HYPHENS", "a { uh-huh / @ } { b-c / d }", "a { uh huh / @ } { b c / d }"),
        ("", "a (qq) e (x-y)", "a (p) (q-r) e (z)"),
        ("", "(ice) cream ice cream (aa) bb", "(ice) cream icecream (aa) bb"),
        ("", "ice (uh) cream aa (uh) bb", "ice (uh) cream aa (uh) bb"),
        (":SPLIT_HYPHENS", "a (qq) e (x-y)", "a (p) (q) (r) e (z)"),
        (":SPLIT_HYPHENS+TIMED", "a (qq) e (x-y)", "a (p) (q) (r) e (z)"),
    ],
)
def test_each_word_of_a_split_optional_word_may_be_left_out_as_by_csrfilt(tmp_path, option, text, said):
    path = rules(tmp_path, OPTIONAL)
    expected = {" ".join(one.words) for one in enumerate_paths(parsed_transcript(said.upper(), "here"))}
    assert readings(path + option, text) == expected
    if FOUND is not None:
        command = [FOUND, "-i", "trn", *(["-dh"] if "SPLIT" in option else []), path]
        done = subprocess.run(command, input=f"{text} (u-1)\n", capture_output=True, text=True, env=PATHS, check=True)
        theirs = parsed_transcript(done.stdout.replace("(u-1)", ""), "here")
        assert {" ".join(one.words) for one in enumerate_paths(theirs)} == expected


def selections(words):
    """All texts of an output: words between brackets may each be left out."""
    found, inside = [()], False
    for word in words:
        for part in filter(None, re.split("([⟨⟩])", word)):
            if part in "⟨⟩":
                inside = part == "⟨"
            else:
                found = [(*text, part) for text in found] + (found if inside else [])
    return set(found)


@given(
    table=table,
    words=st.lists(st.tuples(st.sampled_from(["a", "b", "a-b", "A"]), st.booleans()), max_size=4),
    split=st.booleans(),
)
def test_optional_words_are_rewritten_between_brackets(tmp_path_factory, table, words, split):
    path = tmp_path_factory.getbasetemp() / "optional.glm"
    lines = ["* case_sensitive = 'F'"]
    for source, output, before, after in table:
        lines.append(f"[{source}] => [{{{'/'.join(output)}}}] / [{before}] __ [{after}]")
    path.write_text("\n".join([";;", *lines, ""]))
    expected = set()
    said = chain(*(("⟨", word, "⟩") if optional else (word,) for word, optional in words))
    for output in defined(table, list(said), upper=True, case=False, copied=True):
        parts = " ".join(re.sub(r"(.)-(?=.)", r"\1 ", word) if split else word for word in output)
        expected |= selections(parts.split())
    text = " ".join(f"({word})" if optional else word for word, optional in words)
    find_grammar.__globals__["_loaded"].cache_clear()  # the last file may have had the same size and time
    found = readings(str(path) + ":SPLIT_HYPHENS" * split, text)
    assert found == {" ".join(one) for one in expected}


def test_alternatives_of_an_optional_word_are_apart(tmp_path):
    # csrfilt puts brackets around the marks of the alternation, too.
    path = rules(tmp_path, OPTIONAL)
    assert readings(path, "(so) x") == {"S-O X", "S O X", "S X", "O X", "X"}
    assert readings(path + ":SPLIT_HYPHENS", "x (so)") == {"X S O", "X S", "X O", "X"}
    assert readings(rules(tmp_path, "* copy_no_hit = 'F'\nX => Y\n"), "(a) b (x)") == {"Y"}
    assert readings(rules(tmp_path, "* copy_no_hit = 'F'\nX => Y\n"), "(a) b") == {""}


def test_optional_words_of_hypotheses_and_lattices_are_left_out_as_a_whole(tmp_path):
    path = rules(tmp_path, OPTIONAL) + ":SPLIT_HYPHENS"
    assert readings(path, "a (uh-huh)", "hyp") == {"A", "A UH HUH"}


def test_alternatives_of_both_sides_meet(tmp_path):
    pytest.importorskip("pynini")
    path = rules(tmp_path, RULES)
    for name, text in (("hyp", "it's gonna uh (a-1)\n"), ("ref", "it is going to { x / uh } (a-1)\n")):
        (tmp_path / f"{name}.trn").write_text(text)
    files = [tmp_path / "hyp.trn", tmp_path / "ref.trn", "--normalize", path]
    found = good(run("latticemetric", "score", *files, "--metric", "sclite", "--format", "json"))
    assert json.loads(found.stdout)["scores"][0]["score"] == 0
    refused = run("latticemetric", "score", *files, "--metric", "wer")
    assert_one_line_error(refused, "sclite")


def test_alternatives_that_differ_by_white_space_are_one(tmp_path):
    file = rules(tmp_path, ";;\n[IT'S] => [{IT IS / IT IS}] / [ ] __ [ ]\n")
    found = lm.normalize(lm.Lattice.from_strings(["it's here"]), str(file))
    assert [path.words for path in found.paths()] == [("IT", "IS", "HERE")]


def test_hypotheses_are_written_with_their_alternatives(tmp_path):
    pytest.importorskip("pynini")
    arguments = ["grammar", "apply", rules(tmp_path, RULES), "--hypothesis"]
    assert good(run("latticemetric", *arguments, stdin=b"so it's\n")).stdout == "SO { IT IS / IT'S }\n"


@pytest.mark.parametrize(
    ("head", "text", "says"),
    [
        ("A => B\n", "", "the first line does not define the comment mark"),
        ("", "", "the first line does not define the comment mark"),
        (HEAD, "A -> B\n", "this is not a rule"),
        (HEAD, "A =>B\n", "this is not a rule"),
        (HEAD, "* case_sensitive = F\n", "a setting has no value in quotes"),
        (HEAD, "* format = 'NIST2'\n", "the format is NIST2, not NIST1"),
        (HEAD, ';; INPUT_DEPENDENT_APPLICATION = "("\n', "is not a regular expression"),
    ],
)
def test_damaged_files_are_refused(tmp_path, head, text, says):
    with pytest.raises(lm.FormatError, match=says):
        read_glm(rules(tmp_path, text, head), "ref")


def test_a_rule_that_writes_half_an_alternative_is_refused_where_it_applies(tmp_path):
    path = rules(tmp_path, "A'S => [{A'S / A IS}\n")  # as in files of NIST: rfilter1 cuts it at the slash
    assert lm.normalize("b", path) == "B"
    with pytest.raises(lm.InputError, match=r"\} is missing in the output '") as error:
        lm.normalize("a's", path)
    assert error.value.where == f"{path}:5"


def test_rules_travel_to_workers(tmp_path):
    grammar = find_grammar(rules(tmp_path, RULES + SECTIONS) + ":KEEP_CASE+SPLIT_HYPHENS")
    for rule in (*grammar.rules, *grammar.reference_rules):
        copy = pickle.loads(pickle.dumps(rule))
        assert copy.steps(-1, "x-x") == rule.steps(-1, "x-x")


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(lm.UsageError, match="there is no option 'KEEP'"):
        find_grammar(rules(tmp_path, RULES) + ":KEEP")


def test_more_alternatives_than_can_be_listed_are_refused(tmp_path):
    path = rules(tmp_path, "A => (" + "B " * 14 + ")\n")
    with pytest.raises(lm.InputError, match="more than 10000 texts"):
        lm.normalize("a", path)


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        ("zed one / alpha one / mid", ["ZED ONE", "ALPHA ONE", "MID"]),
        ("d b / a / @", ["D B", "A", ""]),
        ("c b / a d / d a / a / d", ["C B", "A D", "A", "D A", "D"]),
    ],
)
def test_alternatives_keep_the_order_of_the_file(tmp_path, written, texts):
    path = rules(tmp_path, f"x => {{{written}}} / [ ] __ [ ]")
    found = lm.normalize_reference("x", path)
    assert [" ".join(way.words) for way in found.paths()] == texts
    assert [" ".join(way.words) for way in lm.normalize_reference("q x", path).paths()] == [
        f"Q {text}".strip() for text in texts
    ]


def grouped(texts):
    """Texts in their order, but after each text those with the same beginning."""
    groups = {}
    for text in texts:
        groups.setdefault(text[:1], []).append(text[1:])
    return [(*word, *rest) for word, those in groups.items() for rest in (grouped(those) if word else [()])]


@given(graph=lattices())
def test_distinct_texts_keep_the_order_of_paths(graph):
    paths = [path.words for path in graph.paths()]
    found = distinct_texts(graph)
    assert [path.words for path in found.paths()] == grouped(paths)
    assert distinct_texts(found) == found
