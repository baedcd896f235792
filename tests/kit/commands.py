"""Commands as users run them: real processes, their output and exit status."""

import json
import re
import resource
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kit import forks
from kit.paths import EXAMPLES
from kit.patience import PATIENCE

PROGRAMS = Path(sys.executable).parent


MEETING = [EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"]


PROVERBS = [EXAMPLES / "proverbs.plf", EXAMPLES / "proverbs.ref.txt"]


HARBOUR = [EXAMPLES / "harbour.fst", EXAMPLES / "harbour.ref.txt"]


class Done(NamedTuple):
    """What a process left behind."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self):
        return json.loads(self.stdout)


def run(program: str, *arguments: object, stdin: bytes = b"", most_data: int | None = None, **options: object) -> Done:
    """Run a command to its end; `most_data` limits its data, in bytes."""
    command = [str(PROGRAMS / program), *map(str, arguments)]
    server = None if options.keys() - {"cwd"} else forks.socket_of_server()
    if server is not None:
        return Done(*forks.run(server, command, stdin, options.get("cwd", Path.cwd()), most_data=most_data))
    if most_data is not None:
        options["preexec_fn"] = partial(resource.setrlimit, resource.RLIMIT_DATA, (most_data, most_data))
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=PATIENCE, check=False, **options)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def oracle(*arguments: object, **options: object) -> Done:
    return run("lattice-oracle", *arguments, **options)


def good(done: Done) -> Done:
    assert (done.status, "Traceback" in done.stderr) == (0, False), done.stderr
    return done


def assert_one_line_error(done: Done, message: str) -> None:
    """One line that says what and where, exit status 2, nothing on standard output."""
    assert done.stderr.startswith("error: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert re.search(message, done.stderr), done.stderr
    assert done.stdout == ""
    assert done.status == 2


def file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
