"""Inside: what heads do together, as the library measures it."""

import re

import pytest

import regard
from regard.looking import rollout

SENTENCE = "where is the station ?"


def test_rollout_is_the_librarys(visit, site):
    visit.open("inside", text=SENTENCE, look="rollout")
    rows = [row for row in visit.table("Rollout") if row[0] == "of the source"]
    task = site.task("translator")
    with regard.watch(task.model) as seen:
        task(SENTENCE, beam=4)
    expected = rollout(seen).source[0].flatten().tolist()
    assert [float(row[3]) for row in rows][: len(expected)] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("model", "text", "looks"),
    [
        ("translator", SENTENCE, ["Alignment", "Importance", "Rollout", "Logit lens"]),
        ("gpt", "the dog", ["Importance", "Rollout", "Logit lens"]),
        ("bert", "the [MASK] sleeps .", ["Rollout"]),
    ],
)
@pytest.mark.proof
def test_what_applies_to_a_model_is_offered_and_answers(visit, model, text, looks):
    page = visit.open("inside", model=model, text=text, tokens="3")
    group = page.get_by_role("group", name="Look")
    assert group.get_by_role("button").all_text_contents() == looks
    for look in looks:
        group.get_by_role("button", name=look).click()
        page.get_by_role("heading", name=look, exact=True).wait_for()
        assert len(visit.table(look)) > 1
    assert page.get_by_role("alert").count() == 0


@pytest.mark.proof
def test_an_important_head_opens_with_a_click(visit):
    page = visit.open("inside", text=SENTENCE, look="importance")
    cell = page.get_by_role("button", name=re.compile(r"decoder\.1\.cross → head 2"))
    cell.click()
    page.locator("main[data-view=links]").wait_for()
    visit.holds("place=decoder.1.cross&head=2")
