"""The text of `--help`: options in sections, and examples that parse."""

import re
import shlex
import subprocess
import sys
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from kit.commands import run
from kit.outputs import COMMANDS, RUNS, command_of, write_examples
from kit.patience import PATIENCE

from latticemetric.cli import main
from latticemetric.cli.commands import Verb, option_sections
from latticemetric.cli.options import ResamplingOptions
from latticemetric.cli.verbs import VERBS, sections
from latticemetric.corpus.question import Resampled, Scaled
from latticemetric.errors import UsageError

TOP = click.Context(main._group, info_name="latticemetric")


def commands(group=main._group, context=TOP):
    """Every command with its context, those of groups too."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        of_command = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from commands(command, of_command)
        else:
            yield pytest.param(command, of_command, id=of_command.command_path.partition(" ")[2])


def examples(text):
    """Each command line of an epilog, without remarks, redirections and what is piped in or out."""
    for line in (text or "").splitlines():
        command = re.sub(r" {3,}\(.*\)$", "", line.strip())
        for part in re.split(r" \| ", command):
            if part.startswith(("latticemetric ", "lattice-oracle ")):
                yield shlex.split(re.sub(r" [<>] .*", "", part))


@pytest.mark.parametrize(("command", "context"), list(commands()))
def test_every_option_stands_in_one_section(command, context):
    shown = list(chain.from_iterable(options for _, options in option_sections(command, context)))
    options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    assert sorted(one.opts for one in shown) == sorted(one.opts for one in options)  # click 8.1 makes --help anew
    text = CliRunner().invoke(command, ["--help"]).stdout
    for option in options:
        assert option.help, option.name
        assert re.search(rf"^  .*{re.escape(option.opts[-1])}\b", text, re.MULTILINE), option.name


def test_sections_that_a_command_names_have_what_it_says():
    @click.command(cls=Verb, sections={"Mine": "-x --second", "Input": ""})
    @click.option("--second", "-s", help="Two.")
    @click.option("--from", "from_", help="Shared.")
    @click.option("--loose", help="Nowhere.")
    @click.option("-x", help="One.")
    def command():
        """Nothing."""

    found = option_sections(command, click.Context(command))
    named = [(title, [option.opts[0] for option in options]) for title, options in found]
    assert named == [
        ("Mine", ["-x", "--second"]),
        ("Input", ["--from"]),
        ("Options", ["--loose"]),
        ("Help", ["--help"]),
    ]


def test_every_verb_stands_in_one_section_of_the_program():
    text = CliRunner().invoke(main._group, ["--help"]).stdout
    titles = re.findall(r"^(\w.*):$", text, re.MULTILINE)
    assert titles == ["Options", *sections(VERBS)]
    assert [name for name in re.findall(r"^  (\w+) ", text, re.MULTILINE) if name in VERBS] == list(VERBS)


@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_has_examples_that_are_understood(verb):
    epilog = main._group.get_command(TOP, verb).epilog
    found = list(examples(epilog))
    assert found, verb
    for program, *arguments in found:
        group = main._group if program == "latticemetric" else main._group.get_command(TOP, "oracle")
        context = group.make_context(program, list(arguments))
        while isinstance(context.command, click.Group):
            protected = vars(context).get("_protected_args") or vars(context).get("protected_args", [])  # of click 8.1
            name, command, rest = context.command.resolve_command(context, [*protected, *context.args])
            context = command.make_context(name, rest, parent=context)


@pytest.fixture(scope="module")
def examples_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    write_examples(folder)
    return folder


@pytest.mark.parametrize("words", RUNS, ids=" ".join)
def test_every_command_has_a_run_that_works_on_the_bundled_examples(words, examples_folder):
    done = run("latticemetric", *words, cwd=examples_folder)
    assert (done.status, "Traceback" in done.stderr) == (0, False), done.stderr
    assert {command_of(other) for other in RUNS} == COMMANDS.keys()


def test_sections_say_what_their_verbs_read_and_write():
    graphs, references = ({name for name in VERBS if _argument(name, kind)} for kind in ("graphs", "references"))
    listed = sections(VERBS)
    assert set(listed["Graphs and references"]) == graphs & references
    assert set(listed["Graphs without references"]) | set(listed["Graphs"]) == graphs - references - {"tags"}
    assert set(listed["Texts"]) - {"grammar"} == {name for name in VERBS if _argument(name, "texts")} | {"correlate"}
    changing = {name for name in VERBS if name in COMMANDS and "results" not in COMMANDS[name].writes}
    assert changing == {"convert", "prune", "determinize", "minimize", "demo", "doctor", "completion"}


def _argument(name, kind):
    return name in COMMANDS and COMMANDS[name].argument_with(kind) is not None


def test_runs_that_resume_have_workers_elsewhere_and_shards_resume():
    resuming = {name for name, command in COMMANDS.items() if command.resumes}
    assert {"oracle", "convert", "info"} <= resuming
    assert {name for name, command in COMMANDS.items() if command.has_cluster} == resuming
    assert {name for name, command in COMMANDS.items() if command.shards} <= resuming


def test_an_example_that_no_command_understands_is_found_out():
    [(_, *arguments)] = examples("  latticemetric info --beam 3 lats.ark      (a remark)")
    with pytest.raises(click.NoSuchOption):
        main._group.get_command(TOP, arguments[0]).make_context("info", arguments[1:])


def long_options():
    """Each command's options by their long names."""
    for parameter in commands():
        command, context = parameter.values
        for option in command.get_params(context):
            for name in option.opts if isinstance(option, click.Option) else ():
                if name.startswith("--"):
                    yield name, context.command_path.partition(" ")[2], option


# Grids are of several scales; archives go into a folder.
VARIANTS = {
    *(("--posterior-scale", name) for name in ("mbr", "calibrate", "tune")),
    ("--output", "grammar build"),
}


def test_an_option_has_one_meaning_in_all_commands():
    meant = {}
    for name, command, option in long_options():
        if (name, command) not in VARIANTS:
            meant.setdefault(name, {}).setdefault((option.is_flag, option.metavar), []).append(command)
    assert {name: meanings for name, meanings in meant.items() if len(meanings) > 1} == {}


def test_options_of_intervals_and_posteriors_are_declared_by_the_settings():
    of_settings = {"resamples": Resampled, "seed": Resampled, "confidence": Resampled, "posterior_scale": Scaled}
    assert ResamplingOptions.declared == {
        name: one for name, one in ResamplingOptions.declared.items() if one.field is Resampled.fields[name]
    }
    for command, context in (one.values for one in commands()):
        for option in command.params:
            if option.name not in of_settings or option.help.startswith("Try these posterior scales"):
                continue
            field = of_settings[option.name].fields[option.name]
            assert (option.help, option.opts[-1]) == (field.help, field.option.split()[0]), context.info_name


def test_numbers_are_finite_and_in_range():
    for name, command, option in long_options():
        if isinstance(option.type, click.types.FloatParamType) and name != "--timeout":  # which limits check
            with pytest.raises((click.BadParameter, UsageError), match=r"finite|range|give a number"):
                option.type.convert("nan", option, None)
            assert option.type.min is not None, (name, command)
            assert option.type.min >= 0, (name, command)
            if option.metavar in {"SHARE", "P", "LEVEL"}:
                assert option.type.max == 1, (name, command)


@pytest.mark.parametrize(
    ("program", "arguments", "first"),
    [
        ("latticemetric", [], "Score the lattices, forests"),
        ("latticemetric", ["grammar"], "List, show, apply and build normalization grammars."),
        ("latticemetric", ["tags"], "Score OK and BAD tags of words"),
        ("lattice-oracle", [], "Find in each lattice the path"),
    ],
)
def test_without_docstrings_a_line_says_what_a_command_does(program, arguments, first):
    command = [sys.executable, "-OO", "-P", Path(sys.executable).parent / program, *arguments, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.partition("\n\n")[2].startswith(f"  {first}")


@pytest.mark.parametrize("arguments", ["--help", "--version", "mbr --help", "completion bash", "doctor"])
def test_a_pipe_that_closes_is_no_fault(arguments):
    """As for all other commands; here, it is click that finds the pipe closed."""
    command = f"set -o pipefail; {sys.executable} -P -m latticemetric {arguments} | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
