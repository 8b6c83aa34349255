"""Words stand in for spans, and the spans come back."""

from hypothesis import given
from hypothesis import strategies as st

from regard.text.spans import Protection
from regard.text.stand_ins import ChangedText, Substitution, between_spans, mask_spans

WORDS = st.sampled_from(["the", "%s", "dog", "{name}", "5 km", "sees", "http://a.de/b", "'%s'", "and", "%d"])


@given(st.lists(WORDS, max_size=10))
def test_an_unchanged_translation_gives_the_text_back(words):
    text = " ".join(words)
    spans = Protection().spans(text)
    for only in (None, "names", "numbers"):
        masked = mask_spans(text, spans, only=only)
        if masked is not None:
            restored = masked.restore(masked.text)
            assert restored is not None
            assert restored.text == text
            assert not any(span.target in masked.text for span in spans)


@given(st.lists(WORDS, max_size=10))
def test_pieces_and_what_is_between_them_are_the_text(words):
    text = " ".join(words)
    pieces = between_spans(text, Protection().spans(text))
    assert "".join(piece + gap for piece, gap in pieces) == text
    assert not any(Protection().spans(piece) for piece, _ in pieces)


def test_a_stand_in_that_is_lost_doubled_or_out_of_order_is_refused():
    text = "%s sees %s"
    masked = mask_spans(text, Protection().spans(text))
    assert masked is not None
    first, _, second = masked.text.split()
    assert masked.restore(f"{first} sieht {second}").text == "%s sieht %s"
    for target in (f"{first} sieht", f"{first} {first} {second}", f"{second} sieht {first}", f"{first}-Bahn {second}"):
        assert masked.restore(target) is None


def test_a_genitive_may_be_written_in_one_word():
    text = "{name}'s book"
    masked = mask_spans(text, Protection().spans(text))
    assert masked is not None
    assert masked.restore(f"{masked.text.partition(chr(39))[0]}s Buch").text == "{name}s Buch"


def test_positions_follow_changes_there_and_back():
    changed = ChangedText("one two three", (Substitution(4, 7, "2"),))
    assert changed.text == "one 2 three"
    assert [changed.position(at) for at in (0, 4, 7, 13)] == [0, 4, 5, 11]
    assert changed.back().text == "one two three"
    assert changed.back().position(5) == 7


def test_more_spans_than_stand_ins_are_not_masked():
    text = " and ".join(["%s"] * 40)
    assert mask_spans(text, Protection().spans(text)) is None
