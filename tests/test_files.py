"""Whatever happens while something is written, the old content is whole or the new one is."""

import errno
import os
import pickle
import resource
import stat
from functools import partial
from itertools import count

import pytest
from training.faults import dies, refuses
from training.forked import ended, fork

from regard import files
from regard.files import SaveError, sweep, write_file, write_folder

OLD, NEW = {"a": "old", "b": "old too"}, {"a": "new", "c/d": "new too"}
REFUSED = 5


def fill(beside, content):
    for name, text in content.items():
        (beside / name).parent.mkdir(exist_ok=True)
        (beside / name).write_text(text)


def put_folder(path, content):
    write_folder(path, partial(fill, content=content))


def put_file(path, content):
    write_file(path, content["a"])


def content_of(path):
    if path.is_file():
        return {"a": path.read_text()}
    return {str(file.relative_to(path)): file.read_text() for file in path.rglob("*") if file.is_file()}


def is_whole(put, path):
    return content_of(path) in ([OLD, NEW] if put is put_folder else [{"a": "old"}, {"a": "new"}])


def put_by_two_renames(path, content):
    files.exchange = lambda one, other: False  # in a child: nobody else sees it
    put_folder(path, content)


@pytest.mark.parametrize("put", [put_file, put_folder])
def test_whenever_the_process_is_killed_one_content_is_whole(put, tmp_path):
    for at in count(1):
        home = tmp_path / str(at)
        home.mkdir()
        put(home / "it", OLD)
        code = ended(fork(lambda home=home, at=at: dies(home, at) or put(home / "it", NEW) or 0))
        assert is_whole(put, home / "it")
        sweep(home, "it")
        assert [path.name for path in home.iterdir()] == ["it"]
        assert is_whole(put, home / "it")
        if code == 0:
            break
    assert at > 3
    assert content_of(home / "it")["a"] == "new"


def test_a_system_that_cannot_exchange_folders_gets_one_back_by_a_sweep(tmp_path):
    swept = []
    for at in count(1):
        home = tmp_path / str(at)
        home.mkdir()
        put_folder(home / "it", OLD)
        code = ended(fork(lambda home=home, at=at: dies(home, at) or put_by_two_renames(home / "it", NEW) or 0))
        swept += [] if (home / "it").exists() else [at]
        sweep(home, "it")
        assert [path.name for path in home.iterdir()] == ["it"]
        assert is_whole(put_folder, home / "it")
        if code == 0:
            break
    assert len(swept) == 1  # between the two renames


def refusal(work):
    """What a child of this process is told by the disk."""
    here, there = os.pipe()

    def attempt():
        try:
            work()
        except SaveError as problem:
            os.write(there, str(problem).encode())
            return REFUSED
        return 0

    child = fork(attempt)
    os.close(there)
    with os.fdopen(here) as file:
        return ended(child), file.read()


@pytest.mark.parametrize("put", [put_file, put_folder, put_by_two_renames])
def test_a_full_disk_is_one_line_that_names_the_path(put, tmp_path):
    for at in count(1):
        home = tmp_path / str(at)
        home.mkdir()
        (put_folder if put is put_by_two_renames else put)(home / "it", OLD)
        code, line = refusal(lambda home=home, at=at: (refuses(home, at, errno.ENOSPC), put(home / "it", NEW)))
        sweep(home, "it")
        assert is_whole(put_file if put is put_file else put_folder, home / "it")
        if code == 0:
            break
        expected = f"{home / 'it'}: cannot be written (No space left on device); what was saved before is whole"
        assert (code, line) == (REFUSED, expected)


@pytest.mark.parametrize("put", [put_file, put_folder])
def test_what_the_kernel_refuses_to_write_leaves_nothing_behind(put, tmp_path):
    put(tmp_path / "it", OLD)
    limit = (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1])

    def work():
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        put(tmp_path / "it", {"a": "x" * 2000})

    code, line = refusal(work)
    assert (code, line.partition(";")[0]) == (REFUSED, f"{tmp_path / 'it'}: cannot be written (File too large)")
    assert content_of(tmp_path / "it")["a"] == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


@pytest.mark.parametrize("put", [put_file, put_folder])
@pytest.mark.parametrize("step", ["fsync", "replace", "rename", "chmod"])
def test_one_refusal_leaves_nothing_behind(put, step, tmp_path, monkeypatch):
    put(tmp_path / "it", OLD)
    refused = []

    def refuse(*arguments, **options):
        refused.append(arguments)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, refuse)
    try:
        put(tmp_path / "it", NEW)
    except SaveError:
        assert refused
        assert content_of(tmp_path / "it")["a"] == "old"
    else:
        assert not refused
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


@pytest.mark.parametrize("put", [put_file, put_folder])
def test_a_folder_that_is_read_only_is_one_line(put, tmp_path):
    put(tmp_path / "it", OLD)
    tmp_path.chmod(0o555)

    def work():
        if os.geteuid() == 0:  # who may write everywhere
            os.seteuid(65534)
        put(tmp_path / "it", NEW)

    code, line = refusal(work)
    tmp_path.chmod(0o755)
    assert (code, line.partition(";")[0]) == (REFUSED, f"{tmp_path / 'it'}: cannot be written (Permission denied)")


def test_what_befalls_a_part_is_said_of_the_whole(tmp_path):
    with pytest.raises(SaveError) as caught:
        write_folder(tmp_path / "it", lambda beside: write_file(beside / "none" / "a", ""))
    assert str(caught.value).startswith(f"{tmp_path / 'it'}: cannot be written (No such file or directory)")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_the_caller_raises_reaches_him_and_nothing_is_left(tmp_path):
    put_folder(tmp_path / "it", OLD)
    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "it", lambda beside: (_ for _ in ()).throw(KeyboardInterrupt))
    assert content_of(tmp_path / "it") == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_a_link_is_followed_and_a_private_file_stays_private(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o600)
    (tmp_path / "link").symlink_to("file")
    write_file(tmp_path / "link", "new\r\nlines\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new\r\nlines\n"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "pipe", "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_a_sweep_spares_what_is_young_and_what_has_another_name(tmp_path):
    for name in (".it.old", ".it.young", ".other.old"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 0) if name.endswith("old") else None)
    sweep(tmp_path, "it", seconds=3600)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".it.young", ".other.old"]
