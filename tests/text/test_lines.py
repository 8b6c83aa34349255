"""Files are read to the last byte, or not at all."""

import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import DataError, read_lines

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(text=TEXT, packing=st.sampled_from(["", ".gz", ".xz"]))
def test_lines_with_their_ends_joined_are_the_file(tmp_path_factory, text, packing):
    path = tmp_path_factory.mktemp("lines") / f"text{packing}"
    pack = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[packing]
    path.write_bytes(pack(text.encode()))
    assert "".join(read_lines(path, ends=True)) == text
    assert list(read_lines(path)) == text.removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "text: empty, where lines of text are expected"),
        (b"good\nb\xc3d\n", r"text:2: not UTF-8: 0xC3 at byte 2 of the line"),
        (b"a\nb\nc\0d", "text:3: a NUL at byte 2 of the line, where text is expected"),
        (b"\xed\xa0\x80", "text:1: not UTF-8: 0xED at byte 1"),
    ],
)
def test_what_is_no_text_is_named_with_its_line(tmp_path, content, told):
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(DataError, match=told):
        list(read_lines(tmp_path / "text"))


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
@pytest.mark.parametrize("damage", [lambda data: data[: len(data) * 2 // 3], lambda data: b"plain text\n"])
def test_a_damaged_archive_is_one_clear_line(tmp_path, ending, pack, damage):
    path = tmp_path / f"text{ending}"
    path.write_bytes(damage(pack("\n".join(map(str, range(50_000))).encode())))
    with pytest.raises(DataError, match=rf"text{ending}:\d+: cannot be read or unpacked from here on") as caught:
        list(read_lines(path))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(DataError, match="nothing: no such file"):
        list(read_lines(tmp_path / "nothing"))
    with pytest.raises(DataError, match="a folder, where a file"):
        list(read_lines(tmp_path))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("regard.text.lines.LONGEST", 1 << 20)
    monkeypatch.setattr("regard.text.lines.raw_lines.__defaults__", (1 << 20,))
    (tmp_path / "text").write_bytes(b"short\n" + b"x" * (2 << 20))
    with pytest.raises(DataError, match="text:2: a line of more than 1 MiB"):
        list(read_lines(tmp_path / "text"))
