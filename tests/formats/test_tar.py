"""Archives of files: what is in them is read as if it stood in a folder, and nothing of them touches the disk."""

import gzip
import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.formats import contents
from kit.paths import EXAMPLES

import latticemetric as lm
from latticemetric.formats import reading

FILES = ["meeting.lat.txt", "proverbs.plf", "harbour.fst", "ferry.slf", "headlines.nbest"]


def packed(files=FILES, **more):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **more) as tar:
        for file in files:
            tar.add(EXAMPLES / file, arcname=f"some folder/{file}")
    return buffer.getvalue()


def special(kind, name="odd"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.add(EXAMPLES / "harbour.fst", arcname="harbour.fst")
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, "harbour.fst"
        tar.addfile(member)
        tar.add(EXAMPLES / "ferry.slf", arcname="ferry.slf")
    return buffer.getvalue()


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gz"])
@pytest.mark.parametrize("layout", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_an_archive_is_read_as_its_files_are(compress, layout, tmp_path):
    (tmp_path / "graphs").write_bytes(compress(packed(format=layout)))
    expected = [(name, contents(graph)) for file in FILES for name, graph in lm.read(EXAMPLES / file)]
    assert [(name, contents(graph)) for name, graph in lm.read(tmp_path / "graphs")] == expected


def test_members_may_be_compressed(tmp_path):
    (tmp_path / "harbour.fst.gz").write_bytes(gzip.compress((EXAMPLES / "harbour.fst").read_bytes()))
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(tmp_path / "harbour.fst.gz", arcname="harbour.fst.gz")
    assert [name for name, _ in lm.read(tmp_path / "x.tar")] == ["harbour"]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE]
)
def test_what_is_no_file_is_an_error_in_its_place(kind, tmp_path):
    (tmp_path / "x.tar").write_bytes(special(kind))
    good, odd, other = reading.entries([tmp_path / "x.tar"])
    with pytest.raises(lm.InputError, match=r"x\.tar/odd: this is not a regular file"):
        odd.build()
    assert good.build().num_states == 6
    assert other.build().num_states > 1


@pytest.mark.parametrize("name", ["/etc/passwd", "../../up", "a/../../b"])
def test_names_that_lead_elsewhere_are_names_only(name, tmp_path):
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(EXAMPLES / "harbour.fst", arcname="x", filter=lambda member: member.replace(name=name, deep=False))
    (entry,) = reading.entries([tmp_path / "x.tar"])
    assert entry.build().num_states == 6
    assert [path.name for path in tmp_path.iterdir()] == ["x.tar"]


def test_a_file_that_is_bad_does_not_hide_the_others(tmp_path):
    (tmp_path / "bad.plf").write_text("(((")
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(tmp_path / "bad.plf", arcname="bad.plf")
        tar.add(EXAMPLES / "harbour.fst", arcname="harbour.fst")
    bad, good = reading.entries([tmp_path / "x.tar"])
    with pytest.raises(lm.InputError, match=r"x\.tar/bad\.plf"):
        bad.build()
    assert good.build().num_states == 6


def test_hidden_files_are_left_out_with_a_warning(tmp_path, caplog):
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        tar.add(EXAMPLES / "harbour.fst", arcname="folder/._harbour.fst")
        tar.add(EXAMPLES / "harbour.fst", arcname=".harbour.fst")
        tar.add(EXAMPLES / "harbour.fst", arcname=".git/harbour.fst")
        tar.add(EXAMPLES / "harbour.fst", arcname="./folder/harbour.fst")
    assert [name for name, _ in lm.read(tmp_path / "x.tar")] == ["harbour"]
    assert caplog.messages == [
        f"{tmp_path}/x.tar: left out 3 entries (hidden): folder/._harbour.fst, .harbour.fst, .git/harbour.fst"
    ]


def test_many_hidden_files_are_counted_and_some_are_named(tmp_path, caplog):
    with tarfile.open(tmp_path / "x.tar", "w") as tar:
        tar.add(EXAMPLES / "harbour.fst", arcname="harbour.fst")
        for number in range(1000):
            tar.addfile(tarfile.TarInfo(f"._{number}"))
    assert [name for name, _ in lm.read(tmp_path / "x.tar")] == ["harbour"]
    (message,) = caplog.messages
    assert "left out 1000 entries (hidden): ._0, ._1, " in message
    assert message.endswith("._9, …")


def sizes_to_cut_at():
    whole = len(packed())
    return [*range(512, whole, 512), *range(700, whole, 1111)]


@pytest.mark.parametrize("size", sizes_to_cut_at())
def test_an_archive_that_is_cut_short_is_refused_wherever(size, tmp_path):
    whole = packed()
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        end = max(member.offset_data + member.size for member in tar)
    (tmp_path / "x.tar").write_bytes(whole[:size])
    entries = list(reading.entries([tmp_path / "x.tar"]))
    if size >= -(-end // 512) * 512 + 512 and size % 512 == 0:
        assert len(entries) == sum(1 for file in FILES for _ in lm.read(EXAMPLES / file))
        return
    with pytest.raises(lm.InputError, match=r"x\.tar"):
        _ = [entry.build() for entry in entries]


@given(data=st.data())
def test_no_accident_raises_anything_else(data, tmp_path_factory):
    from kit.formats import mutations

    path = tmp_path_factory.getbasetemp() / "mutated.tar"
    path.write_bytes(data.draw(mutations(packed(["harbour.fst", "proverbs.plf"]))))
    message = str(path)
    try:
        for _ in lm.read(path):
            pass
    except lm.LatticeMetricError as error:
        message = str(error)
    assert str(path) in message
