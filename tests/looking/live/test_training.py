"""Live models while they learn: dropout, gradients and checkpoints are what they are unwatched."""

import pytest
import torch
from looking.live.families import MAIN, build, model_of
from looking.live.runs import inputs
from looking.live.settings import Setting

import regard

SETTING = Setting("left", "no cache", "sdpa", "all", "forward")


def gradients(model, given, watched, checkpointing=False, **how):
    """The gradients of a loss, with the same dropout each time."""
    torch.manual_seed(3)
    model.zero_grad()
    if watched:
        with regard.watch(model, **how) as seen:
            output = model(**given, use_cache=False).logits
            if checkpointing:  # layers run again while gradients are taken, under the eyes of the same watch
                output.square().mean().backward()
    else:
        seen, output = None, model(**given, use_cache=False).logits
    if not (watched and checkpointing):
        output.square().mean().backward()
    grads = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    return output.detach(), grads, seen


DROPOUT = dict.fromkeys(
    (
        *("attention_dropout", "attn_pdrop", "resid_pdrop", "dropout", "dropout_rate", "hidden_dropout_prob"),
        "attention_probs_dropout_prob",
    ),
    0.3,
)


def in_training(name, implementation):
    """A model in train mode, with as much dropout as its config has names for."""
    family = MAIN[name]
    fields = model_of(name, implementation).config.to_dict()
    model = build(family, implementation, **{key: value for key, value in DROPOUT.items() if key in fields})
    return model.train()


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
@pytest.mark.parametrize("name", MAIN)
def test_in_train_mode_the_same_seed_gives_the_same_bits_and_gradients(name, implementation):
    model, given = in_training(name, implementation), inputs(MAIN[name], SETTING)
    plain, wanted, _ = gradients(model, given, watched=False)
    other, _, _ = gradients(model.eval(), given, watched=False)
    assert not torch.equal(plain, other)  # dropout is at work
    watched, found, seen = gradients(model.train(), given, watched=True)
    assert torch.equal(watched, plain)
    assert found.keys() == wanted.keys()
    for parameter, gradient in wanted.items():
        assert torch.equal(found[parameter], gradient), parameter
    assert all(len(seen.all(layer)) == 1 for layer in seen)


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("name", ["llama", "bert", "t5"])
def test_with_gradient_checkpointing_gradients_are_equal_and_calls_are_seen_once(name, reentrant):
    model, given = in_training(name, "sdpa"), inputs(MAIN[name], SETTING)
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": reentrant})
    plain, wanted, _ = gradients(model, given, watched=False)
    watched, found, seen = gradients(model, given, watched=True, checkpointing=True)
    assert torch.equal(watched, plain)
    for parameter, gradient in wanted.items():
        assert torch.equal(found[parameter], gradient), parameter
    assert len(seen) > 0
    assert all(len(seen.all(layer)) == 1 for layer in seen)
