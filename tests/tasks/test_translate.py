import json

import pytest
import torch
from tasks.tiny import TEXTS, bart, their_tokens

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
