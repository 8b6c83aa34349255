"""docs/architectures.md: its table of hyperparameters is that of the presets."""

import re
from pathlib import Path

import pytest

from regard.families import preset

PAGE = (Path(__file__).parents[2] / "docs" / "architectures.md").read_text(encoding="utf-8")
ROWS = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in re.findall(r"^\|(.*)\|(.*)\|(.*)\|$", PAGE, re.M)}


def cells(start):
    return next(row for name, row in ROWS.items() if name.startswith(start))


@pytest.mark.parametrize(("column", "name"), list(enumerate(["transformer-base", "transformer-big"])))
def test_the_table_of_the_paper_is_that_of_the_presets(column, name):
    config = preset(name)
    for side in (config.encoder, config.decoder):
        stack = side.stack
        split = stack.attention.split(stack.width)
        expected = {
            "layers": stack.layers,
            "width": stack.width,
            "feed-forward": stack.feed_forward.width,
            "heads": split.heads,
            "*d*<sub>k</sub>": split.width,
            "dropout": stack.dropout,
        }
        assert {key: float(cells(key)[column]) for key in expected} == expected
        assert split.value_width == split.width
        assert not stack.pre_norm
        assert stack.feed_forward.activation == "relu"


def test_bert_is_as_published():
    for name, heads, wide in (("bert-base", 12, 3072), ("bert-large", 16, 4096)):
        side = preset(name).encoder
        split = side.stack.attention.split(side.stack.width)
        assert (split.heads, split.width, side.stack.feed_forward.width) == (heads, 64, wide)
        assert side.stack.feed_forward.activation == "gelu"
        assert (side.position.kind, side.position.settings["length"], side.embedding.segments) == ("learned", 512, 2)
