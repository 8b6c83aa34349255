"""LoRA without adapters: the weights move as those of a model with two narrow matrices beside each."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from training.tiny import tiny
from training.watching import Interrupting, Quiet

from regard.checkpoints import load_model
from regard.errors import RecipeError
from regard.training import Stopped, train
from regard.training.optimisation.low_rank import LowRankAdam
from regard.training.optimisation.muon import is_matrix

RANK, ALPHA, RATE = 3, 6.0, 0.02


def test_a_weight_moves_as_with_adapters_of_its_own():
    torch.manual_seed(0)
    weight = nn.Parameter(torch.randn(8, 6))
    optimiser = LowRankAdam([{"params": [weight]}], RATE, rank=RANK, alpha=ALPHA)
    base, state = weight.detach().clone(), optimiser.state[weight]
    down, up = (nn.Parameter(state[name].clone()) for name in ("down", "up"))
    plain = torch.optim.Adam([down, up], lr=RATE, betas=(0.9, 0.98), eps=1e-9)
    for _ in range(5):
        x, y = torch.randn(20, 6), torch.randn(20, 8)
        for one, moved in ((optimiser, weight), (plain, base + ALPHA / RANK * up @ down)):
            one.zero_grad()
            F.mse_loss(x @ moved.T, y).backward()
        optimiser.step()
        plain.step()
        torch.testing.assert_close(weight, base + ALPHA / RANK * up @ down, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(weight, base, atol=1e-2)


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    return train(tiny(tmp_path_factory.mktemp("start"), "train.steps=2"), reporting=Quiet())


def recipe(folder, start):
    return tiny(folder, f"start={start}", "train.lora_rank=2", "train.metric=loss")


def test_only_matrices_learn_and_by_no_more_than_the_rank(start, tmp_path):
    before, after = (load_model(folder).model for folder in (start, train(recipe(tmp_path, start), reporting=Quiet())))
    changes = {name: weight - dict(before.named_parameters())[name] for name, weight in after.named_parameters()}
    moved = {name for name, change in changes.items() if change.abs().max() > 0}
    assert moved == {name for name, weight in after.named_parameters() if is_matrix(weight)}
    for name in moved:
        sizes = torch.linalg.svdvals(changes[name].detach())
        assert sizes[2:].max() < 1e-4 * sizes[0], name


def test_a_run_that_was_stopped_ends_as_if_it_was_not(start, tmp_path):
    (tmp_path / "whole").mkdir()
    (tmp_path / "stopped").mkdir()
    whole = train(recipe(tmp_path / "whole", start), reporting=Quiet())
    with pytest.raises(Stopped):
        train(recipe(tmp_path / "stopped", start), reporting=Interrupting(5))
    stopped = train(recipe(tmp_path / "stopped", start), reporting=Quiet())
    assert (stopped / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_other_optimisers_do_not_learn_it(tmp_path):
    with pytest.raises(RecipeError, match=r"train\.lora_rank: learned by Adam, got train\.optimiser = 'muon'"):
        tiny(tmp_path, "train.lora_rank=2", "train.optimiser=muon")
