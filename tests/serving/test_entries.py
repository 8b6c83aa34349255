"""What is remembered between requests. Also tests: serving/file_store.py, serving/glossary_store.py."""

import pytest

from regard.serving.entries import FolderEntries, MemoryEntries, folder_entries, make_room, memory_entries
from regard.serving.file_store import FileStore
from regard.serving.glossary_store import GlossaryStore
from regard.serving.limits import LIMITS


@pytest.fixture(params=["memory", "folder"])
def entries(request, tmp_path):
    return memory_entries("x") if request.param == "memory" else folder_entries(tmp_path)("x")


def test_an_entry_is_there_until_it_is_deleted(entries):
    assert entries.get("a") is None
    entries.put("a", b"one")
    entries.put("a", b"other")
    assert entries.get("a") == b"other"
    assert entries.sizes() == {"a": 5}
    for _ in range(2):
        entries.delete("a")
    assert entries.get("a") is None
    assert entries.sizes() == {}


@pytest.mark.parametrize(("count", "size", "left"), [(2, 99, "bc"), (9, 5, "c"), (9, 99, "abc"), (0, 0, "c")])
def test_the_oldest_make_room_and_the_newest_stays(entries, count, size, left):
    for name in "abc":
        entries.put(name, b"xyz")
    make_room(entries, count, size)
    assert sorted(entries.sizes()) == list(left)


def test_one_that_is_asked_for_is_the_newest(entries):
    for name in "ab":
        entries.put(name, b"xyz")
    entries.touch("a")
    entries.touch("nothing")
    assert list(entries.sizes()) == ["b", "a"]


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".hidden", "a\0b", "ü"])
def test_a_name_leads_nowhere_else(tmp_path, name):
    (tmp_path / "a").write_bytes(b"secret")
    entries = FolderEntries(tmp_path / "inside")
    assert entries.get(name) is None
    entries.delete(name)
    entries.touch(name)
    assert (tmp_path / "a").read_bytes() == b"secret"


def test_processes_that_share_a_folder_share_what_is_in_it(tmp_path):
    one, other = (folder_entries(tmp_path) for _ in range(2))
    name = FileStore(LIMITS, one("files")).add("a.txt", b"content")
    assert FileStore(LIMITS, other("files")).get(name) == b"content"
    glossary = GlossaryStore(LIMITS, one("glossaries")).add("mine", ("en", "de"), {"a": "b"}, "me")
    assert GlossaryStore(LIMITS, other("glossaries")).get(glossary.id, "me") == glossary
    assert GlossaryStore(LIMITS, MemoryEntries()).list("me") == []
