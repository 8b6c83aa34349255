"""Small translators to be exported, and ONNX graphs that our own search can step through."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tasks.tiny import bart
from training.tiny import WORDS, tiny

from regard.training import train

TEXTS = ["the cat", "a small old house", "the bird hears a red tree", "dog", "the old dog sees the small bird"]
CHANGES = ("tokenizer.kind=bpe", "tokenizer.size=290", "model.layers=[1,2]", "model.dropout=0.0", "train.steps=100")
CHANGES += ("train.save_every=100", "train.evaluate_every=100", "train.metric=loss", "data.max_length=40")


def learned(folder: Path, *changes: str) -> Path:
    """A Marian that has begun to learn to turn sentences around, with a byte-level tokeniser."""
    folder.mkdir()
    assert set(" ".join(TEXTS).split()) <= set(WORDS)
    return train(tiny(folder, *CHANGES, *changes))


MODELS = {
    "marian": learned,
    "untied": lambda folder: learned(
        folder,
        *("train.steps=2", "model.tied_embedding=false", "model.shared_embedding=false"),
        *("model.output_bias=true", "model.activation=silu"),
    ),
    "bart": lambda folder: bart(folder) and folder,
}


class Remembered:
    """What an ONNX decoder has to be told at its next step."""

    def __init__(self, given: dict[str, np.ndarray]) -> None:
        self.given = given

    def select(self, rows: torch.Tensor) -> "Remembered":
        return Remembered({name: array[rows.numpy()] for name, array in self.given.items()})


class Onnx:
    """A folder of ONNX graphs as something that writes: what `decode` steps through."""

    def __init__(self, folder: Path) -> None:
        runtime = pytest.importorskip("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        self.encoder, self.decoder = (
            runtime.InferenceSession(folder / f"{side}.onnx", options) for side in ("encoder", "decoder")
        )

    def start(self, source, attention_mask=None):
        attention_mask = torch.ones_like(source, dtype=torch.bool) if attention_mask is None else attention_mask
        given = {"tokens": source.numpy(), "attention_mask": attention_mask.numpy()}
        names = [output.name for output in self.encoder.get_outputs()]
        found = dict(zip(names, self.encoder.run(names, given), strict=True))
        shapes = {one.name: one.shape for one in self.decoder.get_inputs() if one.name.startswith("past")}
        nothing = {name: np.zeros((len(source), one[1], 0, one[3]), np.float32) for name, one in shapes.items()}
        return Remembered({"attention_mask": attention_mask.numpy(), **found, **nothing})

    def step(self, state, tokens, attention_mask=None):
        assert attention_mask is None
        given = dict(state.given)
        for position in range(tokens.shape[1]):
            names = [output.name for output in self.decoder.get_outputs()]
            told = self.decoder.run(names, {"token": tokens[:, position : position + 1].numpy(), **given})
            found = dict(zip(names, told, strict=True))
            scores = torch.from_numpy(found.pop("scores"))[:, None]
            given |= {name.replace("now", "past"): array for name, array in found.items()}
        return scores, Remembered(given)
