"""The numbers of the Learn pages, beside closed forms and torch's own layers; their code runs as it stands.

Also tests: viewer/grids.py, viewer/learn/alignment.py, viewer/learn/convolution.py, viewer/learn/cross.py,
viewer/learn/dense.py, viewer/learn/dictionary.py, viewer/learn/forcing.py, viewer/learn/graph.py,
viewer/learn/heads.py, viewer/learn/lesson.py, viewer/learn/masks.py, viewer/learn/match.py, viewer/learn/matrix.py,
viewer/learn/memory.py, viewer/learn/norm.py, viewer/learn/order.py, viewer/learn/residual.py,
viewer/learn/segments.py, viewer/learn/softmax.py.
"""

import contextlib
import io
import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.errors import RegardError
from regard.positions import POSITIONS, Position
from regard.viewer import learn
from regard.viewer.model_store import ModelStore

MODEL_STORE = ModelStore()


def numbers(topic: str, **inputs) -> tuple[dict[str, torch.Tensor], dict[str, object]]:
    result = learn.lesson(topic, inputs, MODEL_STORE)
    return {grid.name: torch.tensor(grid.numbers) for grid in result.grids}, {
        one.name: one.value for one in result.facts
    }


@pytest.mark.parametrize("topic", [topic for topic in learn.LESSONS if topic != "animal"])
def test_a_lesson_says_whose_numbers_it_has_and_its_code_runs(topic):
    result = learn.lesson(topic, {}, MODEL_STORE)
    assert result.origin in ("by hand", "random", "babi", "en-de")
    for grid in result.grids:
        assert len(grid.numbers) == len(grid.rows)
        assert {len(row) for row in grid.numbers} == {len(grid.columns)}
        if grid.kind == "weights" and grid.name not in ("reach",):
            sums = torch.tensor(grid.numbers).sum(0 if topic == "memory" else -1)
            assert_close(sums, torch.ones_like(sums), atol=1e-4, rtol=0)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(result.code, {})
    assert printed.getvalue().strip()


@pytest.mark.parametrize("temperature", [0.25, 1.0, 4.0])
def test_softmax_is_softmax(temperature):
    grids, facts = numbers("softmax", scores=[1, 2, 3, 0], temperature=temperature)
    powers = [math.exp(score / temperature) for score in (1, 2, 3, 0)]
    shares = [power / sum(powers) for power in powers]
    assert_close(grids["weights"][0], torch.tensor(shares))
    assert facts["entropy"] == pytest.approx(-sum(share * math.log(share) for share in shares), abs=1e-5)


def test_a_layer_and_a_convolution_are_attention():
    _, facts = numbers("dense", x=[[3, 1, 4], [1, 5, 9], [2, 6, 5], [3, 5, 8]], seed=7)
    assert facts["largest difference"] < 1e-5
    image, kernel = torch.randn(4, 6), torch.randn(3, 3)
    grids, _ = numbers("convolution", image=image.tolist(), kernel=kernel.tolist())
    assert_close(grids["by attention"], F.conv2d(image[None, None], kernel[None, None], padding=1)[0, 0])


def test_the_matrix_form_is_that_of_torch():
    x, query, key, value = torch.randn(5, 2), *torch.randn(3, 2, 2)
    grids, _ = numbers("matrix", x=x.tolist(), query=query.tolist(), key=key.tolist(), value=value.tolist())
    heads = [(x @ matrix)[None, None] for matrix in (query, key, value)]
    assert_close(grids["output"], F.scaled_dot_product_attention(*heads)[0, 0])


def test_norms_are_those_of_torch():
    x, gain, bias = torch.randn(4, 6), 1.5, -0.5
    grids, facts = numbers("norm", x=x.tolist(), gain=gain, bias=bias, epsilon=1e-3)
    by_torch = F.layer_norm(x, (6,), torch.full((6,), gain), torch.full((6,), bias), eps=1e-3)
    assert_close(grids["layer norm"], by_torch)
    assert_close(grids["batch norm"], F.batch_norm(x, None, None, training=True, eps=1e-3))
    assert facts["mean"] == pytest.approx(float(x[0].mean()), abs=1e-6)


def test_a_gradient_dies_in_blocks_without_a_residual():
    grids, facts = numbers("residual", blocks=20)
    kept, lost = grids["powers of ten"]
    assert (kept > -0.5).all()
    assert lost[-1] < -10
    assert (lost.diff() < 0).all()
    assert facts["without"] < 1e-10 < 0.3 < facts["with"]


def test_attention_to_another_text_is_that_of_torch():
    query, key = torch.randn(3, 3), torch.randn(4, 3)
    grids, _ = numbers("cross", query=query.tolist(), key=key.tolist(), scale=0.7)
    by_torch = F.scaled_dot_product_attention(query[None, None], key[None, None], key[None, None], scale=0.7)
    assert_close(grids["output"], by_torch[0, 0])
    assert grids["weights"].shape == (3, 4)


def test_forced_guesses_are_those_of_one_step_after_another():
    source, target = "Where is the station?", "Wo ist der Bahnhof?"
    grids, facts = numbers("forcing", source=source, target=target)
    task = MODEL_STORE.get("en-de")
    state, token, chances = task.model.start(torch.tensor([task.tokenizer.encode(source).ids])), 0, []
    with torch.no_grad():
        for following in task.tokenizer.encode(target).ids:
            scores, state = task.model.step(state, torch.tensor([[token]]))
            chances.append(scores[0, -1].softmax(-1)[following])
            token = following
    assert_close(grids["probability of the right word"][:, 0], torch.stack(chances), atol=1e-4, rtol=0)
    assert facts["loss"] == pytest.approx(-float(torch.stack(chances).log().mean()), abs=1e-3)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_heads_are_put_together_as_they_were_split(heads):
    grids, _ = numbers("heads", heads=heads)
    joined = torch.cat([grids[f"weights {head}"] @ grids[f"values {head}"] for head in range(heads)], -1)
    assert_close(grids["concatenated"], joined)
    assert_close(grids["output"], joined @ grids["output weights"])
    assert_close(grids["queries"], torch.cat([grids[f"queries {head}"] for head in range(heads)], -1))


@pytest.mark.parametrize("position", POSITIONS)
def test_only_positions_tell_who_gave(position):
    _, facts = numbers("order", position=position)
    assert facts["same"] == (POSITIONS[position] is Position)
    assert position in facts["positions"].split(" ")


def test_masks_are_those_of_their_names():
    ones = torch.ones(6, 6)
    for name, expected in (
        ("none", ones),
        ("causal", ones.tril()),
        ("padding", ones * (torch.arange(6) < 3)),
        ("causal and padding", ones.tril() * (torch.arange(6) < 3)),
        ("window", ones.tril(1).triu(-1)),
    ):
        grids, _ = numbers("masks", mask=name, length=3, window=1)
        assert_close(grids["mask"], expected)
        scores = grids["scores"].masked_fill(expected == 0, -torch.inf)
        assert_close(grids["weights"], scores.softmax(-1))


def test_news_travels_one_edge_a_step():
    edges = [[0, 0], [1, 0], [2, 1], [3, 2]]
    for steps in (1, 2, 3):
        grids, _ = numbers("graph", nodes=list("abcd"), edges=edges, steps=steps)
        matrix = torch.tensor([[1.0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
        assert_close(grids["reach"], torch.linalg.matrix_power(matrix, steps))


def test_the_farthest_felt_is_memory_times_layers():
    for memory in (2, 4):
        _, facts = numbers("segments", length=24, segment=4, memory=memory)
        assert facts["farthest"] == 2 * memory  # two layers


@pytest.mark.parametrize(
    ("topic", "inputs"),
    [
        ("softmax", {"temperature": 0}),
        ("softmax", {"scores": []}),
        ("softmax", {"score": [1]}),
        ("match", {"tastes": [[1, 2], [3, 4], [5, 6]]}),
        ("matrix", {"x": [[1, 2, 3]]}),
        ("order", {"words": ["a", "b"], "other": ["a", "c"]}),
        ("order", {"position": "rotery"}),
        ("graph", {"nodes": ["a", "b"], "edges": [[0, 5]]}),
        ("convolution", {"image": [[1], [2], [3]]}),
        ("animal", {"model": "no such model"}),
        ("nothing", {}),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(topic, inputs):
    with pytest.raises(RegardError) as refused:
        learn.lesson(topic, inputs, MODEL_STORE)
    assert "\n" not in str(refused.value)
