"""The commands lens, circuits and memories, and what they print, against the model asked directly.

Also tests: cli/circuits.py, cli/lens.py, cli/memories.py.
"""

import json

import pytest
import torch
from click.testing import CliRunner
from tasks.tiny import bart, bert, gpt2

import regard
from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.tasks.inside import circuits_of, lens_of, memories_of, prefix, shown_tokens, tables_of
from regard.tasks.spelling import token_texts


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    bert("ForMaskedLM", folder / "fill")
    gpt2(folder / "generate")
    bart(folder / "translate", decoder_layers=2)
    (folder / "lines.txt").write_text("the dog\n\nthe cat sleeps\nwhere is\n", encoding="utf-8")
    return folder


def output(*arguments):
    ran = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    return ran.output


@torch.no_grad()
def test_lens_ends_with_what_the_model_says(folders):
    told = json.loads(output("lens", "-m", folders / "generate", "--json", "--top", 2, "the dog"))
    task = regard.load(folders / "generate")
    ids = task.tokenizer.encode("the dog").ids
    best = task.model(torch.tensor([ids]))[0, -1].softmax(-1).topk(2)
    assert told["tokens"] == list("the dog")
    last = told["layers"][-1]
    assert last["layer"] == "decoder.1"
    assert [word for word, _ in last["words"]] == list(token_texts(task.tokenizer, best.indices.tolist()))
    assert [chance for _, chance in last["words"]] == pytest.approx(best.values.tolist(), rel=1e-4)


def test_lens_on_a_gap_is_read_at_the_gap_as_fill_reads_it(folders):
    found = lens_of(regard.load(folders / "fill"), "the [MASK] sleeps", top=3)
    at = found.at(-1)
    assert found.tokens[at].strip() == "[MASK]"
    choices = regard.load(folders / "fill")("the [MASK] sleeps", top=3).candidates[0]
    assert [word for word, _ in found.words(at)[-1]] == [choice.token for choice in choices]
    with pytest.raises(RegardError, match="there is no token 99"):
        found.at(99)


@torch.no_grad()
def test_a_translator_is_read_while_it_writes_its_own_translation(folders):
    task = regard.load(folders / "translate")
    found = lens_of(task, "the dog sleeps .")
    written = task("the dog sleeps .", split=False)
    # The word likeliest after the last layer at each position is the one that a greedy search wrote next.
    assert [found.words(at)[-1][0][0] for at in range(len(written.tokens))] == list(
        token_texts(task.tokenizer.target, written.ids)
    )
    assert found.lens.blocks == ("decoder.0", "decoder.1")
    layers = circuits_of(task, "the dog sleeps .").scores["previous"]
    assert {layer.split(".")[0] for layer in layers} == {"encoder", "decoder"}
    assert set(circuits_of(task, None).scores["induction"]) == set(layers)
    with pytest.raises(RegardError, match="an encoder or a decoder expected"):
        list(memories_of(task, folders / "lines.txt", [], [], 1, 3, 10))


def test_lens_is_listed_and_drawn(folders, tmp_path):
    shown = output("lens", "-m", folders / "generate", "--output", tmp_path / "lens.svg", "the dog")
    assert shown.startswith("after g\n  decoder.0  0.")
    assert (tmp_path / "lens.svg").read_text("utf-8").startswith("<svg")


def test_circuits_name_heads_pairs_and_tables(folders, tmp_path):
    drawn = tmp_path / "heads.html"
    told = json.loads(output("circuits", folders / "generate", "--json", "--least", 0, "--output", drawn))
    assert set(told["scores"]) == {"previous", "duplicate", "induction", "sink", "positional"}
    assert len(told["scores"]["sink"]["decoder.1.self"]) == 3
    assert all(one["score"] >= 0 for one in told["heads"])
    assert drawn.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "positional" in output("circuits", folders / "generate", "the dog the dog")
    pairs = json.loads(output("circuits", folders / "generate", "--compose", "--json"))["pairs"]
    assert {pair["kind"] for pair in pairs} <= {"query", "key", "value"}
    assert [pair["score"] for pair in pairs] == sorted((pair["score"] for pair in pairs), reverse=True)
    assert output("circuits", folders / "generate", "ab", "--head", "decoder.0.self:1").startswith("looks for")


def test_tables_have_a_row_for_each_token_of_a_text_or_the_largest_entries(folders):
    task = regard.load(folders / "generate")
    rows = tables_of(task, "decoder.0.self:1", "ab", top=4)["qk"]["rows"]
    assert [token for token, _ in rows] == ["a", "b"]
    assert all(scores == sorted(scores, reverse=True) for scores in ([one for _, one in row] for _, row in rows))
    largest = tables_of(task, "decoder.0.self:1", None, top=4)["ov"]["rows"]
    assert len(largest) == 4
    assert [token for token, _ in tables_of(task, "decoder.0.self:1", "ü\n", top=1)["ov"]["rows"]] == [
        "<0xC3>",
        "<0xBC>",
        "\n",
    ]
    with pytest.raises(RegardError, match=r"as in decoder.0.self:3, got 'decoder.0.self'"):
        tables_of(task, "decoder.0.self", None, top=4)


def test_memories_show_prefixes_and_words(folders):
    task = regard.load(folders / "generate")
    found = list(memories_of(task, folders / "lines.txt", ["decoder.1"], [5], 1, 3, 10))
    assert [(one["layer"], one["unit"]) for one in found] == [("decoder.1", 5)]
    texts = ["the dog", "the cat sleeps", "where is"]
    assert len(found[0]["triggers"]) == 3
    assert all(any(text.startswith(start) for text in texts) for start, _ in found[0]["triggers"])
    assert len(found[0]["promotes"]) == 3
    shown = output("memories", folders / "generate", folders / "lines.txt", "--units", 2, "--top", 2)
    assert shown.count("unit") == 4  # two of each layer
    with pytest.raises(RegardError, match="has units 0 to 95, got 96"):
        list(memories_of(task, folders / "lines.txt", [], [96], 1, 3, 10))


def test_tokens_are_shown_with_the_space_before_them(folders):
    task = regard.load(folders / "fill")
    encoded = task.tokenizer.encode("the dog sleeps")
    assert shown_tokens("the dog sleeps", encoded) == ("[CLS]", "the", " dog", " sleeps", "[SEP]")
    assert prefix("the dog sleeps", encoded, 2) == "the dog"
    assert prefix("the dog sleeps", encoded, 4) == "the dog sleeps[SEP]"


def test_what_a_translator_knows_is_told_as_text():
    shown = output("circuits", "en-de", "die Tür", "--head", "decoder.1.self:2", "--top", 40)
    assert " ·Tür  " in shown
    told = json.loads(output("lens", "-m", "en-de", "--json", "--top", 3, "the green door"))
    assert "".join(told["tokens"]).removeprefix("<pad>").strip() == regard.load("en-de")("the green door").text
    for text in (shown, json.dumps(told, ensure_ascii=False)):
        assert "Ã" not in text
        assert "Ġ" not in text


def test_what_a_unit_promotes_is_told_as_text(folders):
    found = list(
        memories_of(regard.load(folders / "generate"), folders / "lines.txt", ["decoder.0"], range(40), 1, 9, 10)
    )
    words = [word for one in found for word, _ in one["promotes"]]
    assert any(word.startswith("<0x") for word in words)
    assert all(word.isascii() for word in words)
