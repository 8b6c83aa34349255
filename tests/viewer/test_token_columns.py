"""What a page shows of tokens. Columns of whole runs are looked at in test_task_runs.py and test_server.py."""

from tasks.tiny import gpt2

import regard
from regard.viewer.token_columns import added_texts, join_columns, option_texts, start_column, text_column


def test_half_a_letter_is_named_by_its_byte(tmp_path):
    gpt2(tmp_path / "bytes")
    task = regard.load(tmp_path / "bytes")
    half = task.tokenizer.encode("ü", bare=True).ids
    assert len(half) == 2
    assert option_texts([], half, task.tokenizer) == ["<0xC3>", "<0xBC>"]
    assert option_texts([half[0]], [half[1]], task.tokenizer) == ["ü"]
    assert added_texts([], [*half, *half], task.tokenizer) == ["", "ü", "", "ü"]


def test_a_stream_is_one_column_of_what_was_read_and_the_start(tmp_path):
    gpt2(tmp_path)
    tokenizer = regard.load(tmp_path).tokenizer
    read = text_column("text", ["a dog"], tokenizer.encode("a dog"), tokenizer)
    stream = join_columns(read, start_column("target", 5, tokenizer))
    assert (stream.name, stream.prefix_length, stream.ids) == ("text", 6, [*read.ids, 5])
    assert stream.special == [False] * 5 + [True]
    assert "".join(stream.texts[:5]) == "a dog"
