"""Who may ask, and what an answer to nobody looks like. Also tests: serving/error_shapes.py, serving/keys.py,
serving/page.py, serving/metrics.py."""

import json
import logging

import pytest
from serving.small import client

from regard.errors import RegardError
from regard.serving.error_shapes import error_body
from regard.serving.keys import Keys, key_of
from regard.serving.limits import ServiceLimits
from regard.serving.metrics import ServiceMetrics
from regard.viewer.guard import ServerAddress

KEY = "a-good-long-key"


@pytest.fixture(scope="module")
def guarded():
    with client("en-de", keys=Keys(["another-key", KEY]), limits=ServiceLimits(body=2000)) as server:
        yield server


DEEPL, OPENAI = ({"authorization": f"{scheme} {KEY}"} for scheme in ("DeepL-Auth-Key", "Bearer"))
TEXT = {"q": "Yes.", "source": "en", "target": "de"}


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("/translate", {"json": {**TEXT, "api_key": KEY}}),
        ("/translate", {"params": {**TEXT, "api_key": KEY}}),
        ("/v2/translate", {"params": {"text": "Yes.", "target_lang": "DE"}, "headers": DEEPL}),
        ("/v1/completions", {"json": {"model": "en-de", "prompt": "Yes."}, "headers": OPENAI}),
    ],
)
def test_a_key_opens_and_none_does_not(guarded, path, way):
    assert guarded.post(path, **way).status_code == 200
    bad = json.loads(json.dumps(way).replace(KEY, "a-wrong-key"))
    answer = guarded.post(path, **bad)
    assert answer.status_code == (401 if path.startswith("/v1") else 403)
    assert "a key is needed" in answer.text


def test_what_is_no_secret_needs_no_key(guarded):
    for path in ("/health", "/languages", "/frontend/settings", "/", "/page.js", "/page.css"):
        assert guarded.get(path).status_code == 200
    for path in ("/metrics", "/v1/models", "/v2/usage"):
        assert guarded.get(path).status_code in (401, 403)


def test_the_page_runs_no_code_but_its_own(guarded):
    answer = guarded.get("/")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "script-src 'self'" in answer.headers["content-security-policy"]


def test_a_long_body_is_refused(guarded):
    answer = guarded.post("/v1/completions", content=b"x" * 3000)
    assert answer.status_code == 413
    assert answer.json()["error"]["message"] == "a body of at most 2000 bytes expected"


def test_a_long_body_without_a_length_is_refused(guarded):
    answer = guarded.post("/translate", content=(b"x" * 500 for _ in range(5)))
    assert answer.status_code == 413


def test_pages_of_others_cannot_ask_a_service_without_keys(server):
    assert server.post("/detect", json={"q": "a"}, headers={"origin": "http://evil.example"}).status_code == 403
    assert server.post("/detect", json={"q": "a"}, headers={"host": "evil.example"}).status_code == 421
    assert server.post("/detect", json={"q": "a"}, headers={"origin": "http://127.0.0.1"}).status_code == 200


def test_others_reach_a_service_by_any_name_with_a_key():
    with client("en-de", keys=Keys([KEY]), address=ServerAddress("0.0.0.0", 80, "keys")) as server:
        headers = {"host": "translate.example", "authorization": f"Bearer {KEY}"}
        assert server.get("/v1/models", headers=headers).status_code == 200


def test_too_many_requests_at_once_are_refused(guarded):
    with client("en-de", limits=ServiceLimits(requests=0)) as server:
        answer = server.get("/health")
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"


def test_logs_have_no_texts(server, caplog):
    with caplog.at_level(logging.INFO, "regard.serve"):
        server.post("/translate", json={"q": "A secret text.", "source": "en", "target": "de"})
        server.get("/translate?q=another+secret")
    lines = [json.loads(record.message) for record in caplog.records if record.name == "regard.serve"]
    assert [(line["route"], line["status"]) for line in lines] == [("/translate", 200), ("/translate", 405)]
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/translate", {"error": "no"}),
        ("/v2/translate", {"message": "no"}),
        ("/v1/models", {"error": {"message": "no", "type": "rate_limit_error", "param": None, "code": None}}),
    ],
)
def test_errors_have_the_shape_of_their_protocol(path, shape):
    assert error_body(path, 429, "no") == shape
    assert len(str(error_body(path, 400, "no " * 1000))) < 700


def test_an_unknown_address_is_a_line(server):
    assert server.get("/v1/nothing").json()["error"]["message"] == "no such address"
    assert server.get("/nothing").json() == {"error": "no such address"}


def test_keys_are_read_from_a_file(tmp_path):
    path = tmp_path / "keys"
    path.write_text("# mine\nfirst-key-1\n\nsecond-key-2\n")
    keys = Keys.read(path)
    assert [keys.client([key]) for key in ("first-key-1", "second-key-2", "first-key", "")] == [
        "key 1",
        "key 2",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "at least one key expected"),
        (b"short\n", ":1: a key of 8 or more letters"),
        (b"\xff\xfe", "keys in UTF-8 expected"),
        (None, "keys cannot be read: No such file"),
    ],
)
def test_a_file_without_keys_is_refused(tmp_path, content, line):
    if content is not None:
        (tmp_path / "keys").write_bytes(content)
    with pytest.raises(RegardError, match=line):
        Keys.read(tmp_path / "keys")


def test_a_key_is_found_behind_its_scheme():
    assert [key_of(text) for text in ("Bearer a", "bearer  a", "DeepL-Auth-Key a", "a")] == ["a"] * 4


def test_metrics_are_in_prometheus_form():
    metrics = ServiceMetrics()
    metrics.request('/a"b', 200, 0.02)
    metrics.work("m", texts=2, letters=5, tokens=3)
    lines = list(metrics.lines({}))
    assert r'regard_requests_total{route="/a\"b",status="200"} 1' in lines
    assert 'regard_letters_total{model="m"} 5' in lines
    assert 'regard_request_seconds_bucket{le="0.01"} 0' in lines
    assert 'regard_request_seconds_bucket{le="+Inf"} 1' in lines
    values = [line.rpartition(" ")[2] for line in lines if not line.startswith("#")]
    assert all(float(value) >= 0 for value in values)
