import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from regard.architectures import diagram_of
from regard.architectures.inside import block_diagram
from regard.cli.draw import draw
from regard.errors import RegardError
from regard.families import preset

ROOT = Path(__file__).parents[2]


def run(*arguments):
    ran = CliRunner().invoke(draw, arguments)
    if isinstance(ran.exception, RegardError):
        raise ran.exception
    return ran


def test_a_model_is_drawn_in_the_terminal():
    assert run("transformer-base").output == diagram_of(preset("transformer-base"), "transformer-base").draw(width=80)


def test_a_block_is_drawn_large():
    expected = block_diagram(preset("transformer-base"), "encoder.2", "transformer-base").draw(width=80)
    assert run("transformer-base", "--block", "encoder.2").output == expected


def test_standard_output_is_svg():
    assert ElementTree.fromstring(run("bert-base", "-o", "-").output).tag.endswith("svg")


def test_a_file_has_links_where_they_are_asked_for(tmp_path):
    for arguments, expected in (([], None), (["--links"], "./src/"), (["--links", "../.."], "../../src/")):
        run("gpt2", "-o", str(tmp_path / "a.svg"), *arguments)
        text = (tmp_path / "a.svg").read_text()
        assert ("<a href=" in text) == (expected is not None)
        assert expected is None or f'href="{expected}' in text


def test_a_diagram_is_data():
    data = json.loads(run("babi", "--json").output)
    assert data["parameters"] == 45000
    assert data["part"]["type"] == "row"


def test_words_are_as_many_as_are_asked_for():
    assert "1,234 × 768" in run("gpt2", "--vocabulary", "1234").output


@pytest.mark.parametrize("arguments", [[], ["gpt2", "--json", "-o", "a.svg"], ["gpt2", "--width", "0"]])
def test_wrong_usage_is_told(arguments):
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gpt3"], "did you mean 'gpt2'"),
        (["gpt2", "--block", "99"], r"--block 99: decoder\.0 to decoder\.11 expected"),
        (["babi", "--block", "0"], "has no blocks"),
        (["gpt2", "-o", "a.bmp"], "unknown ending"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(arguments, message):
    with pytest.raises(RegardError, match=message) as caught:
        run(*arguments)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        ["transformer-base", "-o", "a.svg"],
        ["en-de", "--block", "decoder.0", "-o", "a.html"],
        ["babi", "--json"],
        ["shakespeare"],
        [str(ROOT / "recipes/shakespeare-xl.toml"), "--vocabulary", "65", "-o", "a.png"],
        [str(ROOT / "recipes/multi30k-alignment.toml")],
    ],
    ids=str,
)
def test_drawing_does_not_import_torch(arguments, tmp_path):
    (tmp_path / "torch.py").write_text("raise SystemExit('torch was imported')\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-m", "regard", "draw", *arguments]
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert ran.stdout or list(tmp_path.glob("a.*"))
