"""What users do to files of any format: another encoding, a piece that is missing; and what they are told."""

from pathlib import Path

import pytest
from kit.paths import EXAMPLES

import latticemetric as lm

NO_TEXTS = {".fst", ".far", ".ark", ".arrow", ".parquet", ".txt", ".gz"}
TEXTS = [path for path in sorted(EXAMPLES.iterdir()) if path.is_file() and path.suffix not in NO_TEXTS]


@pytest.fixture(params=TEXTS, ids=[path.name for path in TEXTS])
def example(request) -> Path:
    return request.param


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_a_text_in_utf_16_is_said_to_be_in_it(example, order, tmp_path):
    path = tmp_path / example.name
    path.write_bytes(("\ufeff" + example.read_text()).encode(order))
    with pytest.raises(lm.FormatError, match=r": the text is not UTF-8 but UTF-16; convert the file with iconv$"):
        list(lm.read(path))


def test_an_error_is_one_line_that_names_the_file_wherever_it_ends(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a script finds no archive here
    data, path = example.read_bytes(), tmp_path / example.name
    for size in range(1, len(data), 1 + len(data) // 60):
        path.write_bytes(data[:size])
        try:
            graphs = [graph for _, graph in lm.read(path)]
        except lm.InputError as error:
            message = str(error)
        else:
            message = str(path) if graphs else "nothing was read, and nothing said"
        assert message.startswith(str(path)), size
        assert "\n" not in message
        assert len(message) < 700
