"""Errors for old names of the package say the new ones, and the new ones exist."""

from operator import attrgetter

import pytest

import latticemetric as lm
from latticemetric.renamed import PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_removed_name_of_the_package_says_the_new_one(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; use latticemetric.{PUBLIC[name]}"):
        getattr(lm, name)
    assert not hasattr(lm, name)
    assert name not in dir(lm)
    assert callable(attrgetter(PUBLIC[name].partition("(")[0])(lm))


def test_a_name_that_the_package_never_had_gets_no_advice():
    with pytest.raises(AttributeError, match=r"no attribute 'oracel'$"):
        lm.oracel  # noqa: B018
