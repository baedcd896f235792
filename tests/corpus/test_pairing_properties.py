"""Whatever happens to graphs and references on their way, a pair is the right one or there is an error.

Every utterance has a hypothesis and a reference of its own. They are written in some format, in some order, with ids
whose case is changed, that are missing or stand twice. The errors of all pairs without a problem are then those of the
utterances themselves, worked out here by brute force; what has no pair is reported.
"""

import io
import json
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, event, given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.corpus.pairing import Pair, pair_up
from latticemetric.formats import reading
from latticemetric.formats.references import read_references
from latticemetric.formats.writing import write

# No word looks like an id, and no two utterances have the same.
HYPOTHESES = ["ant", "bee bug", "cat", "dog eel", "fox", "gnu hen ibis", "jay", "kite lark"]
REFERENCES = ["ant hill", "bee bug", "cow", "dog and eel", "fox is out", "hen", "jay", "crow or lark"]
MOST = len(HYPOTHESES)


def edits(one: Sequence[str], other: Sequence[str]) -> int:
    """Word errors, as anybody would count them."""
    if not one or not other:
        return len(one) + len(other)
    rest = (edits(one[1:], other[1:]) + (one[0] != other[0]), edits(one[1:], other) + 1, edits(one, other[1:]) + 1)
    return min(rest)


ERRORS = [edits(h.split(), r.split()) for h, r in zip(HYPOTHESES, REFERENCES, strict=True)]


# --- Sources of graphs: a list of id and utterance, in the order in which they are written

Rows = list[tuple[str, int]]


def kaldi(rows: Rows, words: Callable[[int], str]) -> str:
    return "".join(f"{name}\n{arcs(words(number))}\n" for name, number in rows)


def arcs(text: str) -> str:
    split = text.split()
    lines = [f"{state} {state + 1} {word} 1,2,\n" for state, word in enumerate(split)]
    return "".join([*lines, f"{len(split)} 0,0,\n"])


def att(number: int) -> str:
    split = HYPOTHESES[number].split()
    return "".join(f"{s} {s + 1} {w} {w} 1\n" for s, w in enumerate(split)) + f"{len(split)}\n"


def kaldi_text(folder: Path, rows: Rows) -> Path:
    path = folder / "lats"
    path.write_text(kaldi(rows, HYPOTHESES.__getitem__))
    return path


WORDS = lm.Vocabulary(dict(enumerate(sorted({w for h in HYPOTHESES for w in h.split()}), start=1)))


def numbered(number: int) -> lm.Lattice:
    words = WORDS.encode(HYPOTHESES[number].split())
    ends = range(1, len(words) + 1)
    return lm.Lattice.from_arcs([end - 1 for end in ends], list(ends), words, final=[len(words)], vocabulary=WORDS)


def written(name: str) -> Callable[[Path, Rows], Path]:
    def make(folder: Path, rows: Rows) -> Path:
        write(folder / name, [(key, numbered(number)) for key, number in rows])
        return folder / name

    return make


def wenet(folder: Path, rows: Rows) -> Path:
    path = folder / "lists"
    path.write_text("".join(f"wav {name}\ncandidate -1 {HYPOTHESES[number]}\n" for name, number in rows))
    return path


def recogs(folder: Path, rows: Rows) -> Path:
    path = folder / "recogs"
    path.write_text("".join(f"{name}:\thyp={HYPOTHESES[number].split()!r}\n" for name, number in rows))
    return path


def jsonl(folder: Path, rows: Rows) -> Path:
    path = folder / "lists"
    path.write_text("".join(json.dumps({"id": name, "nbest": [HYPOTHESES[number]]}) + "\n" for name, number in rows))
    return path


def trn(folder: Path, rows: Rows) -> Path:
    path = folder / "hyps"
    path.write_text("".join(f"{HYPOTHESES[number]} ({name})\n" for name, number in rows))
    return path


def folder_of(folder: Path, rows: Rows) -> Path:
    path = folder / "graphs"
    path.mkdir()
    for name, number in rows:
        (path / f"{name}.fst.txt").write_text(att(number))
    return path


def slf(folder: Path, rows: Rows) -> Path:
    path = folder / "graphs"
    path.mkdir()
    for place, (name, number) in enumerate(rows):
        split = HYPOTHESES[number].split()
        lines = [f"VERSION=1.0\nUTTERANCE={name}\nN={len(split) + 1} L={len(split)}"]
        lines += [f"I={state}" for state in range(len(split) + 1)]
        lines += [f"J={k} S={k} E={k + 1} W={word} a=-1" for k, word in enumerate(split)]
        (path / f"{chr(ord('a') + place)}.slf").write_text("\n".join(lines) + "\n")
    return path


def tar(folder: Path, rows: Rows) -> Path:
    path = folder / "graphs.tar"
    with tarfile.open(path, "w") as archive:
        for name, number in rows:
            data = att(number).encode()
            member = tarfile.TarInfo(f"lats/{name}.fst.txt")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def plf_line(number: int) -> str:
    return "(" + "".join(f"(('{word}',-1,1),)," for word in HYPOTHESES[number].split()) + ")\n"


def plf(folder: Path, rows: Rows) -> Path:
    path = folder / "lats.plf"
    path.write_text("".join(plf_line(number) for _, number in rows))
    return path


def unnamed(folder: Path, rows: Rows) -> Path:
    path = folder / "lists"
    path.write_text("".join(json.dumps({"nbest": [HYPOTHESES[number]]}) + "\n" for _, number in rows))
    return path


def moses(folder: Path, rows: Rows) -> Path:
    """Numbers of sentences are those of the utterances."""
    path = folder / "lists"
    path.write_text("".join(f"{number} ||| {HYPOTHESES[number]} ||| lm= -1 ||| -1\n" for _, number in rows))
    return path


OWN = {
    "kaldi": kaldi_text,
    "kaldi-binary": written("lats.ark"),
    "kaldi-script": written("lats.scp"),
    "wenet": wenet,
    "icefall": recogs,
    "jsonl": jsonl,
    "trn": trn,
}
SORTED = {"far": written("lats.far"), "folder": folder_of, "tar": tar, "slf": slf}
POSITIONAL = {"plf": plf, "jsonl without ids": unnamed, "moses": moses}


# --- References: the same rows

ReferenceRows = list[tuple[str, int]]


def keyed_lines(rows: ReferenceRows) -> str:
    return "".join(f"{name} {REFERENCES[number]}\n" for name, number in rows)


def plain_lines(rows: ReferenceRows) -> str:
    return "".join(f"{REFERENCES[number]}\n" for _, number in rows)


def trn_lines(rows: ReferenceRows) -> str:
    return "".join(f"{REFERENCES[number]} ({name})\n" for name, number in rows)


KEYED = {"text": keyed_lines, "trn": trn_lines}

# Ids by the number of the utterance. Bytes sort 10 before 9, and spell_9 after spell_10.
IDS: dict[str, Callable[[int], str]] = {
    "dashes": lambda k: f"Utt-{k + 5}",
    "sentences": lambda k: f"Spk{k % 3}_rec{k + 8:03d}",
    "words": ["Anna", "bert", "Carl", "dora", "Emil", "Frida", "Gert", "hans"].__getitem__,
    "numbers": lambda k: str(k + 4),
}


def swapped(name: str) -> str:
    return name.swapcase()


# --- The property


@dataclass(frozen=True)
class Case:
    """What was written, and what became of it."""

    graphs: Rows
    references: ReferenceRows
    pairs: list[Pair] | None

    @property
    def good(self) -> list[Pair]:
        return [pair for pair in self.pairs or [] if pair.problem is None]

    @property
    def is_whole(self) -> bool:
        return self.pairs is not None and len(self.good) == len(self.graphs) == len(self.references)


def paired(graphs: Path, *texts: str) -> list[Pair] | None:
    """All pairs, as under `--keep-going`; nothing where there is an error, or where they are said to be uncertain."""
    files = []
    for number, text in enumerate(texts):
        path = graphs.parent / f"references-{number}"
        path.write_text(text)
        files.append(path)
    try:
        entries = reading.entries([graphs], None, WORDS if graphs.suffix in {".ark", ".scp"} else None)
        pairs = list(pair_up(entries, [read_references(str(path)) for path in files]))
        return None if any("all pairs after it are wrong" in str(pair.problem) for pair in pairs) else pairs
    except lm.LatticeMetricError:
        return None


def assert_right_or_reported(case: Case) -> None:
    """Pairs are of the same utterance: told by its words, and the errors are those of that utterance."""
    event("an error" if case.pairs is None else "whole" if case.is_whole else "reported")
    if case.pairs is None:
        return
    found = 0
    for pair in case.good:
        assert pair.entry is not None
        try:
            graph = pair.entry.build()
        except lm.InputError:  # an id that stands twice
            continue
        best = lm.oracle(graph, [" ".join(words) for words in (pair.references[0].words,)], "wer")
        utterance = HYPOTHESES.index(" ".join(best.words))
        assert pair.references[0].words == tuple(REFERENCES[utterance].split())
        assert best.numerator == ERRORS[utterance]
        found += 1
    assert len(case.pairs) >= max(len({name for name, _ in case.graphs}), found)


numbers = st.integers(1, MOST).map(lambda count: list(range(count)))


@st.composite
def accidents(draw: st.DrawFn, rows: Rows, *, folds: bool) -> Rows:
    """Rows in another order; some left out, some with their id in another case, one twice."""
    left = [row for row in draw(st.permutations(rows)) if not draw(st.sampled_from([False] * 5 + [True]))]
    changed = draw(st.sampled_from(["none", "none", "all", "some"])) if folds else "none"
    if changed != "none":
        left = [(swapped(n), u) if changed == "all" or draw(st.booleans()) else (n, u) for n, u in left]
    if left and draw(st.sampled_from([False] * 5 + [True])):
        left.append(draw(st.sampled_from(left)))
    return left


@given(st.data())
def test_keyed_references_meet_their_graphs_or_there_is_an_error(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([*OWN, *SORTED]))
    name_of = IDS[data.draw(st.sampled_from(sorted(IDS)))]
    rows = [(name_of(number), number) for number in data.draw(numbers)]
    unique = source not in OWN or source.startswith("kaldi-")  # writers and disks refuse the same name twice
    graphs = data.draw(accidents(rows, folds=False))
    references = data.draw(accidents(rows, folds=True))
    graphs = list(dict.fromkeys(graphs)) if unique else graphs
    assume(graphs and references)
    # A file named north may well say north: that a single line for it is plain is a rule that users are told.
    assume(source not in {"folder", "tar"} or len(graphs) > 1)
    # So are lines that do not look keyed, if none begins with a graph's id: docs/oracle.md has the table.
    looks_keyed = name_of is not IDS["words"] and 2 * len(dict(references)) > len(references)
    assume(looks_keyed or dict(graphs).keys() & dict(references))
    forms = data.draw(st.lists(st.sampled_from(sorted(KEYED)), min_size=1, max_size=2))
    with TemporaryDirectory() as folder:
        path = {**OWN, **SORTED}[source](Path(folder), graphs)
        case = Case(graphs, references, paired(path, *(KEYED[form](references) for form in forms)))
        assert_right_or_reported(case)
    is_told = "trn" not in forms or name_of is not IDS["words"]  # trn is known by ids that do not look like words
    if sorted(graphs) == sorted(references) == sorted(rows) and is_told:
        assert case.is_whole


@given(st.data())
def test_plain_references_meet_the_graphs_of_their_lines_or_there_is_an_error(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([*OWN, *SORTED, *POSITIONAL]))
    kind = data.draw(st.sampled_from(sorted(IDS)))
    rows = [(IDS[kind](number), number) for number in data.draw(numbers)]
    graphs = rows
    if source == "moses" or (source in {"far", "folder", "tar"} and kind in {"dashes", "numbers", "words"}):
        graphs = data.draw(st.permutations(rows))
    elif source in OWN and kind in {"dashes", "numbers"}:
        graphs = data.draw(st.sampled_from([rows, rows[::-1]]))
    dropped = data.draw(st.sampled_from(["nothing", "nothing", "a graph", "a line"])) if len(rows) > 1 else "nothing"
    gone = data.draw(st.sampled_from(rows))
    graphs = [row for row in graphs if dropped != "a graph" or row != gone]
    references = [row for row in rows if dropped != "a line" or row != gone]
    with TemporaryDirectory() as folder:
        path = {**OWN, **SORTED, **POSITIONAL}[source](Path(folder), graphs)
        case = Case(graphs, references, paired(path, plain_lines(references)))
        assert_right_or_reported(case)
    is_numbered = source in POSITIONAL or source in OWN or kind in {"dashes", "numbers"}
    if graphs == references == rows and is_numbered and source != "slf":
        assert case.is_whole


@given(st.data())
def test_keyed_references_of_graphs_without_ids_are_in_order_or_an_error(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sorted(POSITIONAL)))
    kind = data.draw(st.sampled_from(["dashes", "sentences", "numbers"]))
    rows = [(IDS[kind](number), number) for number in data.draw(numbers)]
    references = data.draw(st.sampled_from([rows, rows[::-1], rows[1:], rows[:-1]]))
    assume(len(references) > 1)
    form = data.draw(st.sampled_from(sorted(KEYED)))
    assume(kind == "dashes" or form == "text" or references == rows)
    with TemporaryDirectory() as folder:
        assert_right_or_reported(
            Case(rows, references, paired(POSITIONAL[source](Path(folder), rows), KEYED[form](references)))
        )
