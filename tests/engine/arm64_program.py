"""What a processor writes with packed models, as JSON: `python arm64_program.py LIBRARY FILE...`. It takes numpy only.

Each model writes after the same texts, greedily; the tokens are printed, and the fingerprint of all scores.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from regard.engine.library import open_library
from regard.engine.packed_file import PackedFile
from regard.engine.packed_model import PackedModel
from regard.engine.state import EngineState

STEPS, TEXTS, LENGTH = 12, 3, 9


def write(model: PackedModel) -> dict[str, object]:
    """The tokens of every text, and what their scores come to."""
    numbers = np.random.default_rng(5)
    source = numbers.integers(3, model.vocabulary, (TEXTS, LENGTH))
    state = EngineState(model, source if model.has_source else None, None)
    tokens = source[:, :1].copy() if model.has_source else source
    scores, written = hashlib.sha256(), []
    for _ in range(STEPS):
        logits = state.step(tokens)
        scores.update(logits.tobytes())
        tokens = np.ascontiguousarray(logits.argmax(-1)[:, None])
        written.append(tokens[:, 0].tolist())
    return {"tokens": written, "scores": scores.hexdigest()}


if __name__ == "__main__":
    library = open_library(Path(sys.argv[1]))
    answers = {Path(path).name: write(PackedFile.read(Path(path)).open(library)) for path in sys.argv[2:]}
    print(json.dumps({"torch": "torch" in sys.modules, "answers": answers}))
