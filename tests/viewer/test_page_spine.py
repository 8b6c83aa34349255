"""The lines of tokens at the top and the strip of the model: an example writes itself, words are changed where they
stand, heads are chosen and named; by mouse and by keys.

Also tests: viewer/roles.py, viewer/writers.py.
"""

import json
import re

import pytest
import torch
from viewer.small import client, run

import regard
from regard.looking.circuits import detect

SENTENCE = "where is the station ?"


@pytest.fixture(scope="module")
def before(site) -> str:
    return site.task("translator")(SENTENCE, beam=4).text


def line(page, side: int) -> str:
    """What a line says, without its special tokens and without spaces."""
    return "".join(page.locator(f"[data-line='{side}'] .token:not(.special)").all_text_contents())


def wait_for_line(page, side: int, text: str) -> None:
    """Until a line says a text."""
    tokens = f"[data-line='{side}'] .token:not(.special)"
    says = (
        "([tokens, text]) => [...document.querySelectorAll(tokens)].map(token => token.textContent).join('') === text"
    )
    page.wait_for_function(says, arg=[tokens, joined(text)])


def joined(text: str) -> str:
    return "".join(text.split())


def edits_of(page) -> list[dict]:
    return json.loads(page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('edits') ?? '[]'"))


def test_the_page_begins_by_itself_and_the_alignment_is_the_librarys(visit, site):
    page = visit.open("text", wait=True)
    text = page.get_by_role("textbox", name="Text").input_value()
    assert text  # nobody typed it
    answer = site.task("translator")(text, beam=4)
    assert line(page, 1) == joined(answer.text)
    page.mouse.move(5, 700)
    page.wait_for_function("() => document.querySelectorAll('.unwritten').length === 0")
    shown = page.locator("[data-ribbon]").evaluate_all(
        "all => all.map(one => [one.dataset.ribbon, one.dataset.weight])"
    )
    expected = {
        f"{column},{row + 1}": weight
        for row, weights in enumerate(answer.alignment.weights.tolist())
        for column, weight in enumerate(weights)
        if weight >= 0.12
    }
    assert {name: float(weight) for name, weight in shown} == pytest.approx(expected, abs=6e-4)


def test_a_word_is_hidden_where_it_stands_and_the_old_line_stays_beneath(visit, site, before):
    page = visit.open("heads", text=SENTENCE)
    page.locator("[data-line='0'] [data-token='3']").click()
    page.locator("[data-act=hide]").click()
    page.locator("[data-before]").wait_for()
    visit.settled()
    task = site.task("translator")
    visit.holds("edits=")
    with regard.edit(task.model, edits_of(page)):
        expected = task(SENTENCE, beam=4).text
    assert line(page, 1) == joined(expected)
    assert page.locator("[data-before] .old").inner_text().split() == before.split()
    page.locator("[data-before]").get_by_role("button", name="Undo").click()
    page.locator("[data-before]").wait_for(state="detached")
    assert line(page, 1) == joined(before)


def test_a_word_is_replaced_by_keys_and_back_returns(visit, site, before):
    page = visit.open("text", text="where is the dog ?")
    page.locator("[data-line='0'] .token").first.focus()
    for token in range(1, 4):
        page.keyboard.press("ArrowRight")
        page.locator(f"[data-line='0'] [data-token='{token}']:focus").wait_for()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.locator("[data-act=look]:focus").wait_for()
    page.locator("[data-act=replace]").focus()
    page.keyboard.press("Enter")
    page.get_by_label(re.compile("Instead of “dog”")).fill("station")
    page.keyboard.press("Enter")
    page.locator("[data-before]", has_text="where is the dog ?").wait_for()
    visit.settled()
    assert line(page, 1) == joined(before)
    page.go_back()
    page.wait_for_function("() => document.querySelector('.top textarea').value === 'where is the dog ?'")
    wait_for_line(
        page, 1, site.task("translator")("where is the dog ?", beam=4).text
    )  # the text before stands till then


def test_what_is_asked_of_a_word_in_the_moment_that_its_menu_opens_is_not_forgotten(visit):
    page = visit.open("text", text=SENTENCE)
    page.locator("[data-line='0'] [data-token='3']").wait_for()
    page.evaluate(
        """async () => {
          const menu = new Promise((opened) => {
            const look = () => document.querySelector("[data-act=replace]");
            const seen = new MutationObserver(() => look() && opened(look()));
            seen.observe(document.body, { childList: true, subtree: true });
          });
          document.querySelector("[data-line='0'] [data-token='3']").click();
          (await menu).click();
          await new Promise((later) => setTimeout(later, 300)); // whatever else is done when a menu has opened
        }"""
    )
    assert page.get_by_label(re.compile("Instead of “station”")).is_visible()


def test_another_word_is_forced_and_the_model_goes_on_from_there(visit):
    page = visit.open("text", text=SENTENCE)
    page.locator("[data-line='1'] [data-token='2']").click()
    option = page.locator("[data-act=force]").first
    word = option.locator("b").inner_text().strip("·")
    first = page.locator("[data-line='1'] [data-token='1']").inner_text()
    option.click()
    page.locator("[data-before]").wait_for()
    visit.settled()
    assert line(page, 1).startswith(first + word)
    page.locator("[data-before] .edit-chip").click()
    page.locator("[data-before]").wait_for(state="detached")


def test_the_spine_is_tinted_with_the_chosen_head_in_every_view(visit, site):
    task = site.task("translator")
    with regard.watch(task.model) as seen:
        task(SENTENCE, beam=4)
    page = visit.open("heads", text=SENTENCE, layer="decoder.1.cross", head="2", pin="b3")
    tinted = page.locator("[data-line='0'] .token[data-weight]")
    tinted.first.wait_for()
    shown = {
        int(index): float(weight)
        for index, weight in tinted.evaluate_all("all => all.map(one => [one.dataset.token, one.dataset.weight])")
    }
    row = seen["decoder.1.cross"][0, 2, 2].tolist()
    assert shown == pytest.approx({index: weight for index, weight in enumerate(row) if weight > 0.02}, abs=0.006)


def test_the_strip_chooses_a_head_by_mouse_and_by_keys_and_says_it_in_words(visit):
    page = visit.open("links", text=SENTENCE)
    page.locator("[data-dot='encoder.1.self/2']").click()
    visit.holds("layer=encoder.1.self&head=2")
    words = page.locator("[data-strip]")
    assert words.inner_text().startswith("encoder, block 2 of 2, self-attention, head 2")
    assert "encoder.1.self:2" in words.inner_text()
    page.get_by_role("heading", name="Links of encoder.1.self, head 2").wait_for()
    page.keyboard.press("ArrowRight")
    visit.holds("layer=encoder.1.self&head=3")
    page.keyboard.press("ArrowRight")
    visit.holds("layer=decoder.0.self")
    page.locator("[data-dot='decoder.0.self/0']:focus").wait_for()


def test_back_and_forward_walk_through_texts_and_views_and_keys_are_no_text(visit):
    page = visit.open("text", text="a dog")
    page.get_by_role("textbox", name="Text").fill("a cat")
    page.keyboard.press("Enter")
    visit.holds("a+cat")
    visit.settled()
    page.keyboard.press("3")  # a shortcut, not a letter of the text
    page.locator("main[data-view=links]").wait_for()
    assert page.get_by_role("textbox", name="Text").input_value() == "a cat"
    page.go_back()
    page.locator("main[data-view=text]").wait_for()
    page.go_back()
    page.wait_for_function("() => document.querySelector('.top textarea').value === 'a dog'")
    page.go_forward()
    page.wait_for_function("() => document.querySelector('.top textarea').value === 'a cat'")


def test_roles_are_the_scores_of_the_librarys_detectors():
    text = "To be, or not to be, to be"
    with client() as server:
        shown = run(server, text=text, max_new_tokens=1)
        roles = server.get(f"/api/runs/{shown['id']}/roles").json()["roles"]
    scores = {(role["kind"], role["layer"], role["head"]): role["score"] for role in roles}
    task = regard.load("shakespeare")
    (side,) = shown["sides"]
    tokens = torch.tensor([side["ids"]])
    with torch.no_grad(), regard.watch(task.model) as seen:
        task.model(tokens)
    for layer in seen:
        expected = detect(seen[layer], tokens)
        for kind in ("previous", "duplicate", "induction"):
            for head, score in enumerate(expected[kind].tolist()):
                assert scores[kind, layer, head] == pytest.approx(score, abs=1e-4)
        weights = seen[layer].weights()[0]
        for head, matrix in enumerate(weights):  # itself: the diagonal, above what looking evenly would give
            chance = sum(1 / (row + 1) for row in range(1, len(matrix))) / (len(matrix) - 1)
            mean = matrix.diagonal()[1:].mean().item()
            assert scores["itself", layer, head] == pytest.approx((mean - chance) / (1 - chance), abs=1e-4)


def test_forced_tokens_begin_the_translation_and_only_a_translation():
    with client() as server:
        plain = run(server, model="en-de", text="Where is the station?", max_new_tokens=None, beam=2)
        ids = plain["sides"][1]["ids"]
        again = run(server, model="en-de", text="Where is the station?", max_new_tokens=None, beam=2, forced=ids[1:3])
        assert again["sides"][1]["ids"] == ids  # its own words change nothing
        for ask, line in (
            ({"model": "shakespeare"}, "only the words of a translation"),
            ({"model": "en-de"}, "forced tokens are numbers below"),
        ):
            body = {"text": "To be", "forced": [10**6]} | ask
            last = json.loads(server.post("/api/runs", json=body).text.splitlines()[-1])
            assert last["state"] == "failed"
            assert line in last["error"]


def test_everything_is_found_by_typing(visit):
    page = visit.open("text", text=SENTENCE)
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="What to do").fill("go to map")
    page.keyboard.press("Enter")
    page.locator("main[data-view=map]").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="What to do").fill("encoder block 2 head 3")
    page.get_by_role("option", name=re.compile("^encoder, block 2 of 2, self-attention, head 3")).click()
    visit.holds("layer=encoder.1.self&head=3")


CLOSE_AND_OPEN = """async () => {
    const press = (target, key, ctrlKey) =>
      target.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true }));
    press(document.activeElement, "Enter", false);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();  // drawn, and no event of the browser
    press(window, "k", true);
}"""


def test_commands_opened_while_they_close_stay_open(visit):
    page = visit.open("text", text=SENTENCE)
    page.keyboard.press("Control+k")
    typed = page.get_by_role("combobox", name="What to do")
    typed.fill("go to map")
    page.evaluate(CLOSE_AND_OPEN)
    page.locator("main[data-view=map]").wait_for()
    page.wait_for_timeout(300)
    assert typed.is_visible()


def test_two_heads_stand_beside_each_other_with_their_difference(visit, site):
    task = site.task("translator")
    with regard.watch(task.model) as seen:
        task(SENTENCE, beam=4)
    page = visit.open("heads", text=SENTENCE, layer="encoder.1.self", head="1")
    page.locator("[data-dot='encoder.0.self/2']").click(modifiers=["Shift"])
    visit.holds("compare=head")
    rows = visit.table(re.compile("beside encoder.0.self, head 2"))
    difference = [float(row[3]) for row in rows if row[0] == "the first less the second"]
    expected = seen["encoder.1.self"][0, 1] - seen["encoder.0.self"][0, 2]
    assert difference == pytest.approx(expected.flatten().tolist(), abs=1e-5)


def test_why_is_a_sentence_and_the_writers_are_the_librarys(visit, site):
    task = site.task("translator")
    page = visit.open("pair", text=SENTENCE, layer="encoder.1.self", head="1", pin="a1,a3")
    weight = page.locator("[data-equation] b").last.inner_text()
    assert f"{float(weight) * 100:.0f}% of its look" in page.locator("[data-why]").inner_text()
    page.locator("[data-writers]").click()
    rows = visit.table(re.compile("Writers of the query"))
    answer = task(SENTENCE, beam=4)
    source = task.processor.read_source(SENTENCE, None, "").ids
    inputs = [torch.tensor([list(source)]), torch.tensor([[task.processor.start(), *answer.ids]])]
    score = regard.pair_score(task.model, inputs, "encoder.1.self", 1, 1, 3)
    expected = score.by_writer.flatten().tolist()
    assert [float(row[3]) for row in rows] == pytest.approx(expected[: len(rows)], abs=1e-4)
