"""`regard see`: what it refuses, and what it says."""

import socket

import pytest
from click.testing import CliRunner

from regard.cli.see import see
from regard.errors import RegardError


def refused(*arguments: str) -> RegardError:
    found = CliRunner().invoke(see, ["--no-browser", *arguments])
    assert isinstance(found.exception, RegardError), found.output
    return found.exception


def test_another_address_than_this_machine_needs_a_token():
    assert "choose a --token" in str(refused("--host", "0.0.0.0"))


def test_a_port_that_is_taken_is_said_in_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port} cannot be listened on" in str(refused("--port", str(port)))


def test_a_taken_usual_port_is_no_reason_to_stop(monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(serving, "PORT", taken.getsockname()[1])
        with serving.open_socket("127.0.0.1", None) as other:
            assert other.getsockname()[1] != serving.PORT


@pytest.mark.parametrize(
    ("folder", "name"), [("runs/sst2/model", "sst2"), ("my-bert", "my-bert"), ("/models/gpt/", "gpt")]
)
def test_a_folder_is_called_by_what_tells_it_apart(folder, name):
    assert serving.folder_name(folder) == name


def test_the_address_carries_the_token():
    address = serving.ServerAddress("0.0.0.0", 8080, "a b")
    assert serving.page_url(address) == "http://127.0.0.1:8080/?token=a%20b"
    assert serving.page_url(serving.ServerAddress("::1", 8080)) == "http://[::1]:8080/"
