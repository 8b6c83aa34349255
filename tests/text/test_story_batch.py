import numpy as np
import pytest
import torch

from regard.text import DataError, Question, Stories, train_tokenizer
from regard.text.story_batch import StoryBatch
from regard.text.story_rows import encode_story, story_rows

STORY = ("Mary went to the kitchen.", "John went home.", "Mary took the milk, then the apple.")
TEXTS = [*STORY, "Where is Mary?", "What has Mary?", "milk,apple"]


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer("unmarked", 0, TEXTS, frame="story", lower=True)


def test_words_have_no_marks_and_lists_are_one_word(tokenizer):
    assert tokenizer.encode("Where  is Mary?!", bare=True).tokens == ("where", "is", "mary")
    assert tokenizer.encode(STORY[2]).tokens == ("mary", "took", "the", "milk", "then", "the", "apple")
    assert tokenizer.encode("milk,apple").tokens == ("milk,apple",)
    assert tokenizer.specials.pad == 0


def test_a_story_is_the_last_sentences_of_it(tokenizer):
    story, question = encode_story(STORY, "Where is Mary?", tokenizer, memories=2)
    assert story.shape == (2, 7)
    assert tokenizer.tokens(story[0].tolist()) == ("john", "went", "home", *["<pad>"] * 4)
    assert tokenizer.tokens(question.tolist()) == ("where", "is", "mary")
    assert len(encode_story(STORY, "Where is Mary?", tokenizer)[0]) == 3


def test_an_answer_is_one_word(tokenizer):
    asked = Question(STORY, "What has Mary?", "milk,apple", (2,), "qa.txt:4")
    assert tokenizer.tokens(story_rows([asked], tokenizer)[0][2].tolist()) == ("milk,apple",)
    with pytest.raises(DataError, match=r"qa\.txt:4: an answer of one word expected, got 'the milk'"):
        story_rows([Question(STORY, "What?", "the milk", (), "qa.txt:4")], tokenizer)


def test_what_is_taken_has_no_padding_to_spare():
    short = (np.array([[1, 2]]), np.array([3]), np.array([4]))
    long = (np.array([[1, 2, 3], [4, 5, 0], [6, 0, 0]]), np.array([3, 1]), np.array([5]))
    both = StoryBatch.of([short, long])
    assert both.story.shape == (2, 3, 3)
    assert both.counts.tolist() == [1, 3]
    alone = both.take(torch.tensor([0]))
    assert alone.story.tolist() == [[[1, 2]]]
    assert alone.question.tolist() == [[3]]
    assert both.take(torch.tensor([1])).story.tolist() == [long[0].tolist()]


def test_some_files_of_an_archive_are_named_like_a_path():
    assert Stories.at("data/babi.tar.xz/*_train.txt").members == "**_train.txt"
    assert str(Stories.at("data/babi.tar.xz/*_train.txt").path) == "data/babi.tar.xz"
    assert Stories.at("data/babi.tar.xz").members == "*"
    assert str(Stories.at("data/qa1.txt").path) == "data/qa1.txt"
