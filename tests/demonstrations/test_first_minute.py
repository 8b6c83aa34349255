"""`make demo`: what the README shows is what it prints, without a network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from regard.tasks.find import builtin

ROOT = Path(__file__).parents[2]


def test_the_readme_shows_what_the_demo_prints():
    if missing := {"en-de", "shakespeare"} - builtin().keys():
        pytest.skip(f"not built in: {', '.join(sorted(missing))}")
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    command = [sys.executable, ROOT / "examples" / "first_minute.py"]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    shown = re.search(r"^```\n(\$ regard .*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert shown, "README.md has no block that begins with $ regard"
    trimmed = [[line.rstrip() for line in text.strip().split("\n")] for text in (shown.group(1), ran.stdout)]
    assert trimmed[0] == trimmed[1]
