"""How word meshes are written; see `wordmesh`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.columns import lattice_with_one_column, require_labels, require_unscaled
from latticemetric.formats.registry import Graph
from latticemetric.formats.texts.confusion import columns_to_write, probability_to_write
from latticemetric.formats.texts.fields import is_number, require_id, word_to_write
from latticemetric.lattice import Lattice
from latticemetric.vocabulary import split_words

DELETE = "*DELETE*"
TEXTS = ("hyps", "info")
_INFO_NUMBERS = 4
_FEWEST_INFO_FIELDS = 6


def check_text(name: str, text: str, place: str | None) -> None:
    """Refuses what cannot stand in a line `hyps` or `info`."""
    fields = split_words(text)
    if name == "hyps":
        good = all(re.fullmatch("-?[0-9]+", field) for field in fields)
    else:
        good = len(fields) >= _FEWEST_INFO_FIELDS and all(map(is_number, fields[:_INFO_NUMBERS]))
    if not good or " ".join(fields) != text:
        raise FormatError(f"'{shortened(text, 40)}' cannot stand in a line '{name}'", where=place)


def write(file: IO[bytes], name: str, graph: Graph) -> None:
    """Writes one mesh."""
    lattice = lattice_with_one_column(graph, "wordmesh")
    require_unscaled(lattice, "wordmesh")
    require_labels(lattice, "wordmesh", set(TEXTS))
    require_id(name, "the name of a mesh")
    columns = columns_to_write(lattice, "wordmesh")
    scores = next(iter(lattice.scores.values()), None)
    costs = scores.arc.tolist() if scores else [0.0] * len(lattice.word)
    lines = [f"name {name}", f"numaligns {len(columns)}", "posterior 1"]
    for k, rows in enumerate(columns):
        words = [word_to_write(lattice.vocabulary, int(lattice.word[row]), DELETE) for row in rows]
        if len(set(words)) < len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise InputError(
                f"'{shortened(twice, 40)}' stands twice between states {k} and {k + 1}, and a mesh holds it once",
                advice="write another format",
            )
        posteriors = [probability_to_write(costs[row]) for row in rows]
        lines.append(" ".join([f"align {k}", *(f"{w} {p}" for w, p in zip(words, posteriors, strict=True))]))
        lines += [f"{label} {k} {words[rows.index(row)]} {text}" for label, row, text in _texts(lattice, rows)]
    file.write(("\n".join(lines) + "\n").encode("utf-8"))


def _texts(lattice: Lattice, rows: list[int]) -> Iterator[tuple[str, int, str]]:
    for name in TEXTS:
        if side := lattice.labels.get(name):
            for row in rows:
                if text := side.vocabulary.word(int(side.arc[row])):
                    check_text(name, text, None)
                    yield name, row, text
