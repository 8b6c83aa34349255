"""examples/first_look.py, at a length that takes no time."""

import importlib.util
import re
from pathlib import Path

_spec = importlib.util.spec_from_file_location("first_look", Path(__file__).parents[2] / "examples" / "first_look.py")
first_look = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(first_look)


def test_what_the_demonstration_claims_is_so(capsys, monkeypatch):
    monkeypatch.setattr(first_look, "LENGTH", 2048)
    monkeypatch.setattr(first_look, "LAYERS", 2)
    first_look.main()
    told = capsys.readouterr().out
    assert "same output, to the bit: True" in told
    assert "the model is as before: True" in told
    assert float(re.search(r"softmax in float64: (\S+)", told).group(1)) < 1e-5
    found = re.findall(r"^  0\.\d{4}  word .* (\S+)$", told, re.MULTILINE)
    assert found == ["Derivative"] * 5  # like finds like
