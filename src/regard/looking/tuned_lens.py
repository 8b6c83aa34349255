"""The tuned lens: an affine map for every layer, trained so that what the layer holds is read as the model itself will
end: Belrose et al. 2023."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from regard.errors import CheckpointError, RegardError, expect, lookup
from regard.looking.runs import Inputs, call_model
from regard.looking.unembed import Unembedding
from regard.looking.watch import watch
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis

MASKS = ("decoder_attention_mask", "target_attention_mask", "attention_mask")


@dataclass(frozen=True, eq=False, repr=False)
class TunedLens(LabelledResult):
    """x + A x + b for every block but the last, and what it gained.

    `losses` is the divergence (KL, in nats) of what the lens reads from what the model ends with, on texts that it was
    not trained on if there were any; `plain_losses` is the same of the logit lens.
    """

    blocks: tuple[str, ...]
    weight: Float[Tensor, "layers width width"]
    bias: Float[Tensor, "layers width"]
    losses: dict[str, float]
    plain_losses: dict[str, float]

    def __call__(self, block: str, x: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch width"]:
        """What a block put out, as the last block would have."""
        number = lookup({name: number for number, name in enumerate(self.blocks)}, block, "block of this lens")
        expect("the tuned lens", "width", x.shape[-1], self.weight.shape[1])
        weight, bias = self.weight[number].to(x), self.bias[number].to(x)
        return x + x @ weight.T + bias

    def save(self, path: str | Path) -> None:
        """Write it as safetensors."""
        told = {"blocks": self.blocks, "losses": self.losses, "plain_losses": self.plain_losses}
        metadata = {"format": "pt", "regard.tuned_lens": json.dumps(told)}
        save_file({"weight": self.weight.contiguous(), "bias": self.bias.contiguous()}, str(path), metadata=metadata)

    @classmethod
    def load(cls, path: str | Path) -> "TunedLens":
        """Read what was saved."""
        try:
            with safe_open(str(path), "pt") as file:
                told = json.loads((file.metadata() or {})["regard.tuned_lens"])
                tensors = {name: file.get_tensor(name) for name in ("weight", "bias")}
        except (SafetensorError, OSError, KeyError, ValueError):
            raise CheckpointError(f"{path}: no tuned lens that was saved by TunedLens.save") from None
        return cls(tuple(told["blocks"]), **tensors, losses=told["losses"], plain_losses=told["plain_losses"])

    def labelled(self) -> LabelledNumbers:
        pairs = [[self.losses[block], self.plain_losses[block]] for block in self.blocks]
        return LabelledNumbers(pairs, (NamedAxis("layer", self.blocks), NamedAxis("KL", ("tuned lens", "logit lens"))))

    def __repr__(self) -> str:
        losses = ", ".join(f"{name} {self.plain_losses[name]:.3g} -> {self.losses[name]:.3g}" for name in self.blocks)
        return f"TunedLens(KL to the end: {losses})"


def tuned_lens(
    model: nn.Module,
    texts: Iterable[Inputs],
    *,
    held_out: Iterable[Inputs] = (),
    steps: int = 250,
    learning_rate: float = 1e-3,
) -> TunedLens:
    """Train a tuned lens on some texts by one call: Belrose et al. 2023.

    `texts` are batches that the model, ours or a live one, is called with: tokens, several tensors, or arguments by
    name (an attention mask among them leaves padding out). Each step takes the next batch; losses are told of
    `held_out`, or of the texts themselves. The model stays as it is.
    """
    batches, judged = list(texts), list(held_out)
    if not batches or steps < 1:
        raise RegardError("a tuned lens is trained on texts, in at least one step")
    unembedding = Unembedding(model)
    *blocks, last = unembedding.blocks
    if not blocks:
        raise RegardError("a tuned lens stands behind every block but the last: a model of two blocks or more expected")
    like = next(unembedding.side.parameters())
    width = _streams(model, batches[0], [last])[last].shape[-1]
    weight = torch.zeros(len(blocks), width, width, device=like.device, requires_grad=True)
    bias = torch.zeros(len(blocks), width, device=like.device, requires_grad=True)
    optimiser = torch.optim.Adam([weight, bias], lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 1 / steps, total_iters=steps)
    for step in range(steps):
        streams = _streams(model, batches[step % len(batches)], [*blocks, last])
        target = _scores(unembedding, streams[last])
        optimiser.zero_grad()
        for number, block in enumerate(blocks):  # each by itself, so that the scores of one layer are held at a time
            with torch.enable_grad():
                x = streams[block].float()
                loss = _divergence(_scores(unembedding, x + x @ weight[number].T + bias[number]), target)
                gradients = torch.autograd.grad(loss, [weight, bias])
            for parameter, gradient in zip((weight, bias), gradients, strict=True):
                parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
        optimiser.step()
        schedule.step()
    trained = TunedLens(tuple(blocks), weight.detach(), bias.detach(), {}, {})
    losses, plain_losses = _losses(model, unembedding, trained, judged or batches)
    return TunedLens(tuple(blocks), weight.detach().cpu(), bias.detach().cpu(), losses, plain_losses)


@torch.no_grad()
def _streams(model: nn.Module, inputs: Inputs, blocks: Sequence[str]) -> dict[str, Tensor]:
    """What the tokens of a batch are after each block, padding left out: (tokens, width)."""
    with watch(model, *blocks) as seen:
        call_model(model, inputs)
    streams = {block: seen.stream(block) for block in blocks}
    batch_and_length = next(iter(streams.values())).shape[:2]
    masks = [inputs[name] for name in MASKS if name in inputs] if isinstance(inputs, Mapping) else []
    mask = next((mask for mask in masks if isinstance(mask, Tensor) and mask.shape == batch_and_length), None)
    return {block: x.flatten(0, 1) if mask is None else x[mask.bool()] for block, x in streams.items()}


def _scores(unembedding: Unembedding, x: Tensor) -> Tensor:
    """Log-probabilities of words, as if the stack ended with these vectors."""
    return unembedding.stream(x.to(next(unembedding.side.parameters()).dtype)).float().log_softmax(-1)


def _divergence(scores: Tensor, target: Tensor) -> Tensor:
    """The mean over tokens of KL(model || lens), in nats."""
    return F.kl_div(scores, target, reduction="batchmean", log_target=True)


@torch.no_grad()
def _losses(
    model: nn.Module, unembedding: Unembedding, trained: TunedLens, batches: Sequence[Inputs]
) -> tuple[dict[str, float], dict[str, float]]:
    """The mean divergence of every block, through the tuned lens and through the plain one."""
    last = [*unembedding.blocks][-1]
    sums = {block: [0.0, 0.0] for block in trained.blocks}
    count = 0
    for inputs in batches:
        streams = _streams(model, inputs, [*trained.blocks, last])
        target = _scores(unembedding, streams[last])
        count += len(target)
        for block in trained.blocks:
            for number, x in enumerate((trained(block, streams[block]), streams[block])):
                sums[block][number] += float(_divergence(_scores(unembedding, x), target)) * len(target)
    tuned, plain = ({block: pair[number] / max(1, count) for block, pair in sums.items()} for number in (0, 1))
    return tuned, plain
