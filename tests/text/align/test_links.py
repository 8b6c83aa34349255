"""Links as they stand in files."""

import lzma

import pytest
from shared import shared

from regard.looking.align import Gold, pharaoh, read_gold, read_links, swap_links
from regard.text import DataError
from regard.text.align.links import first_number


def test_links_are_read_and_written(tmp_path):
    file = tmp_path / "links"
    file.write_text("0-0 1-2\n\n3-1 2-2\n")
    found = read_links(file)
    assert found == [{(0, 0), (1, 2)}, set(), {(3, 1), (2, 2)}]
    assert [pharaoh(one) for one in found] == ["0-0 1-2", "", "2-2 3-1"]
    assert read_links(file, swap=True) == [swap_links(one) for one in found]
    assert swap_links(found[2]) == {(1, 3), (2, 2)}


def test_sure_links_are_possible(tmp_path):
    file = tmp_path / "gold.xz"
    file.write_bytes(lzma.compress(b"1-1 2p3 \n"))
    (gold,) = read_gold(file, first=1)
    assert gold == Gold(frozenset({(0, 0)}), frozenset({(0, 0), (1, 2)}))
    assert gold.swap().possible == {(0, 0), (2, 1)}


@pytest.mark.parametrize(
    ("text", "first", "message"),
    [
        ("0-0 1:2", 0, r"links:1: '1:2', where a link such as 3-4 or 3p4 is expected"),
        ("1-1\n0-1", 1, r"links:2: '0-1' in a file that counts words from 1"),
    ],
)
def test_what_is_no_link_is_named(tmp_path, text, first, message):
    (tmp_path / "links").write_text(text)
    with pytest.raises(DataError, match=message):
        read_gold(tmp_path / "links", first=first)


@pytest.mark.parametrize(("text", "first"), [("0-1\n2-2", 0), ("1-1\n2-3", 1), ("1-1\n1-2", 0)])
def test_a_file_shows_what_it_counts_from(tmp_path, text, first):
    (tmp_path / "links").write_text(text)
    assert first_number(tmp_path / "links", [(3, 3), (3, 3)]) == first


@pytest.mark.parametrize(
    ("folder", "gold", "texts", "first"),
    [
        ("deen-rwth", "alignment.talp.xz", ("test.de.xz", "test.en.xz"), 1),
        ("deen-europarl-bicici", "de-en.wa", ("test.de", "test.en"), 0),
    ],
)
def test_published_files_show_what_they_count_from(folder, gold, texts, first):
    from regard.text import ParallelCorpus

    where = shared(f"alignment/{folder}")
    sizes = [
        (len(source.split()), len(target.split())) for source, target in ParallelCorpus(*(where / one for one in texts))
    ]
    assert first_number(where / gold, sizes) == first
