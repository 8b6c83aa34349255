"""How a diagram spells what a config says."""

from regard.config import AttentionConfig, FeedForwardConfig, NormConfig, PositionConfig, StackConfig

NORM_NAMES = {
    "layer": "LayerNorm",
    "layer-unbiased": "LayerNorm",
    "rms": "RMSNorm",
    "rms-offset": "RMSNorm",
    "none": "no norm",
}
ACTIVATION_NAMES = {"relu": "ReLU", "gelu": "GELU", "gelu-tanh": "GELU (tanh)", "silu": "SiLU", "tanh": "tanh"}
CELL_NAMES = {"gru": "GRU", "lstm": "LSTM"}


def norm_name(norm: NormConfig) -> str:
    return NORM_NAMES.get(norm.kind, norm.kind)


def activation_name(name: str) -> str:
    return ACTIVATION_NAMES.get(name, name)


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def heads_line(attention: AttentionConfig, width: int, left: tuple[int, ...]) -> str:
    """How many heads of what width, `left` in each of the layers meant, and how many of keys."""
    split = attention.split(width)
    low, high = min(left), max(left)
    count = plural(split.heads, "head")
    if low < split.heads:
        count = f"{low}" + (f" to {high}" if high > low else "") + f" of {count}"
    values = "" if split.value_width == split.width else f", values {split.value_width}"
    return f"{count} × {split.width}{values}"


def score_lines(attention: AttentionConfig, width: int, *, crosses: bool) -> list[str]:
    """What sets the score and the way of comparing apart from the plain one, where anything does."""
    split, lines = attention.split(width), []
    if split.kv_heads != split.heads:
        lines.append(f"{plural(split.kv_heads, 'head')} of keys and values")
    if attention.qk_norm is not None:
        lines.append("norm of Q and K")
    if attention.score is not None and attention.score.kind != "dot":
        lines.append(f"{attention.score.kind} score")
    if attention.method is not None and not crosses:
        lines.append(f"{attention.method.kind} attention")
    return lines


def bucket_facts(position: PositionConfig) -> list[str]:
    """The table of T5's biases, which has no box: every layer adds from it."""
    if position.kind != "buckets":
        return []
    return [f"{position.settings.get('buckets', 32)} buckets of distances, shared by all layers"]


def position_line(position: PositionConfig) -> str | None:
    """How order enters where it enters in attention."""
    return {
        "rotary": "rotary positions",
        "alibi": "penalty on distance",
        "buckets": "bias by distance",
    }.get(position.kind)


def feed_forward_line(feed_forward: FeedForwardConfig, width: int) -> str:
    experts = f", {feed_forward.experts_per_token} of {feed_forward.experts}" if feed_forward.experts else ""
    return f"{width:,} → {feed_forward.width:,} → {width:,}{experts}"


def dropout_facts(stack: StackConfig, embedding: float) -> list[str]:
    """Where numbers are dropped while it learns."""
    facts = []
    if stack.dropout:
        facts.append(f"dropout {stack.dropout:g}")
    if embedding and embedding != stack.dropout:
        facts.append(f"dropout of words {embedding:g}")
    if stack.attention.dropout:
        facts.append(f"dropout of weights {stack.attention.dropout:g}")
    if stack.feed_forward.dropout:
        facts.append(f"dropout in feed-forward {stack.feed_forward.dropout:g}")
    return facts


def power(number: float) -> str:
    """A small number as people write it: 1e-5."""
    return f"{number:g}".replace("e-0", "e-")


def norm_place(stack: StackConfig) -> str:
    """Where the norms of a block stand."""
    if stack.output_norm:
        return "pre- and output norm" if stack.pre_norm else "output norm"
    return "pre-norm" if stack.pre_norm else "post-norm"


def stack_facts(stack: StackConfig) -> list[str]:
    """Facts of a stack that no box says."""
    facts = [norm_place(stack), f"{norm_name(stack.norm)} ε {power(stack.norm.epsilon)}"]
    if stack.attention.scale is not None:
        facts.append(f"scores × {stack.attention.scale:g}")
    if not stack.attention.bias and not stack.feed_forward.bias:
        facts.append("no biases")
    if stack.window is not None and (stack.attention.score is None or stack.attention.score.kind != "xl"):
        local = f" in {stack.layers - len(stack.global_layers)} of {stack.layers} layers" if stack.global_layers else ""
        facts.append(f"window of {stack.window:,} positions{local}")
    if not stack.first_norm:
        facts.append("the first block attends without a norm")
    return facts
