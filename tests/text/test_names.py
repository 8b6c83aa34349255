"""To read files and texts takes no torch."""

import subprocess
import sys


def test_reading_files_and_learning_words_takes_no_torch():
    code = "import sys, regard.text as t; t.check_files, t.pairs, t.train_tokenizer; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
