"""What the cache gives is what the tokeniser gives, however the files of the cache were treated."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import (
    DataError,
    LabelledCorpus,
    ParallelCorpus,
    PlainCorpus,
    SwappedCorpus,
    TabbedCorpus,
    TokenTable,
    token_tables,
    train_tokenizer,
)

PAIRS = [("The dog sleeps.", "Der Hund schläft."), ("", "leer"), ("It rains.", ""), ("the dog", "der Hund")]
TOKENIZER = train_tokenizer("bpe", 300, [text for pair in PAIRS for text in pair])


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{one}\t{other}\n" for one, other in PAIRS))
    return TabbedCorpus(path)


CODERS = {"source": TOKENIZER, "target": TOKENIZER}


def ids(table):
    return [tuple(table[number].tolist()) for number in range(len(table))]


@given(lines=st.lists(st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"])), min_size=1))
def test_every_text_comes_back_as_it_is_encoded(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("cache")
    (folder / "text").write_bytes("".join(f"{line}\n" for line in lines).encode())
    for bare in (False, True):
        table = token_tables(PlainCorpus(folder / "text"), {"text": TOKENIZER}, folder / "cache", bare=bare)["text"]
        assert ids(table) == [TOKENIZER.encode(line, bare=bare).ids for line in lines]
        assert table.lengths.tolist() == [len(TOKENIZER.encode(line, bare=bare)) for line in lines]


def test_more_texts_than_are_encoded_at_once(tmp_path, monkeypatch):
    lines = [str(number) for number in range(1000)]
    (tmp_path / "text").write_text("".join(f"{line}\n" for line in lines))
    monkeypatch.setattr("regard.text.cache.CHUNK", 7)
    table = token_tables(PlainCorpus(tmp_path / "text"), {"text": TOKENIZER}, tmp_path / "cache")["text"]
    assert [TOKENIZER.decode(row) for row in ids(table)] == lines
    assert isinstance(table.tokens, np.memmap)
    assert table.tokens.dtype == np.uint16
    with pytest.raises(IndexError, match="text 1000 of 1000"):
        table[1000]


def made(corpus, folder, **asked):
    """The tables, and whether they were written now."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npy")}
    tables = token_tables(corpus, CODERS, folder, **asked)
    return tables, {path: path.stat().st_mtime_ns for path in folder.rglob("*.npy")} != before


def test_the_cache_knows_content_and_not_names(tmp_path, corpus):
    cache = tmp_path / "cache"
    assert made(corpus, cache)[1]
    assert not made(corpus, cache)[1]
    copy = tmp_path / "copy.tsv"
    copy.write_bytes(corpus.files[0].read_bytes())
    assert not made(TabbedCorpus(copy), cache)[1]
    assert not made(TabbedCorpus(str(copy)), cache)[1]
    assert made(SwappedCorpus(corpus), cache)[1]
    assert not made(SwappedCorpus(TabbedCorpus(copy)), cache)[1]
    assert made(corpus, cache, bare=True)[1]
    copy.write_bytes(corpus.files[0].read_bytes().replace(b"dog", b"cat"))
    assert made(TabbedCorpus(copy), cache)[1]


def test_another_tokeniser_is_another_entry(tmp_path, corpus):
    other = train_tokenizer("words", 0, ["The dog sleeps.", "Der Hund schläft."])
    one = token_tables(corpus, CODERS, tmp_path / "cache")
    two = token_tables(corpus, {**CODERS, "target": other}, tmp_path / "cache")
    assert ids(one["source"]) == ids(two["source"])
    assert ids(two["target"])[0] == other.encode(PAIRS[0][1]).ids


def damage_cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def damage_flip(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def damage_foreign(path):
    np.save(path, np.arange(3))


def damage_empty(path):
    path.write_bytes(b"")


def damage_missing(path):
    path.unlink()


@pytest.mark.parametrize("damage", [damage_cut, damage_flip, damage_foreign, damage_empty, damage_missing])
@pytest.mark.parametrize("file", ["source.tokens.npy", "target.offsets.npy", "contents.json"])
def test_a_file_that_is_not_as_it_was_written_is_made_anew(tmp_path, corpus, damage, file):
    cache = tmp_path / "cache"
    expected = {name: ids(table) for name, table in token_tables(corpus, CODERS, cache).items()}
    (path,) = cache.rglob(file)
    if damage is damage_foreign and file == "contents.json":
        path.write_text('["something else"]')
    else:
        damage(path)
    assert {name: ids(table) for name, table in token_tables(corpus, CODERS, cache).items()} == expected
    assert not made(corpus, cache)[1]
    assert len(list(cache.iterdir())) == 1  # nothing is left lying about


def test_faulty_data_leaves_nothing_behind(tmp_path):
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text("eins\n")
    with pytest.raises(DataError, match="a:2: no line to go with it"):
        token_tables(ParallelCorpus(tmp_path / "a", tmp_path / "b"), CODERS, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
    with pytest.raises(DataError, match="nothing: cannot be read"):
        token_tables(PlainCorpus(tmp_path / "nothing"), {"text": TOKENIZER}, tmp_path / "cache")


def test_labels_are_one_number_each(tmp_path):
    (tmp_path / "data").write_text("good\tI like it\nbad\tI do not\n")
    corpus = LabelledCorpus(tmp_path / "data")
    numbers = {label: number for number, label in enumerate(corpus.labels())}
    tables = token_tables(corpus, {"label": numbers, "text": TOKENIZER}, tmp_path / "cache")
    assert ids(tables["label"]) == [(1,), (0,)]
    with pytest.raises(DataError, match="data:2: 'bad' is none of good"):
        token_tables(corpus, {"label": {"good": 0}, "text": TOKENIZER}, tmp_path / "cache")
    with pytest.raises(DataError, match="no column target: there are label, text"):
        token_tables(corpus, {"target": TOKENIZER}, tmp_path / "cache")


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path, corpus):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="the token cache cannot be written"):
        token_tables(corpus, CODERS, tmp_path / "file" / "cache")


def test_a_table_goes_to_another_process_by_name(tmp_path, corpus):
    table = token_tables(corpus, CODERS, tmp_path / "cache")["source"]
    sent = pickle.dumps(table)
    assert len(sent) < 500
    assert ids(pickle.loads(sent)) == ids(table)
    assert isinstance(pickle.loads(sent), TokenTable)


def test_processes_that_write_at_once_agree(tmp_path, corpus):
    code = f"""
from regard.text import TabbedCorpus, load_tokenizer, token_tables
tokenizer = load_tokenizer({str(tmp_path / "words")!r})
coders = {{"source": tokenizer, "target": tokenizer}}
tables = token_tables(TabbedCorpus({str(corpus.path)!r}), coders, {str(tmp_path / "c")!r})
print([row.tolist() for row in (tables["target"][n] for n in range(4))])
"""
    from regard.text import save_tokenizer

    save_tokenizer(TOKENIZER, tmp_path / "words")
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    found = [process.communicate()[0] for process in running]
    assert len(set(found)) == 1
    assert [tuple(row) for row in json.loads(found[0])] == [TOKENIZER.encode(target).ids for _, target in PAIRS]


def test_what_killed_processes_left_goes_after_a_day(tmp_path, corpus):
    cache = tmp_path / "cache"
    for name in (".old.x", ".new.x"):
        (cache / name).mkdir(parents=True)
    os.utime(cache / ".old.x", (0, 0))
    token_tables(corpus, CODERS, cache)
    assert not (cache / ".old.x").exists()
    assert (cache / ".new.x").exists()
