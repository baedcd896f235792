"""Lines begin with ids if the lines of all files say so, and sentences whose first words coincide do not."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric.line_ids import Ids, Lines, judge_lines


def lines(text: str, name: str = "x") -> Lines:
    return Lines(name, [line.split() for line in text.split("\n")])


def files(*texts: str) -> list[Lines]:
    return [lines(text.replace(" / ", "\n"), name) for text, name in zip(texts, "xyz", strict=False)]


KEYED = {
    "utterances": ("utt1 a / utt2 b", "utt1 a / utt2 c"),
    "another order": ("utt1 a / utt2 b", "utt2 b / utt1 a"),
    "silence": ("ann_1 a / ann_2 / bob_3", "bob_3 c / ann_1 a / ann_2 b"),
    "blank lines": ("utt1 a /  / utt2 b", "utt1 a / utt2 b"),
    "speakers of LibriSpeech": ("84-121-0000 a / 174-50-0001 b", "174-50-0001 b / 84-121-0000 a"),
    "numbers": ("1 a / 2 b / 3 c", "3 c / 1 a / 2 d"),
    "names in another order": ("anna hello there / bert good day", "bert good day / anna hello"),
    "an id twice": ("utt1 a / utt1 b / utt2 c / utt3 d", "utt1 a / utt2 c / utt3 d"),
    "ids before pinyin": (
        "BAC002S01W01 ni3 hao3 / BAC002S02W01 zai4 jian4 / BAC002S02W02 xie4 xie4",
        "BAC002S01W01 ni3 hao3 / BAC002S02W02 xie4 xie5 / BAC002S02W01 zai4 jian4",
    ),
    "names of recordings": (
        "data/ann.wav a / data/bob.wav b / carl.FLAC c",
        "data/ann.wav a / data/bob.wav b / carl.FLAC d",
    ),
    "three files": ("utt1 a / utt2 b", "utt2 b / utt1 a", "utt1 / utt2 c"),
}
PINYIN = (
    "ni3 hao3 lao3 shi1 / wo3 men5 shang4 ke4 / ta1 bu4 lai2 / jin1 tian1 re4 / na3 li3 you3 / shei2 zhi1 dao4 / "
    "zai4 jian4 / qing3 zuo4 / xie4 xie4 nin2 / dui4 bu4 qi3 / mei2 guan1 xi5 / hen3 gao1 xing4"
)
PLAIN = {
    "a line": ("hello world", "hello world"),
    "an id": ("utt1 hello", "utt1 hello"),
    "equal sentences": ("yes I do / no I do not / may be", "yes I do / no I do not / may be"),
    "equal first words": ("yes I do / no I do not", "yes we do / no we do not"),
    "exchanged first words": ("yes I do / no I do not", "no I do / yes I do not"),
    "exchanged pronouns": ("he said hello / she said bye / it rains", "she said hello / he said bye / it rains"),
    "words with digits": ("2nd place for B2B / 3D prints are new", "2nd place for B2B / 3D prints are out"),
    "a sentence twice": ("utt-1 a / utt-1 b", "utt-1 a / utt-1 b"),
    "digits": ("1 2 3 / 4 5 6 / 7 8 9", "1 2 3 / 4 5 6 / 7 8 0"),
    "pinyin": (PINYIN, PINYIN.replace("lao3", "lao4")),
    "pinyin with errors": (PINYIN, PINYIN.replace("wo3 men5", "wo4 men5").replace("jin1", "jing1")),
    "tagged words": ("The_DT dog_NN barks_VB / Anna_NN sleeps_VB", "The_DT fog_NN barks_VB / Ann_NN sleeps_VB"),
    "units of speech": ("u12 u5 u7 u7 / u4 u12 / u9 u3 u1", "u12 u5 u7 / u5 u12 / u9 u3 u1"),
    "amounts": ("10 euros / 25 percent / 3 pounds", "10 euros / 25 percent / 3 pounds"),
    "isolated words": ("A1 / B2 / C3 / D4", "A1 / B2 / C3 / D4"),
    "other words": ("the cat / a dog", "the hat / a dog"),
    "unequal lengths": ("the cat / a dog", "the cat"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("texts", KEYED.values(), ids=KEYED)
def test_lines_that_begin_with_the_same_ids_are_keyed(texts):
    verdict = judge_lines(files(*texts))
    assert verdict.keyed
    assert verdict.note.startswith("lines begin with ids")


@pytest.mark.parametrize("texts", PLAIN.values(), ids=PLAIN)
def test_sentences_whose_first_words_coincide_are_plain(texts):
    assert not judge_lines(files(*texts)).keyed


@pytest.mark.parametrize("name", ["an id", "exchanged first words", "words with digits", "amounts"])
def test_it_is_said_if_first_words_may_be_ids(name):
    assert 'give style="keyed", otherwise style="plain"' in judge_lines(files(*PLAIN[name])).note


def test_single_lines_that_begin_with_other_ids_are_in_doubt():
    assert "begin with 'u1', 'u2', which count as words; if they are ids" in judge_lines(files("u1 a", "u2 b")).note
    for texts in (("u1", "u2"), ("2 men", "3 men"), ("u1 a", "the b"), ("u1 a", "v2 a")):
        assert judge_lines(files(*texts)).note == ""


OF_ONE_FILE = {
    "two numbers": ("1 a b / 2 c d", "a b / c d", "lines begin with '1', '2', unlike other,"),
    "a number": ("1 a b", "a b", "the line begins with '1', unlike other, which counts as a word"),
    "numbers with gaps": (
        "10 a b / 20 c d / 35 e f",
        "a b / c x d / e f",
        "begin with '10', '20', '35', unlike other,",
    ),
    "numbers with colons": (
        "1: a b / 2: c d / 3: e f",
        "a b / c d / e f",
        "begin with '1:', '2:', '3:', unlike other,",
    ),
    "names": ("anna a b / bob c d / carl e f", "a b / c d / e f", "begin with 'anna', 'bob', 'carl', unlike other,"),
    "an empty reference": ("3 a b / 7 / 9 e f", "a b /  / e f", "begin with '3', '7', '9', unlike other,"),
    "numbers at the end": ("a b 1 / c d 2", "a b / c d", "lines end with '1', '2', unlike other,"),
    "ids of trn": ("a b (u1) / c d (u2)", "a b / c d", "lines end with '(u1)', '(u2)', unlike other,"),
    "the same at the end": ("a k1 / c d k2 / e k3", "b k1 / c d k2 / e k3", "'k1', 'k2', 'k3', as in the other file,"),
}


@pytest.mark.parametrize(("one", "other", "said"), OF_ONE_FILE.values(), ids=OF_ONE_FILE)
def test_ids_of_one_side_never_count_as_words_in_silence(one, other, said):
    both = [lines(one.replace(" / ", "\n"), "one"), lines(other.replace(" / ", "\n"), "other")]
    for several in (both, both[::-1]):
        verdict = judge_lines(several)
        assert not verdict.keyed
        assert said in verdict.note
        assert (
            'if they are ids, remove them or write them first in all files, otherwise give style="plain"'
            in verdict.note
        )


def test_texts_that_lack_a_first_word_are_in_no_doubt():
    for texts in (
        ("well the cat", "the cat"),
        ("the cat / a dog / the hat", "cat / dog / hat"),
        ("the cat / a dog", "cat the / dog"),
        ("two cats / no dogs", "a cat / a dog"),
        ("a b / c", "a / d"),
    ):
        assert judge_lines(files(*texts)).note == ""


def test_words_without_a_text_are_in_no_doubt():
    """Isolated words, in any order, are no ids: nothing would be left to compare."""
    assert judge_lines(files("yes / no / maybe", "no / yes / maybe")).note == ""


def test_thousands_of_the_same_different_first_words_are_noted():
    text = " / ".join(f"{'abcdefghij'[k // 10]}{'abcdefghij'[k % 10]} x" for k in range(100))
    verdict = judge_lines(files(text, text))
    assert not verdict.keyed
    assert "which count as words" in verdict.note


MISMATCHED = {
    "case": ("utt1 a / utt2 b", "utt1 a / UTT2 b", "utt2", "UTT2"),
    "missing": ("utt1 a / utt2 b / utt3 c", "utt1 a / utt3 c", "utt2", "none"),
    "no ids": (
        "utt1 a / utt2 b / utt3 c / utt4 d",
        "the cat / a dog / two men / go",
        "utt1', 'utt2', 'utt3', …",
        "the",
    ),
    "a gap": ("4 a / 5 b / 6 c / 7 d", "4 a / 5 b / 7 d", "6", "none"),
}


@pytest.mark.parametrize(("one", "other", "here", "there"), MISMATCHED.values(), ids=MISMATCHED)
def test_ids_that_do_not_match_are_refused_with_ids_of_each_side(one, other, here, there):
    for texts in ((one, other), (other, one)):
        with pytest.raises(lm.FormatError, match=r"seem to begin with ids.*style=\"plain\"") as refused:
            judge_lines(files(*texts))
        assert here in str(refused.value)
        assert there in str(refused.value)
    assert ("differ only in case" in str(refused.value)) == (here.lower() == there.lower())


def test_ids_of_a_format_are_certain():
    known = [Ids("k", ["a", "b"])]
    assert judge_lines(files("b hello / a world"), known).keyed
    assert not judge_lines(files("the cat / the dog"), known).keyed
    for other in ("a hello / c world", "utt1 hello / utt2 world"):
        with pytest.raises(lm.FormatError, match="are not those of k"):
            judge_lines(files(other), known)


WORDS = ["the", "a", "he", "she", "it", "we", "you", "they", "yes", "no", "and", "but", "so", "well", "in", "on", "now"]
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=40)


@given(sentences, st.randoms())
def test_texts_without_ids_are_plain_or_in_doubt(texts, chance):
    """A recogniser's errors in any words, also in the first ones, do not make ids of words."""
    said = [[w if chance.random() < 0.8 else chance.choice(WORDS) for w in words] for words in texts]
    assert not judge_lines([Lines("x", said), Lines("y", texts)]).keyed


@pytest.mark.parametrize("count", [2, 3, 10, 5000])
@pytest.mark.parametrize("name", ["utt{}", "S{:04}_rec", "1089-134686-{:04}", "{}"])
def test_any_number_of_ids_in_any_order_are_keyed(count, name):
    if name == "{}" and count == 2:
        pytest.skip("two lines may begin with 1 and 2 by chance")
    texts = [[name.format(k), *"abc"[: k % 4]] for k in range(1, count + 1)]
    shuffled = random.Random(count).sample(texts, count)
    assert judge_lines([Lines("x", texts), Lines("y", shuffled)]).keyed
    assert judge_lines([Lines("x", texts), Lines("y", texts)]).keyed
    with pytest.raises(lm.FormatError):
        judge_lines([Lines("x", texts), Lines("y", [*shuffled[:-1], ["zz", "a"]])])
