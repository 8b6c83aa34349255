"""What a report of a fault needs. Also tests: cli/doctor.py."""

import json
import platform
import subprocess
import sys
from importlib import metadata

import pytest
from click.testing import CliRunner

import regard
from regard.cli.main import regard as command
from regard.diagnosis import diagnose, engine

WITHOUT_TORCH = """
import sys
from regard.cli.main import main
sys.argv = ["regard", "doctor", "--json"]
try:
    main()
except SystemExit:
    print("torch" in sys.modules)
"""


def test_versions_are_those_that_are_installed():
    report = diagnose()
    assert report["regard"] == regard.__version__
    assert report["packages"]["torch"] == metadata.version("torch")
    assert platform.python_version() in report["python"]
    assert report["models"]["en-de"] == "ok"
    assert report["processor"]["threads"] >= 1


def test_the_library_is_the_one_that_serves():
    from regard.engine.library import VERSION, library

    loaded = library(wait=True)
    if loaded is None:
        pytest.skip("no engine here: nothing to compare with")
    report = engine()
    assert report["library"] == str(loaded.path)
    assert (report["version"], report["problem"]) == (VERSION, "")


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"REGARD_ENGINE": "off"}, "REGARD_ENGINE=off"),
        ({"REGARD_ENGINE_LIBRARY": "/no/such/library.so"}, "REGARD_ENGINE_LIBRARY=/no/such/library.so: no such file"),
        ({"CXX": "no-such-compiler", "REGARD_CACHE": "{empty}"}, "no C++ compiler: CXX=no-such-compiler is not there"),
        ({"REGARD_CACHE": "{empty}"}, "it is not built yet"),
    ],
)
def test_why_there_is_none_is_said(monkeypatch, tmp_path, variables, line):
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(empty=tmp_path / "empty"))
    report = engine()
    if report["origin"] == "wheel":
        pytest.skip("the wheel has a library: nothing has to be built")
    assert report["library"] is None
    assert report["problem"].startswith(line)
    assert not list(tmp_path.rglob("*.so"))


def test_a_file_that_is_no_library_is_a_line(monkeypatch, tmp_path):
    (tmp_path / "a.so").write_bytes(b"no library")
    monkeypatch.setenv("REGARD_ENGINE_LIBRARY", str(tmp_path / "a.so"))
    report = engine()
    assert report["version"] is None
    assert report["problem"]


def test_nobody_waits_for_torch():
    ran = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True)
    report, has_torch = ran.stdout.splitlines()
    assert json.loads(report)["regard"] == regard.__version__
    assert has_torch == "False"


def test_people_are_told_the_same():
    ran = CliRunner().invoke(command, ["doctor"])
    assert ran.exit_code == 0
    assert f"regard       {regard.__version__}" in ran.output
    assert "engine:" in ran.output


def test_a_cache_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none" / "hub"))
    assert diagnose()["caches"]["Hugging Face"] == str(tmp_path / "none" / "hub")
    monkeypatch.setattr("os.access", lambda folder, how: folder != tmp_path)
    assert diagnose()["caches"]["Hugging Face"] == f"{tmp_path / 'none' / 'hub'} (cannot be written)"
