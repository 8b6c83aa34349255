"""Glossaries as DeepL's clients make them. Also tests: serving/glossary_store.py."""

import pytest

from regard.serving.glossary_store import GlossaryStore, parse_terms
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal

MADE = {"name": "trains", "source_lang": "en", "target_lang": "de", "entries": "station\tHauptbahnhof"}


@pytest.fixture
def glossary(server):
    answer = server.post("/v2/glossaries", json={**MADE, "entries_format": "tsv"})
    assert answer.status_code == 201, answer.text
    yield answer.json()
    server.delete(f"/v2/glossaries/{answer.json()['glossary_id']}")


def test_a_glossary_is_made_read_and_deleted(server, glossary):
    path = f"/v2/glossaries/{glossary['glossary_id']}"
    assert glossary["entry_count"] == 1
    assert server.get(path).json() == glossary
    assert glossary in server.get("/v2/glossaries").json()["glossaries"]
    assert server.get(f"{path}/entries").text == MADE["entries"]
    assert server.delete(path).status_code == 204
    assert server.get(path).status_code == 404


def test_terms_stand_in_the_translation(server, glossary):
    fields = {"text": ["Where is the station?"], "target_lang": "DE", "source_lang": "EN"}
    (without,) = server.post("/v2/translate", json=fields).json()["translations"]
    fields["glossary_id"] = glossary["glossary_id"]
    (answer,) = server.post("/v2/translate", json=fields).json()["translations"]
    assert "Hauptbahnhof" in answer["text"]
    assert "Hauptbahnhof" not in without["text"]


def test_a_glossary_needs_its_own_languages(server, glossary):
    fields = {"text": ["a"], "target_lang": "EN", "source_lang": "DE", "glossary_id": glossary["glossary_id"]}
    assert server.post("/v2/translate", json=fields).status_code == 400
    fields = {"text": ["a"], "target_lang": "DE", "glossary_id": glossary["glossary_id"]}
    assert "source_lang" in server.post("/v2/translate", json=fields).json()["message"]


def test_the_pairs_of_languages_are_told(server):
    pairs = server.get("/v2/glossary-language-pairs").json()["supported_languages"]
    assert {"source_lang": "en", "target_lang": "de"} in pairs


@pytest.mark.parametrize(
    ("entries", "kind", "line"),
    [
        ("a", "tsv", "entries: line 1: a source term and a target term"),
        ("a\tb\na\tc", "tsv", "entries: line 2: 'a' has two meanings"),
        ('"a,b', "csv", "entries: no CSV"),
    ],
)
def test_entries_that_cannot_be_read_are_refused(entries, kind, line):
    with pytest.raises(Refusal, match=line):
        parse_terms(entries, kind)


def test_terms_are_read_from_both_forms():
    assert parse_terms('a,"b, c"\n', "csv") == {"a": "b, c"}
    assert parse_terms("a\tb, c\n", "tsv") == {"a": "b, c"}


def test_a_glossary_is_its_clients_alone_and_room_ends():
    store = GlossaryStore(ServiceLimits(glossaries=1))
    glossary = store.add("a", ("en", "de"), {"a": "b"}, "one")
    with pytest.raises(Refusal, match="no such glossary"):
        store.get(glossary.id, "two")
    assert store.list("two") == []
    with pytest.raises(Refusal, match="at most 1 glossaries are kept"):
        store.add("b", ("en", "de"), {"a": "b"}, "two")
