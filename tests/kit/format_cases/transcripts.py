"""NIST transcripts: trn, STM and CTM."""

import itertools

import numpy as np
from hypothesis import strategies as st

import latticemetric as lm
from kit.formats import Broken, Case, rebuilt

WORDS = ["a", "b", "1984", "it's", 'say"so"', "th-", "-ing", "a,b", "<unk>", "été", "日本", "x:", "a;b", "**"]

# --- Expressions and what they mean, by a definition of their own

_words = st.sampled_from(WORDS).map(lambda word: ("word", word))
_options = st.sampled_from(WORDS).map(lambda word: ("option", word))
_nothing = st.just(("nothing", ""))


def _sequences(items, smallest=0):
    return st.lists(items, min_size=smallest, max_size=4).map(tuple)


def _with_forks(items):
    branches = st.lists(_sequences(items, 1), min_size=1, max_size=3).map(tuple)
    return st.one_of(items, st.tuples(st.just("fork"), branches))


flat_items = st.one_of(_words, _words, _options, _nothing)
expressions = _sequences(st.recursive(flat_items, _with_forks, max_leaves=12))


def text_of(expression) -> str:
    return " ".join(map(_text_of_item, expression))


def _text_of_item(item) -> str:
    kind, value = item
    if kind == "fork":
        return "{ " + " / ".join(map(text_of, value)) + " }"
    escaped = value.replace(";", "\\;")
    return {"word": escaped, "option": f"({escaped})", "nothing": "@"}[kind]


def strings_of(expression) -> list[tuple[str, ...]]:
    """Every string of an expression, as often as it can be read in it."""
    choices = [_choices(item) for item in expression]
    return [tuple(itertools.chain.from_iterable(chosen)) for chosen in itertools.product(*choices)]


def _choices(item) -> list[tuple[str, ...]]:
    kind, value = item
    if kind == "fork":
        return [string for branch in value for string in strings_of(branch)]
    return {"word": [(value,)], "option": [(), (value,)], "nothing": [()]}[kind]


def readings(expression) -> int:
    """How many strings there are, without making them."""
    count = 1
    for kind, value in expression:
        count *= {"fork": lambda v: sum(map(readings, v)), "option": lambda _: 2}.get(kind, lambda _: 1)(value)
    return count


# --- The same as graphs, made here


def graph_of(expression) -> lm.Lattice:
    """States of each fork's alternatives come before the state where it ends, as a reader meets them."""
    arcs, states = [], [0]

    def new() -> int:
        states.append(len(states))
        return states[-1]

    def walk(sequence, here):
        for kind, value in sequence:
            if kind == "fork":
                ends = [walk(branch, here) for branch in value]
                target = new()
                for arc in arcs:
                    arc[1] = target if arc[1] in ends else arc[1]
            else:
                target = new()
                if kind == "option":
                    arcs.append([here, target, ""])
                arcs.append([here, target, value])
            here = target
        return here

    end = walk(expression, 0)
    vocabulary = lm.Vocabulary.from_words(word for *_, word in arcs if word)
    source, target, words = zip(*arcs, strict=True) if arcs else ((), (), ())
    numbers = [vocabulary.number(word) if word else 0 for word in words]
    return lm.Lattice.from_arcs(source, target, numbers, final=[end], vocabulary=vocabulary)


def labelled(draw, lattice, names, texts):
    """The lattice with further texts on its arcs that have words."""
    side = lm.Vocabulary.from_words(texts)
    numbers = st.lists(st.integers(0, len(texts)), min_size=len(lattice.word), max_size=len(lattice.word))
    labels = dict(lattice.labels)
    for name in names:
        arc = np.where(lattice.word != 0, draw(numbers), 0).astype(np.int32)
        labels[name] = lm.Labels(arc, np.zeros(1, dtype=np.int32), side)
    return rebuilt(lattice, labels=labels, times=lattice.times)


@st.composite
def tagged(draw, lattices):
    return labelled(draw, draw(lattices), ["tag1", "tag2"], ["noun", "x;y", "é"])


graphs = expressions.map(graph_of)


def begins_with_no_number(lattice: lm.Lattice) -> bool:
    """Not like a machine in text or a list of scores, whose lines begin with numbers."""
    first = lattice.word[lattice.source == 0].tolist()
    return "1984" not in map(lattice.vocabulary.word, first)


# --- Graphs with times: alternations of one level, times that do not go back

timed_expressions = _sequences(_with_forks(flat_items), 1)
_times = st.floats(0, 1e6) | st.integers(0, 400).map(lambda hundredths: hundredths / 100)


@st.composite
def timed(draw):
    lattice = graph_of(draw(timed_expressions))
    times = sorted(draw(st.lists(_times, min_size=lattice.num_states, max_size=lattice.num_states)))
    if draw(st.booleans()):
        lattice = labelled(draw, lattice, ["tag1"], ["noun", "x;y"])
    if draw(st.booleans()):
        lattice = labelled(draw, lattice, ["confidence"], ["0.50", "NA", "-12.384530"])
    return rebuilt(lattice, labels=lattice.labels, times=times)


def small_graph(times: list[float] | None = None) -> lm.Lattice:
    """Two paths, without scores."""
    return lm.Lattice.from_arcs(
        [0, 0, 1], [1, 2, 2], [1, 3, 2], final=[2], vocabulary=lm.Vocabulary.from_words(list("abc")), times=times
    )


# --- Malformed files

_WORDS_BROKEN = {
    "alternation not closed": ("{ um / uh", "an alternation is not closed"),
    "alternation in another not closed": ("{ um / { uh / ah }", "an alternation is not closed"),
    "braces only": ("{" * 20, "an alternation is not closed"),
    "empty alternative first": ("{ / uh }", "an alternative is empty; write @"),
    "empty alternative in the middle": ("{ um / / uh }", "an alternative is empty"),
    "empty alternative alone": ("{ }", "an alternative is empty"),
    "empty alternation": ("a { }", "an alternative is empty"),
    "two slashes": ("{ um / / uh }", "an alternative is empty"),
    "closed twice": ("{ um / uh } }", "'}' has a brace outside an alternation"),
    "closed only": ("um }", "has a brace outside"),
    "brace in a word": ("um{uh", "'um{uh' has a brace outside"),
    "deep nesting": ("{ a / " * 33 + "b" + " }" * 33, "nest more than 32 levels deep"),
    "very deep nesting": ("{ a / " * 100_000, "nest more than 32 levels deep"),
    "three tags": ("um;a;b;c", "more than two tags"),
    "tags without a word": (";noun", "';noun' has no word"),
    "brackets without a word": ("a () b", "'()' has no word"),
    "optional nothing": ("a (@) b", "'(@)' has no word"),
    "backslashes only": ("\\\\", "has no word"),
}

_TRN_BROKEN = {
    **{name: Broken(f"a (u1)\n{text} (u2)\n".encode(), 2, says) for name, (text, says) in _WORDS_BROKEN.items()},
    "no id": Broken(b"a (u1)\nb c\n", 2, "does not end in an id in brackets; write words (id)"),
    "no id at the end": Broken(b"a (u1)\nb (u2) c\n", 2, "does not end in an id"),
    "id not closed": Broken(b"a (u1)\nb (u2\n", 2, "does not end in an id"),
    "id not opened": Broken(b"a (u1)\nb u2)\n", 2, "does not end in an id"),
    "id empty": Broken(b"a (u1)\nb ()\n", 2, "does not end in an id"),
    "id with a space": Broken(b"a (u1)\nb (u 2)\n", 2, "does not end in an id"),
    "stars": Broken(b"a (u1)\n*** b (u2)\n", 2, "the line begins with **, so sclite would skip it"),
    "latin-1": Broken(b"a (u1)\n\xe9t\xe9 (u2)\n", 2, "UTF-8"),
    "utf-16": Broken("a (u1)\n".encode("utf-16"), 1, "UTF-8"),
    "brackets only": Broken(b"(" * 100_000 + b"\n", 1, "does not end in an id"),
    "comments only": Broken(b";; nothing\n", says="holds no graph"),
}

_GOOD_STM = b"f 1 s 0 1.5 <O> a\n"


def _stm(line: str, says: str) -> Broken:
    return Broken(_GOOD_STM + line.encode() + b"\n", 2, says)


_STM_BROKEN = {
    **{name: _stm(f"f 1 s 2 3.0 <O> {text}", says) for name, (text, says) in _WORDS_BROKEN.items()},
    "four fields": _stm("f 1 s 2", "the line has 4 fields; write these fields: file channel"),
    "one word": _stm("word", "the line has 1 fields"),
    "begin in words": _stm("f 1 s two 3 a", "the begin 'two' is not a number of seconds"),
    "end nan": _stm("f 1 s 2 nan a", "the end 'nan' is not a number"),
    "end infinite": _stm("f 1 s 2 inf a", "the end 'inf' is not a number"),
    "end beyond numbers": _stm("f 1 s 2 1e999 a", "is not a number of seconds"),
    "begin with underscore": _stm("f 1 s 1_0 20 a", "the begin '1_0' is not"),
    "begin in other digits": _stm("f 1 s ² 20 a", "the begin '²' is not"),
    "begin negative": _stm("f 1 s -1 20 a", "the begin '-1' is not"),
    "ends before it begins": _stm("f 1 s 3 2 a", "ends at 2, before it begins"),
    "labels not closed": _stm("f 1 s 2 3 <O,F a", "'<O,F' is not a list of labels"),
    "labels with a space": _stm("f 1 s 2 3 <O, F> a", "'<O,' is not a list of labels"),
    "a long number": _stm("f 1 s 0 " + "9" * 1_000_000, "the end '999"),
    "latin-1": Broken(_GOOD_STM + b"f 1 s 2 3 \xe9t\xe9\n", 2, "UTF-8"),
    "utf-16": Broken(_GOOD_STM.decode().encode("utf-16"), 1, "UTF-8"),
    "comments only": Broken(b";; nothing\n", says="holds no graph"),
}

_GOOD_CTM = b"f 1 0.5 0.25 a 0.9\n"
_OPENED = "f 1 * * <ALT_BEGIN>\nf 1 1 1 b\n"


def _ctm(lines: str, says: str, line: int = 2) -> Broken:
    return Broken(_GOOD_CTM + lines.encode() + b"\n", line, says)


_CTM_BROKEN = {
    "four fields": _ctm("f 1 2 0.1", "the line has 4 fields; write file channel begin duration word"),
    "nine fields": _ctm("f 1 2 0.1 b 0.5 lex me again", "the line has 9 fields"),
    "begin in words": _ctm("f 1 two 0.1 b", "the begin 'two' is not a number of seconds"),
    "begin nan": _ctm("f 1 nan 0.1 b", "the begin 'nan' is not"),
    "begin negative": _ctm("f 1 -1 0.1 b", "the begin '-1' is not"),
    "begin unknown": _ctm("f 1 * * b", "the begin '*' is not"),
    "duration infinite": _ctm("f 1 1 inf b", "the duration 'inf' is not"),
    "duration with underscore": _ctm("f 1 1 1_0 b", "the duration '1_0' is not"),
    "duration negative twice": _ctm("f 1 1 --1 b", "the duration '-1' is not"),
    "ends beyond numbers": _ctm("f 1 1.7e308 1.7e308 b", "the end time of the word"),
    "a long number": _ctm("f 1 " + "9" * 1_000_000 + " 1 b", "the begin '999"),
    "confidence in words": _ctm("f 1 2 0.1 b high", "the confidence 'high' is neither a finite number nor NA"),
    "confidence nan": _ctm("f 1 2 0.1 b nan", "the confidence 'nan' is neither"),
    "confidence with underscore": _ctm("f 1 2 0.1 b 1_0", "the confidence '1_0' is neither"),
    "alternation not closed": _ctm(_OPENED, "the alternation is not closed by <ALT_END>"),
    "alternation in another": _ctm(_OPENED + "f 1 * * <ALT_BEGIN>", "an alternation is inside another", 4),
    "alternative outside": _ctm("f 1 * * <ALT>", "<ALT> without <ALT_BEGIN>"),
    "alternation closed only": _ctm("f 1 * * <ALT_END>", "<ALT_END> without <ALT_BEGIN>"),
    "alternatives without words": _ctm(
        "f 1 * * <ALT_BEGIN>\nf 1 * * <ALT>\nf 1 * * <ALT_END>", "all alternatives are empty"
    ),
    "mark with times": _ctm("f 1 2 0.1 <ALT_BEGIN>", "<ALT_BEGIN> has times instead of * *"),
    "three tags": _ctm("f 1 2 0.1 b;x;y;z", "more than two tags"),
    "brackets without a word": _ctm("f 1 2 0.1 ()", "'()' has no word"),
    "latin-1": Broken(_GOOD_CTM + b"f 1 2 0.1 \xe9t\xe9\n", 2, "UTF-8"),
    "utf-16": Broken(_GOOD_CTM.decode().encode("utf-16"), 1, "UTF-8"),
    "comments only": Broken(b";; nothing\n", says="holds no graph"),
}

CASES = [
    Case(
        "trn",
        b";; comment\na { um;x / uh;;y / @ } (c) d\\;e (u_1)\n( / ) { a { b / c } / d } (u_2)\n(u_3)\n",
        (graphs | tagged(graphs)).filter(begins_with_no_number),
        ["utt-1", "été", "a/b", "7", "a,b"],
        many=True,
        small=small_graph(),
        broken=_TRN_BROKEN,
    ),
    Case(
        "stm",
        b";; LABEL\nf 1 s 0 1.5 <O,F> a { um;x / uh } (c)\nf 1 s 1.5 2.0\nf 2 s,t 0.0 9 d\\;e { a { b / c } / d }\n",
        graphs | tagged(graphs),
        ["f,1,s,0,1.50,<O,F>", "f,1,é,1.5,2,<>", "f%2Cg,A,s_%25,0.0,1e1,<x>"],
        many=True,
        small=small_graph([0.5, 1.0, 1.25]),
        broken=_STM_BROKEN,
    ),
    Case(
        "ctm",
        b";; c\nf 1 0.5 0.25 a 0.9 lex me\nf 1 * * <ALT_BEGIN>\nf 1 1 0.5 b;x\nf 1 * * <ALT>\nf 1 * * <ALT_END>\n"
        b"f 2 0 0.125 (c) NA\nf 2 1.5 -0.01 @\n",
        timed(),
        ["f,1", "f,2", "é%2C,A"],
        many=True,
        small=small_graph([0.5, 1.0, 1.25]),
        broken=_CTM_BROKEN,
    ),
]
