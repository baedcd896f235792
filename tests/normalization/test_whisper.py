"""Whisper's normalizers: what the peer's own program gives, kept and asked again; and graphs."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Column
from latticemetric.normalization import whisper
from latticemetric.normalization.grammar import find_grammar
from latticemetric.normalization.whisper import whisper_basic, whisper_english

# Made with OpenAI's openai-whisper 20250625, of words below and of others.
GOLDEN = [
    json.loads(line) for line in Path(__file__).with_name("whisper.jsonl").read_text(encoding="utf-8").splitlines()
]

_WORDS = [*whisper._NUMBER_WORDS, *whisper._WHOLE_WORDS, *whisper._american_spellings()]
_PIECES = ["and a half", "(x)", "[y]", "$5", "10%", "1,000", "1.5", "3.", "$0.05", "¢7", "½", "٣", "B2B", "é", "ß", "'"]
texts = (
    st.lists(st.sampled_from(sorted(_WORDS) + _PIECES), max_size=8).map(" ".join)
    | st.lists(st.sampled_from(sorted(whisper._NUMBER_WORDS)), max_size=8).map(" ".join)
    | st.lists(st.sampled_from(list(whisper._ENDINGS) + _PIECES), max_size=6).map("".join)
    | st.text(max_size=12)
)


def test_known_texts_become_what_whisper_makes_of_them():
    assert len(GOLDEN) > 250
    for text, english, basic, plain in GOLDEN:
        assert whisper_english(text) == english
        assert whisper_basic(text) == basic
        assert whisper_basic(text, diacritics=False) == plain


@given(texts.filter(lambda text: not re.search("kinda|sorta|dunno|cause", text)))
def test_texts_become_what_the_peer_makes_of_them(text):
    # The package rewrites four words more than OpenAI's program.
    english = pytest.importorskip("whisper_normalizer.english")
    basic = pytest.importorskip("whisper_normalizer.basic")
    assert whisper_english(text) == english.EnglishTextNormalizer()(text)
    assert whisper_basic(text) == basic.BasicTextNormalizer()(text)
    assert whisper_basic(text, diacritics=False) == basic.BasicTextNormalizer(remove_diacritics=True)(text)


@pytest.mark.parametrize("word", ["kinda", "sorta", "dunno", "cause"])
def test_words_that_only_the_package_whisper_normalizer_rewrites_are_kept(word):
    assert whisper_english(f"the {word}") == f"the {word}"


def test_english_equals_more_pairs_than_whisper():
    rows = [
        line.split("\t")
        for line in Path(__file__).with_name("english_pairs.tsv").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    equal = sum(whisper_english(one).split() == whisper_english(other).split() for one, other in rows)
    assert equal == 145  # of 260; `english` makes 250 equal either way round


@pytest.mark.parametrize(
    ("name", "text", "rewritten"),
    [
        ("whisper-en", "Mr. Brown's  colours, um", "mister brown is colors"),
        ("whisper-basic", "Está (no) bien", "está bien"),
        ("whisper-basic:REMOVE_DIACRITICS", "Está bien", "esta bien"),
        ("whisper-en", "um", ""),
    ],
)
def test_they_are_grammars_by_name(name, text, rewritten):
    assert lm.normalize(text, name) == rewritten
    assert [" ".join(path.words) for path in lm.normalize_reference(text, name).paths()] == [rewritten]
    assert find_grammar(name).__reduce__() == (find_grammar, (name,))


def test_each_path_of_a_graph_is_rewritten_and_keeps_its_scores():
    scores = {"lm": Column([1.0, 2.0, 4.0, 8.0], [0.5], 1.0), "am": Column([0.0, 1.0, 0.0, 3.0], [0.0], 0.5)}
    vocabulary = lm.Vocabulary({1: "twenty", 2: "um", 3: "one", 4: "dollars"})
    lattice = lm.Lattice.from_arcs(
        [0, 0, 1, 1], [1, 1, 2, 2], [1, 2, 3, 4], final=[2], scores=scores, vocabulary=vocabulary
    )
    rewritten = lm.normalize(lattice, "whisper-en")
    expected = sorted(
        (tuple(whisper_english(" ".join(path.words)).split()), path.cost, lattice.scores_along(path.arcs))
        for path in lattice.paths()
    )
    assert expected == sorted((path.words, path.cost, rewritten.scores_along(path.arcs)) for path in rewritten.paths())
    assert ("$20",) in {path.words for path in rewritten.paths()}


def test_a_graph_of_too_many_texts_is_refused():
    arcs = [(k, k + 1) for k in range(14) for _ in "ab"]
    source, target = zip(*arcs, strict=True)
    words = [1 + k % 2 for k in range(28)]
    lattice = lm.Lattice.from_arcs(source, target, words, final=[14], vocabulary=lm.Vocabulary({1: "a", 2: "b"}))
    with pytest.raises(InputError, match="16384 paths"):
        lm.normalize(lattice, "whisper-en")
