from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from regard.pictures.labels import fit, isolate, label, shorten, signs, visible


def test_ordinary_text_is_left_alone():
    for text in ("station", "größer", "日本語", "🙂", "👩\u200d🔬", "hop 1"):
        assert visible(text) == label(text) == text


def test_line_breaks_and_control_characters_get_a_picture():
    assert visible("a\nb\tc\r\x1b[31m\x7f") == "a⏎b␉c␍␛[31m␡"


def test_what_turns_or_hides_text_is_written_out():
    assert visible("\u202eabc") == "\\u202eabc"  # right-to-left override
    assert visible("a\u200bb") == "a\\u200bb"  # zero-width space
    assert visible("\u2028") == "\\u2028"  # line separator
    assert visible("\ud800") == "\\ud800"  # half a surrogate pair, which no file can hold
    assert visible("\U000e0041") == "\\U000e0041"  # an invisible tag


def test_space_around_a_token_and_line_breaks_are_faint_signs():
    assert signs(" the") == [("·", True), ("the", False)]
    assert signs("Ġthe") == signs("▁the") == signs(" the")
    assert signs("a\nb ") == [("a", False), ("⏎", True), ("b", False), ("·", True)]
    assert signs("ĊĊ") == signs("\n\n") == [("⏎⏎", True)]
    assert signs("   ") == [("···", True)]
    assert signs("") == []


def test_a_name_that_runs_from_right_to_left_keeps_to_itself():
    assert isolate("שלום") == "\u2068שלום\u2069"
    assert isolate("peace") == "peace"


@given(st.text(), st.integers(1, 30))
def test_a_fitted_label_takes_exactly_its_width(text, width):
    assert cell_len(fit(text, width)) == width


@given(st.text(), st.integers(2, 30))
def test_a_shortened_label_is_no_wider_than_its_room_and_the_same_where_it_fits(text, width):
    runs = shorten(text, width)
    assert cell_len("".join(run for run, _ in runs)) <= width
    assert runs == signs(text) or runs[-1] == ("…", True)


@given(st.text())
def test_a_label_is_one_printable_line(text):
    for shown in (visible(text), label(text)):
        assert len(shown.splitlines()) <= 1
        shown.encode()


def test_a_cut_label_says_so_and_a_wide_character_is_never_halved():
    assert fit("station", 4) == "sta…"
    assert fit("日本語", 4) == "日 …"
    assert fit("日本語", 6) == "日本語"
    assert fit("ab", 4) == "ab  "
