import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.sentences import split, split_long, split_repeated

LETTERS = st.text(st.sampled_from("aB1 \n.!?…\"'“”»«()。！「」，;,—é中\u2028\t"), max_size=40)


@given(st.one_of(st.text(), LETTERS))
def test_pieces_joined_are_the_text(text):
    pieces = split(text)
    assert "".join(sentence + gap for sentence, gap in pieces) == text
    assert all(gap == "" or gap.isspace() for _, gap in pieces)
    assert all(sentence == sentence.strip() for sentence, _ in pieces)
    assert all(sentence for sentence, _ in pieces[1:])


@given(LETTERS)
def test_a_sentence_is_one_sentence(text):
    for sentence, _ in split(text):
        assert split(sentence) == ([(sentence, "")] if sentence else [])


@pytest.mark.parametrize(
    "sentences",
    [
        ["Where is it?", "Over there!", "Thanks."],
        ["Mr. Smith met Dr. J. R. Brown.", "They spoke, e.g. about St. Paul's."],
        ["See fig. 3 and No. 5.", "The figure is clear."],
        ["“Really?” he asked.", "“Yes.”", "She left."],
        ["„Komm!“ rief er.", "Er kam am 3. Mai, d. h. zu spät.", "So war es."],
        ["Er sagte: »Nein.«", "Dann ging er."],
        ["It costs 3.50 dollars.", "Visit example.com now!"],
        ["1. First we read.", "2. Then we write."],
        ["Wait… what?", "No..."],
        ["¿Dónde está?", "¡Aquí!", "Стр. 5 ясна.", "Да."],
        ["(It was late.)", "She slept."],
        ["He lives in the U.S. Army base.", "What?!"],
        ["أين المحطة؟", "هناك۔", "نعم."],
        ["यह क्या है।", "यह घर है।"],
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_ends_them(sentences):
    assert split(" ".join(sentences)) == [*((one, " ") for one in sentences[:-1]), (sentences[-1], "")]


def test_wide_full_stops_need_no_space():
    assert [sentence for sentence, _ in split("你好。“好吗？”他说。我走了！３．５米。")] == [
        "你好。", "“好吗？”", "他说。", "我走了！", "３．５米。",
    ]  # fmt: skip
    assert split("はい。 いいえ。") == [("はい。", " "), ("いいえ。", "")]


def test_gaps_and_lines_are_kept():
    assert split("  One.  Two\n\n three ") == [("", "  "), ("One.", "  "), ("Two", "\n\n "), ("three", " ")]
    assert split("") == []
    assert split(" \n") == [("", " \n")]


@given(st.text(st.sampled_from("ab ,;—，\n"), min_size=1, max_size=60), st.integers(1, 20))
def test_parts_fit_and_joined_are_the_text(text, room):
    found = split_long(text, lambda piece: len(piece) <= room)
    if found:
        assert "".join(piece + gap for piece, gap in found) == text
        assert all(len(piece) <= room for piece, _ in found)
    else:
        assert max(map(len, text.split()), default=room + 1) > room or text.isspace() or room < 3


def test_a_sentence_is_cut_after_a_clause_rather_than_between_words():
    text = "when the dog sleeps, the cat runs over"
    assert split_long(text, lambda piece: len(piece) < 25) == [("when the dog sleeps,", " "), ("the cat runs over", "")]
    assert split_long("one two three four", lambda piece: len(piece) < 10) == [
        ("one two", " "),
        ("three", " "),
        ("four", ""),
    ]
    assert split_long("x" * 30, lambda piece: len(piece) < 10) == []


def test_time_grows_with_the_text():
    assert len(split(". A" * 200_000)) > 1
    assert split(" " * 1_000_000)[0][0] == ""
    assert split("." * 1_000_000) != []


@pytest.mark.parametrize("text", ["no no no no", "No no\tno  no no", "7 7 7 7"])
def test_one_word_again_and_again_is_cut_between_words(text):
    pieces = split_repeated(text)
    assert "".join(part + gap for part, gap in pieces) == text
    assert {part.lower() for part, _ in pieces} == {text[: len(pieces[0][0])].lower()}
    assert len(pieces) == len(text.split())


@pytest.mark.parametrize("text", ["", "no", "no no no", "no no no not", "no no no no.", "oh no no no no"])
def test_any_other_sentence_is_not_cut_between_words(text):
    assert split_repeated(text) == []
