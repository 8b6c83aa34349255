"""Translations: searched, sampled, split, and as a folder says.

Also tests: tasks/decode_batch.py, tasks/generation_config.py, tasks/processors/translate.py, tasks/translation.py.
"""

import json

import pytest
import torch
from tasks.evaluated import learned, write_texts
from tasks.tiny import TEXTS, bart, their_tokens
from tasks.translators import small, told
from text.pieces import ENGLISH, marian_files, t5_files

import regard
from regard.checkpoints import CheckpointError
from regard.decoding import DecodeResult, Hypothesis
from regard.errors import RegardError
from regard.tasks import Sampling, TextTooLong, TranslateTask, decode_batch
from regard.tasks.evaluation import evaluate
from regard.tasks.evaluation.translators import remove_marks
from regard.tasks.inputs import text_list
from regard.text import TabbedCorpus, TokenizerError


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


@torch.no_grad()
@pytest.mark.parametrize("kind", ["marian", "t5"])
def test_sentencepiece_models_write_as_the_reference(kind, tmp_path):
    count = len(marian_files(tmp_path)) if kind == "marian" else t5_files(tmp_path)
    model = small(kind, tmp_path, count)
    banned = [[count - 1]] if kind == "marian" else []
    known = json.loads((tmp_path / "generation_config.json").read_text())
    (tmp_path / "generation_config.json").write_text(json.dumps(known | {"bad_words_ids": banned or None}))
    translate = regard.load(tmp_path)
    found = translate(ENGLISH, max_new_tokens=14)
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
    assert translate.processor.read_source("The dog", None, translate.processor.code("deu")).ids[0] == code
    assert code not in translate.processor.read_source(">>deu<<The dog", None, "").ids
    assert (
        translate("The dog", language="deu", max_new_tokens=5).ids
        == translate("The dog", language=">>deu<<", max_new_tokens=5).ids
    )
    with pytest.raises(TokenizerError, match="no language 'fra': >>deu<<"):
        translate("The dog", language="fra")


def test_answers_do_not_depend_on_the_batch(translate):
    assert isinstance(translate, TranslateTask)
    together = translate(TEXTS, max_new_tokens=20)
    alone = [translate(text, max_new_tokens=20) for text in TEXTS]
    assert [one.ids for one in together] == [one.ids for one in alone]
    assert [one.score for one in together] == pytest.approx([one.score for one in alone], abs=1e-4)
    assert [one.source for one in together] == TEXTS
    assert all(one.score < 0 for one in together)


def test_a_long_text_is_one_line_with_the_counts(translate):
    with pytest.raises(
        TextTooLong, match=r"^the text has 62 tokens, the model reads at most 48; split=True \(--split\)"
    ):
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


def test_beams_and_penalties_are_those_of_the_folder_unless_told(made, tmp_path, monkeypatch):
    calls = []

    def decode(*_, beam, num_hypotheses, length_penalty, sampling, max_new_tokens, constraints, **__):
        calls.append(
            (beam.size, beam.early_stop, num_hypotheses, length_penalty, sampling, max_new_tokens, constraints)
        )
        return [
            DecodeResult(
                tuple(Hypothesis((9 + number,), (-1.0,), True, -float(number)) for number in range(num_hypotheses))
            )
        ]

    monkeypatch.setattr(decode_batch, "decode", decode)
    folder = told(
        made[1], tmp_path, num_beams=3, length_penalty=0.5, early_stopping="never", max_length=9, min_length=4,
        no_repeat_ngram_size=2, repetition_penalty=1.5, bad_words_ids=[[7], [8, 9]], begin_suppress_tokens=[5],
        suppress_tokens=[6], forced_bos_token_id=4, temperature=0.5, top_k=7,
    )  # fmt: skip
    translate = regard.load(folder)
    translate("a")
    translate("a", beam=2, num_hypotheses=2, length_penalty=2.0, max_new_tokens=5, min_new_tokens=0)
    translate("a", num_hypotheses=5)
    (size, early, num_hypotheses, penalty, sampling, limit, constraints), other, many = calls
    assert (size, early, num_hypotheses, penalty, sampling, limit) == (3, False, 1, 0.5, None, [8])
    assert (constraints.min_new_tokens, constraints.no_repeat, constraints.repetition_penalty) == (3, 2, 1.5)
    assert (constraints.banned, constraints.phrases, constraints.banned_first, constraints.first) == (
        (7, 6),
        ((8, 9),),
        (5,),
        4,
    )
    assert other[0] == 2
    assert other[2:4] == (2, 2.0)
    assert (other[5], other[6].min_new_tokens) == ([5], 0)
    assert many[0] == 5
    calls.clear()
    for sample in (True, {"top_k": 3, "min_p": 0.1}, Sampling(top_p=0.5)):
        translate("a", sample=sample, seed=4)
    assert [call[0] for call in calls] == [1, 1, 1]
    assert [call[4] for call in calls] == [
        Sampling(temperature=0.5, top_k=7, seed=4),
        Sampling(temperature=0.5, top_k=3, min_p=0.1, seed=4),
        Sampling(top_p=0.5, seed=4),
    ]


def test_a_folder_that_samples_is_followed_and_can_be_overruled(made, tmp_path):
    translate = regard.load(told(made[1], tmp_path, do_sample=True))
    assert translate.processor.settings.generation_config().sampling == Sampling(top_k=50)
    assert translate.processor.settings.generation_config(sample=False).sampling is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"bad_words_ids": [7]}, r"bad_words_ids = \[7\]: a list of lists of tokens expected"),
        ({"num_beams": "four"}, "num_beams = 'four': a whole number from 1 to 1,000 expected"),
        ({"repetition_penalty": True}, "repetition_penalty = True: a number from 0.01 to 100 expected"),
    ],
)
def test_settings_that_make_no_sense_are_one_line(made, tmp_path, wrong, message):
    with pytest.raises(CheckpointError, match=message):
        regard.load(told(made[1], tmp_path, **wrong))("a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "a text or a list of texts expected, got NoneType"),
        ({"a": 1}, "a text or a list of texts expected, got dict"),
        (b"x", "a text or a list of texts expected, got bytes"),
        (["a", 5], "text 2 is no text but int"),
    ],
)
def test_what_is_no_text_is_one_line(text, message):
    with pytest.raises(RegardError, match=message):
        text_list(text)


def test_nothing_is_translated_that_is_no_text_and_into_no_tokens(translate):
    with pytest.raises(RegardError, match="got dict"):
        translate({"a": 1})
    with pytest.raises(RegardError, match="max_new_tokens is 1 or more, got 0"):
        translate("a", max_new_tokens=0)


def test_hypotheses_come_best_first(translate):
    best = translate(TEXTS[1], beam=5, num_hypotheses=4, max_new_tokens=12)
    ranks = [best.rank_score, *(other.rank_score for other in best.alternatives)]
    assert ranks == sorted(ranks, reverse=True)
    assert len({one.ids for one in (best, *best.alternatives)}) == 4
    assert best.ids == translate(TEXTS[1], beam=5, max_new_tokens=12).ids
    with pytest.raises(RegardError, match="num_hypotheses = 3, more than the 2"):
        translate(TEXTS[1], beam=2, num_hypotheses=3)


def test_the_same_seed_draws_the_same_in_any_company(translate):
    drawn = translate(TEXTS, sample={"temperature": 2.0}, seed=3, max_new_tokens=10)
    assert drawn[2].ids == translate(TEXTS[2], sample={"temperature": 2.0}, seed=3, max_new_tokens=10).ids
    assert drawn[2].ids != translate(TEXTS[2], sample={"temperature": 2.0}, seed=4, max_new_tokens=10).ids
    own = translate(TEXTS, sample=Sampling(2.0, top_k=50, seed=(1, 2, 3, 4, 5)), max_new_tokens=10)
    assert own[2].ids == drawn[2].ids


@pytest.mark.parametrize("text", ["", " ", "\t \n"])
@pytest.mark.parametrize("split", [True, False])
def test_what_is_empty_stays_empty(translate, text, split):
    one = translate([text, "a dog"], split=split, max_new_tokens=4)[0]
    assert (one.text, one.tokens, one.score, one.is_finished) == (text, (), 0, True)
    assert one.alignment.words == ()


def test_progress_counts_texts(translate):
    steps = []
    translate(["", "a. B.", "the dog"], split=True, max_new_tokens=3, progress=steps.append)
    assert sum(steps) == 3


def test_a_translation_stops_where_the_model_has_no_more_positions(translate):
    one = translate("a dog", min_new_tokens=100, max_new_tokens=100)
    assert len(one.ids) == 47  # and the end, from what was read at 48 positions


def test_a_decoder_that_learned_to_translate_translates_as_it_is_scored(tmp_path):
    pytest.importorskip("sacrebleu")
    write_texts(tmp_path)
    folder, corpus = learned(tmp_path, "one-stream"), TabbedCorpus(tmp_path / "test.tsv")
    hypotheses = evaluate(regard.load(folder), corpus).hypotheses
    answers = regard.load(folder, task="translate")([source for source, _ in corpus])
    assert [remove_marks(answer.text) for answer in answers] == hypotheses


@pytest.mark.parametrize(
    "text",
    [
        "Where is the station? The red house is old.\n\nIt rains.\n",
        "Hello {name}, your order %s is here. Read https://example.org/a today.",
        "  The <b>red</b> house. It is old.",
        "HELLO. ",
        "",
        " ",
    ],
)
@pytest.mark.parametrize("options", [{}, {"protect": False, "beam": 1}, {"sample": True, "seed": 3}, {"split": False}])
def test_a_streamed_translation_is_the_translation_sentence_by_sentence(text, options):
    translator = regard.load("en-de")
    parts = list(translator(text, stream=True, **options))
    assert "".join(parts) == translator(text, **options).text
    if "station" in text and "split" not in options:
        assert len(parts) == 3


def test_the_first_sentence_of_a_stream_is_there_before_the_last_is_written(monkeypatch):
    translator = regard.load("en-de")
    texts = []
    write = TranslateTask.write
    monkeypatch.setattr(
        TranslateTask,
        "write",
        lambda self, sources, *rest, **more: texts.append(1) or write(self, sources, *rest, **more),
    )
    parts = translator("It rains. It snows. It is cold.", stream=True)
    assert next(parts)
    assert len(texts) == 1
    with regard.watch(translator.model, "decoder.0.cross") as seen:
        whole = "".join(translator("It rains. It snows.", stream=True, prefix="Es"))
    assert whole.startswith("Es")
    assert len(seen["decoder.0.cross"].query) == 2  # both sentences, once, at the end


def test_only_one_text_and_one_translation_can_be_streamed():
    translator = regard.load("en-de")
    for text, options in ((["One.", "Two."], {}), ("One.", {"num_hypotheses": 2})):
        with pytest.raises(RegardError, match="one text can be streamed, and one translation of it"):
            translator(text, stream=True, **options)
