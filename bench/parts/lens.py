"""TransformerLens beside us: the grids of its patching, and its direct logit attribution, on a copy of one model.

TransformerLens 4 has no class of its own models left; a `TransformerBridge` runs the modules of transformers under its
hooks. `no_processing` keeps weights as they are: nothing folded, nothing centred.
"""

import copy
import io
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models
from torch import Tensor

Metric = Callable[[Tensor], Tensor]
GRIDS = {"stream": "get_act_patch_resid_pre", "heads": "get_act_patch_attn_head_out_all_pos",
         "feed_forward": "get_act_patch_mlp_out"}  # fmt: skip
"""What `regard.patch` calls it, and the function of transformer_lens.patching."""


def word_tokenizer(vocabulary: int, folder: Path) -> Any:
    """A tokeniser of numbered words; TransformerLens wants one that came from a folder."""
    words = Tokenizer(models.WordLevel({f"w{number}": number for number in range(vocabulary)}, unk_token="w1"))
    marks = {"pad_token": "w0", "unk_token": "w1", "bos_token": "w2", "eos_token": "w3"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, **marks).save_pretrained(folder)
    return transformers.AutoTokenizer.from_pretrained(folder, add_bos_token=True)


def bridge(model: Any) -> Any:
    """A copy of the model under TransformerLens' hooks, its weights untouched."""
    from transformer_lens.model_bridge import TransformerBridge

    twin = copy.deepcopy(model)
    twin.set_attn_implementation("eager")
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = word_tokenizer(model.config.vocab_size, Path(folder))
        lens = TransformerBridge.boot_transformers(
            model.config.model_type, hf_model=twin, tokenizer=tokenizer, device="cpu"
        )
    lens.enable_compatibility_mode(no_processing=True, disable_warnings=True)
    return lens


@torch.no_grad()
def grid(lens: Any, over: str, clean: Tensor, corrupt: Tensor, metric: Metric) -> Tensor:
    """The metric with one clean activation at a time in the corrupted run."""
    from transformer_lens import patching

    _, cache = lens.run_with_cache(clean)
    with redirect_stderr(io.StringIO()):  # its bar of progress
        return getattr(patching, GRIDS[over])(lens, corrupt, cache, metric)


@torch.no_grad()
def logit_parts(lens: Any, tokens: Tensor, token: int) -> tuple[dict[str, float], float]:
    """What each writer gives the last logit of a token, by our names; and what `logit_attrs` alone sums to.

    TransformerLens takes its stream apart and freezes the scale of the last norm; it counts on that norm's weight
    being folded into the output. Nothing is folded here, and the weight is multiplied afterwards.
    """
    lens.set_use_attn_result(True)
    _, cache = lens.run_with_cache(tokens)
    stack, labels = cache.get_full_resid_decomposition(expand_neurons=False, pos_slice=-1, return_labels=True)
    unweighted = float(cache.logit_attrs(stack, token, pos_slice=-1).sum())
    normed = cache.apply_ln_to_stack(stack, pos_slice=-1) * lens.ln_final.weight
    scores = (normed @ lens.tokens_to_residual_directions(torch.tensor(token)))[:, 0].tolist()
    parts: dict[str, float] = {}
    for label, score in zip(labels, scores, strict=True):
        name = own_name(label)
        parts[name] = parts.get(name, 0.0) + score
    return parts, unweighted


def own_name(label: str) -> str:
    """`L0H1` is decoder.0.self.1, `0_mlp_out` decoder.0.feed_forward; positions belong to the embedding."""
    if label.startswith("L"):
        layer, head = label[1:].split("H")
        return f"decoder.{layer}.self.{head}"
    if label.endswith("_mlp_out"):
        return f"decoder.{label.split('_')[0]}.feed_forward"
    return "embedding" if "embed" in label else label


@torch.no_grad()
def head_sweep(
    lens: Any, clean: Tensor, corrupt: Tensor, metric: Metric, is_head_output: Callable[[str], bool], index: Any
) -> Tensor:
    """Its sweep over the heads of an index: a run of each text, and one for every head."""
    from transformer_lens import patching

    _, cache = lens.run_with_cache(clean, names_filter=is_head_output)
    metric(lens(corrupt))
    with redirect_stderr(io.StringIO()):
        return patching.generic_activation_patch(
            lens,
            corrupt,
            cache,
            metric,
            patch_setter=patching.layer_head_vector_patch_setter,
            activation_name="z",
            index_df=index,
        )


def attribution_patching(
    lens: Any, clean: Tensor, corrupt: Tensor, metric: Metric, is_head_output: Callable[[str], bool]
) -> dict[str, Tensor]:
    """Attribution patching of all head outputs as its users write it, with hooks forwards and backwards."""
    with torch.no_grad():
        _, cache = lens.run_with_cache(clean, names_filter=is_head_output)
    there: dict[str, Tensor] = {}
    slopes: dict[str, Tensor] = {}

    def keep(x: Tensor, hook: Any) -> None:
        there[hook.name] = x.detach()

    def keep_gradient(gradient: Any, hook: Any) -> None:
        slopes[hook.name] = gradient[0] if isinstance(gradient, tuple) else gradient

    with lens.hooks(fwd_hooks=[(is_head_output, keep)], bwd_hooks=[(is_head_output, keep_gradient)]):
        metric(lens(corrupt)).backward()
    lens.zero_grad()
    return {name: ((cache[name] - there[name]) * slopes[name]).sum((0, 1, 3)) for name in there}
