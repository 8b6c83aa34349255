"""A text that grows ends before what stops it, whatever the tokens that it comes in."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from regard.decoding import StreamedToken
from regard.serving.continuation import Continuation, PromptPiece


class Letters:
    """A tokeniser of which every token is some letters; the last of them comes at the end, as half a character may."""

    def __init__(self, parts):
        self.parts, self.held, self.before = parts, "", []

    def stream(self):
        return Letters(self.parts)

    def add(self, number):
        whole = self.held + self.parts[number]
        self.held = whole[-1:]
        return whole[:-1]

    def end(self):
        return self.held


def grow(parts, stops):
    """What is handed out, part by part, and the continuation at its end."""
    prompt = SimpleNamespace(encoded=SimpleNamespace(ids=()))
    text = Continuation(PromptPiece(prompt, stops=tuple(stops)), Letters(parts))
    given = []
    for number in range(len(parts)):
        given.append(text.add(StreamedToken(0, number, -1.0, False)))
        if text.is_stopped:
            break
    return [*given, text.end()], text


LETTERS = st.text("ab", max_size=4)


@given(st.lists(LETTERS, max_size=8), st.lists(st.text("ab", min_size=1, max_size=3), max_size=3))
def test_the_text_is_cut_at_the_first_stop_and_handed_out_whole(parts, stops):
    given, text = grow(parts, stops)
    whole = "".join(parts)
    assert "".join(given) == text.text
    assert whole.startswith(text.text)
    assert not any(stop in text.text for stop in stops)
    if not any(stop in whole for stop in stops):
        assert text.text == whole
        assert not text.is_stopped
    else:
        assert text.is_stopped
        assert text.finish_reason == "stop"
        assert any(whole.startswith(stop, len(text.text)) for stop in stops)


def test_what_may_be_the_beginning_of_a_stop_is_held_back():
    given, _ = grow(["ab", "ab", "x"], ["abx", "bbb"])
    assert given[0] == ""
    assert "".join(given) == "ab"


def test_a_text_that_was_cut_for_its_length_says_so():
    _, text = grow(["a"], [])
    assert text.finish_reason == "length"
    text.add(StreamedToken(0, 0, -1.0, True))
    assert text.finish_reason == "stop"
