"""Packed models in the cache: opened in place of packing, never where anything has changed, and never in the way.

Also tests: engine/folder_weights.py.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import made, texts

from regard.checkpoints import load_model, save_model
from regard.decoding import Constraints, decode
from regard.engine import PRECISIONS, packed_cache
from regard.engine.folder_model import FolderModel
from regard.engine.packed_file import PackedFile
from regard.engine.parts import Unsupported
from regard.errors import RegardError
from regard.families import generic
from regard.tasks.find import builtin

pytestmark = needs_engine
PACKED_PATH = packed_cache.packed_path  # before the tests have another


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of its own, which takes files that were changed just now."""
    folder = tmp_path / "cache" / "packed"
    monkeypatch.setattr(packed_cache, "packed_path", PACKED_PATH)
    monkeypatch.setattr(packed_cache, "packed_folder", lambda: folder)
    monkeypatch.setattr(packed_cache, "SETTLED", -60.0)
    return folder


@pytest.fixture
def packings(monkeypatch):
    """The precisions that were packed, one for each time."""
    log = []
    pack = packed_cache.pack_parts
    monkeypatch.setattr(packed_cache, "pack_parts", lambda *arguments: log.append(arguments[2]) or pack(*arguments))
    return log


def save(path, name="marian", seed=0):
    model = made(name, seed, spread=0.6)
    plan = generic.plan(model.config)
    return save_model(model, path, plan.config_entries, plan.architecture)


def answers(model, precision="float32"):
    tokens, mask = texts(4, 6, seed=1)
    told = {"max_new_tokens": 8, "constraints": Constraints(ends=(0,)), "beam": 2, "precision": precision}
    prefix = torch.ones(4, 1, dtype=torch.long)
    arrays = [tokens, mask, prefix]
    if isinstance(model, FolderModel):
        arrays = [tensor.numpy() for tensor in arrays]
    results = decode(model, arrays[0], attention_mask=arrays[1], prefix=arrays[2], **told)
    return [[(one.ids, one.scores) for one in result.hypotheses] for result in results]


def is_mapped(model):
    return any(isinstance(array, np.ndarray) and array.dtype == np.uint8 for array in model.packed()._referenced)


def test_a_model_is_packed_once_for_each_precision(tmp_path, cache, packings):
    folder = save(tmp_path / "model")
    torchs = load_model(folder).model
    for _ in range(3):
        for precision in PRECISIONS:
            model = FolderModel.open(folder).with_precision(precision)
            assert is_mapped(model)
            assert answers(model, precision) == answers(torchs, precision)
    assert packings == list(PRECISIONS)
    assert len(list(cache.iterdir())) == len(PRECISIONS)
    header = PackedFile.read(next(cache.iterdir())).header
    assert set(header["made_of"]["files"]) == {"config.json", "model.safetensors"}


@pytest.mark.parametrize("damage", [lambda b: b[:-7], lambda b: b[:-7] + b"abcdefg", lambda b: b"", lambda b: b * 2])
def test_a_damaged_file_is_made_anew(tmp_path, cache, packings, damage):
    folder = save(tmp_path / "model")
    expected = answers(FolderModel.open(folder))
    (path,) = cache.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert answers(FolderModel.open(folder)) == expected
    assert packings == ["float32", "float32"]
    assert path.read_bytes() == whole


def test_changed_weights_are_noticed_and_a_new_date_of_the_same_is_not_minded(tmp_path, cache, packings):
    folder = save(tmp_path / "model")
    weights = folder / "model.safetensors"
    before, status = answers(FolderModel.open(folder)), weights.stat()
    os.utime(weights, (1, 1))
    assert answers(FolderModel.open(folder)) == before
    assert len(packings) == 1
    other = save(tmp_path / "other", seed=5)
    for name in ("model.safetensors", "manifest.json"):
        (folder / name).write_bytes((other / name).read_bytes())  # as long as before, in the same place
    os.utime(weights, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert weights.stat().st_size == status.st_size
    after = answers(FolderModel.open(folder))
    assert after == answers(load_model(folder).model) != before
    assert len(packings) == 2


def test_what_other_code_packed_is_not_taken(tmp_path, cache, packings, monkeypatch):
    folder = save(tmp_path / "model")
    expected = answers(FolderModel.open(folder))
    for name in ("__version__", "CODE"):
        monkeypatch.setattr(packed_cache, name, "0.0" if name == "__version__" else (tmp_path,))
        assert answers(FolderModel.open(folder)) == expected
    assert len(packings) == 3
    assert len(list(cache.iterdir())) == 1


def test_damaged_weights_are_told_of_though_there_is_a_packed_file(tmp_path, cache):
    folder = save(tmp_path / "model")
    FolderModel.open(folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"?")
    with pytest.raises(Unsupported, match="damaged or changed"):
        FolderModel.open(folder)


def test_a_folder_that_was_replaced_is_not_taken_for_the_one_that_was_opened(tmp_path, cache, packings):
    folder, other = save(tmp_path / "model"), save(tmp_path / "other", seed=5)
    opened = FolderModel.open(folder)
    before = answers(opened)
    folder.rename(tmp_path / "away")
    other.rename(folder)  # whose files are as old as they were
    with pytest.raises(RegardError, match=r"model: its files have changed since it was opened: load it again$"):
        answers(opened, "int8")
    assert packings == ["float32", "int8"]
    assert len(list(cache.iterdir())) == 1
    assert answers(opened) == before != answers(FolderModel.open(folder))
    FolderModel.open(folder).with_precision("int8").packed()  # by now in the cache, for whoever opens it now
    with pytest.raises(RegardError, match="load it again"):
        answers(opened, "int8")


def test_a_folder_that_is_replaced_while_it_is_packed_is_not_kept(tmp_path, cache, monkeypatch):
    folder, other = save(tmp_path / "model"), save(tmp_path / "other", seed=5)
    pack = packed_cache.pack_parts

    def replaced_meanwhile(*arguments):
        packed = pack(*arguments)
        if other.exists():
            folder.rename(tmp_path / "away")
            other.rename(folder)
        return packed

    monkeypatch.setattr(packed_cache, "pack_parts", replaced_meanwhile)
    with pytest.raises(Unsupported, match="changed since it was opened"):
        FolderModel.open(folder)
    assert not cache.exists()
    assert answers(FolderModel.open(folder)) == answers(load_model(folder).model)


def test_what_another_process_put_there_meanwhile_is_not_taken(tmp_path, cache, monkeypatch):
    folder, other = save(tmp_path / "model"), save(tmp_path / "other", seed=5)
    FolderModel.open(other)
    (theirs,) = cache.iterdir()
    keep = packed_cache.keep

    def keep_and_lose(path, content):
        keep(path, content)
        os.replace(theirs, path)

    monkeypatch.setattr(packed_cache, "keep", keep_and_lose)
    model = FolderModel.open(folder)
    assert not is_mapped(model)
    assert answers(model) == answers(load_model(folder).model)


def test_weights_that_were_written_just_now_are_not_kept(tmp_path, cache, monkeypatch):
    folder = save(tmp_path / "model")
    monkeypatch.setattr(packed_cache, "SETTLED", 60.0)
    assert not is_mapped(FolderModel.open(folder))
    assert not cache.exists()


def test_without_a_place_to_write_the_model_is_in_memory(tmp_path, cache, monkeypatch):
    folder = save(tmp_path / "model")
    expected = answers(load_model(folder).model)
    (tmp_path / "file").write_text("in the way")

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for place in (lambda: tmp_path / "file" / "packed", lambda: Path("/proc/none/packed"), no_home):
        monkeypatch.setattr(packed_cache, "packed_folder", place)
        model = FolderModel.open(folder)
        assert not is_mapped(model)
        assert answers(model) == expected


def test_a_disk_that_is_full_leaves_nothing_and_is_not_minded(tmp_path, cache, monkeypatch):
    folder = save(tmp_path / "model")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert not is_mapped(FolderModel.open(folder))
    assert not list(cache.iterdir())


def test_only_so_many_are_kept_and_those_used_last(tmp_path, cache, monkeypatch):
    monkeypatch.setattr(packed_cache, "MOST_FILES", 2)
    kept = []
    for number in range(3):
        folder = save(tmp_path / str(number))
        FolderModel.open(folder)
        (new,) = set(cache.iterdir()) - set(kept)
        kept.append(new)
        os.utime(new, (number + 1, number + 1))
    assert set(cache.iterdir()) == set(kept[1:])
    FolderModel.open(tmp_path / "1")  # which was used now, and so stays longer than the last
    FolderModel.open(save(tmp_path / "more"))
    assert kept[1].exists()
    assert not kept[2].exists()
    monkeypatch.setattr(packed_cache, "MOST_BYTES", kept[1].stat().st_size)
    assert not is_mapped(FolderModel.open(save(tmp_path / "large")))


def test_what_a_killed_writer_left_goes(tmp_path, cache):
    cache.mkdir(parents=True)
    old, new = cache / ".a.packed.0123", cache / ".b.packed.0123"
    for path in (old, new):
        path.write_bytes(b"half")
    day_before = time.time() - 2 * 86_400
    os.utime(old, (day_before, day_before))
    FolderModel.open(save(tmp_path / "model"))
    assert not old.exists()
    assert new.exists()


SHARED = """
import sys
from pathlib import Path
from regard.engine import packed_cache
from regard.engine.folder_model import FolderModel
packed_cache.packed_folder = lambda: Path(sys.argv[2])
model = FolderModel.open(Path(sys.argv[1]))
maps = Path("/proc/self/maps")
print(len([line for line in maps.read_text().splitlines() if sys.argv[2] in line]))
"""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="the system does not say what is mapped")
@pytest.mark.skipif("en-de" not in builtin(), reason="not built in")
def test_processes_that_begin_together_all_map_one_file(tmp_path):
    command = [sys.executable, "-c", SHARED, str(builtin()["en-de"]), str(tmp_path / "packed")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate()[0].strip() for process in started] == ["1"] * 3
    assert len(list((tmp_path / "packed").iterdir())) == 1
