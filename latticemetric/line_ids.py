"""Decide whether lines of text begin with ids, as in Kaldi's `text`: one rule for all readers of several files.

`docs/score.md` states the rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from latticemetric.cached import cached_property
from latticemetric.errors import FormatError, shortened
from latticemetric.likeness import Names
from latticemetric.vocabulary import split_words

LineStyle = Literal["auto", "plain", "keyed"]
"""`keyed` if lines begin with ids, `plain` if not; `auto` to compare the lines of all files."""

_NUMBER = re.compile(r"[0-9]+")
_JOINED = r"\w_\w|\d-\d|\.(?i:wav|flac|mp3|m4a|ogg|opus|sph)$"
# utt_1, 121-127105-0003, ann.wav; A01
_SURELY_AN_ID = re.compile(_JOINED)
_LIKE_AN_ID = re.compile(rf"{_JOINED}|[^\W\d_][-.:]?\d|\d[-.:]?[^\W\d_]|^0\d")
_LETTERS = re.compile(r"[^\W\d_]+")

_FEWEST_IDS = 2
_FEWEST_NUMBERS = 3  # two lines may begin with 1 and 2 by chance
_FEW = 10  # fewer ids must also be alike, since words like 2nd or B2B look like ids
_USUAL = 10  # a look of every tenth word is usual
_MANY = 30  # so many lines do not begin with the same different words by chance
_SHOWN = 3
_ADVICE = 'make the ids equal; or give style="plain" if lines begin with words'


def are_like_ids(words: Sequence[str]) -> bool:
    """Check whether most words are distinct and look like ids (letters with digits), or all are distinct numbers."""
    if all(word.isdecimal() for word in words):
        return len(set(words)) == len(words)
    like = sum(_LIKE_AN_ID.search(word) is not None for word in words)
    return 2 * len(set(words)) > len(words) and 2 * like > len(words)


def listed_names(names: Sequence[str]) -> str:
    """Return the first three names, in quotes."""
    more = ", …" if len(names) > _SHOWN else ""
    return ", ".join(f"'{shortened(name, 40)}'" for name in names[:_SHOWN]) + more


@dataclass(frozen=True)
class Lines:
    """The lines of a file, as texts or as words, that may begin with ids."""

    name: str
    lines: Sequence[str | Sequence[str]]

    def words(self) -> Iterator[Sequence[str]]:
        """Yield the words of each line."""
        return (split_words(line) if isinstance(line, str) else line for line in self.lines)

    @cached_property
    def firsts(self) -> list[str]:
        """The first word of each line that is not empty."""
        return self._beginnings[0]

    @cached_property
    def _beginnings(self) -> tuple[list[str], int]:
        """The first words, and the number of lines that have further words."""
        firsts, longer = [], 0
        for words in self.words():
            if words:
                firsts.append(words[0])
                longer += len(words) > 1
        return firsts, longer

    def different_at(self, at: int) -> tuple[str, ...]:
        """Return the first (0) or last (-1) word of each line; nothing if two lines have the same."""
        found: dict[str, None] = {}
        for words in filter(None, self.words()):
            if words[at] in found:  # soon in texts, so this takes no time
                return ()
            found[words[at]] = None
        return tuple(found)

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The different first words."""
        return frozenset(self.firsts)

    @property
    def folded(self) -> set[str]:
        """The different first words, without case."""
        return set(map(str.casefold, self.distinct))

    @property
    def have_texts(self) -> bool:
        """True if at least half of the lines that are not empty have words after the first."""
        firsts, longer = self._beginnings
        return 2 * longer >= len(firsts)

    @property
    def is_unique(self) -> bool:
        """True if no two lines begin with the same word."""
        return len(self.distinct) == len(self.firsts) > 0

    @cached_property
    def seem_keyed(self) -> bool:
        """True if these lines alone seem to begin with ids, and at least half of them have words, too."""
        firsts = self.firsts
        if len(firsts) < _FEWEST_IDS or not self.have_texts:
            return False
        if all(word.isdecimal() for word in firsts):
            is_text = any(not word.isdecimal() for line in self.words() for word in line)
            return is_text and len(firsts) >= _FEWEST_NUMBERS and self._are_consecutive()
        return are_like_ids(firsts) and (len(firsts) >= _FEW or self._are_alike()) and self._stand_out()

    def _are_consecutive(self) -> bool:
        numbers = set(map(int, self.firsts)) if max(map(len, self.firsts)) < len(str(2**53)) else set()
        return self.is_unique and len(numbers) == max(numbers, default=0) - min(numbers, default=0) + 1

    def _are_alike(self) -> bool:
        """Check whether most first words differ only in their numbers, or are joined as ids are."""
        joined = sum(_SURELY_AN_ID.search(word) is not None for word in self.firsts)
        return 2 * max(joined, *Counter(map(_shape, self.firsts)).values()) > len(self.firsts)

    def _stand_out(self) -> bool:
        """Check whether the first words look unlike the others: all words of pinyin (ni3 hao3) look like ids."""
        others = Counter(word for words in self.words() for word in words[1:])
        usual = _usual(others, _form)
        if 2 * sum(_form(word) not in usual for word in self.firsts) > len(self.firsts):
            return True
        shape, count = Counter(map(_shape, self.firsts)).most_common(1)[0]
        return 2 * count > len(self.firsts) and shape not in _usual(others, _shape)


def _shape(word: str) -> str:
    """Return a word with each number as 0: utt0 for utt12."""
    return _NUMBER.sub("0", word)


def _form(word: str) -> str:
    """Return a word with each number as 0, and letters beside each other as a: a0 for utt12 and hao3."""
    return _LETTERS.sub("a", _shape(word))


def _usual(words: Counter[str], look: Callable[[str], str]) -> set[str]:
    """Return the looks that at least a tenth of the words have."""
    looks = Counter[str]()
    for word, count in words.items():
        looks[look(word)] += count
    return {one for one, count in looks.items() if _USUAL * count >= looks.total()}


@dataclass(frozen=True)
class Ids:
    """The ids of a file whose format has ids."""

    name: str
    ids: Collection[str]


@dataclass(frozen=True)
class Verdict:
    """Tells whether lines begin with ids.

    Attributes:
        keyed: True if they do.
        place: The file that shows it.
        what: What to tell users: the rule found ids, or is not sure that there are none.
        advice: What to do if the rule is wrong.
    """

    keyed: bool
    place: str = ""
    what: str = ""
    advice: str = ""

    @property
    def note(self) -> str:
        """The note for users: the rule, and what to do if it is wrong."""
        return f"{self.what}; {self.advice}" if self.what else ""


def judge_lines(files: Sequence[Lines], known: Sequence[Ids] = (), *, may_lack: bool = False) -> Verdict:
    """Decide whether the lines of all files begin with ids.

    Args:
        files: Files with lines of text.
        known: The ids of further files with the same utterances; their formats have ids.
        may_lack: True if a file may lack utterances of the others.

    Raises:
        FormatError: The lines of a file seem to begin with ids, but other files have other ids, or none.
    """
    if not files:
        return Verdict(keyed=False)
    if known:
        return _judge_by_ids(files, known)
    if may_lack and _lack_few(files):
        return _keyed(files[0], _others(files))
    verdict = _judge_by_lines(files)
    return verdict if verdict.what else _ids_at_one_end(files) or verdict


def judge_by_names(file: Lines, names: Sequence[str], owner: str) -> bool:
    """Decide whether lines begin with the ids of other things, such as graphs.

    Args:
        file: The lines.
        names: The ids; none if the others have no ids, but an order.
        owner: What has these ids, for the error.

    Raises:
        FormatError: The lines seem to begin with ids, but with other ones, or the others have no ids.
    """
    if names:
        return _judge_by_ids([file], [Ids(owner, names)]).keyed
    if file.seem_keyed:
        what = f"lines seem to begin with ids ({listed_names(file.firsts)}), but {owner} have no ids"
        raise FormatError(what, where=file.name, advice='remove the ids; or give style="plain" if they are words')
    return False


def are_positions(names: Sequence[str]) -> bool:
    """Check whether names count from 0 or 1, as if they were no ids."""
    return any(list(names) == [str(number) for number in range(start, start + len(names))] for start in (0, 1))


def _judge_by_ids(files: Sequence[Lines], known: Sequence[Ids]) -> Verdict:
    ids = dict.fromkeys(name for one in known for name in one.ids)
    folded = set(map(str.casefold, ids))
    lacking = [file for file in files if not file.distinct.issuperset(ids)]
    if not lacking:
        return _keyed(files[0], known[0].name)
    for file in lacking:
        common = len(file.folded & folded)
        if file.seem_keyed or len(lacking) < len(files) or (common and 2 * common >= len(folded)):
            raise mismatch(file.name, file.firsts, known[0].name, list(ids))
    return Verdict(keyed=False)


def _judge_by_lines(files: Sequence[Lines]) -> Verdict:
    seeming = next((file for file in files if file.seem_keyed), None)
    for file in files:
        if seeming is not None and file.distinct != seeming.distinct:
            raise mismatch(seeming.name, seeming.firsts, file.name, file.firsts)
    first = files[0]
    if len(files) == 1 or any(file.distinct != first.distinct for file in files):
        is_recased = len(files) > 1 and all(file.folded == first.folded for file in files)
        is_doubtful = (is_recased and are_like_ids(first.firsts)) or _are_single_ids(files)
        return _doubt(files) if is_doubtful else Verdict(keyed=False)
    if seeming is not None:
        return _keyed(seeming, _others(files))
    if not all(file.is_unique for file in files) or not any(file.have_texts for file in files):
        return Verdict(keyed=False)
    is_permuted = any(file.firsts != first.firsts for file in files)
    if is_permuted and _more_in_common_by_key(files):
        return _keyed(first, _others(files))
    if is_permuted or len(first.firsts) >= _MANY or are_like_ids(first.firsts):
        return _doubt(files)
    return Verdict(keyed=False)


def _lack_few(files: Sequence[Lines]) -> bool:
    """Check whether all files seem to begin with ids, each once, and share most of them with another file."""
    seeming = frozenset(name for file in files if file.seem_keyed for name in file.distinct)
    if not all(file.is_unique and (file.seem_keyed or file.distinct <= seeming) for file in files):
        return False
    number = Counter(name for file in files for name in file.distinct)
    if len(set(map(str.casefold, number))) < len(number):
        return False
    return all(2 * sum(number[name] > 1 for name in file.distinct) > len(file.distinct) for file in files)


def _others(files: Sequence[Lines]) -> str:
    return "the other file" if len(files) == 2 else "the other files"  # noqa: PLR2004


def _are_single_ids(files: Sequence[Lines]) -> bool:
    """Check whether each file is one line, and the lines begin with ids that differ only in their numbers."""
    if not all(len(file.firsts) == 1 and file.have_texts for file in files):
        return False
    names = {file.firsts[0] for file in files}
    shapes = set(map(_shape, names))
    return len(names) > 1 and len(shapes) == 1 and shapes != {"0"} and are_like_ids(list(names))


def _doubt(files: Sequence[Lines]) -> Verdict:
    which = "both files" if len(files) == 2 else "all files"  # noqa: PLR2004
    if _are_single_ids(files):
        names = listed_names([file.firsts[0] for file in files])
        what = f"the lines of {which} begin with {names}, which count as words"
    else:
        what = f"the lines of {which} begin with the same words ({listed_names(files[0].firsts)}), which count as words"
    advice = 'if they are ids, give style="keyed", otherwise style="plain"'
    return Verdict(keyed=False, place=files[0].name, what=what, advice=advice)


def _ids_at_one_end(files: Sequence[Lines]) -> Verdict | None:
    """Return a doubt if each line of a file has another word at one end, which may be its id in an unknown form."""
    for at, end in ((0, "begin"), (-1, "end")):
        for file in files:
            if not (outer := file.different_at(at)):
                continue
            others = [one for one in files if one is not file]
            lacking = next((one for one in others if _lacks(one, file, outer, at)), None)
            if lacking is not None:
                return _doubt_of_outer(file, outer, end, f"unlike {lacking.name}")
            is_number = at == -1 and len(outer) >= _FEWEST_NUMBERS and are_like_ids(outer)
            if is_number and others and all(one.different_at(at) == outer for one in others):
                return _doubt_of_outer(file, outer, end, f"as in {_others(files)}")
    return None


def _doubt_of_outer(file: Lines, outer: Sequence[str], end: str, which: str) -> Verdict:
    lines, count = (f"the line {end}s", "counts as a word") if len(outer) == 1 else (f"lines {end}", "count as words")
    what = f"{lines} with {listed_names(outer)}, {which}, which {count}"
    advice = 'if they are ids, remove them or write them first in all files, otherwise give style="plain"'
    return Verdict(keyed=False, place=file.name, what=what, advice=advice)


def _lacks(other: Lines, file: Lines, outer: Collection[str], at: int) -> bool:
    """Check whether most lines of a file are nearer to those of another one without their first or last words."""
    if len(other.lines) != len(file.lines) or (len(outer) < _FEWEST_IDS and not are_like_ids(list(outer))):
        return False
    inner = 1 if at == 0 else -2
    both = zip(file.words(), other.words(), strict=True)
    same = sum(len(words) > 1 and len(others) > 0 and words[inner] == others[at] for words, others in both)
    return 2 * same > len(outer) and all(map(set(outer).isdisjoint, other.words()))


def _keyed(file: Lines, others: str) -> Verdict:
    what = f"lines begin with ids ({listed_names(file.firsts)}), as in {others}: texts are paired by them"
    advice = 'if they are words of the text, give style="plain"'
    return Verdict(keyed=True, place=file.name, what=what, advice=advice)


def _more_in_common_by_key(files: Sequence[Lines]) -> bool:
    """Check whether the texts after the first words have more words in common by first word than by position."""
    first = files[0]
    bags = [Counter(line[1:]) for line in first.words()]
    by_key = {line[0]: bag for line, bag in zip(first.words(), bags, strict=True) if line}
    keyed = plain = 0
    for file in files[1:]:
        for number, line in enumerate(file.words()):
            own = Counter(line[1:])
            plain += (own & bags[number]).total() if number < len(bags) else 0
            keyed += (own & by_key[line[0]]).total() if line else 0
    return keyed > plain


def mismatch(one: str, ids: Sequence[str], other: str, others: Sequence[str], *, advice: str = _ADVICE) -> FormatError:
    """Return the error of lines that begin with other ids than another file; it shows three ids of each side."""
    here, there = dict.fromkeys(ids), dict.fromkeys(others)
    lacking = [name for name in here if name not in there]
    missing = [name for name in there if name not in here]
    what = f"lines seem to begin with ids, but the ids are not those of {other}: "
    what += f"only here: {listed_names(lacking) or 'none'}; only there: {listed_names(missing) or 'none'}"
    if {name.casefold() for name in lacking} & {name.casefold() for name in missing}:
        what += " (some differ only in case)"
    elif (meant := Names(missing).like(lacking[0] if lacking else "")) is not None:
        advice = f"did you mean '{shortened(meant)}' by '{shortened(lacking[0])}'? {advice}"
    return FormatError(what, where=one, advice=advice)
