"""Tokenisers of folders are held equal to those of transformers, on made-up vocabularies and published ones.

Also tests: text/bytelevel.py, text/files.py, text/specials.py, text/wordpiece.py.
"""

import json

import pytest
from shared import unpacked
from text.varied import LINES
from text.vocabularies import byte_pieces, wordpieces, write_byte_pieces, write_wordpieces

from regard.errors import UnknownName
from regard.text import Specials, TokenizerError, load_tokenizer

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return write_wordpieces(tmp_path_factory.mktemp("bert"))


@pytest.fixture(scope="module")
def gpt2(tmp_path_factory):
    return write_byte_pieces(tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    return write_byte_pieces(tmp_path_factory.mktemp("roberta"), "roberta")


@pytest.fixture(scope="module")
def published_bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published_bert")
    (folder / "vocab.txt").write_text(unpacked("tokenizers/bert-base-uncased/vocab.txt.xz"), encoding="utf-8")
    (folder / "config.json").write_text('{"model_type": "bert"}')
    return folder


@pytest.fixture(scope="module")
def published_gpt2(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published_gpt2")
    for file in ("vocab.json", "merges.txt"):
        (folder / file).write_text(unpacked(f"tokenizers/gpt2/{file}.xz"), encoding="utf-8")
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    return folder


def same(ours, theirs, lines=LINES, **asked):
    for line in lines:
        found, expected = ours.encode(line, **asked), theirs(line, return_offsets_mapping=True)
        assert list(found.ids) == expected["input_ids"], repr(line)
        assert len(found.offsets) == len(found.words) == len(found.segments) == len(found.tokens) == len(found)


@pytest.mark.parametrize(
    "settings", [{}, {"do_lower_case": False}, {"strip_accents": False}, {"tokenize_chinese_chars": False}]
)
def test_wordpieces_equal_those_of_transformers(bert, settings, tmp_path):
    (tmp_path / "vocab.txt").write_bytes((bert / "vocab.txt").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", **settings}))
    same(load_tokenizer(tmp_path), transformers.BertTokenizer.from_pretrained(tmp_path))


def test_the_lines_meet_every_sort_of_piece(bert, gpt2):
    wordwise, bytewise = load_tokenizer(bert), load_tokenizer(gpt2)
    found = {token for line in LINES for token in wordwise.encode(line, bare=True).tokens}
    assert "[UNK]" in found
    assert any(token.startswith("##") and len(token) > 4 for token in found)
    assert any(token.isalpha() and len(token) > 2 for token in found)
    assert any(len(token) > 4 for line in LINES for token in bytewise.encode(line, bare=True).tokens)


def test_byte_pieces_equal_those_of_gpt2(gpt2):
    same(load_tokenizer(gpt2), transformers.GPT2Tokenizer.from_pretrained(gpt2))


def test_published_vocabularies_are_read_as_in_transformers(published_bert, published_gpt2):
    bert, gpt2 = load_tokenizer(published_bert), load_tokenizer(published_gpt2)
    same(bert, transformers.BertTokenizer.from_pretrained(published_bert))
    same(gpt2, transformers.GPT2Tokenizer.from_pretrained(published_gpt2))
    assert bert.specials == Specials(pad=0, unk=100, cls=101, sep=102, mask=103)
    assert gpt2.specials == Specials(bos=50256, eos=50256, unk=50256)


@pytest.mark.parametrize("settings", [{}, {"add_prefix_space": True}])
def test_byte_pieces_equal_those_of_roberta(roberta, settings, tmp_path):
    for file in ("vocab.json", "merges.txt"):
        (tmp_path / file).write_bytes((roberta / file).read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "RobertaTokenizer", **settings}))
    ours, theirs = load_tokenizer(tmp_path), transformers.RobertaTokenizer.from_pretrained(tmp_path)
    same(ours, theirs)
    assert list(ours.encode("one", "two").ids) == theirs("one", "two")["input_ids"]


@pytest.mark.parametrize("kind", ["bert", "gpt2", "roberta"])
def test_a_tokenizer_json_equals_the_files_that_it_was_made_from(kind, request, tmp_path):
    folder = request.getfixturevalue(kind)
    plain = load_tokenizer(folder)
    plain.model.whole.save(str(tmp_path / "tokenizer.json"))
    again = load_tokenizer(tmp_path)
    for line in LINES[:120]:
        assert again.encode(line) == plain.encode(line)


@pytest.mark.parametrize("kind", ["bert", "gpt2", "roberta"])
def test_special_tokens_are_read_when_asked_for(kind, request):
    folder = request.getfixturevalue(kind)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    texts = ["[MASK] a [SEP] b[CLS]", "a <mask> b</s><s>", "x<|endoftext|>y <|endoftext|>"]
    same(load_tokenizer(folder), theirs, texts, special=True)


def test_what_a_file_says_about_its_mask_is_followed(roberta, tmp_path):
    for file in ("vocab.json", "merges.txt", "config.json"):
        (tmp_path / file).write_bytes((roberta / file).read_bytes())
    mask = {"content": "<mask>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"mask_token": mask}))
    assert load_tokenizer(tmp_path).encode("a <mask> b", special=True, bare=True).tokens == ("a", " <mask>", "Ġb")
    assert load_tokenizer(roberta).encode("a <mask> b", special=True, bare=True).tokens == ("a", "Ġ", "<mask>", "Ġb")


def test_special_numbers_come_from_the_files(bert, gpt2, roberta):
    names = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    pieces = wordpieces()
    assert load_tokenizer(bert).specials == Specials(**{kind: pieces.index(name) for kind, name in names.items()})
    last = len(byte_pieces()[0])
    assert load_tokenizer(gpt2).specials == Specials(bos=last, eos=last, unk=last)
    assert load_tokenizer(roberta).specials == Specials(bos=0, pad=1, eos=2, sep=2, cls=0, unk=3, mask=4)


def test_the_numbers_of_a_config_fill_gaps(gpt2, tmp_path):
    load_tokenizer(gpt2).model.whole.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "pad_token_id": 7, "eos_token_id": [0, 9]}')
    assert load_tokenizer(tmp_path).specials == Specials(eos=0, pad=7)


def test_a_length_or_padding_in_tokenizer_json_cuts_nothing(bert, tmp_path):
    whole = load_tokenizer(bert).model.whole
    whole.enable_truncation(4)
    whole.enable_padding(length=9)
    whole.save(str(tmp_path / "tokenizer.json"))
    assert len(load_tokenizer(tmp_path).encode("a b c d e")) == 7
    assert len(load_tokenizer(tmp_path).encode("a")) == 3


@pytest.mark.parametrize("asked", [{"add_bos_token": True}, {"add_eos_token": True}, {"add_bos_token": False}])
def test_a_config_decides_what_goes_around_a_text(gpt2, asked, tmp_path):
    for file in ("vocab.json", "merges.txt"):
        (tmp_path / file).write_bytes((gpt2 / file).read_bytes())
    names = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "tokenizer_class": "GPT2Tokenizer"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({**names, **asked}))
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert list(load_tokenizer(tmp_path).encode("a b").ids) == theirs("a b")["input_ids"]
    assert list(load_tokenizer(tmp_path).encode("a b", "c").ids) == theirs("a b", "c")["input_ids"]


def test_added_tokens_keep_their_numbers(bert, tmp_path):
    (tmp_path / "vocab.txt").write_bytes((bert / "vocab.txt").read_bytes())
    pieces = wordpieces()
    size = len(pieces)
    (tmp_path / "added_tokens.json").write_text(json.dumps({"zzyzx": size, "qqqq": size + 1}))
    assert load_tokenizer(tmp_path).encode("a zzyzx qqqq", bare=True).ids == (pieces.index("a"), size, size + 1)
    (tmp_path / "added_tokens.json").write_text('{"zzyzx": 40000}')
    with pytest.raises(TokenizerError, match=f"'zzyzx' would be {size}, not 40000"):
        load_tokenizer(tmp_path)


HOSTILE = {
    "tokenizer.json": [
        "",
        "[" * 100_000,
        "{}",
        '{"model": {"type": "BPE", "vocab": {}, "merges": [["a", "b"]]}}',
        "\xff",
    ],
    "vocab.txt": ["", "one\ntwo\n"],
    "tokenizer_config.json": ["[" * 100_000, "[]", '{"mask_token": 7}'],
}


@pytest.mark.parametrize(("file", "content"), [(file, content) for file in HOSTILE for content in HOSTILE[file]])
def test_a_broken_file_is_one_line_that_names_it(file, content, tmp_path):
    (tmp_path / file).write_bytes(content.encode("latin-1"))
    with pytest.raises(TokenizerError) as caught:
        load_tokenizer(tmp_path)
    assert file in str(caught.value)
    assert "\n" not in str(caught.value)


def test_merges_that_do_not_fit_the_vocabulary_are_named(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1}')
    (tmp_path / "merges.txt").write_text("a b\n")
    with pytest.raises(TokenizerError, match=r"merges.txt: 'a b' does not merge two pieces of vocab.json"):
        load_tokenizer(tmp_path)


def test_a_family_that_is_not_known_is_refused(gpt2, tmp_path):
    for file in ("vocab.json", "merges.txt"):
        (tmp_path / file).write_bytes((gpt2 / file).read_bytes())
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "CLIPTokenizer"}')
    with pytest.raises(UnknownName, match=r"'clip'.*known: bart, gpt2, roberta"):
        load_tokenizer(tmp_path)


def test_a_folder_without_a_tokeniser_says_what_was_expected(tmp_path):
    with pytest.raises(TokenizerError, match=r"no tokeniser: tokenizer.json, vocab.txt, .* expected"):
        load_tokenizer(tmp_path)
