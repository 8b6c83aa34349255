"""Files of a folder that somebody else made: whatever they are, one line names them."""

import os

import pytest

from regard.errors import CheckpointError
from regard.text import TokenizerError
from regard.untrusted import checked_file, read_bytes, read_json, read_json_value, read_optional_json


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": 1, "a": 1}', '["\\ud800"]', "\ufeff{}", "", "{", "[" * 100_000, "9" * 5000],
    ids=lambda text: text[:12],
)  # fmt: skip
@pytest.mark.parametrize("error", [CheckpointError, TokenizerError])
def test_what_is_no_json_is_one_line_that_names_the_file(tmp_path, text, error):
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=r"config\.json: no readable JSON \([^\n]+\)$") as caught:
        read_json(path, error)
    assert len(str(caught.value)) < len(str(path)) + 300


def test_json_that_is_json_is_read(tmp_path):
    (tmp_path / "x.json").write_text('{"model_max_length": 1000000000000000019884624838656}')
    assert read_json(tmp_path / "x.json") == {"model_max_length": int(1e30)}
    assert read_optional_json(tmp_path / "y.json") == {}
    (tmp_path / "z.json").write_text("[1]")
    assert read_json_value(tmp_path / "z.json") == [1]
    with pytest.raises(CheckpointError, match=r"z\.json: an object expected, got list"):
        read_json(tmp_path / "z.json")


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "loop.json").symlink_to("loop.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    (tmp_path / "outside.json").symlink_to(tmp_path.parent / "outside.json")
    (tmp_path.parent / "outside.json").write_text("{}")
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("latin.json", "folder.json", "loop.json", "zero.json", "outside.json", "pipe.json", "none.json"):
        with pytest.raises(CheckpointError, match=rf"{name}: [^\n]+$"):
            read_json(tmp_path / name)
        if name != "none.json":  # what is there is not passed over
            with pytest.raises(CheckpointError, match=rf"{name}: [^\n]+$"):
                read_optional_json(tmp_path / name)


def test_a_name_that_no_file_can_have_is_one_line(tmp_path):
    for name in ("n" * 300, "n\0"):
        with pytest.raises(CheckpointError, match="n"):
            checked_file(tmp_path / name)


def test_a_file_without_end_is_read_to_its_bound(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)  # sparse: takes no room
    with pytest.raises(CheckpointError, match=r"large: more than 1 MiB"):
        read_bytes(tmp_path / "large", 1 << 20)
