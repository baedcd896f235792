"""Which references belong to which graph: certain, or refused."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.corpus.pairing import Pair, Style, pair_up
from latticemetric.formats import reading
from latticemetric.formats.references import read_references
from latticemetric.formats.writing import write

TEN = [f"w{number}x" for number in range(1, 11)]


def said(word: str) -> lm.Lattice:
    return lm.Lattice.from_strings([word], costs=[1.0])


def references(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"references-{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def pairs_of(graphs: Path | str, files: list[Path], style: Style = "auto") -> list[Pair]:
    return list(pair_up(reading.entries([graphs]), [read_references(str(path)) for path in files], style))


def words_of(pairs: list[Pair]) -> list[tuple[str, str]]:
    """The words of each graph and of its reference."""
    found = []
    for pair in pairs:
        graph = pair.entry.build() if pair.entry else None
        mine = "" if graph is None else next(lm_lattice(graph).paths()).words
        found.append((" ".join(mine), " ".join(pair.references[0].words) if pair.references else ""))
    return found


def lm_lattice(graph):
    return graph if isinstance(graph, lm.Lattice) else graph.to_lattice()


def far(folder: Path, *keys: str) -> Path:
    path = folder / "graphs.far"
    write(path, [(key, said(word)) for key, word in zip(keys, TEN, strict=False)])
    return path


def tar(folder: Path, *names: str) -> Path:
    path = folder / "graphs.tar"
    with tarfile.open(path, "w") as archive:
        for name, word in zip(names, TEN, strict=False):
            data = f"0 1 {word} {word} 1\n1\n".encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def folder_of(folder: Path, *names: str) -> Path:
    path = folder / "graphs"
    path.mkdir()
    for name, word in zip(names, TEN, strict=False):
        (path / name).write_text(f"0 1 {word} {word} 1\n1\n")
    return path


PLAIN = "".join(f"{word}\n" for word in TEN)


@pytest.mark.parametrize("style", ["auto", "plain"])
def test_a_far_with_numbers_for_keys_is_in_the_order_of_the_numbers(style, tmp_path):
    graphs = far(tmp_path, *map(str, range(1, 11)))
    assert words_of(pairs_of(graphs, references(tmp_path, PLAIN), style)) == [(word, word) for word in TEN]
    assert [name for name, _ in lm.read(graphs)] == [str(number) for number in range(1, 11)]


@pytest.mark.parametrize("make", [far, tar, folder_of])
def test_graphs_without_a_certain_order_are_not_paired_by_it(make, tmp_path):
    graphs = make(tmp_path, "bob", "anna", "carl")
    files = references(tmp_path, "one is\ntwo is\nthree is\n")
    with pytest.raises(lm.InputError, match=r"the order of the graphs is not known.*begin each reference with the id"):
        pairs_of(graphs, files)
    assert len(pairs_of(graphs, files, "plain")) == 3


@pytest.mark.parametrize("style", ["auto", "plain"])
@pytest.mark.parametrize("names", [("10.txt", "2.txt"), ("u-10.txt", "u-9.txt")])
def test_an_archive_whose_numbers_go_back_is_not_paired_by_its_order(names, style, tmp_path):
    with pytest.raises(lm.InputError, match="are not numbered one after the other"):
        pairs_of(tar(tmp_path, *names), references(tmp_path, "a b\nc d\n"), style)


def test_lattices_of_one_file_whose_numbers_go_back_are_not_paired_by_their_order(tmp_path):
    graphs = tmp_path / "graphs"
    graphs.write_text("utt-10 \n0 1 a 1,2,\n1\n\nutt-2 \n0 1 a 1,2,\n1\n\n")
    with pytest.raises(lm.InputError, match="'utt-2' comes after 'utt-10'"):
        pairs_of(graphs, references(tmp_path, "a b\nc d\n"))


@pytest.mark.parametrize("text", ["Meeting-{} we meet\n", "sitting-{} we meet\n", "we meet (Meeting-{})\n"])
def test_references_with_the_ids_of_others_are_refused_with_three_of_each(text, tmp_path):
    files = references(tmp_path, "".join(text.format(f"00{number}") for number in (1, 2, 3)))
    ids = "'meeting-001', 'meeting-002', 'meeting-003', .* '[sM].*ting-001', '[sM].*ting-002', '[sM].*ting-003'"
    with pytest.raises(lm.InputError, match=ids):
        pairs_of(EXAMPLES / "meeting.lat.txt", files)


@pytest.mark.parametrize("spelled", ["{}.wav", "audio/{}", "corpus/{}.LAT.gz"])
def test_ids_with_folders_or_suffixes_around_them_are_no_words(spelled, tmp_path):
    graphs, names = tmp_path / "graphs", ["harbour", "market", "thanks"]
    graphs.write_text("".join(f"{name} \n0 1 a 1,2,\n1\n\n" for name in names))
    files = references(tmp_path, "".join(f"{spelled.format(name)} all on monday\n" for name in names))
    with pytest.raises(lm.InputError, match="the ids do not match: graphs are named 'harbour', 'market', 'thanks'"):
        pairs_of(graphs, files)


def test_a_file_of_keyed_references_takes_no_plain_one_beside_it(tmp_path):
    keyed = (EXAMPLES / "meeting.ref.txt").read_text()
    plain = "".join(line.split(" ", 1)[1] for line in keyed.splitlines(keepends=True))
    with pytest.raises(lm.InputError, match=r"references-1: the ids do not match: graphs are named 'meeting-001'"):
        pairs_of(EXAMPLES / "meeting.lat.txt", references(tmp_path, keyed, plain))


def test_an_id_that_stands_twice_does_not_make_references_plain(tmp_path):
    graphs = folder_of(tmp_path, "u1.txt", "u2.txt", "u3.txt")
    with pytest.raises(lm.InputError, match="id 'u1' already has a reference"):
        pairs_of(graphs, references(tmp_path, "u1 a\nu1 b\nu3 c\n"))


def nbest(folder: Path, *numbers: int) -> Path:
    path = folder / "lists.nbest"
    path.write_text("".join(f"{number} ||| w{number} ||| lm= -1 ||| -1\n" for number in numbers))
    return path


def test_a_missing_sentence_moves_no_other_one(tmp_path):
    pairs = pairs_of(nbest(tmp_path, 0, 2, 3), references(tmp_path, "w0\nw1\nw2\nw3\n"))
    assert words_of(pairs) == [("w0", "w0"), ("", "w1"), ("w2", "w2"), ("w3", "w3")]
    assert "there is no graph for reference 2" in str(pairs[1].problem)


@pytest.mark.parametrize("numbers", [(0, 2, 1), (1, 2, 3)])
def test_sentences_without_a_certain_line_are_refused(numbers, tmp_path):
    files = references(tmp_path, "w0\nw1\nw2\nw3\n")
    try:
        told = " ".join(str(pair.problem) for pair in pairs_of(nbest(tmp_path, *numbers), files) if pair.problem)
    except lm.InputError as error:
        told = str(error)
    assert "the graph after number 2 has number 1" in told or "all pairs after it are wrong" in told


def test_lists_of_several_files_go_on_in_the_next_one(tmp_path):
    graphs = tmp_path / "lists"
    graphs.mkdir()
    for part in (1, 2):
        nbest(tmp_path, 0, 1).rename(graphs / f"part.{part}.nbest")
    pairs = pairs_of(graphs, references(tmp_path, "w0\nw1\nw0\nw1\n"))
    assert [pair.problem for pair in pairs] == [None] * 4
    assert all(graph == reference for graph, reference in words_of(pairs))


def test_graphs_behind_a_file_of_unknown_length_are_not_paired(tmp_path):
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    line = "((('a',1),),)\n"
    (graphs / "1.plf").write_text(line * 2)
    (graphs / "2.plf").write_text("?\n")
    (graphs / "3.plf").write_text(line)
    with pytest.raises(lm.InputError, match="the line of this graph's reference is unknown"):
        pairs_of(graphs, references(tmp_path, "a b\n" * 4))


@pytest.mark.parametrize("lines", [1, 3])
def test_pairs_by_order_are_said_to_be_uncertain_where_numbers_of_lines_differ(lines, tmp_path):
    graphs = tmp_path / "graphs"
    graphs.write_text("anna \n0 1 a 1,2,\n1\n\ncarl \n0 1 a 1,2,\n1\n\n")
    pairs = pairs_of(graphs, references(tmp_path, "a b\n" * lines))
    told = [str(pair.problem) for pair in pairs if pair.problem]
    assert len(told) == 1
    assert "if one in the middle is missing, all pairs after it are wrong; " in told[0]


def test_an_id_that_comes_late_shows_that_references_are_keyed(tmp_path):
    names = [f"{first}{second}" for first in "abcdef" for second in "uvwxyz"]
    graphs = tmp_path / "graphs"
    graphs.write_text("".join(f"{name} \n0 1 a 1,2,\n1\n\n" for name in names))
    with pytest.raises(lm.InputError, match="begins with the id 'fz'"):
        pairs_of(graphs, references(tmp_path, "".join(f"{name} a\n" for name in ["fz"] * len(names))))


@pytest.mark.parametrize("missing", [2, 0])
def test_the_lost_end_of_an_archive_counts_once(missing, tmp_path):
    names = [f"u{number}" for number in range(6)]
    texts = [f"{name} \n0 1 a 1,2,\n1\n\n" for name in names[: len(names) - missing]]
    graphs = tmp_path / "graphs.gz"
    graphs.write_bytes(gzip.compress("".join(texts).encode())[:-8])  # without the sums of the end
    pairs = pairs_of(graphs, references(tmp_path, "".join(f"{name} a\n" for name in names)), style="keyed")
    told = [pair for pair in pairs if pair.problem]
    lost = [pair for pair in pairs if pair.name not in names]
    assert len(told) == (missing or 1)
    assert len(lost) == (not missing)
    assert all("the compressed file is cut short" in str(pair.problem) for pair in told)
