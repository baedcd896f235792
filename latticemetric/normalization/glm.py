"""NIST's mapping rules (GLM files), applied as sctk's csrfilt and rfilter1 do.

A rule `A => B / [C] __ [D]` replaces `A` by `B` between `C` and `D`. The text is read once, from left to right. At each
character, the first matching rule of the file is applied, and reading continues after its `A`. Rules match the
original text, not the output of other rules, and may span words. `B` may have alternatives, `{IT IS / IT HAS}`, and
optional words, `(UH)`. The last slash of a rule begins its context, so a rule with alternatives needs a context, such
as `/ [] __ []`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from latticemetric.errors import FormatError, InputError, UsageError, placed
from latticemetric.formats.streams.stream import open_stream
from latticemetric.normalization.rule import AFTER, BEFORE, MOST_WAYS, Rewriter, Step

KEEP_CASE = "KEEP_CASE"
"""The option that keeps the case of words (csrfilt's `-s`)."""

SPLIT_HYPHENS = "SPLIT_HYPHENS"
"""The option that splits words at hyphens (csrfilt's `-dh`)."""

TIMED = "TIMED"
"""The option that rewrites hypotheses as a ctm, word by word, and references as an stm (csrfilt's `-i`)."""

_UPPER = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_ARROW = "=>"
_SETTING = re.compile(r"""\*([^"']*)["']([^"']*)["']""")
_SECTION = re.compile(r""";;\s+INPUT_DEPENDENT_APPLICATION\s*=\s*"([^"]*)\"""")
_TRUE = ("T", "TRUE", "YES")
# Kinds of input, each of which may have its own sections: `trn` (csrfilt's default), and `ctm` and `stm` with times.
_KIND = "trn"
_TIMED_KINDS = {"hyp": "ctm", "ref": "stm"}
_WHITE = re.compile(r"[ \t\n\r\f\v]+")
_NO_WORD = re.compile(r"(?<!\S)@(?!\S)")
_GLUED = re.compile(r"\A\S+")
_HYPHEN = re.compile(r"([^( ])-(?=[^) ])")


class MappingRule(NamedTuple):
    """A rule: the text to replace, its replacement, the text before and after it, and the rule's place for errors."""

    source: str
    output: str
    before: str
    after: str
    where: str


class MappingFile(NamedTuple):
    """The rules and settings of a file.

    If `case_sensitive` is False, rules match words in any case. If `copy_no_hit` is False, characters that no rule
    replaces are removed.
    """

    rules: tuple[MappingRule, ...]
    case_sensitive: bool
    copy_no_hit: bool


def read_glm(path: str, side: str, *, timed: bool = False) -> MappingFile:
    """Read the rules for `side`, which is `ref` or `hyp`.

    These are the rules outside of sections, in sections for this side, and in sections for trn. If `timed` is true,
    sections for stm (references) or ctm (hypotheses) replace the sections for trn.

    Raises:
        FormatError: A line is neither a setting nor a rule.
    """
    kind = _TIMED_KINDS[side] if timed else _KIND
    rules, settings, applies = [], {"CASE_SENSITIVE": "T", "COPY_NO_HIT": "T", "FORMAT": "NIST1"}, True
    with open_stream(path) as stream:
        lines = iter(stream.lines())
        mark = next(lines, "").split(maxsplit=1)[:1]
        if not mark or mark[0][0].isalnum() or mark[0][0] in "*[\"'":
            advice = "begin the file with a comment, e.g. ';; my rules'; its first word marks comments"
            raise FormatError("the first line does not define the comment mark", where=stream.place(1), advice=advice)
        for line in lines:
            if section := _SECTION.match(line):
                applies = _is_for(section[1].lower(), (kind, side), stream.place())
            if not applies or not line.strip() or line.startswith(mark[0]):
                continue
            if line.startswith("*"):
                setting = _SETTING.match(line)
                if setting is None:
                    advice = "write * name = 'value'"
                    raise FormatError("a setting has no value in quotes", where=stream.place(), advice=advice)
                # The name may be anywhere before the value: `* set case_sensitive to 'F'`.
                settings |= {name: setting[2].upper() for name in settings if name in setting[1].upper()}
            else:
                rules.append(_parsed(line.partition(mark[0])[0].strip(), stream.place()))
    if settings["FORMAT"] != "NIST1":
        raise FormatError(
            f"the format is {settings['FORMAT']}, not NIST1", where=path, advice="convert the rules to the format NIST1"
        )
    flags = (settings[name] in _TRUE for name in ("CASE_SENSITIVE", "COPY_NO_HIT"))
    return MappingFile(tuple(rules), *flags)


def _is_for(pattern: str, names: Iterable[str], where: str) -> bool:
    try:
        return any(re.search(pattern, name) for name in names)
    except re.error as error:
        raise FormatError(f"'{pattern}' is not a regular expression: {error}", where=where) from None


def _parsed(line: str, where: str) -> MappingRule:
    """Parse a rule; the last slash begins the context, unless `]` and then `[` follow it."""
    source, arrow, rest = line.partition(_ARROW)
    if not arrow or (rest and not rest[0].isspace()):
        raise FormatError("this is not a rule", where=where, advice="write A => B / [C] __ [D], with spaces around =>")
    output, slash, context = rest.rpartition("/")
    bracket, closing = context.find("["), context.find("]")
    if not slash or (closing < bracket):
        return MappingRule(_unquoted(source), _unquoted(rest), "", "", where)
    before, slot, after = context.partition("_")
    if not slot:
        # rfilter1 takes all text before the last slash as the output, even in `{A / B}`.
        return MappingRule(_unquoted(source), _unquoted(output), "", "", where)
    return MappingRule(_unquoted(source), _unquoted(output), _context(before), _context(after), where)


def _context(text: str) -> str:
    """Return the context in `text`, which follows a slash or a slot.

    As in rfilter1, characters that follow without a space are ignored: `/ [ ] __A [ ]` is `/ [ ] __ [ ]`.
    """
    return _unquoted(_GLUED.sub("", text))


def _unquoted(text: str) -> str:
    """Strip white space, then one pair of brackets or quotation marks."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] + text[-1] in ("[]", '""') else text


class MappingRules(Rewriter):
    """Applies the rules of a file to words.

    A state holds the last characters read so far, in two parts. The first part is already rewritten; it is kept, since
    it may be the left context of a later rule. The second part is not yet rewritten, since the choice of a rule depends
    on the text that follows. Words of a ctm are rewritten one by one; then there is only one state.
    """

    def __init__(self, path: str, side: str, *, keep_case: bool, timed: bool = False) -> None:
        super().__init__(path)
        file = read_glm(path, side, timed=timed)
        self._side, self._upper, self._timed, self._file = side, not keep_case, timed, file
        self._word_by_word = timed and _TIMED_KINDS[side] == "ctm"
        self._by_first: dict[str, list[MappingRule]] = {}
        for rule in file.rules:
            if rule.source:
                keyed = rule._replace(**{n: self._key(getattr(rule, n)) for n in ("source", "before", "after")})
                self._by_first.setdefault(keyed.source[0], []).append(keyed)
        self._context = max((len(rule.before) for rule in file.rules), default=0)
        self._numbers: dict[tuple[str, str], int] = {}
        self._states: list[tuple[str, str]] = []
        self._outputs: dict[MappingRule, tuple[str, ...]] = {}

    def __reduce__(self) -> tuple[Callable[..., MappingRules], tuple[str, str]]:
        """Pickle only the file's name and options: workers read the file again, and compute the steps they need."""
        return partial(MappingRules, keep_case=not self._upper, timed=self._timed), (self.where, self._side)

    def _key(self, text: str) -> str:
        """Return the text for comparisons with rules: in upper case, unless rules are case-sensitive."""
        return text if self._file.case_sensitive else text.translate(_UPPER)

    def _compute_steps(self, state: int, word: str) -> Iterator[Step]:
        if state == AFTER:
            return
        if self._word_by_word:
            # A line of a ctm has one word; csrfilt puts one space before and after it.
            _, _, parts = self._applied("", f" {word.translate(_UPPER) if self._upper else word} ", at_end=True)
            for text in self._texts(parts, word):
                output = (text + " ").encode("utf-8", "surrogatepass")
                yield from (Step(AFTER, output, 0.0), Step(0, output, 0.0))
            return
        # csrfilt puts two spaces before and after each text.
        seen, pending = ("", "  ") if state == BEFORE else self._states[state]
        pending += word.translate(_UPPER) if self._upper else word
        for following, at_end in (("  ", True), (" ", False)):
            seen_now, left, parts = self._applied(seen, pending + following, at_end=at_end)
            key = seen_now[len(seen_now) - self._context :] if self._context else "", left
            if not at_end and key not in self._numbers:
                self._numbers[key] = len(self._states)
                self._states.append(key)
            for text in self._texts(parts, word):
                end = text + " " if at_end else text
                yield Step(AFTER if at_end else self._numbers[key], end.encode("utf-8", "surrogatepass"), 0.0)

    def _applied(self, seen: str, text: str, *, at_end: bool) -> tuple[str, str, list[tuple[str, ...]]]:
        """Apply rules to `text`, which follows the text `seen`; stop where more text is needed to choose a rule.

        Return three values: the text before the stop (with `seen`), the text after the stop, and the parts of the
        output. A part is a tuple of the alternatives that a rule writes, or of one character that no rule replaces.
        """
        parts: list[tuple[str, ...]] = []
        all_read, at = seen + text, len(seen)
        keyed = self._key(all_read)
        while at < len(all_read):
            for rule in self._by_first.get(keyed[at], ()):
                needed = rule.source + rule.after
                if not keyed.endswith(rule.before, 0, at):
                    continue
                if keyed.startswith(needed, at):
                    parts.append(self._written(rule))
                    at += len(rule.source)
                    break
                if not at_end and needed.startswith(keyed[at:]):
                    return all_read[:at], all_read[at:], parts
            else:
                parts.append((all_read[at] if self._file.copy_no_hit else "",))
                at += 1
        return all_read, "", parts

    def _written(self, rule: MappingRule) -> tuple[str, ...]:
        if rule not in self._outputs:
            with placed(rule.where):
                texts = dict.fromkeys(alternatives(rule.output))
            self._outputs[rule] = tuple(text.translate(_UPPER) if self._upper else text for text in texts)
        return self._outputs[rule]

    def _texts(self, parts: list[tuple[str, ...]], word: str) -> Iterable[str]:
        """Return all texts with one alternative of each part; white space is normalized, and duplicates are removed."""
        ways = 1
        for part in parts:
            ways *= len(part)
        if ways > MOST_WAYS:
            raise InputError(
                f"the rules rewrite '{word}' to more than {MOST_WAYS} texts",
                where=self.where,
                advice="give the rules fewer alternatives",
            )
        return dict.fromkeys(_WHITE.sub(" ", "".join(chosen)) for chosen in product(*parts))


class SplitHyphens(Rewriter):
    """Replaces hyphens inside words by spaces."""

    def _compute_steps(self, state: int, word: str) -> Iterator[Step]:
        if state != AFTER:
            output = _HYPHEN.sub(r"\1 ", word).encode("utf-8", "surrogatepass") + b" "
            yield from (Step(AFTER, output, 0.0), Step(0, output, 0.0))


def alternatives(text: str) -> list[str]:
    """Return all texts that `text` stands for: `{a / b}` are alternatives, `(c)` is optional, `@` is no word.

    Raises:
        InputError: A bracket is not closed, or there are too many texts.
    """
    return _sequence(text, iter(re.findall(r"[{}()/]|[^{}()/]+", text)), "")


_CLOSING = {"{": "}", "(": ")"}


def _sequence(text: str, parts: Iterator[str], closing: str) -> list[str]:
    """Read `parts` up to the bracket `closing`; return all texts that they stand for.

    In braces, slashes separate alternatives.
    """
    done: list[str] = []
    texts = [""]
    for part in parts:
        if part in _CLOSING:
            texts = _joined(texts, _sequence(text, parts, _CLOSING[part]))
        elif part == closing:
            return [*done, *texts]
        elif part == "/" and closing == "}":
            done, texts = [*done, *texts], [""]
        elif closing == ")":
            for word in part.split():
                texts = _joined(texts, [f" {word} ", ""])
        else:
            texts = _joined(texts, [_NO_WORD.sub("", part)])
    if closing:
        advice = f"add {closing}; if the file has it, end the rule with / [] __ [] (the last slash begins a context)"
        raise InputError(f"{closing} is missing in the output '{text}' of the rule", advice=advice)
    return texts


def _joined(heads: list[str], tails: list[str]) -> list[str]:
    if len(heads) * len(tails) > MOST_WAYS:
        raise InputError(f"the rule writes more than {MOST_WAYS} texts", advice="give the rule fewer alternatives")
    return [head + tail for head in heads for tail in tails]


def options_of(name: str, given: str) -> dict[str, bool]:
    """Read options after a colon, as in `rules.glm:KEEP_CASE+SPLIT_HYPHENS`.

    Args:
        name: The text before the colon, for errors.
        given: The text after the colon.

    Returns:
        True or False for the name of each option.
    """
    known = (KEEP_CASE, SPLIT_HYPHENS, TIMED)
    names = given.split("+") if given else []
    if unknown := [one for one in names if one not in known]:
        raise UsageError(f"there is no option '{unknown[0]}' of {name}", advice=f"choose among {', '.join(known)}")
    return {one: one in names for one in known}
