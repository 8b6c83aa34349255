"""A config of somebody else's, read to the last key."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from regard.errors import CheckpointError, list_names
from regard.settings import Settings, shown

KINDS = ("bos", "eos", "pad", "sep", "cls", "mask", "unk", "decoder_start", "forced_bos", "forced_eos")
TOKENS = {f"{kind}_token_id" for kind in KINDS} | {"eos_token_ids"}
GENERATION = {
    "bad_words_ids", "num_beams", "max_length", "min_length", "length_penalty", "early_stopping", "do_sample",
    "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "temperature", "top_k", "top_p", "typical_p",
    "repetition_penalty", "num_beam_groups", "diversity_penalty", "num_return_sequences", "remove_invalid_values",
    "exponential_decay_length_penalty", "suppress_tokens", "begin_suppress_tokens", "prefix", "use_cache",
    "output_scores", "return_dict_in_generate",
}  # fmt: skip
TRAINING = {
    "initializer_range", "initializer_factor", "init_std", "gradient_checkpointing", "layerdrop", "encoder_layerdrop",
    "decoder_layerdrop", "problem_type", "finetuning_task", "task_specific_params",
}  # fmt: skip
BOOKKEEPING = {
    "_name_or_path", "architectures", "model_type", "transformers_version", "torch_dtype", "dtype", "return_dict",
    "output_attentions", "output_hidden_states", "output_past", "id2label", "label2id", "tokenizer_class",
    "torchscript", "chunk_size_feed_forward", "use_bfloat16", "_attn_implementation", "attn_implementation",
    "directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers", "pooler_size_per_head",
    "pooler_type", "language", "xla_device", "tf_legacy_loss", "is_encoder_decoder", "pretraining_tp", "n_ctx",
}  # fmt: skip
HARMLESS = TOKENS | GENERATION | TRAINING | BOOKKEEPING
"""Keys that say nothing about what is computed in a forward pass of ours."""


@runtime_checkable
class TensorLike(Protocol):
    """A tensor of torch, or an array of numpy."""

    @property
    def shape(self) -> tuple[int, ...]: ...


class Options(Settings):
    """Hands out the keys of a config and remembers which were asked for; the rest is an error, never ignored.

    `tensors` are those that the config came with: some things are said there alone.
    """

    entries: Mapping[str, Any]  # as JSON has them
    tensors: Mapping[str, TensorLike]

    def __init__(
        self, config: Mapping[str, object], where: str, tensors: Mapping[str, TensorLike] | None = None
    ) -> None:
        super().__init__(config, where, CheckpointError)
        self.tensors = {} if tensors is None else tensors
        self.read_keys: set[str] = set()

    def get(self, key: str, default: object = None) -> object:
        """The value of a key as it is, or its default."""
        self.read_keys.add(key)
        return super().get(key, default)

    def ignore(self, *keys: str) -> None:
        """Keys that say nothing here, whatever their value."""
        self.read_keys.update(keys)

    def need(self, key: str) -> object:
        """The value of a key that has to be there."""
        if self.entries.get(key) is None:
            raise CheckpointError(f"{self.where}: {key} is missing")
        return self.get(key)

    def presume(self, defaults: Mapping[str, object]) -> None:
        """What keys are worth that the config leaves out."""
        self.entries = {**defaults, **self.entries}

    def only(self, key: str, *allowed: object) -> None:
        """A key that we support with these values alone; leaving it out is fine."""
        value = self.get(key)
        if key in self.entries and not any(type(value) is type(other) and value == other for other in allowed):
            names = " or ".join(map(repr, allowed))
            raise CheckpointError(f"{self.where}: {key} = {shown(value)} is not supported, only {names}")

    def activation(self, key: str, default: str, table: Mapping[str, str] | None = None) -> str:
        """An activation, by the name that we know it by."""
        table = ACTIVATIONS if table is None else table
        return table[self.one_of(key, default, table)]

    def holds(self, name: str, other_than: str | None = None) -> bool:
        """Whether a tensor is there, and is no copy of another."""
        if name not in self.tensors:
            return False
        if other_than is None or other_than not in self.tensors:
            return True
        own, other = self.tensors[name], self.tensors[other_than]
        if own.shape != other.shape:
            return True
        equal: Any = own == other  # an array or a tensor of truths, as the library of the two has it
        return not bool(equal.all())

    def done(self) -> None:
        """Raise if any key was left that may change what is computed, or a token has no number."""
        if "auto_map" in self.entries and "auto_map" not in self.read_keys:
            raise CheckpointError(f"{self.where}: auto_map asks for code to be run, which is never done here")
        left = [key for key in self.entries if key not in self.read_keys and key not in HARMLESS]
        left = [key for key in left if self.entries[key] is not None]
        if left:
            raise CheckpointError(f"{self.where}: options that are not supported: {list_names(left)}")
        for key in TOKENS & self.entries.keys():
            self.tokens(key)


ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
}
"""Names of activations in configs, and ours."""


def name_of(activation: str) -> str:
    """The name that a config would use."""
    return next(key for key, name in ACTIVATIONS.items() if name == activation and key != "gelu_python")
