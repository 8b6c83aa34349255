"""Sentencepiece models trained here are read as transformers reads them."""

import sys
import warnings

import pytest
from text.pieces import ENGLISH, GERMAN, marian_files, sentencepiece, t5_files
from text.varied import LINES

from regard.text import Specials, TokenizerError, load_tokenizer

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def t5(tmp_path_factory):
    folder = tmp_path_factory.mktemp("t5")
    t5_files(folder)
    (folder / "config.json").write_text('{"model_type": "t5"}')
    return folder


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    marian_files(folder)
    (folder / "config.json").write_text('{"model_type": "marian"}')
    return folder


def theirs_of(kind, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "pip install sacremoses"
        return getattr(transformers, kind).from_pretrained(folder)


def test_t5_equals_sentencepiece(t5):
    ours, model = load_tokenizer(t5), sentencepiece.SentencePieceProcessor(model_file=str(t5 / "spiece.model"))
    for line in [*ENGLISH, *GERMAN, *LINES]:
        assert list(ours.encode(line).ids) == [*model.encode(line), 1], repr(line)
    assert ours.specials == Specials(eos=1, pad=0, unk=2)
    assert ours.number("<extra_id_0>") == model.get_piece_size() + 99
    found = ours.encode("The <extra_id_0> sleeps", special=True, bare=True).ids
    assert list(found) == [*model.encode("The"), ours.number("<extra_id_0>"), *model.encode("sleeps")]


def test_t5_equals_transformers(t5):
    pytest.importorskip("google.protobuf", reason="transformers needs protobuf to read spiece.model")
    ours, theirs = load_tokenizer(t5), theirs_of("T5Tokenizer", t5)
    printable = [line for line in LINES if line.isprintable()]  # it splits at control characters, T5 did not
    for line in [*ENGLISH, *GERMAN, *printable]:
        assert list(ours.encode(line).ids) == theirs(line, split_special_tokens=True)["input_ids"], repr(line)
    for line in ("The <extra_id_0> sleeps<extra_id_1> under", "<extra_id_99>", "a</s>b"):
        assert list(ours.encode(line, special=True).ids) == theirs(line)["input_ids"], line
    for line in [*ENGLISH, *GERMAN]:
        assert ours.decode(ours.encode(line).ids) == line


def test_marian_equals_transformers_on_both_sides(marian):
    ours, theirs = load_tokenizer(marian), theirs_of("MarianTokenizer", marian)
    for line in [*ENGLISH, *GERMAN, *LINES]:
        assert list(ours.encode(line).ids) == theirs(line)["input_ids"], repr(line)
        assert list(ours.target.encode(line).ids) == theirs(text_target=line)["input_ids"], repr(line)
    for line in GERMAN:
        ids = ours.target.encode(line).ids
        assert ours.target.decode(ids) == theirs.decode(ids, skip_special_tokens=True) == line


def test_a_language_code_is_text_unless_asked_for(marian):
    ours, theirs = load_tokenizer(marian), theirs_of("MarianTokenizer", marian)
    text = ">>deu<<The dog"
    assert ours.encode(text, special=True).ids[0] == ours.number(">>deu<<") == theirs(text)["input_ids"][0]
    assert ours.encode(text, special=True).ids == tuple(theirs(text)["input_ids"])
    assert ours.number(">>deu<<") not in ours.encode(text).ids


@pytest.mark.parametrize("kind", ["t5", "marian"])
def test_text_that_looks_special_stays_text(kind, request):
    ours = load_tokenizer(request.getfixturevalue(kind))
    end, unknown = ours.specials.eos, ours.specials.unk
    for text in ("</s>", "a</s>b <unk>", "<pad>", "<extra_id_0>"):
        found = ours.encode(text)
        assert found.ids[-1] == end
        assert not (set(ours.model.special) - {unknown}) & set(found.ids[:-1]), found.tokens


@pytest.mark.parametrize("kind", ["t5", "marian"])
def test_streams_equal_whole_texts(kind, request):
    ours = load_tokenizer(request.getfixturevalue(kind)).target
    for line in [*GERMAN, "x y  z", "ÄÖÜ ſ"]:
        ids = ours.encode(line).ids
        stream = ours.stream()
        assert "".join([*(stream.add(number) for number in ids), stream.end()]) == ours.decode(ids)


def test_offsets_and_words_point_into_the_text(t5):
    found = load_tokenizer(t5).encode("Es ist Größe", "wo")
    assert found.texts.count(None) == 2
    assert found.texts[-1] is None
    text = "".join(
        "Es ist Größe"[start:end] for (start, end), text in zip(found.offsets, found.texts, strict=True) if text == 0
    )
    assert text.replace(" ", "") == "EsistGröße"
    words = [word for word, text in zip(found.words, found.texts, strict=True) if text == 0]
    assert (min(words), max(words)) == (0, 2)


def test_without_sentencepiece_one_line_says_what_to_install(t5, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(
        TokenizerError, match=r"spiece.model: reading it needs sentencepiece: pip install 'regard\[sent"
    ):
        load_tokenizer(t5)


def test_a_broken_model_is_named(tmp_path):
    (tmp_path / "spiece.model").write_bytes(b"\x0a\xff\xff\xff\xff\x0f nonsense")
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    with pytest.raises(TokenizerError, match=r"spiece.model: no readable sentencepiece model"):
        load_tokenizer(tmp_path)


def test_a_family_whose_rules_are_not_known_is_refused(t5, tmp_path):
    (tmp_path / "spiece.model").write_bytes((t5 / "spiece.model").read_bytes())
    (tmp_path / "config.json").write_text('{"model_type": "xlnet"}')
    with pytest.raises(TokenizerError, match="'xlnet' is not supported, only bert-generation, llama, t5"):
        load_tokenizer(tmp_path)
