"""Each fault is found where it was put, and what is sound passes."""

import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from shared import shared

from regard.text import DataError, check_files, pairs
from regard.text.check import FAULTS, FEW, WARNINGS

SOUND = [(f"The dog number {number} sleeps.", f"Der Hund Nummer {number} schläft.") for number in range(40)]


def written(folder, rows=SOUND, packing=""):
    pack = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[packing]
    sides = ["".join(f"{row[side]}\n" for row in rows) for side in (0, 1)]
    files = {"a": sides[0], "b": sides[1], "both.tsv": "".join(f"{one}\t{other}\n" for one, other in rows)}
    for name, text in files.items():
        (folder / f"{name}{packing}").write_bytes(pack(text.encode()))
    return [folder / f"a{packing}", folder / f"b{packing}"], folder / f"both.tsv{packing}"


@pytest.mark.parametrize("packing", ["", ".gz", ".xz"])
def test_sound_data_passes(tmp_path, packing):
    two, one = written(tmp_path, packing=packing)
    assert check_files(two).findings == check_files([one]).findings == ()
    assert check_files(two).lines == (40, 40)
    assert check_files(two[:1]).lines == (40,)


CASES = {
    "BOM": ("\ufeffThe dog", "Der Hund"),
    "CRLF": ("The dog", "Der Hund\r"),
    "line breaks": ("The\u2028dog", "Der Hund"),
    "empty side": ("", "Der Hund"),
    "long": ("The dog " * 300, "Der Hund " * 300),
    "same": ("Berlin", "Berlin"),
    "repeated": SOUND[3],
    "lopsided": ("The dog", "Der Hund, der dort drüben unter dem alten Baum im Garten schläft"),
    "NUL": ("The\0dog", "Der Hund"),
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("position", [5, 17, 40])
def test_a_fault_is_found_where_it_was_put(tmp_path, kind, position):
    rows = [*SOUND]
    rows.insert(position, CASES[kind])
    two, one = written(tmp_path, rows)
    for files in (two, [one]):
        (finding,) = check_files(files).findings
        assert (finding.kind, finding.stops) == (kind, kind in FAULTS)
        assert finding.count == len(finding.locations)
        assert set(finding.locations) <= {f"{file}:{position + 1}" for file in files}


@pytest.mark.parametrize("letter", "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
def test_every_odd_line_break_is_one(tmp_path, letter):
    two, _ = written(tmp_path, [*SOUND, (f"The{letter}dog", "Der Hund")])
    assert [finding.kind for finding in check_files(two).findings] == ["line breaks"]
    assert len(f"The{letter}dog".splitlines()) == 2


@pytest.mark.parametrize("content", [b"\xff", b"caf\xe9", b"\xed\xa0\x80", b"\xc0\x80"])
def test_bytes_that_are_no_text_stop_training(tmp_path, content):
    two, _ = written(tmp_path)
    two[1].write_bytes(two[1].read_bytes().replace(b"Nummer 7", content))
    report = check_files(two)
    assert report.stops
    assert [(finding.kind, finding.locations) for finding in report.findings] == [("not UTF-8", (f"{two[1]}:8",))]


def test_counts_go_on_where_locations_end(tmp_path):
    two, _ = written(tmp_path, [*SOUND, *[("", "")] * 10])
    (finding,) = check_files(two).findings
    assert (finding.kind, finding.count, len(finding.locations)) == ("empty side", 20, FEW)


@pytest.mark.parametrize("cut", [0, 1])
def test_unequal_files_are_told_from_the_first_line_alone(tmp_path, cut):
    two, _ = written(tmp_path)
    two[cut].write_text("".join(two[cut].read_text().splitlines(keepends=True)[:30]))
    report = check_files(two)
    (finding,) = report.findings
    assert (finding.kind, finding.count, finding.locations) == ("unequal", 10, (f"{two[1 - cut]}:31",))
    assert sorted(report.lines) == [30, 40]


@pytest.mark.parametrize("line", ["no tab", "a\tb\tc"])
def test_a_line_that_is_no_pair_stops_training(tmp_path, line):
    _, one = written(tmp_path)
    one.write_text(f"{one.read_text()}{line}\n")
    (finding,) = check_files([one]).findings
    assert (finding.kind, finding.locations) == ("columns", (f"{one}:41",))


def test_an_empty_file_and_half_an_archive_stop_training(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert [finding.kind for finding in check_files([tmp_path / "empty"]).findings] == ["empty file"]
    (tmp_path / "half.gz").write_bytes(gzip.compress(b"".join(b"%d\n" % number for number in range(9999)))[:9000])
    (finding,) = check_files([tmp_path / "half.gz"]).findings
    assert finding.kind == "unreadable"
    assert finding.stops


def test_what_is_not_there_is_an_error(tmp_path):
    with pytest.raises(DataError, match="nothing: no such file"):
        check_files([tmp_path / "nothing"])
    with pytest.raises(DataError, match="one file or two parallel ones expected, got 3"):
        check_files(["a", "b", "c"])


ROW = st.binary(max_size=12).map(lambda row: row.replace(b"\n", b" "))


@given(rows=st.tuples(st.lists(ROW, max_size=6), st.lists(ROW, max_size=6)), ends=st.booleans())
@example(rows=([b""], [b""]), ends=False)
@example(rows=([b"a", b" "], [b"a", b"b"]), ends=True)
def test_it_stops_exactly_what_the_readers_refuse(tmp_path_factory, rows, ends):
    folder = tmp_path_factory.mktemp("check")
    files = []
    for name, side in zip("ab", rows, strict=True):
        (folder / name).write_bytes(b"\n".join(side) + (b"\n" if ends and side else b""))
        files.append(folder / name)
    tabbed = folder / "both.tsv"
    tabbed.write_bytes(b"".join(b"%s\t%s\n" % row for row in zip(*rows, strict=False)))
    for data in (files, [tabbed]):
        try:
            refused = any(not side.strip() for pair in pairs(data) for side in pair)  # which training refuses
        except DataError:
            refused = True
        assert check_files(data).stops == refused


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of /proc")
def test_a_line_without_end_takes_no_memory(tmp_path):
    with (tmp_path / "endless").open("wb") as file:
        file.write(b"short\n")
        for _ in range(400):
            file.write("é".encode() * (1 << 19))
        file.write(b"\nshort again\n")
    code = """
import re, sys
from regard.text import check_files
report = check_files([sys.argv[1]])
print(report.lines, [(finding.kind, finding.locations[0].rpartition(":")[2]) for finding in report.findings])
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) >> 10, "torch" in sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code, tmp_path / "endless"], capture_output=True, text=True)
    assert ran.stderr == ""
    told, used = ran.stdout.splitlines()
    assert told == "(3,) [('endless', '2'), ('long', '2')]"
    assert int(used.split()[0]) < 200
    assert used.endswith("False")


def test_every_kind_has_one_meaning():
    assert not FAULTS.keys() & WARNINGS.keys()


def test_real_data_is_sound():
    files = [shared("multi30k/raw/train.en.gz"), shared("multi30k/raw/train.de.gz")]
    report = check_files(files)
    assert report.lines == (29_000, 29_000)
    assert not report.stops
    seen = [*pairs(files)]
    (repeated,) = [finding for finding in report.findings if finding.kind == "repeated"]
    assert repeated.count == len(seen) - len(set(seen))


def test_a_text_may_have_empty_lines_and_a_pair_may_not(tmp_path):
    (tmp_path / "text").write_text("one\n\ntwo\n")
    report = check_files([tmp_path / "text"])
    assert [(finding.kind, finding.stops) for finding in report.findings] == [("empty", False)]
    assert check_files([tmp_path / "text", tmp_path / "text"]).stops
