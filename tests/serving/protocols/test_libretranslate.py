"""LibreTranslate's protocol, as docs.libretranslate.com has it. Also tests: serving/translating.py,
serving/protocols/documented.py, serving/language_names.py."""

import io
import zipfile

import pytest
from serving.small import task

TEXTS = ["Where is the station?", "I am tired.", "He bought a new car. She did not like it!"]


def test_a_text_is_translated_as_the_library_does(server):
    answer = server.post("/translate", json={"q": TEXTS[0], "source": "en", "target": "de"})
    assert answer.status_code == 200
    assert answer.json() == {"translatedText": task("en-de")(TEXTS[0]).text}


def test_a_list_is_translated_in_order(server):
    answer = server.post("/translate", json={"q": TEXTS, "source": "en", "target": "de", "format": "text"})
    assert answer.json()["translatedText"] == [translation.text for translation in task("en-de")(TEXTS)]


@pytest.mark.parametrize("way", ["json", "data", "params"])
def test_fields_come_as_json_as_a_form_or_in_the_address(server, way):
    fields = {"q": TEXTS[0], "source": "en", "target": "de"}
    answer = server.post("/translate", **{way: fields})
    assert answer.json() == {"translatedText": task("en-de")(TEXTS[0]).text}


def test_the_source_is_found_out_for_each_text(server):
    texts = ["Where is the station?", "Wo ist der Bahnhof?"]
    answer = server.post("/translate", json={"q": texts, "source": "auto", "target": "de"}).json()
    assert [language["language"] for language in answer["detectedLanguage"]] == ["en", "de"]
    assert answer["translatedText"] == [task("en-de")(texts[0]).text, texts[1]]


def test_alternatives_are_the_next_best(server):
    answer = server.post("/translate", json={"q": TEXTS[0], "source": "en", "target": "de", "alternatives": 3}).json()
    best = task("en-de")(TEXTS[0], num_hypotheses=4)
    assert answer["translatedText"] == best.text
    assert answer["alternatives"] == [other.text for other in best.alternatives]


def test_tags_stay_with_their_words(server):
    page = "<p>Where is <b>the station</b>?</p>"
    answer = server.post("/translate", json={"q": page, "source": "en", "target": "de", "format": "html"}).json()
    assert answer["translatedText"] == task("en-de")(page, markup="html").text
    assert answer["translatedText"].startswith("<p>")


@pytest.mark.parametrize(
    ("fields", "status", "line"),
    [
        ({"source": "en", "target": "de"}, 400, "Invalid request: missing q parameter"),
        ({"q": "a", "source": "en"}, 400, "Invalid request: missing target parameter"),
        ({"q": "a", "source": "en", "target": "xx"}, 400, "xx is not supported"),
        ({"q": "a", "source": "xx", "target": "de"}, 400, "xx is not supported"),
        ({"q": 3, "source": "en", "target": "de"}, 400, "q: input should be a valid string"),
        ({"q": "a", "source": "en", "target": "de", "alternatives": 99}, 400, "alternatives: input should be less"),
        ({"q": "a", "source": "en", "target": "de", "edits": [{"do": "x"}]}, 422, "edits[0].do: unknown edit 'x'"),
        ({"q": "a " * 5000, "source": "en", "target": "de"}, 413, "text 1 has 5"),
        (
            {"q": "a" * 20000, "source": "en", "target": "de", "alternatives": 10},
            413,
            "at most 200000 letters expected",
        ),
        ({"q": ["a"] * 1025, "source": "en", "target": "de"}, 413, "at most 1024 texts expected, got 1025"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(server, fields, status, line):
    answer = server.post("/translate", json=fields)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert answer.json()["error"].startswith(line)


def test_a_body_that_is_no_json_is_refused(server):
    answer = server.post("/translate", content=b"{", headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("body: no JSON")


def test_languages_are_listed_with_their_targets(server):
    languages = server.request("GET", "/languages", content=b"{}").json()
    assert languages == [
        {"code": "de", "name": "German", "targets": ["de", "en"]},
        {"code": "en", "name": "English", "targets": ["de", "en"]},
    ]


def test_the_language_of_a_text_is_told(server):
    best, *_ = server.post("/detect", data={"q": "Ich habe den Zug leider verpasst."}).json()
    assert best["language"] == "de"
    assert 90 < best["confidence"] <= 100


def test_the_settings_of_a_page_are_told(server):
    settings = server.get("/frontend/settings").json()
    assert settings["keyRequired"] is False
    assert ".docx" in settings["supportedFilesFormat"]


def test_a_file_is_translated_and_fetched(server):
    content = "1\n00:00:01,000 --> 00:00:02,000\nI am tired.\n"
    sent = server.post("/translate_file", data={"source": "en", "target": "de"}, files={"file": ("a.srt", content)})
    url = sent.json()["translatedFileUrl"]
    assert url.endswith(".srt")
    assert server.get(url).text == content.replace("I am tired.", task("en-de")("I am tired.").text)


def test_a_file_of_text_keeps_its_lines(server):
    sent = server.post(
        "/translate_file", data={"source": "en", "target": "de"}, files={"file": ("a.txt", "I am tired.\n\nYes.\n")}
    )
    lines = server.get(sent.json()["translatedFileUrl"]).text.split("\n")
    assert lines == [task("en-de")("I am tired.").text, "", task("en-de")("Yes.").text, ""]


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (("a.exe", b"x"), "Invalid request: file format not supported"),
        (("a.docx", b"no zip"), "file: "),
        (("a.txt", b"\xff\xfe"), "file: UTF-8 expected"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(server, file, line):
    answer = server.post("/translate_file", data={"source": "en", "target": "de"}, files={"file": file})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(line)


def test_a_zip_that_swells_is_refused(server):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" + b" " * (200 << 20) + b"</a>")
    file = ("a.docx", packed.getvalue())
    answer = server.post("/translate_file", data={"source": "en", "target": "de"}, files={"file": file})
    assert answer.status_code == 400


def test_alignments_come_along(server):
    fields = {"q": TEXTS[0], "source": "en", "target": "de", "attention": {"alignment": True}}
    attention = server.post("/translate", json=fields).json()["attention"]
    alignment = task("en-de")(TEXTS[0]).alignment
    assert attention["alignment"]["words"] == [list(pair) for pair in alignment.words]
    assert attention["tokens"]["source"] == list(alignment.source)


def test_an_alignment_that_is_too_large_is_refused(server):
    fields = {"q": "I am tired. " * 200, "source": "en", "target": "de", "attention": {"alignment": True}}
    answer = server.post("/translate", json=fields)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("attention.alignment: of at most 262144 pairs of tokens")
