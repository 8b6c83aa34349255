"""Sentences can be written apart, in any company, and make the same texts."""

import pytest

import regard

TEXTS = ["Where is the station? I am tired. Call 555-1234!", "", "She has {count} apples; he said: no."]


@pytest.fixture(scope="module")
def task():
    return regard.load("en-de")


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        (TEXTS, {}),
        (TEXTS, {"protect": False}),
        (["<p>Where is <b>the station</b>? I am <i>tired</i>.</p>", "<br>Yes."], {"markup": "html"}),
    ],
)
def test_sentences_that_are_written_apart_make_the_same_texts(task, texts, options):
    expected = task(texts, num_hypotheses=2, **options)
    read, config = task.read_texts(texts, range(1, len(texts) + 1), **options), task.generation_config(num_hypotheses=2)
    written = []
    for sentence in reversed(read.sentences):
        sources, results = task.write_protected([sentence], config)
        written.insert(0, (sources[0], results[0]))
    answers = task.answer_texts(read, *read.join_sentences(written, 2), 2)
    assert [answer.text for answer in answers] == [one.text for one in expected]
    assert [[other.text for other in answer.alternatives] for answer in answers] == [
        [other.text for other in one.alternatives] for one in expected
    ]
    assert [answer.warnings for answer in answers] == [one.warnings for one in expected]
