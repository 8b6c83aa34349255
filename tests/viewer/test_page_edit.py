"""Edit: what is switched, hidden or drawn on the page is what `regard.edit` does, and can be taken back."""

import json
import re

import pytest

import regard

SENTENCE = "where is the station ?"


@pytest.fixture(scope="module")
def before(site) -> str:
    return site.task("translator")(SENTENCE, beam=4).text


@pytest.fixture(scope="module")
def fateful(site, before) -> tuple[str, int]:
    """A head without which the translator writes something else."""
    task = site.task("translator")
    with regard.edit(task.model) as edit:
        for layer_name in ("decoder.1.cross", "decoder.0.cross", "encoder.1.self", "encoder.0.self", "decoder.1.self"):
            for head in range(3):
                edit.clear()
                edit.head(layer_name, head).off()
                if task(SENTENCE, beam=4).text != before:
                    return layer_name, head
    raise AssertionError("no head of this translator matters")


def shows(page, which: str, text: str) -> None:
    """Wait until a side says so, spaces aside."""
    same = "([side, text]) => document.querySelector(`[data-side=${side}]`)?.innerText.replace(/\\s/g, '') === text"
    page.wait_for_function(same, arg=[which, "".join(text.split())])


def test_a_head_off_changes_the_translation_and_undo_restores_it(visit, site, before, fateful):
    layer_name, head = fateful
    page = visit.open("edit", text=SENTENCE)
    shows(page, "before", before)
    page.locator(f"[data-switch='{layer_name}/{head}']").click()
    page.locator("[data-compared]").wait_for()
    task = site.task("translator")
    with regard.edit(task.model) as edit:
        edit.head(layer_name, head).off()
        expected = task(SENTENCE, beam=4).text
    assert expected != before
    shows(page, "after", expected)
    page.locator("[data-side=after] mark").first.wait_for()
    assert re.search(r"log-probability (fell|rose) by [\d.]+", page.locator("[data-lost]").inner_text())
    assert page.locator(".edit-chip").inner_text().startswith(f"before: {layer_name} head {head} off")
    page.locator("main").get_by_role("button", name="Undo").click()
    page.locator("[data-compared]").wait_for(state="detached")
    shows(page, "before", before)
    page.keyboard.press("Control+Shift+Z")
    page.locator("[data-compared]").wait_for()


def test_the_saved_edits_are_what_the_library_takes(visit, site, fateful, tmp_path):
    layer_name, head = fateful
    page = visit.open("edit", text=SENTENCE)
    page.locator(f"[data-switch='{layer_name}/{head}']").click()
    page.locator("[data-hide='0/2']").click()
    page.locator(".edit-chip", has_text="you hid").wait_for()
    page.locator("[data-compared]").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save JSON").click()
    path = tmp_path / "edits.json"
    download.value.save_as(path)
    records = json.loads(path.read_text())
    assert {record["do"] for record in records} == {"scale", "hide"}
    task = site.task("translator")
    with regard.edit(task.model, path):
        expected = task(SENTENCE, beam=4).text
    shows(page, "after", expected)


@pytest.mark.proof
def test_an_edit_is_switched_off_alone(visit, fateful):
    layer_name, head = fateful
    page = visit.open("edit", text=SENTENCE)
    page.locator(f"[data-switch='{layer_name}/{head}']").click()
    page.locator("[data-compared]").wait_for()
    page.get_by_role("checkbox").first.uncheck()
    page.locator("[data-compared]").wait_for(state="detached")
    page.locator(".edit-chip.off").wait_for()
    visit.holds("off")


@pytest.mark.proof
def test_a_drawn_weight_is_used(visit, site):
    page = visit.open("edit", text=SENTENCE, layer="encoder.0.self", head="0", pin="a1")
    page.get_by_label("All weight to").select_option("3")
    page.locator("[data-do=set]").click()
    page.locator("[data-compared]").wait_for()
    visit.settled()
    visit.holds("edits=")
    records = json.loads(page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('edits')"))
    (record,) = records
    assert (record["do"], record["rows"]) == ("set", [1])
    task = site.task("translator")
    with regard.edit(task.model, records), regard.watch(task.model) as seen:
        task(SENTENCE, beam=4)
    assert seen["encoder.0.self"][0, 0, 1].tolist() == pytest.approx([0, 0, 0, 1, 0, 0])
    page.keyboard.press("4")
    rows = visit.table(re.compile("Map of encoder.0.self, head 0"))
    assert ["1", "3", 1.0] in [[row[0], row[2], float(row[4])] for row in rows]


@pytest.mark.proof
def test_a_weight_is_drawn_for_a_token_that_is_written(visit, site):
    page = visit.open("edit", text=SENTENCE, layer="decoder.1.cross", head="1")
    page.get_by_label("Token whose row is drawn").select_option("2")
    page.get_by_label("All weight to").select_option("3")
    page.locator("[data-do=set]").click()
    page.locator(".edit-chip").wait_for()
    visit.settled()
    visit.holds("edits=")
    records = json.loads(page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('edits')"))
    task = site.task("translator")
    with regard.edit(task.model, records), regard.watch(task.model) as seen:
        task(SENTENCE, beam=4)
    assert seen["decoder.1.cross"][0, 1, 2].tolist() == pytest.approx([0, 0, 0, 1, 0, 0])
    page.keyboard.press("4")
    rows = visit.table(re.compile("Map of decoder.1.cross, head 1"))
    assert ["2", "3", 1.0] in [[row[0], row[2], float(row[4])] for row in rows]


@pytest.mark.proof
def test_a_classifier_without_text_shows_what_moved(visit):
    page = visit.open("edit", model="bert", text="the [MASK] sleeps .")
    page.locator("[data-switch='encoder.0.self/0']").click()
    page.locator(".edit-chip").wait_for()
    page.locator("[data-compared]").wait_for()
    assert visit.table("Before and after")
    assert page.get_by_role("alert").count() == 0
