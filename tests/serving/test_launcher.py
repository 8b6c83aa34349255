"""The command as a program of its own. Also tests: cli/serve.py."""

import json
import signal
import subprocess
import sys
import threading
import urllib.request

import pytest
from browsing import free

from regard.errors import RegardError
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
