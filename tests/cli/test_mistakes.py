"""Mistakes of newcomers on the command line: what is wrong, where, and what was probably meant."""

import re
import subprocess
import sys

import click
import pytest
from kit.commands import Done, assert_one_line_error, file, good, oracle, run
from kit.outputs import COMMANDS
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

from latticemetric.cli import mistakes

MEETING = [EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("oracl", "there is no verb 'oracl'; did you mean oracle?"),
        ("lattice-to-nbest", "did you mean nbest?"),
        ("viterbi", "did you mean best?"),
        ("wibble", "there is no verb 'wibble'; see"),
        ("best x --beam 1", "there is no option --beam here; these verbs have it: tune, report, mbr, draw, …;"),
        ("oracle a b --metrc wer", "there is no option --metrc; did you mean --metric?"),
        ("oracle a b --acoustic-scale 1", "did you mean --weights acoustic=NUMBER?"),
        ("score a b --keyed", "did you mean --style keyed?"),
        ("oracle a b --wibble", "there is no option --wibble; see latticemetric oracle --help"),
        ("oracle a b --format jsn", "--format: 'jsn' is not one of .* (did you mean json or jsonl?)"),
        ("prune a b --beam x", "--beam: 'x' is not a number; see"),
        ("sweep a b --beam 1", "there is no option --beam; did you mean --beams?"),
        ("sweep a b --nbest 1", "there is no option --nbest; did you mean --nbest-sizes?"),
        ("combine a --ref b", "there is no option --ref; did you mean --reference?"),
        ("mbr a --smoothing exp", "there is no option --smoothing; did you mean --parameter bleu.smoothing=NAME?"),
        ("mbr a --alpha 1", "there is no option --alpha; did you mean --parameter 4-grr.alpha=NUMBER?"),
        ("mbr a --method wer", "--method is now --by"),
        ("score a b --by speaker", "--by is now --group-by"),
        ("score a b --metrics wer", "--metrics is now --metric"),
        ("draw a --most-states 9", "--most-states is now --most-drawn"),
        ("best a --scale lm=1", "--scale is now --weights"),
        ("mbr a -r .7", "error: -r is now --ratio; see"),
        ("mbr a -r.7", "error: -r is now --ratio; see"),
        ("score a -r b", "no option -r; files are arguments: latticemetric score [OPTIONS] HYP REF...; see"),
        ("posteriors a -r .7", "no option -r; files are arguments: latticemetric posteriors"),
        ("lists a b --k 1", "there is no option --k; did you mean --at?"),
        (
            "score --hyp a --ref b",
            "no option --hyp; files are arguments: latticemetric score [OPTIONS] HYP REF...; see",
        ),
        ("tags a --gold b", "no option --gold; files are arguments: latticemetric tags [OPTIONS] GOLD PRED...; see"),
        ("convert a -o b", "no option -o; files are arguments: latticemetric convert [OPTIONS] GRAPHS TARGET; see"),
        ("prune a --output b", "no option --output; files are arguments: latticemetric prune [OPTIONS] GRAPHS TARGET"),
        ("draw a b.svg", "got unexpected extra argument (b.svg); did you mean --output b.svg?"),
        ("sweep a 2 --beams 1", "2: cannot be opened: No such file or directory; if it belongs to an option, write it"),
        (
            "best http://a.b/c.slf",
            "http://a.b/c.slf: there is no such file; download the file first, or pipe it into -",
        ),
        ("nbest a -n 1.5", "--nbest / -n: '1.5' is not a whole number; see"),
        ("best", "GRAPHS... is missing; usage: latticemetric best [OPTIONS] GRAPHS..."),
    ],
)
def test_an_error_says_what_was_meant(line, message):
    pattern = re.escape(message).replace(r"\.\*", ".*")
    assert_one_line_error(run("latticemetric", *line.split()), pattern)


@pytest.mark.parametrize("stem", ["meeting.lat.txt", "proverbs.plf", "harbour.fst", "lantern.hg", "headlines.nbest"])
def test_swapped_arguments_are_recognised(stem):
    reference = EXAMPLES / f"{stem.split('.')[0]}.ref.txt"
    assert_one_line_error(oracle(reference, EXAMPLES / stem), "give LATTICES before REFERENCES$")


@pytest.mark.parametrize("verb", ["oracle", "report", "sweep", "expected", "calibrate"])
def test_all_verbs_recognise_swapped_arguments(verb, tmp_path):
    more = ["--output", tmp_path / "page.html"] if verb == "report" else ["--beams", 1] if verb == "sweep" else []
    done = run("latticemetric", verb, *reversed(MEETING), *more)
    assert_one_line_error(
        done, "this file holds no graph, but .*meeting.lat.txt does; give LATTICES before REFERENCES$"
    )


def test_a_text_in_place_of_a_file_is_recognised():
    done = run("latticemetric", "score", "the cat sat", "the cat", "--metric", "wer")
    assert_one_line_error(done, "the cat: cannot be opened: No such file or directory; if it is a text, write it to")


def test_a_file_in_place_of_a_verb_is_recognised():
    assert_one_line_error(run("latticemetric", *MEETING), "there is no verb '.*', but a file; name a verb before it")


def test_a_ctm_is_calibrated_by_its_own_confidences():
    done = run("latticemetric", "calibrate", EXAMPLES / "radio.ctm", EXAMPLES / "radio.stm")
    assert_one_line_error(done, "to judge the confidences of a CTM, add --own-confidences$")


VERBS_WITH_REFERENCES = [
    name for name, verb in COMMANDS.items() if verb.argument_with("graphs") and verb.argument_with("references")
]


def with_references(verb, graphs, tmp_path):
    needed = {"report": ["--output", tmp_path / "page.html"], "sweep": ["--beams", 1], "tune": ["--vary", "words=0:1"]}
    return run("latticemetric", verb, *graphs, *needed.get(verb, []))


@pytest.mark.parametrize("verb", VERBS_WITH_REFERENCES)
def test_a_glob_that_the_shell_expanded_is_recognised(verb, tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.slf").write_bytes((EXAMPLES / "ferry.slf").read_bytes())
    graphs = [tmp_path / f"{name}.slf" for name in ("a", "b", "c")]
    for given in (graphs, [*graphs, EXAMPLES / "ferry.ref.txt"]):
        message = f"b.slf: .* but this file holds graphs; .* quote the glob, '{tmp_path}/\\*.slf'$"
        assert_one_line_error(with_references(verb, given, tmp_path), message)


def test_graphs_in_place_of_references_are_never_words():
    """Three lattices in PLF are three lines, as three references are: their brackets counted as words."""
    proverbs = EXAMPLES / "proverbs.plf"
    done = oracle(proverbs, proverbs, EXAMPLES / "proverbs.ref.txt")
    assert_one_line_error(done, "proverbs.plf: .* holds graphs; .* quote the glob")


@pytest.mark.parametrize("verb", VERBS_WITH_REFERENCES)
@pytest.mark.parametrize(
    "pair", ["letters.new.txt letters.ref.txt", "radio.ctm radio.stm", "letters.new.txt radio.stm"]
)
def test_texts_are_for_score(verb, pair, tmp_path):
    if (verb, pair) == ("calibrate", "radio.ctm radio.stm"):
        pytest.skip("calibrate takes the confidences of a CTM")
    files = [EXAMPLES / name for name in pair.split()]
    message = f"to score texts, use latticemetric score {files[0]} {files[1]}"
    assert_one_line_error(with_references(verb, files, tmp_path), message)


def test_lines_of_text_are_no_graphs_whatever_they_begin_with(tmp_path):
    for line in ("# a comment", "name the song", "x=1 y=2", "V=IR", "((( laughs )))", "17\n18 1 one, two", "Frames"):
        text = file(tmp_path, "text", f"{line}\n")
        assert good(run("latticemetric", "score", text, text, "--metric", "wer", "--format", "tsv")).stdout


def test_graphs_with_a_fault_keep_its_advice(tmp_path):
    """Lines of a machine are lines of text, too."""
    graphs, references = file(tmp_path, "g.fst.txt", "0 1 a\n1 0 b\n1\n"), file(tmp_path, "ref", "a b\n")
    assert "latticemetric score" not in oracle(graphs, references).stderr
    assert_one_line_error(oracle(graphs, references), "the graph is cyclic")


def test_lists_of_graphs_point_to_the_oracle_of_their_best_strings():
    done = run("latticemetric", "lists", EXAMPLES / "ferry.slf", EXAMPLES / "ferry.ref.txt")
    assert_one_line_error(done, "this is not an n-best list; .* latticemetric sweep --nbest-sizes 1,10,100$")


@pytest.mark.parametrize("prefix", ["ark:", "ark,t:", "s,cs,ark:", "ark,s,cs:"])
def test_files_are_named_as_in_kaldi(prefix, tmp_path):
    plain = good(oracle(*MEETING)).stdout
    assert good(oracle(*(f"{prefix}{one}" for one in MEETING))).stdout == plain
    assert good(oracle(f"{prefix}-", MEETING[1], stdin=MEETING[0].read_bytes())).stdout == plain
    symbols = ["--symbols", EXAMPLES / "meeting.words.txt"]
    read = [
        good(run("latticemetric", "best", name, *symbols)).stdout
        for name in (EXAMPLES / "meeting.scp", f"scp:{EXAMPLES / 'meeting.scp'}")
    ]
    assert read[0] == read[1]
    # A file with such a name is meant; its name is free to hold a colon.
    file(tmp_path, "ark:x", "hello\n")
    assert good(run("latticemetric", "score", "ark:x", "ark:x", "--metric", "wer", cwd=tmp_path)).stdout


@pytest.mark.parametrize("line", [
    "best {}", "oracle {} refs", "oracle ref {}", "score {} ref", "score ref {}", "combine {} ref", "lists {} ref",
    "best x --symbols {}", "tune x {}", "score x y --utt2spk {}", "info {}", "convert {} x.slf", "draw {}",
])  # fmt: skip
@pytest.mark.parametrize("command", ["ark:gunzip -c x.gz|", "ark,t:lattice-copy ark:x ark,t:- |", "gunzip -c x.gz |"])
def test_commands_in_place_of_files_are_not_run(line, command, tmp_path):
    file(tmp_path, "ref", "a\n"), file(tmp_path, "x", "a\n")
    done = run("latticemetric", *(word.format(command) for word in line.split()), cwd=tmp_path)
    assert_one_line_error(done, re.escape(f"{command}: commands are not run; name the file that it reads"))


@pytest.mark.parametrize("target", ["ark:x.slf", "ark,t:x.slf", "ark,scp:x.ark,x.slf"])
def test_outputs_are_plain_names(target, tmp_path):
    done = run("latticemetric", "convert", EXAMPLES / "ferry.slf", target, cwd=tmp_path)
    assert_one_line_error(done, "this is not the name of a file; name the file only: x.slf$")
    assert not list(tmp_path.iterdir())


def test_what_is_wrong_in_order_is_no_swap(tmp_path):
    done = oracle(file(tmp_path, "bad.lat", "wibble"), MEETING[1])
    assert "LATTICES before" not in done.stderr
    assert done.status == 2


def test_a_file_that_does_not_exist_is_no_swap(tmp_path):
    transcript = file(tmp_path, "ref.trn", "we meet (meeting-001)\n")
    assert_one_line_error(oracle(tmp_path / "meating.lat", transcript), "there is no such file")
    assert "LATTICES before" not in oracle(tmp_path / "meating.lat", transcript).stderr


REFERENCES = [line.split() for line in MEETING[1].read_text().splitlines()]


def warned(tmp_path, lines, *options):
    done = good(oracle(MEETING[0], file(tmp_path, "ref", "".join(f"{line}\n" for line in lines)), *options))
    return [line for line in done.stderr.splitlines() if line.startswith("warning: ")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (str.upper, "0 of 14 reference words occur in these lattices: if case is ignored, 13 of 14 occur"),
        (lambda word: word + ",", "if case and punctuation are ignored, 13 of 14 occur"),
        (lambda word: 3 * "xyz" + word, "0 of 14 reference words occur in these lattices: check letter case, symbol"),
        (lambda word: str(len(word)), "the references are numbers"),
    ],
)
def test_few_words_that_occur_are_explained(change, reason, tmp_path):
    (line,) = warned(tmp_path, [" ".join([name, *map(change, words)]) for name, *words in REFERENCES])
    assert reason in line


def test_another_order_is_recognised(tmp_path):
    lines = [" ".join(words) for _, *words in REFERENCES]
    (line,) = warned(tmp_path, [*lines[1:], lines[0]], "--style", "plain")
    assert "give lattices and references in the same order" in line


def test_words_that_occur_are_not_warned_of(tmp_path):
    assert warned(tmp_path, [" ".join(line) for line in REFERENCES]) == []
    assert warned(tmp_path, [" ".join(line) for line in REFERENCES], "--metric", "wer", "--format", "json") == []


@pytest.mark.parametrize(
    ("suffix", "start"), [(".json", "{"), (".jsonl", '{"id"'), (".tsv", "id\t"), (".txt", "meeting-")]
)
def test_a_suffix_decides_the_format(suffix, start, tmp_path):
    good(oracle(*MEETING, "-o", tmp_path / f"out{suffix}"))
    text = (tmp_path / f"out{suffix}").read_text()
    assert text.startswith(start)
    assert ("%WER 7.14" in text) == (suffix == ".txt")
    good(oracle(*MEETING, "-o", tmp_path / f"out{suffix}", "--format", "jsonl"))
    assert (tmp_path / f"out{suffix}").read_text().startswith('{"id"')


def test_a_licence_in_a_folder_is_left_out(tmp_path):
    for name in ("a.slf", "LICENSE", "README.md"):
        file(tmp_path, name, (EXAMPLES / "ferry.slf").read_bytes() if name == "a.slf" else b"Some text.")
    done = good(run("latticemetric", "info", tmp_path))
    assert done.stderr.count("left out 2 entries (not graphs, by their names): LICENSE, README.md") == 1
    assert len(done.stdout.splitlines()) == 2


def test_sizes_fit_the_terminal():
    done = good(run("latticemetric", "info", *sorted(EXAMPLES.glob("*.hg")), EXAMPLES / "voyage.lat.gz"))
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_sizes_are_sorted():
    done = good(run("latticemetric", "info", EXAMPLES / "meeting.lat.txt", "--sort", "paths", "--format", "tsv"))
    assert [line.split("\t")[7] for line in done.stdout.splitlines()] == ["paths", "36", "30", "16"]
    done = good(run("latticemetric", "info", EXAMPLES / "meeting.lat.txt", "--sort", "id"))
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["id", "meeting-001", "meeting-002", "meeting-003"]


def test_long_ids_keep_columns(tmp_path):
    text = MEETING[0].read_text().replace("meeting", "a-meeting-with-a-very-long-name")
    references = MEETING[1].read_text().replace("meeting-", "a-meeting-with-a-very-long-name-")
    lines = good(oracle(file(tmp_path, "a.lat", text), file(tmp_path, "ref", references))).stdout.splitlines()
    assert len({line.index(".") for line in lines}) == 1


@pytest.mark.parametrize(
    "line",
    [
        "calibrate {graph} {reference}",
        "tune {graph} {reference} --decoder mbr",
        "tags --from-lattices {graph} {reference} --failures {failures}",
    ],
)
def test_what_needs_a_graph_says_that_all_failed(line, tmp_path):
    graph, reference = tmp_path / "a.slf", tmp_path / "ref.txt"
    graph.write_text("VERSION=1.0\nN=2 L=1\nI=0 t=x\nI=1\nJ=0 S=0 E=1 W=a\n")
    reference.write_text("a\n")
    places = {"graph": graph, "reference": reference, "failures": tmp_path / "failures.tsv"}
    done = run("latticemetric", *line.format(**places).split(), "--keep-going")
    assert done.status == 1
    told = done.stderr.splitlines()
    assert told[0].startswith("failed: ")
    assert told[1:] == ["error: all graphs failed, so there is no result; see the errors of the graphs"]
    if "failures" in line:
        assert places["failures"].read_text().splitlines()[1].startswith(f"a\t{graph}\t")


def test_another_mistake_is_named_if_only_some_graphs_failed(tmp_path):
    lists, reference = tmp_path / "lists.jsonl", tmp_path / "ref.txt"
    lists.write_text('{"id": "1", "hypotheses": []}\n{"id": "2", "hypotheses": ["a"]}\n')
    reference.write_text("a\na\n")
    done = run("latticemetric", "calibrate", lists, reference, "--keep-going")
    assert done.status != 0
    failed, error = done.stderr.splitlines()
    assert failed.startswith("failed: ")
    assert error.startswith("error: all scales fit the words equally well; ")


def test_mistakes_are_explained_with_the_oldest_click_too():
    newer = ("NoArgsIsHelpError", "NoSuchCommand")  # click 8.1 has neither, click 8.3 the first
    code = (
        f"import sys, click; [vars(click.exceptions).pop(name, None) for name in {newer}]; "
        "from latticemetric.cli.main import latticemetric; sys.argv = ['latticemetric', 'wibble']; latticemetric()"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert_one_line_error(Done(done.returncode, done.stdout, done.stderr), "there is no verb 'wibble'; see")


@pytest.mark.parametrize(
    ("told", "explained"),
    [
        ("No such command 'viterbi'.", "error: there is no verb 'viterbi'; did you mean best?"),
        ('No such command "it\'s".', "error: there is no verb 'it's'"),
        ("No such thing 'viterbi'.", "error: no such thing 'viterbi'"),
    ],
)
def test_unknown_verbs_are_found_in_the_text_of_older_clicks(told, explained):
    assert mistakes.explained(click.UsageError(told)) == explained
