"""Compressed files: all parts of them are read, and whatever is no part is an error."""

import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable

import pytest
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.formats.references import read_references
from latticemetric.formats.streams.compression import zlib_module, zstd_module
from latticemetric.formats.streams.stream import Stream, open_stream

FIRST, SECOND = b"".join(b"line %d of the first\n" % number for number in range(99)), b"the second\n" * 40


def zstd(data: bytes) -> bytes:
    module = zstd_module()
    # Without a checksum, zstd itself notices only some of all damage.
    return bytes(module.compress(data, options={module.CompressionParameter.checksum_flag: 1}))


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lzma.compress,
    ".zst": zstd,
}
SKIPPED = b"\x53\x2a\x4d\x18" + (7).to_bytes(4, "little") + b"skipped"


@pytest.fixture(params=[*COMPRESS, "zlib"])
def suffix(request, monkeypatch) -> str:
    if request.param != "zlib":
        return request.param
    monkeypatch.setitem(sys.modules, "isal", None)
    assert zlib_module() is zlib
    return ".gz"


def content(data: bytes, name: str = "file") -> bytes:
    return Stream(name, io.BytesIO(data)).read()


def test_all_parts_are_read(suffix):
    compress = COMPRESS[suffix]
    empty = compress(b"")
    assert content(compress(FIRST) + empty + compress(SECOND) + empty) == FIRST + SECOND
    assert content(compress(FIRST) + compress(b"\n") * 5000) == FIRST + b"\n" * 5000


def test_many_small_parts_take_little_time(suffix):
    assert content(COMPRESS[suffix](b"") * 20_000 + COMPRESS[suffix](FIRST)) == FIRST


def test_a_file_cut_short_anywhere_is_an_error(suffix):
    one, two = COMPRESS[suffix](FIRST), COMPRESS[suffix](SECOND)
    for size in range(1, len(one + two)):
        data = (one + two)[:size]
        if size == len(one):
            assert content(data) == FIRST
            continue
        with pytest.raises(lm.InputError, match="cut short"):
            content(data, f"file{suffix}")


def test_a_damaged_byte_is_an_error_or_changes_nothing(suffix):
    whole = COMPRESS[suffix](FIRST) + COMPRESS[suffix](SECOND)
    begin = len(COMPRESS[suffix](FIRST))
    for at in [*range(8, begin, 7), *range(begin, len(whole))]:
        data = bytearray(whole)
        data[at] ^= 0x10
        try:
            found = content(bytes(data))
        except lm.InputError:
            continue
        assert found == FIRST + SECOND, at


@pytest.mark.parametrize("junk", [b"x", b"junk", b"\n", b"\0\0\0\0junk", FIRST, b"\0" * 3 + b"\1" + b"\0" * 9999])
def test_junk_behind_the_parts_is_an_error(suffix, junk):
    with pytest.raises(lm.InputError, match=r"file: the compressed file is (damaged|cut short)"):
        content(COMPRESS[suffix](FIRST) + junk)


def test_a_part_of_another_kind_is_an_error(suffix):
    for other, compress in COMPRESS.items():
        if other != suffix:
            with pytest.raises(lm.InputError, match="other data follows"):
                content(COMPRESS[suffix](FIRST) + compress(SECOND))


@pytest.mark.parametrize("zeros", [1, 3, 4, 7, 512, 100_000, 400_001])
def test_padding_is_what_each_format_allows(suffix, zeros):
    compress = COMPRESS[suffix]
    for data, expected in (
        (compress(FIRST) + bytes(zeros), FIRST),
        (compress(FIRST) + bytes(zeros) + compress(SECOND), FIRST + SECOND),
    ):
        if suffix == ".gz" or (suffix == ".xz" and zeros % 4 == 0):
            assert content(data) == expected
        else:
            with pytest.raises(lm.InputError, match="damaged"):
                content(data)


@pytest.mark.parametrize(
    "data",
    [SKIPPED + zstd(FIRST), zstd(FIRST) + SKIPPED, SKIPPED * 3 + zstd(FIRST[:50]) + SKIPPED + zstd(FIRST[50:])],
    ids=["first", "last", "between"],
)
def test_skippable_frames_of_zstd_are_skipped(data):
    assert content(data) == FIRST
    with pytest.raises(lm.InputError, match="cut short"):
        content(data[:-1])


def test_an_error_comes_up_again(suffix):
    stream = Stream("file", io.BytesIO(COMPRESS[suffix](FIRST * 5000) + b"junk"))
    for _ in range(3):
        with pytest.raises(lm.InputError, match="damaged"):
            stream.read()


def test_a_damaged_second_part_fails_graphs_and_references(suffix, tmp_path):
    lattice = (EXAMPLES / "meeting.lat.txt").read_bytes()
    second = bytearray(COMPRESS[suffix](lattice.replace(b"meeting", b"again")))
    second[-4 if suffix == ".zst" else -8] ^= 0xFF  # of the checksum
    path = tmp_path / f"x{suffix}"
    path.write_bytes(COMPRESS[suffix](lattice) + second)
    with pytest.raises(lm.InputError, match="the compressed file is damaged"):
        list(lm.read(path))
    second = bytearray(COMPRESS[suffix](b"more text\n"))
    second[-4 if suffix == ".zst" else -8] ^= 0xFF
    path.write_bytes(COMPRESS[suffix](b"a text\n") + second)
    with pytest.raises(lm.InputError, match="the compressed file is damaged"):
        read_references(str(path))


def test_the_first_byte_of_a_compressed_file_is_no_text(suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(COMPRESS[suffix](FIRST)[:1])
    with pytest.raises(lm.InputError, match="cut short"):
        open_stream(str(path))
    path.write_text("plain text\n")
    assert read_references(str(path)).lines == (("plain", "text"),)


@pytest.mark.parametrize("graphs", [3, 4000])
def test_graphs_before_the_damage_are_read(suffix, graphs, tmp_path):
    path = tmp_path / f"lists.jsonl{suffix}"
    text = "".join(f'{{"id": "u{number}", "nbest": ["word{number}", "a b c d"]}}\n' for number in range(graphs))
    path.write_bytes(COMPRESS[suffix](text.encode())[:-1])
    graphs_read = lm.read(path)
    assert [next(graphs_read)[0], next(graphs_read)[0]] == ["u0", "u1"]
    with pytest.raises(lm.InputError, match=r"cut short|damaged"):
        list(graphs_read)
