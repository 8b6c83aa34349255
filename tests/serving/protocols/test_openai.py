"""OpenAI's protocol, as platform.openai.com has it. Also tests: serving/generating.py, serving/chat_template.py,
serving/token_scores.py, serving/protocols/openai_payload.py, serving/protocols/openai_choices.py,
serving/protocols/openai_stream.py."""

import base64
import json
import math

import numpy as np
import pytest
from serving.small import client, task

import regard
from regard.serving.chat_template import ChatTemplate
from regard.serving.refusals import Refusal

PROMPT = "To be, or not to be"


def complete(server, **fields):
    answer = server.post("/v1/completions", json={"model": "shakespeare", "prompt": PROMPT, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def events(answer):
    lines = [line.removeprefix("data: ") for line in answer.text.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_a_prompt_goes_on_as_the_library_writes_it(server):
    body = complete(server, temperature=0, max_tokens=12)
    expected = task("shakespeare")(PROMPT, max_new_tokens=12, sample=False)
    assert body["choices"][0]["text"] == expected.text
    assert body["usage"]["completion_tokens"] == len(expected.ids)
    assert body["choices"][0]["finish_reason"] == ("stop" if expected.is_finished else "length")


def test_the_same_seed_draws_what_the_library_draws(server):
    sample = regard.tasks.Sampling(temperature=0.9, top_p=0.95)
    expected = task("shakespeare")(PROMPT, sample=sample, seed=5, max_new_tokens=12).text
    bodies = [complete(server, temperature=0.9, top_p=0.95, seed=5, max_tokens=12) for _ in range(2)]
    assert [body["choices"][0]["text"] for body in bodies] == [expected, expected]


def test_several_choices_differ_and_the_first_is_that_of_the_seed(server):
    several = complete(server, temperature=1, seed=3, n=3, max_tokens=12)["choices"]
    alone = complete(server, temperature=1, seed=3, max_tokens=12)["choices"]
    assert [choice["index"] for choice in several] == [0, 1, 2]
    assert several[0]["text"] == alone[0]["text"]
    assert len({choice["text"] for choice in several}) == 3


def test_several_prompts_are_answered_in_order(server):
    prompts = ["My lord", "O Romeo, Romeo"]
    choices = complete(server, prompt=prompts, temperature=0, max_tokens=8)["choices"]
    expected = task("shakespeare")(prompts, max_new_tokens=8, sample=False)
    assert [choice["text"] for choice in choices] == [one.text for one in expected]


def test_a_text_ends_before_what_stops_it(server):
    whole = complete(server, temperature=0, max_tokens=20)["choices"][0]["text"]
    stop = whole[7:10]
    (choice,) = complete(server, temperature=0, max_tokens=20, stop=[stop])["choices"]
    assert choice["text"] == whole[: whole.index(stop)]
    assert choice["finish_reason"] == "stop"
    streamed = server.post(
        "/v1/completions",
        json={
            "model": "shakespeare",
            "prompt": PROMPT,
            "temperature": 0,
            "max_tokens": 20,
            "stop": stop,
            "stream": True,
        },
    )
    assert "".join(event["choices"][0]["text"] for event in events(streamed)) == choice["text"]


def test_a_stream_has_the_same_text(server):
    fields = {"model": "shakespeare", "prompt": PROMPT, "temperature": 0.8, "seed": 4, "max_tokens": 12, "n": 2}
    whole = server.post("/v1/completions", json=fields).json()
    options = {"stream": True, "stream_options": {"include_usage": True}}
    parts = events(server.post("/v1/completions", json={**fields, **options}))
    texts = ["", ""]
    for part in parts:
        for choice in part["choices"]:
            texts[choice["index"]] += choice["text"]
    assert texts == [choice["text"] for choice in whole["choices"]]
    assert parts[-1]["usage"] == whole["usage"]


def test_the_scores_of_tokens_are_those_of_the_model(server):
    (choice,) = complete(server, temperature=0, max_tokens=6, logprobs=3)["choices"]
    scores = choice["logprobs"]
    expected = task("shakespeare")(PROMPT, max_new_tokens=6, sample=False)
    assert sum(scores["token_logprobs"]) == pytest.approx(expected.score, abs=1e-3)
    assert "".join(scores["tokens"]) == choice["text"]
    for score, options in zip(scores["token_logprobs"], scores["top_logprobs"], strict=True):
        assert max(options.values()) == pytest.approx(score, abs=1e-4)  # the likeliest was taken
        assert sum(map(math.exp, options.values())) <= 1 + 1e-5


@pytest.mark.parametrize("packed", [False, True])
def test_vectors_are_those_of_the_library(server, packed):
    kind = "base64" if packed else "float"
    body = server.post(
        "/v1/embeddings", json={"model": "shakespeare", "input": ["My lord", "Yes"], "encoding_format": kind}
    ).json()
    embed = regard.tasks.EmbedTask(task("shakespeare").checkpoint, task("shakespeare").tokenizer)
    for text, one in zip(["My lord", "Yes"], body["data"], strict=True):
        vector = one["embedding"]
        vector = np.frombuffer(base64.b64decode(vector), "<f4") if packed else np.array(vector)
        np.testing.assert_allclose(vector, embed(text).vector, atol=1e-5)


def test_a_translator_answers_a_chat_with_a_translation(server):
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "I am tired."}]
    body = server.post("/v1/chat/completions", json={"model": "en-de", "messages": messages}).json()
    assert body["choices"][0]["message"] == {"role": "assistant", "content": task("en-de")("I am tired.").text}
    parts = events(server.post("/v1/chat/completions", json={"model": "en-de", "messages": messages, "stream": True}))
    text = "".join(part["choices"][0]["delta"].get("content", "") for part in parts)
    assert text == task("en-de")("I am tired.").text
    options = {"stream": True, "stream_options": {"include_usage": True}}
    parts = events(server.post("/v1/chat/completions", json={"model": "en-de", "messages": messages, **options}))
    assert parts[-1]["choices"] == []
    assert parts[-1]["usage"] == body["usage"]


TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}> {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)


@pytest.fixture(scope="module")
def talker(tmp_path_factory):
    """A tiny GPT with a chat template in its folder."""
    from tasks.tiny import gpt2

    folder = tmp_path_factory.mktemp("talker")
    gpt2(folder, n_positions=128)
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    with client("en-de", folders={"talker": folder}) as server:
        yield server, folder


def test_a_chat_is_written_with_the_template_of_the_folder(talker):
    from transformers import AutoTokenizer

    server, folder = talker
    messages = [{"role": "user", "content": "hello"}]
    fields = {"model": "talker", "messages": messages, "temperature": 0, "max_tokens": 5}
    body = server.post("/v1/chat/completions", json=fields).json()
    peer = AutoTokenizer.from_pretrained(folder)
    prompt = peer.apply_chat_template(messages, chat_template=TEMPLATE, tokenize=False, add_generation_prompt=True)
    expected = regard.load(folder)(prompt, max_new_tokens=5, sample=False)
    assert body["choices"][0]["message"]["content"] == expected.text
    parts = events(server.post("/v1/chat/completions", json={**fields, "stream": True}))
    assert parts[0]["choices"][0]["delta"]["role"] == "assistant"
    assert "".join(part["choices"][0]["delta"].get("content", "") for part in parts) == expected.text


def test_scores_of_a_chat_have_its_shape(talker):
    fields = {"model": "talker", "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]}
    fields |= {"temperature": 0, "max_tokens": 3, "logprobs": True, "top_logprobs": 2}
    (choice,) = talker[0].post("/v1/chat/completions", json=fields).json()["choices"]
    for token in choice["logprobs"]["content"]:
        assert token["logprob"] == pytest.approx(token["top_logprobs"][0]["logprob"], abs=1e-4)
        assert bytes(token["bytes"]).decode() == token["token"]


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{{ raise_exception('roles must alternate') }}", "refuses these messages: roles must alternate"),
        ("{{ messages.__class__.__mro__ }}", "refuses these messages: access to attribute"),
        ("{% for a in range(99999) %}{{ 'x' * 100 }}{% endfor %}", "writes more than"),
        ("{% for a in range(10000000) %}{% endfor %}", "refuses these messages: Range too big"),
    ],
)
def test_a_template_that_goes_too_far_is_stopped(tmp_path, template, line):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    read = ChatTemplate.read(tmp_path)
    assert read is not None
    with pytest.raises(Refusal, match=line):
        read.render([{"role": "user", "content": "a"}])


def test_a_template_that_is_none_is_named(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{% for %}"}))
    with pytest.raises(regard.errors.CheckpointError, match="the chat template cannot be read"):
        ChatTemplate.read(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text("{}")
    assert ChatTemplate.read(tmp_path) is None


def test_models_are_listed(server):
    models = server.get("/v1/models").json()["data"]
    assert {model["id"] for model in models} == {"en-de", "de-en", "shakespeare"}
    assert server.get("/v1/models/en-de").json()["languages"] == ["en", "de"]


@pytest.mark.parametrize(
    ("path", "fields", "status", "line"),
    [
        ("completions", {"model": "x", "prompt": "a"}, 404, "no model 'x' here"),
        ("completions", {"model": "shakespeare", "prompt": []}, 400, "prompt: "),
        ("completions", {"model": "shakespeare", "prompt": "a", "n": 17}, 400, "n: at most 16 expected"),
        ("completions", {"model": "shakespeare", "prompt": "a", "temperature": 3}, 400, "temperature: "),
        ("completions", {"model": "shakespeare", "prompt": "a", "echo": True}, 400, "echo, suffix, best_of: not"),
        ("completions", {"model": "shakespeare", "prompt": "a", "presence_penalty": 1}, 400, "presence_penalty: not"),
        ("completions", {"model": "en-de", "prompt": "a", "n": 2}, 400, "logprobs, n, stop: not of a translator"),
        (
            "chat/completions",
            {"model": "shakespeare", "messages": [{"role": "user", "content": "a"}]},
            400,
            "shakespeare has no chat template: ask /v1/completions",
        ),
        (
            "chat/completions",
            {"model": "en-de", "messages": [{"role": "tool", "content": "a"}]},
            400,
            "messages.0.role",
        ),
        ("embeddings", {"model": "en-de", "input": "a"}, 400, "en-de cannot embed, it can translate"),
        ("embeddings", {"model": "shakespeare", "input": ["a", ""]}, 400, "text 2 has no tokens"),
        ("embeddings", {"model": "shakespeare", "input": "a", "dimensions": 3}, 400, "dimensions: "),
    ],
)
def test_what_is_wrong_is_said_in_openais_shape(server, path, fields, status, line):
    answer = server.post(f"/v1/{path}", json=fields)
    assert answer.status_code == status
    assert answer.json()["error"]["message"].startswith(line)
