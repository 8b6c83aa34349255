"""Confidence: probabilities of words, signs of bad translations, and how they are weighed.

Also tests: tasks/evaluation/calibrating.py.
"""

import json
import math
import pickle
import shutil

import numpy as np
import pytest
from builtin.shipped import folder as shipped_folder

import regard
from regard.errors import CheckpointError, RegardError
from regard.tasks.confidence import SIGNS, Calibration, SentenceFacts, signs_of
from regard.tasks.evaluation.calibrating import calibrate, calibration_error, halves, judge, roc_area


def facts(weights, ids=(5, 6, 7), scores=(-0.5, -1.0, -0.1, -0.2), **more):
    known = {"source": "a red house", "target": "ein rotes Haus", "is_finished": True}
    return SentenceFacts(scores, np.array(weights, dtype=np.float32), ids, **known | more)


def test_signs_say_what_they_are_called():
    one = signs_of(facts([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0]]))
    assert one["mean_score"] == pytest.approx(-0.45)
    assert one["coverage"] == 0.75
    assert one["length_misfit"] == 0
    assert one["repeats"] == one["copies"] == one["is_unfinished"] == 0
    looping = signs_of(facts(np.full((6, 3), 1 / 3), ids=(1, 2, 1, 2, 1, 2), target="red red", is_finished=False))
    assert looping["length_misfit"] == pytest.approx(math.log(3 / 4) ** 2)
    assert looping["repeats"] == pytest.approx(3 / 5)
    assert looping["copies"] == looping["is_unfinished"] == looping["coverage"] == 1


def test_a_sentence_of_nothing_has_signs():
    assert all(math.isfinite(sign) for sign in signs_of(facts(np.zeros((0, 0)), ids=(), scores=(), target="")).values())


def drawn(count=300, seed=0):
    generator = np.random.default_rng(seed)
    table = generator.normal(size=(count, len(SIGNS))) * np.arange(1, len(SIGNS) + 1)
    chance = 1 / (1 + np.exp(-(table[:, 0] + 0.2 * table[:, 3] - 0.5)))
    signs = [dict(zip(SIGNS, row.tolist(), strict=True)) for row in table]
    return table, signs, generator.random(count) < chance


def test_weights_are_those_of_another_program():
    linear_model = pytest.importorskip("sklearn.linear_model")
    table, signs, truth = drawn()
    scaled = (table - table.mean(0)) / table.std(0)
    other = linear_model.LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(scaled, truth)
    own = [Calibration.fit(signs, truth.tolist()).probability(row) for row in signs]
    assert own == pytest.approx(other.predict_proba(scaled)[:, 1].tolist(), abs=1e-6)


def test_the_area_is_that_of_another_program_and_of_a_count():
    generator = np.random.default_rng(1)
    scores, truth = generator.integers(0, 8, 60).astype(float), generator.random(60) < 0.4
    pairs = [(one, other) for one in scores[truth] for other in scores[~truth]]
    counted = sum((one > other) + 0.5 * (one == other) for one, other in pairs) / len(pairs)
    assert roc_area(scores.tolist(), truth.tolist()) == pytest.approx(counted)
    metrics = pytest.importorskip("sklearn.metrics")
    assert roc_area(scores.tolist(), truth.tolist()) == pytest.approx(metrics.roc_auc_score(truth, scores))


def test_chances_that_come_true_have_no_calibration_error():
    assert calibration_error([0.25] * 4, [True, False, False, False]) == 0
    assert calibration_error([0.95] * 4, [False] * 4) == pytest.approx(0.95)


def test_what_cannot_be_learned_is_told():
    with pytest.raises(RegardError, match="needs good and bad translations"):
        Calibration.fit([dict.fromkeys(SIGNS, 0.0)] * 3, [True] * 3)
    with pytest.raises(RegardError, match="good translations and bad ones"):
        roc_area([0.1], [True])
    with pytest.raises(RegardError, match=r"unknown sign 'luck': known: intercept, mean_score"):
        Calibration.read({"luck": 1.0})
    for wrong in (math.nan, math.inf, True, "1", None, [1]):
        with pytest.raises(RegardError, match=r"mean_score = .*: a number expected"):
            Calibration.read({"mean_score": wrong})
    assert Calibration({"intercept": -5000.0}).probability({}) == 0.0


@pytest.fixture(scope="module")
def translator():
    return regard.load("en-de")


def test_words_have_the_probabilities_of_their_tokens(translator):
    answer = translator("The red house is old. Where is the station?")
    assert [word.word for word in answer.words] == answer.text.split()
    assert all(0 < word.probability <= 1 for word in answer.words)
    source = translator.read(answer.source)
    (written,) = translator.write([source], translator.generation_config())
    scores = [hypothesis.scores[: len(hypothesis.ids)] for hypothesis in written.choices[0]]
    total = sum(score for sentence in scores for score in sentence)
    assert math.log(math.prod(word.probability for word in answer.words)) == pytest.approx(total, abs=1e-6)


def test_what_the_model_did_not_choose_is_certain(translator):
    answer = translator("%s: The house is old.")
    assert (answer.words[0].word, answer.words[0].probability) == ("%s:", 1.0)
    prefixed = translator("The house is old.", prefix="Das")
    assert (prefixed.words[0].word, prefixed.words[0].probability) == ("Das", 1.0)


def test_confidence_is_of_each_sentence_and_of_the_worst(translator):
    answer = translator("The red house is old. Where is the station?")
    one, two = answer.confidence.sentences
    assert f"{one.text} {two.text}" == answer.text
    scores = [sentence.score for sentence in answer.confidence.sentences]
    assert answer.confidence.score == (None if None in scores else min(scores))
    alone = translator("Where is the station?").confidence.sentences[0]
    assert alone.signs == pytest.approx(two.signs)
    again = pickle.loads(pickle.dumps(answer))
    assert again.confidence == answer.confidence
    assert again.words == answer.words
    page = translator("<p>The red house is <b>old</b>.</p>", markup="html")
    assert len(page.confidence.sentences) == 1
    assert page.words


def test_a_folder_says_how_signs_are_weighed(translator, tmp_path):
    folder = tmp_path / "en-de"
    shutil.copytree(shipped_folder("en-de"), folder)
    (folder / "manifest.json").unlink()
    path = folder / "generation_config.json"
    known = json.loads(path.read_text())
    path.write_text(json.dumps(known | {"confidence": {"intercept": 1.0, "coverage": 2.0}}))
    sentence = regard.load(str(folder))("Where is the station?").confidence.sentences[0]
    assert sentence.score == pytest.approx(1 / (1 + math.exp(-1 - 2 * sentence.coverage)))
    path.write_text(json.dumps({key: value for key, value in known.items() if key != "confidence"}))
    assert regard.load(str(folder))("Where is the station?").confidence.score is None
    for wrong, message in (({"luck": 1.0}, "unknown sign 'luck'"), ({"coverage": "1"}, "coverage = '1': a number")):
        path.write_text(json.dumps(known | {"confidence": wrong}))
        with pytest.raises(CheckpointError, match=rf"generation_config.json: confidence: {message}"):
            regard.load(str(folder))


def test_translations_are_judged_by_references(translator):
    pytest.importorskip("sacrebleu")
    pairs = [("Where is the station?", "Wo ist der Bahnhof?"), ("The red house is old.", "xyzzy"), ("A. B. C.", "A.")]
    good, bad, *_ = list(judge(translator, pairs))
    assert good.is_good
    assert not bad.is_good
    calibration = calibrate([good, bad])
    assert calibration.probability(good.signs) > 0.5 > calibration.probability(bad.signs)
    assert halves(pairs) == ([pairs[0], pairs[2]], [pairs[1]])
