"""1-bests that kernels find in blocks are those of lattices that are searched one by one."""

import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import latticemetric as lm
from corpus.test_blocks import NUMBERS, TABLES, archives, as_binary
from latticemetric.corpus import best_blocks

WEIGHTS = [None, {"acoustic": 0.1}, {"lm": 0.0, "acoustic": -2.0}, {"lm": 1e200, "acoustic": 1e308}]
FORMATS = ["text", "tsv", "json", "jsonl"]


def written(folder, data, *, symbols=None, weights=None, name="kaldi", posterior_scale=1.0, **run):
    """Return the answers of an archive in each format, and their records; or the error that ends the run."""
    (folder / "lattices").write_bytes(data)
    if isinstance(symbols, str):
        (folder / "symbols").write_text(symbols, encoding="utf-8")
        symbols = folder / "symbols"
    found = []
    for form in FORMATS:
        corpus = lm.Corpus.read(folder / "lattices", format=name, weights=weights, symbols=symbols)
        answers = corpus.best(posterior_scale=posterior_scale, **run)
        try:
            answers.write(folder / "answers", format=form)
            found.append((folder / "answers").read_bytes())
        except lm.LatticeMetricError as error:
            found.append(str(error))
    try:
        return [*found, [(one.name, one.value, str(one.problem), one.where, one.format) for one in answers]]
    except lm.LatticeMetricError as error:
        return [*found, str(error)]


def written_alone(*given, **named):
    """Return what `written` returns of lattices that are searched one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_blocks, "may_be_blocks", lambda *_: False)
        return written(*given, **named)


@given(
    archive=archives(),
    weights=st.sampled_from(WEIGHTS),
    scale=st.sampled_from([1.0, 0.1, 7.0]),
    workers=st.sampled_from([1, 3]),
    keep_going=st.booleans(),
    size=st.sampled_from([1, 200, 2**20]),
)
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_1_bests_in_blocks_are_those_one_by_one(  # noqa: PLR0917
    tmp_path_factory, archive, weights, scale, workers, keep_going, size
):
    folder, (lattices, _) = tmp_path_factory.mktemp("archive"), archive
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_blocks, "MOST_BYTES", size)
        given_ = {"weights": weights, "posterior_scale": scale, "keep_going": keep_going}
        ours = written(folder, lattices.encode(), workers=workers, **given_)
    assert ours == written_alone(folder, lattices.encode(), workers=1, **given_)


@given(
    archive=archives(words=NUMBERS),
    compact=st.booleans(),
    symbols=st.sampled_from([None, *TABLES, lm.Vocabulary({1: "a", 2: "b c"})]),
)
@settings(deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_binary_archives_in_blocks_are_those_one_by_one(tmp_path_factory, archive, compact, symbols):
    folder, data = tmp_path_factory.mktemp("archive"), as_binary(archive[0], compact=compact)
    given_ = {"symbols": symbols, "name": "kaldi-binary", "keep_going": True}
    assert written(folder, data, **given_) == written_alone(folder, data, **given_)


def test_blocks_are_used_and_answers_are_made_when_they_are_read(tmp_path):
    path = tmp_path / "lattices"
    path.write_text("".join(f"u{k} \n0 1 a {k},1,\n0 1 b 0.5,{k},\n1\n\n" for k in range(40)))
    found = list(lm.Corpus.read(path).best())
    assert all(answer.row is not None and "value" not in vars(answer) for answer in found)
    best = found[7].value
    assert (best.words, best.cost, best.scores) == (("b",), 7.5, {"lm": 0.5, "acoustic": 7.0})
    assert math.isclose(best.posterior, 1 / (1 + math.exp(-0.5)))
    again = pickle.loads(pickle.dumps(found[8]))
    assert (again, again.row) == (found[8], None)


def test_other_formats_in_the_middle_are_answered_too(tmp_path):
    (tmp_path / "1.lat.txt").write_text("u1 \n0 1 a 0,1,\n1\n\n")
    (tmp_path / "2.slf").write_text("VERSION=1.0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=b a=-1\n")
    (tmp_path / "3.lat.txt").write_text("u3 \n0 1 c 0,1,\n1\n\n")
    found = lm.Corpus.read(tmp_path).best()
    assert [(answer.name, answer.value.words) for answer in found] == [("u1", ("a",)), ("2", ("b",)), ("u3", ("c",))]
