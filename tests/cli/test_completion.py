"""Completions of Tab, from the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

import latticemetric as lm
from latticemetric.cli import completion, main
from latticemetric.cli.verbs import VERBS
from latticemetric.formats import registry as formats

PROGRAMS = Path(sys.executable).parent


def shell(name, text):
    if shutil.which(name) is None:
        pytest.skip(f"there is no {name} on this machine")
    environment = {**os.environ, "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    flags = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
    command = [name, *flags, "-c", text]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=EXAMPLES, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def in_bash(words):
    """Return the completions of bash; `file` where bash looks for files itself."""
    split = words.split(" ")
    function = {"latticemetric": "_latticemetric_completion", "lattice-oracle": "_lattice_oracle_completion"}[split[0]]
    quoted = " ".join(f"'{word}'" for word in split)
    return shell(
        "bash",
        "source <(latticemetric completion bash); compopt() { echo file; }; "
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(split) - 1}; {function} {split[0]}; "
        '[ ${#COMPREPLY[@]} = 0 ] || printf "%s\\n" "${COMPREPLY[@]}"',
    )


def in_zsh(words):
    split = words.split(" ")
    function = {"latticemetric": "_latticemetric_completion", "lattice-oracle": "_lattice_oracle_completion"}[split[0]]
    quoted = " ".join(f"'{word}'" for word in split)
    return shell(
        "zsh",
        "compdef() {}; source <(latticemetric completion zsh); compadd() { print -l -- $completions; }; "
        "_describe() { print -l -- ${completions_with_descriptions%%:*}; }; _path_files() { print file; }; "
        f"words=({quoted}); CURRENT={len(split)}; {function} || true",
    )


def in_fish(words):
    found = shell("fish", f"latticemetric completion fish | source; complete -C '{words}'")
    offered = [line.partition("\t")[0] for line in found if line]
    return ["file"] if any((EXAMPLES / line).exists() for line in offered) else offered


CASES = [
    ("latticemetric co", ["consensus", "combine", "correlate", "convert", "completion"]),
    ("latticemetric oracle x y --metric b", ["bleu", "bleu-sbp"]),
    ("lattice-oracle x y --metric w", ["wer", "wrr"]),
    ("lattice-oracle x y --metric mee", ["file"]),
    ("latticemetric score x y --metric wer,bl", ["wer,bleu", "wer,bleu-sbp", "wer,bleu-sbp-stem", "wer,bleu-stem"]),
    (
        "latticemetric score x y --metric bleu,wer,bleu-s",
        ["bleu,wer,bleu-sbp", "bleu,wer,bleu-sbp-stem", "bleu,wer,bleu-stem"],
    ),
    ("latticemetric convert a b --from kaldi", ["kaldi", "kaldi-binary", "kaldi-script"]),
    ("latticemetric convert meet", ["file"]),
    ("latticemetric info --symbols meet", ["file"]),
    ("latticemetric oracle x y --format j", ["json", "jsonl"]),
    ("latticemetric oracle x y --normalize eng", ["english"]),
    ("latticemetric report x y --mbr-by au", ["auto"]),
    ("latticemetric mbr x --by ng", ["ngram"]),
    ("latticemetric grammar sh", ["show"]),
    ("latticemetric grammar show rec", ["recognition"]),
    ("latticemetric completion f", ["fish"]),
    ("lattice-oracle --hel", ["--help"]),
]


@pytest.mark.parametrize(("words", "wanted"), CASES)
def test_bash_offers(words, wanted):
    assert in_bash(words) == wanted


@pytest.mark.parametrize(("words", "wanted"), CASES[::2])
def test_zsh_offers(words, wanted):
    assert in_zsh(words) == wanted


@pytest.mark.parametrize(("words", "wanted"), CASES[::2])
def test_fish_offers(words, wanted):
    assert sorted(in_fish(words)) == sorted(wanted)


def test_a_value_may_be_joined_to_its_option():
    # Bash makes three words of it, and puts in the last one only.
    assert in_bash("latticemetric oracle --metric = we") == ["wer"]
    assert in_bash("latticemetric oracle --metric =") == in_bash("latticemetric oracle --metric ")
    assert in_bash("latticemetric convert --from = plf x --to = moses-s") == ["moses-search-graph"]
    assert in_zsh("latticemetric oracle --metric=we") == ["--metric=wer"]
    assert in_fish("latticemetric oracle --metric=we") == ["--metric=wer"]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_script_may_be_for_one_program_only(name):
    done = subprocess.run(
        [PROGRAMS / "latticemetric", "completion", name, "--program", "lattice-oracle"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert "_LATTICE_ORACLE_COMPLETE" in done.stdout
    assert "_LATTICEMETRIC_COMPLETE" not in done.stdout


# --- What is offered exists


def test_metrics_that_are_offered_can_be_made():
    names = [*completion._metrics(), *completion._RATES, *completion._BLEU]
    assert len(names) > 10
    for name in names:
        assert lm.make_metric(name)


def test_formats_that_are_offered_are_all_of_them():
    assert completion._formats() == sorted(formats.formats())
    assert set(completion._written_formats()) < set(completion._formats())


def test_every_argument_and_every_file_of_every_verb_is_completed():
    for verb in VERBS:
        command = main._group.get_command(main._group.make_context("latticemetric", [], resilient_parsing=True), verb)
        for parameter in command.params:
            if parameter.param_type_name == "argument" or "FILE" in (parameter.metavar or ""):
                assert parameter.type.shell_complete(None, parameter, ""), (verb, parameter.name)
