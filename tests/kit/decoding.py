"""Commands that decode, and what Python answers to the same."""

import json
import subprocess
import sys
from pathlib import Path

import latticemetric as lm
from kit.paths import EXAMPLES

PROGRAM = Path(sys.executable).parent / "latticemetric"


MEETING = str(EXAMPLES / "meeting.lat.txt")


FERRY = str(EXAMPLES / "ferry.slf")


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (status if isinstance(status, tuple) else (status,)), done.stderr
    return done


def items(*arguments):
    return [json.loads(line) for line in run(*arguments, "--format", "jsonl").stdout.splitlines()]


def graphs(path):
    return dict(lm.read(path))
