"""The version stands in one place; a release changes one line."""

import re
import subprocess

import pytest
from kit.paths import ROOT

from latticemetric.metrics.signature import VERSION

HOME = "latticemetric/metrics/signature.py"
# History: what was measured with a version, and what a version brought.
RECORDS = re.compile(r"^(docs/performance/|CHANGELOG\.md)")


def sources():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a checkout")
    for name in listed.stdout.split("\0")[:-1]:
        if not RECORDS.match(name) and (ROOT / name).is_file():
            yield name, (ROOT / name).read_text(encoding="utf-8", errors="replace")


def test_the_version_stands_in_one_file_and_no_signature_repeats_it():
    literal = re.compile(rf"\bv:\d+\.\d|(?<![\w.=<>~]){re.escape(VERSION)}(?![\w.])")
    found = {name: len(matches) for name, text in sources() if (matches := literal.findall(text))}
    assert found == {HOME: 1}


@pytest.mark.parametrize(("tag", "status"), [(f"v{VERSION}", 0), ("v99.1.0", 1), (VERSION, 1), ("", 1)])
def test_a_release_needs_a_tag_of_this_version(tag, status):
    script = ROOT / ".ci" / "tag"
    if not script.is_file():
        pytest.skip("source archives have no checks of releases")
    done = subprocess.run([script, tag], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr == ("" if status == 0 else f"error: the tag is '{tag}', but {HOME} says {VERSION}\n")


@pytest.mark.parametrize(("subject", "status"), [("Add a reader", 0), ("é" * 72, 0), ("x" * 73, 1)])
def test_subjects_of_commits_have_72_characters_at_most(tmp_path, subject, status):
    script = ROOT / ".ci" / "subjects"
    if not script.is_file():
        pytest.skip("source archives have no checks of commits")
    message = tmp_path / "message"
    message.write_text(f"{subject}\n\n{'long ' * 30}\n", encoding="utf-8")
    refused = f"error: {len(subject)} characters, 72 at most: {subject}\n" if status else ""
    as_hook = subprocess.run([script, message], capture_output=True, text=True, check=False)
    in_ci = subprocess.run([script], input=f"Fine\n{subject}\n", capture_output=True, text=True, check=False)
    assert as_hook.returncode == in_ci.returncode == status
    assert as_hook.stderr == in_ci.stderr == refused
