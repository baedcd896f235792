"""Settings: frozen objects whose fields carry default, help, option and range."""

import copy
import inspect
import math
import pickle
import re
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import latticemetric as lm
from latticemetric import settings
from latticemetric.corpus.settings import ReadingSettings
from latticemetric.mbr_decoding.settings import KINDS


class Distribution(settings.Settings):
    section = "Decision"
    scale: float = settings.number(default=1.0, least=0, several=True, phrase="the scale is {}", help="Flatten.")


class Search(Distribution):
    section = "Search"
    beam: float | None = settings.number(default=None, least=0, help="Prune.", option="--beam COST")
    order: int = settings.whole(default=4, most=9, help="N.", option="--order N")
    share: float = settings.number(default=0.5, above=0, most=1, help="Share.")
    risk: str = settings.choice(default="bound", names=("bound", "exact"), help="Risk.", option="--risk")
    fast: bool = settings.flag(default=False, help="Hurry.", option="--fast")
    penalty: float = settings.number(default=0.0, several=True, help="Penalty.")
    level: float = settings.number(default=0.9, above=0, below=1, help="Level.")
    anything: object = settings.given(default=None)


def test_fields_come_in_order_with_their_sections():
    assert [*Search.fields] == ["scale", "beam", "order", "share", "risk", "fast", "penalty", "level", "anything"]
    assert Search.own == ("beam", "order", "share", "risk", "fast", "penalty", "level", "anything")
    assert [Search.fields[name].section for name in ("scale", "beam")] == ["Decision", "Search"]


def test_values_are_checked_and_kept_in_their_type():
    found = Search(scale=Fraction(1, 2), beam=np.float32(0.1), order=np.int64(3), fast=np.True_)
    assert vars(found) == {
        "scale": 0.5,
        "beam": 0.1,
        "order": 3,
        "share": 0.5,
        "risk": "bound",
        "fast": True,
        "penalty": 0.0,
        "level": 0.9,
        "anything": None,
    }
    assert [type(getattr(found, name)) for name in ("scale", "beam", "order", "fast")] == [float, float, int, bool]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scale": -1}, "the scale is -1; give a number ≥ 0"),
        ({"scale": math.nan}, "the scale is nan; give a number ≥ 0"),
        ({"scale": "1"}, "the scale is '1'; give a number ≥ 0"),
        ({"scale": None}, "the scale is None"),
        ({"beam": True}, "the beam is True"),
        ({"order": 2.0}, "the order is 2.0; give a whole number from 1 to 9"),
        ({"order": 10}, "the order is 10; give a whole number from 1 to 9"),
        ({"share": 0}, "the share is 0; give a number above 0, up to 1"),
        ({"share": 1.5}, "the share is 1.5; give a number above 0, up to 1"),
        ({"level": 1}, "the level is 1; give a number between 0 and 1"),
        ({"level": 0}, "the level is 0; give a number between 0 and 1"),
        ({"risk": "none"}, "the risk is 'none'; choose 'bound' or 'exact'"),
        ({"fast": 1}, "fast is 1; give True or False"),
        ({"penalty": math.inf}, "the penalty is inf, not a finite number; give a number like 0.1"),
        ({"width": 1}, "Search has no setting 'width'; its settings are scale, beam, order"),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(lm.UsageError) as error:
        Search(**given)
    assert str(error.value).startswith(message)


def test_settings_do_not_change():
    one = Search(beam=2)
    with pytest.raises(AttributeError, match="settings do not change"):
        one.beam = 3
    with pytest.raises(AttributeError, match="settings do not change"):
        del one.beam
    assert one.__replace__(beam=3) == Search(beam=3) != one
    with pytest.raises(lm.UsageError, match="the beam is -3"):
        one.__replace__(beam=-3)


def test_equal_settings_have_equal_values():
    matrix = np.eye(2)
    assert Search(anything=matrix) == Search(anything=matrix.copy()) != Search(anything=matrix + 1)
    assert hash(Search(anything=matrix)) == hash(Search(anything=matrix.copy()))
    assert {Search(beam=1), Search(beam=1.0)} == {Search(beam=1)}
    assert Distribution() != Search()


def test_they_are_copied_and_pickled():
    one = Search(beam=2, anything="x")
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one
    assert repr(one) == "Search(beam=2.0, anything='x')"
    assert repr(Search(scale=1, order=np.int64(4))) == "Search()"


def test_a_grid_has_all_combinations():
    found = Search.grid(penalty=[0, 1], scale=np.array([0.5, 2.0]), beam=3)
    assert [(one.scale, one.penalty, one.beam) for one in found] == [(0.5, 0, 3), (0.5, 1, 3), (2, 0, 3), (2, 1, 3)]
    assert Search.grid() == [Search()]
    assert Search.grid(scale=[]) == []
    with pytest.raises(lm.UsageError, match="the beam is"):
        Search.grid(beam=[1, 2])
    with pytest.raises(lm.UsageError, match="no setting 'width'"):
        Search.grid(width=3)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_attributes_of_a_class_name_all_its_fields(kind):
    named = "\n".join(base.__doc__ or "" for base in kind.__mro__)
    assert [name for name in kind.fields if f"        {name}: " not in named] == []
    assert all(kind.fields[name].help for name in kind.fields if kind.fields[name].option)


def described(text: str, heading: str) -> dict[str, str]:
    """The entries of a section of a docstring, by name."""
    section = re.split(r"\n\n", inspect.cleandoc(text).partition(f"{heading}:\n")[2])[0]
    entries = re.split(r"^ {4}(?=\w)", section, flags=re.MULTILINE)[1:]
    return {name: " ".join(what.split()) for name, _, what in (one.partition(":") for one in entries)}


# Where the word of the command differs: a table has no files, and combined systems have lines of texts.
OWN_WORDS = {
    ("from_records", "reference_field"),
    *(("combine_systems", name) for name in ("format", "style", "ignore")),
}


@pytest.mark.parametrize(
    "function", [lm.Corpus, lm.Corpus.read, lm.Corpus.from_records, lm.combine_systems], ids=lambda one: one.__name__
)
def test_keywords_of_reading_are_those_of_the_settings(function):
    """Signatures repeat settings, so that editors and type checkers show them; defaults and meanings must not part."""
    known = described(ReadingSettings.__doc__, "Attributes")
    assert known.keys() == ReadingSettings.fields.keys()
    parameters, texts = inspect.signature(function).parameters, described(function.__doc__, "Args")
    shared = [name for name in parameters if name in ReadingSettings.fields]
    assert {"weights", "lowercase", "ignore"} <= set(shared)
    assert function is not lm.Corpus.read or set(shared) == ReadingSettings.fields.keys()
    for name in shared:
        assert parameters[name].default == ReadingSettings.fields[name].default, name
        if (function.__name__, name) not in OWN_WORDS:
            assert texts[name] == known[name], name


def test_a_field_like_another_differs_in_the_changes_only():
    class Wide(settings.Settings):
        section = "Wide"
        beam: float | None = settings.like(Search.fields["beam"], default=2.0, option="")

    assert (Wide().beam, Wide.fields["beam"].help, Wide.fields["beam"].option) == (2.0, "Prune.", "")
    assert (Search().beam, Search.fields["beam"].section, Wide.fields["beam"].section) == (None, "Search", "Wide")
    with pytest.raises(lm.UsageError, match="the beam is -1; give a number ≥ 0"):
        Wide(beam=-1)


def test_help_reads_fields_without_numpy():
    program = (
        "import sys, latticemetric.mbr_decoding.settings; "
        "print([name for name in ('numpy', 'dataclasses', 'inspect') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
