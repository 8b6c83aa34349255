"""The page where a person can type, in a browser."""

import pytest
from browsing import browsing
from serving.running import running
from serving.small import task

TEXT = "The old man is reading a book."
TAGS = "<img src=x onerror=alert(1)> Yes, this is good."
PATIENCE = 30_000  # milliseconds


def shows(page, where, text):
    from playwright.sync_api import expect

    expect(page.locator(where)).to_have_text(text, timeout=PATIENCE)


@pytest.fixture(scope="module")
def page():
    with running("-m", "en-de") as service, browsing() as browser:
        opened = browser.new_page()
        faults = []
        opened.on("pageerror", lambda problem: faults.append(str(problem)))
        opened.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        opened.goto(f"{service.base}/")
        yield opened
        assert faults == []


def test_a_text_is_translated_and_its_words_paired(page):
    page.get_by_label("Text").fill(TEXT)
    page.get_by_role("button", name="Translate").click()
    answer = task("en-de")(TEXT)
    shows(page, "#translation", answer.text)
    source, target = TEXT.split(), answer.text.split()
    pairs = [f"{source[first]} – {target[second]}" for first, second in answer.alignment.words]
    assert page.locator("#alignment span").all_text_contents() == pairs
    shows(page, "#state", "from English")


def test_a_click_before_the_languages_have_come_is_answered(page):
    quick, held = page.context.browser.new_page(), []
    quick.route("**/languages", lambda route: held.append(route))
    with quick.expect_request("**/languages"):
        quick.goto(page.url)
    quick.get_by_label("Text").fill(TEXT)
    quick.get_by_role("button", name="Translate").click()
    with quick.expect_response("**/translate") as answered:
        held[0].continue_()
    assert answered.value.status == 200
    shows(quick, "#translation", task("en-de")(TEXT).text)
    quick.close()


def test_tags_in_a_text_are_text(page):
    page.get_by_label("Text").fill(TAGS)
    page.keyboard.press("Control+Enter")
    shows(page, "#translation", task("en-de")(TAGS).text)
    assert page.locator("output img").count() == 0
