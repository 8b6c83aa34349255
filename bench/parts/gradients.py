"""captum and inseq beside us, and the judge of all three: finite differences."""

import io
from collections.abc import Callable
from contextlib import redirect_stderr
from typing import Any

import torch
from torch import Tensor

Metric = Callable[[Tensor], Tensor]
STEPS = 32
STRETCH = 1e-6  # of an embedding, in float64
COARSE_STRETCH = 1e-2  # where a model computes norms in float32, whatever its weights are
COARSE = ("llama",)
STENCIL = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
"""Weights of five points in a row, the middle one's is 0: a slope without error up to the fourth order."""
INSEQ = {
    "gradient_x_input": "input_x_gradient",
    "integrated_gradients": "integrated_gradients",
    "occlusion": "occlusion",
}


def captum_scores(model: Any, tokens: Tensor, metric: Metric, method: str) -> Tensor:
    """A score for every token of a language model, from a baseline of zeros: (1, length)."""
    from captum.attr import FeatureAblation, InputXGradient, IntegratedGradients

    embeddings = model.get_input_embeddings()(tokens).detach()

    def forward(x: Tensor) -> Tensor:  # captum gives several at once
        return torch.stack([metric(row[None]) for row in model(inputs_embeds=x).logits])

    if method == "gradient_x_input":
        return InputXGradient(forward).attribute(embeddings).sum(-1).detach()
    if method == "occlusion":
        words = torch.arange(tokens.shape[1])[None, :, None].expand_as(embeddings)
        return FeatureAblation(forward).attribute(embeddings, torch.zeros_like(embeddings), feature_mask=words)[..., 0]
    settings = {"n_steps": STEPS, "method": "gausslegendre"}
    result = IntegratedGradients(forward).attribute(embeddings, torch.zeros_like(embeddings), **settings)
    return result.sum(-1).detach()


class InseqScores:
    """inseq's scores of source and prefix for the logit of every token of a translation; of occlusion, sizes alone."""

    def __init__(self, model: Any, tokenizer: Any, source: str, target: str, method: str) -> None:
        import inseq

        explainer = inseq.load_model(model, INSEQ[method], tokenizer=tokenizer)
        settings: dict[str, Any] = {"n_steps": STEPS} if method == "integrated_gradients" else {}
        with redirect_stderr(io.StringIO()):
            result = explainer.attribute(
                source, target, attribute_target=True, attributed_fn="logit", step_scores=["logit"],
                show_progress=False, include_eos_baseline=True, **settings,
            ).sequence_attributions[0]  # fmt: skip
        both = [result.source_attributions, result.target_attributions]
        grids = [grid.sum(-1) if grid.ndim == 3 else grid for grid in both]  # gradients are by dimension
        self.source: Tensor = torch.nan_to_num(grids[0].T)  # (target tokens, source tokens)
        self.prefix: Tensor = torch.nan_to_num(grids[1][:-1].T)
        self.tokens: Tensor = torch.tensor([[token.id for token in result.source]])
        self.written: Tensor = torch.tensor([[token.id for token in result.target]])
        self.logits: Tensor = result.step_scores["logit"]


@torch.no_grad()
def finite_differences(model: Any, inputs: dict[str, Tensor], metric: Metric, side: str) -> Tensor:
    """Gradient x input of every token of one side, without a gradient: each embedding a little longer and shorter."""
    model = model.double()
    step = COARSE_STRETCH if model.config.model_type in COARSE else STRETCH
    name = "decoder_input_ids" if side == "decoder" and model.config.is_encoder_decoder else "input_ids"
    slopes = []
    for position in range(inputs[name].shape[1]):
        slope = 0.0
        for count, weight in STENCIL.items():
            hook = embedding_of(model, side).register_forward_hook(stretch(position, 1 + count * step))
            slope += weight * float(metric(model(**inputs).logits)) / step
            hook.remove()
        slopes.append(slope)
    model.float()
    return torch.tensor(slopes, dtype=torch.float64)


def embedding_of(model: Any, side: str) -> Any:
    return getattr(model.model, side).embed_tokens if model.config.is_encoder_decoder else model.get_input_embeddings()


def stretch(position: int, factor: float) -> Callable[[Any, Any, Tensor], Tensor]:
    def hook(module: Any, arguments: Any, x: Tensor) -> Tensor:
        x = x.clone()
        x[:, position] *= factor
        return x

    return hook
