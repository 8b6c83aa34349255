"""What tokens stand for, against the bytes that they were made from."""

import json

import pytest
from tasks.tiny import BYTES, bert, gpt2
from tokenizers import Tokenizer, models
from tokenizers.pre_tokenizers import ByteLevel

import regard
from regard.tasks.spelling import byte_letters, token_text, token_texts
from regard.text import load_tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    """A byte-level tokeniser with words of more bytes than letters."""
    folder = tmp_path_factory.mktemp("bytes")
    gpt2(folder)
    merges = [("Ã", "¼"), ("r", "Ã¼"), ("Ġ", "T"), ("ĠT", "Ã¼")]
    words = {**BYTES, **{"".join(pair): len(BYTES) + position for position, pair in enumerate(merges)}}
    (folder / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *map(" ".join, merges)]) + "\n", encoding="utf-8")
    return load_tokenizer(folder)


def test_every_byte_has_the_letter_that_the_package_gives_it():
    assert set(byte_letters()) == set(ByteLevel.alphabet())
    assert sorted(byte_letters().values()) == [*range(256)]
    for text in ("über Straße, 12 €\n\t", "日本 \x7f\x00"):
        ((letters, _),) = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
        assert bytes(byte_letters()[letter] for letter in letters).decode() == text


@pytest.mark.parametrize("text", ["grün", "eine Tür", "Größe\n", "The cat"])
def test_tokens_that_hold_whole_letters_put_together_are_the_text(tokenizer, text):
    texts = token_texts(tokenizer, tokenizer.encode(text, bare=True).ids)
    assert "".join(texts).replace("<0xC3><0xB6>", "ö").replace("<0xC3><0x9F>", "ß") == text


def test_a_word_and_half_a_letter_are_told_apart(tokenizer):
    assert token_text(tokenizer, tokenizer.number("ĠTÃ¼")) == " Tü"
    assert token_text(tokenizer, tokenizer.number("Ã")) == "<0xC3>"
    assert token_text(tokenizer, tokenizer.number("Ċ")) == "\n"
    assert token_text(tokenizer, tokenizer.number("<|endoftext|>")) == "<|endoftext|>"
    assert token_text(tokenizer, 99_999) == "<99999>"


def test_letters_of_other_vocabularies_mean_themselves(tmp_path):
    words = {"Ã¼": 0, "ü": 1, "▁Tür": 2, "[UNK]": 3, "dog": 4}
    Tokenizer(models.WordLevel(words, unk_token="[UNK]")).save(str(tmp_path / "tokenizer.json"))
    tokenizer = load_tokenizer(tmp_path)
    assert token_texts(tokenizer, range(5)) == tuple(words)
    bert("ForMaskedLM", tmp_path / "bert")
    pieces = regard.load(tmp_path / "bert").tokenizer
    assert token_text(pieces, pieces.number("##ing")) == "##ing"
