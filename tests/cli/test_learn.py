"""`regard learn`: where the page begins, and what is refused."""

import json

import pytest
from click.testing import CliRunner

from regard.cli.learn import learn
from regard.errors import RegardError
from regard.viewer import launcher
from regard.viewer.learn import LESSONS


@pytest.fixture
def address(monkeypatch):
    """What the browser would be sent to, without waiting for anybody."""
    monkeypatch.setattr(launcher.uvicorn.Server, "run", lambda self, sockets: None)

    def ask(*arguments: str) -> str:
        outcome = CliRunner().invoke(learn, ["--no-browser", "--json", *arguments], catch_exceptions=False)
        assert outcome.exit_code == 0, outcome.output
        return json.loads(outcome.output)["url"]

    return ask


def test_it_begins_at_the_first_idea(address):
    assert address().endswith("/#learn")


@pytest.mark.parametrize("topic", LESSONS)
def test_it_begins_where_one_says_and_the_help_names_it(topic, address):
    assert address(topic).endswith(f"/#learn?topic={topic}")
    assert topic in CliRunner().invoke(learn, ["--help"]).output


def test_a_topic_that_nobody_teaches_is_refused_with_those_that_are_taught():
    outcome = CliRunner().invoke(learn, ["--no-browser", "cooking"])
    assert isinstance(outcome.exception, RegardError)
    assert "softmax" in str(outcome.exception)
