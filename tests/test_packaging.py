"""What pyproject.toml promises to those who install the package."""

import re
import tomllib

from kit.paths import ROOT
from packaging.requirements import Requirement

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_oldest_builder_allowed_knows_the_licence():
    assert isinstance(PROJECT["project"]["license"], str)  # an expression: scikit-build-core 0.10 refuses it
    (builder,) = (one for one in PROJECT["build-system"]["requires"] if one.startswith("scikit-build-core"))
    assert not Requirement(builder).specifier.contains("0.10.7")
    assert PROJECT["tool"]["scikit-build"]["minimum-version"] == "0.11"


def test_the_page_on_installing_names_what_is_installed():
    rows = re.findall(
        r"^\| `latticemetric` \| (.+?) \|", (ROOT / "docs" / "installing.md").read_text("utf-8"), re.MULTILINE
    )
    named = set(re.findall(r"[\w.]+", rows[0].lower()))
    assert {Requirement(one).name.lower() for one in PROJECT["project"]["dependencies"]} - named == set()
