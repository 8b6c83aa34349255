"""What a saved page keeps of a layer gives its weights back, computed here by numpy alone."""

import json
import struct

import numpy as np
import pytest
import torch

from regard.attention import Causal, Padding, Pattern
from regard.attention.scores import Additive
from regard.errors import RegardError
from regard.viewer.saved_layer import LONGEST, saved_layer


def read(body: bytes) -> tuple[dict, bytes]:
    (length,) = struct.unpack("<I", body[4:8])
    return json.loads(body[8 : 8 + length]), body[8 + length :]


def numpy_weights(body: bytes) -> np.ndarray:
    """exp(q k - logsumexp), zero where a key is hidden or comes later."""
    head, content = read(body)
    heads, queries, keys, width = (head[name] for name in ("heads", "queries", "keys", "width"))
    logsumexp = np.frombuffer(content[: 4 * heads * queries], "<f4").reshape(heads, queries, 1)
    halves = np.frombuffer(content[4 * heads * queries :], "<f2").astype(np.float32)
    query = halves[: heads * queries * width].reshape(heads, queries, width)
    key = halves[heads * queries * width :].reshape(heads, keys, width)
    weights = np.exp(query @ key.transpose(0, 2, 1) - logsumexp)
    weights[:, :, head["hidden"]] = 0
    return np.tril(weights) if head["is_causal"] else weights


@pytest.mark.parametrize("mask", [None, Causal(), Causal() & Padding(torch.arange(9)[None] < 7)])
def test_queries_and_keys_give_the_weights_back(mask):
    torch.manual_seed(0)
    pattern = Pattern(torch.randn(1, 2, 9, 8), torch.randn(1, 2, 9, 8), mask=mask)
    body = saved_layer(pattern, None, "encoder.0.self")
    off = np.abs(numpy_weights(body) - pattern.weights()[0].numpy()).max()
    assert read(body)[0]["difference"] == pytest.approx(off, abs=1e-6)
    assert 0 < off < 2e-3  # half precision, and no more than that


def test_a_temperature_is_in_the_queries():
    torch.manual_seed(1)
    pattern = Pattern(torch.randn(1, 2, 4, 8), torch.randn(1, 2, 6, 8)).with_temperature(0.5, heads=[1])
    body = saved_layer(pattern, None, "decoder.0.cross")
    assert np.allclose(numpy_weights(body), pattern.weights()[0].numpy(), atol=2e-3)


def test_another_score_is_kept_as_cells():
    torch.manual_seed(2)
    pattern = Pattern(torch.randn(1, 1, 5, 8), torch.randn(1, 1, 6, 8), score=Additive(torch.randn(1, 8)))
    head, content = read(saved_layer(pattern, None, "alignment"))
    assert (head["kind"], head["level"], head["rows"], head["columns"]) == ("cells", 0, 5, 6)
    cells = np.frombuffer(content, "<f2").reshape(1, 5, 6)
    assert np.allclose(cells, pattern.weights()[0].numpy(), atol=1e-3)


def test_a_text_that_is_too_long_is_refused():
    vectors = torch.zeros(1, 1, LONGEST + 1, 2)
    with pytest.raises(RegardError, match=f"at most {LONGEST} tokens can be saved to be explored, got {LONGEST + 1}"):
        saved_layer(Pattern(vectors, vectors), None, "decoder.0.self")
