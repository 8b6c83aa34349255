"""Every view on the translator that came with the install: what is shown is what the library says of it.

Also tests: viewer/learn/animal.py.
"""

import json
import re

import pytest
import torch

import regard
from regard.looking import rollout
from regard.tasks.inside import lens_of

SENTENCE = "Where is the station?"
STATE = {"model": "en-de", "text": SENTENCE}


@pytest.fixture(scope="module")
def task(site):
    return site.task("en-de")


@pytest.fixture(scope="module")
def answer(task):
    return task(SENTENCE, beam=4)


@pytest.fixture(scope="module")
def seen(task):
    with regard.watch(task.model) as found:
        task(SENTENCE, beam=4)
    return found


def test_the_text_and_its_alignment_are_the_librarys(visit, task, answer):
    page = visit.open("text", **STATE)
    target = page.locator("[data-line='1'] .token.written:not(.special)")
    target.first.wait_for()
    assert "".join(target.all_text_contents()) == "".join(answer.text.split())
    page.mouse.move(5, 700)
    page.wait_for_function("() => document.querySelectorAll('.unwritten').length === 0")
    pairs = "all => all.map(one => [one.dataset.ribbon, Number(one.dataset.weight)])"
    shown = dict(page.locator("[data-ribbon]").evaluate_all(pairs))
    expected = {
        f"{column},{row + 1}": weight
        for row, weights in enumerate(answer.alignment.weights.tolist())
        for column, weight in enumerate(weights)
        if weight >= 0.12
    }
    assert shown == pytest.approx(expected, abs=6e-4)


@pytest.mark.proof
def test_the_beam_search_ends_with_the_winner(visit, answer):
    visit.open("text", **STATE)
    won = [row for row in visit.table(re.compile("Beam search")) if row[4] == "yes"]
    assert float(won[-1][3]) == pytest.approx(answer.score, abs=1e-3)
    rows = visit.table(re.compile("What competed"))
    assert float(rows[0][1]) <= 1


@pytest.mark.proof
def test_every_head_has_a_thumbnail_and_opens(visit, seen):
    page = visit.open("heads", **STATE)
    shown = {(row[0], int(row[1])): float(row[2]) for row in visit.table(re.compile("Heads of en-de"))}
    largest = {layer: seen[layer].weights()[0].amax((-1, -2)).tolist() for layer in seen}
    assert shown == pytest.approx(
        {(layer, head): most for layer in largest for head, most in enumerate(largest[layer])}, abs=1e-5
    )
    thumbnails = page.get_by_role("img", name=re.compile("thumbnails"))
    left, top, step = map(int, thumbnails.get_attribute("data-grid").split(","))
    thumbnails.click(position={"x": left + step + 20, "y": top + 20})
    page.locator("main[data-view=links]").wait_for()
    visit.holds("layer=encoder.0.self&head=1")


@pytest.mark.proof
def test_links_are_the_keys_that_are_looked_at_most(visit, seen):
    page = visit.open("links", **STATE, layer="decoder.1.cross", head="1", top="2")
    rows = visit.table(re.compile("Links of decoder.1.cross, head 1"))
    top = seen["decoder.1.cross"].top(2)
    shown = {(int(row[1]), int(row[3])): float(row[5]) for row in rows}
    for number, (columns, weights) in enumerate(
        zip(top.positions[0, 1].tolist(), top.weights[0, 1].tolist(), strict=True)
    ):
        for column, weight in zip(columns, weights, strict=True):
            assert shown[number, column] == pytest.approx(weight, abs=1e-5)
    page.locator(".spot").first.wait_for()
    page.locator(".spot").nth(2).click()
    page.mouse.move(5, 500)
    page.wait_for_function("() => document.querySelectorAll('.link.strong').length === 2")


@pytest.mark.proof
def test_the_map_is_the_pattern(visit, seen):
    page = visit.open("map", **STATE, layer="encoder.2.self", head="3")
    rows = visit.table(re.compile("Map of encoder.2.self, head 3"))
    weights = seen["encoder.2.self"][0, 3]
    assert float(rows[0][4]) == pytest.approx(weights.max().item(), abs=1e-6)
    for row, _, column, _, weight in rows:
        assert float(weight) == pytest.approx(weights[int(row), int(column)].item(), abs=1e-6)
    box = page.locator("canvas[data-map]").bounding_box()
    left, top = map(int, page.locator("canvas[data-map]").get_attribute("data-ruler").split(","))
    page.mouse.move(box["x"] + left + 8, box["y"] + top + 8)
    page.locator(".said", has_text=f"{weights[0, 0].item():.3f}".lstrip("0")).wait_for()


@pytest.mark.proof
def test_a_score_is_taken_apart(visit, seen):
    page = visit.open("pair", **STATE, layer="decoder.1.cross", head="1", pin="b4,a3")
    rows = visit.table(re.compile("product per dimension"))
    pattern = seen["decoder.1.cross"]
    query, key = pattern.query[0, 1, 3], pattern.key[0, 1, 3]
    assert [float(row[3]) for row in rows] == pytest.approx((query * key / query.shape[-1] ** 0.5).tolist(), abs=1e-5)
    softmax = visit.table(re.compile("The softmax row"))
    assert [float(row[2]) for row in softmax] == pytest.approx(pattern[0, 1, 3].tolist(), abs=1e-5)
    page.locator(".spine .token").nth(0).click()
    visit.holds("a0")


@pytest.mark.proof
def test_a_hidden_word_changes_the_translation_and_undo_restores_it(visit, task, answer):
    page = visit.open("edit", **STATE)
    says = "([side, text]) => document.querySelector(`[data-side=${side}]`)?.innerText.trim() === text"
    page.wait_for_function(says, arg=["before", answer.text])
    page.locator("[data-hide='0/3']").click()
    page.locator("[data-compared]").wait_for()
    visit.holds("edits=")
    records = json.loads(page.evaluate("() => new URLSearchParams(location.hash.split('?')[1]).get('edits')"))
    with regard.edit(task.model, records):
        edited = task(SENTENCE, beam=4).text
    assert edited != answer.text
    words = "() => document.querySelector('[data-side=after]')?.innerText.split(/\\s+/).filter(Boolean).join(' ')"
    assert page.evaluate(words) == edited
    page.locator("main").get_by_role("button", name="Undo").click()
    page.locator("[data-compared]").wait_for(state="detached")
    page.wait_for_function(says, arg=["before", answer.text])


def matrix(visit, title: str, name: str) -> list[float]:
    return [float(row[3]) for row in visit.table(title) if row[0] == name]


@pytest.mark.proof
def test_inside_are_the_librarys_looks(visit, task, answer, seen):
    visit.open("inside", **STATE, look="alignment")
    assert matrix(visit, "Alignment", "alignment") == pytest.approx(
        answer.alignment.weights.flatten().tolist(), abs=1e-5
    )
    visit.open("inside", **STATE, look="rollout")
    source = rollout(seen).source[0]
    assert matrix(visit, "Rollout", "of the source")[: source.numel()] == pytest.approx(
        source.flatten().tolist(), abs=1e-4
    )
    visit.open("inside", **STATE, look="lens")
    chances = lens_of(task, SENTENCE, 1).lens.probabilities[:, 0, :, 0].flip(0)
    assert matrix(visit, "Logit lens", "likeliest word") == pytest.approx(chances.flatten().tolist(), abs=1e-4)


@pytest.mark.proof
def test_importance_is_the_slope_of_the_loss(visit, task, answer):
    visit.open("inside", **STATE, look="importance")
    shown = {(row[1], int(row[2][-1])): float(row[3]) for row in visit.table("Importance")}
    source, start = task.processor.read_source(SENTENCE, None, "").ids, task.processor.start()
    ids = torch.tensor([answer.ids])

    def loss(factor: float) -> float:
        edits = [{"do": "scale", "layer": "decoder.1.cross", "heads": [1], "factor": factor}]
        with torch.no_grad(), regard.edit(task.model, edits):
            logits = task.model(torch.tensor([source]), torch.tensor([[start, *answer.ids]]))[:, :-1]
        return -float(logits.double().log_softmax(-1).gather(-1, ids[..., None]).mean())

    slope = (loss(1.02) - loss(0.98)) / 0.04
    assert shown["decoder.1.cross", 1] == pytest.approx(abs(slope), rel=0.05, abs=1e-4)


@pytest.mark.proof
def test_learn_shows_what_it_means_to_this_model(visit, task):
    text = "The animal didn't cross the road because it was too {}."
    page = visit.open("learn", wait=False, topic="animal", given='{"model": "en-de"}')
    page.locator("[data-topic=animal]").wait_for()
    assert "en-de" in page.locator("[data-topic=animal] [data-made]").inner_text()
    page.locator("[data-topic=animal]").get_by_role("button", name="wide").click()
    visit.holds("wide")
    page.locator("[data-choice=wide][aria-pressed=true]").wait_for()
    page.locator("[data-topic=animal][data-busy=false]").wait_for()
    rows = [row for row in visit.table(re.compile("What “it” gives")) if row[0] == "ranking"]
    sentence = text.format("wide")
    encoded = task.tokenizer.encode(sentence)
    with torch.no_grad(), regard.watch(task.model) as seen:
        task.model.encode(torch.tensor([encoded.ids]))

    def at(word: str) -> list[int]:
        """The tokens that end in a word."""
        begin = sentence.index(word)
        return [layer for layer, (_, end) in enumerate(encoded.offsets) if begin < end <= begin + len(word)]

    for row in rows:
        name, column, weight = row[1].replace("·", " "), row[2], float(row[3])
        layer, head = name.split()[0], int(name.split()[-1])
        if column in ("animal", "road"):
            assert weight == pytest.approx(float(seen[layer][0, head, at(" it ")[0], at(column)].sum()), abs=1e-5)
