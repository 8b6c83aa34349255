"""Requests of many clients at once, on real models. Also tests: serving/served_model.py, serving/writing.py,
serving/app.py, serving/answer_store.py, serving/attention_query.py, serving/protocols/attention.py."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from serving.small import client, served, task

import regard
from regard.serving.answer_store import AnswerStore
from regard.serving.limits import ServiceLimits
from regard.serving.metrics import ServiceMetrics
from regard.serving.refusals import Refusal
from regard.serving.served_model import languages_of, normal_code
from regard.serving.service import Service
from regard.serving.translating import TranslationSettings, translate
from regard.tasks.inputs import Reading

TEXTS = [
    "Where is the station?", "I am tired.", "He did not come, since it rained the whole day and the roads were wet.",
    "Yes.", "Call me at 555-1234. I am at home!", "She gave {name} the book.", "", "A man and a woman sing.",
]  # fmt: skip


def test_answers_to_many_at_once_are_those_to_each_alone(server):
    alone = {text: task("en-de")(text).text for text in TEXTS}

    def ask(number):
        text = TEXTS[number % len(TEXTS)]
        if number % 5 == 0:
            body = {"q": TEXTS, "source": "en", "target": "de"}
            return server.post("/translate", json=body).json()["translatedText"] == [alone[one] for one in TEXTS]
        body = {"q": text, "source": "en", "target": "de"}
        return server.post("/translate", json=body).json()["translatedText"] == alone[text]

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(32)))


def test_texts_of_many_are_written_in_fewer_batches():
    limits = ServiceLimits()
    models = served("en-de", limits=limits)
    model = models["en-de"]

    async def run():
        settings, metrics = TranslationSettings(protect=False), ServiceMetrics()
        texts = [f"I have {number} apples." for number in range(2, 18)]
        answers = await asyncio.gather(*(translate(model, [text], settings, text, metrics) for text in texts))
        return texts, [answer[0].translation.text for answer in answers]

    texts, answers = asyncio.run(run())
    model.batcher.stop()
    assert answers == [one.text for one in task("en-de")(texts, protect=False)]
    assert model.batcher.batched_pieces == 16
    assert model.batcher.batches < 16


def test_edits_are_at_work_for_their_own_request_alone(server):
    edits = [{"do": "scale", "layer": "decoder.1.cross", "heads": [0, 1, 2, 3], "factor": 0.0}]
    with regard.edit(task("en-de").model, edits):
        edited = task("en-de")(TEXTS[0]).text
    plain = task("en-de")(TEXTS[0]).text
    assert edited != plain

    def ask(number):
        body = {"q": TEXTS[0], "source": "en", "target": "de"} | ({"edits": edits} if number % 2 else {})
        return server.post("/translate", json=body).json()["translatedText"]

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(ask, range(6))) == [plain, edited] * 3


def test_exact_weights_of_an_answer_are_those_that_the_library_sees(server):
    body = {"q": TEXTS[0], "source": "en", "target": "de", "attention": {"layer": "decoder.1.cross", "head": 2}}
    attention = server.post("/translate", json=body).json()["attention"]
    with regard.watch(task("en-de").model) as seen:
        task("en-de")(TEXTS[0])
    expected = seen["decoder.1.cross"][0, 2].numpy()
    weights = np.array(attention["weights"])
    assert "decoder.1.cross" in attention["layers"]
    np.testing.assert_allclose(weights[: len(expected)], expected, atol=1e-6)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    assert weights.shape == (len(attention["tokens"]["target"]), len(attention["tokens"]["source"]))
    path = f"/v1/attention/{attention['id']}"
    where = {"layer": "decoder.1.cross", "head": 2, "rows": "1:3", "columns": "0:4"}
    tile = server.get(path, params=where).json()
    np.testing.assert_allclose(tile["weights"], weights[1:3, :4], atol=1e-5)
    raw = server.get(path, params=where | {"format": "binary"})
    assert raw.headers["x-regard-shape"] == "2,4"
    np.testing.assert_array_equal(np.frombuffer(raw.content, "<f4").reshape(2, 4), np.float32(tile["weights"]))
    top = server.get(path, params=where | {"top": 2}).json()["top"]
    for row, links in zip(weights[1:3, :4], top, strict=True):
        assert [column for column, _ in links] == np.argsort(-row, kind="stable")[:2].tolist()


def test_attention_of_a_text_that_goes_on(server):
    fields = {"model": "shakespeare", "prompt": "To be", "temperature": 0, "max_tokens": 4}
    query = {"layer": "decoder.0.self", "head": 0}
    (attention,) = server.post("/v1/completions", json={**fields, "attention": query}).json()["attention"]
    weights = np.array(attention["weights"])
    assert weights.shape == (len(attention["tokens"]["text"]),) * 2
    np.testing.assert_allclose(np.triu(weights, 1), 0)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ({"layer": "x"}, "layer: one of encoder.0.self"),
        ({"layer": "decoder.0.cross", "head": 9}, "head: decoder.0.cross has heads 0 to 3"),
        ({"layer": "decoder.0.cross", "rows": "90:99"}, "rows and columns: a region of the"),
        ({"layer": "decoder.0.cross", "sentence": 4}, "sentence: the answer has 1 sentences"),
        ({"format": "binary"}, "format: binary is for the weights of a layer"),
        ({"layer": "decoder.0.cross", "rows": "a"}, "rows: "),
    ],
)
def test_a_region_that_is_not_there_is_refused(server, where, line):
    body = {"q": "Yes.", "source": "en", "target": "de", "attention": {}}
    name = server.post("/translate", json=body).json()["attention"]["id"]
    answer = server.get(f"/v1/attention/{name}", params=where)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(line)


def test_old_answers_make_room_and_are_their_clients_alone():
    store = AnswerStore(ServiceLimits(stored_answers=2), lambda: {"en-de.translate": task("en-de")})
    reading = Reading((1, 2), (3,))
    first, second, third = (store.add(task("en-de"), [reading], "", "me") for _ in range(3))
    for stored in (third, second):
        answer = store.get(stored.id, "me")
        assert answer.task is task("en-de")
        assert [list(tokens) for tokens in (answer.readings[0].source, answer.readings[0].target)] == [[1, 2], [3]]
    for name, who in ((first.id, "me"), (third.id, "you")):
        with pytest.raises(Refusal, match="no such answer"):
            store.get(name, who)


def test_what_takes_too_long_is_given_up():
    with client("en-de", limits=ServiceLimits(seconds=0.001)) as server:
        answer = server.post("/translate", json={"q": TEXTS, "source": "en", "target": "de"})
        assert answer.status_code == 503
        assert answer.headers["retry-after"]
        assert answer.json()["error"].startswith("not done in 0.001 seconds")


def test_a_client_that_leaves_takes_its_request_back():
    models = served("en-de")
    service = Service(models)

    class Gone:
        async def body(self):
            return b""

        async def receive(self):
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}

    async def run():
        work = translate(models["en-de"], TEXTS * 200, TranslationSettings(), "me", service.metrics)
        with pytest.raises(Refusal, match="nobody waits"):
            await service.within_time(Gone(), work)
        until = time.monotonic() + 20
        while models["en-de"].batcher.waiting and time.monotonic() < until:
            await asyncio.sleep(0.01)
        return models["en-de"].batcher.waiting

    assert asyncio.run(run()) == 0
    assert service.metrics.cancelled == 1
    service.stop()


def test_health_and_metrics_are_told(server):
    assert server.get("/health").json() == {"status": "ok"}
    server.post("/translate", json={"q": "Yes.", "source": "en", "target": "de"})
    text = server.get("/metrics").text
    assert 'regard_requests_total{route="/translate",status="200"}' in text
    assert 'regard_waiting_texts{model="en-de"} 0' in text


def test_the_languages_of_a_model_are_those_of_its_card_or_its_name():
    assert languages_of("anything", task("en-de")) == ("en", "de")
    assert languages_of("opus-mt-en-fr", task("shakespeare")) == ("en", "fr")
    assert languages_of("mine", task("shakespeare")) is None
    assert [normal_code(code) for code in ("EN-GB", "de_AT", " fr ")] == ["en", "de", "fr"]
