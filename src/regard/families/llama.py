"""Llama (Touvron et al. 2023), and Mistral and Qwen2, which kept its names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from regard.config import (
    AttentionConfig,
    ClassificationHeadConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    RopeScaling,
    StackConfig,
)
from regard.config.ranges import (
    EPSILON,
    FEED_FORWARD_WIDTH,
    HEADS,
    LAYERS,
    POSITIONS,
    ROPE_BASE,
    ROPE_FACTOR,
    SHARE,
    VOCABULARY,
    WIDTH,
)
from regard.errors import CheckpointError
from regard.families.bert import count_labels
from regard.families.family import DecoderHeads, ExampleModel, Family
from regard.families.gpt2 import heads, labelled
from regard.families.options import Options, name_of
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias
from regard.settings import shown

KINDS = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2"}
BASE = 10000.0
ROPE_TYPES = ("default", "linear", "llama3")
NORMS = {"self_norm": "input_layernorm", "feed_forward_norm": "post_attention_layernorm"}
"""What the norms of a block are called in checkpoints."""
LLAMA3 = {"original_max_position_embeddings": "length", "low_freq_factor": "low", "high_freq_factor": "high"}


def read(kind: str, options: Options, architecture: str) -> DecoderConfig:
    options.presume({"vocab_size": 151936} if kind == "qwen2" else {})
    options.presume({"num_key_value_heads": 8} if kind == "mistral" else {})
    sizes = sizes_of(options)
    attention = attention_of(options, *biases(kind, options))
    body = side(
        sizes,
        rotary(options, attention.head_width or 0),
        attention,
        NormConfig("rms", options.number("rms_norm_eps", 1e-6, EPSILON)),
        feed_forward_bias=kind == "llama" and options.flag("mlp_bias", False),
        window=window(kind, options),
    )
    return DecoderConfig(body, **heads_config(options, architecture))


def sizes_of(options: Options, activation_key: str = "hidden_act", activation: str = "silu") -> Sizes:
    """The sizes that the config of a Llama or of its kin tells."""
    options.need("intermediate_size")
    return Sizes(
        vocabulary=options.integer("vocab_size", 32000, VOCABULARY),
        layers=options.integer("num_hidden_layers", 32, LAYERS),
        width=options.integer("hidden_size", 4096, WIDTH),
        heads=options.integer("num_attention_heads", 32, HEADS),
        feed_forward_width=options.integer("intermediate_size", 0, FEED_FORWARD_WIDTH),
        activation=options.activation(activation_key, activation),
        dropout=0.0,
        attention_dropout=options.number("attention_dropout", 0.0, SHARE),
        embedding_dropout=0.0,
    )


def attention_of(options: Options, bias: bool, output_bias: bool | None = None) -> AttentionConfig:
    """Heads of queries, and of keys and values."""
    heads = options.integer("num_attention_heads", 32, HEADS)
    width = options.integer_or_none("head_dim", None, WIDTH) or options.integer("hidden_size", 4096, WIDTH) // heads
    kv_heads = options.integer_or_none("num_key_value_heads", None, HEADS)
    return AttentionConfig(heads, width, heads if kv_heads is None else kv_heads, bias, output_bias)


def side(
    sizes: Sizes,
    position: PositionConfig,
    attention: AttentionConfig,
    norm: NormConfig = NormConfig("rms", 1e-6),
    *,
    feed_forward_bias: bool = False,
    window: int | None = None,
) -> EmbeddedStackConfig:
    """RMS norms before each part, rotary positions, a gated feed-forward layer."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=replace(attention, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, gated=True, bias=feed_forward_bias),
        norm=norm,
        window=window,
        dropout=sizes.dropout,
    )
    return EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary, dropout=sizes.embedding_dropout), stack, position)


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    """The first Llama: all heads have keys of their own, and no layer has a bias."""
    sizes = Sizes.of_recipe(model, data.vocabulary, "silu")
    position = PositionConfig("rotary", {"head_width": model.width // model.heads, "base": BASE, "pairing": "halves"})
    body = side(sizes, position, AttentionConfig(model.heads, bias=False))
    entries = {"model_type": "llama", "max_position_embeddings": model.max_positions}
    if data.labels:
        return ModelPlan(labelled(model, data, body), "LlamaForSequenceClassification", entries)
    output = OutputConfig(model.tied_embedding, bias=model.output_bias)
    return ModelPlan(DecoderConfig(body, output), "LlamaForCausalLM", entries)


def example(kind: str) -> ExampleModel:
    sizes = replace(example_sizes("silu"), dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    position = PositionConfig("rotary", {"head_width": 6, "base": BASE, "pairing": "halves"})
    attention = AttentionConfig(4, kv_heads=2, bias=kind == "qwen2", output_bias=False)
    body = side(sizes, position, attention, window=3 if kind == "mistral" else None)
    return ExampleModel(
        DecoderConfig(body, OutputConfig(tied=False)), f"{KINDS[kind]}ForCausalLM", {"model_type": kind}
    )


def biases(kind: str, options: Options) -> tuple[bool, bool | None]:
    """Whether projections of attention have one, and the last of them: all or none in Llama, all but it in Qwen2."""
    if kind == "qwen2":
        return True, False
    return kind == "llama" and options.flag("attention_bias", False), None


def window(kind: str, options: Options) -> int | None:
    """How many tokens are seen, the own one included, if not all."""
    if kind == "qwen2":
        options.only("use_sliding_window", False)
        options.only("layer_types", None, ["full_attention"] * options.integer("num_hidden_layers", 32, LAYERS))
        options.ignore("max_window_layers", "sliding_window")
        return None
    return options.integer_or_none("sliding_window", 4096, POSITIONS) if kind == "mistral" else None


def rotary(
    options: Options, head_width: int, rotary_share: float | None = None, rope_types: Sequence[str] = ROPE_TYPES
) -> PositionConfig:
    """Positions, as transformers 5 writes them or as those before it did; `rotary_share` of a head is turned where a
    family may turn a part, and the config says nothing else."""
    max_positions = options.integer("max_position_embeddings", 2048, POSITIONS)
    before, now = options.object("rope_scaling"), options.object("rope_parameters")
    name = "rope_scaling" if before else "rope_parameters"
    rope = Options(before or now, f"{options.where}: {name}")
    base = rope.number("rope_theta", options.number("rope_theta", BASE, ROPE_BASE), ROPE_BASE)
    share = rope.number("partial_rotary_factor", rotary_share or 1.0, SHARE)
    if rotary_share is None and share != 1:
        rope.refuse("partial_rotary_factor", "1")
    kind = rope.one_of("rope_type", rope.one_of("type", "default", rope_types), rope_types)
    scaling = None if kind == "default" else rope_scaling(rope, max_positions if kind == "llama3" else None)
    rope.done()
    settings = {"head_width": head_width, "base": base, "pairing": "halves", "scaling": scaling}
    turned = int(head_width * share)
    return PositionConfig("rotary", settings | ({} if turned == head_width else {"rotary_width": turned}))


def rope_scaling(rope: Options, max_positions: int | None) -> RopeScaling:
    """How positions are stretched: all alike, or as Llama 3.1 does where `max_positions` are said."""
    for key in ("factor",) if max_positions is None else ("factor", "low_freq_factor", "high_freq_factor"):
        rope.need(key)
    factor = rope.number("factor", 1.0, ROPE_FACTOR)
    if max_positions is None:
        return RopeScaling(factor)
    length = rope.integer("original_max_position_embeddings", max_positions, POSITIONS)
    low, high = (rope.number(f"{end}_freq_factor", 1.0, ROPE_FACTOR) for end in ("low", "high"))
    if low >= high:
        rope.refuse("low_freq_factor", f"a number below the high_freq_factor of {high}")
    return RopeScaling(factor, length, low, high)


def heads_config(options: Options, architecture: str) -> DecoderHeads:
    """What an architecture is for."""
    tied, labels = options.flag("tie_word_embeddings", False), count_labels(options)
    if architecture.endswith("ForCausalLM"):
        return {"output": OutputConfig(tied)}
    if architecture.endswith("ForSequenceClassification"):
        return {"output": None, "classify": ClassificationHeadConfig(labels, "last", bias=False)}
    return {"output": None}


def write(kind: str, config: DecoderConfig, architecture: str) -> dict[str, object]:
    stack = config.decoder.stack
    own: dict[str, dict[str, object]] = {
        "llama": {"attention_bias": stack.attention.bias, "mlp_bias": stack.feed_forward.bias},
        "mistral": {"sliding_window": stack.window},
        "qwen2": {"use_sliding_window": False},
    }
    return {"model_type": kind} | config_entries(config) | own[kind]


def config_entries(config: DecoderConfig) -> dict[str, object]:
    """What the configs of Llama and of its kin tell."""
    side, stack = config.decoder, config.decoder.stack
    split = stack.attention
    settings = side.position.settings
    entries: dict[str, object] = {
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "intermediate_size": stack.feed_forward.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": split.heads,
        "num_key_value_heads": split.heads if split.kv_heads is None else split.kv_heads,
        "head_dim": settings["head_width"],
        "hidden_act": name_of(stack.feed_forward.activation),
        "attention_dropout": split.dropout,
        "rms_norm_eps": stack.norm.epsilon,
        "rope_parameters": rope(settings),
        "rope_scaling": None,
        "tie_word_embeddings": config.output.tied if config.output else False,
    }
    return entries | ({"num_labels": config.classify.labels} if config.classify else {})


def rope(settings: dict[str, object]) -> dict[str, object]:
    """The settings of rotary positions, as transformers 5 writes them."""
    entries: dict[str, object] = {"rope_theta": settings.get("base", BASE)}
    head_width, turned = settings["head_width"], settings.get("rotary_width")
    if isinstance(head_width, int) and isinstance(turned, int):
        share = turned / head_width  # others multiply, and drop what is behind the point
        entries["partial_rotary_factor"] = share if int(head_width * share) == turned else (turned + 0.5) / head_width
    scaling = settings.get("scaling")
    if scaling is None:
        return entries | {"rope_type": "default"}
    if not isinstance(scaling, RopeScaling):
        raise CheckpointError(f"scaling = {shown(scaling)}: a RopeScaling expected")
    if scaling.length is None:
        return entries | {"rope_type": "linear", "factor": scaling.factor}
    return entries | {
        "rope_type": "llama3",
        "factor": scaling.factor,
        **{key: getattr(scaling, field) for key, field in LLAMA3.items()},
    }


def names(config: DecoderConfig, architecture: str, norms: Mapping[str, str] = NORMS) -> TensorNames:
    root = "" if architecture.endswith("Model") else "model."
    rows = [
        tensor_name("decoder.embedding.table.weight", f"{root}embed_tokens.weight"),
        tensor_name("decoder.stack.norm.weight", f"{root}norm.weight"),
        *blocks(config.decoder.stack, root, norms),
        *heads(config),
    ]
    copies = {"lm_head.weight": f"{root}embed_tokens.weight"} if config.output and config.output.tied else {}
    layers = range(config.decoder.stack.layers)
    spare = [f"{root}layers.{layer}.self_attn.rotary_emb.inv_freq" for layer in layers]
    return TensorNames.of(rows, copies, spare=spare, root=root)


def blocks(config: StackConfig, root: str, norms: Mapping[str, str] = NORMS) -> list[TensorName]:
    split, inner = config.attention, config.feed_forward
    output_bias = split.bias if split.output_bias is None else split.output_bias
    rows: list[TensorName] = []
    for layer in range(config.layers):
        here, there = f"decoder.stack.blocks.{layer}", f"{root}layers.{layer}"
        attention = f"{there}.self_attn"
        left = split.split(config.width, config.pruned.get(f"{layer}.self", ()))
        queries, pairs = len(left.remaining_heads) * left.width, len(left.remaining_kv_heads) * left.width
        rows += weight_and_bias(
            f"{here}.self.qkv",
            *(f"{attention}.{part}_proj" for part in "qkv"),
            sizes=(queries, pairs, pairs),
            bias=split.bias,
        )
        rows += weight_and_bias(f"{here}.self.output", f"{attention}.o_proj", bias=output_bias)
        rows += [tensor_name(f"{here}.{ours}.weight", f"{there}.{theirs}.weight") for ours, theirs in norms.items()]
        if split.qk_norm is not None:
            rows += [tensor_name(f"{here}.self.query_key_norm.query.weight", f"{attention}.q_norm.weight")]
            rows += [tensor_name(f"{here}.self.query_key_norm.key.weight", f"{attention}.k_norm.weight")]
        rows += weight_and_bias(
            f"{here}.feed_forward.widen", f"{there}.mlp.gate_proj", f"{there}.mlp.up_proj", bias=inner.bias
        )
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.mlp.down_proj", bias=inner.bias)
    return rows


def family(kind: str) -> Family:
    name = KINDS[kind]
    architectures = (f"{name}Model", f"{name}ForCausalLM", f"{name}ForSequenceClassification")
    return Family(kind, architectures, partial(read, kind), partial(write, kind), names, partial(example, kind))


LLAMA = replace(family("llama"), kind="decoder", plan=plan)
MISTRAL, QWEN2 = family("mistral"), family("qwen2")
