"""One idea, one name: over all options of all commands, and over the parameters of Python's functions."""

import importlib.util
import sys
from collections import defaultdict

import pytest
from kit.paths import ROOT


@pytest.fixture(scope="module")
def table():
    """The script that makes the table of the pages, from the code."""
    file = ROOT / "docs" / "_extensions" / "option_table.py"
    spec = importlib.util.spec_from_file_location("option_table", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["option_table"] = module
    spec.loader.exec_module(module)
    return module


# Fields with a name of their own, since they are read as something else: a grid of scales, files of references, the
# width of bins; or with their name in Python: the number of strings that `nbest` lists.
OWN_FIELDS = {
    ("--nbest", "n"),
    ("--reference", "files"),
    ("--all", "which"),
    ("--gaps", "which"),
    ("--words", "which"),
    ("--bin-width", "width"),
}
# The same words in two helps, on purpose.
TWINS = {frozenset({"--beam", "--beams"})}


def test_an_option_sets_one_field_in_all_commands(table):
    fields = defaultdict(set)
    for one in table.options():
        if (one.long, one.field) not in OWN_FIELDS:
            fields[one.long].add(one.field)
    assert {name: found for name, found in fields.items() if len(found) > 1} == {}


def test_a_field_has_one_option(table):
    names = defaultdict(set)
    for one in table.options():
        if (one.long, one.field) not in OWN_FIELDS:
            names[one.field].add(one.long)
    # `references` of correlate are files; those of others are arguments.
    assert {field: found for field, found in names.items() if len(found) > 1} == {}


def test_two_options_say_different_things(table):
    said = defaultdict(set)
    for one in table.options():
        said[one.text].add(one.long)
    assert {text: names for text, names in said.items() if len(names) > 1 and frozenset(names) not in TWINS} == {}


def test_every_option_has_a_long_form(table):
    assert [one.names for one in table.options() if not any(name.startswith("--") for name in one.names)] == []


def test_no_other_name_of_an_idea_comes_back(table):
    options = {one.long.lstrip("-").replace("-", "_") for one in table.options()} | {
        one.field for one in table.options()
    }
    parameters = set(table.parameters())
    for name, others in table.ONE_NAME.items():
        assert not others & parameters, (name, others & parameters)
        assert not others & options, (name, others & options)


def test_exceptions_are_of_options_and_parameters_that_there_are(table):
    options, parameters = {one.long for one in table.options()}, table.parameters()
    for option, parameter in table.PYTHON_NAMES.items():
        assert option in options
        assert parameter in parameters


def test_an_option_and_its_parameter_have_one_name(table):
    """What both worlds know by the same field is spelled alike in both, but for the exceptions."""
    parameters = table.parameters()
    for one in table.options():
        spelled = {name.lstrip("-").replace("-", "_") for name in one.names}
        if one.field in parameters and one.field not in spelled:
            assert table.PYTHON_NAMES.get(one.long) == one.field or (one.long, one.field) in ALLOWED, one


# Several values of a repeatable option, and fields that mean other things than parameters of the same name.
ALLOWED = {
    ("--reference", "references"),
    ("--reference-text", "texts"),
    ("--id", "name"),
}


def test_the_table_has_every_option(table):
    page = table.page()
    assert all(f"`{name}`" in page for one in table.options() for name in one.names)
