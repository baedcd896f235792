"""Answers have what users look for: the numbers of a score, and one row per string in data frames."""

import pytest

import latticemetric as lm

LATTICE = lm.Lattice.from_strings(["a b", "a c", "d"], costs=[1.0, 2.0, 3.0])


def test_the_answer_of_an_oracle_has_the_numbers_of_its_score():
    answer = lm.Corpus([LATTICE], ["a x"]).oracle("wer")["1"]
    found = lm.oracle(LATTICE, "a x", "wer")
    for name in ("words", "score", "numerator", "denominator", "statistics", "cost", "reference"):
        assert getattr(answer, name) == getattr(found, name), name
    assert (answer.numerator, answer.denominator, answer.score) == (1, 2, 0.5)


def test_a_failed_answer_raises_its_error_for_each_number():
    answer = next(iter(lm.Corpus({"u": LATTICE}, {}).oracle("wer", keep_going=True)))
    for name in ("numerator", "denominator", "statistics", "cost"):
        with pytest.raises(lm.InputError, match="there is no reference for 'u'"):
            getattr(answer, name)


def test_data_frames_of_nbest_have_one_row_per_string():
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    answers = lm.Corpus({"u": LATTICE, "v": lm.Lattice.from_strings(["e"])}).nbest(2)
    frame = answers.to_pandas()
    assert frame[["id", "rank", "hypothesis", "cost"]].values.tolist() == [
        ["u", 1, "a b", 1.0], ["u", 2, "a c", 2.0], ["v", 1, "e", 0.0],
    ]  # fmt: skip
    assert answers.to_arrow()["hypothesis"].to_pylist() == ["a b", "a c", "e"]
    assert [len(record["paths"]) for record in answers.to_records()] == [2, 1]
