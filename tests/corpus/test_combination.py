"""Combinations of many utterances: read, split, tuned and judged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.commands import good, run
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.corpus.combination import (
    combine_all,
    judge,
    split_at,
    tune_vote,
)
from latticemetric.corpus.system_outputs import Utterance, named_systems, references_of
from latticemetric.corpus.system_outputs import read_systems as read_named
from latticemetric.metrics.pairs import error_counts

texts = st.lists(st.sampled_from("abc"), max_size=5).map(tuple)
utterances = st.lists(st.tuples(texts, texts, texts, texts), min_size=1, max_size=3)


def errors(words, reference):
    return int(error_counts([words], [reference])[0, 0])


def combined(rows):
    return combine_all([Utterance(str(k), {"x": a, "y": b, "z": c}) for k, (a, b, c, _) in enumerate(rows)])


def read_systems(files, **settings):
    return read_named(named_systems(files), **settings)


def written(folder, **contents):
    paths = []
    for name, text in contents.items():
        path = folder / name.replace("_", ".")
        path.write_text(text)
        paths.append(str(path))
    return paths


class TestJudging:
    @given(utterances)
    def test_rows_have_the_errors_of_their_words(self, rows):
        found, references = combined(rows), [reference for *_, reference in rows]
        judged = judge(found, references, resamples=0, subsets=True)
        by_name = {row.name: row for row in judged.rows}
        assert by_name["combination"].errors == sum(
            errors(one.words, words) for one, words in zip(found.combinations, references, strict=True)
        )
        for place, name in enumerate("xyz"):
            assert by_name[name].errors == sum(errors(row[place], row[3]) for row in rows)
            left = [1.0 if other != name else 0.0 for other in "xyz"]
            voted = [one.vote(left).words for one in found.combinations]
            assert by_name[f"without {name}"].errors == sum(map(errors, voted, references))
        for row in judged.rows:
            assert row.errors == row.substitutions + row.deletions + row.insertions
            assert row.reference_words == sum(map(len, references))
        assert judged.oracles["x",] == by_name["x"].errors
        assert judged.oracles["x", "y", "z"] <= min(row.errors for row in judged.rows)

    def test_long_utterances_are_drawn_in_blocks(self):
        words = ("a b c d e " * 60).split()
        found = combine_all([Utterance("u", {"x": words[:-1], "y": ["q", *words], "z": words})])
        judged = judge(found, [words], resamples=50)
        assert judged.blocks == 3
        assert judged.rows[0].errors == 0
        assert judged.rows[1].difference.difference.value == pytest.approx(1 / 300)
        assert [record["name"] for record in judged.to_records()][-1] == "oracle of x y z"

    def test_references_without_words_have_no_rate(self):
        judged = judge(combine_all([Utterance("u", {"x": "a", "y": "a"})]), [()], resamples=10)
        assert judged.rows[0].score is None
        assert judged.rows[0].insertions == 1


class TestTuning:
    @given(utterances)
    def test_errors_never_rise_and_are_those_of_the_vote(self, rows):
        found, references = combined(rows), [reference for *_, reference in rows]
        tuned = tune_vote(found, references)
        again = found.voting(tuned.system_weights, tuned.null)
        assert tuned.errors == sum(errors(c.words, r) for c, r in zip(again.combinations, references, strict=True))
        assert tuned.errors_before == sum(
            errors(c.words, r) for c, r in zip(found.combinations, references, strict=True)
        )
        assert tuned.errors <= tuned.errors_before

    def test_a_system_that_is_always_right_wins(self):
        found = combine_all([Utterance("u", {"x": "a b c", "y": "a d e", "z": "a d e"})])
        assert found.combinations[0].words == ("a", "d", "e")
        tuned = tune_vote(found, [("a", "b", "c")])
        assert tuned.errors == 0
        assert found.voting(tuned.system_weights, tuned.null).combinations[0].words == ("a", "b", "c")

    def test_a_long_utterance_is_cut_at_a_right_word(self):
        words = [f"w{k}" for k in range(400)]
        found = combine_all([Utterance("u", {"x": words[:150] + words[160:], "y": ["q", *words], "z": words})])
        (first, known), (rest, left) = split_at(found, [tuple(words)], 0.5)
        assert known[0] + left[0] == tuple(words)
        assert len(known[0]) == 200
        assert first.combinations[0].words + rest.combinations[0].words == found.combinations[0].words

    def test_short_utterances_stay_whole(self):
        found = combined([(("a",), ("b",), ("a",), ("a",))] * 4)
        (first, known), (rest, left) = split_at(found, [("a",)] * 4, 0.5)
        assert (first.names, rest.names) == (("0", "1"), ("2", "3"))
        assert (len(known), len(left)) == (2, 2)
        with pytest.raises(lm.UsageError, match="too few"):
            split_at(combined([(("a",), ("b",), ("a",), ("a",))]), [("a",)], 0.5)


class TestReading:
    def test_files_with_one_utterance_each_belong_together(self, tmp_path):
        paths = written(tmp_path, a_txt="x y z\n", b_ctm="call 1 0.0 0.5 x 0.9\ncall 1 0.6 0.4 y 0.8\n")
        ((name, outputs),) = read_systems(paths)
        assert name == "call,1"
        assert list(outputs) == paths
        found = lm.combine(outputs)
        assert found.words[:2] == ("x", "y")
        assert found.times[0] == (0.0, 0.5)

    def test_ids_pair_utterances(self, tmp_path):
        paths = written(tmp_path, a_trn="x y (u1)\nz (u2)\n", b_txt="u2 z\nu1 x y\n")
        found = read_systems(paths, style="plain")
        assert [name for name, _ in found] == ["u1", "u2"]
        keyed = written(tmp_path, d_txt="u2 z\nu1 x\n")
        assert dict(read_systems([*paths[1:], *keyed], style="keyed"))["u1"][keyed[0]] == ["x"]

    def test_a_system_has_no_words_where_its_file_lacks_an_utterance(self, tmp_path, caplog):
        whole, part = written(tmp_path, a_ctm="u 1 0 1 x\nv 1 0 1 y\nw 1 0 1 z\n", b_ctm="v 1 0 1 y\nx 1 0 1 q\n")
        found = read_systems([whole, part])
        assert [name for name, _ in found] == ["u,1", "v,1", "w,1", "x,1"]
        assert [combine_all([one]).combinations[0].words for one in found] == [("x",), ("y",), ("z",), ("q",)]
        assert combine_all([found[0]], null=2.0).combinations[0].words == ()
        assert "b.ctm: 2 of 4 utterances are not in this file, so this system has no words there: 'u,1', 'w,1'" in (
            caplog.text
        )
        assert "a.ctm: 1 of 4 utterances are not in this file, so this system has no words there: 'x,1'" in caplog.text

    @pytest.mark.parametrize("style", ["auto", "keyed"])
    def test_lines_with_ids_may_lack_utterances(self, style, tmp_path, caplog):
        whole, part, one = written(
            tmp_path, a_txt="utt1 x\nutt2 y\nutt3 z\n", b_txt="utt3 z\nutt1 x q\n", c_txt="utt2 y\n"
        )
        found = read_systems([whole, part, one], style=style)
        assert [name for name, _ in found] == ["utt1", "utt2", "utt3"]
        assert dict(found)["utt1"] == {whole: ["x"], part: ["x", "q"], one: ()}
        assert "b.txt: 1 of 3 utterances are not in this file, so this system has no words there: 'utt2'" in caplog.text

    @pytest.mark.parametrize(
        "other", ["utt1 x\nUTT2 y\nutt3 z\n", "utt1 x\nutt7 y\nutt8 z\nutt9 z\n", "x y\nz\nq r\n", "utt1 x\nutt1 y\n"]
    )
    def test_lines_that_hardly_share_ids_are_refused(self, other, tmp_path):
        paths = written(tmp_path, a_txt="utt1 x\nutt2 y\nutt3 z\n", b_txt=other)
        with pytest.raises(lm.FormatError, match="lines seem to begin with ids, but the ids are not those of"):
            read_systems(paths)

    @pytest.mark.parametrize("other", ["u1 x y (v1)\nz (v2)\n", "x y (U1)\nz (u2)\nq (u3)\n"])
    def test_other_ids_are_no_silence(self, other, tmp_path):
        paths = written(tmp_path, a_trn="x y (u1)\nz (u2)\n", b_trn=other)
        with pytest.raises(lm.FormatError, match=r"only here: 'u1'.*; only there: '[vU]1'"):
            read_systems(paths)

    @pytest.mark.parametrize("empty", ["", "\n", ";; a comment\n"])
    @pytest.mark.parametrize("name", ["b_txt", "b_ctm", "b_trn"])
    def test_an_empty_file_is_a_silent_system(self, empty, name, tmp_path, caplog):
        (silent,) = written(tmp_path, **{name: empty})
        for kind, text, names in (
            ("a_txt", "x y\n", ["1"]),
            ("a_trn", "x y (u1)\nx y (u2)\n", ["u1", "u2"]),
            ("a_ctm", "u 1 0 1 x\nu 1 1 1 y\n", ["u,1"]),
        ):
            (path,) = written(tmp_path, **{kind: text})
            for paths in ([path, silent], [silent, path]):
                found = read_systems(paths)
                assert [utterance.name for utterance in found] == names
                assert all(lm.combine(outputs).words == ("x", "y") for _, outputs in found)
                assert all(lm.combine(outputs, null=2).words == () for _, outputs in found)
        assert "the file is empty, so this system has no words" in caplog.text

    def test_an_empty_file_is_not_several_lines(self, tmp_path):
        lines, silent, blank = written(tmp_path, a_txt="x\ny\n", b_txt="", c_txt="\n\n")
        with pytest.raises(lm.FormatError, match=r"a.txt has 2, .*b.txt has 0"):
            read_systems([lines, silent])
        assert [list(outputs.values()) for _, outputs in read_systems([lines, blank])] == [[["x"], []], [["y"], []]]
        ((name, outputs),) = read_systems([silent])
        assert (name, lm.combine(outputs).words) == ("1", ())

    def test_other_ids_of_single_utterances_are_told(self, tmp_path, caplog):
        ((name, _),) = read_systems(written(tmp_path, a_trn="x (u1)\n", b_trn="x (u2)\n"))
        assert name == "u1"
        assert "b.trn: the only utterance is 'u2', and combined with 'u1' of other files" in caplog.text

    def test_a_file_stands_for_one_system(self, tmp_path):
        (path,) = written(tmp_path, a_txt="x\n")
        with pytest.raises(lm.UsageError, match="twice"):
            read_systems([path, path])

    def test_segments_of_a_channel_are_one_reference(self, tmp_path):
        (path,) = written(tmp_path, r_stm="call 1 ann 0.0 1.0 x y\ncall 1 bob 1.0 2.0 z\n")
        assert references_of(path, ["call,1"]) == [("x", "y", "z")]
        with pytest.raises(lm.FormatError, match="references"):
            references_of(path, ["1", "2", "3"])

    def test_alternatives_of_any_segment_are_refused(self, tmp_path):
        (path,) = written(tmp_path, r_stm="call 1 ann 0.0 1.0 x y\ncall 1 bob 1.0 2.0 { z / @ }\n")
        with pytest.raises(lm.FormatError, match=r"r.stm:2: the reference has alternatives"):
            references_of(path, ["call,1"])

    def test_segments_that_are_not_scored_are_told(self, tmp_path, caplog):
        ignored = "call 1 bob 1.0 2.0 IGNORE_TIME_SEGMENT_IN_SCORING\nother 1 cy 0.0 1.0 z\n"
        (path,) = written(tmp_path, r_stm=f"call 1 ann 0.0 1.0 x y\n{ignored}")
        assert references_of(path, ["other,1"]) == [("z",)]
        assert "count as insertions" not in caplog.text
        assert references_of(path, ["call,1"]) == [("x", "y")]
        assert "r.stm:2: words of systems in segments that are not scored count as insertions" in caplog.text

    @pytest.mark.parametrize(
        ("name", "text"),
        [("r_trn", "z (u2)\nx y (u3)\n"), ("r_txt", "u2 z\nu3 x y\n"), ("r_stm", "u 1 a 0.0 1.0 z\nu 1 a 1.0 2.0 y\n")],
    )
    def test_references_of_other_utterances_are_refused(self, name, text, tmp_path):
        (path,) = written(tmp_path, **{name: text})
        with pytest.raises(lm.FormatError, match=r"there is no reference for 'u1'|only there: 'u1'"):
            references_of(path, ["u1", "u2"])

    def test_lines_of_systems_that_begin_with_ids_are_paired_by_them(self, tmp_path, caplog):
        paths = written(tmp_path, a_txt="utt1 x y\nutt2 z\n", b_txt="utt2 z\nutt1 x\n")
        found = read_systems(paths)
        assert {name: dict(outputs) for name, outputs in found} == {
            "utt1": {paths[0]: ["x", "y"], paths[1]: ["x"]},
            "utt2": {paths[0]: ["z"], paths[1]: ["z"]},
        }
        assert "a.txt: lines begin with ids ('utt1', 'utt2'), as in the other file" in caplog.text
        assert references_of(paths[1], [name for name, _ in found]) == [("x",), ("z",)]
        one = read_systems(paths[:1], beside=paths[1:])
        assert [name for name, _ in one] == ["utt1", "utt2"]
        for refused in (paths, paths[::-1]):
            with pytest.raises(lm.FormatError, match=r"only (here|there): 'UTT2'"):
                read_systems([*refused, *written(tmp_path, c_txt="utt1 x\nUTT2 z\n")])
        with pytest.raises(lm.FormatError, match="but the systems have no ids"):
            references_of(paths[0], ["1", "2"])
        assert references_of(paths[0], ["1", "2"], style="plain") == [("utt1", "x", "y"), ("utt2", "z")]

    def test_lines_beside_trn_are_paired_by_its_ids(self, tmp_path):
        paths = written(tmp_path, a_trn="x y (anna)\nz (bert)\n", b_txt="bert z\nanna x\n")
        assert [list(outputs.values())[1] for _, outputs in read_systems(paths)] == [["x"], ["z"]]

    def test_systems_with_ids_have_the_order_of_those_without(self, tmp_path):
        lists = "0 ||| x ||| a=1 ||| 1\n1 ||| z ||| a=1 ||| 1\n"
        paths = written(tmp_path, a_txt="utt1 x\nutt2 z\n", b_txt="utt2 z\nutt1 x\n", c_nbest=lists)
        with pytest.raises(lm.FormatError, match=r"b.txt: utterance 1 is 'utt2', but 'utt1' in .*since another system"):
            read_systems(paths)
        (path,) = written(tmp_path, d_txt="utt1 x\nutt2 z\n")
        assert [name for name, _ in read_systems([paths[0], path, paths[2]])] == ["utt1", "utt2"]

    def test_references_without_ids_are_in_the_order_of_the_utterances(self, tmp_path):
        trn, lines, one = written(tmp_path, r_trn="x (u2)\ny (u3)\n", r_txt="x\ny\n", one_txt="1 x\n")
        assert references_of(trn, ["1", "2"]) == references_of(lines, ["u1", "u2"]) == [("x",), ("y",)]
        assert references_of(one, ["1"]) == [("1", "x")]


@pytest.mark.parametrize("suffix", ["txt", "tsv", "json", "jsonl", "ctm", "trn"])
def test_combined_systems_are_those_of_the_command_line(suffix, tmp_path):
    files = [str(EXAMPLES / f"coast.{name}.ctm") for name in ("north", "south", "east")]
    reference, mine, theirs = (
        str(EXAMPLES / "coast.ref.txt"),
        tmp_path / f"mine.{suffix}",
        tmp_path / f"theirs.{suffix}",
    )
    settings = {"system_weights": [1, 0.5, 0.5], "null": 0.7, "subsets": True, "resamples": 20, "seed": 3}
    found = lm.combine_systems(files, reference, **settings)
    form = {"format": suffix} if suffix in ("ctm", "trn") else {}
    found.write(mine, **form)
    options = ["--system-weights", "1,0.5,0.5", "--null", "0.7", "--subsets", "--resamples", "20", "--seed", "3"]
    options += ["--format", suffix] if form else []
    good(run("latticemetric", "combine", *files, "--reference", reference, *options, "-o", str(theirs)))
    assert mine.read_bytes() == theirs.read_bytes()


def test_combined_systems_have_ids_and_totals(tmp_path):
    files = [str(EXAMPLES / f"coast.{name}.ctm") for name in ("north", "south", "east")]
    found = lm.combine_systems(files, EXAMPLES / "coast.ref.txt", resamples=0)
    assert found["coast,1"].words == found.combinations.combinations[0].words
    assert len(found) == len(found.to_records()) == 1
    assert found.totals["judgment"] == found.judgment.to_records()
    assert found.write_lattices(tmp_path / "networks.lat.txt") == 1
    for wrong, says in (
        ({"system_weights": [1]}, "there are 3 files, but 1 weights of systems"),
        ({"subsets": True}, "subsets has no effect without references"),
        ({"tune_share": 0.5}, "tune_share has no effect without references"),
        ({"count_share": 0.2}, "count_share has no effect with scheme='sum'"),
    ):
        with pytest.raises(lm.UsageError, match=says):
            lm.combine_systems(files, **wrong)
    with pytest.raises(lm.UsageError, match="no utterance has the id 'x'"):
        found["x"]


NORTH = {"u1": "the wind turns", "u2": "boats stay"}
SOUTH = {"u2": ["boats", "stay"], "u1": "a wind turns"}
EAST = {"u1": "the wind burns", "u2": "boats leave"}
REFERENCES = {"u1": "the wind turns", "u2": "boats stay"}


class TestInMemory:
    def files(self, folder):
        texts = {
            name: "".join(f"{key} {one if isinstance(one, str) else ' '.join(one)}\n" for key, one in given.items())
            for name, given in (("n", NORTH), ("s", SOUTH), ("e", EAST), ("r", REFERENCES))
        }
        return written(folder, **{f"{name}_txt": text for name, text in texts.items()})

    def test_texts_by_id_give_what_files_give(self, tmp_path):
        *files, reference = self.files(tmp_path)
        given = dict(zip(files, (NORTH, SOUTH, EAST), strict=True))
        settings = {"resamples": 20, "subsets": True}
        assert lm.combine_systems(given, REFERENCES, **settings) == lm.combine_systems(files, reference, **settings)

    def test_files_and_texts_mix(self, tmp_path):
        north, _, _, reference = self.files(tmp_path)
        found = lm.combine_systems([north, SOUTH, {"u1": "the wind turns"}], reference, resamples=0)
        assert found.combinations.systems == (north, "2", "3")
        assert found["u1"].words == ("the", "wind", "turns")
        assert [row.errors for row in found.judgment.rows[:3]] == [0, 0, 1]

    def test_lists_are_paired_by_order(self):
        lists = [list(one.values()) for one in (NORTH, EAST, NORTH)]
        found = lm.combine_systems(lists, list(REFERENCES.values()), resamples=0)
        assert [one.words for one in found.combinations.combinations] == [("the", "wind", "turns"), ("boats", "stay")]
        assert found.combinations.names == ("1", "2")
        assert found.judgment.rows[0].errors == 0
        ids = lm.combine_systems([NORTH, lists[1]])
        assert ids.combinations.names == ("u1", "u2")

    def test_graphs_are_outputs(self):
        lattice = lm.Lattice.from_strings(["a b", "a c"], costs=[0.0, 0.1])
        nbest = lm.NBest.from_strings(["a c", "a b"], log_probs=[-0.5, -0.6])
        by_id = lm.combine_systems({"one": {"u": lattice}, "two": {"u": nbest}, "three": {"u": "a c"}})["u"]
        assert by_id.words == lm.combine({"one": lattice, "two": nbest, "three": "a c"}).words == ("a", "c")

    def test_series_of_pandas_are_paired_by_their_ids(self):
        pandas = pytest.importorskip("pandas")
        columns = [pandas.Series(one) for one in (NORTH, SOUTH, EAST, REFERENCES)]
        *systems, references = columns
        found = lm.combine_systems(systems, references, resamples=0)
        assert found == lm.combine_systems([NORTH, SOUTH, EAST], REFERENCES, resamples=0)

    def test_words_are_prepared(self):
        found = lm.combine_systems([["UM the Wind"]] * 2, ["the wind um"], lowercase=True, ignore="um", resamples=0)
        assert found["1"].words == ("the", "wind")
        assert found.judgment.rows[0].errors == 0

    @pytest.mark.parametrize(
        ("systems", "references", "says"),
        [
            ([NORTH, {"v": "x"}], None, "ids are not those of the other files"),
            ([["a"], ["a", "b"]], None, "the systems have different numbers of utterances: 1 has 1, 2 has 2"),
            ([NORTH, NORTH], {"u1": "x", "U2": "y"}, "there is no reference for 'u2'; did you mean 'U2'"),
            ([["a"]], ["a", "b"], "there are 1 utterances, and 2 references"),
            ([["a", None]], None, "system 1, utterance 2: it is missing"),
            ([[["a", 1]]], None, "word 2 of an output is 1, not a string"),
            ([lm.Lattice.from_strings(["a"])], None, "this is one Lattice; give a list"),
            ({1: ["a"]}, None, "the name 1 of a system is not a string"),
            ([{1: "a"}], None, "the id 1 is not a string"),
            ([{"a"}], None, "outputs is a set"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, systems, references, says):
        with pytest.raises(lm.LatticeMetricError, match=says):
            lm.combine_systems(systems, references)

    def test_references_that_no_system_has_are_told(self, tmp_path, caplog):
        more = REFERENCES | {"u9": "gone"}
        lm.combine_systems([NORTH, SOUTH], more, resamples=0)
        assert "1 reference is of utterances that no system has, and not scored: 'u9'" in caplog.text
        caplog.clear()
        *files, _ = self.files(tmp_path)
        (path,) = written(tmp_path, more_txt="".join(f"{name} {text}\n" for name, text in more.items()))
        lm.combine_systems(files, path, resamples=0)
        assert "1 reference is of utterances that no system has, and not scored: 'u9'" in caplog.text
