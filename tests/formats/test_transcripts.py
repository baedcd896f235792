"""NIST transcripts: alternations against their definition, times, ids, and references with alternatives."""

import gzip
import pickle
import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit.format_cases.transcripts import expressions, readings, strings_of, text_of, timed
from kit.formats import contents, paths_in, rebuilt, write_file
from kit.paths import DATA, EXAMPLES

import latticemetric as lm
from latticemetric.corpus.oracles import oracles_of
from latticemetric.corpus.pairing import pair_up
from latticemetric.corpus.run import Run
from latticemetric.corpus.system_outputs import named_systems, read_systems
from latticemetric.formats import reading
from latticemetric.formats.nist import ctm
from latticemetric.formats.nist.transcripts import words_by_segment
from latticemetric.formats.nist.words import GraphBuilder, Word, parsed_transcript
from latticemetric.formats.references import read_references
from latticemetric.formats.segments import read_nist_segments, read_segments
from latticemetric.formats.streams.stream import open_stream
from latticemetric.oracle_search.reference_strings import distinct_strings

SAMPLES = DATA / "trn-stm-ctm"


def strings(lattice):
    return [path.words for path in lattice.paths()]


def read(folder, text, format_name=None):
    return dict(lm.read(write_file(folder, text), format=format_name))


def written(folder, graphs, format_name):
    lm.write(folder / "written", graphs, format=format_name)
    return (folder / "written").read_text()


# --- Alternations


@given(expression=expressions)
def test_a_graph_has_the_strings_of_its_expression(expression):
    assume(readings(expression) <= 500)
    assert Counter(strings(parsed_transcript(text_of(expression), "here"))) == Counter(strings_of(expression))


@given(expression=expressions)
def test_distinct_strings_are_those_of_the_expression_up_to_a_limit(expression):
    assume(readings(expression) <= 500)
    expected = set(strings_of(expression))
    found = distinct_strings(parsed_transcript(text_of(expression), "here"), 8)
    assert found is None if len(expected) > 8 else (set(found) == expected and len(found) == len(expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i've { um / uh / @ } as far", ["i've um as far", "i've uh as far", "i've as far"]),
        ("I am a (farmer)", ["I am a", "I am a farmer"]),
        ("{ a { b / c } / d e }", ["a b", "a c", "d e"]),
        ("{ { a / b } / c }", ["a", "b", "c"]),
        ("{ { a / b } c / d }", ["a c", "b c", "d"]),
        ("{a/b}c", ["a c", "b c"]),
        ("{NOISE} so", ["NOISE so"]),
        ("and/or / ( ) x(y)", ["and/or / ( ) x(y)"]),
        ("@ a @", ["a"]),
        ("th- -ing (un-)", ["th- -ing", "th- -ing un-"]),
        ("a\\;s b;noun {c;;x / d;y}", ["a;s b c", "a;s b d"]),
        ("(a b)", ["(a b)"]),
        ("((a))", ["", "(a)"]),
        ("", [""]),
        ("no-break\u00a0space", ["no-break\u00a0space"]),
    ],
)
def test_what_a_transcript_says(text, expected, tmp_path):
    for format_name, line in (("trn", f"{text} (u_1)"), ("stm", f"f 1 s 0.0 1.0 <> {text}")):
        ((paths),) = paths_in(tmp_path, line + "\n", format=format_name)
        assert [words for words, _ in paths] == expected


def test_tags_are_labels(tmp_path):
    (lattice,) = read(tmp_path, "a;n b;;x {c;v;y / @} a\\;s;t (u_1)\n").values()
    spelled = {n: [side.vocabulary.word(k) for k in side.arc.tolist()] for n, side in lattice.labels.items()}
    assert spelled == {"tag1": ["n", "", "v", "", "t"], "tag2": ["", "x", "y", "", ""]}
    assert written(tmp_path, [("u_1", lattice)], "trn") == "a;n b;;x { c;v;y / @ } a\\;s;t (u_1)\n"


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("a {b/c} d", "a { b / c } d"),
        ("{ @ / um }", "(um)"),
        ("{ um / @ }", "{ um / @ }"),
        ("{ a / { b / c } }", "{ a / b / c }"),
        ("{ a / { b / (c) } d }", "{ a / { b / @ / c } d }"),
        ("{x}", "x"),
        ("**** off", " **** off"),
    ],
)
def test_what_is_written_is_the_plainest_that_says_the_same(text, again, tmp_path):
    lattice = parsed_transcript(text, "here")
    assert written(tmp_path, [("u_1", lattice)], "trn") == f"{again} (u_1)\n"


def test_nested_alternations_are_read_and_written_without_recursion(tmp_path):
    text = "{ a / " * 32 + "b c" + " }" * 32
    lattice = parsed_transcript(text, "here")
    assert lattice.statistics().paths == 33
    deep = lm.Lattice.from_arcs(
        [*range(3000), *range(3000)],
        [*range(1, 3001), *[3000] * 3000],
        [1] * 6000,
        final=[3000],
        vocabulary=lm.Vocabulary({1: "a"}),
    )
    with pytest.raises(lm.UsageError, match="nest more than 32 levels deep"):
        written(tmp_path, [("u", deep)], "trn")


def test_many_alternatives_and_long_lines_take_no_squares():
    many = parsed_transcript("{ " + " / ".join(f"w{k} x" for k in range(20_000)) + " }", "here")
    assert many.statistics().paths == 20_000
    assert parsed_transcript("a {b/c} " * 20_000, "here").num_states == 40_001


# --- What cannot be written


CROSSED = lm.Lattice.from_arcs([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], [1, 2, 3, 4, 5], final=[3])


@pytest.mark.parametrize("format_name", ["trn", "stm", "ctm"])
@pytest.mark.parametrize(
    ("graph", "message"),
    [
        pytest.param(CROSSED, "holds only alternations", id="paths that cross"),
        pytest.param(lm.Lattice.from_arcs([0], [1], [1], final=[0, 1]), "end in several states", id="two ends"),
        pytest.param(lm.Lattice.from_strings(["a"], [0.5]), "holds no scores, but this graph has cost", id="scores"),
        pytest.param(
            lm.Lattice.from_strings([["New York"]]), "'New York' would not be read back unchanged", id="space"
        ),
        pytest.param(lm.Lattice.from_strings(["@ a"]), "'@' would not be read back unchanged", id="@"),
        pytest.param(lm.Lattice.from_strings(["(x) a"]), "would not be read back unchanged", id="brackets"),
        pytest.param(lm.Lattice.from_strings(["a{ a"]), "'a{' would not be read back unchanged", id="brace"),
        pytest.param(lm.Lattice.from_strings(["a\\b"]), "would not be read back unchanged", id="backslash"),
    ],
)
def test_what_transcripts_cannot_hold_is_refused(format_name, graph, message, tmp_path):
    timed_graph = rebuilt(graph, times=np.arange(graph.num_states, dtype=float))
    with pytest.raises(lm.LatticeMetricError, match=re.escape(message)):
        lm.write(tmp_path / "x", [("f", timed_graph)], format=format_name)
    assert list(tmp_path.iterdir()) == []


def test_a_slash_is_a_word_outside_of_alternations_only(tmp_path):
    assert written(tmp_path, [("u", lm.Lattice.from_strings(["a / b/c"]))], "trn") == "a / b/c (u)\n"
    with pytest.raises(lm.InputError, match="'b/c' would not be read back unchanged"):
        written(tmp_path, [("u", lm.Lattice.from_strings(["a", "b/c"]))], "trn")


@pytest.mark.parametrize("name", ["", "a b", "a(b", ")"])
def test_ids_that_trn_cannot_hold_are_refused(name, tmp_path):
    with pytest.raises(lm.UsageError, match="cannot be an id in trn"):
        written(tmp_path, [(name, lm.Lattice.from_strings(["a"]))], "trn")


def test_labels_of_other_formats_are_not_dropped_in_silence(tmp_path):
    transducer = lm.read_one(write_file(tmp_path, "0 1 gato cat\n1\n"))
    with pytest.raises(lm.UsageError, match=r"cannot store the labels input; .*drop_labels=True"):
        written(tmp_path, [("u", transducer)], "trn")


# --- STM


def test_segments_are_named_by_what_stands_before_their_words(tmp_path):
    text = (
        ';; LABEL "O" "Overall" "all"\n'
        "2347 a 2347-a 1.06 3.470 <O,WA> i've { um / uh }\n"
        "** to sclite, a comment too\n\n"
        "a,b 1 x%y 3.5 4 \n"
        "f 1 inter_segment_gap 4 5 <>\n"
    )
    graphs = read(tmp_path, text)
    assert {name: strings(g) for name, g in graphs.items()} == {
        "2347,a,2347-a,1.06,3.470,<O,WA>": [("i've", "um"), ("i've", "uh")],
        "a%2Cb,1,x%25y,3.5,4": [()],
        "f,1,inter_segment_gap,4,5,<>": [()],
    }
    lines = [line.strip() for line in text.splitlines() if re.match("[2af]", line)]
    assert written(tmp_path, graphs.items(), "stm").splitlines() == lines


@pytest.mark.parametrize("mark", ["IGNORE_TIME_SEGMENT_IN_SCORING", "ignore_time_segment_in_scoring"])
def test_segments_that_are_not_scored_are_left_out_and_it_is_said(mark, tmp_path, caplog):
    path = write_file(tmp_path, f"f 1 s 0 1.5 a\nf 1 x 1.5 2 {mark}\nf 1 s 2 3.5 b\nf 1 x 4 5.0 <O> {mark}\n")
    assert [strings(g) for _, g in lm.read(path)] == [[("a",)], [("b",)]]
    assert [r.words for r in read_references(str(path)).plain()] == [("a",), ("b",)]
    said = f"{path}:2: left out 2 segments that are not to be scored (IGNORE_TIME_SEGMENT_IN_SCORING)"
    assert [record.getMessage() for record in caplog.records] == [said, said]
    with pytest.raises(lm.UsageError, match="would make readers skip"):
        written(tmp_path, [("f,1,s,0,1", lm.Lattice.from_strings([mark]))], "stm")


def test_a_graph_from_elsewhere_becomes_a_segment_if_it_has_times(tmp_path):
    lattice = lm.Lattice.from_arcs([0, 1], [1, 2], [7, 8], final=[2], times=[0.25, 1.0, 12.5])
    assert written(tmp_path, [("utt_1", lattice)], "stm") == "utt_1 1 utt_1 0.25 12.5 7 8\n"
    with pytest.raises(
        lm.UsageError, match="stm needs a begin and an end time ≥ 0, but 'utt' has none; give the graph an id"
    ):
        written(tmp_path, [("utt", lm.Lattice.from_strings(["a"]))], "stm")


def test_a_first_word_that_looks_like_labels_needs_some_before(tmp_path):
    lattice = lm.Lattice.from_strings(["<unk> a"])
    with pytest.raises(lm.UsageError, match="would be read back as labels"):
        written(tmp_path, [("f,1,s,0,1", lattice)], "stm")
    assert written(tmp_path, [("f,1,s,0,1,<>", lattice)], "stm") == "f 1 s 0 1 <> <unk> a\n"


# --- CTM

CTM = (
    ";; c\n2347 A 1.02 0.29 PRIDE;tag1 0.9 lex spk\n2347 A 1.31 0.10 (A)\n2347 A 2.00 0.50 B NA\n"
    "2347 A * * <ALT_BEGIN> 0.5\n2347 A 3.0 0.5 IT\n2347 A * * <ALT>\n2347 A 3.25 0.5 AT\n2347 A * * <Alt>\n"
    "2347 A * * <ALT_END>\n2347 A 3.70 0.1 C\n\n2347 B 0 1 D\n"
)


def test_words_have_their_times(tmp_path):
    graphs = read(tmp_path, CTM)
    assert list(graphs) == ["2347,A", "2347,B"]
    lattice = graphs["2347,A"]
    spans = [
        (lattice.vocabulary.word(word), lattice.times[source], lattice.times[target])
        for source, target, word in zip(lattice.source, lattice.target, lattice.word.tolist(), strict=True)
    ]
    assert spans == [
        ("PRIDE", 1.02, 1.31),  # 1.02 + 0.29 in binary is less, and would make a gap
        ("", 1.31, 1.41),
        ("A", 1.31, 1.41),
        ("", 1.41, 2.0),
        ("B", 2.0, 2.5),
        ("", 2.5, 3.0),
        ("IT", 3.0, 3.5),
        ("", 3.0, 3.25),
        ("", 3.0, 3.75),
        ("", 3.5, 3.75),
        ("AT", 3.25, 3.75),
        ("", 3.75, 3.7),
        ("C", 3.7, 3.8),
    ]
    assert len(strings(lattice)) == 6
    labels = {n: side.vocabulary.decode(side.arc) for n, side in lattice.labels.items()}
    assert labels == {"confidence": ["0.9", "NA"], "speaker": ["spk"], "tag1": ["tag1"], "type": ["lex"]}


def test_channels_are_written_back_without_gaps(tmp_path):
    graphs = read(tmp_path, CTM)
    lines = written(tmp_path, graphs.items(), "ctm").splitlines()
    expected = [line.split() for line in CTM.upper().splitlines()[1:] if line]
    assert [line.upper().split()[4:] for line in lines] == [
        fields[4:5] if "ALT_BEGIN" in fields[4] else fields[4:] for fields in expected
    ]
    assert [line.split()[2:4] for line in lines[:3]] == [["1.02", "0.29"], ["1.31", "0.10"], ["2.0", "0.5"]]


def same(a, b):
    return contents(a) == contents(b) and a.times.tolist() == b.times.tolist()


@given(lattice=timed())
def test_times_are_read_back_bit_for_bit(lattice, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "times.ctm"
    lm.write(path, [("f,1", lattice)])
    assert same(lm.read_one(path), lattice)


@given(data=st.data())
def test_a_chain_of_words_may_have_any_times(data, tmp_path_factory):
    words = data.draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=1, max_size=6))
    times = data.draw(st.lists(st.floats(0, 1e300), min_size=len(words) + 1, max_size=len(words) + 1))
    arcs = range(len(words))
    lattice = lm.Lattice.from_arcs(
        arcs,
        [a + 1 for a in arcs],
        words,
        final=[len(words)],
        vocabulary=lm.Vocabulary.from_words(list("ab")),
        times=times,
    )
    path = tmp_path_factory.getbasetemp() / "chain.ctm"
    try:
        lm.write(path, [("f,1", lattice)])
    except lm.LatticeMetricError:
        assert max(times) > 1e200 or min(t for t in [*times, 1.0] if t) < 1e-200
        return
    assert same(lm.read_one(path), lattice)


@pytest.mark.parametrize(
    ("lattice", "message"),
    [
        pytest.param(lm.Lattice.from_strings(["a"]), "ctm needs times, but 'u' has none", id="no times"),
        pytest.param(lm.Lattice.from_arcs([], [], [], final=[0], times=[1.0]), "ctm needs words", id="no words"),
        pytest.param(
            rebuilt(parsed_transcript("{ a { b / c } / d }", ""), times=[0.0, 1.0, 2.0]), "cannot nest", id="nested"
        ),
        pytest.param(lm.Lattice.from_arcs([0], [1], [7], final=[1], times=[-1.0, 1.0]), "below 0", id="negative"),
        pytest.param(
            rebuilt(lm.Lattice.from_strings(["<alt>"]), times=[0.0, 1.0]), "mark of an alternation", id="a mark"
        ),
    ],
)
def test_what_ctm_cannot_hold_is_refused(lattice, message, tmp_path):
    with pytest.raises(lm.LatticeMetricError, match=message):
        written(tmp_path, [("u", lattice)], "ctm")


def test_a_type_without_a_confidence_is_refused(tmp_path):
    lattice = lm.Lattice.from_arcs([0], [1], [7], final=[1], times=[0.0, 1.0])
    side = lm.Labels(np.array([1], dtype=np.int32), np.zeros(1, dtype=np.int32), lm.Vocabulary({1: "lex"}))
    with pytest.raises(lm.UsageError, match="not a confidence, a type and a speaker"):
        written(tmp_path, [("u", rebuilt(lattice, times=lattice.times, labels={"type": side}))], "ctm")


# --- What is written follows the grammars

GRAMMAR = {
    "trn": r"(?:;;.*|.*\([^()\s]+\)\s*)",
    "stm": r"\S+ \S+ \S+ [\d.]+ [\d.]+(?: <\S*>)?(?: \S+)*",
    "ctm": r"\S+ \S+ (?:[\d.]+ -?[\d.]+ \S+(?: \S+){0,3}|\* \* <ALT(?:_BEGIN|_END)?>)",
}


@given(lattice=timed(), format_name=st.sampled_from(["trn", "stm", "ctm"]))
def test_lines_follow_the_grammar(lattice, format_name, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "grammar"
    keep = {name: side for name, side in lattice.labels.items() if format_name == "ctm" or name.startswith("tag")}
    name = {"trn": "u", "stm": "f,1,s,0,1,<>", "ctm": "f,1"}[format_name]
    lm.write(path, [(name, rebuilt(lattice, labels=keep, times=lattice.times))], format=format_name)
    for line in path.read_text().splitlines():
        assert re.fullmatch(GRAMMAR[format_name], line), line


# --- Telling them apart


@pytest.mark.parametrize(
    ("text", "format_name"),
    [
        ("a b (utt-1)\n", "trn"),
        (";; c\n\n(x)\n", "trn"),
        (" ** (utt-1)\n", "trn"),
        ("one two three 4 5 six (utt-1)\n", "trn"),
        ("f A s 0 1 yes (uh)\nf A s 1 2 no (uh)\n", "stm"),
        ("f A s 0 1\n", "stm"),
        ("2347 A 0.05 0.24 THEY;tag1\n", "ctm"),
        ("2347 1 0 1 7 0.5\n", "ctm"),
        ("f 1 0.5 0.2 7\nf 1 0.9 0.1 8\n", "ctm"),
        ("0 1 a b 0.5\n1\n", "openfst-text"),
        ("0 10 7 8 0.5\n" * 9 + "10 0.5\n", "openfst-text"),
    ],
)
def test_the_content_tells_the_format(text, format_name, tmp_path):
    stm_as_ctm = format_name == "ctm" and text.startswith("2347 1")
    found = [e.format for e in reading.entries([write_file(tmp_path, text)], "ctm" if stm_as_ctm else None)]
    assert set(found) == {format_name}


def test_a_long_file_is_told_by_its_first_lines(tmp_path):
    path = write_file(tmp_path, "".join(f"some words of utterance {k} (u_{k})\n" for k in range(5000)))
    assert sum(1 for _ in reading.entries([path])) == 5000
    assert len(read_references(str(path)).keyed()) == 5000


# --- References


def references(folder, text):
    return read_references(str(write_file(folder, text, "references")))


@pytest.mark.parametrize(
    "text",
    [
        "thank you (applause)\n",
        "thank you (applause)\nwelcome (laughter)\n",
        "a (x_1)\nb (x_1)\n",
        "a (x_1)\nb\n",
        "call me at 5 6\n",
        "we meet at 9 10 tomorrow\n",
        "utt-1 5 7 9 11\n",
        "utt_1 a (b)\nutt_2 c (d)\n",
    ],
)
def test_sentences_are_not_taken_for_transcripts(text, tmp_path):
    assert [" ".join(r.words) for r in references(tmp_path, text).plain()] == text.splitlines()


CTM_REFERENCES = """f 1 0.0 1 a
f 1 * * <ALT_BEGIN>
f 1 1.5 1 b
f 1 * * <ALT>
f 1 1.5 1 c
f 1 * * <ALT_END>
f 2 0.5 1 d
"""


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("a { b / c } (u_1)\n\nd (u_2)\n", ["u_1", "u_2"]),
        ("f 1 s 0.0 1.5 a { b / c }\nf 1 s 1.5 2.5 d\n", ["f,1,s,0.0,1.5", "f,1,s,1.5,2.5"]),
        ("f 1 s 0 1.5 a { b / c }\nf 1 s 2 3 d\n", ["f,1,s,0,1.5", "f,1,s,2,3"]),
        (CTM_REFERENCES.replace("0.5", "3"), ["f,1", "f,2"]),
        (
            CTM_REFERENCES,
            ["f,1", "f,2"],
        ),
    ],
)
def test_transcripts_are_references(text, keys, tmp_path):
    file = references(tmp_path, text)
    first, second = file.plain()
    assert file.first_words() == list(file.keyed()) == keys
    assert (first.words, second.words) == (("a", "b"), ("d",))
    assert distinct_strings(first.graph, 64) == [("a", "b"), ("a", "c")]
    assert second.graph is None
    again = pickle.loads(pickle.dumps(first))
    assert (again, distinct_strings(again.graph, 64)) == (first, distinct_strings(first.graph, 64))


def test_an_id_that_stands_twice_is_refused(tmp_path):
    file = references(tmp_path, "a (u_1)\nb (u_2)\nc (u_1)\n")
    with pytest.raises(lm.FormatError, match=r"references:3: id 'u_1' already has a reference, at .*:1; give each"):
        file.keyed()


def test_a_segment_that_stands_twice_is_refused_with_a_way_to_count_it_as_sclite_does(tmp_path):
    lines = ["f 1 ann 0.0 2.0 a b", "f 1 ann 0.0 2.0 a b", "f 1 ann 2.0 4.0 c"]
    with pytest.raises(lm.FormatError, match=r"references:2: id .*,2\.0' already has a .*; remove one .* 2\.00 for 2"):
        references(tmp_path, "\n".join(lines) + "\n").keyed()
    (tmp_path / "words.ctm").write_text("f 1 0.1 0.2 a\nf 1 0.5 0.2 b\nf 1 2.1 0.2 c\n")

    def words() -> list[list[str]]:
        (tmp_path / "ref.stm").write_text("\n".join(lines) + "\n")
        with open_stream(str(tmp_path / "words.ctm")) as ctm, open_stream(str(tmp_path / "ref.stm")) as stm:
            return [list(next(graph.paths()).words) for graph in words_by_segment(ctm, stm).values()]

    with pytest.raises(lm.FormatError, match=r"stm:2: the segment id .* appears twice; remove one of the two segments"):
        words()
    lines[1] = lines[1].replace("2.0", "2.00")
    assert words() == [["a", "b"], [], ["c"]]


def test_a_broken_transcript_is_an_error_and_no_plain_line(tmp_path):
    with pytest.raises(lm.FormatError, match="references:2: an alternation is not closed"):
        references(tmp_path, "a (u_1)\n{ a / b (u_2)\n")


KALDI = "".join(f"u_{k} \n0 1 {word} 1,2,\n1\n\n" for k, word in enumerate("abc", start=1))


def outcomes(folder, text, *, keep_going=False, **options):
    pairs = pair_up(reading.entries([write_file(folder, KALDI)]), [references(folder, text)])
    return list(oracles_of(pairs, lm.ByRate(metric="wer", **options), Run(keep_going=keep_going)))


def test_the_best_reading_counts(tmp_path):
    found = outcomes(tmp_path, "{ x y / c } (u_3)\n{ x / a / b } (u_1)\n(z) b (u_2)\n")
    assert [(o.name, o.oracle.score, o.oracle.reference) for o in found] == [
        ("u_1", 0.0, ("a",)),
        ("u_2", 0.0, ("b",)),
        ("u_3", 0.0, ("c",)),
    ]


@given(expression=expressions)
def test_an_oracle_is_the_best_over_all_strings_of_a_reference(expression):
    assume(readings(expression) <= 500)
    strings_allowed = sorted(set(strings_of(expression)))
    assume(len(strings_allowed) <= 64)
    lattice = lm.Lattice.from_strings(["a b", "1984 th-", "a"])
    found = lm.oracle(lattice, parsed_transcript(text_of(expression), "here"), "wer").score
    scores = [lm.oracle(lattice, [words], "wer").score for words in strings_allowed]
    defined = [score for score in scores if score is not None]
    assert found == (min(defined) if defined else None)


@pytest.mark.parametrize("alternations", [7, 300])
def test_readings_need_no_listing(alternations, tmp_path):
    text = f"{'{ x / a } ' * alternations} (u_1)\nb (u_2)\nc (u_3)\n"
    first, *others = outcomes(tmp_path, text)
    assert (first.oracle.numerator, first.oracle.denominator) == (alternations - 1, alternations)
    assert first.oracle.reference.count("a") == 1
    assert [o.oracle.score for o in others] == [0.0, 0.0]


def test_sentence_metrics_refuse_too_many_readings(tmp_path):
    text = f"{'{ x / a } ' * 7} (u_1)\nb (u_2)\nc (u_3)\n"
    with pytest.raises(lm.InputError, match=r"more than 64 alternative strings, .*; give fewer"):
        outcomes(tmp_path, text, also_score="bleu")
    failed, *others = outcomes(tmp_path, text, also_score="bleu", keep_going=True)
    assert failed.oracle is None
    assert [o.oracle.score for o in others] == [0.0, 0.0]


def test_ids_that_match_no_graph_are_not_paired_by_their_order(tmp_path):
    with pytest.raises(lm.InputError, match=r"graphs are named 'u_1', .* begin with 'v_1', 'v_2', 'v_3'"):
        outcomes(tmp_path, "a (v_1)\nb (v_2)\nc (v_3)\n")


def test_workers_get_references_with_alternatives(tmp_path):
    kaldi = "".join(f"u_{k} \n0 1 a 1,2,\n1\n\n" for k in range(40))
    trn = "".join(f"{{ x / a }} (u_{k})\n" for k in range(40))
    pairs = pair_up(reading.entries([write_file(tmp_path, kaldi)]), [references(tmp_path, trn)])
    assert [o.oracle.score for o in oracles_of(pairs, lm.ByRate(metric="wer"), Run(workers=2))] == [0.0] * 40


# --- Examples, and sclite's own samples


def test_the_examples_are_read_as_their_pages_say():
    assert [name for name, _ in lm.read(EXAMPLES / "meeting.trn")] == ["meeting-001", "meeting-002", "meeting-003"]
    assert [name for name, _ in lm.read(EXAMPLES / "interview.ctm")] == ["radio-7,1", "radio-7,2"]


@pytest.mark.real_data
@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"there are no transcripts in {SAMPLES} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize(
    ("file", "count", "paths"),
    [
        ("lvc_hyp.ctm", 4, {1, 2, 4}),
        ("lvc_ref.stm", 61, None),
        ("test.vietnamese.hyp.trn", 8, {1}),
        ("test.vietnamese.ref.trn", 8, {1}),
    ],
)
def test_samples_of_sclite_are_read_and_written_back(file, count, paths, tmp_path):
    graphs = list(lm.read(SAMPLES / file))
    assert len(graphs) == count
    assert paths is None or {graph.statistics().paths for _, graph in graphs} <= paths
    lm.write(tmp_path / file, graphs)
    again = list(lm.read(tmp_path / file))
    assert [(name, contents(graph)) for name, graph in again] == [(name, contents(graph)) for name, graph in graphs]


@pytest.mark.parametrize("text", ["{ a / ah / } b (u-1)", "{a/ah/} b (u-1)", "{ a / ah /} b (u-1)"])
def test_an_empty_alternative_at_the_end_is_none_as_in_sclite(text, tmp_path):
    path = write_file(tmp_path, text + "\n")
    ((_, graph),) = lm.read(path, format="trn")
    assert sorted(" ".join(found.words) for found in graph.paths()) == ["a b", "ah b"]


@pytest.mark.parametrize("words", [10, 9_000, 30_000, 300_000])
@pytest.mark.parametrize("ending", ["\n", ""])
def test_a_line_may_be_an_hour_of_speech(words, ending, tmp_path):
    said = " ".join(f"w{number % 97}" for number in range(words))
    (tmp_path / "talk.trn").write_text(f"{said} (spk-001){ending}")
    (tmp_path / "talk.stm").write_text(f"talk A spk 0 3600 <o> {said}{ending}")
    for name in ("talk.trn", "talk.stm"):
        (reference,) = read_references(str(tmp_path / name)).keyed().values()
        assert len(reference.words) == words


def test_words_of_a_ctm_that_go_back_in_time_keep_their_order_and_it_is_said(tmp_path, caplog):
    path = tmp_path / "any.ctm"
    path.write_text("a 1 1.0 0.2 c\na 1 0.2 0.2 a\na 1 0.5 0.2 b\nb 1 0.30 0.30 d\nb 1 0.29 0.01 e\n")
    words = [next(lattice.paths()).words for _, lattice in lm.read(path)]
    assert [tuple(filter(None, one)) for one in words] == [("c", "a", "b"), ("d", "e")]
    assert len(caplog.messages) == 1
    assert "any.ctm:2: the word ends at 0.4, but an earlier one begins at 1.0" in caplog.text
    assert "sort -s -k1,1 -k2,2 -k3,3n" in caplog.text


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.ctm", "r A 0.0 0.5 a nan\n", "x.ctm:1: this is not a line of CTM"),
        ("x.ctm.gz", ";; c\nr A 0.0 0.5 a 0.5\n\nr A 0.6 0,1 b 0.5\n", "x.ctm.gz:4: this is not a line of CTM"),
        ("x.stm", "r A s 0.0 0.5 a\nr A 0.6 0.1 b\n", "x.stm:2: this is not a line of STM"),
        ("x.stm", "r A s 0 2 a b\n", "x.stm: this is STM, not lines of text; give trn, STM or CTM for outputs and"),
        ("x.ctm", ";; no words\n", "x.ctm: this is CTM, not lines of text"),
        ("x.ctm", "r A 0.0 0.5 a|||b 0.5\n", "x.ctm: this is CTM, not lines of text"),
    ],
)
def test_damaged_transcripts_are_not_lines_of_text(tmp_path, name, text, says):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    if "not lines of text" not in says:
        with pytest.raises(lm.FormatError, match=says.partition(": ")[0]):
            read_references(str(path))
    reads = [lambda: read_segments([str(path)]), lambda: read_segments([str(path)], style="keyed")]
    if not text.startswith(";; no"):  # a system without words
        reads.append(lambda: read_systems(named_systems([str(path)]), format="text"))
    for read in reads:
        with pytest.raises(lm.FormatError) as error:
            read()
        assert says in str(error.value)


def test_a_damaged_ctm_is_not_scored(tmp_path):
    (tmp_path / "ref.stm").write_text("r A s 0.0 2.0 a uh b\n")
    (tmp_path / "hyp.ctm").write_text("r A 0.0 0.5 a 0.5\nr A 0.6 0.1 uh nan\n")
    with pytest.raises(lm.FormatError, match=r"hyp.ctm:2: the confidence 'nan' is neither"):
        read_nist_segments([str(tmp_path / "hyp.ctm")], [str(tmp_path / "ref.stm")])


@given(st.lists(st.sampled_from(["a", "b", "it's", "a/b", "é", "\u00a0", "1"])))
def test_a_transcript_without_marks_is_the_graph_of_its_words(words):
    builder = GraphBuilder()
    for word in words:
        builder.add(Word(word, {}, optional=False))
    assert parsed_transcript(" ".join(words), "x:1") == builder.lattice()


@given(st.lists(st.tuples(st.integers(0, 999), st.integers(-50, 50), st.booleans()), min_size=1))
def test_times_of_words_are_exact_sums(rows):
    lines = []
    for k, (begin, duration, has_confidence) in enumerate(rows):
        lines.append(f"{begin / 100} {duration / 100} w{k}" + (" 0.5" if has_confidence else ""))
    found = ctm.items(ctm.Channel("f,1", "", list(enumerate(lines))))
    expected = [(Decimal(b) / 100, Decimal(b + d) / 100, {"confidence": "0.5"} if c else {}) for b, d, c in rows]
    assert [(item.begin, item.end, item.word.labels) for item in found] == expected
