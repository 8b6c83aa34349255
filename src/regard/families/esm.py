"""ESM-2: Lin et al. 2023. BERT with the norms before each part, and rotary positions."""

from dataclasses import replace

from regard.config import (
    AttentionConfig,
    ClassificationHeadConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.config.ranges import EPSILON, ROPE_BASE
from regard.errors import RecipeError
from regard.families import bert, roberta
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = tuple(f"Esm{kind}" for kind in roberta.KINDS)
BASE = 10000.0


def read(options: Options, architecture: str) -> EncoderConfig:
    options.only("position_embedding_type", "rotary")
    options.only("token_dropout", False)
    options.only("is_folding_model", False)
    options.only("is_decoder", False)
    options.only("hidden_act", "gelu")
    options.only("add_cross_attention", False)
    options.ignore("esmfold_config", "vocab_list")
    return EncoderConfig(read_side(options), **roberta.heads_config(options, architecture.removeprefix("Esm")))


def read_side(options: Options) -> EmbeddedStackConfig:
    options.need("vocab_size")
    sizes = replace(bert.sizes_of(options), activation="gelu", embedding_dropout=0.0)
    epsilon = options.number("layer_norm_eps", 1e-12, EPSILON)
    base = options.number("rope_theta", BASE, ROPE_BASE)
    return side(sizes, epsilon, base, norm=options.flag("emb_layer_norm_before", False))


def side(sizes: Sizes, epsilon: float = 1e-5, base: float = BASE, *, norm: bool = False) -> EmbeddedStackConfig:
    """Norms before each part, rotary positions; it learns from little text what BERT needs much for."""
    stack = StackConfig(
        layers=sizes.layers,
        width=sizes.width,
        attention=AttentionConfig(sizes.heads, dropout=sizes.attention_dropout),
        feed_forward=FeedForwardConfig(sizes.feed_forward_width, sizes.activation, dropout=sizes.feed_forward_dropout),
        norm=NormConfig("layer", epsilon),
        dropout=sizes.dropout,
    )
    settings = {"head_width": sizes.width // sizes.heads, "base": base, "pairing": "halves"}
    return EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary, norm=norm), stack, PositionConfig("rotary", settings))


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    body = side(Sizes.of_recipe(model, data.vocabulary, "gelu"))
    entries = {"model_type": "esm", "max_position_embeddings": model.max_positions}
    if data.labels_tokens:
        classify = ClassificationHeadConfig(data.labels, None, dropout=model.dropout)
        return ModelPlan(EncoderConfig(body, None, classify), "EsmForTokenClassification", entries)
    if data.labels:
        classify = ClassificationHeadConfig(data.labels, model.pool, "tanh", dropout=model.dropout)
        return ModelPlan(EncoderConfig(body, None, classify), "EsmForSequenceClassification", entries)
    if data.next_sentence:
        raise RecipeError("model.family = 'esm' does not tell whether sentences follow each other: bert does")
    output = OutputConfig(model.tied_embedding, bias=True, transform="gelu")
    return ModelPlan(EncoderConfig(body, output), "EsmForMaskedLM", entries)


def example() -> ExampleModel:
    config = EncoderConfig(side(example_sizes("gelu")), OutputConfig(tied=True, bias=True, transform="gelu"))
    return ExampleModel(config, "EsmForMaskedLM", {"model_type": "esm"})


def write(config: EncoderConfig, architecture: str) -> dict[str, object]:
    side, stack = config.encoder, config.encoder.stack
    entries: dict[str, object] = {
        "model_type": "esm",
        "vocab_size": side.embedding.vocabulary,
        "hidden_size": stack.width,
        "num_hidden_layers": stack.layers,
        "num_attention_heads": stack.attention.heads,
        "intermediate_size": stack.feed_forward.width,
        "hidden_dropout_prob": stack.dropout,
        "attention_probs_dropout_prob": stack.attention.dropout,
        "layer_norm_eps": stack.norm.epsilon,
        "position_embedding_type": "rotary",
        "rope_theta": side.position.settings["base"],
        "emb_layer_norm_before": side.embedding.norm,
        "token_dropout": False,
    }
    entries |= {"tie_word_embeddings": config.output.tied} if config.output else {}
    return entries | ({"num_labels": config.classify.labels} if config.classify else {})


def names(config: EncoderConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "EsmModel" else "esm."
    table = f"{root}embeddings.word_embeddings.weight"
    rows = [tensor_name("encoder.embedding.table.weight", table), *stack(config.encoder.stack, root)]
    rows += (
        weight_and_bias("encoder.embedding.norm", f"{root}embeddings.layer_norm")
        if config.encoder.embedding.norm
        else []
    )
    spare = [f"{root}rotary_embeddings.inv_freq", f"{root}embeddings.position_ids"]
    spare += bert.pair(f"{root}contact_head.regression")
    layers = [*range(config.encoder.stack.layers), "*"]  # transformers 5 writes the star
    spare += [f"{root}encoder.layer.{layer}.attention.self.rotary_embeddings.inv_freq" for layer in layers]
    copies: dict[str, str] = {}
    if config.output:
        rows += [tensor_name("output.bias", "lm_head.bias")]
        rows += [] if config.output.tied else [tensor_name("output.weight", "lm_head.decoder.weight")]
        copies = {"lm_head.decoder.weight": table} if config.output.tied else {}
    return TensorNames.of(rows, copies, spare=spare, old_endings=bert.OLDER) + roberta.heads(config, root)


def stack(config: StackConfig, root: str) -> list[TensorName]:
    rows = weight_and_bias("encoder.stack.norm", f"{root}encoder.emb_layer_norm_after")
    for layer in range(config.layers):
        here, there = f"encoder.stack.blocks.{layer}", f"{root}encoder.layer.{layer}"
        attention = f"{there}.attention.self"
        rows += weight_and_bias(f"{here}.self.qkv", f"{attention}.query", f"{attention}.key", f"{attention}.value")
        rows += weight_and_bias(f"{here}.self.output", f"{there}.attention.output.dense")
        rows += weight_and_bias(f"{here}.self_norm", f"{there}.attention.LayerNorm")
        rows += weight_and_bias(f"{here}.feed_forward.widen", f"{there}.intermediate.dense")
        rows += weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.output.dense")
        rows += weight_and_bias(f"{here}.feed_forward_norm", f"{there}.LayerNorm")
    return rows


FAMILY = Family("esm", ARCHITECTURES, read, write, names, example, kind="encoder", plan=plan)
