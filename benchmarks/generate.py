"""Draw deterministic random lattices for benchmarks, in layers, with given numbers of states, arcs and words.

`python benchmarks/generate.py S out/` writes one lattice of size S, as Kaldi text and as OpenFst text, with a
reference; `python benchmarks/generate.py S out/ 1000` writes an archive of a thousand lattices.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Size:
    """The size of a lattice."""

    states: int
    arcs: int
    vocabulary: int
    reference: int


SIZES = {
    "S": Size(2_000, 10_000, 300, 25),
    "M": Size(10_000, 50_000, 2_000, 25),
    "L": Size(20_000, 200_000, 5_000, 40),
    "XL": Size(100_000, 1_000_000, 5_000, 40),
}


@dataclass(frozen=True)
class Drawn:
    """A lattice as columns, and a reference."""

    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    word: npt.NDArray[np.int64]
    graph: npt.NDArray[np.float64]
    acoustic: npt.NDArray[np.float64]
    states: int
    reference: list[int]


def draw(size: Size, seed: int = 0) -> Drawn:
    """Return a lattice with a third more layers than the reference has words.

    Every state has an arc to the next layer and one from the layer before; the other arcs lead one or two layers
    further. The reference is a random path with a fifth of its words replaced, cut or padded to the wanted length.
    """
    random = np.random.default_rng(seed)
    layers = size.reference * 4 // 3
    layer = np.sort(np.concatenate([np.arange(layers), random.integers(0, layers, size.states - 2 - layers)])) + 1
    layer = np.concatenate([[0], layer, [layers + 1]])
    first = np.searchsorted(layer, np.arange(layers + 3))

    def some_state(of: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        of = np.minimum(of, layers + 1)
        return first[of] + (random.random(len(of)) * (first[of + 1] - first[of])).astype(np.int64)

    inner = np.arange(1, size.states - 1)
    free = np.sort(random.integers(0, size.states - 1, max(0, size.arcs - 2 * len(inner))))
    source = np.concatenate([inner, some_state(layer[inner] - 1), free])
    onward = some_state(layer[free] + random.integers(1, 3, len(free)))
    target = np.concatenate([some_state(layer[inner] + 1), inner, onward])
    order = np.argsort(source, kind="stable")
    source, target = source[order], target[order]
    word = random.integers(1, size.vocabulary + 1, len(source))
    word[random.random(len(source)) < 0.02] = 0
    graph, acoustic = np.round(random.gamma(2.0, 2.0, (2, len(source))), 4)
    return Drawn(source, target, word, graph, acoustic, size.states, _reference(source, target, word, size, random))


def _reference(source, target, word, size: Size, random: np.random.Generator) -> list[int]:  # type: ignore[no-untyped-def]
    begin = np.searchsorted(source, np.arange(size.states + 1))
    state, words = 0, []
    while state != size.states - 1:
        arc = int(random.integers(begin[state], begin[state + 1]))
        words += [int(word[arc])] if word[arc] else []
        state = int(target[arc])
    words = [int(random.integers(1, size.vocabulary + 1)) if random.random() < 0.2 else w for w in words]
    padding = random.integers(1, size.vocabulary + 1, size.reference)
    return (words + [int(word) for word in padding])[: size.reference]


def transition_ids(drawn: Drawn, seed: int = 0) -> list[str]:
    """Return 5 to 40 transition ids for each arc, joined by `_`, as in archives of real decoders."""
    random = np.random.default_rng(seed)
    return ["_".join(map(str, random.integers(1, 10_000, random.integers(5, 41)).tolist())) for _ in drawn.word]


def kaldi_text(name: str, drawn: Drawn, labels: list[str] | None = None) -> str:
    """Return a Kaldi text archive of one compact lattice; `labels` are the transition ids of the arcs."""
    columns = (drawn.source, drawn.target, drawn.word, drawn.graph, drawn.acoustic)
    rows = zip(*(column.tolist() for column in columns), labels or [""] * len(drawn.word), strict=True)
    arcs = "\n".join(f"{s} {t} {w} {g},{a},{ids}" for s, t, w, g, a, ids in rows)
    return f"{name} \n{arcs}\n{drawn.states - 1} 0,0,\n\n"


def openfst_text(drawn: Drawn) -> str:
    """Return an acceptor as OpenFst text, with the sum of the costs."""
    columns = (drawn.source, drawn.target, drawn.word, drawn.graph + drawn.acoustic)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return "".join(f"{s}\t{t}\t{w}\t{w}\t{c:.4f}\n" for s, t, w, c in rows) + f"{drawn.states - 1}\n"


def main() -> None:
    """Write NAME.lat.txt, NAME.fst.txt and NAME.ref.txt into a folder."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lat.txt").open("w") as lattices, (folder / f"{name}.ref.txt").open("w") as references:
        for k in range(count):
            drawn = draw(SIZES[name], seed=k)
            lattices.write(kaldi_text(f"{name}-{k:06d}", drawn))
            references.write(f"{name}-{k:06d} {' '.join(map(str, drawn.reference))}\n")
            if k == 0:
                (folder / f"{name}.fst.txt").write_text(openfst_text(drawn))


if __name__ == "__main__":
    main()
