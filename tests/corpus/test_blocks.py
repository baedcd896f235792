"""Lattices that kernels search in blocks have the answers of lattices that are searched one by one."""

import logging
import os
import pickle
import random
import signal
import struct
import sys
from collections import deque
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import latticemetric as lm
from latticemetric import memory
from latticemetric.corpus import blocks, several_metrics
from latticemetric.corpus.oracle_columns import FoundOracles
from latticemetric.corpus.oracles import OracleSearch
from latticemetric.corpus.pairing import begin_notes
from latticemetric.corpus.run import Run
from latticemetric.formats.kaldi import text as kaldi
from latticemetric.formats.text import blocks as text_blocks
from latticemetric.parallel.journal import Journal
from latticemetric.parallel.limits import Limits

WORDS = ["a", "b", "c", "d", "<eps>", "12", "é", "ß", "e\u0301", "x\u00a0y", "<s>", "[noise]"]
THREADS = Path("/proc/self/task")  # Linux only
RATES = [lm.WER(), lm.WRR(), lm.GRR(4), lm.GRR(2, alpha=Fraction(1, 3), beta=0.25), lm.GRR(3, alpha=0)]
NUMBERS = ["0", "1", "2", "3", "17"]


@pytest.fixture
def _silent(monkeypatch):
    """Search in blocks from the first lattice on, whatever its words are."""
    monkeypatch.setattr(blocks, "is_silent", lambda: True)


@st.composite
def archives(draw, words=None):
    """Return the text of an archive, and of its references."""
    words = words or draw(st.sampled_from([WORDS[:4], WORDS, NUMBERS]))
    lattices, references = [], []
    for number in range(draw(st.integers(1, 12))):
        name = f"u{number}"
        lattices.append(draw(texts(name, words)))
        if draw(st.integers(0, 9)):
            references.append(f"{name} {' '.join(draw(st.lists(st.sampled_from(words), max_size=6)))}")
    return "".join(lattices), "".join(f"{line.rstrip()}\n" for line in references)


@st.composite
def texts(draw, name, words):
    """Return the text of a lattice: most are sound; some have cycles, useless states, or a broken line."""
    random_ = random.Random(draw(st.integers(0, 2**32)))
    states = random_.randint(1, 6)
    names = list(range(states)) if random_.random() < 0.5 else random_.sample(range(3 * states), states)
    lines = []
    for _ in range(random_.randint(0, 10)):
        source, target = sorted(random_.choices(range(states), k=2))
        if source == target and random_.random() < 0.9:
            continue
        costs = f"{random_.choice(['0', '1', '1.5', '-2', '0.1', '1e-3', '7.123456'])},{random_.choice('012')},"
        lines.append(f"{names[source]} {names[target]} {random_.choice(words)} {costs}")
    if random_.random() < 0.5:
        random_.shuffle(lines)
    ends = random_.sample(range(states), random_.randint(0 if random_.random() < 0.1 else 1, min(2, states)))
    lines += [f"{names[state]} {random_.choice(['', '1,2,', '0.5,0,3_4'])}".rstrip() for state in ends]
    if random_.random() < 0.05:
        lines.append(random_.choice(["0 1", "0 1 a 1,2,3,4", "x y z", f"{names[0]}"]))
    return "\n".join([f"{name} ", *lines]) + "\n\n"


def as_binary(lattices, *, compact):
    """Return the lattices of a text archive as a binary archive; each that has no machine gets one without states."""
    kind = b"compactlattice44" if compact else b"lattice4"

    def weight(text):
        costs = [float(cost or 0) for cost in f"{text},,".split(",")[:2]]
        return struct.pack("<ff", *costs) + (struct.pack("<i", 0) if compact else b"")

    archive = b""
    for block in lattices.split("\n\n")[:-1]:
        name, *lines = block.split("\n")
        rows = [line.split() for line in lines]
        if any(len(row) not in {1, 2, 4} or not (row[0] + row[-2]).isdecimal() for row in rows if len(row) > 1):
            rows = []
        states = 1 + max((int(state) for row in rows for state in (row[:2] if len(row) == 4 else row[:1])), default=-1)
        none = struct.pack("<ff", *2 * [float("inf")]) + (struct.pack("<i", 0) if compact else b"")
        final = {int(row[0]): weight(row[1] if len(row) > 1 else "") for row in rows if len(row) < 4}
        start = int(rows[0][0]) if rows else -1
        archive += f"{name.strip()} ".encode() + struct.pack("<ii", 2125659606, 6) + b"vector"
        archive += struct.pack("<i", len(kind)) + kind + struct.pack("<iiQqqq", 2, 0, 3, start, states, len(rows))
        for state in range(states):
            arcs = [row for row in rows if len(row) == 4 and int(row[0]) == state]
            archive += final.get(state, none) + struct.pack("<q", len(arcs))
            for _, target, word, costs in arcs:
                archive += struct.pack("<ii", int(word), int(word)) + weight(costs) + struct.pack("<i", int(target))
    return archive


def asked(folder, lattices, references, rates, weights, *, symbols=None, name="kaldi", **run):
    """Return what is found in the lattices of an archive, or the error that ends the run."""
    data = lattices if isinstance(lattices, bytes) else lattices.encode()
    (folder / "lattices").write_bytes(data)
    files = []
    for number, text in enumerate(references):
        files.append(folder / f"references.{number}")
        files[-1].write_text(text, encoding="utf-8")
    if isinstance(symbols, str):
        (folder / "symbols").write_text(symbols, encoding="utf-8")
        symbols = folder / "symbols"
    corpus = lm.Corpus.read(folder / "lattices", files, format=name, style="keyed", weights=weights, symbols=symbols)
    started = Run(**run)
    begin_notes()
    try:
        pairs = corpus.required_pairs(started).pairs
        searches = [OracleSearch(lm.ByRate(metric=one), corpus.weights, None) for one in rates]
        answers = list(several_metrics.answers_by_each(searches, pairs, started))
    except lm.LatticeMetricError as error:
        return str(error)
    return [
        (one.name, one.oracle, str(one.problem), one.missed, one.where, one.occurrence)
        for answer in answers
        for one in answer.value
    ]


def asked_alone(*given, **named):
    """Return what `asked` finds in lattices that are searched one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_metrics, "may_be_blocks", lambda *_: False)
        return asked(*given, **named)


@pytest.mark.usefixtures("_silent")
@given(
    archive=archives(),
    rates=st.lists(st.sampled_from(RATES), min_size=1, max_size=3, unique_by=lambda rate: rate.name),
    weights=st.sampled_from([None, {"lm": 0.5}, {"acoustic": 0.1, "lm": 2.0}, {"lm": 0.0, "acoustic": 0.0}]),
    workers=st.integers(1, 3),
    again=st.booleans(),
    keep_going=st.booleans(),
)
def test_blocks_have_the_answers_of_single_searches(  # noqa: PLR0917
    tmp_path_factory, archive, rates, weights, workers, again, keep_going
):
    folder = tmp_path_factory.mktemp("blocks")
    lattices, references = archive
    several = [references, "".join(f"{line.split()[0]} a b\n" for line in references.splitlines())]
    given_ = several if again else several[:1]
    together = asked(folder, lattices, given_, rates, weights, workers=workers, keep_going=keep_going)
    assert together == asked_alone(folder, lattices, given_, rates, weights, keep_going=keep_going)


SILENT = st.sets(st.sampled_from([*WORDS, "1", "17", "zz"]), max_size=3)


@pytest.mark.usefixtures("_silent")
@given(archive=archives(), ignore=SILENT, wildcard=SILENT, workers=st.integers(1, 2), again=st.booleans())
def test_blocks_leave_out_the_words_that_single_searches_leave_out(  # noqa: PLR0917
    tmp_path_factory, archive, ignore, wildcard, workers, again
):
    folder = tmp_path_factory.mktemp("blocks")
    lattices, references = archive
    several = [references, "".join(f"{line.split()[0]} a b\n" for line in references.splitlines())][: 1 + again]
    rates = [kind(ignore=ignore, wildcard=wildcard) for kind in (lm.WER, lm.GRR)]
    together = asked(folder, lattices, several, rates, None, workers=workers, keep_going=True)
    assert together == asked_alone(folder, lattices, several, rates, None, keep_going=True)


TABLES = [
    "".join(
        f"{word} {number}\n" for number, word in enumerate(["<eps>", "a", "b", "3", "e\u0301", *map(str, range(5, 18))])
    ),
    "<eps> 0\na 1\nb 2\n",  # lacks numbers
    "<eps> 0\na 1\nb 3\n17 17\n2 2\n",  # has gaps
]


@pytest.mark.usefixtures("_silent")
@given(
    archive=archives([*NUMBERS, "4"]),
    table=st.sampled_from([None, *TABLES, lm.Vocabulary({1: "a", 2: "b c"}), lm.Vocabulary({1: "a", 2: "x"})]),
    references=st.lists(
        st.lists(st.sampled_from(["a", "b", "3", "\u00e9", "2", "<eps>"]), max_size=5), min_size=12, max_size=12
    ),
    form=st.sampled_from(["kaldi", "compact", "not compact"]),
    ignore=st.sets(st.sampled_from(["a", "3"])),
    keep_going=st.booleans(),
)
def test_word_numbers_have_the_words_of_their_table(  # noqa: PLR0917
    tmp_path_factory, archive, table, references, form, ignore, keep_going
):
    folder = tmp_path_factory.mktemp("blocks")
    texts = ["".join(f"u{number} {' '.join(words)}\n" for number, words in enumerate(references))]
    lattices, name = archive[0], "kaldi"
    if form != "kaldi":
        lattices, name = as_binary(lattices, compact=form == "compact"), "kaldi-binary"
    given_ = folder, lattices, texts, [lm.WER(ignore=ignore)], None
    together = asked(*given_, symbols=table, name=name, workers=2, keep_going=keep_going)
    assert together == asked_alone(*given_, symbols=table, name=name, keep_going=keep_going)


PLAIN = "".join(f"u{n} \n0 1 a 1,0,\n0 1 b 0.5,0.25,\n1 2 c{n} 0,1,\n2 3 c 0,0,\n3\n\n" for n in range(3000))
REFERENCES = "".join(f"u{n} a c{n} c\n" for n in range(3000))


POOR = "".join(f"u{n} A C{n} C A x c\n" for n in range(3000))


@pytest.mark.parametrize("workers", [1, 2])
def test_lattices_that_match_poorly_are_not_searched_again(tmp_path, monkeypatch, workers):
    """The kernel returns the words of such lattices, so that Python counts the reference words that are in them."""
    (tmp_path / "lattices").write_text(PLAIN)
    (tmp_path / "references").write_text(POOR)
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi")
    with monkeypatch.context() as patch:
        patch.setattr(kaldi, "parse_block", lambda *_, **__: pytest.fail("a lattice is parsed in Python"))
        together = corpus.oracle("4-grr", workers=workers)
        found = together.to_records(), together.totals, warning_of(together), [one.occurrence for one in together]
    with monkeypatch.context() as patch:
        patch.setattr(several_metrics, "may_be_blocks", lambda *_: False)
        alone = corpus.oracle("4-grr")
        assert found == (alone.to_records(), alone.totals, warning_of(alone), [one.occurrence for one in alone])
    assert "if case is ignored" in found[2]


def warning_of(answers):
    """Return the warning below the table of answers."""
    table = answers._table(answers._all())
    table.read_all()
    return table.warning()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_plain_lattices_are_not_parsed_in_python(tmp_path, monkeypatch, workers):
    parsed = []
    parse = kaldi.parse_block
    monkeypatch.setattr(kaldi, "parse_block", lambda *given, **named: parsed.append(1) or parse(*given, **named))
    found = asked(tmp_path, PLAIN, [REFERENCES], [lm.WER()], None, workers=workers)
    assert not parsed
    assert [one[0] for one in found] == [f"u{n}" for n in range(3000)]
    assert {one[1].words for one in found} == {("a", f"c{n}", "c") for n in range(3000)}


def test_notes_on_words_are_as_those_of_single_searches(tmp_path, caplog):
    marked = "".join(f"u{n} \n0 1 <s> 1,0,\n1 2 {w} 0,1,\n1 2 b 0,1,\n2\n\n" for n, w in enumerate("aabcd"))
    texts = ["".join(f"u{n} {word}\n" for n, word in enumerate(["a", "e\u0301", "\u00e9 b", "c", "d"]))]
    for text in (marked, marked.replace("<s>", "\u00e9"), marked.replace("<s>", "a")):
        asked(tmp_path, text, texts, [lm.WER()], None)
        together = [record.getMessage() for record in caplog.records]
        caplog.clear()
        asked_alone(tmp_path, text, texts, [lm.WER()], None)
        assert [record.getMessage() for record in caplog.records] == together
        caplog.clear()


def test_answers_before_a_broken_archive_are_given(tmp_path):
    (tmp_path / "lattices").write_text(PLAIN + "0 1 a 1,2,\n1\n\n")
    (tmp_path / "references").write_text(REFERENCES)
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi")
    answers, seen = corpus.oracle("wer").streamed(), []
    with pytest.raises(lm.FormatError, match="expected the id of a lattice"):
        seen.extend(one.name for one in answers)
    assert len(seen) == 3000


@pytest.mark.parametrize(
    ("search", "weights"),
    [
        ({"metric": [lm.WER(ignore=["a"]), lm.WRR()]}, None),
        ({"metric": "cer"}, None),
        ({"metric": "wer", "nbest": 2}, None),
        ({"metric": "wer", "engine": "openfst"}, None),
        ({"metric": "wer", "also_score": "bleu"}, None),
        ({"metric": "wer"}, {"lm": 1.0, "other": 1.0}),
    ],
)
def test_other_searches_are_not_made_in_blocks(tmp_path, monkeypatch, search, weights):
    monkeypatch.setattr(blocks, "answered_in_blocks", None)
    monkeypatch.setattr(several_metrics, "answered_in_blocks", None)
    (tmp_path / "lattices").write_text(PLAIN[: PLAIN.index("u4 ")])
    (tmp_path / "references").write_text(REFERENCES[: REFERENCES.index("u4 ")])
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi", weights=weights)
    if weights is None:
        list(corpus.oracle(**search))
    else:
        with pytest.raises(lm.InputError, match="there is no score column 'other'"):
            list(corpus.oracle(**search))


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupt_ends_all_threads(tmp_path, workers):
    """A block of large lattices is interrupted; no thread goes on."""
    words = [f"w{k % 50}" for k in range(3000)]
    lines = [f"{s} {s + 1} w{(7 * s + k) % 50} {k}.5,1," for s in range(3000) for k in range(4)]
    lattice = "\n".join([*lines, "3000"])
    (tmp_path / "lattices").write_text("".join(f"u{n} \n{lattice}\n\n" for n in range(40)))
    (tmp_path / "references").write_text("".join(f"u{n} {' '.join(words)}\n" for n in range(40)))
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi")
    threads = len(list(THREADS.iterdir())) if THREADS.exists() else 0
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            deque((list(corpus.oracle("4-grr", workers=workers).streamed()) for _ in range(1000)), maxlen=0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert (len(list(THREADS.iterdir())) if THREADS.exists() else 0) <= threads


@pytest.mark.usefixtures("_silent")
@pytest.mark.parametrize("form", ["openfst", "unusual"])
def test_what_blocks_cannot_search_goes_to_other_processes(tmp_path, form):
    """Graphs of other formats, and archives most of which kernels leave to Python, are searched by all workers."""
    seen = set()

    def noted(pair):
        seen.add(os.getpid())
        return pair.name

    texts = PLAIN if form == "unusual" else None
    if texts is None:
        graphs = {f"u{n}": lm.Lattice.from_strings(["a b", "a c"]) for n in range(300)}
        lm.write(tmp_path / "lattices.far", graphs.items(), format="far")
    else:
        (tmp_path / "lattices").write_text(texts)
    (tmp_path / "references").write_text("".join(f"u{n} x <eps> z\n" for n in range(3000)))
    corpus = lm.Corpus.read(tmp_path / ("lattices" if texts else "lattices.far"), tmp_path / "references")
    run, moved = Run(workers=2, keep_going=True), []
    pairs = corpus.required_pairs(run).pairs
    answers = blocks.answered_in_blocks(
        pairs, [lm.WER()], corpus.weights, run, alone=noted, lost=None, found=lambda _, rows: list(rows),
        elsewhere=lambda rest: (moved.append(pair.name) or pair.name for pair in rest),
    )  # fmt: skip
    assert len(list(answers)) == 3000
    assert len(moved) >= 1900


def test_memory_is_held_for_lattices_that_are_searched_alone(tmp_path):
    held = []
    (tmp_path / "lattices").write_text(PLAIN[: PLAIN.index("u9 ")])
    (tmp_path / "references").write_text("".join(f"u{n} x <eps> z\n" for n in range(9)))
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi")
    run = Run(limits=Limits(default_memory=2**31))
    blocks_ = blocks.answered_in_blocks(
        corpus.required_pairs(run).pairs, [lm.WER()], corpus.weights, run,
        alone=lambda _: held.append(memory._limit), lost=None, found=lambda *_: None,
        elsewhere=lambda rest: iter(list(rest)),
    )  # fmt: skip
    assert len(list(blocks_)) == 9
    assert held[0] == 2**31
    assert memory._limit is None


def written(folder, lattices, references, metrics, formats, **run):
    """Return the bytes of the answers in each format, the totals, and the error that ends the run, if one does."""
    (folder / "lattices.txt").write_text(lattices, encoding="utf-8")
    (folder / "references.txt").write_text(references, encoding="utf-8")
    corpus = lm.Corpus.read(folder / "lattices.txt", folder / "references.txt", format="kaldi", style="keyed")
    answers = corpus.oracle(metrics, **run)
    try:
        for name in formats:
            answers.write(folder / f"answers.{name}")
        return [(folder / f"answers.{name}").read_bytes() for name in formats], answers.totals
    except lm.LatticeMetricError as error:
        return str(error)


@pytest.mark.usefixtures("_silent")
@given(
    archive=archives(),
    metrics=st.lists(st.sampled_from(RATES), min_size=1, max_size=3, unique_by=lambda rate: rate.name),
    workers=st.integers(1, 3),
    keep_going=st.booleans(),
    looks=st.sampled_from([{}, {"alignment": True}, {"tags": True}]),
    id_=st.sampled_from(["u", "a-rather-long-id-", "\u00e9", 'quoted"\\', "\u6f22\u5b57"]),
)
def test_lines_of_blocks_are_those_of_single_answers(  # noqa: PLR0917
    tmp_path_factory, archive, metrics, workers, keep_going, looks, id_
):
    folder = tmp_path_factory.mktemp("lines")
    lattices, references = ("".join(f"{id_}{line}\n" if line[:1] == "u" else f"{line}\n" for line in text.splitlines())
                            for text in archive)  # fmt: skip
    asked_ = {"metrics": metrics if len(metrics) > 1 else metrics[0], "formats": ["jsonl", "tsv", "txt", "json"]}
    together = written(folder, lattices, references, **asked_, workers=workers, keep_going=keep_going, **looks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_metrics, "may_be_blocks", lambda *_: False)
        alone = written(folder, lattices, references, **asked_, keep_going=keep_going, **looks)
    assert together == alone


@pytest.mark.usefixtures("_silent")
@given(
    archive=archives(),
    metrics=st.sampled_from(["4-grr", "wer,4-grr"]),
    piece=st.sampled_from([1, 16, 100, 1000]),
    most_pairs=st.sampled_from([1, 2, 5]),
    workers=st.integers(1, 4),
)
def test_sizes_of_blocks_do_not_change_lines(tmp_path_factory, archive, metrics, piece, most_pairs, workers):  # noqa: PLR0917
    """Files are read in pieces of some bytes, and searched in blocks of some lattices, by some threads."""
    folder = tmp_path_factory.mktemp("pieces")
    asked_ = {"metrics": metrics, "formats": ["jsonl", "tsv", "txt", "json"], "keep_going": True}
    usual = written(folder, *archive, **asked_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "_PIECE", piece)
        patch.setattr(blocks, "_MOST_PAIRS", most_pairs)
        assert written(folder, *archive, **asked_, workers=workers) == usual


@pytest.mark.usefixtures("_silent")
@pytest.mark.parametrize(
    ("lattice", "metric"),
    [
        ("0 1 a 1e200,1,\n1 2 b 1e308,1,\n2 3 c 1.5e308,0,\n3\n", lm.WER()),  # the sum of the costs is no number
        ("0 1 a 1,1,\n1 2 x 1,1,\n2\n", lm.GRR(3, alpha="0.1234567890123456", beta="0.7654321")),
        ("0 1 <eps> 1e22,-0.0,\n1 2 a -1e-7,1,\n2\n", lm.WRR()),
    ],
)
def test_odd_numbers_are_written_as_those_of_single_answers(tmp_path, lattice, metric):
    archive = f"u1 \n{lattice}\nu2 \n0 1 a 1,1,\n1\n\n", "u1 a b\nu2 a\n"
    together = written(tmp_path, *archive, metric, ["jsonl", "tsv", "txt"], keep_going=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_metrics, "may_be_blocks", lambda *_: False)
        assert written(tmp_path, *archive, metric, ["jsonl", "tsv", "txt"], keep_going=True) == together


@pytest.mark.parametrize("metrics", ["wer", "wer,4-grr"])
def test_oracles_are_made_only_when_they_are_read(tmp_path, monkeypatch, metrics):
    made, make = [], FoundOracles.oracle
    monkeypatch.setattr(FoundOracles, "oracle", lambda self, row: made.append(row) or make(self, row))
    (tmp_path / "lattices").write_text(PLAIN)
    (tmp_path / "references").write_text(REFERENCES)
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi")
    answers = corpus.oracle(metrics)
    for name in ("jsonl", "tsv", "txt", "json"):
        answers.write(tmp_path / f"answers.{name}")
    assert answers.totals
    assert made == []
    by_wer = answers if metrics == "wer" else answers["wer"]
    answer = list(by_wer)[2000]
    assert answer.words == answer.oracle.words == ("a", "c2000", "c")
    assert len(made) == 1


def test_answers_of_blocks_are_equal_to_others_and_are_pickled_alone(tmp_path):
    (tmp_path / "lattices").write_text(PLAIN)
    (tmp_path / "references").write_text(REFERENCES)
    corpus = lm.Corpus.read(tmp_path / "lattices", tmp_path / "references", format="kaldi")
    together = list(corpus.oracle("wer").streamed())[-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_metrics, "may_be_blocks", lambda *_: False)
        alone = list(corpus.oracle("wer").streamed())[-1]
    stored = pickle.dumps(together)
    assert together == alone == pickle.loads(stored)
    assert len(stored) < 2000
    with pytest.raises(AttributeError, match="no attribute 'orcale'"):
        _ = together.orcale


MARKED = ["<s>", "a", "b", "</s>", "12", "<eps>"]


@given(
    archive=archives(MARKED),
    ends=st.sampled_from(["", "<s>", "a"]),
    ignore=st.sets(st.sampled_from(["<s>", "a"])),
    limits=st.sampled_from([Limits(), Limits(default_memory=2**31)]),
)
def test_notes_are_those_of_single_searches(tmp_path_factory, archive, ends, ignore, limits):
    folder, said = tmp_path_factory.mktemp("notes"), []
    lattices, references = archive
    if ends:  # all lattices begin with this word
        lattices = lattices.replace(" \n", f" \n100 0 {ends} 1,0,\n")
    keeper = logging.Handler()
    keeper.emit = lambda record: said.append(record.getMessage())
    logger = logging.getLogger("latticemetric")
    logger.addHandler(keeper)
    try:
        given_ = folder, lattices, [references], [lm.WER(ignore=ignore)], None
        together, notes = asked(*given_, keep_going=True, limits=limits), list(said)
        said.clear()
        assert together == asked_alone(*given_, keep_going=True)
    finally:
        logger.removeHandler(keeper)
    assert said == notes


# ---- Limits and journals ----


def large(states):
    """Return the lines of a lattice that takes long, and its reference."""
    lines = [f"{s} {s + 1} w{(7 * s + k) % 50} {k}.5,1," for s in range(states) for k in range(4)]
    return "\n".join([*lines, f"{states}"]), " ".join(f"w{k % 50}" for k in range(states))


FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="no system calls")


@FORKS
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("keep_going", [True, False])
def test_a_lattice_that_takes_too_long_leaves_its_neighbours_alone(tmp_path, workers, keep_going):
    lattice, reference = large(30_000)
    archive = PLAIN[: PLAIN.index("u9 ")] + f"u9 \n{lattice}\n\n" + PLAIN[PLAIN.index("u10 ") : PLAIN.index("u14 ")]
    references = REFERENCES[: REFERENCES.index("u9 ")] + f"u9 {reference}\n"
    references += REFERENCES[REFERENCES.index("u10 ") : REFERENCES.index("u14 ")]
    given_ = tmp_path, archive, [references], [lm.GRR(4)], None
    limited = {"limits": Limits(timeout=1.5), "keep_going": keep_going}
    together = asked(*given_, workers=workers, **limited)
    assert together == asked_alone(*given_, **limited)
    error = "lattices:64 (u9): the search takes more than 1.5 seconds"
    assert error in (together[9][2] if keep_going else together)


@FORKS
@pytest.mark.parametrize("workers", [1, 3])
def test_a_lattice_that_needs_too_much_memory_leaves_its_neighbours_alone(tmp_path, workers):
    lattice, reference = large(150_000)
    archive = PLAIN[: PLAIN.index("u9 ")] + f"u9 \n{lattice}\n\n" + PLAIN[PLAIN.index("u10 ") : PLAIN.index("u14 ")]
    references = REFERENCES[: REFERENCES.index("u9 ")] + f"u9 {reference}\n"
    references += REFERENCES[REFERENCES.index("u10 ") : REFERENCES.index("u14 ")]
    given_ = tmp_path, archive, [references], [lm.WER()], None
    together = asked(*given_, workers=workers, limits=Limits(memory=2**24), keep_going=True)
    assert together == asked_alone(*given_, limits=Limits(memory=2**24), keep_going=True)
    assert [one[0] for one in together if one[1] is None] == ["u9"]
    assert "needs more than 16 MB of memory" in together[9][2]


@FORKS
@given(archive=archives(), keep_going=st.booleans(), workers=st.integers(1, 2))
@settings(max_examples=10)
def test_limits_that_nothing_exceeds_change_no_answer(tmp_path_factory, archive, keep_going, workers):
    folder = tmp_path_factory.mktemp("limits")
    lattices, references = archive
    given_ = folder, lattices, [references], [lm.WER(), lm.GRR(2)], None
    limited = asked(*given_, keep_going=keep_going, workers=workers, limits=Limits(timeout=100, memory=2**30))
    assert limited == asked_alone(*given_, keep_going=keep_going)


@given(archive=archives(), cut=st.floats(0, 1), keep_going=st.booleans(), old=st.booleans())
def test_a_journal_that_was_cut_anywhere_is_continued(tmp_path_factory, archive, cut, keep_going, old):
    """The journals of blocks and those of single searches continue one another."""
    folder = tmp_path_factory.mktemp("journal")
    lattices, references = archive
    given_ = folder, lattices, [references], [lm.WER(), lm.GRR(2)], None
    path = folder / "journal"

    def resumed(ask):
        journal = Journal(str(path), {})
        try:
            return ask(*given_, keep_going=keep_going, journal=journal)
        finally:
            journal.close()

    alone = asked_alone(*given_, keep_going=keep_going)
    assert resumed(asked_alone if old else asked) == alone
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])
    assert resumed(asked) == alone
    assert resumed(asked_alone) == alone
