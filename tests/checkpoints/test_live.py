"""A live model read in memory is the model that its saved folder gives, and shares its weights where it can."""

import warnings

import pytest
import torch
from looking.families import answers, made
from torch import nn

from regard.checkpoints import CheckpointError, load_model, save_model
from regard.checkpoints.live import live_checkpoint
from regard.families import EXAMPLES

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
KNOWN = set(dir(transformers))
FAMILIES = [kind for kind, example in EXAMPLES.items() if example().architecture in KNOWN]
WHOLE = ("gpt2", "openai-gpt")  # matrices on their side, query, key and value in one: nothing is copied


def live_model(kind, folder):
    """A small live model of a family, from weights that we drew and saved."""
    model, entries, architecture = made(kind)
    save_model(model, folder, {**entries, "pad_token_id": 0}, architecture)
    with warnings.catch_warnings():  # as transformers compiles its DeBERTa
        warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", DeprecationWarning)
        return getattr(transformers, architecture).from_pretrained(folder).eval()


@pytest.mark.parametrize("kind", FAMILIES)
def test_a_live_model_is_what_its_folder_gives_and_shares_what_is_one_tensor_on_both_sides(kind, tmp_path):
    live = live_model(kind, tmp_path)
    own, folder = live_checkpoint(live), load_model(tmp_path)
    assert own.architecture == folder.architecture
    assert not own.model.training
    assert torch.equal(answers(own.model), answers(folder.model))
    expected = dict(folder.model.named_parameters())
    parameters = dict(own.model.named_parameters())
    for name, parameter in parameters.items():
        assert name == "output.bias" or torch.equal(parameter, expected[name])  # a bias of zeros is in no file
    theirs = {tensor.untyped_storage().data_ptr() for tensor in live.state_dict().values()}
    shared = [name for name, tensor in parameters.items() if tensor.untyped_storage().data_ptr() in theirs]
    assert any("narrow" in name for name in shared) or kind == "mixtral"  # its experts are one tensor there
    assert any("embedding" in name for name in shared) or kind == "vit"
    assert len(shared) == len(parameters) or kind not in WHOLE


def test_a_weight_that_is_shared_changes_with_the_live_model(tmp_path):
    live = live_model("gpt2", tmp_path)
    own = live_checkpoint(live).model
    before = answers(own)
    with torch.no_grad():
        live.transformer.h[0].attn.c_attn.weight.mul_(2)
    assert not torch.equal(answers(own), before)
    assert torch.equal(answers(own), answers(live_checkpoint(live).model))


def test_what_is_no_known_model_is_told_in_one_line():
    with pytest.raises(CheckpointError, match=r"^Linear is no model of transformers"):
        live_checkpoint(nn.Linear(2, 2))
    config = transformers.GPTJConfig(vocab_size=40, n_embd=16, n_layer=1, n_head=2, rotary_dim=4)
    with pytest.raises(
        CheckpointError, match=r"^GPTJForCausalLM: model_type = 'gptj' is not supported, only"
    ) as problem:
        live_checkpoint(transformers.GPTJForCausalLM(config))
    assert "\n" not in str(problem.value)
