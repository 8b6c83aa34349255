"""DeepL's protocol, version 2, as developers.deepl.com has it."""

import pytest
from serving.small import task

TEXT = "Where is the station?"


def test_texts_are_translated_as_the_library_does(server):
    answer = server.post("/v2/translate", json={"text": [TEXT, "I am tired."], "target_lang": "DE"})
    expected = [translation.text for translation in task("en-de")([TEXT, "I am tired."])]
    assert answer.json() == {
        "translations": [{"detected_source_language": "EN", "text": text} for text in expected],
    }


def test_a_form_may_name_a_text_several_times(server):
    body = "text=I+am+tired.&text=Yes.&target_lang=DE&source_lang=EN"
    answer = server.post(
        "/v2/translate", content=body, headers={"content-type": "application/x-www-form-urlencoded"}
    ).json()
    assert [one["text"] for one in answer["translations"]] == [
        translation.text for translation in task("en-de")(["I am tired.", "Yes."])
    ]


def test_tags_of_xml_are_carried_over(server):
    fields = {"text": ["Where is <b>the station</b>?"], "target_lang": "DE", "tag_handling": "xml"}
    (answer,) = server.post("/v2/translate", json=fields).json()["translations"]
    assert answer["text"] == task("en-de")(fields["text"][0], markup="tags").text
    assert "<b>" in answer["text"]


@pytest.mark.parametrize(("split", "expected"), [("0", False), ("1", None)])
def test_sentences_are_split_or_not(server, split, expected):
    text = "I am tired. I go home."
    fields = {"text": [text], "source_lang": "EN", "target_lang": "DE", "split_sentences": split}
    (answer,) = server.post("/v2/translate", json=fields).json()["translations"]
    assert answer["text"] == task("en-de")(text, split=expected).text


def test_lines_can_be_one_text(server):
    fields = {"text": ["I am\ntired."], "source_lang": "EN", "target_lang": "DE", "split_sentences": "nonewlines"}
    (answer,) = server.post("/v2/translate", json=fields).json()["translations"]
    assert answer["text"] == task("en-de")("I am tired.").text


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"target_lang": "DE"}, "text: field required"),
        ({"text": ["a"], "target_lang": "XX"}, "Value for 'target_lang' not supported."),
        ({"text": ["a"], "target_lang": "DE", "source_lang": "XX"}, "Value for 'source_lang' not supported."),
        ({"text": ["a"], "target_lang": "DE", "formality": "more"}, "'formality' is not supported"),
        ({"text": ["a"], "target_lang": "DE", "glossary_id": "x"}, "no such glossary"),
        ({"text": ["a"], "target_lang": "DE", "split_sentences": "7"}, "split_sentences: 0, 1 or nonewlines"),
        ({"text": ["a"], "target_lang": "DE", "tag_handling": "md"}, "tag_handling: "),
    ],
)
def test_what_is_wrong_is_said_in_deepls_shape(server, fields, line):
    answer = server.post("/v2/translate", json=fields)
    assert answer.status_code in (400, 404)
    assert answer.json()["message"].startswith(line)


def test_languages_and_usage_are_told(server):
    assert server.get("/v2/languages").json() == [
        {"language": "DE", "name": "German"},
        {"language": "EN", "name": "English"},
    ]
    targets = server.get("/v2/languages", params={"type": "target"}).json()
    assert [language["supports_formality"] for language in targets] == [False, False]
    before = server.get("/v2/usage").json()["character_count"]
    server.post("/v2/translate", json={"text": ["Yes."], "source_lang": "EN", "target_lang": "DE"})
    assert server.get("/v2/usage").json()["character_count"] == before + 4
