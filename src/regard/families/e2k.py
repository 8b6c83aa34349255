"""e2k, English words in Japanese letters: a GRU encoder-decoder with four heads between two memories (PyPI, e2k)."""

from regard.config import AlignConfig, AlignerConfig, OutputConfig, RecurrentConfig
from regard.config.ranges import HEADS
from regard.errors import CheckpointError
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.tensor_names import TensorName, TensorNames, tensor_name, weight_and_bias

ARCHITECTURES = ("S2S",)
USUAL_HEADS = 4


def read(options: Options, architecture: str) -> AlignerConfig:
    """Its files have no config: all but the number of heads is said by the sizes of the tensors."""

    def size(name: str, dimension: int) -> int:
        tensor = options.tensors.get(name)
        if tensor is None or len(tensor.shape) <= dimension:
            raise CheckpointError(f"{options.where}: tensor {name} of {dimension + 1} dimensions or more is missing")
        return tensor.shape[dimension]

    width, narrow = size("pre_decoder.weight_hh_l0", 1), size("encoder_fc.0.weight", 0)
    heads, left = options.integer("num_heads", USUAL_HEADS, HEADS), size("attn.out_proj.weight", 1)
    if {size(f"attn.in_proj_{kind}", 0) for kind in ("weight", "bias")} != {3 * left} or narrow != width:
        raise CheckpointError(f"{options.where}: queries, keys and values of {left} numbers each expected")
    return config(
        RecurrentConfig(size("e_emb.weight", 0), size("e_emb.weight", 1), size("encoder.weight_hh_l0", 1)),
        RecurrentConfig(size("k_emb.weight", 0), size("k_emb.weight", 1), width),
        heads,
    )


def config(reads: RecurrentConfig, writes: RecurrentConfig, heads: int) -> AlignerConfig:
    """Annotations are made as wide as the decoder's state."""
    return AlignerConfig(
        reads,
        writes,
        AlignConfig("multihead", "between", heads),
        narrow=writes.width,
        begins=False,
        deep=None,
        skips=False,
        output=OutputConfig(tied=False, bias=True),
    )


def write(config: AlignerConfig, architecture: str) -> dict[str, object]:
    return {"model_type": "e2k", "num_heads": config.align.heads if config.align else USUAL_HEADS}


def names(config: AlignerConfig, architecture: str) -> TensorNames:
    rows: list[TensorName] = [
        tensor_name("source_embedding.weight", "e_emb.weight"),
        tensor_name("target_embedding.weight", "k_emb.weight"),
        *cells("encoder", "encoder", both_ways=True),
        *weight_and_bias("narrow", "encoder_fc.0"),
        *cells("decoder", "pre_decoder"),
        *cells("above", "post_decoder"),
        *weight_and_bias("align.output", "attn.out_proj"),
        *weight_and_bias("output", "fc"),
    ]
    assert config.align is not None
    width = config.writes.width // config.align.heads * (config.align.heads - len(config.align.pruned))
    for kind in ("weight", "bias"):  # queries, keys and values come of one matrix
        rows += [
            TensorName(f"align.query.{kind}", (f"attn.in_proj_{kind}",), (width,), begin=0),
            TensorName(f"align.kv.{kind}", (f"attn.in_proj_{kind}",), (2 * width,), begin=width),
        ]
    return TensorNames.of(rows)


def cells(name: str, prefix: str, *, both_ways: bool = False) -> list[TensorName]:
    """The matrices of a GRU, which torch names."""
    kinds = [f"{kind}_{gate}_l0" for kind in ("weight", "bias") for gate in ("ih", "hh")]
    kinds += [f"{kind}_reverse" for kind in kinds] if both_ways else []
    return [tensor_name(f"{name}.cells.{kind}", f"{prefix}.{kind}") for kind in kinds]


def example() -> ExampleModel:
    return ExampleModel(
        config(RecurrentConfig(40, 10, 12), RecurrentConfig(40, 10, 24), USUAL_HEADS), "S2S", {"model_type": "e2k"}
    )


FAMILY = Family("e2k", ARCHITECTURES, read, write, names, example)
