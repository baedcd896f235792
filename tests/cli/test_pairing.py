"""Every verb pairs texts and graphs of the same utterance, or says that it cannot.

Each utterance has texts of its own. One of the files is written in another order, with ids whose case is changed, that
are missing, stand twice or belong to no other utterance. Then a verb writes what it writes for files that match line by
line, or refuses the files, or says that first words may be ids or which utterances a system lacks; it never writes
anything else.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from kit import commands

# No word looks like an id, and no two utterances have the same.
SAID = ["ant", "bee bug", "cat", "dog eel", "fox", "gnu hen ibis"]
OTHER = ["ant hill", "bee", "cow cat", "dog eel", "fox ox", "gnu hen"]
MEANT = ["ant hill", "bee bug", "cow", "dog and eel", "fox is out", "hen"]
MOST = len(SAID)

Rows = list[tuple[str, int]]
"""The id and the number of each utterance, in the order of the file."""

# Where ids need not match the ids of graphs, they must look like ids: words are words.
IDS: dict[str, Callable[[int], str]] = {
    "utterances": lambda k: f"utt{k + 8}",
    "dashes": lambda k: f"Spk{k % 2}-{k + 8}",
    "speakers": lambda k: f"{['ann', 'bob', 'cy'][k % 3]}_{k}",
    "numbers": lambda k: str(k + 4),
}
FEWEST = {"numbers": 3}
"""Two lines may begin with two numbers by chance."""


def texts(rows: Rows, words: Sequence[str]) -> str:
    return "".join(f"{name} {words[number]}\n" for name, number in rows)


def tags(rows: Rows, right: int) -> str:
    return "".join(f"{name} {' '.join('OK' if (k + n) % right else 'BAD' for n in range(1 + k))}\n" for name, k in rows)


def lattices(rows: Rows) -> str:
    return "".join(f"{name}\n{lattice(SAID[number], OTHER[number])}\n" for name, number in rows)


def lattice(*paths: str) -> str:
    lines, state = [], 1
    for cost, path in enumerate(paths):
        source = 0
        for word in path.split():
            lines.append(f"{source} {state} {word} {cost},0.5,")
            source, state = state, state + 1
        lines.append(f"{source} 0,0,")
    return "\n".join(sorted(lines, key=lambda line: int(line.split()[0]))) + "\n"


def lists(rows: Rows) -> str:
    records = ({"id": name, "nbest": [SAID[k], OTHER[k]], "scores": [-1, -2]} for name, k in rows)
    return "".join(json.dumps(record) + "\n" for record in records)


def human(rows: Rows) -> str:
    lines = [f"{system}\t{name}\t{k + (system == 'a')}" for system in "ab" for name, k in rows]
    return "\n".join(["system\tsegment\tscore", *lines]) + "\n"


FILES: dict[str, Callable[[Rows], str]] = {
    "a.txt": lambda rows: texts(rows, SAID),
    "b.txt": lambda rows: texts(rows, OTHER),
    "ref.txt": lambda rows: texts(rows, MEANT),
    "ref2.txt": lambda rows: texts(rows, OTHER),
    "gold.tags": lambda rows: tags(rows, 2),
    "guessed.tags": lambda rows: tags(rows, 3),
    "lats.txt": lattices,
    "lists.jsonl": lists,
    "systems/a.txt": lambda rows: texts(rows, SAID),
    "systems/b.txt": lambda rows: texts(rows, OTHER),
    "human.tsv": human,
}

JSON = ("--format", "json")
SCORE = ("-m", "wer", "--resamples", "0", *JSON)
VERBS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "score": (("score", "a.txt", "ref.txt", *SCORE), ("a.txt", "ref.txt")),
    "score, several references": (("score", "a.txt", "ref.txt", "ref2.txt", *SCORE), ("a.txt", "ref.txt", "ref2.txt")),
    "score, several systems": (("score", "a.txt", "ref.txt", "-s", "b.txt", *SCORE), ("a.txt", "b.txt", "ref.txt")),
    "combine": (("combine", "a.txt", "b.txt"), ("b.txt",)),
    "combine, judged": (
        ("combine", "a.txt", "b.txt", "--reference", "ref.txt", "--resamples", "0", *JSON),
        ("b.txt", "ref.txt"),
    ),
    "combine, one system": (("combine", "a.txt", "--reference", "ref.txt", "--resamples", "0", *JSON), ("ref.txt",)),
    "combine, lattices": (("combine", "lats.txt", "b.txt"), ("b.txt",)),
    "lattice-oracle": (("oracle", "lats.txt", "ref.txt", *JSON), ("ref.txt",)),
    "lattice-oracle, several references": (
        ("oracle", "lats.txt", "ref.txt", "ref2.txt", *JSON),
        ("ref.txt", "ref2.txt"),
    ),
    "sweep": (("sweep", "lats.txt", "ref.txt", "--beams", "0,1", "--resamples", "0", *JSON), ("ref.txt",)),
    "expected": (("expected", "lats.txt", "ref.txt", *JSON), ("ref.txt",)),
    "calibrate": (("calibrate", "lats.txt", "ref.txt", "--resamples", "0", *JSON), ("ref.txt",)),
    "tags": (("tags", "gold.tags", "guessed.tags", *JSON), ("gold.tags", "guessed.tags")),
    "tags --from-lattices": (("tags", "--from-lattices", "lats.txt", "ref.txt", *JSON), ("ref.txt",)),
    "tune": (("tune", "lats.txt", "ref.txt", "--decoder", "mbr", "--resamples", "0"), ("ref.txt",)),
    "report": (("report", "lats.txt", "ref.txt", "--most-graphs", "0", "--resamples", "0", "-o", "-"), ("ref.txt",)),
    "lists": (("lists", "lists.jsonl", "ref.txt", "--resamples", "0", *JSON), ("ref.txt",)),
    "lists --corrected": (
        ("lists", "lists.jsonl", "ref.txt", "--corrected", "b.txt", "--resamples", "0", *JSON),
        ("b.txt", "ref.txt"),
    ),
    "correlate": (
        ("correlate", ".", "-m", "wer", "--resamples", "0", *JSON),
        ("systems/a.txt", "systems/b.txt", "ref.txt"),
    ),
}


def answered(verb: str, rows: Rows, changed: str = "", other_rows: Rows = ()) -> commands.Done:
    """Run a verb on files of the same utterances, one of which may have other rows."""
    needed = {"human.tsv"} if verb == "correlate" else set()
    command, _ = VERBS[verb]
    with TemporaryDirectory() as folder:
        (Path(folder) / "systems").mkdir()
        for name, write in FILES.items():
            if name in command or name in needed or (verb == "correlate" and name in VERBS[verb][1]):
                (Path(folder) / name).write_text(write(list(other_rows) if name == changed else rows))
        return commands.run("latticemetric", *command, cwd=folder)


@cache
def right(verb: str, rows: tuple[tuple[str, int], ...]) -> str:
    done = answered(verb, list(rows))
    assert done.status == 0, done.stderr
    assert done.stdout
    return done.stdout


@st.composite
def accidents(draw: st.DrawFn, rows: Rows, name_of: Callable[[int], str]) -> Rows:
    """Rows in another order; some left out, or with their id in another case, or twice, or of another utterance."""
    left: Rows = list(draw(st.permutations(rows)))
    kinds = st.sampled_from(["order", "order", "case", "missing", "twice", "extra"])
    for kind in sorted(draw(st.sets(kinds, min_size=1, max_size=2))):
        if kind == "case":
            is_whole = draw(st.booleans())
            left = [(name.swapcase() if is_whole or draw(st.booleans()) else name, k) for name, k in left]
        elif kind == "missing":
            left.remove(draw(st.sampled_from(left)))
        elif kind == "twice":
            left.insert(draw(st.integers(0, len(left))), draw(st.sampled_from(left)))
        elif kind == "extra":
            left.insert(draw(st.integers(0, len(left))), (name_of(MOST + 1), draw(st.integers(0, MOST - 1))))
    return left


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=max(5, settings.default.max_examples // 3))
@given(st.data())
def test_a_verb_pairs_the_same_utterances_or_says_that_it_cannot(verb, data):
    kind = data.draw(st.sampled_from(sorted(IDS)))
    count = data.draw(st.sampled_from([2, 4, MOST]).filter(lambda number: number >= FEWEST.get(kind, 2)))
    rows = [(IDS[kind](number), number) for number in range(count)]
    changed = data.draw(st.sampled_from(VERBS[verb][1]))
    others = data.draw(accidents(rows, IDS[kind]))
    done = answered(verb, rows, changed, others)
    assert "Traceback" not in done.stderr
    if done.status:
        event("refused")
        assert done.status in (1, 2)
        assert sorted(others) != sorted(rows), done.stderr
    elif "give --style keyed, otherwise --style plain" in done.stderr:
        event("said")
    elif "utterances are not in this file, so this system has no words there" in done.stderr:
        event("silent")
        assert verb.startswith("combine")
        assert {name for name, _ in others} != {name for name, _ in rows}
    else:
        event("the same")
        assert comparable(verb, done.stdout) == comparable(verb, right(verb, tuple(rows)))


def comparable(verb: str, output: str) -> object:
    """Leave out the order of utterances, which is that of the first file, and rounding errors of sums in this order."""
    if verb == "correlate":
        return json.loads(output, parse_float=lambda text: round(float(text), 9))
    return sorted(output.splitlines()) if verb.startswith("score") else output


@pytest.mark.parametrize("verb", ["score", "combine", "lattice-oracle", "calibrate", "tune", "report", "lists"])
def test_ids_in_another_order_change_nothing(verb):
    rows = [(IDS["utterances"](number), number) for number in range(4)]
    done = answered(verb, rows, VERBS[verb][1][-1], rows[::-1])
    assert done.stdout == right(verb, tuple(rows))
