"""The command as a program of its own. Also tests: cli/serve.py."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import pytest
from browsing import free
from serving.running import running
from serving.small import task

from regard.errors import RegardError
from regard.looking.layer_names import LayerNames
from regard.serving.launcher import ServiceOptions, serve


def ask(url, text):
    body = json.dumps({"q": text, "source": "en", "target": "de"}).encode()
    request = urllib.request.Request(f"{url}translate", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)["translatedText"]


def test_a_service_that_is_told_to_stop_finishes_what_it_began():
    command = [
        sys.executable,
        "-m",
        "regard",
        "serve",
        "--json",
        "-m",
        "en-de",
        "--threads",
        "1",
        "--port",
        str(free()),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        started = json.loads(server.stdout.readline())
        assert started["models"] == ["en-de"]
        assert ask(started["url"], "Yes.")
        log = json.loads(server.stderr.readline())
        assert (log["route"], log["status"]) == ("/translate", 200)
        texts = [f"I have {number} apples, and she has {number + 1}." for number in range(60)]
        answers = []
        asking = threading.Thread(target=lambda: answers.extend(ask(started["url"], texts)))
        asking.start()
        threading.Event().wait(0.5)  # under way
        server.send_signal(signal.SIGTERM)
        asking.join(60)
        assert len(answers) == len(texts)
        assert server.wait(60) == 0
        assert "Traceback" not in server.stderr.read()


def post(base, path, fields):
    request = urllib.request.Request(base + path, json.dumps(fields).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as problem:
        return problem.code, json.load(problem)["error"]


def test_without_torch_all_but_vectors_edits_and_weights_of_layers_is_answered(tmp_path, monkeypatch):
    translation = task("en-de")("Where is the station?")
    known = task("shakespeare")("My lord", max_new_tokens=5, sample=False).text
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('none', name='torch')\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    fields = {"q": "Where is the station?", "source": "en", "target": "de"}
    with running("-m", "en-de", "-m", "shakespeare") as service:
        _, answer = post(service.base, "/translate", {**fields, "attention": {"alignment": True}})  # as the page asks
        assert answer["translatedText"] == translation.text
        assert answer["attention"]["alignment"]["pharaoh"] == translation.alignment.pharaoh
        assert answer["attention"]["layers"] == list(LayerNames(task("en-de").model).layers)
        prompt = {"model": "shakespeare", "prompt": "My lord", "max_tokens": 5, "temperature": 0}
        _, answer = post(service.base, "/v1/completions", {**prompt, "attention": {}})
        assert answer["choices"][0]["text"] == known
        for path, more in (
            ("/translate", {**fields, "attention": {"layer": "decoder.0.cross"}}),
            ("/translate", {**fields, "edits": [{"kind": "hide", "source": [0]}]}),
            ("/v1/embeddings", {"model": "shakespeare", "input": "My lord"}),
        ):
            status, error = post(service.base, path, more)
            line = error if isinstance(error, str) else error["message"]
            assert (status, line[:26]) == (400, "PyTorch is not installed, "), (path, line)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (ServiceOptions(host="0.0.0.0"), "0.0.0.0 can be reached by others: write keys"),
        (ServiceOptions(models=("no-such-model",)), "no model 'no-such-model' here"),
        (ServiceOptions(key_file="no-such-file"), "no-such-file: keys cannot be read"),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_is_opened(options, line):
    with pytest.raises(RegardError, match=line):
        serve(options, lambda url, models: None)


def test_a_port_that_is_taken_is_one_line():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(RegardError, match="cannot be listened on"):
            serve(ServiceOptions(port=taken.getsockname()[1]), lambda url, models: None)


def test_a_model_that_no_protocol_serves_is_refused():
    with pytest.raises(RegardError, match="babi: a model that can answer has no protocol here"):
        serve(ServiceOptions(models=("babi",), port=free()), lambda url, models: None)
