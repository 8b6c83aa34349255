import json

import pytest
import torch
from tasks.tiny import TEXTS, bart, saved, their_tokens, transformers
from text.pieces import ENGLISH, marian_files, t5_files

import regard
from regard.checkpoints import CheckpointError
from regard.tasks import TextTooLong, Translate
from regard.text import TokenizerError


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translate")
    return bart(folder), folder


@pytest.fixture(scope="module")
def translate(made):
    return regard.load(made[1])


@torch.no_grad()
@pytest.mark.parametrize("rules", [{}, {"min_length": 9}, {"forced_bos_token_id": 40}, {"bad_words_ids": [[9], [77]]}])
def test_tokens_equal_those_of_the_reference(made, rules, tmp_path):
    model, folder = made
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    known = json.loads((folder / "generation_config.json").read_text())
    (tmp_path / "generation_config.json").write_text(json.dumps(known | {"max_length": 15} | rules))
    found = regard.load(tmp_path)(TEXTS)
    for text, one in zip(TEXTS, found, strict=True):
        written = model.generate(**their_tokens(folder, [text]), max_length=15, num_beams=1, do_sample=False, **rules)
        written = written[0, 1:].tolist()
        assert list(one.ids) == written[: written.index(2)]
        assert one.is_finished


def small(kind, folder, count):
    """A Marian or a T5 for so many tokens."""
    torch.manual_seed(3)
    if kind == "marian":
        config = transformers.MarianConfig(
            vocab_size=count, d_model=24, encoder_layers=2, decoder_layers=2, encoder_attention_heads=3,
            decoder_attention_heads=3, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64,
            pad_token_id=count - 1, decoder_start_token_id=count - 1, eos_token_id=0, forced_eos_token_id=0,
        )  # fmt: skip
        return saved(transformers.MarianMTModel(config), folder)
    config = transformers.T5Config(
        vocab_size=count, d_model=24, d_kv=8, d_ff=32, num_layers=2, num_heads=3, decoder_start_token_id=0
    )
    return saved(transformers.T5ForConditionalGeneration(config), folder)


@torch.no_grad()
@pytest.mark.parametrize("kind", ["marian", "t5"])
def test_sentencepiece_models_write_as_the_reference(kind, tmp_path):
    count = len(marian_files(tmp_path)) if kind == "marian" else t5_files(tmp_path)
    model = small(kind, tmp_path, count)
    banned = [[count - 1]] if kind == "marian" else []
    known = json.loads((tmp_path / "generation_config.json").read_text())
    (tmp_path / "generation_config.json").write_text(json.dumps(known | {"bad_words_ids": banned or None}))
    translate = regard.load(tmp_path)
    found = translate(ENGLISH, max_length=14)
    for text, one in zip(ENGLISH, found, strict=True):
        source = torch.tensor([translate.tokenizer.encode(text).ids])
        told = {"bad_words_ids": banned} if banned else {}
        written = model.generate(source, max_new_tokens=14, num_beams=1, do_sample=False, **told)[0, 1:].tolist()
        end = translate.tokenizer.specials.eos
        assert list(one.ids) == (written[: written.index(end)] if end in written else written)
        assert one.text == translate.tokenizer.target.decode(one.ids)
        assert one.text == one.text.strip()


def test_a_language_is_asked_for_by_its_code(tmp_path):
    small("marian", tmp_path, len(marian_files(tmp_path)))
    translate = regard.load(tmp_path)
    code = translate.tokenizer.number(">>deu<<")
    assert translate.read_source("The dog", None, translate.code("deu")).ids[0] == code
    assert code not in translate.read_source(">>deu<<The dog", None, None).ids
    assert (
        translate("The dog", language="deu", max_length=5).ids
        == translate("The dog", language=">>deu<<", max_length=5).ids
    )
    with pytest.raises(TokenizerError, match="no language 'fra': >>deu<<"):
        translate("The dog", language="fra")


def test_answers_do_not_depend_on_the_batch(translate):
    assert isinstance(translate, Translate)
    together = translate(TEXTS, max_length=20)
    alone = [translate(text, max_length=20) for text in TEXTS]
    assert [one.ids for one in together] == [one.ids for one in alone]
    assert [one.score for one in together] == pytest.approx([one.score for one in alone], abs=1e-4)
    assert [one.source for one in together] == TEXTS
    assert all(one.score < 0 for one in together)


def test_watching_sees_what_was_used(translate):
    with regard.watch(translate.model) as seen:
        translate(TEXTS[0], max_length=4)
    assert "decoder.0.cross" in seen


def test_a_long_text_is_one_line_with_the_counts(translate):
    with pytest.raises(TextTooLong, match=r"^the text has 62 tokens, the model reads at most 48$"):
        translate("x" * 60)


def test_a_language_that_is_not_known_is_an_error(translate):
    with pytest.raises(TokenizerError, match="no language 'fra'"):
        translate("a", language="fra")


def test_a_folder_that_does_not_say_how_to_begin_is_an_error(made, tmp_path):
    for file in made[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config = {key: value for key, value in config.items() if key not in ("decoder_start_token_id", "bos_token_id")}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "generation_config.json").unlink()
    with pytest.raises(CheckpointError, match="no decoder_start_token_id"):
        regard.load(tmp_path)("a")
