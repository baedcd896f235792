"""Errors by class of words: they add up to those of WER."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.errors import UsageError
from latticemetric.metrics.classes import ClassErrors, errors_by_class

words = st.lists(st.sampled_from("abc"), max_size=7)


@given(words, words, st.data())
def test_classes_add_up_to_the_errors_of_all_words(hypothesis, reference, data):
    classes = data.draw(st.lists(st.sampled_from(["", "X", "Y"]), min_size=len(reference), max_size=len(reference)))
    found = errors_by_class(hypothesis, reference, classes)
    total = sum(found.values(), ClassErrors())
    alignment = lm.WER().align(hypothesis, reference)
    assert total.words == len(reference)
    assert [total.substitutions, total.deletions, total.insertions] == [alignment.edits.count(edit) for edit in "SDI"]
    # By the definition: the class of a reference word; of an insertion, that of both its neighbours.
    rows, at = [], 0
    for edit in alignment.edits:
        before = classes[at - 1] if at else None
        after = classes[at] if at < len(classes) else None
        rows.append((after if edit != "I" else before if before == after and before is not None else "", edit))
        at += edit != "I"
    for kind, errors in found.items():
        edits = [edit for one, edit in rows if one == kind]
        assert errors.words == len([edit for edit in edits if edit != "I"])
        assert (errors.substitutions, errors.deletions, errors.insertions) == tuple(map(edits.count, "SDI"))
    assert {kind for kind, _ in rows} == set(found)


def test_a_rate_needs_words():
    assert ClassErrors(insertions=1).rate is None
    assert ClassErrors(4, 1, 1, 1).rate == 0.75
    with pytest.raises(UsageError, match="1 classes for 2 reference words"):
        errors_by_class("a", "a b", ["X"])
