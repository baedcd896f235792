"""Explain a wrong command line in one line, and suggest the right spelling."""

from __future__ import annotations

import ast
import difflib
import os
import re
from collections.abc import Iterable

import click

from latticemetric.cli.plugin_verbs import verb_names, working_verbs
from latticemetric.errors import shortened
from latticemetric.renamed import MOVED, new_name

# Names of verbs and options in other tools and earlier versions, and their names here.
_VERBS_ELSEWHERE = {
    "1best": "best", "onebest": "best", "one-best": "best", "best-path": "best", "lattice-best-path": "best",
    "lattice-1best": "best", "viterbi": "best", "n-best": "nbest", "lattice-to-nbest": "nbest", "oracles": "oracle",
    "lattice-oracle": "oracle", "lattice-prune": "prune", "fstprune": "prune", "fstdeterminize": "determinize",
    "fstminimize": "minimize", "fstinfo": "info", "fstdraw": "draw", "lmbr": "mbr", "lattice-mbr-decode": "mbr",
    "lattice-copy": "convert", "compute-wer": "score", "sacrebleu": "score", "wer": "score", "bleu": "score",
    "sausage": "consensus", "stats": "info", "statistics": "info", "show": "draw", "version": "--version",
    "help": "--help",
}  # fmt: skip
_OPTIONS_ELSEWHERE = {
    "--acoustic-scale": "--weights acoustic=NUMBER", "--lm-scale": "--weights lm=NUMBER",
    "--ascale": "--posterior-scale",
    "--word-symbol-table": "--symbols", "--words": "--symbols", "--jobs": "--workers", "--nj": "--workers",
    "--threads": "--workers", "--json": "--format json", "--jsonl": "--format jsonl", "--tsv": "--format tsv",
    "--out": "--output", "--outfile": "--output", "--wer": "--metric wer", "--bleu": "--metric bleu",
    "--n": "--nbest", "--num-best": "--nbest", "--drop-scores": "--scores-off", "--no-scores": "--scores-off",
    "-m": "--metric", "-n": "--nbest", "--k": "--at", "--top-k": "--at",
    "--input-format": "--from", "--output-format": "--format", "--keyed": "--style keyed",
    "--smoothing": "--parameter bleu.smoothing=NAME", "--alpha": "--parameter 4-grr.alpha=NUMBER",
    "--beta": "--parameter 4-grr.beta=NUMBER", "--wildcard": "--parameter wer.wildcard=WORDS",
    "--no-spaces": "--parameter cer.spaces=no", "--unicode": "--parameter cer.unicode=nfc",
}  # fmt: skip
"""Formats of texts, which are also read as graphs: of one path, or with alternatives."""
# Names of options for what are arguments here.
_ARGUMENTS_ELSEWHERE = frozenset((
    "-i", "-r", "--hyp", "--hyps", "--hypothesis", "--hypotheses", "--ref", "--refs", "--reference",
    "--references", "--input", "--gold", "--predicted", "--lattice", "--lattices", "--graphs",
))  # fmt: skip
# Click's names of types.
_KINDS = {"float range": "number", "float": "number", "integer range": "whole number", "integer": "whole number"}
_LIKENESS = 0.75
_MOST_VERBS = 4


def explained(error: click.ClickException) -> str:
    """Return click's error in one line: the problem, and the remedy."""
    context: click.Context | None = getattr(error, "ctx", None)
    match error:
        case click.exceptions.NoSuchOption():
            what = _explain_renamed(error.option_name, context) or _explain_option(error.option_name, context)
        case click.MissingParameter():
            what = _explain_missing(error, context)
        case click.BadParameter():
            what = _explain_value(error)
        case _ if (verb := _unknown_verb(error)) is not None:
            what = _explain_verb(verb)
        case _:
            what = _explain_extra(error.format_message()[:1].lower() + error.format_message()[1:].rstrip("."), context)
    if context is None or isinstance(error, click.MissingParameter) or " is now a verb: " in what:
        return f"error: {what}"
    return f"error: {what}; see {context.command_path} --help"


def alike(name: str, names: Iterable[str]) -> list[str]:
    """Return up to two names that are similar to `name`, the most similar first."""
    return difflib.get_close_matches(name, list(names), n=2, cutoff=_LIKENESS)


def _unknown_verb(error: click.ClickException) -> str | None:
    """Return the verb that does not exist, if the error says so; before version 8.4, click says it in its text only."""
    name: str | None = getattr(error, "command_name", None)
    quoted = re.fullmatch(r"No such command (['\"].*['\"])\.", error.message)
    return ast.literal_eval(quoted[1]) if name is None and quoted else name


def _explain_verb(name: str) -> str:
    elsewhere = _VERBS_ELSEWHERE.get(name.lower())
    meant = [elsewhere] if elsewhere else alike(name.lower(), verb_names())
    what = f"there is no verb '{shortened(name)}'"
    if not meant and os.path.exists(name):  # noqa: PTH110  the name may be an invalid path
        return f"{what}, but a file; name a verb before it, such as oracle or score"
    return f"{what}; did you mean {' or '.join(meant)}?" if meant else what


def _explain_extra(what: str, context: click.Context | None) -> str:
    """Suggest the output for an argument that is one too many, if it may be its name."""
    extra = re.fullmatch(r"got unexpected extra argument \((\S+[.]\w+)\)", what)
    has_output = context is not None and any("--output" in one.opts for one in context.command.params)
    return f"{what}; did you mean --output {extra[1]}?" if extra and has_output else what


def _explain_option(name: str, context: click.Context | None) -> str:
    """Describe an unknown option; suggest a similar option, or name the verbs that have the unknown option."""
    what = f"there is no option {shortened(name)}"
    if context is None:
        return what
    own = _own_options(context)
    meant = _OPTIONS_ELSEWHERE.get(name)
    if meant is not None and meant.split()[0] in own:
        return f"{what}; did you mean {meant}?"
    if longer := [spelling for spelling in own if name.startswith("--") and spelling.startswith(name)]:
        return f"{what}; did you mean {' or '.join(longer[:2])}?"
    if name in _ARGUMENTS_ELSEWHERE or (name in {"-o", "--output"} and _has_target(context)):
        return f"{what}; files are arguments: {_usage(context)}"
    verbs = [verb for verb in _verbs_with(name) if verb != context.info_name]
    if verbs:
        return f"{what} here; these verbs have it: {', '.join(verbs[:_MOST_VERBS])}{', …' * (len(verbs) > _MOST_VERBS)}"
    close = alike(name, own)
    return f"{what}; did you mean {' or '.join(close)}?" if close else what


def _explain_renamed(name: str, context: click.Context | None) -> str | None:
    """Say the new name of an option that the verb had under another name."""
    if context is None:
        return None
    if command := MOVED.get((context.info_name or "", name)):
        return f"{name} is now a verb: {command}"
    new = new_name(name, _own_options(context))
    return f"{name} is now {new}" if new else None


def _own_options(context: click.Context) -> list[str]:
    return [spelling for one in context.command.params if isinstance(one, click.Option) for spelling in one.opts]


def _verbs_with(name: str) -> list[str]:
    return [verb for verb, command in working_verbs().items() if any(name in one.opts for one in command.params)]


def _explain_missing(error: click.MissingParameter, context: click.Context | None) -> str:
    hint = error.param_hint or (error.param and error.param.get_error_hint(context))
    text = hint if isinstance(hint, str) else " or ".join(hint or ["a parameter"])
    name = text.replace("'", "").replace("[", "").replace("]", "")
    return f"{name} is missing" if context is None else f"{name} is missing; usage: {_usage(context)}"


def _usage(context: click.Context) -> str:
    return f"{context.command_path} {' '.join(context.command.collect_usage_pieces(context))}"


def _has_target(context: click.Context) -> bool:
    return any(one.name == "target" for one in context.command.params)


def _explain_value(error: click.BadParameter) -> str:
    from latticemetric.likeness import nearest

    hint = error.param_hint or (error.param and error.param.get_error_hint(error.ctx))
    name = hint if isinstance(hint, str) else " or ".join(hint or ["a value"])
    what = error.message.rstrip(".")
    for kind, noun in _KINDS.items():
        what = what.replace(f"is not a valid {kind}", f"is not a {noun}")
    choices = getattr(getattr(error.param, "type", None), "choices", None)
    wrong = what.split("'")[1] if choices and what.count("'") > 1 else ""
    close = alike(wrong, map(str, choices or ())) or list(filter(None, [nearest(wrong, map(str, choices or ()))]))
    if close:
        what = f"{what} (did you mean {' or '.join(close)}?)"
    return f"{name.replace(chr(39), '')}: {what}"
