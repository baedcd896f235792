"""The papers' examples run, small, and say what became of the claims."""

import subprocess
import sys

import pytest
from kit.paths import ROOT

PAPERS = ROOT / "examples" / "papers"


def lines_of(name, *arguments):
    command = [sys.executable, PAPERS / name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "claims", "row"),
    [
        ("lavie_2004.py", 3, "recall          0.7592 ± 0.2300"),
        ("banerjee_lavie_2005.py", 4, "meteor exact                     0.2944 ± 0.2193"),
        ("coughlin_2003.py", 2, "12\t0.8699\t0.7247\t0.7847"),
        ("chiang_2008.py", 4, "r over systems: bleu 0.8699 bleu-sbp 0.8680 4-grr 0.9043 4-grr -0.9 1 0.9148"),
        ("logacheva_2016.py", 4, "seqcor\t0.3333\t0\t1000"),
    ],
)
def test_an_example_says_what_became_of_the_claims(name, claims, row):
    lines = lines_of(name)
    assert sum(line.startswith(("holds here: ", "does NOT hold here: ")) for line in lines) == claims
    assert row in lines


def test_bleu_rises_when_sentences_are_emptied_and_its_strict_form_does_not(tmp_path):
    # Long outputs elsewhere pay for the empty one.
    words = "a b c d e f g h"
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "long").write_text(f"{words} i j k l\n{words} i j k l\nx y z\n")
    (tmp_path / "systems" / "short").write_text(f"{words}\na b c d x\nx b z\n")
    (tmp_path / "ref.txt").write_text(f"{words} i j\n{words} i\np q r\n")
    (tmp_path / "human.tsv").write_text("system\tsegment\tscore\nlong\t1\t5\nlong\t2\t4\nshort\t1\t3\nshort\t2\t1\n")
    name, emptied, before, after, *_ = next(
        line for line in lines_of("chiang_2008.py", tmp_path) if line.startswith("long")
    ).split("\t")
    assert (name, emptied) == ("long", "1")
    assert float(after) > float(before)
