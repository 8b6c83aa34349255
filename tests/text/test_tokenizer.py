"""What a tokeniser makes of a text, and back. Also tests: text/compiled_tokenizer.py."""

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from regard.text import Specials, TokenizerError
from regard.text import Tokenizer as Ours
from regard.text.compiled_tokenizer import CompiledTokenizer

NAMES = ["<pad>", "</s>", "<unk>"]
LETTERS = [(letter, -2.0 - position / 100) for position, letter in enumerate("▁abcdefghijklmnopqrstuvwxyz<>/[]")]


def unigram():
    """Pieces by their chance, where special tokens are pieces as good as any."""
    tokenizer = Tokenizer(models.Unigram([*((name, 0.0) for name in NAMES), ("▁the", -1.0), *LETTERS], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return finished(tokenizer)


def words():
    """Whole words between spaces, special ones among them."""
    numbers = {word: number for number, word in enumerate([*NAMES, "the", "a", "<", "/"])}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return finished(tokenizer)


def merges():
    """Merges that lead to a special token, and one that is looked up whole."""
    letters = [*NAMES, *"<>/s▁the", "</", "s>", "th", "the"]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(letters))}
    pairs = [("<", "/"), ("s", ">"), ("</", "s>"), ("t", "h"), ("th", "e")]
    tokenizer = Tokenizer(models.BPE(numbers, pairs, unk_token="<unk>", ignore_merges=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    return finished(tokenizer)


def later():
    """Special tokens that are not in the model, and come after an ordinary added one."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "the": 1}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_tokens(["plain"])
    tokenizer.add_special_tokens(["<pad>", "</s>"])
    tokenizer.add_tokens(["after"])
    return finished(tokenizer)


def finished(tokenizer):
    tokenizer.add_special_tokens([AddedToken(name, normalized=False) for name in NAMES])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B:1 </s>:1", special_tokens=[("</s>", tokenizer.token_to_id("</s>"))]
    )
    numbers = {name: tokenizer.token_to_id(name) for name in NAMES}
    return Ours(CompiledTokenizer(tokenizer), Specials(eos=numbers["</s>"], pad=numbers["<pad>"], unk=numbers["<unk>"]))


@pytest.mark.parametrize("make", [unigram, words, merges, later])
def test_text_that_looks_special_stays_text(make):
    tokenizer = make()
    end, pad = tokenizer.specials.eos, tokenizer.specials.pad
    for text in ("the </s>", "</s>", "</s></s> the<pad>", "<pad>"):
        found = tokenizer.encode(text)
        assert found.ids[-1] == end
        assert not {end, pad} & set(found.ids[:-1]), found.tokens
        assert found.texts[-1] is None


@pytest.mark.parametrize("make", [unigram, words, merges, later])
def test_special_tokens_are_read_when_asked_for(make):
    tokenizer = make()
    end, pad = tokenizer.specials.eos, tokenizer.specials.pad
    assert {end, pad} <= set(tokenizer.encode("the </s> <pad>", special=True, bare=True).ids)
    only = tokenizer.encode("the </s> <pad>", special=["</s>"], bare=True).ids
    assert end in only
    assert pad not in only


@pytest.mark.parametrize("make", [unigram, words, merges, later])
def test_hiding_special_tokens_changes_nothing_else(make):
    tokenizer = make()
    for text in ("the the", "the plain after the", "thethe", ""):
        assert tokenizer.encode(text) == tokenizer.encode(text, special=True)
        assert tokenizer.encode(text, "the") == tokenizer.encode(text, "the", special=True)


def test_a_pair_has_segments_and_offsets_of_its_own():
    found = words().encode("the a", "a the the")
    assert found.segments == (0, 0, 0, 1, 1, 1, 1)
    assert found.texts == (0, 0, None, 1, 1, 1, None)
    assert found.offsets == ((0, 3), (4, 5), (0, 0), (0, 1), (2, 5), (6, 9), (0, 0))
    assert found.words == (0, 1, None, 0, 1, 2, None)


def test_decoding_leaves_special_tokens_out_and_shows_unknown_words():
    tokenizer = words()
    ids = tokenizer.encode("the zebra").ids
    assert tokenizer.decode(ids) == "the <unk>"
    assert tokenizer.decode(ids, special=True) == "the <unk> </s>"


def test_tokens_and_numbers_are_looked_up():
    tokenizer = words()
    assert tokenizer.number("the") == 3
    assert tokenizer.tokens([3, 0, 99]) == ("the", "<pad>", "<99>")
    assert len(tokenizer) == 7
    with pytest.raises(TokenizerError, match="no token 'zebra' among the 7"):
        tokenizer.number("zebra")


def test_asking_for_a_token_that_is_not_special_lists_those_that_are():
    with pytest.raises(TokenizerError, match="no special token: the; there are <pad>, </s>, <unk>"):
        words().encode("the", special=["the"])
    with pytest.raises(TokenizerError, match="got the one string '</s>'"):
        words().encode("the", special="</s>")


def test_half_a_surrogate_is_one_clear_line():
    with pytest.raises(TokenizerError, match="cannot read this text"):
        words().encode("\ud800")
