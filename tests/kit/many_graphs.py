"""Many small graphs, some of them broken."""

import random
from pathlib import Path

from click import ClickException
from click.testing import CliRunner

from kit.commands import Done
from latticemetric.cli.main import _group
from latticemetric.errors import LatticeMetricError

GRAPHS = 60


WORDS = [f"w{number}" for number in range(30)]


RICH = (
    "--hope",
    "0.1,3",
    "--fear",
    "1",
    "--worst",
    "--nbest",
    "2",
    "--also-score",
    "bleu,nist",
    "-P",
    "4-grr.alpha=0.3",
)


def lattice(draw: random.Random) -> str:
    """A Kaldi lattice, less its id."""
    states = draw.randrange(2, 8)
    arcs = [
        f"{state} {state + 1} {draw.choice(WORDS)} {draw.random():.4f},{draw.random():.4f},"
        for state in range(states)
        for _ in range(draw.randrange(1, 4))
    ]
    return "\n".join([*arcs, str(states)])


BROKEN = ["0 1 w1 x,y,\n1", "0 1 w1 1,2,\n1 0 w2 1,2,\n1", "0 1\n5 w1 1"]


def data(folder: Path, graphs: int = GRAPHS, *, broken: tuple[int, ...] = ()) -> list[Path]:
    """An archive and its references."""
    draw = random.Random(graphs)
    archive, references = folder / "lats.txt", folder / "refs.txt"
    texts = [lattice(draw) for _ in range(graphs)]
    for number in broken:
        texts[number] = BROKEN[number % len(BROKEN)]
    archive.write_text("".join(f"u{number:05d} \n{text}\n\n" for number, text in enumerate(texts)))
    references.write_text(
        "".join(f"u{number:05d} {' '.join(draw.choices(WORDS, k=draw.randrange(1, 9)))}\n" for number in range(graphs))
    )
    return [archive, references]


def latticemetric(*arguments: object, stdin: bytes = b"") -> Done:
    """What the program does with its errors, `_run` in `cli/main.py`, is tested with processes elsewhere."""
    done = CliRunner().invoke(_group, list(map(str, arguments)), input=stdin, standalone_mode=False)
    problem = done.exception
    if isinstance(problem, ClickException | LatticeMetricError):
        said = problem.format_message() if isinstance(problem, ClickException) else str(problem)
        return Done(2, done.stdout, f"{done.stderr}error: {said}\n")
    assert isinstance(problem, SystemExit | None), problem
    return Done(done.exit_code, done.stdout, done.stderr)


def oracle(*arguments: object, stdin: bytes = b"") -> Done:
    return latticemetric("oracle", *arguments, stdin=stdin)


def heavy(folder: Path) -> Path:
    """Two lattices that are done at once, and between them one whose n-grams are more than there is time for."""
    lines = [f"{s} {s + 1} w{s}x{k} 1,1," for s in range(200) for k in range(10)]
    small = "0 1 a 1,1,\n1"
    archive = folder / "heavy.txt"
    archive.write_text(f"a \n{small}\n\nheavy \n" + "\n".join(lines) + f"\n200\n\nz \n{small}\n\n")
    return archive
