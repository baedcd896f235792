"""`latticemetric grammar`: list, show, apply and build normalization grammars."""

from __future__ import annotations

import click

from latticemetric.cli.commands import HELP, Options, Verb, grouped
from latticemetric.cli.files import GrammarName, NoFile, OutputFolder
from latticemetric.cli.options import OUTPUT
from latticemetric.cli.results import say, writing
from latticemetric.corpus.tables.cells import aligned
from latticemetric.errors import harmless

_EPILOG = """\b
Examples:
  latticemetric grammar list
  echo "He isn't 21" | latticemetric grammar apply english
  latticemetric grammar apply rules.far:MY_RULE < refs.txt
  latticemetric grammar build english --output .
"""


class _OutputOption(Options):
    output: str = OUTPUT


@click.group("grammar", epilog=_EPILOG, context_settings=HELP)
def command() -> None:
    """List, show, apply and build the grammars of --normalize."""


@command.command("list", cls=Verb)
def list_() -> None:
    """List the grammars that come with latticemetric."""
    from latticemetric.normalization.shipped import shipped_grammars, summary
    from latticemetric.normalization.whisper import WHISPER

    rows = [[name, summary(name)] for name in shipped_grammars()]
    for line in aligned([*rows, *([name, what] for name, (what, _) in WHISPER.items())], left=(0, 1)):
        click.echo(line)


@command.command("show", cls=Verb)
@click.argument("grammar", type=GrammarName())
@click.option("--source", is_flag=True, help="Print the Python source of a shipped grammar.")
def show(grammar: str, *, source: bool) -> None:
    """Show the rules of GRAMMAR (a name, a .far or a .glm file) and their sizes."""
    from latticemetric.normalization.glm import read_glm
    from latticemetric.normalization.grammar import is_glm, rule_sizes
    from latticemetric.normalization.shipped import grammar_source

    if source:
        click.echo(grammar_source(grammar).read_text(encoding="utf-8"), nl=False)
        return
    if is_glm(grammar):
        counts = [[side, str(len(read_glm(grammar, side).rules))] for side in ("ref", "hyp")]
        for line in aligned([["side", "rules"], *counts]):
            click.echo(line)
        return
    rows = [[size.name, str(size.states), str(size.arcs)] for size in rule_sizes(grammar)]
    for line in aligned([["rule", "states", "arcs"], *rows]):
        click.echo(line)


@command.command("apply", cls=Verb)
@click.argument("grammar", type=GrammarName())
@click.option("--hypothesis", is_flag=True, help="Rewrite lines as hypotheses: without alternatives.")
@grouped
def apply(grammar: str, *, hypothesis: bool, output: _OutputOption) -> None:
    """Rewrite each line of standard input by GRAMMAR; write alternatives as { a / b }, with @ for "no word"."""
    from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream
    from latticemetric.lattice.lattice import Lattice
    from latticemetric.normalization.grammar import find_grammar
    from latticemetric.normalization.notation import with_alternatives
    from latticemetric.vocabulary import split_words

    rule = find_grammar(grammar)
    with writing(output.output) as put, open_stream(STANDARD_INPUT) as stream:
        for line in stream.lines(passing=True):
            words = split_words(line)
            text = rule.hypothesis(words) if hypothesis else rule.reference(words)
            put(with_alternatives(text) if isinstance(text, Lattice) else " ".join(text))


@command.command("build", cls=Verb)
@click.argument("names", type=NoFile(), nargs=-1)
@click.option(
    "--output", "-o", type=OutputFolder(), default=".", metavar="DIR", show_default=True, help="Folder for .far files"
)
def build(names: tuple[str, ...], output: str) -> None:
    """Compile shipped grammars (all, or NAMES) to DIR/NAME.far, for use with pynini."""
    from pathlib import Path

    from latticemetric.normalization.shipped import build as built

    for path in built(names, Path(output)):
        say(harmless(f"written: {path}"))
