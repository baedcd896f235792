"""The metric `sclite` and CTM files cut by STM segments, beside sclite itself where it is installed."""

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from kit.commands import assert_one_line_error, good, run
from kit.strategies import sentences

import latticemetric as lm
from latticemetric.formats.nist.words import parsed_transcript
from latticemetric.formats.segments import read_nist_segments
from latticemetric.metrics.preparation import Preparation
from latticemetric.metrics.sclite import Sclite

DATA = Path(os.environ.get("LATTICEMETRIC_DATA", "/nowhere")) / "trn-stm-ctm"
SCLITE = shutil.which("sclite") or shutil.which("/usr/lib/sctk/bin/sclite")

with_sclite = pytest.mark.skipif(SCLITE is None, reason="sclite is not installed (Debian's package sctk)")
with_data = pytest.mark.skipif(not DATA.exists(), reason=f"there are no transcripts in {DATA} (LATTICEMETRIC_DATA)")

Counts = tuple[int, int, int, int]


def counts_of_sclite(reference: Path, hypothesis: Path, *options: str) -> list[Counts]:
    """Correct words, substitutions, deletions and insertions of each segment, in the order of the report."""
    kinds = reference.suffix[1:], hypothesis.suffix[1:]
    command = [SCLITE, "-r", reference, kinds[0], "-h", hypothesis, kinds[1], *options]
    command += ["-i", "spu_id"] if kinds[1] == "trn" else []
    report = subprocess.run([*command, "-o", "pralign", "stdout", "-f", "0"], capture_output=True, check=True).stdout
    found = re.findall(rb"Scores: \(#C #S #D #I\) (\d+) (\d+) (\d+) (\d+)", report)
    return [tuple(map(int, counts)) for counts in found]


def our_counts(reference: Path, hypothesis: Path, *, lowercase: bool) -> list[Counts]:
    preparation = Preparation(lowercase=lowercase)
    said, meant = map(preparation.all_words, read_nist_segments([str(hypothesis)], [str(reference)]).files)
    return [tuple(row[:4]) for row in Sclite().table(said, [[one] for one in meant]).astype(int).tolist()]


# --- The metric


def test_three_substitutions_cost_as_much_as_four_other_errors():
    assert Sclite().align("a b c d", "x y z").edits == "ISSS"
    reference, hypothesis = "a b c d e f g", "e f g h i j k"
    assert Sclite().align(hypothesis, reference).edits == "DDDDCCCIIII"
    assert lm.WER().align(hypothesis, reference).edits == "SSSSSSS"


@given(hypothesis=sentences(8), reference=sentences(8))
def test_costs_are_the_least_there_are(hypothesis, reference):
    # The classic table of edit distances, with sclite's costs.
    row = [3 * k for k in range(len(hypothesis) + 1)]
    for meant in reference:
        above, row = row, [row[0] + 3]
        for k, said in enumerate(hypothesis):
            row.append(min(above[k] + 4 * (said != meant), above[k + 1] + 3, row[k] + 3))
    edits = Sclite().align(hypothesis, reference).edits
    assert 4 * edits.count("S") + 3 * edits.count("D") + 3 * edits.count("I") == row[-1]
    assert edits.count("C") + edits.count("S") + edits.count("D") == len(reference)
    assert edits.count("C") + edits.count("S") + edits.count("I") == len(hypothesis)
    assert Sclite().statistics(hypothesis, [reference]).errors >= lm.WER().statistics(hypothesis, [reference]).errors


@pytest.mark.parametrize(
    ("reference", "hypothesis", "edits"),
    [
        ("{ um / uh / @ } yes", "yes", "C"),
        ("{ um / uh / @ } yes", "uh yes", "CC"),
        ("a { b { c / d } / @ } e", "a b d e", "CCCC"),
        ("a b", "{ x / a } { b / @ }", "CC"),
        ("@", "", ""),
    ],
)
def test_alternatives_of_both_sides_are_chosen(reference, hypothesis, edits):
    found = Sclite().align(parsed_transcript(hypothesis, "here"), parsed_transcript(reference, "here"))
    assert found.edits == edits


def test_results_add_up():
    metric = lm.make_metric("sclite")
    corpus = metric.corpus(["a b", "c"], ["a", ["c d", "e"]])
    assert (corpus.numerator, corpus.denominator, corpus.score) == (2, 3, 2 / 3)
    assert corpus.signature == f"sclite|refs:var|case:mixed|tok:none|v:{lm.__version__}"
    assert metric.score("a", "") is None
    assert metric.score("a b", ["a", "b a"]) == 1.0


def test_graphs_are_not_searched_by_it():
    with pytest.raises(lm.UsageError, match="cannot search a graph"):
        lm.oracle(lm.Lattice.from_strings(["a"]), "a", "sclite")


# --- Beside sclite: files of our own


def transcript(chance: random.Random, alternations: float, depth: int = 0) -> str:
    words = []
    for _ in range(chance.randint(depth > 0, 8 - 3 * depth)):
        if depth < 2 and chance.random() < alternations:
            branches = [
                "@" if chance.random() < 0.25 else transcript(chance, alternations / 2, depth + 1) for _ in range(2)
            ]
            words.append(f"{{ {' / '.join(branches)} }}")
        else:
            words.append(chance.choice("abcd"))
    return " ".join(words)


def write_trn(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text} (spk_{number:04})\n" for number, text in enumerate(texts)))
    return path


@with_sclite
@pytest.mark.parametrize("alternatives_said", [0.0, 0.25])
def test_counts_of_transcripts_with_alternations_are_those_of_sclite(alternatives_said, tmp_path):
    chance = random.Random(7)
    reference = write_trn(tmp_path / "ref.trn", [transcript(chance, 0.25) for _ in range(500)])
    hypothesis = write_trn(tmp_path / "hyp.trn", [transcript(chance, alternatives_said) for _ in range(500)])
    assert our_counts(reference, hypothesis, lowercase=True) == counts_of_sclite(reference, hypothesis)


def paths_of_sclite(reference: Path, hypothesis: Path) -> dict[str, list[tuple[str, ...]]]:
    """The edits of each utterance, with the word of the reference and that of the hypothesis."""
    command = [SCLITE, "-s", "-i", "spu_id", "-r", reference, "trn", "-h", hypothesis, "trn", "-o", "sgml", "stdout"]
    report = subprocess.run([*command, "-f", "0"], capture_output=True, check=True, text=True).stdout
    paths = re.findall(r'<PATH id="\((\S+)\)"[^\n]*\n(.*?)</PATH>', report, re.DOTALL)
    return {name: re.findall(r'([CSDI]),"?([^",]*)"?,"?([^":\n]*)"?', path) for name, path in paths}


@with_sclite
@pytest.mark.parametrize("alternatives_said", [0.0, 0.3])
def test_alignments_are_those_of_sclite_word_by_word(alternatives_said, tmp_path):
    chance = random.Random(11)
    meant = [transcript(chance, 0.3) for _ in range(300)]
    said = [transcript(chance, alternatives_said) for _ in meant]
    theirs = paths_of_sclite(write_trn(tmp_path / "ref.trn", meant), write_trn(tmp_path / "hyp.trn", said))
    for number, sides in enumerate(zip(said, meant, strict=True)):
        ours = Sclite().align(*(parsed_transcript(side, "here") for side in sides))
        assert [tuple(each or "" for each in step) for step in ours.steps()] == theirs[f"spk_{number:04}"], sides


@with_sclite
def test_errors_of_optional_words_are_those_of_sclite(tmp_path):
    # sclite counts an optional word that nobody said as correct; here it is no word then.
    reference = write_trn(tmp_path / "ref.trn", ["a (uh) b", "(um) c", "a (uh) b", "d (uh)"])
    hypothesis = write_trn(tmp_path / "hyp.trn", ["a b", "um c", "a uh x", "d d"])
    ours = our_counts(reference, hypothesis, lowercase=True)
    theirs = counts_of_sclite(reference, hypothesis, "-D")
    assert [sum(counts[1:]) for counts in ours] == [sum(counts[1:]) for counts in theirs] == [0, 0, 1, 1]


STM = """\
;; two channels; the second of the first is not scored
a 1 ann 0.00 2.00 <o> the { cat / dog / @ } sat
a 1 ann 2.00 4.00 <o> IGNORE_TIME_SEGMENT_IN_SCORING
a 1 ann 4.00 6.00 <o> on the mat
a 1 ann 6.00 6.50 <o>
b A bob 0.50 1.50 <o> good { morning / evening } then
"""
CTM = """\
a 1 0.10 0.20 The
a 1 0.50 0.30 sat
a 1 1.95 0.10 not
a 1 2.50 0.30 scored
a 1 3.90 0.10 here
a 1 3.90 0.30 on
a 1 * * <ALT_BEGIN>
a 1 5.00 0.20 a
a 1 * * <ALT>
a 1 5.00 0.20 the
a 1 5.20 0.10 the
a 1 * * <ALT_END>
a 1 7.00 0.50 end
b a 0.00 0.10 so
b a 0.60 0.10 good
b a 0.80 0.30 evening
b a 3.00 0.30 then
"""
CUT = {
    "a,1,ann,0.00,2.00,<o>": [("the", "sat")],
    "a,1,ann,4.00,6.00,<o>": [("on", "a"), ("on", "the", "the")],
    "a,1,ann,6.00,6.50,<o>": [("end",)],
    "b,A,bob,0.50,1.50,<o>": [("so", "good", "evening", "then")],
}


def write_segments(folder: Path, stm: str = STM, ctm: str = CTM) -> tuple[Path, Path]:
    (folder / "ref.stm").write_text(stm)
    (folder / "hyp.ctm").write_text(ctm)
    return folder / "ref.stm", folder / "hyp.ctm"


def test_time_marked_words_are_cut_by_segments(tmp_path):
    reference, hypothesis = write_segments(tmp_path)
    found = read_nist_segments([str(hypothesis)], [str(reference)])
    said = Preparation(lowercase=True).all_words(found.files[0])
    listed = [sorted(p.words for p in one.paths()) if isinstance(one, lm.Lattice) else [one] for one in said]
    assert dict(zip(found.ids, listed, strict=True)) == CUT


@with_sclite
def test_counts_of_cut_words_are_those_of_sclite(tmp_path):
    reference, hypothesis = write_segments(tmp_path)
    assert our_counts(reference, hypothesis, lowercase=True) == counts_of_sclite(reference, hypothesis)


@pytest.mark.parametrize(
    ("stm", "ctm", "error"),
    [
        (STM, CTM + "c 1 0.0 0.1 x\n", r"hyp.ctm:18: .*ref.stm has no segment for channel 'c 1'"),
        (
            STM,
            "a 1 3.00 0.50 x\n" + CTM,
            r"hyp.ctm:1: .*not in order of time: one at 0.10 comes after one at 3.00; put",
        ),
        (STM, "a 1 3.00 0.50 x\na 1 0.1 0.1 y\n", r"hyp.ctm:1: .*after one at 3.00; sort -s -k1,1 -k2,2 -k3,3n puts"),
    ],
)
def test_what_cannot_be_cut_is_refused(stm, ctm, error, tmp_path):
    reference, hypothesis = write_segments(tmp_path, stm, ctm)
    with pytest.raises(lm.FormatError, match=error):
        read_nist_segments([str(hypothesis)], [str(reference)])


BY_SPEAKER = ("--group-by", "speaker", "--format", "json")


def test_ids_under_lowercase_are_folded_as_sclite_folds_them(tmp_path, caplog):
    (tmp_path / "ref.trn").write_text("a b (SPK_1)\nc d (spk_2)\ne (Spk_3)\n")
    (tmp_path / "hyp.trn").write_text("x (spk_3)\na b (spk_1)\nc x (spk_2)\n")
    reference, hypothesis = str(tmp_path / "ref.trn"), str(tmp_path / "hyp.trn")
    with pytest.raises(lm.FormatError, match=r"id 'SPK_1' is missing in .*hyp.trn .*; ids differ in case; lower"):
        read_nist_segments([hypothesis], [reference])
    found = read_nist_segments([hypothesis], [reference], fold_case=True)
    assert found.ids == ("SPK_1", "spk_2", "Spk_3")
    assert found.files == (("a b", "c x", "x"), ("a b", "c d", "e"))
    assert "hyp.trn: 2 ids differ from" in caplog.text
    if SCLITE is not None:  # in the order of the hypotheses
        assert counts_of_sclite(Path(reference), Path(hypothesis)) == [(0, 1, 0, 0), (2, 0, 0, 0), (1, 1, 0, 0)]
    files = hypothesis, reference, "--metric", "sclite"
    assert "40.00" in good(run("latticemetric", "score", *files, "--lowercase")).stdout
    groups = json.loads(good(run("latticemetric", "score", *files, "--lowercase", *BY_SPEAKER)).stdout)["details"]
    assert [(one["group"], one["words"], one["errors"]) for one in groups] == [(None, 5, 2), ("SPK", 5, 2)]
    assert_one_line_error(run("latticemetric", "score", *files), "ids differ in case; --lowercase")


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("a (SPK_1)\nb (spk_1)\n", "a (Spk_1)\nb (sPK_1)\n"),
        ("a (SPK_1)\n", "a (Spk_1)\nb (spk_1)\n"),
        ("a (SPK_1)\n", "a (SPK_1)\nb (spk_1)\n"),
    ],
)
def test_ids_that_case_alone_tells_apart_are_not_guessed(reference, hypothesis, tmp_path):
    (tmp_path / "ref.trn").write_text(reference)
    (tmp_path / "hyp.trn").write_text(hypothesis)
    with pytest.raises(lm.FormatError, match="differs from another id only in case"):
        read_nist_segments([str(tmp_path / "hyp.trn")], [str(tmp_path / "ref.trn")], fold_case=True)
    again = str(tmp_path / "ref.trn")
    assert (
        read_nist_segments([again], [again], fold_case=True).files[0] == read_nist_segments([again], [again]).files[0]
    )


def shuffled(text: str, seed: int) -> str:
    """The lines of a transcript in another order; those of a channel keep theirs."""
    chance = random.Random(seed)
    channels: dict[str, list[str]] = {}
    for line in text.splitlines(keepends=True):
        if not line.startswith(";;"):
            channels.setdefault(" ".join(line.split()[:2]).lower(), []).append(line)
    queues = list(channels.values())
    found = []
    while queues := [queue for queue in queues if queue]:
        found.append(chance.choice(queues).pop(0))
    return "".join(found)


def test_names_in_mixed_case_are_one_channel_beside_a_ctm_too(tmp_path):
    (tmp_path / "ref.ctm").write_text("f 1 0.0 0.5 a\nf 1 0.5 0.5 b\nf 1 1.0 0.5 c\n")
    (tmp_path / "hyp.ctm").write_text("F 1 0.0 0.5 A\nf 1 0.5 0.5 b\nF 1 1.0 0.5 x\n")
    reference, hypothesis = tmp_path / "ref.ctm", tmp_path / "hyp.ctm"
    done = good(run("latticemetric", "score", hypothesis, reference, "--metric", "sclite", "--lowercase"))
    assert "33.33" in done.stdout
    refused = run("latticemetric", "score", hypothesis, reference, "--metric", "sclite")
    assert refused.status == 2
    assert "the id 'F,1' is missing in" in refused.stderr
    if SCLITE is not None:
        assert counts_of_sclite(reference, hypothesis) == [(2, 1, 0, 0)]


@pytest.mark.parametrize("seed", range(5))
def test_channels_and_segments_in_any_order_are_cut_as_in_order(seed, tmp_path, caplog):
    mixed = shuffled(CTM.replace("b a 0.60", "B A 0.60"), seed)  # sclite folds the case of names, too
    segments = STM.splitlines(keepends=True)
    random.Random(seed).shuffle(segments)
    reference, hypothesis = write_segments(tmp_path, "".join(segments), mixed)
    found = read_nist_segments([str(hypothesis)], [str(reference)])
    said = Preparation(lowercase=True).all_words(found.files[0])
    listed = [sorted(p.words for p in one.paths()) if isinstance(one, lm.Lattice) else [one] for one in said]
    assert dict(zip(found.ids, listed, strict=True)) == CUT
    assert "hyp.ctm:" in caplog.text
    assert "words are put in order of channel and time, as by sort -s -k1,1 -k2,2 -k3,3n" in caplog.text
    assert caplog.text.count("segments are put in order, as by sort -s -k1,1 -k2,2 -k4,4n") <= 1


def test_words_of_a_channel_in_two_pieces_are_in_order_of_time(tmp_path, caplog):
    ctm = "f 1 3.0 0.5 c\nf 1 3.5 0.5 d\ng 1 0.0 0.5 x\nf 1 1.0 0.5 a\nf 1 1.5 0.5 b\ng 1 1.0 0.5 y\n"
    (tmp_path / "mixed.ctm").write_text(ctm)
    found = {name: " ".join(filter(None, next(graph.paths()).words)) for name, graph in lm.read(tmp_path / "mixed.ctm")}
    assert found == {"f,1": "a b c d", "g,1": "x y"}
    assert caplog.text.count("mixed.ctm:4: lines of other channels come before this line of 'f,1'") == 1


def test_words_that_overlap_at_the_end_of_a_segment_are_in_order(tmp_path):
    late = "a 1 1.80 0.50 x\na 1 1.90 0.05 y\n"  # y follows x into the next segment
    reference, hypothesis = write_segments(tmp_path, ctm=late + "b A 1.0 0.1 z\n")
    found = read_nist_segments([str(hypothesis)], [str(reference)])
    assert found.files[0][0] == ""


# sclite holds the middle in 64 bits, and the end in 32: there, 0.1 is rounded up, 0.7 and 2050.45 are rounded down.
AT_THE_END = [("0.05", "0.1", "0.1", True), ("0.6", "0.2", "0.7", False), ("2050.40", "0.10", "2050.45", False)]


@pytest.mark.parametrize(("begin", "duration", "end", "is_first"), AT_THE_END)
def test_a_word_with_its_middle_at_the_end_of_a_segment_is_cut_as_by_sclite(begin, duration, end, is_first, tmp_path):
    stm = f"a 1 ann 0.0 {end} <o> x\na 1 ann {end} 3000 <o> x\n"
    reference, hypothesis = write_segments(tmp_path, stm, f"a 1 {begin} {duration} x\n")
    ours = our_counts(reference, hypothesis, lowercase=True)
    assert ours == [(1, 0, 0, 0), (0, 0, 1, 0)][:: 1 if is_first else -1]
    if SCLITE is not None:
        assert ours == counts_of_sclite(reference, hypothesis)


def test_an_empty_alternative_is_written_as_a_word_that_sclite_reads(tmp_path):
    # sclite skips the word after an empty alternative, unless this is the last one.
    word = "a 1 0.50 0.20 b\na 1 0.70 0.20 d\n"
    ctm = f"a 1 * * <ALT_BEGIN>\na 1 0.50 0.40 @\na 1 * * <ALT>\n{word}a 1 * * <ALT_END>\na 1 0.90 0.20 c\n"
    reference, hypothesis = write_segments(tmp_path, "a 1 ann 0.0 3.0 b d c\n", ctm)
    lm.write(tmp_path / "again.ctm", list(lm.read(hypothesis)))
    assert "<ALT_BEGIN>\na 1 0.5 0.4 @\n" in (tmp_path / "again.ctm").read_text()
    if SCLITE is not None:
        assert counts_of_sclite(reference, tmp_path / "again.ctm") == [(3, 0, 0, 0)]


def test_gaps_in_a_reference_with_times_are_no_silences(tmp_path):
    # A silence (`@`) costs 0.001 and breaks ties; sclite does not see the gaps between the words of a CTM.
    timed = "0.1 0.2 c,0.3 0.1 b,0.5 0.1 d,* * <ALT_BEGIN>,0.7 0.3 a,* * <ALT>,0.7 0.3 b,* * <ALT_END>,1.1 0.2 a,"
    timed += "1.3 0.1 b,1.5 0.1 d,1.6 0.3 b,1.9 0.3 b,2.3 0.3 b,2.7 0.3 b,3.0 0.3 b"
    said = "c a a c a a c b c d b b"
    reference, hypothesis = tmp_path / "ref.ctm", tmp_path / "hyp.ctm"
    reference.write_text("".join(f"f 1 {line}\n" for line in timed.split(",")))
    hypothesis.write_text("".join(f"f 1 {0.3 * place:.1f} 0.3 {word}\n" for place, word in enumerate(said.split())))
    assert our_counts(reference, hypothesis, lowercase=True) == [(6, 5, 1, 1)]
    if SCLITE is not None:
        assert counts_of_sclite(reference, hypothesis) == [(6, 5, 1, 1)]


def test_a_channel_without_words_is_said_and_counts_as_deleted(tmp_path, caplog):
    reference, hypothesis = write_segments(tmp_path, ctm="".join(CTM.splitlines(keepends=True)[:13]))
    counts = our_counts(reference, hypothesis, lowercase=True)
    assert counts[-1] == (0, 0, 3, 0)
    assert "there are no words for b A" in caplog.text


@pytest.mark.parametrize("ctm", ["", ";; no words\n"])
def test_a_file_without_words_counts_as_deleted_and_it_is_said(tmp_path, caplog, ctm):
    reference, hypothesis = write_segments(tmp_path, ctm=ctm)
    assert [counts[2] for counts in our_counts(reference, hypothesis, lowercase=True)] == [2, 3, 0, 3]
    assert "there are no words for" in caplog.text
    if SCLITE is not None:
        assert our_counts(reference, hypothesis, lowercase=True) == counts_of_sclite(reference, hypothesis)


def test_an_utterance_that_is_missing_is_named(tmp_path):
    reference = write_trn(tmp_path / "ref.trn", ["a", "b"])
    hypothesis = write_trn(tmp_path / "hyp.trn", ["a"])
    with pytest.raises(lm.FormatError, match=r"ref.trn:2: the id 'spk_0001' is missing in .*hyp.trn"):
        read_nist_segments([str(hypothesis)], [str(reference)])
    (tmp_path / "hyp.txt").write_text("a\nb\n")
    with pytest.raises(lm.FormatError, match=r"hyp.txt: this file is not trn, STM, CTM or JSON with ids"):
        read_nist_segments([str(tmp_path / "hyp.txt")], [str(reference)])


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("ref.trn", "a b (s_1)\na (s_2)\nc\n", "ref.trn:3: the line does not end in an id"),
        ("ref.trn", "a b (s_1)\na (s_1)\n", "ref.trn:2: id 's_1' already has a reference"),
        ("ref.stm", "a 1 ann 0.0 2 the cat\na 1 bob\n", "ref.stm:2: the line has 3 fields"),
        ("REF.CTM", "a 1 0.0 2 the\na 1 3.0 cat\n", "REF.CTM:2: the line has 4 fields"),
    ],
)
def test_a_faulty_line_does_not_make_sentences_of_a_file_that_is_named_as_a_transcript(name, text, error, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(lm.FormatError, match=error):
        read_nist_segments([str(tmp_path / name)], [str(tmp_path / name)])
    (tmp_path / "ref.txt").write_text(text)
    assert read_nist_segments([str(tmp_path / "ref.txt")], [str(tmp_path / "ref.txt")]) is None


def test_whole_seconds_are_times_if_the_names_of_files_say_so(tmp_path):
    stm = "a 1 ann 0 2 the cat\na 1 bob 2 4 sat down\n"
    reference, hypothesis = write_segments(tmp_path, stm, "a 1 0 1 the\na 1 3 1 sat\n")
    assert our_counts(reference, hypothesis, lowercase=True) == [(1, 0, 1, 0), (1, 0, 1, 0)]
    (tmp_path / "plain.trn").write_text("no ids at all\nsat (down)\n")
    assert read_nist_segments([str(tmp_path / "plain.trn")], [str(tmp_path / "plain.trn")]) is None


# --- Beside sclite: its own files


@with_sclite
@with_data
def test_counts_of_the_sample_segments_are_those_of_sclite():
    reference, hypothesis = DATA / "lvc_ref.stm", DATA / "lvc_hyp.ctm"
    ours = our_counts(reference, hypothesis, lowercase=True)
    assert ours == counts_of_sclite(reference, hypothesis)
    assert [sum(column) for column in zip(*ours, strict=True)] == [1013, 540, 226, 171]


@with_sclite
@with_data
@pytest.mark.parametrize(("lowercase", "options"), [(False, ["-s"]), (True, ["-e", "utf-8", "babel_vietnamese"])])
def test_counts_of_the_sample_utterances_are_those_of_sclite(lowercase, options):
    reference, hypothesis = DATA / "test.vietnamese.ref.trn", DATA / "test.vietnamese.hyp.trn"
    assert our_counts(reference, hypothesis, lowercase=lowercase) == counts_of_sclite(reference, hypothesis, *options)
