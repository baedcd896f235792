"""`latticemetric posteriors`, and what `mbr` does beside answering, as users run them."""

import json
import shlex
import subprocess

import pytest
from kit.decoding import FERRY, MEETING, PROGRAM, graphs, items, run
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.posterior.listing import listing

LANTERN = str(EXAMPLES / "lantern.target_graph")
HEADLINES = str(EXAMPLES / "headlines.nbest")


def plain(value):
    return json.loads(json.dumps(value))


# --- posteriors


@pytest.mark.parametrize("of", ["words", "ngrams", "arcs", "summary"])
@pytest.mark.parametrize("path", [MEETING, FERRY, HEADLINES])
def test_items_are_what_python_answers(of, path):
    limits = () if of == "summary" else ("--least", "0.2", "--top", "4")
    found = items("posteriors", path, "--of", of, "--posterior-scale", "0.5", *limits)
    expected = [
        {"id": name, **listing(lm.posteriors(graph, posterior_scale=0.5), of, least=0.2, top=4).asdict()}
        for name, graph in graphs(path).items()
    ]
    assert found == plain(expected)


@pytest.mark.parametrize("of", ["words", "ngrams", "edges", "summary"])
def test_items_of_forests_are_what_python_answers(of):
    limits = () if of == "summary" else ("--top", "4")
    found = items("posteriors", LANTERN, "--of", of, "--posterior-scale", "0.5", *limits)
    (forest,) = graphs(LANTERN).values()
    assert found == [
        {"id": "lantern", **plain(listing(lm.posteriors(forest, posterior_scale=0.5), of, top=4).asdict())}
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("posteriors", LANTERN, "--of", "arcs"), "the forest is not a lattice"),
        (("posteriors", LANTERN, "--write-lattices", "out.slf"), "use --of edges for forests"),
        (
            ("posteriors", LANTERN, "--of", "edges", "--write-lattices", "out.slf"),
            "--write-lattices writes lattices, but --of edges lists forests",
        ),
        (("posteriors", MEETING, "--of", "edges"), "a lattice has no edges; list its arcs"),
        (("consensus", LANTERN), "MBR by n-grams or by a metric takes any forest"),
        (("mbr", LANTERN, "--by", "wer"), "MBR by n-grams or by a metric takes any forest"),
        (("mbr", LANTERN, "--by", "wer", "--beam", "3"), "MBR by n-grams or by a metric takes any forest"),
    ],
)
def test_what_a_graph_has_not_is_told(arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, status=2)
    assert says in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


PARTS = [(path, of) for path in (FERRY, LANTERN) for of in ("words", "ngrams", "summary")]


@pytest.mark.parametrize(("path", "of"), [*PARTS, (FERRY, "arcs"), (LANTERN, "edges")])
def test_a_table_has_a_row_a_part(path, of):
    header, *lines = run("posteriors", path, "--of", of, "--format", "tsv").stdout.splitlines()
    item = items("posteriors", path, "--of", of)[0]
    assert len(lines) == (1 if of == "summary" else len(item[of]))
    for line, part in zip(lines, [item] if of == "summary" else item[of], strict=True):
        row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
        assert {name: row[name] for name in part} == {
            name: "" if value is None else str(value) for name, value in part.items()
        }


def test_text_is_for_people():
    assert run("posteriors", MEETING, "--top", "1").stdout.splitlines()[0] == "meeting-001 0.7311 we"
    edges = run("posteriors", LANTERN, "--of", "edges", "--top", "2").stdout
    assert edges == "lantern 1.0000 1 burns\nlantern 1.0000 3 [1] [2]\n"
    assert run("posteriors", FERRY, "--of", "arcs", "--top", "1").stdout == "ferry-001 1.0000 7 8 1.10 1.25 ε\n"
    lines = run("posteriors", MEETING, "--of", "ngrams", "--order", "2", "--least", "0.3").stdout.splitlines()
    found = lm.posteriors(next(iter(graphs(MEETING).values())))
    assert f"meeting-001 {found.ngrams(2)['we', 'should']:.4f} we should" in lines
    assert run("posteriors", MEETING, "--of", "summary").stdout.splitlines()[0] == (
        f"meeting-001 log total {found.log_total:.4f}, entropy {found.entropy:.4f}"
    )


@pytest.mark.parametrize("suffix", ["lat.txt", "plf", "far"])
def test_lattices_are_written_with_posteriors(tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    run("posteriors", MEETING, "--of", "summary", "--write-lattices", path)
    for (name, again), graph in zip(graphs(path).items(), graphs(MEETING).values(), strict=True):
        expected = lm.posteriors(graph).to_lattice()
        assert len(again.word) == len(expected.word), name
        found, wanted = (sorted(g.cost().arc.tolist()) for g in (again, expected))
        assert found == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--of letters", "'letters' is not one of"),
        ("--least 2", "least is 2.0; give a number from 0 to 1"),
        ("--least x", "'x' is not a number"),
        ("--top -1", "-1 is not in the range"),
        ("--order 0 --of ngrams", "0 is not in the range"),
        ("--order 2", "--order has no effect with --of words"),
        ("--of summary --least 0.5", "--least has no effect with --of summary"),
        ("--of summary --top 3", "--top has no effect with --of summary"),
        ("--posterior-scale nan", "the posterior scale is nan; give a number ≥ 0"),
        ("--weights acustic=2", "there is no score column 'acustic'"),
        ("--write-lattices out.xyz", "no format has the suffix of 'out.xyz'"),
        ("--write-lattices nowhere/out.plf", "cannot be written"),
        ("--write-lattices out.trn", "trn holds no scores"),
    ],
)
@pytest.mark.parametrize("output_format", ["text", "jsonl"])
def test_mistakes_are_told_without_half_a_result(arguments, says, output_format, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("posteriors", MEETING, *shlex.split(arguments), "--format", output_format, status=2)
    assert says in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["posteriors", "mbr"])
def test_a_pipe_that_closes_is_no_fault(verb, tmp_path):
    (tmp_path / "many.plf").write_text("".join(f"((('{'w' * 200}{k}',0.5,1),),)\n" for k in range(1000)))
    command = f"set -o pipefail; {PROGRAM} {verb} {tmp_path}/many.plf | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1


def test_a_graph_that_fails_is_told_and_gone_past(tmp_path):
    path = tmp_path / "lats"
    path.write_text("a \n0 1 x 1,2,\n1\n\nb \n0 1 x nan,2,\n1\n\nc \n0 1 x 1,2,\n1\n")
    written = tmp_path / "out.plf"
    done = run("posteriors", path, "--keep-going", "--format", "tsv", "--write-lattices", written, status=1)
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["id", "a", "b", "c"]
    assert "not finite" in done.stdout.splitlines()[2]
    assert len(graphs(written)) == 2


# --- mbr of forests under limits


def test_a_search_that_stops_early_says_so_in_words_and_in_fields():
    arguments = ("mbr", LANTERN, "--most-items", "10")
    forest = lm.read_one(LANTERN)
    best = lm.mbr(forest, most_items=10)
    done = run(*arguments)
    assert done.stdout == f"lantern {' '.join(best.words)}\n"
    gap = f"{best.gain_bound - best.gain:.4f}"
    assert done.stderr.splitlines()[-1] == (
        f"1 answer not exact: other strings may gain up to {gap} more; raise --most-items, or prune (--beam)"
    )
    assert "; raise --most-items or --seconds, or prune" in run(*arguments, "--seconds", "1e6").stderr
    (item,) = items(*arguments)
    assert (item["gain"], item["gain_bound"], item["exact"]) == (best.gain, best.gain_bound, False)
    header, row = (line.split("\t") for line in run(*arguments, "--format", "tsv").stdout.splitlines())
    named = dict(zip(header, row, strict=True))
    assert (float(named["gain_bound"]), named["exact"]) == (best.gain_bound, "false")


def test_a_search_that_ends_says_nothing_about_limits(tmp_path):
    done = run("mbr", LANTERN, "--seconds", "1e6")
    assert "exact" not in done.stderr
    (item,) = items("mbr", LANTERN)
    assert item["exact"]
    assert item["gain_bound"] == item["gain"]
    kept = tmp_path / "words.txt"
    run("mbr", LANTERN, "--most-items", "10", "--output", kept)
    assert len(kept.read_text().splitlines()) == 1  # a decoder's words, without a note


@pytest.mark.parametrize("option", ["--most-items", "--seconds"])
def test_limits_of_forests_are_those_of_n_grams_only(option):
    assert f"{option} has no effect with --by wer" in run("mbr", MEETING, "--by", "wer", option, "5", status=2).stderr


# --- mbr --evidence


def kaldi(path, lattices):
    path.write_text("".join(f"{name} \n{arcs}\n" for name, arcs in lattices.items()))
    return path


XY = "0 1 x 0,0,\n0 1 y 0,0,\n1\n"


def test_evidence_is_matched_by_id_in_any_order_and_format(tmp_path):
    lattices = kaldi(tmp_path / "lats", {"b": XY, "a": XY})
    (tmp_path / "a.fst.txt").write_text("0 1 x x\n1\n")
    (tmp_path / "more.jsonl").write_text('{"id": "b", "hypotheses": [{"text": "y", "score": 0}]}\n')
    evidence = ["--evidence", tmp_path / "a.fst.txt", "--evidence", tmp_path / "more.jsonl"]
    found = items("mbr", lattices, *evidence)
    assert [(item["id"], item["hypothesis"], item["confidences"]) for item in found] == [
        ("b", "y", [1.0]),
        ("a", "x", [1.0]),
    ]


def test_answers_by_evidence_are_what_python_answers(tmp_path):
    path = tmp_path / "other.lat.txt"
    lm.write(path, [(name, graph.pruned(0.5)) for name, graph in graphs(MEETING).items()])
    found = items("mbr", MEETING, "--evidence", path, "-p", "0.7,0.8", "--beam", "3", "--posterior-scale", "0.5,1")
    other, settings = graphs(path), lm.ByNgrams.grid(p=[0.7, 0.8], beam=3.0, posterior_scale=[0.5, 1.0])
    expected = [
        {"id": name, **answer.asdict()}
        for name, graph in graphs(MEETING).items()
        for answer in lm.mbr_grid(graph, settings, evidence=other[name])
    ]
    assert found == plain(expected)


@pytest.mark.parametrize(
    ("graph_ids", "evidence_ids", "says"),
    [
        ("ab", "a", "there is no evidence named 'b'; add it"),
        ("a", "ab", "there is no graph named 'b'; leave this evidence out"),
        ("ab", "ba", None),
    ],
)
def test_ids_that_stand_alone_are_named(graph_ids, evidence_ids, says, tmp_path):
    lattices, evidence = (
        kaldi(tmp_path / file, dict.fromkeys(ids, XY)) for file, ids in (("lats", graph_ids), ("other", evidence_ids))
    )
    arguments = ("mbr", lattices, "--evidence", evidence)
    if says is None:
        assert len(items(*arguments)) == 2
        return
    done = run(*arguments, status=2)
    assert says in done.stderr
    assert done.stdout == ""
    done = run(*arguments, "--keep-going", "--format", "jsonl", status=1)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item["id"] for item in found] == ["a", "b"]
    assert says in found[1]["error"]
    assert found[0]["hypothesis"] == "x"
    # Records speak of Python's settings, for whoever reads them; standard error speaks of options.
    assert f"failed: {found[1]['error']}".replace("keep_going=True", "--keep-going") in done.stderr


def test_two_of_one_id_cannot_be_matched(tmp_path):
    lattices, other = kaldi(tmp_path / "lats", {"a": XY}), kaldi(tmp_path / "other", {"a": XY})
    done = run("mbr", lattices, "--evidence", other, "--evidence", other, status=2)
    assert "two pieces of evidence have the id 'a'" in done.stderr


@pytest.mark.parametrize("more", [(), ("--keep-going",)])
def test_evidence_that_cannot_be_read_says_why(more, tmp_path):
    (tmp_path / "bad").write_bytes(b"\x00\x01\x02")
    done = run("mbr", MEETING, "--evidence", tmp_path / "bad", *more, status=1 if more else 2)
    assert "is not recognised" in done.stderr
    assert "no such file" in run("mbr", MEETING, "--evidence", tmp_path / "nowhere", *more, status=2).stderr


def test_evidence_that_is_broken_fails_its_graph_only(tmp_path):
    lattices = kaldi(tmp_path / "lats", {"a": XY, "b": XY})
    evidence = kaldi(tmp_path / "other", {"a": XY, "b": "0 1 x nan,2,\n1\n"})
    done = run("mbr", lattices, "--evidence", evidence, "--keep-going", status=1)
    assert done.stdout == "a x\nb\n"
    assert "other" in done.stderr
    assert "not finite" in done.stderr


def test_numbers_and_words_are_no_evidence_for_each_other():
    done = run("mbr", MEETING, "--evidence", EXAMPLES / "meeting.ark", status=2)
    assert "only one has word numbers; give the symbol table" in done.stderr
    run("mbr", MEETING, "--evidence", EXAMPLES / "meeting.ark", "--symbols", EXAMPLES / "meeting.words.txt")


# --- mbr --write-lattices


def test_lattices_are_written_with_gains(tmp_path):
    path = tmp_path / "out.far"
    text = run("mbr", FERRY, "--posterior-scale", "0.5", "--write-lattices", tmp_path / "out.slf").stdout
    assert text == run("mbr", FERRY, "--posterior-scale", "0.5").stdout
    again, expected = lm.read_one(tmp_path / "out.slf"), lm.mbr_lattice(lm.read_one(FERRY), posterior_scale=0.5)
    # SLF counts words anew.
    assert {n: c.weight for n, c in expected.scores.items() if n != "words"} == {
        n: c.weight for n, c in again.scores.items() if n != "words"
    }
    best = min(again.paths(), key=lambda p: p.cost)
    assert " ".join(["ferry-001", *best.words]) + "\n" == text
    run("mbr", MEETING, "--write-lattices", path, "--gains-only", "--beam", "2")
    for again, graph in zip(graphs(path).values(), graphs(MEETING).values(), strict=True):
        gains = lm.mbr_lattice(graph, beam=2.0, gains_only=True)
        assert sorted(p.cost for p in again.paths()) == pytest.approx(sorted(p.cost for p in gains.paths()), abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            "--write-lattices out.far",
            "this graph has lm, acoustic, gain; --gains-only omits the model's scores and labels",
        ),
        ("--write-lattices out.far -p 0.7,0.8", "--write-lattices writes one setting"),
        ("--write-lattices out.far --posterior-scale 0.7,0.8", "--write-lattices writes one setting"),
        ("--gains-only", "--gains-only has no effect without --write-lattices"),
        ("--write-lattices nowhere/out.far --gains-only", "cannot be written"),
        ("--write-lattices out.far --by wer", "--write-lattices has no effect with --by wer"),
        ("--evidence x --by wer", "--evidence has no effect with --by wer"),
        ("--posterior-scale 1,2 --by wer", "--by wer takes one setting"),
        ("--posterior-scale x", "'x' is not a number"),
        (
            "--tune x --metric wer",
            "--tune is now a verb: latticemetric tune GRAPHS REFERENCES --decoder mbr",
        ),
    ],
)
def test_mistakes_of_mbr_are_told_without_half_a_result(arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("mbr", MEETING, *shlex.split(arguments), status=2)
    assert says in done.stderr.replace(", and this graph has lm, acoustic, gain", "")
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_gains_may_come_from_evidence(tmp_path):
    lm.write(tmp_path / "other.slf", [("ferry-001", lm.read_one(FERRY).pruned(0.5))])
    run("mbr", FERRY, "--evidence", tmp_path / "other.slf", "--write-lattices", tmp_path / "out.slf", "--gains-only")
    expected = lm.mbr_lattice(lm.read_one(FERRY), evidence=lm.read_one(tmp_path / "other.slf"))
    again = lm.read_one(tmp_path / "out.slf")
    assert sorted(p.cost for p in again.paths()) == pytest.approx(sorted(p.cost for p in expected.paths()))
    assert sorted(p.cost for p in again.paths()) != sorted(p.cost for p in lm.mbr_lattice(lm.read_one(FERRY)).paths())


def test_rows_of_a_grid_tell_their_settings():
    header, *lines = run("mbr", MEETING, "-p", "0.7,0.8", "--ratio", "0.5,0.6", "--format", "tsv").stdout.splitlines()
    columns = [header.split("\t").index(name) for name in ("id", "p", "r")]
    assert (
        len({tuple(line.split("\t")[k] for k in columns) for line in lines}) == len(lines) == 4 * len(graphs(MEETING))
    )


def test_labels_that_a_format_has_no_place_for_can_be_left_out_too(tmp_path):
    arguments = ("mbr", EXAMPLES / "lantern.hg", "--write-lattices", tmp_path / "out.slf")
    assert "cannot store the labels covered; --gains-only" in run(*arguments, status=2).stderr
    run(*arguments, "--gains-only")
    assert list(lm.read_one(tmp_path / "out.slf").scores) == ["gain"]
