"""Nobody but this machine's own page is answered."""

import json

import pytest
from viewer.small import client, run

from regard.errors import RegardError
from regard.viewer.guard import ServerAddress
from regard.viewer.limits import Limits

FOREIGN = [
    "evil.example",
    "evil.example:80",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "127.0.0.1:81",
    "127.0.0.2",
    "0.0.0.0",
    "localhost@evil.example",
    "127.0.0.1:80@evil.example",
    "127.0.0.1/x",
    "[::1",
    "",
    "2130706433",
    "127.0.0.1:99999999",
]
PATHS = ["/", "/index.html", "/health", "/api/models", "/openapi.json", "/api/learn"]


@pytest.fixture(scope="module")
def server():
    with client() as result:
        yield result


@pytest.mark.parametrize("host", FOREIGN)
def test_a_foreign_host_is_served_nothing(server, host):
    for path in PATHS:
        answer = server.get(path, headers={"host": host})
        assert answer.status_code == 421
        assert answer.json().keys() == {"version", "error"}


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1:81", "file://"]
)
def test_a_foreign_origin_is_served_nothing(server, origin):
    for answer in (
        server.get("/api/models", headers={"origin": origin}),
        server.post("/api/runs", json={"model": "shakespeare", "text": "a"}, headers={"origin": origin}),
    ):
        assert answer.status_code == 403
        assert answer.json().keys() == {"version", "error"}
    assert server.get("/health", headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST", "127.0.0.1:80"])
def test_this_machine_is_answered(server, host):
    assert server.get("/health", headers={"host": host, "origin": f"http://{host}"}).status_code == 200


def test_every_answer_forbids_what_the_page_does_not_need(server):
    for path in [*PATHS, "/nothing"]:
        told = server.get(path).headers
        assert "unsafe" not in told["content-security-policy"]
        assert "default-src 'none'" in told["content-security-policy"]
        assert told["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/static/../server.py",
        "/%2e%2e/server.py",
        "//etc/passwd",
        "/assets/../../server.py",
        "/assets/..%5c..%5cserver.py",
        "/index.html%00.js",
        "/server.py",
        "/api/runs/..%2f..%2fserver.py",
    ],
)
def test_only_files_of_the_page_are_served(server, path):
    answer = server.get(path)
    assert answer.status_code in (404, 422)
    assert answer.json().keys() == {"version", "error"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"[]", 422),
        (b'"text"', 422),
        (b"\xff\xfe", 422),
        (b'{"model": "shakespeare"}', 422),
        (b'{"model": "shakespeare", "text": "a", "beams": 3}', 422),
        (b'{"model": "shakespeare", "text": "a", "beam": NaN}', 422),
        (b'{"model": "shakespeare", "text": "a", "beam": 0}', 422),
        (b'{"model": "shakespeare", "text": "a", "beam": 1e9}', 422),
        (b'{"model": "shakespeare", "text": "a", "beam": 17}', 400),
        (b'{"model": "shakespeare", "text": "a", "beam": true}', 422),
        (b'{"model": "shakespeare", "text": "a", "beam": "2"}', 422),
        (b'{"model": "shakespeare", "text": "a", "text": "b"}', 422),
        (b'{"model": "shakespeare", "text": "\\ud800"}', 422),
        (b'{"model": "shakespeare", "text": "a", "\\ud800": 1}', 422),
        (b'{"model": "shakespeare", "text": "a", "' + b"x" * 9000 + b'": 1}', 422),
        (b'{"model": "shakespeare", "text": "a", "sample": {"temperature": NaN}}', 422),
        (b'{"model": "shakespeare", "text": "a", "sample": {"temperature": Infinity}}', 422),
        (b'{"model": "shakespeare", "text": "a", "edits": [{"do": "scale", "factor": NaN}]}', 422),
        (b'{"model": "shakespeare", "text": "a", "edits": [{"factor": [[[1, -Infinity]]]}]}', 422),
        (b'{"model": "shakespeare", "text": "a", "base": "no such run"}', 404),
        (b'{"model": "shakespeare", "text": ' + b"[" * 5000 + b"]" * 5000 + b"}", 422),
    ],
)
def test_a_malformed_body_is_refused_in_one_line(server, body, status):
    answer = server.post("/api/runs", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"version", "error"}
    assert "\n" not in answer.json()["error"]
    assert len(answer.json()["error"]) <= 500


def test_a_long_body_is_refused_before_it_is_read():
    with client(limits=Limits(body=1000, letters=100)) as server:
        told = {"model": "shakespeare", "text": "a" * 2000}
        assert server.post("/api/runs", json=told).status_code == 413

        def pieces():  # without a length that says so
            for _ in range(100):
                yield b" " * 100

        answer = server.post("/api/runs", content=pieces(), headers={"content-type": "application/json"})
        assert answer.status_code == 413
        assert server.post("/api/runs", json={**told, "text": "a" * 200}).status_code == 400


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "1e3", "99999999999999999999", "", "0x1", "1;2"])
def test_a_number_that_is_none_is_refused(server, number):
    where = f"/api/runs/{run(server, text='a', max_new_tokens=1)['id']}"
    for path in ("tile?level=0&row=0&column=0&head=", "row?row=0&head=", "pair?row=0&column=0&head=", "links?heads="):
        answer = server.get(f"{where}/{path}{number}&layer=decoder.0.self")
        assert answer.status_code in (400, 422), answer.text
        assert answer.json().keys() == {"version", "error"}


def test_another_address_needs_a_token():
    for host in ("0.0.0.0", "192.168.1.2", "::", "example.org"):
        with pytest.raises(RegardError, match="choose a --token"):
            ServerAddress(host)
    assert ServerAddress("127.0.0.2").is_loopback
    assert ServerAddress("0.0.0.0", token="x").token == "x"


def test_a_token_is_asked_for_and_remembered():
    with client(address=ServerAddress("0.0.0.0", 80, "se cret")) as server:
        assert server.get("/health").status_code == 401
        assert server.get("/?token=wrong").status_code == 401
        assert server.get("/health?token=se%20cret").status_code == 401  # only the page's address carries it
        assert server.get("/health", headers={"authorization": "Bearer se cret"}).status_code == 200
        assert (
            server.get("/health", headers={"host": "evil.example", "authorization": "Bearer se cret"}).status_code
            == 421
        )
        opened = server.get("/?token=se%20cret")
        assert opened.status_code == 200
        assert "HttpOnly" in opened.headers["set-cookie"]
        assert "SameSite=Strict" in opened.headers["set-cookie"]
        assert server.get("/health").status_code == 200  # the cookie


def test_openapi_tells_of_every_route(server):
    told = server.get("/openapi.json").json()
    assert "/api/runs/{name}/tile" in told["paths"]
    assert json.dumps(told).count("NaN") == 0
