"""`regard models`, `regard convert --to`, and what is said where there is no such model.

Also tests: tasks/caches.py.
"""

import json

import pytest
from checkpoints.export.small import TEXTS, learned
from click.testing import CliRunner
from tasks.tiny import gpt2

import regard
from regard.checkpoints import CheckpointError
from regard.checkpoints.export import FORMATS
from regard.cli import convert
from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.tasks import find


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a training run: its model is beside its caches."""
    return learned(tmp_path_factory.mktemp("runs") / "made", "train.steps=1").parent


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An install with one built-in model and caches of its own, without a network."""
    gpt2(tmp_path / "builtin" / "poet")
    (tmp_path / "builtin" / "poet" / "README.md").write_text("---\nlicense: mit\n---\n")
    monkeypatch.setattr(find, "BUILTIN", tmp_path / "builtin")
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(find, "cached_models", dict)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, text=None):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=text)


def test_models_lists_what_is_built_in(home):
    (found,) = json.loads(run("models", "--json").output)
    assert (found["name"], found["where"], found["task"]) == ("poet", "built in", "generate")
    assert (found["licence"], found["scores"]) == ("mit", {})
    shown = run("models").output.split("\n")
    assert shown[1].split() == ["poet", "built", "in", "generate", "GPT2LMHeadModel", f"{found['parameters']:,}", "0.1", "MB", "mit", "-"]  # fmt: skip # noqa: E501


def test_clear_removes_caches_and_only_them(home):
    (home / "cache" / "engine").mkdir(parents=True)
    (home / "cache" / "engine" / "library.so").write_bytes(b"x" * 2_000_000)
    (home / "cache" / "packed").mkdir()
    (home / "cache" / "packed" / "0123.packed").write_bytes(b"x" * 3_000_000)
    (home / "cache" / "mine").write_text("keep")
    refused = run("models", "--clear")
    assert refused.exit_code == 2
    assert "add --yes" in refused.output
    assert (home / "cache" / "engine" / "library.so").exists()
    assert run("models", "--clear", "--yes").output.splitlines() == [
        f"removed engine builds: 2.0 MB in {home / 'cache' / 'engine'}",
        f"removed packed models: 3.0 MB in {home / 'cache' / 'packed'}",
    ]
    assert not (home / "cache" / "engine").exists()
    assert not (home / "cache" / "packed").exists()
    assert (home / "cache" / "mine").exists()
    assert run("models", "--clear", "--yes").output == "no caches\n"


def test_clear_removes_the_caches_of_runs_in_a_folder(home, made):
    (made.parent / "cache").mkdir()
    (made.parent / "cache" / "letters.txt").write_text("not ours")
    (found,) = json.loads(run("models", "--clear", "--yes", "--json", made.parent).output)
    assert (found["what"], found["path"]) == ("texts as numbers", str(made / "cache"))
    assert found["size"] > 1000
    assert not (made / "cache").exists()
    assert (made / "model").exists()
    assert (made.parent / "cache" / "letters.txt").exists()
    with pytest.raises(CheckpointError, match="nowhere: no such folder"):
        raise run("models", "--clear", "--yes", "nowhere").exception


def test_the_formats_of_the_command_are_those_of_the_library():
    assert list(FORMATS) == convert.FORMATS


def test_convert_takes_a_name_and_says_where_it_wrote(home, made):
    folder = made / "model"
    (home / "builtin" / "turned").symlink_to(folder)
    assert run("convert", "turned", "--to", "marian").output == "wrote turned-marian\n"
    given = json.loads(run("convert", "turned", "given", "--to", "marian", "--json").output)
    assert given == {"folder": "given"}
    texts = [regard.load(path)(TEXTS, beam=2, max_new_tokens=5)[1].text for path in (folder, "turned-marian", "given")]
    assert len(set(texts)) == 1
    assert run("convert", "turned", "--to", "marian", "--allow-pickle").exit_code == 2
    assert run("convert", "turned", "--to", "keras").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["generate", "-m", "poem", "x"],
            r"poem: no such folder, .*; did you mean 'poet'\? built in: poet; cached: nothing",
        ),
        (["translate", "x"], r"en-de: no such folder, and not to be had .*built in: poet"),
        (["generate", "-m", "./none", "x"], r"./none: no such folder; .*built in: poet"),
        (["translate", "-m", "poet", "x"], r"GPT2LMHeadModel cannot translate; it can generate"),
        (["generate", "-m", "poet", "--input", "none.txt"], r"none.txt: cannot be read: No such file or directory"),
        (["convert", "poem", "--to", "onnx"], r"did you mean 'poet'"),
        (["evaluate", "poet", "none.txt"], r"none.txt"),
    ],
)
def test_what_is_missing_is_one_line_with_what_exists(home, arguments, message):
    problem = run(*arguments).exception
    assert isinstance(problem, RegardError)
    assert "\n" not in str(problem)
    with pytest.raises(RegardError, match=message):
        raise problem


def test_binary_input_is_one_line_that_names_its_line(home):
    (home / "picture.png").write_bytes(b"fine\n\x89PNG\r\n\x1a\n\xff\xfe")
    problem = run("generate", "-m", "poet", "--input", "picture.png").exception
    assert str(problem) == "picture.png:2: not UTF-8"
