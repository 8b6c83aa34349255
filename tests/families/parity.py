"""Holds a model of ours equal to the reference that saved its weights: outputs, hidden states, weights, gradients."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

import regard
from regard.checkpoints import Checkpoint, CheckpointError, load_model, save_model
from regard.checkpoints.tensors import write_row
from regard.decoding import decode
from regard.families import family_of

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

BATCHES = [(1, "right"), (2, "left"), (2, "right"), (7, "left"), (7, "right")]
FEW = [(3, "left"), (3, "right")]
LENGTH = 9


def reference(model: nn.Module, folder: Path) -> nn.Module:
    """A reference with weights that are nowhere zero or one, saved to a folder; weights by its eager path."""
    model.eval()
    for part in model.modules():
        if isinstance(part, transformers.PreTrainedModel):  # an encoder-decoder passes this on to one side only
            part.set_attn_implementation("eager")
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in (parameter for parameter in model.parameters() if parameter.requires_grad):
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    model.save_pretrained(folder)
    return model


def padded(batch: int, side: str, vocabulary: int, length: int = LENGTH) -> tuple[Tensor, Tensor]:
    """Random tokens and which of them are real."""
    generator = torch.Generator().manual_seed(batch)
    tokens = torch.randint(3, vocabulary, (batch, length), generator=generator)
    lengths = torch.randint(2, length + 1, (batch,), generator=generator)
    lengths[0] = length
    columns = torch.arange(length)
    attention_mask = columns < lengths[:, None] if side == "right" else columns >= length - lengths[:, None]
    return tokens, attention_mask


def positions(attention_mask: Tensor) -> Tensor:
    """Positions that the reference has to be told where padding stands on the left."""
    return (attention_mask.long().cumsum(-1) - 1).clamp(min=0)


def same(found: Tensor, expected: Tensor, attention_mask: Tensor, tolerance: float) -> None:
    """Equal where tokens are real, by the largest difference."""
    difference = (found - expected)[attention_mask].abs().max().item()
    assert difference <= tolerance, f"differs by {difference:.2e}, allowed {tolerance:.0e}"


def stream(loaded: Checkpoint, seen: Any, side: str, layer: int) -> Tensor:
    """What a block put out; the reference tells its last hidden state after the final norm, if there is one."""
    stack = getattr(loaded.model, side).stack
    found = seen.stream(f"{side}.{layer}")
    return stack.norm(found) if layer == len(stack.blocks) - 1 and stack.norm is not None else found


def same_weights(pattern: regard.Pattern, expected: Tensor, attention_mask: Tensor, tolerance: float = 1e-6) -> None:
    """Attention weights equal for every real query."""
    found = pattern.weights().transpose(1, 2)[attention_mask]
    torch.testing.assert_close(found, expected.transpose(1, 2)[attention_mask], rtol=0, atol=tolerance)


def same_gradients(
    loaded: Checkpoint, model: nn.Module, found: Tensor, expected: Tensor, attention_mask: Tensor
) -> None:
    """Gradients of one loss, tensor by tensor, under the names of the reference."""
    targets = torch.randint(0, expected.shape[-1], expected.shape[:-1], generator=torch.Generator().manual_seed(3))
    model.zero_grad()
    loaded.model.zero_grad()
    chosen = attention_mask if expected.ndim == 3 else slice(None)
    F.cross_entropy(expected[chosen], targets[chosen]).backward()
    F.cross_entropy(found[chosen], targets[chosen]).backward()
    table = family_of(loaded.config, "").names(loaded.model.config, loaded.architecture)
    theirs = {name: parameter.grad for name, parameter in model.named_parameters(remove_duplicate=False)}
    ours = dict(loaded.model.named_parameters(remove_duplicate=False))
    compared = 0
    for row in table.rows:
        gradient = ours[row.name].grad
        if gradient is None:
            continue
        for name, part in write_row(row, gradient).items():
            other = theirs.get(name)
            if other is None:
                continue
            bound = 1e-4 * other.norm().clamp(min=1e-3)
            assert (part - other).norm() <= bound, f"the gradient of {name} differs by {(part - other).norm():.2e}"
            compared += 1
    assert compared > 0


def comes_back(loaded: Checkpoint, model: nn.Module, folder: Path) -> None:
    """Saved by us and loaded by the reference, every tensor is the same."""
    save_model(loaded.model, folder, loaded.config, loaded.architecture, spare=loaded.spare)
    again, report = type(model).from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    expected = model.state_dict()
    echoes = family_of(loaded.config, "").names(loaded.model.config, loaded.architecture).echoes
    for name, tensor in again.state_dict().items():
        assert name in echoes or torch.equal(tensor, expected[name]), name


def refused(model: nn.Module, folder: Path, option: dict[str, Any], tensor: str) -> None:
    """An option that is not supported, and a tensor too few and one too many, are named in one line."""
    reference(model, folder)
    told = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(told | option))
    with pytest.raises(CheckpointError, match=f"config.json: {next(iter(option))}.* not supported") as problem:
        load_model(folder)
    assert "\n" not in str(problem.value)
    (folder / "config.json").write_text(json.dumps(told | {"strange_option": 3}))
    with pytest.raises(CheckpointError, match=r"config.json: options that are not supported: strange_option$"):
        load_model(folder)
    (folder / "config.json").write_text(json.dumps(told))
    tensors = load_file(folder / "model.safetensors")
    tensors["stray.weight"] = tensors.pop(tensor)
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=f"missing {tensor}; unknown stray.weight$"):
        load_model(folder)


def encoder_parity(
    model: nn.Module,
    folder: Path,
    batches: list[tuple[int, str]] = BATCHES,
    *,
    logits: str = "logits",
    told: Any = None,
) -> None:
    """Everything, for a model that reads a text both ways. `told` gives further arguments: (reference's, ours)."""
    model = reference(model, folder)
    loaded = load_model(folder)
    layers = loaded.model.config.encoder.stack.layers
    for batch, side in batches:
        tokens, attention_mask = padded(batch, side, model.config.vocab_size)
        extra, ours = told(tokens, attention_mask) if told else ({}, {})
        expected = model(
            tokens, attention_mask=attention_mask.long(), output_attentions=True, output_hidden_states=True, **extra
        )
        with regard.watch(loaded.model) as seen:
            found = loaded.model(tokens, attention_mask=attention_mask, **ours)
        answer = expected[logits] if logits in expected else expected[0]
        for_text = answer.ndim == 2
        if not (for_text and side == "left"):  # there the reference reads its answer off the padding
            same(found, answer, torch.ones(batch, dtype=torch.bool) if for_text else attention_mask, 1e-5)
            same_gradients(loaded, model, found, answer, attention_mask)
        for layer in range(layers):
            same(stream(loaded, seen, "encoder", layer), expected.hidden_states[layer + 1], attention_mask, 1e-5)
            same_weights(seen[f"encoder.{layer}.self"], expected.attentions[layer], attention_mask)
    comes_back(loaded, model, folder / "again")


def decoder_parity(model: nn.Module, folder: Path, batches: list[tuple[int, str]] = BATCHES) -> None:
    """Everything, for a model that reads a text from left to right. Padding is token 0."""
    model = reference(model, folder)
    loaded = load_model(folder)
    stack = loaded.model.decoder.stack
    for batch, side in batches:
        tokens, attention_mask = padded(batch, side, model.config.vocab_size)
        tokens = tokens.where(attention_mask, 0)
        told = {"attention_mask": attention_mask.long(), "position_ids": positions(attention_mask)}
        expected = model(tokens, **told, output_attentions=True, output_hidden_states=True)
        with regard.watch(loaded.model) as seen:
            found = loaded.model(tokens, attention_mask=attention_mask)
        answer = expected["logits"] if "logits" in expected else expected[0]
        same(found, answer, torch.ones(batch, dtype=torch.bool) if answer.ndim == 2 else attention_mask, 1e-5)
        same_gradients(loaded, model, found, answer, attention_mask)
        for layer, weights in enumerate(expected.attentions):
            stream = seen.stream(f"decoder.{layer}")
            if layer == len(stack.blocks) - 1 and stack.norm is not None:
                stream = stack.norm(stream)  # the reference tells its last hidden state after the final norm
            same(stream, expected.hidden_states[layer + 1], attention_mask, 1e-5)
            same_weights(seen[f"decoder.{layer}.self"], weights, attention_mask)
    comes_back(loaded, model, folder / "again")


def same_text(model: nn.Module, folder: Path) -> None:
    """What is written with a cache, token by token, is what the reference writes, whichever side is padded.

    The engine writes, where it serves the model.
    """
    loaded = load_model(folder)
    new = 7
    told: dict[str, Any] = {"max_new_tokens": new, "do_sample": False, "num_beams": 1, "eos_token_id": None}
    is_writer = hasattr(loaded.model, "encoder")
    vocabulary = loaded.model.config.decoder.embedding.vocabulary
    # The reference numbers positions of a source from its padding on.
    for side in ("right",) if is_writer else ("left", "right"):
        tokens, attention_mask = padded(3, side, vocabulary)
        tokens = tokens.where(attention_mask, 0)
        left = attention_mask.int().argsort(dim=-1, stable=True)
        if is_writer:
            expected = model.generate(
                tokens, attention_mask=attention_mask.long(), decoder_start_token_id=0, pad_token_id=0,
                forced_eos_token_id=None, forced_bos_token_id=None, **told,
            )  # fmt: skip
            prefix = torch.zeros(3, 1, dtype=torch.long)
            ours = decode(
                loaded.model, tokens, attention_mask=attention_mask, prefix=prefix, max_new_tokens=new,
                min_new_tokens=new,
            )  # fmt: skip
            expected = expected[:, 1:]
        else:
            expected = model.generate(
                tokens.gather(1, left), attention_mask=attention_mask.gather(1, left).long(), pad_token_id=0, **told
            )[:, tokens.shape[1] :]
            ours = decode(
                loaded.model, None, prefix=tokens, prefix_attention_mask=attention_mask, max_new_tokens=new,
                min_new_tokens=new,
            )  # fmt: skip
        assert [list(result.best.ids) for result in ours] == expected.tolist()


def moved(x: Tensor, attention_mask: Tensor, side: str, *dims: int) -> Tensor:
    """What belongs to texts with padding on the right, as it stands with padding on this side."""
    if side == "right":
        return x
    gaps = (~attention_mask).sum(-1).tolist()
    return torch.stack([row.roll([gap] * len(dims), dims) for row, gap in zip(x, gaps, strict=True)])


def transformer_parity(model: nn.Module, folder: Path, batches: list[tuple[int, str]] = BATCHES) -> None:
    """Everything, for a model that reads one text and writes another.

    Absolute positions of the reference ignore padding on the left: it always reads texts that are padded on the right.
    """
    model = reference(model, folder)
    loaded = load_model(folder)
    sizes = {side: getattr(loaded.model.config, side).embedding.vocabulary for side in ("encoder", "decoder")}
    for batch, side in batches:
        source, source_attention_mask = padded(batch, "right", sizes["encoder"])
        target, target_attention_mask = padded(batch + 10, "right", sizes["decoder"], length=LENGTH - 2)
        target, target_attention_mask = target[:batch], target_attention_mask[:batch]
        expected = model(
            input_ids=source,
            attention_mask=source_attention_mask.long(),
            decoder_input_ids=target,
            decoder_attention_mask=target_attention_mask.long(),
            use_cache=False,
            output_attentions=True,
            output_hidden_states=True,
        )
        attention_mask, written = (
            moved(source_attention_mask, source_attention_mask, side, 0),
            moved(target_attention_mask, target_attention_mask, side, 0),
        )
        with regard.watch(loaded.model) as seen:
            found = loaded.model(
                moved(source, source_attention_mask, side, 0),
                moved(target, target_attention_mask, side, 0),
                attention_mask=attention_mask,
                target_attention_mask=written,
            )
        answer = moved(
            expected["logits" if "logits" in expected else "last_hidden_state"], target_attention_mask, side, 0
        )
        same(found, answer, written, 1e-5)
        same_gradients(loaded, model, found, answer, written)
        for name, told, mask in (
            ("encoder", source_attention_mask, attention_mask),
            ("decoder", target_attention_mask, written),
        ):
            for layer in range(getattr(loaded.model.config, name).stack.layers):
                hidden = moved(expected[f"{name}_hidden_states"][layer + 1], told, side, 0)
                same(stream(loaded, seen, name, layer), hidden, mask, 1e-5)
                own = moved(expected[f"{name}_attentions"][layer], told, side, 1, 2)
                same_weights(seen[f"{name}.{layer}.self"], own, mask)
        for layer, weights in enumerate(expected.cross_attentions):
            weights = moved(moved(weights, target_attention_mask, side, 1), source_attention_mask, side, 2)
            same_weights(seen[f"decoder.{layer}.cross"], weights, written)
    comes_back(loaded, model, folder / "again")
