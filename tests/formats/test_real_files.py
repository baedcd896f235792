"""Files of real decoders: each is told by its content and has the sizes that its makers, or other tools, say."""

import numpy as np
import pytest
from kit.formats import contents
from kit.paths import DATA

import latticemetric as lm
from latticemetric.formats import reading

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"there are no lattices in {DATA} (LATTICEMETRIC_DATA)"),
]


@pytest.mark.parametrize(
    ("file", "format_name", "graphs"),
    [
        ("kaldi/ps-medium.lat.txt.gz", "kaldi", 11),
        ("kaldi/ps-medium.lat.ark.gz", "kaldi-binary", 11),
        ("kaldi/ps-medium.beam4.lat.ark", "kaldi-binary", 11),
        ("kaldi/ps-medium.beam4.lat.scp", "kaldi-script", 11),
        ("kaldi/ami3.lat.txt.gz", "kaldi", 3),
        ("slf/pocketsphinx/goforward.slf.gz", "htk-slf", 1),
        ("slf/words-on-nodes/AMI_ES2011a_H00_FEE041_0003427_0003714.lat.gz", "htk-slf", 1),
        ("slf/words-on-nodes/AMI_ES2011a_H00_FEE041_0003427_0003714.nbest", "lattice-rescore-nbest", 1),
        ("sphinx/unreachable.lat", "sphinx", 1),
        ("openfst/oracle_1.hyp.fst", "openfst", 1),
        ("hifst/att", "openfst-text", 50),
        ("hifst/binary", "openfst", 4),
        ("plf/fisher_dev.400.plf.gz", "plf", 400),
        ("plf/moses-lattice-surface.plf", "plf", 4),
        ("plf/cdec-sparse-features.plf", "plf", 2),
        ("nbest/moses.nbest.1.gz", "moses-nbest", 10),
        ("trn-stm-ctm/lvc_hyp.ctm", "ctm", 4),
        ("trn-stm-ctm/lvc_ref.stm", "stm", 61),
        ("trn-stm-ctm/test.vietnamese.ref.trn", "trn", 8),
    ],
)
def test_a_file_is_told_by_its_content_and_read_whole(file, format_name, graphs):
    found = [(entry.format, entry.build()) for entry in reading.entries([str(DATA / file)])]
    assert [name for name, _ in found] == [format_name] * graphs


@pytest.mark.parametrize(
    ("file", "nodes", "edges", "derivations"),
    [
        ("training_dpmert_test_data_0.json.gz", 350, 1026, 7633),
        ("decoder_test_data_urdu.json.gz", 3450, 23174, None),
        ("decoder_test_data_small.json.gz", 36, 86, None),
        ("decoder_test_data_perro.json.gz", 10, 21, None),
        ("australia.target_graph.gz", 77, 244_232, 37_955_518_959_029_436_319_473_602_445),
        ("moses-hgdecode-denseonly/data/hg.gz", None, None, None),
    ],
)
def test_a_forest_has_the_nodes_edges_and_derivations_that_its_decoder_made(file, nodes, edges, derivations):
    sizes = lm.read_one(DATA / "forests" / file).statistics()
    for found, expected in ((sizes.nodes, nodes), (sizes.edges, edges), (sizes.derivations, derivations)):
        assert found == (found if expected is None else expected)
    assert np.isfinite(sizes.best_cost)


def test_text_and_binary_of_a_kaldi_archive_are_the_same_lattices():
    text, binary = (dict(lm.read(DATA / "kaldi" / f"ps-medium.lat.{end}.gz")) for end in ("txt", "ark"))
    assert {name: contents(graph) for name, graph in text.items()} == {n: contents(g) for n, g in binary.items()}


def test_a_kaldi_script_reads_what_its_archive_holds():
    archive, script = (dict(lm.read(DATA / "kaldi" / f"ps-medium.beam4.lat.{end}")) for end in ("ark", "scp"))
    assert {name: contents(graph) for name, graph in archive.items()} == {n: contents(g) for n, g in script.items()}


@pytest.mark.parametrize("column", ["acoustic", "lm"])
def test_an_htk_lattice_and_its_kaldi_twin_have_the_same_paths(column):
    folder = DATA / "slf" / "words-on-links"
    htk, kaldi = (lm.read_one(folder / f"lattice.{end}") for end in ("slf", "lat"))

    def measured(lattice):
        weights = {name: float(name == column) for name in lattice.scores}
        return sorted((len(path.words), round(path.cost, 3)) for path in lattice.paths(weights))

    assert measured(htk) == measured(kaldi)
    assert len(measured(htk)) == 32


def test_all_fisher_lattices_have_the_paths_that_are_written(tmp_path):
    graphs = list(lm.read(DATA / "plf" / "fisher_dev.400.plf.gz"))
    lm.write(tmp_path / "again.plf", graphs)
    again = list(lm.read(tmp_path / "again.plf"))
    assert [contents(graph) for _, graph in again] == [contents(graph) for _, graph in graphs]
