import pytest
from text.varied import LINES
from text.vocabularies import write_wordpieces
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from regard.text import DetokenizingStream, load_tokenizer
from regard.text import Tokenizer as Ours
from regard.text.compiled_tokenizer import CompiledTokenizer


def byte_letters():
    """Every byte a token: all but plain letters arrive in halves."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({letter: number for number, letter in enumerate(letters)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return Ours(CompiledTokenizer(tokenizer))


def byte_fallback():
    """Letters, and bytes for what is none of them, as in Llama."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abcdefghijklmnopqrstuvwxyz"]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(numbers, [], unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(parts)
    return Ours(CompiledTokenizer(tokenizer))


def wordpieces(tmp_path):
    return load_tokenizer(write_wordpieces(tmp_path))


@pytest.mark.parametrize("make", [byte_letters, byte_fallback, wordpieces])
def test_the_parts_of_a_stream_are_the_text_and_nothing_is_taken_back(make, tmp_path):
    tokenizer = make(tmp_path) if make is wordpieces else make()
    for line in LINES[::3]:
        ids = tokenizer.encode(line).ids
        stream, given = tokenizer.stream(), []
        for number in ids:
            given.append(stream.add(number))
            assert tokenizer.decode(ids).startswith("".join(given))
        given.append(stream.end())
        assert "".join(given) == tokenizer.decode(ids), repr(line)


def test_never_half_a_character():
    tokenizer = byte_letters()
    stream = tokenizer.stream()
    parts = [stream.add(number) for number in tokenizer.encode("é😀a").ids]
    assert parts == ["", "é", "", "", "", "😀", "a"]


def test_bytes_that_never_become_a_character_come_at_the_end():
    tokenizer = byte_letters()
    stream = tokenizer.stream()
    assert [stream.add(number) for number in tokenizer.encode("😀").ids[:2]] == ["", ""]
    assert stream.end() == "\N{REPLACEMENT CHARACTER}"
    assert stream.end() == ""


def test_a_few_tokens_are_decoded_at_a_time():
    seen = []

    def decode(ids):
        seen.append(len(ids))
        return "".join(map(str, ids))

    stream = DetokenizingStream(decode)
    assert "".join(stream.add(number % 10) for number in range(500)) == "0123456789" * 50
    assert max(seen) == 2
