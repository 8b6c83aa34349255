"""One of a set does not belong."""

from random import Random

from regard.text.synthetic.anomaly import SETS, AnomalyTask

KIND = {word: kind for kind, words in SETS.items() for word in words}


def test_all_words_but_the_label_are_of_one_kind():
    random, task = Random(2), AnomalyTask(size=5)
    places = set()
    for _ in range(100):
        text, label = task.draw(random, "train").split("\t")
        words = text.split()
        others = {KIND[word] for word in words if word != label}
        assert (len(words), len(set(words)), len(others)) == (5, 5, 1)
        assert KIND[label] not in others
        places.add(words.index(label))
    assert places == set(range(5))


def test_no_word_is_of_two_kinds():
    assert len(KIND) == sum(map(len, SETS.values()))
