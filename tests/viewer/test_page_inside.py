"""Inside: what heads do together, as the library measures it."""

import html
import re

import pytest
import torch

import regard
from regard.looking import differences, rollout
from regard.tasks.inside import lens_of

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
        ("bert", "the [MASK] sleeps .", ["Rollout", "Logit lens"]),
    ],
)
@pytest.mark.proof
def test_what_applies_to_a_model_is_offered_and_answers(visit, model, text, looks):
    page = visit.open("inside", model=model, text=text, tokens="3")
    group = page.get_by_role("group", name="Look")
    group.get_by_role("button").first.wait_for()
    offered = group.get_by_role("button").all_text_contents()
    assert [look for look in offered if look != "Two models"] == looks  # that depends on which others there are
    for look in looks:
        group.get_by_role("button", name=look).click()
        page.get_by_role("heading", name=look, exact=True).wait_for()
        assert len(visit.table(look)) > 1
    assert page.get_by_role("alert").count() == 0


@pytest.mark.proof
def test_the_lens_of_a_masked_model_is_the_librarys(visit, site):
    text = "the [MASK] sleeps ."
    visit.open("inside", model="bert", text=text, look="lens")
    shown = [float(row[3]) for row in visit.table("Logit lens")]
    chances = lens_of(site.task("bert"), text, 1).lens.probabilities[:, 0, :, 0].flip(0)
    assert shown == pytest.approx(chances.flatten().tolist(), abs=1e-5)


@pytest.mark.proof
def test_an_important_head_opens_with_a_click(visit):
    page = visit.open("inside", text=SENTENCE, look="importance")
    cell = page.get_by_role("button", name=re.compile(r"decoder\.1\.cross → head 2"))
    cell.click()
    page.locator("main[data-view=links]").wait_for()
    visit.holds("layer=decoder.1.cross&head=2")


@pytest.fixture(scope="module")
def apart(site):
    """What the library says of both translators, given what the first one wrote."""
    tasks = [site.task(name) for name in ("translator", "tuned")]
    ids = (
        tasks[0].processor.read_source(SENTENCE, None, "").ids,
        [tasks[0].processor.start(), *tasks[0](SENTENCE, beam=4).ids],
    )
    seen = []
    for task in tasks:
        with torch.no_grad(), regard.watch(task.model) as one:
            task.model(*(torch.tensor([some]) for some in ids))
        seen.append(one)
    return differences(*seen)


def test_two_models_are_compared_head_by_head(visit, apart):
    page = visit.open("inside", text=SENTENCE, look="models", layer="decoder.1.cross", **{"with": "tuned"})
    shown = {(row[1], row[2]): float(row[3]) for row in visit.table("Two models")}
    expected = {
        (layer, f"head {head}"): bits
        for layer, one in apart.items()
        for head, bits in enumerate(one.divergence()[0].tolist())
    }
    assert shown == pytest.approx(expected, abs=1e-5)
    page.get_by_role("button", name=re.compile(r"^encoder\.0\.self → head 3")).click()
    rows = visit.table("Difference of encoder.0.self, head 3")
    weights = apart["encoder.0.self"][0, 3]
    assert [float(row[3]) for row in rows] == pytest.approx(weights.flatten().tolist(), abs=1e-5)
    visit.holds("layer=encoder.0.self&head=3")
    visit.holds("with=tuned")


@pytest.mark.proof
def test_the_python_of_two_models_gives_the_same_numbers(visit, site, apart):
    visit.open("inside", text=SENTENCE, look="models", **{"with": "tuned"})
    visit.table("Two models")
    lines = html.unescape(re.search(r"<pre>(.*)</pre>", visit.taken("html"), re.DOTALL).group(1))
    for name in ("translator", "tuned"):
        lines = lines.replace(f'"{name}"', repr(str(site.folders[name])))
    exec(lines, found := {})
    for layer, one in apart.items():
        torch.testing.assert_close(found["between"][layer].divergence(), one.divergence())


@pytest.mark.proof
def test_models_that_do_not_fit_are_said_so_in_one_line(visit):
    page = visit.open("inside", text=SENTENCE, look="models", **{"with": "en-de"})
    said = page.locator("main [data-state=empty]")  # a plain sentence: nothing is broken
    said.wait_for()
    assert "do not have the same tokens: no words to pair" in said.inner_text()
    assert page.get_by_role("alert").count() == 0
    assert [fault for fault in visit.faults if "400" not in fault] == []
    visit.faults.clear()  # the browser notes what the server refused
    page.get_by_label("Other model").select_option("tuned")
    assert visit.table("Two models")


@pytest.mark.proof
def test_what_edits_moved_in_one_head_is_drawn(visit, site):
    edits = '[{"do": "scale", "layer": "encoder.0.self", "heads": [1], "factor": 0}]'
    page = visit.open("inside", text=SENTENCE, look="diff", edits=edits, layer="encoder.1.self", head="2")
    page.locator("[data-choice=diff]").wait_for()
    rows = visit.table("Difference of encoder.1.self, head 2")
    task, seen = site.task("translator"), []
    for records in ([], [{"do": "scale", "layer": "encoder.0.self", "heads": [1], "factor": 0}]):
        with regard.edit(task.model, records), regard.watch(task.model) as one:
            task(SENTENCE, beam=4)
        seen.append(one["encoder.1.self"][0, 2])
    assert [float(row[3]) for row in rows] == pytest.approx((seen[1] - seen[0]).flatten().tolist(), abs=1e-5)
