"""A state file is read back, and what is none is refused in one line."""

import json

import pytest

from regard.errors import RegardError
from regard.viewer.state_file import is_state_file, read_state

ADDRESS = "#links?model=mine&text=Where+is+the+station%3F&layer=decoder.1.cross"


def test_a_state_names_its_model_and_its_address(tmp_path):
    path = tmp_path / "seen.regard.json"
    path.write_text(json.dumps({"regard": "state", "version": 1, "model": "mine", "address": ADDRESS}))
    assert is_state_file(str(path))
    state = read_state(str(path))
    assert (state.model, state.address) == ("mine", ADDRESS)
    assert state.address_for("en-de") == ADDRESS.removeprefix("#links?model=mine").join(["#links?model=en-de", ""])


def test_a_page_to_explore_has_a_state_too(tmp_path):
    path = tmp_path / "seen.html"
    record = json.dumps({"run": {"model": "mine"}, "hash": ADDRESS})
    path.write_text(f'<!doctype html>\n<script type="application/json" id="saved">{record}</script>')
    assert read_state(str(path)).address == ADDRESS


@pytest.mark.parametrize("text", ["Where is it?", "no-such.regard.json", "two\nlines.html", "x" * 5000 + ".html"])
def test_a_text_is_no_file(text):
    assert not is_state_file(text)


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"model": 1, "address": "#text"}', '{"model": "m", "address": "x"}']
)
def test_what_is_no_state_is_refused(content, tmp_path):
    path = tmp_path / "seen.regard.json"
    path.write_text(content)
    with pytest.raises(RegardError, match="not a file that the page saved"):
        read_state(str(path))
