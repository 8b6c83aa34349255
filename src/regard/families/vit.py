"""ViT: Dosovitskiy et al. 2021, as transformers writes it. Asked for a label of a picture."""

from dataclasses import replace

from regard.config import VisionConfig
from regard.config.ranges import EPSILON, FEED_FORWARD_WIDTH, HEADS, LAYERS, PIXELS, SHARE, WIDTH
from regard.families import bert
from regard.families.family import ExampleModel, Family
from regard.families.options import Options, name_of
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("ViTForImageClassification",)


def read(options: Options, architecture: str) -> VisionConfig:
    options.ignore("encoder_stride", "pooler_output_size", "pooler_act")  # of heads that are not read here
    size, patch = options.integer("image_size", 224, PIXELS), options.integer("patch_size", 16, PIXELS)
    if size % patch:
        options.refuse("patch_size", f"a share of the image's {size} pixels")
    return VisionConfig(
        size=size,
        patch=patch,
        labels=bert.count_labels(options),
        width=options.integer("hidden_size", 768, WIDTH),
        layers=options.integer("num_hidden_layers", 12, LAYERS),
        heads=options.integer("num_attention_heads", 12, HEADS),
        feed_forward_width=options.integer("intermediate_size", 3072, FEED_FORWARD_WIDTH),
        dropout=options.number("hidden_dropout_prob", 0.0, SHARE),
        channels=options.integer("num_channels", 3, PIXELS),
        activation=options.activation("hidden_act", "gelu"),
        epsilon=options.number("layer_norm_eps", 1e-12, EPSILON),
        qkv_bias=options.flag("qkv_bias", True),
        attention_dropout=options.number("attention_probs_dropout_prob", 0.0, SHARE),
    )


def example() -> ExampleModel:
    config = VisionConfig(6, 2, 5, 24, 2, 4, 32, channels=3, epsilon=1e-12)
    return ExampleModel(config, ARCHITECTURES[0], {"model_type": "vit"})


def write(config: VisionConfig, architecture: str) -> dict[str, object]:
    return {
        "model_type": "vit",
        "image_size": config.size,
        "patch_size": config.patch,
        "num_channels": config.channels,
        "num_labels": config.labels,
        "hidden_size": config.width,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "intermediate_size": config.feed_forward_width,
        "hidden_act": name_of(config.activation),
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": config.attention_dropout,
        "layer_norm_eps": config.epsilon,
        "qkv_bias": config.qkv_bias,
    }


def names(config: VisionConfig, architecture: str) -> TensorNames:
    there, width = "vit.embeddings", config.width
    square = (config.channels, config.patch, config.patch)
    projection = tensor_name("pieces.weight", f"{there}.patch_embeddings.projection.weight")
    token = tensor_name("token", f"{there}.cls_token")
    rows = [
        replace(projection, shapes=((width, config.channels * config.patch**2), (width, *square))),
        tensor_name("pieces.bias", f"{there}.patch_embeddings.projection.bias"),
        replace(token, shapes=((width,), (1, 1, width))),
        tensor_name("positions", f"{there}.position_embeddings", column=True),
        *weight_and_bias("encoder.norm", "vit.layernorm"),
        *weight_and_bias("classify.labels", "classifier"),
        *(row for layer in range(config.layers) for row in block(config, layer)),
    ]
    return TensorNames.of(rows, spare=bert.pair("vit.pooler.dense"))


def block(config: VisionConfig, layer: int) -> list[TensorName]:
    here, there = f"encoder.blocks.{layer}", f"vit.encoder.layer.{layer}"
    attention = f"{there}.attention.attention"
    qkv = (f"{attention}.query", f"{attention}.key", f"{attention}.value")
    return [
        *weight_and_bias(f"{here}.self.qkv", *qkv, bias=config.qkv_bias),
        *weight_and_bias(f"{here}.self.output", f"{there}.attention.output.dense"),
        *weight_and_bias(f"{here}.self_norm", f"{there}.layernorm_before"),
        *weight_and_bias(f"{here}.feed_forward.widen", f"{there}.intermediate.dense"),
        *weight_and_bias(f"{here}.feed_forward.narrow", f"{there}.output.dense"),
        *weight_and_bias(f"{here}.feed_forward_norm", f"{there}.layernorm_after"),
    ]


FAMILY = Family("vit", ARCHITECTURES, read, write, names, example)
