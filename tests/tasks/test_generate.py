"""Texts that are continued. Also tests: tasks/processors/generate.py."""

import json

import pytest
import torch
from needs_engine import needs_engine
from tasks.tiny import TEXTS, gpt2, their_tokens
from tasks.translators import told

import regard
from regard.errors import RegardError
from regard.looking.edit import Editor
from regard.tasks import GenerateTask, TextTooLong
from regard.text import Encoded, TokenizerError


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generate")
    return gpt2(folder), folder


@pytest.fixture(scope="module")
def generate(made):
    return regard.load(made[1])


PROMPTS = [text[:12] for text in TEXTS]


@torch.no_grad()
@pytest.mark.parametrize("lengths", [{}, {"min_new_tokens": 6}])
def test_tokens_equal_those_of_the_reference(made, generate, lengths):
    model, folder = made
    found = generate(PROMPTS, max_new_tokens=20, **lengths)
    for prompt, one in zip(PROMPTS, found, strict=True):
        tokens = their_tokens(folder, [prompt])
        least = {"min_new_tokens": lengths.get("min_new_tokens", 0)}
        written = model.generate(**tokens, max_new_tokens=20, do_sample=False, pad_token_id=256, **least)[0]
        written = written[tokens["input_ids"].shape[1] :].tolist()
        assert one.is_finished == (written[-1] == 256)
        assert list(one.ids) == [number for number in written if number != 256]


def test_a_text_that_ends_leaves_the_others_writing(made, tmp_path):
    for file in made[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    generate = regard.load(made[1])
    free = generate(PROMPTS, max_new_tokens=20)
    stop = free[0].ids[3]  # what one text writes early is made the end of all
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [stop, 256]}))
    found = regard.load(tmp_path)(PROMPTS, max_new_tokens=20)
    assert {one.is_finished for one in found} == {True, False} or len({len(one.ids) for one in found}) > 1
    for one, whole in zip(found, free, strict=True):
        length = whole.ids.index(stop) if stop in whole.ids else 20
        assert one.ids == whole.ids[:length]
        assert one.is_finished == (stop in whole.ids)


def test_answers_do_not_depend_on_the_batch(generate):
    assert isinstance(generate, GenerateTask)
    together, alone = generate(PROMPTS, max_new_tokens=12), [generate(prompt, max_new_tokens=12) for prompt in PROMPTS]
    assert [one.ids for one in together] == [one.ids for one in alone]
    assert [one.score for one in together] == pytest.approx([one.score for one in alone], abs=1e-4)
    assert [one.prompt for one in together] == PROMPTS


def test_a_text_stops_where_the_model_has_no_more_positions(generate):
    short, long = generate(["a", "x" * 37], max_new_tokens=30)
    assert len(long.ids) == 3
    assert len(short.ids) == 30
    assert generate("x" * 37, max_new_tokens=30).ids == long.ids
    with pytest.raises(TextTooLong, match="text 2 has 40 tokens, as many as the model reads: no room to write"):
        generate(["a", "x" * 40])
    with pytest.raises(TextTooLong, match="the text has 41 tokens, the model reads at most 40"):
        generate("x" * 41)


@torch.no_grad()
def test_an_empty_prompt_begins_with_the_first_token(made, generate):
    expected = made[0].generate(torch.tensor([[256]]), max_new_tokens=8, do_sample=False, pad_token_id=256)[0, 1:]
    assert list(generate("", max_new_tokens=8).ids) == [number for number in expected.tolist() if number != 256]


def test_an_end_in_the_prompt_is_text(generate):
    assert generate.tokenizer.specials.eos not in generate.read("<|endoftext|>").encoded.ids


def test_a_pair_cannot_be_continued(generate):
    with pytest.raises(TokenizerError, match="the text is a pair"):
        generate(("a", "b"))


def test_what_a_tokeniser_puts_after_a_text_does_not_end_it(generate, monkeypatch):
    ended = generate.tokenizer.encode("the")
    more = (256, "<|endoftext|>", (0, 0), None, 0, None)
    ended = Encoded(*((*values, last) for values, last in zip(vars(ended).values(), more, strict=True)))
    monkeypatch.setattr(generate.tokenizer, "encode", lambda *_, **__: ended)
    assert generate.read("the").encoded.ids == ended.ids[:-1]


@torch.no_grad()
@pytest.mark.parametrize("beam", [1, 3])
def test_watching_shows_prompt_and_answer_once(made, generate, beam):
    model, _ = made
    model.set_attn_implementation("eager")
    with regard.watch(generate.model) as seen:
        found = generate(PROMPTS, beam=beam, max_new_tokens=6)
    assert [one.ids for one in found] == [one.ids for one in generate(PROMPTS, beam=beam, max_new_tokens=6)]
    for row, one in enumerate(found):
        tokens = [*generate.tokenizer.encode(one.prompt).ids, *one.ids]
        tokens = tokens if one.is_finished else tokens[:-1]
        out = model(torch.tensor([tokens]), output_attentions=True)
        for layer, weights in enumerate(out.attentions):
            pattern = seen[f"decoder.{layer}.self"]
            torch.testing.assert_close(pattern[row, :, : len(tokens), : len(tokens)], weights[0], rtol=0, atol=1e-5)
    assert len(seen.all("decoder.0.self")) == 1


@pytest.mark.parametrize("told", [{}, {"sample": {"temperature": 1.5}, "seed": 5}])
def test_a_stream_is_the_text_in_parts(generate, told):
    for prompt in PROMPTS:
        whole = generate(prompt, max_new_tokens=15, **told)
        with regard.watch(generate.model, "decoder.0.self") as seen:
            parts = []
            for part in generate(prompt, max_new_tokens=15, stream=True, **told):
                assert list(seen) == []
                parts.append(part)
        assert "".join(parts) == whole.text
        rows = len(generate.tokenizer.encode(prompt)) + len(whole.ids) - 1 + whole.is_finished
        assert seen["decoder.0.self"].shape[2] == rows


def test_a_beam_or_several_texts_are_not_streamed(generate):
    with pytest.raises(RegardError, match="with beam=1 and num_hypotheses=1, got beam=2, num_hypotheses=1"):
        generate("a", beam=2, stream=True)
    with pytest.raises(TokenizerError, match="one text can be streamed"):
        generate(["a"], stream=True)


@pytest.mark.parametrize("serving", ["whoever can", pytest.param("engine", marks=needs_engine)])
@pytest.mark.parametrize("how", [{}, {"beam": 2}, {"stream": True}], ids=["greedy", "beam", "stream"])
def test_a_hidden_position_that_the_text_did_not_reach_is_told_whoever_takes_the_steps(
    generate, monkeypatch, serving, how
):
    prompts = PROMPTS[0] if "stream" in how else PROMPTS[:2]
    longest = max(len(generate.read(text).encoded) for text in ([prompts] if "stream" in how else prompts))
    if serving == "engine":  # which makes no patterns
        monkeypatch.setattr(Editor, "edit", lambda self, pattern: pattern)

    def write(position):
        with regard.edit(generate.model) as edit:
            edit.hide([position])
            list(generate(prompts, max_new_tokens=6, min_new_tokens=6, **how))

    write(longest + 4)  # the last token that was written was not read any more
    with pytest.warns(UserWarning, match=f"position {longest + 5} was never reached: {longest + 5} tokens at most"):
        write(longest + 5)


def test_edits_act_under_a_beam(generate):
    plain = generate(PROMPTS[0], beam=3, max_new_tokens=8)
    with regard.edit(generate.model) as edit:
        edit.head("decoder.0.self", [0, 1, 2]).off()
        edited = generate(PROMPTS[0], beam=3, max_new_tokens=8)
    assert edited.ids != plain.ids


def test_hypotheses_come_best_first(generate):
    best = generate(PROMPTS[0], beam=4, num_hypotheses=3, max_new_tokens=6)
    ranks = [best.rank_score, *(other.rank_score for other in best.alternatives)]
    assert ranks == sorted(ranks, reverse=True)
    assert len({one.ids for one in (best, *best.alternatives)}) == 3


def test_lengths_of_the_folder_count_the_prompt(made, tmp_path):
    generate = regard.load(told(made[1], tmp_path, max_length=15, min_new_tokens=3))
    assert len(generate("the dog").ids) <= 8
    assert len(generate("the dog", max_new_tokens=12, min_new_tokens=12).ids) == 12
    longer = regard.load(told(made[1], tmp_path, max_new_tokens=4))
    assert len(longer("the dog").ids) <= 4
