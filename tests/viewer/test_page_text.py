"""Text: what is typed is answered as the library answers it, and what was looked at is shown."""

import re

import pytest

SENTENCE = "where is the station ?"
WRITTEN = "[data-line='1'] .token.written"


def test_a_typed_text_is_answered_as_the_library_does(visit, site):
    page = visit.open("text", wait=False)
    page.get_by_role("textbox", name="Text").fill(SENTENCE)
    page.get_by_role("button", name="Run").click()
    visit.settled()
    written = page.locator(WRITTEN)
    written.first.wait_for()
    expected = site.task("translator")(SENTENCE, beam=4)
    assert "".join(written.all_text_contents()).startswith("".join(expected.text.split()))
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
    page.locator("[data-line='0'] .token").nth(1).hover()  # whoever came from it
    strong = page.locator(".ribbon.strong")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.ribbon.strong')].every(one => /^1,/.test(one.dataset.ribbon))"
    )
    weights = site.task("translator")(SENTENCE, beam=4).alignment.weights[:, 1].tolist()
    expected = {f"1,{row + 1}": weight for row, weight in enumerate(weights) if weight >= 0.12}
    strong.nth(len(expected) - 1).wait_for()  # they grow as the text is written
    shown = dict(strong.evaluate_all("all => all.map(one => [one.dataset.ribbon, Number(one.dataset.weight)])"))
    assert shown == pytest.approx(expected, abs=6e-4)


def test_of_a_paragraph_one_sentence_is_read_and_another_can_be_chosen(visit, site):
    page = visit.open("text", text=f"a dog\n{SENTENCE}", pin="a1")
    assert page.get_by_label("Sentence").locator("option").all_text_contents() == [
        "1 of 2: a dog",
        f"2 of 2: {SENTENCE}",
    ]
    page.get_by_label("Sentence").select_option("1")
    page.locator("[data-line='0'] .token", has_text="station").wait_for()
    visit.holds("sentence=1")
    written = page.locator(WRITTEN).all_text_contents()
    expected = site.task("translator")(SENTENCE, beam=4).text
    assert "".join(written).startswith("".join(expected.split()))
    assert "pin=" not in page.url  # those were tokens of another sentence
    page.get_by_role("textbox", name="Text").fill("where is a cat")
    page.get_by_role("button", name="Run").click()
    page.get_by_label("Sentence").wait_for(state="detached")
    page.wait_for_function("() => !location.href.includes('sentence=')")


def test_a_gpt_writes_on_and_what_competed_is_shown(visit, site):
    page = visit.open("text", model="gpt", text="the dog", tokens="6")
    expected = site.task("gpt")("the dog", max_new_tokens=6)
    page.locator(".token.written").first.wait_for()
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
    plain = {"[UNK]": "unknown"}  # special tokens have plain names
    assert [row[0] for row in rows] == [plain.get(choice.token, choice.token) for choice in expected]
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
