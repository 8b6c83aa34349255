import math

import numpy as np
import pytest
import torch
from scipy.optimize import minimize_scalar
from sklearn.calibration import calibration_curve
from sklearn.metrics import log_loss

from regard.errors import RegardError, ShapeError
from regard.looking.calibration import check, fit_temperature, negative_log_likelihood, reliability


def drawn(seed, rows=4000, classes=5, temperature=1.0, spread=2.0):
    """Scores, and labels drawn from their softmax at a temperature: what a model that needs it would show."""
    generator = torch.Generator().manual_seed(seed)
    logits = spread * torch.randn(rows, classes, generator=generator)
    labels = (logits / temperature).softmax(-1).multinomial(1, generator=generator)[:, 0]
    return logits, labels


@pytest.mark.parametrize("bins", [1, 10, 15])
def test_bins_are_those_of_scikit_learn(bins):
    logits, labels = drawn(1)
    sure, predicted = logits.softmax(-1).numpy().max(1), logits.argmax(1)
    accuracy, confidence = calibration_curve((predicted == labels).numpy(), sure, n_bins=bins)
    found = reliability(logits, labels, bins=bins)
    is_filled = (found.counts > 0).numpy()
    np.testing.assert_allclose(found.accuracy.numpy()[is_filled], accuracy)
    np.testing.assert_allclose(found.confidence.numpy()[is_filled], confidence, rtol=1e-5)


def test_the_error_is_what_it_is_by_hand():
    """Two bins: three that are 0.9 sure and twice right, one that is 0.55 sure and wrong, with two classes."""
    chances = torch.tensor([0.9, 0.9, 0.9, 0.55]).double()
    logits = torch.stack([chances.log(), (1 - chances).log()], 1)
    found = reliability(logits, torch.tensor([0, 0, 1, 1]), bins=5)
    assert found.counts.tolist() == [0, 0, 1, 0, 3]
    assert found.error() == pytest.approx(3 / 4 * (0.9 - 2 / 3) + 1 / 4 * 0.55)
    assert found.largest_error() == pytest.approx(0.55)
    assert found.overconfidence() == pytest.approx((3 * 0.9 + 0.55 - 2) / 4)


def test_sums_of_two_halves_are_those_of_the_whole():
    logits, labels = drawn(2, rows=9000)  # more than one chunk
    whole = reliability(logits, labels)
    halves = reliability(logits[:1000], labels[:1000]) + reliability(logits[1000:], labels[1000:])
    assert whole.counts.equal(halves.counts)
    torch.testing.assert_close(whole.sure, halves.sure)
    torch.testing.assert_close(whole.right, halves.right)
    with pytest.raises(ShapeError):
        whole + reliability(logits, labels, bins=3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_that_drew_the_labels_is_found(seed, temperature):
    logits, labels = drawn(seed, rows=20000, temperature=temperature)
    assert fit_temperature(logits, labels) == pytest.approx(temperature, rel=0.05)
    if temperature != 1:
        before, after = (reliability(logits, labels, temperature=t).error() for t in (1.0, temperature))
        assert after < before / 3


def test_the_temperature_is_where_the_surprise_is_least():
    logits, labels = drawn(3, temperature=1.7)
    found = minimize_scalar(
        lambda log: negative_log_likelihood(logits, labels, math.exp(log)), bounds=(-3, 3), method="bounded",
        options={"xatol": 1e-8},
    )  # fmt: skip
    assert fit_temperature(logits, labels) == pytest.approx(math.exp(found.x), rel=1e-4)


def test_the_surprise_is_the_log_loss_of_scikit_learn():
    logits, labels = drawn(4, rows=5000)
    assert negative_log_likelihood(logits, labels, 1.3) == pytest.approx(
        log_loss(labels, (logits.double() / 1.3).softmax(-1)), rel=1e-6
    )


@pytest.mark.parametrize("scale", [0.1, 7.0])
def test_scores_that_are_larger_need_as_much_more_temperature(scale):
    logits, labels = drawn(5, temperature=1.5)
    assert fit_temperature(scale * logits, labels) == pytest.approx(scale * fit_temperature(logits, labels), rel=1e-5)
    shifted = logits + torch.randn(len(logits), 1)
    assert fit_temperature(shifted, labels) == pytest.approx(fit_temperature(logits, labels), rel=1e-4)


def test_a_class_that_is_ruled_out_changes_nothing():
    logits, labels = drawn(6, temperature=2.0)
    more = torch.cat([logits, torch.full((len(logits), 1), -torch.inf)], 1)
    assert fit_temperature(more, labels) == fit_temperature(logits, labels)
    assert reliability(more, labels).error() == pytest.approx(reliability(logits, labels).error())


def test_where_all_is_right_the_smallest_temperature_is_given():
    logits, _ = drawn(7)
    assert fit_temperature(logits, logits.argmax(1)) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (0, [], "calibration is measured on predictions, got none"),
        (2, [0, 5], "labels from 0 to 4 expected, got 0 to 5"),
        (2, [-100, 1], "labels from 0 to 4 expected, got -100 to 1"),
    ],
)
def test_what_cannot_be_judged_is_refused(rows, labels, message):
    for measure in (reliability, fit_temperature, negative_log_likelihood):
        with pytest.raises(RegardError, match=message):
            measure(torch.zeros(rows, 5), torch.tensor(labels, dtype=torch.long))


def test_labels_are_as_many_as_rows():
    with pytest.raises(ShapeError, match="labels"):
        check(torch.zeros(3, 5), torch.zeros(2).long())


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan, math.inf])
def test_a_temperature_is_above_nothing(temperature):
    for measure in (reliability, negative_log_likelihood):
        with pytest.raises(RegardError, match="a temperature above 0 expected"):
            measure(torch.zeros(3, 5), torch.zeros(3).long(), temperature=temperature)


def test_there_is_a_bin():
    with pytest.raises(RegardError, match="at least one bin expected, got 0"):
        reliability(torch.zeros(3, 5), torch.zeros(3).long(), bins=0)
