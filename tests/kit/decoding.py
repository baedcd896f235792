"""Commands that decode, and what Python answers to the same."""

import json
import sys
from pathlib import Path

import latticemetric as lm
from kit import commands
from kit.paths import EXAMPLES

PROGRAM = Path(sys.executable).parent / "latticemetric"


MEETING = str(EXAMPLES / "meeting.lat.txt")


FERRY = str(EXAMPLES / "ferry.slf")


def run(*arguments, status=0):
    done = commands.run("latticemetric", *arguments)
    assert done.status in (status if isinstance(status, tuple) else (status,)), done.stderr
    return done


def items(*arguments):
    return [json.loads(line) for line in run(*arguments, "--format", "jsonl").stdout.splitlines()]


def graphs(path):
    return dict(lm.read(path))
