"""recipes/long.py: the start of a decoder for long texts, and whether it reads as well far in as near the beginning."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from builtin.shipped import folder
from click.testing import CliRunner
from shared import unpacked
from torch.testing import assert_close

import regard
from regard.checkpoints import load_model
from regard.config import PositionConfig
from regard.models import build

HOME = Path(__file__).parents[2] / "recipes"
_spec = importlib.util.spec_from_file_location("long", HOME / "long.py")
long = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(long)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    where = tmp_path_factory.mktemp("start") / "model"
    answer = CliRunner().invoke(long.main, ["start", "shakespeare", str(where)], catch_exceptions=False)
    assert answer.exit_code == 0
    return where


def test_the_start_has_the_weights_of_the_other_and_reads_far(start):
    model, other = load_model(start).model, load_model(folder("shakespeare")).model
    weights = other.state_dict()
    assert all(torch.equal(weight, weights[name]) for name, weight in model.state_dict().items())
    assert regard.load(start).max_length == long.MAX_POSITIONS
    with torch.no_grad():
        assert model.hidden(torch.zeros(1, 300, dtype=torch.long)).isfinite().all()  # the other one has 256 positions


def test_pieces_and_the_whole_score_the_same_tokens_the_same_where_windows_are_all_that_is_seen():
    config = load_model(folder("shakespeare")).model.config
    side = replace(config.decoder, position=PositionConfig("rotary", {"head_width": 32}))
    side = replace(side, stack=replace(side.stack, layers=2, window=8))
    torch.manual_seed(0)
    model = build(replace(config, decoder=side)).eval()
    ids = torch.randint(0, 1000, (200,))
    near, far = long.near_and_far(model, ids, near=(20, 30), far=(100, 165))
    assert len(near) == len(far) == 65
    assert_close(near, far, atol=1e-4, rtol=1e-4)
    logits = model(ids[None, :-1])[0].log_softmax(-1) / -torch.tensor(2.0).log()
    assert_close(far, logits[99:164].gather(1, ids[100:165, None])[:, 0].double(), atol=1e-4, rtol=1e-4)


@pytest.mark.proof
def test_the_built_in_reads_as_well_after_many_tokens_as_after_few():
    folder("shakespeare-long")
    text = unpacked("tinyshakespeare/input.txt.xz")
    bits = long.score_text("shakespeare-long", text[-len(text) // 10 :])
    assert bits.far <= bits.near
