"""`regard see`: what it refuses, and what it says."""

import socket

import pytest
from click.testing import CliRunner

from regard.cli.see import see
from regard.errors import RegardError
from regard.viewer import launcher


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
        monkeypatch.setattr(launcher, "PORT", taken.getsockname()[1])
        with launcher.open_socket("127.0.0.1", None) as other:
            assert other.getsockname()[1] != launcher.PORT


@pytest.mark.parametrize(
    ("folder", "name"), [("runs/sst2/model", "sst2"), ("my-bert", "my-bert"), ("/models/gpt/", "gpt")]
)
def test_a_folder_is_called_by_what_tells_it_apart(folder, name):
    assert launcher.folder_name(folder) == name


def test_the_address_carries_the_token():
    address = launcher.ServerAddress("0.0.0.0", 8080, "a b")
    assert launcher.page_url(address) == "http://127.0.0.1:8080/?token=a%20b"
    assert launcher.page_url(launcher.ServerAddress("::1", 8080)) == "http://[::1]:8080/"
