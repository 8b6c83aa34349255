"""The names of regard.text come from where they say, and are no modules."""

import subprocess
import sys
from pathlib import Path

import pytest

import regard.text


def test_every_name_is_there_and_hides_no_module():
    modules = {path.stem for path in Path(regard.text.__file__).parent.glob("*.py")}
    assert set(regard.text.__all__) == set(regard.text._PUBLIC)
    assert not modules & set(regard.text.__all__)
    for name in regard.text.__all__:
        assert getattr(regard.text, name) is not None
    assert set(regard.text.__all__) <= set(dir(regard.text))
    with pytest.raises(AttributeError, match=r"module 'regard.text' has no attribute 'token'"):
        _ = regard.text.token


def test_reading_files_and_learning_words_takes_no_torch():
    code = "import sys, regard.text as t; t.check_files, t.pairs, t.train_tokenizer; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
