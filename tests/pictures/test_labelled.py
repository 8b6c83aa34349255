"""Every result gives its numbers as an array and as a table with labels."""

import sys

import numpy as np
import pytest
import torch

from regard.errors import RegardError
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis, numbered, refuse_large


class Numbers(LabelledResult):
    def __init__(self, values, *axes):
        self.values, self.axes = values, axes

    def labelled(self):
        return LabelledNumbers(self.values, self.axes)


def test_a_tensor_that_wants_a_gradient_is_an_array():
    result = Numbers(torch.ones(2, requires_grad=True), numbered("token", 2))
    assert np.asarray(result).tolist() == [1, 1]
    assert np.asarray(result, dtype=np.float64).dtype == np.float64
    assert Numbers(torch.ones(2, dtype=torch.bfloat16), numbered("token", 2)).to_numpy().dtype == np.float32
    copy = np.array(result, copy=True)
    copy[0] = 5
    assert result.to_numpy()[0] == 1


def test_axes_become_indices_of_pandas():
    pandas = pytest.importorskip("pandas")
    row = Numbers([1.0, 2.0], NamedAxis("token", ("a", "b"))).to_pandas()
    assert isinstance(row, pandas.Series)
    assert row["b"] == 2
    grid = Numbers([[1.0, 2.0]], numbered("head", 1), numbered("token", 2, ["a", "b"])).to_pandas()
    assert grid.loc[0, "b"] == 2
    assert (grid.index.name, grid.columns.name) == ("head", "token")
    cube = Numbers(np.arange(8.0).reshape(2, 2, 2), *(numbered(name, 2) for name in "abc")).to_pandas()
    assert cube[1, 0, 1] == 5
    assert cube.index.names == ["a", "b", "c"]


def test_without_pandas_one_line_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(RegardError, match=r"^to_pandas\(\) needs pandas: pip install pandas; to_numpy"):
        Numbers([1.0], numbered("token", 1)).to_pandas()


def test_labels_that_do_not_fit_are_left_out_and_large_arrays_are_refused():
    assert numbered("token", 2, ["a"]).labels == (0, 1)
    refuse_large(1 << 30, "the table", "ask for rows")
    with pytest.raises(RegardError, match=r"the table would take 2\.0 GiB: ask for rows"):
        refuse_large(1 << 31, "the table", "ask for rows")
