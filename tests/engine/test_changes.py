import numpy as np

from regard.engine.changes import LayerChange


def test_a_head_that_is_named_from_both_ends_is_scaled_once():
    change = LayerChange(0, 0, np.ones(4, np.float32), np.ones(4, np.float32))
    change.add({"do": "scale", "heads": [-1, 3, 0], "factor": 0.5})
    change.add({"do": "temperature", "heads": [1, -3], "temperature": 2.0})
    assert change.gates.tolist() == [0.5, 1, 1, 0.5]
    assert change.inverse_temperatures.tolist() == [1, 0.5, 1, 1]


def test_scales_that_are_too_much_together_are_infinite_without_a_word():
    change = LayerChange(0, 0, np.ones(4, np.float32), np.ones(4, np.float32))
    for _ in range(3):
        change.add({"do": "scale", "heads": [1, -3], "factor": 1e30})
    assert change.gates.tolist() == [1, np.inf, 1, 1]
    change.add({"do": "scale", "heads": None, "factor": 0.5})
    assert change.gates.tolist() == [0.5, np.inf, 0.5, 0.5]
