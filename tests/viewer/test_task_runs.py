"""Models of every kind, made by transformers, whose own weights the maps are held to.

Also tests: viewer/candidates.py, viewer/finished_run.py.
"""

import pytest
import torch
from tasks.tiny import bart, bert, gpt2
from torch.testing import assert_close
from viewer.small import STORY, client, framed, reference_output, run

import regard
from regard.looking.long_text import PIECE
from regard.viewer.model_store import ModelStore

KINDS = {
    "fill": "ForMaskedLM",
    "classify": "ForSequenceClassification",
    "tag": "ForTokenClassification",
    "embed": "Model",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    where = tmp_path_factory.mktemp("models")
    for name, kind in KINDS.items():
        bert(kind, where / name)
    bart(where / "translate")
    return {path.name: path for path in sorted(where.iterdir())}


@pytest.fixture(scope="module")
def server(folders):
    with client(ModelStore(folders, max_loaded=9)) as result:
        yield result


def weights(server, payload: dict, layer_name: str, head: int) -> torch.Tensor:
    where = f"/api/runs/{payload['id']}/tile?layer={layer_name}&level=0&row=0&column=0"
    head, numbers = framed(server.get(f"{where}&head={head}").content)
    return torch.tensor(numbers).view(head["rows"], head["columns"])


@pytest.mark.parametrize("name", KINDS)
def test_the_heads_of_a_bert_are_those_of_transformers(server, folders, name):
    text = "the dog [MASK] under a table ." if name == "fill" else "the dog sleeps under a table ."
    payload = run(server, model=name, text=text)
    side = payload["sides"][0]
    assert side["special"][0]
    assert side["special"][-1]
    assert "".join(piece for piece, special in zip(side["texts"][1:-1], side["special"][1:-1], strict=True)) == text
    ids = torch.tensor([side["ids"]])
    expected = reference_output(folders[name], f"Bert{KINDS[name]}", input_ids=ids).attentions
    for layer in range(2):
        for head in range(3):
            result = weights(server, payload, f"encoder.{layer}.self", head)
            assert_close(result, expected[layer][0, head], atol=1e-5, rtol=0)


def test_the_heads_of_a_translator_are_those_of_transformers(server, folders):
    payload = run(server, model="translate", text="ein Hund", beam=2, max_new_tokens=6)
    source, target = (torch.tensor([side["ids"]]) for side in payload["sides"])
    expected = reference_output(
        folders["translate"], "BartForConditionalGeneration", input_ids=source, decoder_input_ids=target
    )
    for layer_name, reference in (
        ("encoder.1.self", expected.encoder_attentions[1]),
        ("decoder.0.self", expected.decoder_attentions[0]),
        ("decoder.0.cross", expected.cross_attentions[0]),
    ):
        assert_close(weights(server, payload, layer_name, 2), reference[0, 2], atol=1e-5, rtol=0)
    assert len(payload["alignment"]["weights"]) == len(payload["sides"][1]["ids"]) - 1
    assert_close(
        torch.tensor(payload["alignment"]["weights"]),
        expected.cross_attentions[0][0].mean(0)[: len(payload["alignment"]["weights"])],
        atol=1e-5,
        rtol=0,
    )


def test_answers_are_those_of_the_task(server, folders):
    gap = run(server, model="fill", text="the [MASK] sleeps .")
    expected = regard.load(folders["fill"])("the [MASK] sleeps .")
    assert gap["answer"]["text"] == expected.text
    assert [option["text"] for option in gap["answer"]["gaps"][0]] == [one.token for one in expected.candidates[0]]
    assert run(server, model="fill", text="the dog sleeps .")["answer"]["gaps"] == []
    label = run(server, model="classify", text="what a film", second="not bad")
    assert label["sides"][0]["segments"][-1] == 1
    scores = regard.load(folders["classify"])(("what a film", "not bad")).scores
    assert {one["text"]: one["probability"] for one in label["answer"]["options"]} == pytest.approx(
        dict(scores), abs=1e-5
    )
    tags = run(server, model="tag", text="a good film")["answer"]["options"]
    assert [one["text"].split()[0] for one in tags] == ["a", "good", "film"]
    vector = run(server, model="embed", text="a good film")
    expected = torch.from_numpy(regard.load(folders["embed"])("a good film").vector)
    assert_close(torch.tensor(vector["answer"]["vector"]), expected)
    edits = [{"do": "hide", "layer": "encoder.*.self", "positions": [2]}]
    changed = run(server, model="embed", text="a good film", edits=edits, base=vector["id"])["edit_effect"]
    assert -1 <= changed["similarity"] < 1


def test_a_text_in_capitals_is_answered_as_the_task_answers_it(server):
    text = "WHERE IS THE STATION?"
    payload = run(server, model="en-de", text=text, max_new_tokens=None)
    assert payload["answer"]["text"] == regard.load("en-de")(text).text


SAMPLE = {"temperature": 0.8, "top_k": 40, "top_p": 0.9, "seed": 7}
WRITING = [{}, {"beam": 3}, {"sample": SAMPLE}, {"max_new_tokens": 3}]


def options_of(request: dict) -> dict:
    """The same, as a task is asked for it."""
    sample = dict(request.get("sample") or {})
    seed = sample.pop("seed", None)
    return {"beam": 1, "max_new_tokens": None, "seed": seed, **request, "sample": sample or False}


@pytest.mark.parametrize("request_options", WRITING)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("en-de", "The old man reads a book in the garden."),
        ("en-de", "THE OLD MAN READS A BOOK."),
        ("de-en", "WO IST DER BAHNHOF?"),
        ("de-en", "Der Hund schläft unter dem Tisch."),
    ],
)
def test_a_translation_is_the_tasks_own(server, name, text, request_options):
    answer = run(server, model=name, text=text, **{"max_new_tokens": None, **request_options})["answer"]
    expected = regard.load(name)(text, **options_of(request_options))
    assert answer["text"] == expected.text
    assert (answer["score"], answer["rank_score"]) == pytest.approx((expected.score, expected.rank_score), abs=1e-4)
    assert answer["is_finished"] == expected.is_finished


@pytest.mark.parametrize("request_options", WRITING)
@pytest.mark.parametrize("text", ["ROMEO: what say", "O CAPTAIN", ""])
def test_a_continuation_is_the_tasks_own(server, text, request_options):
    request_options = {"max_new_tokens": 12, **request_options}
    payload = run(server, model="shakespeare", text=text, **request_options)
    expected = regard.load("shakespeare")(text, **options_of(request_options))
    assert payload["answer"]["text"] == expected.text
    assert payload["answer"]["score"] == pytest.approx(expected.score, abs=1e-4)
    side = payload["sides"][0]
    assert tuple(side["ids"][side["prefix_length"] :]) == expected.ids


def test_an_answer_about_a_story_is_the_tasks_own(server):
    for question in ("What color is Greg?", "WHAT COLOR IS BRIAN?"):
        answer = run(server, model="babi", text=STORY, second=question)["answer"]
        expected = regard.load("babi")(STORY, question)
        assert answer["text"] == answer["options"][0]["text"] == expected.text
        assert answer["score"] == pytest.approx(expected.score, abs=1e-5)


def test_a_decoder_that_learned_to_translate_is_run_as_one_stream(tmp_path):
    gpt2(tmp_path / "one")
    (tmp_path / "one" / "generation_config.json").write_text('{"decoder_start_token_id": 5, "eos_token_id": 256}')
    with client(ModelStore({"one": tmp_path / "one"}, max_loaded=1)) as server:
        payload = run(server, model="one", text="the dog", max_new_tokens=6)
    expected = regard.load(tmp_path / "one", task="translate")("the dog", max_new_tokens=6)
    assert payload["task"] == "translate"
    assert payload["answer"]["text"] == expected.text
    (side,) = payload["sides"]
    assert side["ids"][side["prefix_length"] - 1] == 5
    assert tuple(side["ids"][side["prefix_length"] :]) == expected.ids
    assert {(layer["rows"], layer["columns"]) for layer in payload["layers"]} == {("text", "text")}


def test_a_long_text_that_is_read_in_pieces_has_the_weights_of_one_go(server):
    task = regard.load("shakespeare-long")
    text = "To be, or not to be: that is the question. " * 45
    payload = run(server, model="shakespeare-long", text=text, max_new_tokens=0)
    tokens = torch.tensor([task.tokenizer.encode(text).ids])
    assert tokens.shape[1] > 2 * PIECE
    assert payload["sides"][0]["ids"] == tokens[0].tolist()
    with torch.no_grad(), regard.watch(task.model, "*.self") as seen:
        task.model.hidden(tokens)
    for layer in payload["layers"]:
        expected = seen[layer["name"]][0, 2, :256, :256]
        assert_close(weights(server, payload, layer["name"], 2), expected, atol=1e-6, rtol=1e-4)
