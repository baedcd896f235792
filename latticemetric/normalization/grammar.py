"""Load grammars (rule archives, NIST mapping rules, Whisper's normalizers); normalize texts and graphs with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np

from latticemetric.errors import InputError, UsageError, placed, shortened
from latticemetric.formats.openfst.binary import extents_of
from latticemetric.formats.streams.stream import open_stream
from latticemetric.graph import Graph, as_lattice
from latticemetric.lattice import fst_binary
from latticemetric.lattice.columns import weights_under
from latticemetric.lattice.lattice import Column, Lattice, Weights
from latticemetric.nbest import Hypothesis, NBest
from latticemetric.normalization.application import apply_rule
from latticemetric.normalization.distinct import distinct_texts
from latticemetric.normalization.glm import KEEP_CASE, SPLIT_HYPHENS, TIMED, MappingRules, SplitHyphens, options_of
from latticemetric.normalization.optional_words import with_brackets, without_brackets
from latticemetric.normalization.rule import Rewriter, Rule
from latticemetric.normalization.shipped import compiled, no_such_grammar, shipped_grammars
from latticemetric.normalization.whisper import WHISPER
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, listed_words, split_words

BOTH_SIDES = "NORMALIZE"
"""The default rule; it rewrites every text."""

REFERENCES = "ALTERNATIVES"
"""The optional rule that adds alternatives to references."""

MOST_TEXTS = 10_000
"""The largest number of paths of a graph whose texts are rewritten one by one."""


@overload
def normalize(text: str, grammar: str | Grammar = "english", *, weights: Weights | None = None) -> str: ...


@overload
def normalize(text: Graph, grammar: str | Grammar = "english", *, weights: Weights | None = None) -> Lattice: ...


@says_new_keywords
def normalize(
    text: str | Graph, grammar: str | Grammar = "english", *, weights: Weights | None = None
) -> str | Lattice:
    """Rewrite a text, or all texts of a graph, with a grammar.

    A graph keeps its scores; weights of the rules become the score column `grammar`. If a word becomes several words,
    the first of them gets the scores of the word. If a word is deleted, an arc without a word gets its scores.

    The result of an n-best list keeps the order of the list. It has one path for each hypothesis or, if the grammar
    rewrites a hypothesis to several texts, one path for each of these texts.

    Args:
        text: A text, a lattice or an n-best list.
        grammar: A shipped grammar (`english`), one of its rules (`english:LOWER_CASE`), an archive of pynini
            (`rules.far:RULE`), NIST's mapping rules (`rules.glm`), or a normalizer of Whisper (`whisper-en`).
        weights: Weights of score columns, which the result stores as the weights of its columns; columns that are not
            named keep their default weight. An n-best list keeps only the scores that are named here, and scores with a
            nonzero weight. A lattice keeps all scores.

    Raises:
        UsageError: The grammar does not exist, or does not have the rule.
        InputError: The grammar rejects a text, writes more than 10,000 texts for an n-best list, or `weights` names a
            column that the result does not have.

    Examples:
        >>> lattice = Lattice.from_strings(["It's late"], costs=[3.0])
        >>> [
        ...     (path.words, path.cost)
        ...     for path in normalize(lattice, "english:LOWER_CASE", weights={"cost": 0.5}).paths()
        ... ]
        [(("it's", 'late'), 1.5)]
    """
    rules = find_grammar(grammar) if isinstance(grammar, str) else grammar
    if isinstance(text, str):
        return " ".join(rules.text(split_words(text)))
    lattice = as_lattice(text, weights)
    rewritten = rules.lattice(lattice)
    rewritten = _listed(rewritten, rules.name) if lattice.ranked else rewritten
    weights = weights_under({name: column.weight for name, column in rewritten.scores.items()}, weights)
    columns = {name: replace(column, weight=weights[name]) for name, column in rewritten.scores.items()}
    return replace(rewritten, scores=columns)


def _listed(lattice: Lattice, name: str) -> Lattice:
    """Return rewritten hypotheses as an n-best list (`ranked`) in the old order; `name` names the grammar in errors."""
    if np.bincount(lattice.source)[1:].max(initial=0) <= 1:  # each first arc begins one path
        return replace(lattice, ranked=True)
    paths = lattice.statistics().paths
    if paths is None or paths > MOST_TEXTS:
        raise InputError(
            f"{name} writes more than {MOST_TEXTS} texts for an n-best list",
            advice="give the rules fewer alternatives, or the list fewer hypotheses",
        )
    hypotheses = tuple(Hypothesis(path.words, lattice.scores_along(path.arcs)) for path in lattice.paths())
    weights = {name: column.weight for name, column in lattice.scores.items()}
    return NBest(hypotheses, weights).to_lattice()


@says_new_keywords
def normalize_reference(text: str | Graph, grammar: str | Grammar = "english") -> Lattice:
    """Return all forms of a normalized reference as a lattice without scores, with one path per text.

    Args:
        text: A text, or a graph of alternatives.
        grammar: A grammar, as for `normalize`. If it has a rule `ALTERNATIVES`, this rule is applied, too.
    """
    rules = find_grammar(grammar) if isinstance(grammar, str) else grammar
    return rules.reference(split_words(text) if isinstance(text, str) else as_lattice(text))


@dataclass(frozen=True, eq=False)
class Grammar:
    """The rules that normalize texts.

    Attributes:
        name: The name of the grammar, as for `find_grammar`.
        rules: The rules that rewrite every text, in order.
        alternatives: The rule that adds alternatives to the rewritten text of a reference; `None` if there is none.
        reference_rules: The rules for references; empty if they are the same as `rules`.
    """

    name: str
    rules: tuple[Rewriter, ...]
    alternatives: Rewriter | None = None
    reference_rules: tuple[Rewriter, ...] = ()

    def lattice(self, lattice: Lattice) -> Lattice:
        """Return the lattice of rewritten texts, with their scores."""
        for rule in self.rules:
            lattice = apply_rule(rule, lattice)
        return lattice

    def text(self, words: Sequence[str]) -> tuple[str, ...]:
        """Rewrite a text; return the result with the lowest weight.

        Raises:
            InputError: The grammar rejects the text, or several results have the lowest weight.
        """
        text = self.hypothesis(words)
        if isinstance(text, Lattice):
            raise InputError(
                f"the rule rewrites '{shortened(' '.join(words))}' to several texts with the same weight",
                where=self.rules[0].where,
                advice="give all but one of these texts a weight, let the grammar write several texts only for "
                "references, or use sclite or lattice-oracle, which accept several texts for a hypothesis",
            )
        return text

    @property
    def readings_of_text(self) -> str | None:
        """Return the word of signatures for references that `text` rewrote to one of several readings; else `None`."""
        return "one"

    def hypothesis(self, text: Lattice | Sequence[str]) -> Lattice | tuple[str, ...]:
        """Rewrite a hypothesis; return the text with the lowest weight.

        If several texts have the lowest weight, return a lattice of these texts.
        """
        graph = self.rewritten(text, self.rules)
        if not isinstance(graph, Lattice):
            return graph
        graph = graph.pruned(0.0)
        only = only_text(graph)
        return distinct_texts(graph) if only is None else only

    def rewritten(self, text: Lattice | Sequence[str], rules: Sequence[Rewriter]) -> Lattice | tuple[str, ...]:
        """Apply rules in order. A text stays a text until a rule may write several texts."""
        graph = text if isinstance(text, Lattice) else listed_words(text)
        for rule in rules:
            if not isinstance(graph, Lattice):
                sole = rule.sole_text(graph)
                graph = Lattice.from_strings([graph]) if sole is None else sole
            graph = apply_rule(rule, graph) if isinstance(graph, Lattice) else graph
        return graph

    def reference(self, reference: Lattice | Sequence[str]) -> Lattice:
        """Return all forms of a reference as a lattice without scores, with one path per text."""
        rules = self.reference_rules or self.rules
        if self.alternatives is not None:
            rules = (*rules, self.alternatives)
        graph = self._reference(reference, rules)
        if not isinstance(graph, Lattice):
            return Lattice.from_strings([graph])
        text = only_text(graph)
        return distinct_texts(graph) if text is None else Lattice.from_strings([text])

    def _reference(self, text: Lattice | Sequence[str], rules: Sequence[Rewriter]) -> Lattice | tuple[str, ...]:
        return self.rewritten(text, rules)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle the name only: a worker has the archive in its cache, or reads it once.
        return find_grammar, (self.name,)


@dataclass(frozen=True, eq=False)
class MappingGrammar(Grammar):
    """NIST's mapping rules. If an optional word of a reference becomes several words, each of these is optional."""

    def _reference(self, text: Lattice | Sequence[str], rules: Sequence[Rewriter]) -> Lattice | tuple[str, ...]:
        if not isinstance(text, Lattice):
            return self.rewritten(text, rules)
        graph = self.rewritten(with_brackets(text), rules)
        return without_brackets(graph) if isinstance(graph, Lattice) else graph


@dataclass(frozen=True, eq=False)
class TextGrammar(Grammar):
    """A grammar whose function `rewrite` rewrites whole texts, such as Whisper's normalizers.

    The function is not a transducer, so the texts of a graph are rewritten one by one.
    """

    rules: tuple[Rule, ...] = ()
    rewrite: Callable[[str], str] = str

    def text(self, words: Sequence[str]) -> tuple[str, ...]:
        """Rewrite a text."""
        return tuple(split_words(self.rewrite(" ".join(words))))

    def rewritten(self, text: Lattice | Sequence[str], rules: Sequence[Rewriter]) -> Lattice | tuple[str, ...]:
        """Rewrite a text, or all texts of a graph; `rules` is empty."""
        if isinstance(text, Lattice):
            return super().rewritten(self.lattice(text), rules)
        return super().rewritten(self.text(text), rules)

    @property
    def readings_of_text(self) -> str | None:
        """Return `None`, since a text is always rewritten to one text."""
        return None

    def lattice(self, lattice: Lattice) -> Lattice:
        """Return a lattice with a rewritten path for each path; the first arc of a path has all scores of the path.

        The result has no labels and no times, since words may move.
        """
        paths = lattice.statistics().paths
        if paths is None or paths > MOST_TEXTS:
            many = "more" if paths is None else paths
            raise InputError(
                f"{self.name} rewrites at most {MOST_TEXTS} whole texts, but the graph has {many} paths",
                advice='use n-best lists, or normalize="english", which rewrites graphs',
            )
        rows = [(self.text(path.words), lattice.scores_along(path.arcs)) for path in lattice.paths()]
        vocabulary = Vocabulary.from_words(word for words, _ in rows for word in words)
        columns: list[tuple[int, int, int]] = []
        costs: dict[str, list[float]] = {name: [] for name in lattice.scores}
        # State 0 begins all texts, state 1 ends them; a text without words is an arc without a word.
        state = 2
        for words, along in rows:
            here = 0
            for place, word in enumerate(vocabulary.encode(words) if words else [EPSILON], start=1):
                there = 1 if place >= len(words) else state
                state += there != 1
                columns.append((here, there, int(word)))
                for name, cost in along.items():
                    costs[name].append(0.0 if here else cost)
                here = there
        scores = {n: Column(np.array(costs[n]), np.zeros(1), column.weight) for n, column in lattice.scores.items()}
        return Lattice.from_arcs(*zip(*columns, strict=True), final=[1], scores=scores, vocabulary=vocabulary)


def find_grammar(name: str) -> Grammar:
    """Return a grammar by name: `english`, `english:LOWER_CASE`, `rules.far`, `rules.far:RULE`.

    If the name has no rule, the rule `NORMALIZE` (or the only rule of the archive) rewrites all texts. Then, if the
    archive has a rule `ALTERNATIVES`, this rule rewrites references. After a rule `R`, the rules `R_2`, `R_3` and so on
    are applied, too, if the archive has them.

    Other names are:

    - Whisper's normalizers: `whisper-en`, `whisper-basic`, `whisper-basic:REMOVE_DIACRITICS`;
    - files of NIST's mapping rules: `rules.glm`. The options `KEEP_CASE`, `SPLIT_HYPHENS` and `TIMED` may follow a
      colon, as in `rules.glm:KEEP_CASE+SPLIT_HYPHENS`.
    """
    if name in WHISPER:
        return TextGrammar(name, rewrite=WHISPER[name][1])
    source, rule = _parts(name)
    file = Path(source)
    # Read the archive again if it has changed.
    stamp = (file.stat().st_mtime_ns, file.stat().st_size) if file.is_file() else None
    return _loaded(name, source, rule, stamp)


@lru_cache(maxsize=8)
def _loaded(name: str, source: str, rule: str, _stamp: tuple[int, int] | None) -> Grammar:
    if is_glm(source):
        return _mapping(name, source, rule)
    machines = {key: (machine, at) for key, machine, at in rule_archive(source)}
    names = list(machines)
    with_alternatives = not rule and REFERENCES in machines
    rule = rule or (names[0] if len(names) == 1 else BOTH_SIDES)
    if rule not in machines:
        raise UsageError(f"there is no rule '{rule}' in {source}", advice=f"its rules are {', '.join(names) or 'none'}")

    def loaded(key: str) -> Rule:
        machine, at = machines[key]
        with placed(f"{source}:{key}"):
            return Rule(fst_binary.decode(machine, base=at)[0], f"{source}:{key}")

    following = takewhile(machines.__contains__, (f"{rule}_{number}" for number in count(2)))
    rules = tuple(map(loaded, (rule, *following)))
    return Grammar(name, rules, loaded(REFERENCES) if with_alternatives and rule != REFERENCES else None)


def is_glm(source: str) -> bool:
    """Check whether a name is a file of NIST's mapping rules (GLM)."""
    return Path(source).suffix == ".glm"


def _mapping(name: str, source: str, options: str) -> Grammar:
    """Return the grammar of a file of NIST's mapping rules; `options` is the text after the colon of its name."""
    given = options_of(source, options)
    after = (SplitHyphens(source),) if given[SPLIT_HYPHENS] else ()
    output, reference = (
        (MappingRules(source, side, keep_case=given[KEEP_CASE], timed=given[TIMED]), *after) for side in ("hyp", "ref")
    )
    return MappingGrammar(name, output, reference_rules=reference)


class RuleSize(NamedTuple):
    """The name of a rule, and the numbers of states and arcs of its machine."""

    name: str
    states: int
    arcs: int


def rule_sizes(source: str) -> list[RuleSize]:
    """Return the sizes of the rules of a grammar, given by name or file."""
    machines = [(name, fst_binary.decode(machine, base=at)[0]) for name, machine, at in rule_archive(source)]
    return [RuleSize(name, len(arrays.final), len(arrays.source)) for name, arrays in machines]


def rule_archive(source: str) -> list[tuple[str, bytes, int]]:
    """Return the name, the machine and the offset in the archive of each rule of a grammar, given by name or file."""
    if source in shipped_grammars():
        archive = compiled(source)
    elif not Path(source).exists() and Path(source).suffix != ".far":
        raise no_such_grammar(source)
    else:
        with open_stream(source) as stream:
            archive = stream.read()
    with placed(source):
        return [(name, archive[begin:end], begin) for name, begin, end in extents_of(archive)]


def _parts(name: str) -> tuple[str, str]:
    """Split a name into the source and the rule, which may be empty."""
    source, colon, rule = name.rpartition(":")
    return (source, rule) if colon and not Path(name).exists() else (name, "")


def grammar_file(name: str) -> str | None:
    """Return the file of a grammar; `None` for a grammar of this package."""
    source, _ = _parts(name)
    return None if name in WHISPER or source in shipped_grammars() else source


def only_text(lattice: Lattice) -> tuple[str, ...] | None:
    """Return the text of a lattice if all paths have the same text; `None` if there are several texts."""
    # If two different beginnings of texts reach a state, they have the same continuations there, so whole texts differ.
    # A beginning is a number, that of the shorter beginning and its last word; 0 is the empty one.
    beginnings: dict[tuple[int, int], int] = {}
    begun: list[int | None] = [0, *[None] * (lattice.num_states - 1)]
    arcs = zip(lattice.source.tolist(), lattice.target.tolist(), lattice.word.tolist(), strict=True)
    for source, target, word in arcs:
        text = begun[source]
        assert text is not None
        text = beginnings.setdefault((text, word), len(beginnings) + 1) if word else text
        if begun[target] not in (None, text):
            return None
        begun[target] = text
    ends = {begun[state] for state in lattice.final.tolist()}
    end = ends.pop() if len(ends) == 1 else None
    return None if end is None else _spelled(list(beginnings), end, lattice.vocabulary)


def _spelled(beginnings: Sequence[tuple[int, int]], end: int, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the words of the beginning `end`; each beginning (from 1) is a shorter one and its last word."""
    words = []
    while end:
        end, word = beginnings[end - 1]
        words.append(vocabulary.word(word))
    return tuple(reversed(words))
