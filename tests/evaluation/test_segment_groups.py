"""Segments are grouped by the parts of their ids, however these are written."""

import json
from dataclasses import astuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.decoding import run
from kit.paths import DATA

import latticemetric as lm
from latticemetric.evaluation.segment_groups import categories_of, groups_of
from latticemetric.formats.segments import read_nist_segments
from latticemetric.segment_id import SegmentId

fields = st.text("a-_,%2C<>ä", min_size=1, max_size=6)
times = st.sampled_from(["0", "0.00", ".5", "2.", "12.345678", "1e1"])
labels = st.sampled_from(["", "<>", "<O>", "<o,f0,male>", "<O,WA>", "<,,C1>"])


@given(fields, fields, fields, st.tuples(times, times), labels)
@example("a,b", "1", "ann,1", ("0", "1"), "<O,F0>")
def test_ids_keep_their_parts(file, channel, speaker, ends, column):
    segment = SegmentId(file, channel, speaker, *sorted(ends, key=float), column)
    assert SegmentId.parsed(segment.name) == segment
    assert SegmentId.of_channel(segment.channel_name) == SegmentId(file, channel)
    assert groups_of([segment.name], "speaker") == groups_of([segment], "speaker") == [speaker]
    assert groups_of([segment.name], "file") == groups_of([segment], "file") == [file]


@given(st.text("a1.,%2C<>", max_size=16))
def test_no_other_text_is_the_id_of_a_segment(text):
    segment = SegmentId.parsed(text)
    assert segment is None or (segment.name == text and all(astuple(segment)[:5]))


@pytest.mark.parametrize("name", ["a,1,ann,2.0,1.0", "a,1,ann,x,1", "a,1,ann,0", "a,1,ann,0,1,", "a,1,ann,0,1,x", ""])
def test_texts_that_only_look_like_segments_are_ids_without_parts(name):
    assert SegmentId.parsed(name) is None


def test_ids_name_speakers_and_files():
    names = ["radio-8,1,host,0.00,2.50", "a%2Cb,1,ann,0,1,<O,F0,male>"]
    assert groups_of(names, "speaker") == ["host", "ann"]
    assert groups_of(names, "file") == ["radio-8", "a,b"]
    assert groups_of(["ann_f1-003", "bob-1"], "speaker") == ["ann", "bob"]
    assert groups_of(["ann_f1-003", "bob-1"], "file") == ["ann_f1", "bob"]
    for name in ("17", "-17", "_a-b"):
        with pytest.raises(lm.UsageError, match="has no speaker"):
            groups_of([name], "speaker")


def test_one_id_without_a_separator_does_not_end_the_grouping():
    assert groups_of(["ann-1", "extra", "ann-2"], "speaker") == ["ann", "extra", "ann"]
    assert groups_of(["ann-1", "-2"], "file") == ["ann", "-2"]


def test_speakers_that_differ_only_in_case_are_one_if_case_is_folded():
    names = ["ANN-1", "bob-1", "ann-2", "Bob-2"]
    assert groups_of(names, "speaker") == ["ANN", "bob", "ann", "Bob"]
    assert groups_of(names, "speaker", fold_case=True) == ["ANN", "bob", "ANN", "bob"]
    assert groups_of(["u", "v"], "speaker", {"u": "Ann", "v": "ann"}, fold_case=True) == ["Ann", "Ann"]


def test_files_of_speakers_name_segments_or_files():
    assert groups_of(["u1"], "speaker", {"u1": "ann"}) == ["ann"]
    segments = ["radio-8,1,host,0.00,2.50,<O>", "radio-9,1,host,0.00,2.50"]
    assert groups_of(segments, "speaker", {"radio-8": "ann", segments[1]: "bob"}) == ["ann", "bob"]
    assert groups_of([SegmentId("radio-8", "1")], "speaker", {"radio-8": "ann"}) == ["ann"]
    with pytest.raises(lm.UsageError, match="segment 'u2' has no speaker"):
        groups_of(["u2"], "speaker", {"u1": "ann"})


def test_labels_are_groups_whatever_their_case():
    names = ["a,1,ann,0,1,<o,f0,male>", "a,1,ann,1,2,<O,,FEMALE>", "a,1,ann,2,3", "a,1,ann,3,4,<>"]
    assert categories_of(names) == [("o", "f0", "male"), ("o", "FEMALE"), (), ()]
    with pytest.raises(lm.UsageError, match="no segment has a label"):
        categories_of(["a,1,ann,0,1", "u1"])


STM = """\
;; LABEL "O" "Overall" "All segments"
a,b 1 ann-1 0.00 1.00 <O,F0> the cat sat
a,b 1 bob-2 1.00 2.00 <O,F1> on the mat
c 1 ann-1 0.00 1.00 <o> by the door
"""


def test_segments_with_labels_are_grouped_by_speaker_file_and_label(tmp_path):
    (tmp_path / "ref.stm").write_text(STM)
    (tmp_path / "hyp.stm").write_text(STM.replace("cat", "hat").replace("by the", "by a"))
    (tmp_path / "utt2spk").write_text("a,b eve\nc fay\n")
    segments = read_nist_segments([str(tmp_path / "hyp.stm")], [str(tmp_path / "ref.stm")])
    assert segments.segments[0] == SegmentId("a,b", "1", "ann-1", "0.00", "1.00", "<O,F0>")
    assert groups_of(segments.ids, "speaker") == ["ann-1", "bob-2", "ann-1"]

    def errors(*options):
        done = run("score", tmp_path / "hyp.stm", tmp_path / "ref.stm", "-m", "wer", *options, "--format", "json")
        return {one["group"]: (one["errors"], one["words"]) for one in json.loads(done.stdout)["details"]}

    total = {None: (2, 9)}
    assert errors("--group-by", "speaker") == total | {"ann-1": (2, 6), "bob-2": (0, 3)}
    assert errors("--group-by", "speaker", "--lowercase") == errors("--group-by", "speaker")
    assert errors("--group-by", "file") == total | {"a,b": (1, 6), "c": (1, 3)}
    assert errors("--group-by", "label") == total | {"O": (2, 9), "F0": (1, 3), "F1": (0, 3)}
    assert errors("--group-by", "speaker", "--utt2spk", tmp_path / "utt2spk") == total | {"eve": (1, 6), "fay": (1, 3)}


def test_channels_of_a_ctm_are_speakers_of_their_file(tmp_path):
    for name in ("hyp.ctm", "ref.ctm"):
        (tmp_path / name).write_text("radio-7 1 0.0 0.5 good\nradio-7 2 0.0 0.5 day\n")
    segments = read_nist_segments([str(tmp_path / "hyp.ctm")], [str(tmp_path / "ref.ctm")])
    assert groups_of(segments.segments, "file") == ["radio-7", "radio-7"]
    assert groups_of(segments.segments, "speaker") == ["radio-7,1", "radio-7,2"]


def test_channels_whose_files_have_commas_are_written_as_they_were(tmp_path):
    for name, word in (("a.ctm", "good"), ("b.ctm", "food")):
        (tmp_path / name).write_text(f"radio,7 1 0.0 0.5 {word}\nradio,8 1 0.0 0.5 day\n")
    done = run("combine", tmp_path / "a.ctm", tmp_path / "b.ctm", "--format", "ctm")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [["radio,7", "1"], ["radio,8", "1"]]


# The rows of sclite 2.10 (-o sum, -o lur) on its own test data: words, and errors.
SCLITE = {
    "speaker": {"2347-a": (250, 128), "2347-b": (637, 278), "3129-a": (188, 168), "3129-b": (704, 363)},
    "label": {"O": (1779, 937), "WA": (1309, 651), "NA": (470, 286)},
}


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there is no data in {DATA} (LATTICEMETRIC_DATA)")
@pytest.mark.parametrize("by", SCLITE)
def test_speakers_and_labels_have_the_errors_of_sclite(by):
    files = (DATA / "trn-stm-ctm" / f"lvc_{name}" for name in ("hyp.ctm", "ref.stm"))
    done = run("score", *files, "-m", "sclite", "--lowercase", "--group-by", by, "--resamples", "0", "--format", "json")
    rows = json.loads(done.stdout)["details"]
    assert {one["group"]: (one["words"], one["errors"]) for one in rows if one["group"]} == SCLITE[by]


# The errors of each speaker that sclite 2.10 finds in a meeting (-D -o rsum).
MEETING = {
    "COU": 1345, "FE008": 121, "FE016": 154, "FE041": 274, "FE060": 260, "FN054": 79, "FN061": 57, "ME001": 60,
    "ME011": 674, "ME013": 760, "ME018": 88, "ME031": 417, "MN014": 158, "MN017": 120, "NWXRPL": 460, "TBVSTT": 1756,
    "YWTKTM": 1064,
}  # fmt: skip


@pytest.mark.real_data
@pytest.mark.skipif(not DATA.is_dir(), reason=f"there is no data in {DATA} (LATTICEMETRIC_DATA)")
def test_speakers_of_meetings_with_labels_have_the_errors_of_sclite():
    files = (DATA / "meetings" / f"rt04s.cmu-icsi.{name}.gz" for name in ("ctm", "stm"))
    options = ("-m", "sclite", "--lowercase", "--group-by", "speaker", "--resamples", "0", "--format", "json")
    rows = json.loads(run("score", *files, *options).stdout)["details"]
    assert {one["group"]: one["errors"] for one in rows if one["group"]} == MEETING
