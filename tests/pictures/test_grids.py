import numpy as np
import pytest
import torch

from regard.errors import ShapeError
from regard.pictures.grids import plain


@pytest.mark.parametrize("kind", [list, np.array, torch.tensor])
def test_lists_arrays_and_tensors_are_the_same_grid(kind):
    assert plain(kind([[0.5, 0.25], [1.0, 0.0]]), None, None) == [[0.5, 0.25], [1.0, 0.0]]


def test_an_empty_grid_is_a_grid():
    assert plain([], None, None) == []


@pytest.mark.parametrize(
    ("grid", "rows", "columns", "message"),
    [
        ([[1, 2], [3]], None, None, r"equally long, got lengths \[1, 2\]"),
        ([[1, 2]], ["a", "b"], None, "one label for each row: 1, got 2"),
        ([[1, 2]], None, ["a"], "one label for each column: 2, got 1"),
        ([1, 2], None, None, "rows and columns"),
        (torch.tensor(0.5), None, None, "rows and columns"),
        (torch.zeros(1, 1, 2, 2), None, None, "choose one example and one head"),
    ],
)
def test_what_is_no_grid_is_refused(grid, rows, columns, message):
    with pytest.raises(ShapeError, match=message):
        plain(grid, rows, columns)
