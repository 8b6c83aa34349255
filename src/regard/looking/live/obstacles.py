"""Where a layer's weights can be met, and what keeps them from being met: by the code of its class."""

from collections.abc import Iterator
from functools import cache
from types import CodeType, FunctionType

from torch import nn

KERNELS = {"ALL_ATTENTION_FUNCTIONS", "scaled_dot_product_attention"}
"""Names in the code of a class that nothing but an attention layer uses."""
SOFTMAXES = {"softmax", "Softmax"}
"""Names that are a sign of attention only in a class that calls itself so."""
UNMET = "calls neither torch's fused attention nor a softmax where it could be met"
BLOCKS = "attends in blocks of its keys, with a softmax for each"
SUMS = "has no softmax: it is a sum over the past that decays"
MAP = "maps where objects are, and gathers nothing"
BOTH_WAYS = "attends both ways in one call, from the text to the image and back"
SCALED = "takes the share of its sink off after the softmax, where it cannot be met"
REFUSED = {
    "AutoformerAttention": "compares a series with its own past by autocorrelation, not queries with keys",
    "BigBirdBlockSparseAttention": BLOCKS,
    "BigBirdPegasusBlockSparseAttention": BLOCKS,
    "ConditionalDetrMHAttentionMap": MAP,
    "DetrMHAttentionMap": MAP,
    "DiffLlamaAttention": "takes one softmax from another",
    "Gemma3nAudioAttention": BLOCKS,
    "Gemma4AudioAttention": BLOCKS,
    "GraniteMoeSWAAttention": SCALED,
    "GraniteSWAAttention": SCALED,
    "GroundingDinoBiMultiHeadAttention": BOTH_WAYS,
    "GroupViTAssignAttention": "shares every key out among the queries: its softmax is over these",
    "HieraMaskUnitAttention": BLOCKS,
    "InformerProbSparseAttention": "lets only those queries look that a sample of the keys has chosen",
    "LEDEncoderSelfAttention": BLOCKS,
    "LSHSelfAttention": "attends among keys of like hashes, sorted and cut into blocks",
    "LocalSelfAttention": BLOCKS,
    "LongT5LocalAttention": BLOCKS,
    "LongT5TransientGlobalAttention": BLOCKS,
    "LongformerSelfAttention": BLOCKS,
    "MMGroundingDinoBiMultiHeadAttention": BOTH_WAYS,
    "MiniMaxLightningAttention": SUMS,
    "MobileViTV2LinearSelfAttention": "gives every key one weight, whatever the query",
    "MraSelfAttention": "attends at several resolutions, in blocks that it chooses",
    "NystromformerSelfAttention": "attends by way of landmarks: no query has weights of its own over the keys",
    "PegasusXGlobalLocalAttention": BLOCKS,
    "ProphetNetNgramSelfAttention": "attends in several streams at once, with a softmax for each",
    "RwkvSelfAttention": SUMS,
    "Sam2MultiScaleAttention": "computes two softmaxes in one call",
    "YosoSelfAttention": "weighs keys by how often their hashes agree, not by a softmax",
}
"""Layers whose weights are not one softmax of every query over its keys."""


def attends(module: nn.Module) -> bool:
    """Whether it is a layer that attends itself, or calls itself one, and not a wrapper around another."""
    inner = [part for part in module.modules() if part is not module]
    if meets(module):
        return not any(meets(part) for part in inner)
    wraps = any(isinstance(part, nn.MultiheadAttention) or meets(part) or is_named(part) for part in inner)
    return is_named(module) and not wraps


def meets(module: nn.Module) -> bool:
    """Whether the weights of a layer pass a function in which they can be met."""
    if is_ours_or_torchs(module):
        return False
    return bool(KERNELS & names_in(type(module))) or (is_named(module) and has_softmax(module))


def is_named(module: nn.Module) -> bool:
    """Whether a module computes something and calls itself an attention layer."""
    kind = type(module)
    return "Attention" in kind.__name__ and kind.forward is not nn.Module.forward and not is_ours_or_torchs(module)


def is_ours_or_torchs(module: nn.Module) -> bool:
    return type(module).__module__.split(".")[0] in ("torch", "regard")


def has_softmax(module: nn.Module) -> bool:
    return any(isinstance(part, nn.Softmax) for part in module.children()) or bool(SOFTMAXES & names_in(type(module)))


def obstacle(module: nn.Module) -> str | None:
    """Why a layer cannot be watched, or None if it can."""
    name = type(module).__name__
    if name in REFUSED:
        return REFUSED[name]
    if "Deformable" in name:
        return "reads a few points of an image, which it chooses itself, not keys"
    if getattr(module, "compressor", None) is not None:
        return "attends to keys that stand for several tokens each"
    return None if meets(module) else UNMET


@cache
def names_in(kind: type) -> frozenset[str]:
    """Every name that the methods of a class use; what all modules and all models inherit does not count."""
    bases = (base for base in kind.__mro__ if not base.__module__.startswith(("torch.", "transformers.modeling_utils")))
    methods = (getattr(method, "__func__", method) for base in bases for method in vars(base).values())
    codes = (
        getattr(function, "__wrapped__", function).__code__
        for function in methods
        if isinstance(function, FunctionType)
    )
    return frozenset(name for code in codes for name in all_names(code))


def all_names(code: CodeType) -> Iterator[str]:
    """The names in a function and in those written inside it."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_names(constant)
