"""Keys that recipes of version 0.1 had. In a recipe they are an error that says the new one; in a run that was begun
then, they are read."""

from collections.abc import Mapping

OLD_KEYS = {
    "data.longest": "max_length",
    "tokenizer.lower": "lowercase",
    "model.style": "family",
    "model.inner": "feed_forward_width",
    "model.inner_dropout": "feed_forward_dropout",
    "model.length": "max_positions",
    "model.shared": "shared_embedding",
    "model.tied": "tied_embedding",
    "model.memory": "memory_length",
    "model.reach": "local_window",
    "model.feeding": "input_feeding",
    "model.tying": "weight_tying",
    "model.projects": "hop_projection",
    "train.tokens": "batch_tokens",
    "train.rows": "batch_size",
    "train.rate": "learning_rate",
    "train.floor": "min_learning_rate",
    "train.decay": "weight_decay",
    "train.clip": "clip_norm",
    "train.mask": "mask_probability",
    "train.whole_words": "whole_word_masking",
    "train.linear": "linear_epochs",
    "train.score": "metric",
}

OLD_PARTS = {
    "words": "embedding",
    "source_words": "source_embedding",
    "target_words": "target_embedding",
    "inner": "feed_forward",
    "inner_norm": "feed_forward_norm",
    "project": "qkv",
    "pair": "kv",
    "compare": "score",
}
"""Of the names of weights in train.frozen."""


def new_key(section: str, key: str, values: Mapping[str, object]) -> str | None:
    """What a key of a section, which has these values, is called now; None where it has always been so."""
    if (section, key) == ("model", "inner") and values.get("kind") == "alignment":
        return "embedding_width"
    return OLD_KEYS.get(f"{section}.{key}")


def with_new_keys(tables: Mapping[str, object]) -> dict[str, object]:
    """A recipe's tables under today's keys, and the score of a model as the table that it is today."""
    model = tables.get("model")
    if isinstance(model, dict) and isinstance(score := model.get("score"), str):
        named = {"kind": score} if model.get("kind") == "alignment" else {}
        tables = {**tables, "model": {**model, "score": named}}
    train = tables.get("train")
    if isinstance(train, dict) and isinstance(frozen := train.get("frozen"), list):
        tables = {**tables, "train": {**train, "frozen": [_new_prefix(prefix) for prefix in frozen]}}
    return {
        section: {new_key(section, key, values) or key: value for key, value in values.items()}
        if isinstance(values, dict)
        else values
        for section, values in tables.items()
    }


def _new_prefix(prefix: object) -> object:
    return ".".join(OLD_PARTS.get(part, part) for part in prefix.split(".")) if isinstance(prefix, str) else prefix
