"""What HTK lattices call things, and how they are written; see `htk_slf`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from latticemetric.errors import UsageError, shortened
from latticemetric.formats.columns import as_lattice, require_labels
from latticemetric.formats.registry import Graph
from latticemetric.formats.texts.fields import refuse_word
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import EPSILON

NO_WORDS = ("!NULL", "!ENTER", "!EXIT")
TEXTS = ["W", "v", "d", "s", "i", "p", "L"]
PLACES = {"I", "J", "S", "E", "t", "W", "line"}
COLUMN_NAMES = {"a": "acoustic", "l": "lm", "r": "pronunciation"}
SCALES = {"a": ("acscale", 1.0), "l": ("lmscale", 1.0), "r": ("prscale", 0.0)}
WORD_COUNT = "words"
LONG_NAMES = {
    "VERSION": "V",
    "UTTERANCE": "U",
    "NODES": "N",
    "LINKS": "L",
    "WORD": "W",
    "START": "S",
    "END": "E",
    "time": "t",
    "var": "v",
    "div": "d",
    "acoustic": "a",
    "language": "l",
    "ngram": "n",
}
_FIELD_NAMES = {name: field for field, name in COLUMN_NAMES.items()}
_FIELD_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


class _Written(NamedTuple):
    """A score column on its way out: its field, its weight in the header, and its scores."""

    field: str
    header: str
    scale: float
    arc: list[float]
    final: list[float]


def write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Writes one lattice, words on links; a final state that is not the last gets a link to an end of its own."""
    lattice = as_lattice(graph)
    require_labels(lattice, "htk-slf", set(TEXTS) - {"W", "L"})
    last = lattice.num_states - 1
    single = last > 0 and lattice.final.tolist() == [last] and not any(c.final.any() for c in lattice.scores.values())
    single = single and not any(x.final.any() for x in lattice.labels.values())
    columns, penalty = _written_columns(lattice)
    states = lattice.num_states + (not single)
    links = len(lattice.word) + (0 if single else len(lattice.final))
    header = ["VERSION=1.1", f"UTTERANCE={_quoted(name)}"]
    header += [f"{c.header}={c.scale!r}" for c in columns if c.scale != SCALES.get(c.field, ("", 0.0))[1]]
    header += [] if penalty is None else [f"wdpenalty={penalty!r}"]
    lines = [*header, "start=0", f"end={states - 1}", f"N={states} L={links}"]
    times = None if lattice.times is None else lattice.times.tolist()
    if times is not None and not single:
        times.append(max(times))
    lines += [f"I={s}" + ("" if times is None else f" t={times[s]!r}") for s in range(states)]
    lines += _link_lines(lattice, columns, single=single)
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _written_columns(lattice: Lattice) -> tuple[list[_Written], float | None]:
    columns, penalty = [], None
    for name, column in lattice.scores.items():
        counts = (lattice.word != EPSILON).astype(np.float64)
        if name == WORD_COUNT and np.array_equal(column.arc, counts) and not column.final.any():
            penalty = 0.0 - column.scale
            continue
        field = _FIELD_NAMES.get(name, name)
        taken = field in {*PLACES, *TEXTS, *LONG_NAMES} or (field in COLUMN_NAMES and field == name)
        if not _FIELD_NAME.fullmatch(field) or taken:
            raise UsageError(
                f"htk-slf cannot name a field '{shortened(name)}'", advice="add the scores up with --sum-scores"
            )
        header = SCALES.get(field, (f"{field}scale", 0.0))[0]
        columns.append(
            _Written(field, header, column.scale, (0.0 - column.arc).tolist(), (0.0 - column.final).tolist())
        )
    return columns, penalty


def _link_lines(lattice: Lattice, columns: list[_Written], *, single: bool) -> Iterator[str]:
    spelled = {
        name: [labels.vocabulary.word(n) for n in labels.arc.tolist()] for name, labels in lattice.labels.items()
    }
    ends = zip(lattice.source.tolist(), lattice.target.tolist(), lattice.word.tolist(), strict=True)
    for row, (source, target, number) in enumerate(ends):
        word = lattice.vocabulary.word(number)
        refuse_word(word, *NO_WORDS)
        fields = [f"J={row} S={source} E={target} W={_quoted(word or NO_WORDS[0])}"]
        fields += [f"{name}={_quoted(texts[row])}" for name, texts in spelled.items() if texts[row]]
        fields += [f"{column.field}={column.arc[row]!r}" for column in columns]
        yield " ".join(fields)
    for row, state in enumerate([] if single else lattice.final.tolist()):
        scores = "".join(f" {column.field}={column.final[row]!r}" for column in columns)
        yield f"J={len(lattice.word) + row} S={state} E={lattice.num_states} W={NO_WORDS[0]}{scores}"


def _quoted(text: str) -> str:
    if text and not re.search(r"[\s\"'\\]", text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", r"\012").replace("\r", r"\015") + '"'
