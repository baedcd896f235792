"""N-best lists of SRILM, lattice-rescore, ESPnet, WeNet and icefall, and as JSON lines."""

import re
from pathlib import Path

from hypothesis import strategies as st

import latticemetric as lm
from kit import formats
from kit.formats import NAMES, PLAIN_WORDS, SPACED_WORDS, Broken, Case, nbest_lists, scores, small_nbest
from latticemetric.nbest import Hypothesis

# In lines without a mark of their own, a bar at the end makes a command of a Kaldi script, brackets at the end make a
# transcript with an id, and a number makes the time of a word in a CTM: --from must tell.
_CLEAR_WORDS = [word for word in PLAIN_WORDS if word not in {"|", "(x)", "1984"}]


def lists_of(
    weights: dict[str, float], words: list[str] = PLAIN_WORDS, longest: int = 4
) -> st.SearchStrategy[lm.NBest]:
    """N-best lists whose hypotheses all have these scores."""
    texts = st.lists(st.sampled_from(words), max_size=5).map(tuple)
    costs = st.fixed_dictionaries(dict.fromkeys(weights, scores))
    some = st.lists(st.builds(Hypothesis, texts, costs), min_size=1, max_size=longest)
    return some.map(lambda hypotheses: lm.NBest(tuple(hypotheses), weights))


def renamed(graph: lm.NBest, name: str) -> lm.NBest:
    """A list with one score, under another name."""
    hypotheses = tuple(Hypothesis(h.words, {name: sum(h.scores.values())}) for h in graph.hypotheses)
    return lm.NBest(hypotheses, {name: 1.0})


@st.composite
def with_number_of_words(draw: st.DrawFn) -> lm.NBest:
    graph = draw(lists_of({"acoustic": 1.0, "lm": 1.0}, _CLEAR_WORDS))
    counts = st.integers(0, 999).map(float)
    hypotheses = tuple(Hypothesis(h.words, {**h.scores, "nwords": draw(counts)}) for h in graph.hypotheses)
    return lm.NBest(hypotheses, {"acoustic": 1.0, "lm": 1.0, "nwords": 0.0})


# --- SRILM

OWN = b"-1200.5 -12.25 2 a b\n"
DECIPHER_1 = b"NBestList1.0\n(-1000) a b\n"
DECIPHER_2 = b"""NBestList2.0
(-1600) the ( st: 0.00 et: 0.20 g: -100 a: -500 ) cat ( st: 0.21 et: 0.50 g: -200 a: -600 )
(-1700) a ( st: 0.00 et: 0.20 g: -150 a: -500 ) cat ( st: 0.21 et: 0.50 g: -200 a: -600 )
"""

_SRILM = {
    "two fields": Broken(OWN + b"-1 -2\n", 2, "does not begin with acoustic score, LM score"),
    "acoustic score that is no number": Broken(OWN + b"low -2 1 a\n", 2, "'low' is not a number"),
    "language score that is no number": Broken(OWN + b"-1 -2,5 1 a\n", 2, "'-2,5' is not a number"),
    "number of words with a point": Broken(OWN + b"-1 -2 1.0 a\n", 2, "'1.0' is not a number of words"),
    "negative number of words": Broken(b"-1 -2 -1 a\n", 1, "'-1' is not a number of words"),
    "number of words in other digits": Broken("-1 -2 \u0661 a\n".encode(), 1, "is not a number of words"),
    "a huge number of words": Broken(b"-1 -2 " + b"9" * 1000 + b" a\n", 1, "is not a number of words"),
    "score with underscore": Broken(b"-1_0 -2 1 a\n", 1, "'-1_0' is not a number"),
    "score in other digits": Broken("-\u0661 -2 1 a\n".encode(), 1, "is not a number"),
    "score nan": Broken(b"-1 NaN 1 a\n", 1, "not finite"),
    "score infinite": Broken(b"-inf -2 1 a\n", 1, "not finite"),
    "score too large": Broken(b"-1e308 -1e308 1 a\n", 1, "not finite"),
    "an absurd exponent": Broken(b"-1e999999999999 -2 1 a\n", 1, "not finite"),
    "a long number": Broken(b"-" + b"9" * 1_000_000 + b" -2 1 a\n", 1, "is not a number"),
    "a header alone": Broken(b"NBestList1.0\n", None, "the n-best list is empty"),
    "total without brackets": Broken(DECIPHER_1 + b"-1000 a\n", 3, "a score in brackets"),
    "total with a space": Broken(DECIPHER_1 + b"( -1000) a\n", 3, "a score in brackets"),
    "total that is no number": Broken(DECIPHER_1 + b"(low) a\n", 3, "'low' is not a number"),
    "total empty": Broken(DECIPHER_1 + b"() a\n", 3, "'' is not a number"),
    "another version": Broken(b"NBestList3.0\n(-1000) a\n", 1, "does not begin with acoustic score"),
    "words without times": Broken(b"NBestList2.0\n(-10) a b\n", 2, "not every word is followed by ( st:"),
    "a word cut short": Broken(DECIPHER_2[:-3] + b"\n", 3, "not every word is followed by"),
    "marks exchanged": Broken(DECIPHER_2.replace(b"g: -150 a:", b"a: -150 g:"), 3, "'a' is not followed by"),
    "time that is no number": Broken(DECIPHER_2.replace(b"0.21", b"soon"), 2, "'soon' is not a number"),
    "time nan": Broken(DECIPHER_2.replace(b"0.21", b"nan"), 2, "not finite"),
    "word scores that are too large": Broken(DECIPHER_2.replace(b"a: -", b"a: -1e306"), 2, "not finite"),
    "own lines below a header": Broken(b"NBestList1.0\n" + OWN, 2, "a score in brackets"),
    "not utf8": Broken(OWN + b"-1 -2 1 \xe9t\xe9\n", 2, "UTF-8"),
    "utf16": Broken(OWN.decode().encode("utf-16"), 1, "UTF-8"),
}

# --- lattice-rescore

RESCORED = b"utt-1-0   172.140 -11.500  -9.250 |    HERE WE GO\nutt-1-1   170.000 -13.000 -10.500 |    HERE AGAIN\n"

_RESCORE = {
    "no bar": Broken(RESCORED + b"utt-1-2 1 2 3 a\n", 3, "not 'utt-0 scores | words'"),
    "no id": Broken(RESCORED + b" | a\n", 3, "not 'utt-0 scores | words'"),
    "id without a number": Broken(RESCORED + b"utt 1 2 3 | a\n", 3, "'utt' is not an utterance and a number"),
    "number alone": Broken(b"-0 1 2 | a\n", 1, "'-0' is not an utterance and a number"),
    "a huge number": Broken(b"utt-" + b"9" * 5000 + b" 1 2 | a\n", 1, "is not an utterance and a number"),
    "number in other digits": Broken("utt-\u0660 1 2 | a\n".encode(), 1, "is not an utterance and a number"),
    "a hypothesis left out": Broken(RESCORED + b"utt-1-3 1 2 3 | a\n", 3, "expected hypothesis 2, found 3"),
    "a hypothesis twice": Broken(RESCORED + b"utt-1-1 1 2 3 | a\n", 3, "expected hypothesis 2, found 1"),
    "a list from one": Broken(b"u-1 1 2 | a\n", 1, "expected hypothesis 0, found 1"),
    "not in one piece": Broken(RESCORED + b"u-0 1 2 | a\nutt-1-2 1 2 3 | a\n", 4, "not adjacent"),
    "fewer scores": Broken(RESCORED + b"utt-1-2 1 2 | a\n", 3, "2 scores, but the first hypothesis has 3"),
    "score nan": Broken(RESCORED + b"utt-1-2 1 nan 3 | a\n", 3, "not finite"),
    "score infinite": Broken(RESCORED + b"utt-1-2 1 -inf 3 | a\n", 3, "not finite"),
    "score too large": Broken(RESCORED + b"utt-1-2 1 1e999 3 | a\n", 3, "not finite"),
    "score that is no number": Broken(RESCORED + b"utt-1-2 1 low 3 | a\n", 3, "'low' is not a number"),
    "score with underscore": Broken(RESCORED + b"utt-1-2 1 1_0 3 | a\n", 3, "'1_0' is not a number"),
    "not utf8": Broken(RESCORED + b"utt-1-2 1 2 3 | \xe9t\xe9\n", 3, "UTF-8"),
    "bars": Broken(b"|" * 100_000 + b"\n", 1, "not 'utt-0 scores | words'"),
}

# --- WeNet

WENET = b"wav utt-1\ncandidate -1.5 a b\ncandidate -2.25 a\n"

_WENET = {
    "candidate first": Broken(b"candidate -1 a\n", 1, "before the first 'wav KEY'"),
    "key missing": Broken(WENET + b"wav\n", 4, "neither a key nor a candidate"),
    "two keys": Broken(WENET + b"wav a b\n", 4, "neither a key nor a candidate"),
    "a message between": Broken(
        WENET + b"I0101 decoder_main.cc:79] num frames 12\n", 4, "neither a key nor a candidate"
    ),
    "words alone": Broken(b"wav utt-1\na b\n", 2, "write lines 'wav KEY' or 'candidate SCORE TEXT'"),
    "key in another case": Broken(WENET + b"WAV utt-2\n", 4, "neither a key nor a candidate"),
    "key twice": Broken(WENET + b"wav utt-2\n" + WENET, 5, "(utt-1): the id appears twice"),
    "no score": Broken(WENET + b"candidate\n", 4, "the candidate has no score"),
    "score that is no number": Broken(WENET + b"candidate good a\n", 4, "'good' is not a number"),
    "score with underscore": Broken(WENET + b"candidate -1_0 a\n", 4, "'-1_0' is not a number"),
    "score in hexadecimal": Broken(WENET + b"candidate 0x10 a\n", 4, "'0x10' is not a number"),
    "score in other digits": Broken(WENET + "candidate -\u0661 a\n".encode(), 4, "is not a number"),
    "score with a comma": Broken(WENET + b"candidate -1,5 a\n", 4, "'-1,5' is not a number"),
    "score nan": Broken(WENET + b"candidate -nan a\n", 4, "not finite"),
    "score infinite": Broken(WENET + b"candidate -inf a\n", 4, "not finite"),
    "score too large": Broken(WENET + b"candidate -1e999 a\n", 4, "not finite"),
    "a long number": Broken(WENET + b"candidate " + b"9" * 1_000_000 + b" a\n", 4, "is not a number"),
    "not utf8": Broken(WENET + b"candidate -1 \xe9t\xe9\n", 4, "UTF-8"),
    "utf16": Broken(WENET.decode().encode("utf-16"), 1, "UTF-8"),
}

# --- icefall

RECOGS = b"""utt-1:\tref=['A', "IT'S"]
utt-1:\thyp=['A', 'IT', 'S']
utt-2:\tref=[]
utt-2:\thyp=["o'", 'say"so\\'', '\\u3000', '\\\\']
"""


def hypothesis(value: bytes, says: str) -> Broken:
    return Broken(RECOGS + b"utt-3:\tref=[]\nutt-3:\thyp=" + value + b"\n", 6, says)


_ICEFALL = {
    "not closed": hypothesis(b"['A', 'B'", "not closed by ]"),
    "closed by another bracket": hypothesis(b"['A', 'B')", "not closed by ]"),
    "text after the list": hypothesis(b"['A'] 'B'", "follows the list"),
    "quote not closed": hypothesis(b"['A', 'B]", "is not a word in quotes"),
    "quotes of two kinds": hypothesis(b"['A\"]", "is not a word in quotes"),
    "comma missing": hypothesis(b"['A' 'B']", "not closed by ]"),
    "two commas": hypothesis(b"['A',, 'B']", "is not a word in quotes"),
    "number": hypothesis(b"['A', 17]", "is not a word in quotes"),
    "none": hypothesis(b"[None]", "is not a word in quotes"),
    "bytes": hypothesis(b"[b'A']", "is not a word in quotes"),
    "a call": hypothesis(b"[__import__('os').getcwd()]", "is not a word in quotes"),
    "a list in the list": hypothesis(b"[['A']]", "is not a word in quotes"),
    "deep nesting": hypothesis(b"[" * 200_000, "is not a word in quotes"),
    "unknown escape": hypothesis(rb"['\q']", "is not an escape"),
    "escape cut short": hypothesis(rb"['\u12']", "is not an escape"),
    "half a character": hypothesis(rb"['\ud800']", "is not a character"),
    "beyond characters": hypothesis(rb"['\U00110000']", "is not a character"),
    "a line of another kind": Broken(RECOGS + b"utt-3 A B\n", 5, "the line is not 'utt:"),
    "space in place of the tab": Broken(RECOGS + b"utt-3: hyp=['A']\n", 5, "the line is not 'utt:"),
    "no id": Broken(RECOGS + b":\thyp=['A']\n", 5, "the line is not 'utt:"),
    "two hypotheses": Broken(RECOGS + b"utt-1:\thyp=['A']\n", 5, "(utt-1): the id appears twice"),
    "reference without hypothesis": Broken(RECOGS + b"utt-3:\tref=['A']\n", 5, "'utt-3' has no hypothesis"),
    "hypothesis of another": Broken(RECOGS + b"utt-3:\tref=[]\nutt-4:\thyp=[]\n", 5, "'utt-3' has no hypothesis"),
    "not utf8": Broken(RECOGS + b"utt-3:\thyp=['\xe9']\n", 5, "UTF-8"),
    "utf16": Broken(RECOGS.decode().encode("utf-16"), 1, "UTF-8"),
}

# --- JSON lines

JSONL = b"""{"id": "utt-1", "hypotheses": [{"text": "a b", "score": -1.5, "rank": 1}, {"words": ["c d"], "score": -2}]}
{"id": "utt-2", "hypotheses": [{"text": "a", "scores": {"am": -1.5, "lm": -2e0}}, {"text": "", "scores": {"am": -3}}]}
"""


def third(hypotheses: bytes, says: str) -> Broken:
    return Broken(JSONL + b'{"id": "utt-3", "hypotheses": ' + hypotheses + b"}\n", 3, says)


_JSONL = {
    "cut short": Broken(JSONL[:-20], 2, "this is not JSON"),
    "a line of text": Broken(JSONL + b"utt-3 a b\n", 3, "this is not JSON"),
    "an object over two lines": Broken(b'{"id": "a",\n"hypotheses": ["a"]}\n', 1, "write one whole object per line"),
    "a list": Broken(JSONL + b'["a", "b"]\n', 3, "the line is not a JSON object"),
    "two objects a line": Broken(b"".join(JSONL.splitlines()), 1, "this is not JSON (extra data, column"),
    "python quotes": Broken(JSONL + b"{'id': 'utt-3'}\n", 3, "this is not JSON"),
    "nested too deeply": third(b"[" * 200_000, "nested too deeply"),
    "objects nested too deeply": third(b'{"a":' * 200_000, "nested too deeply"),
    "score nan": third(b'[{"text": "a", "score": NaN}]', "score 'NaN' is not finite"),
    "score infinite": third(b'[{"text": "a", "score": -Infinity}]', "score '-Infinity' is not finite"),
    "score too large": third(b'[{"text": "a", "score": -1e999}]', "not finite"),
    "a huge number": third(b'[{"text": "a", "score": ' + b"9" * 100_000 + b"}]", "has 100000 digits"),
    "score in quotes": third(b'[{"text": "a", "score": "-1.5"}]', "'score' is not a number"),
    "score a list": third(b'[{"text": "a", "logprob": [-1.5]}]', "'logprob' is not a number"),
    "score true": third(b'[{"text": "a", "score": true}]', "'score' is not a number"),
    "scores a list": third(b'[{"text": "a", "scores": [-1]}]', "scores is not an object"),
    "score in scores in quotes": third(b'[{"text": "a", "scores": {"am": "-1"}}]', "'am' is not a number"),
    "score twice": third(b'[{"text": "a", "am": -1, "scores": {"am": -1}}]', "score 'am' appears twice"),
    "score missing": third(b'[{"text": "a", "score": -1}, {"text": "b"}]', "hypothesis 2 has no score, but others"),
    "two totals": third(b'[{"text": "a", "logprob": -1, "sum_logprobs": -2}]', "could all be the total; rename"),
    "two texts": third(b'[{"text": "a", "pred": "b"}]', "text and pred are different texts; keep one"),
    "no text": third(b'[{"score": -1}]', "the hypothesis has no text"),
    "text a number": third(b'[{"text": 7}]', "text is not a text"),
    "tokens numbers": third(b'[{"tokens": [7, 8]}]', "tokens is not a list of words; give a text instead"),
    "half a character": third(rb'["\ud800"]', "half a character"),
    "hypothesis a number": third(b"[7]", "hypothesis 1: the hypothesis must be a text or an object"),
    "hypotheses not a list": third(b'"a"', "hypotheses is not a list"),
    "no hypotheses at all": third(b"[]", "the n-best list is empty"),
    "no list": Broken(JSONL + b'{"id": "utt-3"}\n', 3, "the list has no hypotheses; give them as one of"),
    "two lists": Broken(
        JSONL + b'{"id": "u", "nbest": ["a"], "hyps": ["b"]}\n', 3, "nbest and hyps are different lists"
    ),
    "too few scores": Broken(
        JSONL + b'{"id": "u", "nbest": ["a", "b"], "scores": [-1]}\n', 3, "one number per hypothesis"
    ),
    "key twice": Broken(JSONL + b'{"id": "u", "id": "u", "nbest": ["a"]}\n', 3, "key 'id' appears twice"),
    "id twice": Broken(JSONL + b'{"id": "utt-1", "nbest": ["a"]}\n', 3, "(utt-1): the id appears twice"),
    "ids of two kinds": Broken(JSONL + b'{"id": "u", "utt": "v", "nbest": ["a"]}\n', 3, "id and utt are different ids"),
    "id missing": Broken(JSONL + b'{"nbest": ["a"]}\n', 3, "some lists have an id, but others do not"),
    "id a list": Broken(JSONL + b'{"id": ["u"], "nbest": ["a"]}\n', 3, "must be a text or a whole number"),
    "not utf8": Broken(JSONL + b'{"id": "\xe9", "nbest": ["a"]}\n', 3, "UTF-8"),
    "utf16": Broken(JSONL.decode().encode("utf-16"), 1, "UTF-8"),
}

_FEATURES = {"am": 1.0, "lm": 1.0, "rank": 0.0, "été": 0.0}

# --- ESPnet: a folder, here as one text with a line `== file` before each of its files

ESPNET = b"""== 1best_recog/text
utt-1 a b
utt-2 c
== 1best_recog/score
utt-1 tensor(-1.5)
utt-2 -2.5
== 2best_recog/text
utt-1 a
utt-2
== 2best_recog/score
utt-1 tensor(-3.5, device='cuda:0')
utt-2 -4.5
"""

_FILE = re.compile(rb"^== ((?:output\.[0-9]/)?[1-3]best_recog/(?:text|text_nospecial|score|token))\n", re.MULTILINE)


def unpack(data: bytes, folder: Path) -> Path:
    """The folder that such a text stands for."""
    first, *parts = _FILE.split(data)
    files = dict(zip((name.decode() for name in parts[::2]), parts[1::2], strict=True))
    if first:
        files["1best_recog/text"] = first
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _read_unpacked(path: Path) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix=f"{path.name}.", dir=path.parent) as folder:
        formats.read_all(unpack(path.read_bytes(), Path(folder)), "espnet-nbest")


formats.READERS["espnet-nbest"] = _read_unpacked


def changed(old: bytes, new: bytes, says: str) -> Broken:
    assert ESPNET.count(old) >= 1
    return Broken(ESPNET.replace(old, new), None, says)


_ESPNET = {
    "no best": changed(b"1best", b"3best", "the folder holds no files"),
    "a best left out": changed(b"2best", b"3best", "has 3best_recog, but no 2best_recog"),
    "neither text nor token": Broken(
        b"== 1best_recog/score\nu -1\n", None, "the folder has no file 'text' and no file 'token'"
    ),
    "empty text": Broken(b"== 1best_recog/text\n", None, "holds no graph"),
    "scores left out": changed(b"utt-2 -4.5\n", b"", "2best_recog/text:2: another file of the folder does not have"),
    "texts left out": changed(b"utt-2 c\n", b"", "another file of the folder does not have"),
    "another order": changed(
        b"utt-1 a\nutt-2\n", b"utt-2\nutt-1 a\n", "2best_recog/score:1: another file of the folder"
    ),
    "scores in another order": changed(
        b"utt-1 tensor(-1.5)\nutt-2 -2.5\n",
        b"utt-2 -2.5\nutt-1 -1.5\n",
        "1best_recog/score:1: another file of",
    ),
    "an utterance more": changed(b"utt-2\n", b"utt-2\nutt-3 a\n", "another file of the folder does not have 'utt-3'"),
    "a score more": changed(b"utt-2 -4.5\n", b"utt-2 -4.5\nutt-3 -1\n", "2best_recog/score:3: another file of"),
    "utterance twice": Broken(b"u a\nv b\nu c\n", None, "1best_recog/text:3 (u): the id appears twice"),
    "utterance of two jobs": Broken(
        b"== output.1/1best_recog/text\nu a\n== output.2/1best_recog/text\nu a\n", None, "output.2/1best_recog/text:1"
    ),
    "no id": changed(b"utt-2 c", b" c", "1best_recog/text:2: the line does not begin with the id"),
    "score missing": changed(b"utt-2 -2.5", b"utt-2", "1best_recog/score:2: '' is not a number"),
    "two scores": changed(b"utt-2 -2.5", b"utt-2 -2.5 -3", "'-2.5 -3' is not a number"),
    "score with underscore": changed(b"-2.5", b"-2_5", "'-2_5' is not a number"),
    "score nan": changed(b"-2.5", b"nan", "1best_recog/score:2: score 'nan' is not finite"),
    "score infinite": changed(b"-1.5", b"-inf", "1best_recog/score:1: score '-inf' is not finite"),
    "a tensor of no number": changed(b"-1.5", b"low", "'low' is not a number"),
    "a tensor of two numbers": changed(b"tensor(-1.5)", b"tensor([-1.5, 2])", "is not a number"),
    "not utf8": changed(b"utt-2 c", b"utt-2 \xe9", "1best_recog/text:2: byte 7 of the line is not UTF-8"),
    "brackets": changed(b"tensor(-1.5)", b"tensor(" * 10_000, "is not a number"),
}

CASES = [
    Case(
        "srilm-nbest",
        DECIPHER_2,
        st.one_of(lists_of({"total": 1.0}), with_number_of_words()),
        ["machine"],
        small=small_nbest(),
        broken=_SRILM,
    ),
    Case(
        "lattice-rescore-nbest",
        RESCORED + b"u-2-0 1 2 |\n",
        st.sampled_from([2, 3, 5]).flatmap(
            lambda k: lists_of(
                {"acoustic": 1.0, "lm": 1.0, **{f"score_{i}": 0.0 for i in range(3, k + 1)}}, _CLEAR_WORDS
            )
        ),
        NAMES,
        many=True,
        small=lm.NBest(
            (
                Hypothesis(("a", "b"), {"acoustic": 0.5, "lm": 1.0}),
                Hypothesis((), {"acoustic": 0.25, "lm": 1.0}),
            ),
            {"acoustic": 1.0, "lm": 1.0},
        ),
        broken=_RESCORE,
    ),
    Case(
        "wenet-nbest",
        WENET + b"wav utt-2\n\nwav utt-3\ncandidate -0.5\n",
        lists_of({"score": 1.0}),
        NAMES,
        many=True,
        small=renamed(small_nbest(), "score"),
        broken=_WENET,
    ),
    Case(
        "icefall-recogs",
        RECOGS,
        lists_of({}, PLAIN_WORDS + SPACED_WORDS, longest=1),
        [*NAMES, "a: b"],
        many=True,
        small=lm.NBest((Hypothesis(("a", "b"), {}),), {}),
        broken=_ICEFALL,
    ),
    Case(
        "jsonl-nbest",
        JSONL,
        st.one_of(
            nbest_lists().filter(lambda graph: 1.0 in graph.weights.values() or not graph.weights),
            lists_of(_FEATURES, PLAIN_WORDS + SPACED_WORDS),
            lists_of({"score": 1.0, "logprob": 0.0, "total": 0.0}),
        ),
        [*NAMES, "a b", 'say "so"\n'],
        many=True,
        small=small_nbest(),
        broken=_JSONL,
    ),
    Case("espnet-nbest", ESPNET, broken=_ESPNET),
]
