import os

from regard.text import threads

NAME = "TOKENIZERS_PARALLELISM"


def test_there_are_many_threads_inside_and_one_afterwards(monkeypatch):
    monkeypatch.setattr(threads, "CHOSEN", False)
    monkeypatch.setenv(NAME, "false")
    with threads.threads():
        assert os.environ[NAME] == "true"
    assert os.environ[NAME] == "false"


def test_what_somebody_else_has_chosen_stays(monkeypatch):
    monkeypatch.setattr(threads, "CHOSEN", True)
    monkeypatch.setenv(NAME, "0")
    with threads.threads():
        assert os.environ[NAME] == "0"
    assert os.environ[NAME] == "0"
