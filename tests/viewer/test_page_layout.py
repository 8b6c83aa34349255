"""What a stranger sees at once: numbers that are called what they are, and pictures as large as their cards."""

import pytest

SENTENCE = "The old man gave his daughter a red bicycle."
WIDE = {"width": 1440, "height": 900}


def test_a_probability_is_not_called_a_logarithm(visit):
    """An answer from a list has one; only what was written word by word has the sum of their logarithms."""
    page = visit.open("text", model="babi", text="Mary went to the kitchen.", second="Where is Mary?")
    assert "probability" in page.locator(".notes").inner_text()
    assert "log-probability" not in page.locator(".notes").inner_text()
    assert "lines above" not in page.locator("[data-says=view]").inner_text()  # there are none
    page.get_by_text("Inside", exact=True).click()
    page.locator("[data-state=empty]").wait_for()
    page.set_viewport_size({"width": 400, "height": 860})
    assert page.get_by_role("textbox", name="Story").bounding_box()["width"] > 300


@pytest.mark.proof
def test_what_is_too_long_to_be_measured_is_told_without_asking(visit):
    page = visit.open("inside", model="shakespeare-long", text="to be or not to be, " * 160, tokens="0")
    page.locator("[data-state=empty]").get_by_text("up to 1,024 tokens").wait_for()
    assert [url for url in visit.asked if "/inside" in url] == []


def test_tokens_have_plain_names_in_every_picture(visit):
    """No <0xF0> of a letter that the tokeniser does not know, no </s> in what layers would have said."""
    page = visit.open("text", model="en-de", text="I like 🍕!")
    assert "bytes F0 9F" in page.locator("main").inner_text()
    assert "<0x" not in page.locator("main").inner_text()
    page = visit.open("inside", model="en-de", text=SENTENCE, look="lens")
    page.locator("figure[aria-busy=false]").wait_for()
    assert "</s>" not in page.locator("figure").inner_text()


def test_pictures_use_a_wide_window(visit):
    """The words are large, all heads are in sight, cells are wide enough for their numbers."""
    page = visit.page
    page.set_viewport_size(WIDE)
    visit.open("heads", model="en-de", text=SENTENCE)
    page.locator("figure[aria-busy=false] canvas.painting").first.wait_for()
    page.locator("[data-role]").first.wait_for()
    assert page.locator(".track").first.evaluate("track => getComputedStyle(track).fontSize") == "22px"
    assert page.locator("canvas.painting").first.bounding_box()["height"] < 450
    page.get_by_text("Map", exact=True).click()
    sheet = page.locator("figure[aria-busy=false] canvas[data-map]")
    sheet.wait_for()
    drawn = sheet.bounding_box()
    assert drawn["width"] / 13 > 30
    assert drawn["y"] + drawn["height"] < 900


def test_an_example_is_in_the_language_that_the_model_reads(visit):
    """And what somebody typed stays when another translator is chosen."""
    page = visit.page
    page.goto(f"{visit.base}#text?model=en-de")  # an example runs by itself
    visit.settled()
    page.get_by_label("Model", exact=True).select_option("de-en")
    box = page.get_by_role("textbox", name="Text")
    page.wait_for_function("() => document.querySelector('.top textarea').value.startsWith('Meine kleine Schwester')")
    visit.settled()
    box.fill("Hund")
    box.press("Enter")
    visit.settled()
    page.get_by_label("Model", exact=True).select_option("en-de")
    visit.holds("model=en-de")
    assert box.input_value() == "Hund"


def test_the_last_word_is_replaced_without_its_full_stop(visit):
    page = visit.open("text", model="en-de", text=SENTENCE)
    page.locator("[data-line='0'] [data-token]", has_text="cle").click()
    page.locator("[data-act=replace]").click()
    page.keyboard.type("car")
    page.keyboard.press("Enter")
    page.locator("[data-before]").wait_for()
    assert page.get_by_role("textbox", name="Text").input_value() == "The old man gave his daughter a red car."


@pytest.mark.parametrize("width", [1440, 400])
def test_branches_of_the_beam_search_do_not_overlap(visit, width):
    page = visit.page
    page.set_viewport_size({"width": width, "height": 900})
    visit.open("text", model="en-de", text=SENTENCE)
    page.locator("rect.node").first.wait_for()
    boxes = page.locator("rect.node").evaluate_all(
        "all => all.map(box => ['x', 'y', 'width', 'height'].map(name => Number(box.getAttribute(name))))"
    )
    for at, (x, y, wide, tall) in enumerate(boxes):
        for left, top, breadth, height in boxes[:at]:
            assert x >= left + breadth or left >= x + wide or y >= top + height or top >= y + tall
    lanes = {y for _, y, _, _ in boxes}
    branches = sum(1 for _ in boxes) - len({x for x, *_ in boxes})
    assert len(lanes) < branches / 2  # short branches share a lane


def test_an_equation_is_written_as_one_writes_it(visit):
    page = visit.open("learn", wait=False, topic="match")
    page.locator("[data-topic=match][data-busy=false]").wait_for()
    said = page.locator("math").first.text_content().replace(" ", "")
    assert said == "romantic·lovestory=2·2+(-2)·(-1)+1·0=6"
