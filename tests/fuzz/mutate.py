"""Damages files of every format at random, and reads them: nothing but our own errors may come of it.

`python tests/fuzz/mutate.py [FILES] [FORMAT…]`, or `make mutate`: a hundred thousand damaged files a reader. What
fails is kept, and its path told. `tests/formats/test_malformed.py` does the same with few, and shrinks what it finds.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kit.format_cases import CASES
from kit.formats import MARKS, VALUES, read_as

import latticemetric as lm

SLOW = 2.0  # seconds of this process, however busy the machine is: what hangs takes far longer


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The bytes after one to four accidents."""
    for _ in range(chance.randint(1, 4)):
        begin, end = sorted(chance.randint(0, len(data)) for _ in range(2))
        near = min(len(data), begin + chance.randint(0, 9))
        snippet = chance.choice([*MARKS, *VALUES, chance.randbytes(chance.randint(1, 8))])
        data = chance.choice(
            [
                data[:begin] + data[end:],
                data[:begin] + data[near:],
                data[:near] + data[begin:],
                data[:begin] + snippet + data[near:],
                data[:begin] + snippet + data[begin + len(snippet) :],
            ]
        )
    return data


def try_files(name: str, count: int, seed: int) -> tuple[str, int, int, list[str]]:
    """Reads so many damaged files of a format; how many were read and refused, and what else happened."""
    warnings.simplefilter("ignore")
    chance = random.Random(f"{name} {seed}")
    case = CASES[name]
    sources = [case.valid, *(broken.data for broken in case.broken.values() if len(broken.data) < 10_000)]
    good, refused, failures = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged"
        for number in range(count):
            path.write_bytes(damaged(chance.choice([case.valid, chance.choice(sources)]), chance))
            begin = time.process_time()
            try:
                read_as(chance.choice([name, name, None]), path)
                good += 1
            except lm.LatticeMetricError:
                refused += 1
            except Exception:  # noqa: BLE001  that is what is looked for
                kept = Path(tempfile.gettempdir()) / f"{name}-{seed}-{number}"
                path.rename(kept)
                failures.append(f"{kept}: {traceback.format_exc(limit=-2)}")
            if time.process_time() - begin > SLOW:
                failures.append(f"{name}, seed {seed}, file {number}: slow")
    return name, good, refused, failures


def main() -> None:
    """Tries all formats, or those that are named."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    names = sys.argv[2:] or list(CASES)
    failed = False
    with ProcessPoolExecutor() as pool:
        for name, good, refused, failures in pool.map(try_files, names, [count] * len(names), [0] * len(names)):
            print(f"{name}: {good} read, {refused} refused, {len(failures)} failed", flush=True)
            for failure in failures[:10]:
                print(failure, file=sys.stderr)
            failed = failed or bool(failures)
    sys.exit(failed)


if __name__ == "__main__":
    main()
