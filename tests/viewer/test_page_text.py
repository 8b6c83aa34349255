"""Text: what is typed is answered as the library answers it, and what was looked at is shown."""

import re

import pytest

SENTENCE = "where is the station ?"


def test_a_typed_text_is_answered_as_the_library_does(visit, site):
    page = visit.open("text", wait=False)
    page.get_by_role("textbox", name="Text").fill(SENTENCE)
    page.get_by_role("button", name="Run").click()
    visit.settled()
    page.locator("section[aria-label=target] .word.written").first.wait_for()
    written = page.locator("section[aria-label=target] .word.written").all_text_contents()
    expected = site.task("translator")(SENTENCE, beam=4)
    assert "".join(written).startswith(expected.text.replace(" ", "·"))
    visit.holds("text=where+is+the+station")


def test_the_tree_of_the_beam_search_marks_the_winner(visit, site):
    page = visit.open("text", text=SENTENCE)
    rows = visit.table(re.compile("Beam search"))
    won = [row for row in rows if row[4] == "yes"]
    best = site.task("translator")(SENTENCE, beam=4)
    assert page.locator(".node.won").count() == len(won)
    assert float(won[-1][3]) == pytest.approx(best.score, abs=1e-3)
    assert len(rows) > len(won)  # those that lost are there, too


def test_a_token_under_the_pointer_shows_its_alignment(visit, site):
    page = visit.open("text", text=SENTENCE)
    page.locator("section[aria-label=target] .word.written").nth(1).hover()
    tinted = page.locator("section[aria-label=source] .word[data-weight]")
    tinted.first.wait_for()
    shown = {
        name: float(weight)
        for name, weight in tinted.evaluate_all("all => all.map(one => [one.textContent, one.dataset.weight])")
    }
    pattern = site.task("translator")(SENTENCE, beam=4).alignment
    row = pattern.weights[1].tolist()
    assert max(shown.values()) == pytest.approx(max(row), abs=0.006)


def test_of_a_paragraph_one_sentence_is_read_and_another_can_be_chosen(visit, site):
    page = visit.open("text", text=f"a dog\n{SENTENCE}", pin="a1")
    assert page.get_by_label("Sentence").locator("option").all_text_contents() == [
        "1 of 2: a dog",
        f"2 of 2: {SENTENCE}",
    ]
    page.get_by_label("Sentence").select_option("1")
    page.locator("section[aria-label=source] .word", has_text="station").wait_for()
    visit.holds("sentence=1")
    written = page.locator("section[aria-label=target] .word.written").all_text_contents()
    assert "".join(written).startswith(site.task("translator")(SENTENCE, beam=4).text.replace(" ", "·"))
    assert "pin=" not in page.url  # those were tokens of another sentence
    page.get_by_role("textbox", name="Text").fill("where is a cat")
    page.get_by_role("button", name="Run").click()
    page.get_by_label("Sentence").wait_for(state="detached")
    page.wait_for_function("() => !location.href.includes('sentence=')")


def test_a_gpt_writes_on_and_what_competed_is_shown(visit, site):
    page = visit.open("text", model="gpt", text="the dog", tokens="6")
    expected = site.task("gpt")("the dog", max_new_tokens=6)
    page.locator(".word.written").first.wait_for()
    rows = visit.table(re.compile("What competed"))
    assert 1 < len(rows) <= 5
    chances = [float(row[1]) for row in rows]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) <= 1.0001
    assert expected.text  # it wrote something at all


def test_a_bert_fills_a_gap(visit, site):
    visit.open("text", model="bert", text="the [MASK] sleeps .")
    rows = visit.table("Gap 1")
    expected = site.task("bert")("the [MASK] sleeps .").candidates[0]
    assert [row[0] for row in rows] == [choice.token for choice in expected]
    assert [float(row[1]) for row in rows] == pytest.approx([choice.score for choice in expected], abs=1e-5)


@pytest.mark.proof
def test_a_word_is_pinned_in_every_view_and_in_the_address(visit):
    page = visit.open("text", text=SENTENCE)
    page.locator(".spine .token").nth(2).click()
    visit.holds("pin=a2")
    for view in ("Heads", "Links", "Map", "Edit"):
        page.get_by_role("navigation", name="Views").get_by_text(view, exact=True).click()
        page.locator(f"main[data-view={view.lower()}]").wait_for()
        page.locator(".spine .token.held[data-token='2']").wait_for()
    page.keyboard.press("Escape")
    page.locator(".spine .token.held").wait_for(state="detached")
    page.wait_for_function("() => !location.href.includes('pin=')")


def test_what_the_model_refuses_is_said_in_one_line(visit, site):
    page = visit.open("text", wait=False, model="nobody", text=SENTENCE)
    alert = page.get_by_role("alert")
    alert.wait_for()
    assert "no model 'nobody'" in alert.inner_text()
    assert "\n" not in alert.inner_text()
