"""Say settings in messages as options: packages below say the keywords of Python, `style="plain"`."""

from __future__ import annotations

import re

import click

from latticemetric.cli.commands import running

# `style="plain"`, perhaps as an argument: `Corpus.read(format=…)`.
_SETTING = re.compile(
    r"(?:\b(Corpus\.(?P<verb>\w+)|Answers\.write|write)\()?\b(?P<name>[A-Za-z]\w*)="
    r"(?:True\b|…|\"(?P<text>[^\"\s]+)\"|(?P<quoted>'[^']*')|(?P<number>[0-9]+)\b|\[(?P<several>[0-9., ]+)\])(?(1)\))"
)
_OF_METRIC = re.compile(r'make_metric\("(?P<metric>[\w+-]+)", (?P<name>\w+)=(?P<value>True|False)\)')
# Methods of a corpus that only read or change graphs: options of each verb say what they do.
_OF_EACH_VERB = ("read", "converted")
_VERBS = {"pruned": "prune"}
# Keywords whose options have other names in all verbs that have them.
_OTHER_NAMES = {
    "lists": "--write-lattices",
    "metric_scores": "--metric-scores",
    "references": "--reference-text",
    "with_lattice": "--write-lattices",
}
# Keywords of several verbs, which may be named in a message of a verb that lacks them.
_USUAL = ("drop_labels", "scores_off", "shard", "sum_scores", "tokenize")


def in_options(text: str) -> str:
    """Return a message with each setting as the option that sets it.

    Examples:
        >>> in_options('give style="keyed", or symbols=… (keep_going=True reports the error and continues)')
        'give --style keyed, or --symbols (--keep-going reports the error and continues)'
        >>> in_options("add them up with Corpus.converted(sum_scores=True); ignore='<s> </s>' leaves marks out")
        "add them up with --sum-scores; --ignore '<s> </s>' leaves marks out"
        >>> in_options('Corpus.sweep(nbest_sizes=[1, 10]) or make_metric("cer", spaces=False)')
        'latticemetric sweep --nbest-sizes 1,10 or -P cer.spaces=no'
        >>> in_options("nothing=2.5 and other=True stay")
        'nothing=2.5 and other=True stay'
    """
    if "=" not in text:
        return text
    return _SETTING.sub(_option, _OF_METRIC.sub(_parameter, text))


def _parameter(found: re.Match[str]) -> str:
    return f"-P {found['metric']}.{found['name']}={'yes' if found['value'] == 'True' else 'no'}"


def _option(found: re.Match[str]) -> str:
    function = found[1] or ""
    of_verb = found["verb"] is not None and found["verb"] not in _OF_EACH_VERB
    option = _dashed(found["name"]) if of_verb else _option_of(found["name"], function)
    if option is None:
        return found[0]
    several = found["several"] and found["several"].replace(" ", "")
    value = found["text"] or found["quoted"] or found["number"] or several
    verb = [f"latticemetric {_VERBS.get(found['verb'], found['verb'])}"] if of_verb else []
    return " ".join([*verb, option, *([value] if value else [])])


def _option_of(name: str, function: str) -> str | None:
    """Return the option that sets a keyword: of the running command or, if it has none, of reading or of a run."""
    from latticemetric.corpus.settings import ReadingSettings, RunSettings

    own = [one for command in running for one in command.params if isinstance(one, click.Option)]
    if name == "format" and function in ("write", "Answers.write"):
        return _longest(own, "--to" if function == "write" else "--format") or "--format"
    field = RunSettings.fields.get(name) or ReadingSettings.fields.get(name)
    if field is not None and field.option:
        return field.option.split()[0]
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    known = next((one.opts for one in own if one.name == name or _dashed(name) in one.opts), None)
    if known is not None:
        return max(known, key=len)
    return _dashed(name) if name in RunSettings.fields or name in _USUAL else None


def _longest(options: list[click.Option], spelling: str) -> str | None:
    return next((spelling for one in options if spelling in one.opts), None)


def _dashed(name: str) -> str:
    return _OTHER_NAMES.get(name, f"--{name.replace('_', '-')}")
