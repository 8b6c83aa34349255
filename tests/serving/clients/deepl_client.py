"""deepl, unmodified."""

import json
import sys

import deepl

client = deepl.Translator(sys.argv[2], server_url=sys.argv[1])
glossary = client.create_glossary("trains", "EN", "DE", {"station": "Hauptbahnhof"})
answers = {
    "translation": client.translate_text("Where is the station?", target_lang="DE").text,
    "batch": [one.text for one in client.translate_text(["I am tired.", "Yes."], source_lang="EN", target_lang="DE")],
    "tags": client.translate_text("Where is <b>the station</b>?", target_lang="DE", tag_handling="html").text,
    "with glossary": client.translate_text(
        "Where is the station?", source_lang="EN", target_lang="DE", glossary=glossary
    ).text,
    "entries": client.get_glossary_entries(glossary),
    "glossaries": [one.name for one in client.list_glossaries()],
    "sources": [language.code for language in client.get_source_languages()],
    "targets": [language.code for language in client.get_target_languages()],
    "usage": client.get_usage().character.count > 0,
}
client.delete_glossary(glossary)
try:
    client.translate_text("a", target_lang="FI")
except deepl.DeepLException as problem:
    answers["error"] = str(problem)
print(json.dumps(answers))
