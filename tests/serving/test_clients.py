"""Eight clients that other people wrote, unmodified, against a service that runs.

They are no part of our own environment: REGARD_CLIENTS names a folder that has them.

    python -m venv clients
    clients/bin/pip install libretranslatepy deepl deep-translator openai litellm langchain-openai
    npm install --prefix clients openai deepl-node
    REGARD_CLIENTS=clients python -m pytest -m proof tests/serving/test_clients.py
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from serving.running import running
from serving.small import task

import regard

pytestmark = pytest.mark.proof
CLIENTS = Path(__file__).parent / "clients"
KEY = "a-key-for-the-clients"
EMBEDDING = "embedding"


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    keys = tmp_path_factory.mktemp("keys") / "keys.txt"
    keys.write_text(f"{KEY}\n")
    models = [word for name in ("en-de", "de-en", "shakespeare") for word in ("-m", name)]
    with running("--key-file", str(keys), *models) as service:
        yield service.base


def run_client(base: str, script: str, package: str) -> dict:
    """What a client's program prints; skipped where the client is not installed."""
    folder = os.environ.get("REGARD_CLIENTS")
    if folder is None:
        pytest.skip(f"{package} is asked for where REGARD_CLIENTS names a folder that has it")
    home = Path(folder).resolve()
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "127.0.0.1"}
    environment.pop("PYTHONPATH", None)
    if script.endswith(".mjs"):
        node, modules = shutil.which("node"), home / "node_modules"
        if node is None or not (modules / package).is_dir():
            pytest.skip(f"{modules} has no {package}, or there is no node")
        program = modules.parent / script  # a module finds packages beside itself
        shutil.copyfile(CLIENTS / script, program)
        command = [node, str(program)]
    else:
        python = home / "bin" / "python"
        found = subprocess.run([python, "-c", f"import {package}"], capture_output=True, check=False)
        if found.returncode:
            pytest.skip(f"{python} has no {package}")
        command = [str(python), str(CLIENTS / script)]
    done = subprocess.run(
        [*command, base, KEY], capture_output=True, text=True, timeout=300, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def expected() -> dict:
    """What the library itself answers."""
    translate, write = task("en-de"), task("shakespeare")
    text = write("To be, or not to be", max_new_tokens=10, sample=False)
    embed = regard.tasks.EmbedTask(write.checkpoint, write.tokenizer)
    return {
        "translation": translate("Where is the station?").text,
        "batch": [one.text for one in translate(["I am tired.", "Yes."])],
        "tags": translate("Where is <b>the station</b>?", markup="html").text,
        "detected": "de",
        "chat": translate("I am tired.").text,
        "chat stream": translate("I am tired.").text,
        "completion": text.text,
        "stream": text.text,
        "models": ["de-en", "en-de", "shakespeare"],
        "languages": ["de", "en"],
        "logprobs": len(text.ids),
        "choices": 3,
        "attention": 1.0,  # the first token has nobody but itself
        "entries": {"station": "Hauptbahnhof"},
        "glossaries": ["trains"],
        "sources": ["DE", "EN"],
        "targets": ["DE", "EN"],
        "usage": True,
        EMBEDDING: embed("My lord").vector,
    }


@pytest.mark.parametrize(
    ("script", "package"),
    [
        ("libretranslatepy_client.py", "libretranslatepy"),
        ("deep_translator_client.py", "deep_translator"),
        ("deepl_client.py", "deepl"),
        ("openai_client.py", "openai"),
        ("litellm_client.py", "litellm"),
        ("langchain_client.py", "langchain_openai"),
        ("openai_client.mjs", "openai"),
        ("deepl_client.mjs", "deepl-node"),
    ],
)
def test_an_unmodified_client_gets_what_the_library_says(base, script, package):
    answers, known = run_client(base, script, package), expected()
    if "with glossary" in answers:
        assert "Hauptbahnhof" in answers.pop("with glossary")
    if "error" in answers:
        error = answers.pop("error")
        assert "not supported" in error or "no model 'nothing' here" in error
    for name, answer in answers.items():
        if name == EMBEDDING:
            np.testing.assert_allclose(answer, known[name], atol=1e-5)
        elif name == "targets":
            assert [code.upper() for code in answer] == known[name]
        else:
            assert answer == pytest.approx(known[name]) if isinstance(answer, float) else answer == known[name], name
