"""Edits that start and stop where the text says so: in one pass, written with a cache, with a beam, live and loaded.

Also tests: looking/activations/token_history.py.
"""

import json
import random
import warnings

import pytest
import torch
from looking.activations.zoo import model_of
from looking.families import made
from torch.testing import assert_close

import regard
from regard.decoding import decode
from regard.errors import EditError, RegardError
from regard.looking.activations.token_history import by_position
from regard.looking.conditions import is_edited

SITE = "decoder.0.stream.after"


def steps_of(tokens, start, stop):
    """The definition, token by token."""
    edited, since = [], None
    for position, token in enumerate(tokens):
        if isinstance(start, dict):
            begins = token in start["token"]
        else:
            begins = position == (start or 0)
        if begins:
            since = position
        elif isinstance(stop, dict) and token in stop.get("token", ()):
            since = None
        running = since is not None
        if running and isinstance(stop, dict) and "after" in stop:
            running = position - since < stop["after"]
        if isinstance(stop, int):
            running = running and position < stop
        edited.append(running)
    return edited


def test_where_an_edit_is_at_work_is_what_reading_token_by_token_says():
    dice = random.Random(0)
    for _ in range(300):
        tokens = [dice.randrange(5) for _ in range(dice.randrange(1, 12))]
        start = dice.choice([None, dice.randrange(4), {"token": dice.sample(range(5), dice.randrange(1, 3))}])
        stop = dice.choice(
            [None, dice.randrange(8), {"token": [dice.randrange(5)]}, {"after": dice.randrange(1, 4)},
             {"token": [dice.randrange(5)], "after": 3}]
        )  # fmt: skip
        record = {"start": start, "stop": stop}
        assert is_edited(torch.tensor([tokens]), record)[0].tolist() == steps_of(tokens, start, stop), (tokens, record)


def test_tokens_by_position_leave_padding_out():
    tokens, mask = torch.tensor([[9, 9, 4, 5], [6, 7, 8, 9]]), torch.tensor([[0, 0, 1, 1], [1, 1, 1, 0]])
    assert by_position(tokens, mask).tolist() == [[4, 5, -1, -1], [6, 7, 8, -1]]


def vector_of(model, scale=1.0):
    width = regard.sites(model)[SITE].shape[-1]
    return torch.randn(width, generator=torch.Generator().manual_seed(1)) * scale


CONDITIONS = [
    ({"token": 7}, None),
    ({"token": [7, 9]}, {"token": 5}),
    ({"token": 7}, {"after": 2}),
    (None, {"token": [5]}),
    (2, {"token": 5, "after": 3}),
]
TEXTS = torch.tensor([[3, 7, 8, 5, 4, 9, 6], [9, 3, 5, 7, 7, 4, 4]])


@pytest.mark.parametrize(("start", "stop"), CONDITIONS)
@pytest.mark.parametrize("kind", ["gpt2", "marian"])
def test_a_text_that_is_written_is_steered_as_in_one_pass(kind, start, stop):
    model = made(kind)[0]
    source = torch.randint(3, 40, (2, 6), generator=torch.Generator().manual_seed(0))
    inputs = (source, TEXTS) if kind == "marian" else (TEXTS,)
    vector = vector_of(model)
    expected_on = torch.tensor([steps_of(row, full(start), full(stop)) for row in TEXTS.tolist()])
    with torch.no_grad():
        plain = model(*inputs)
        with regard.edit(model) as edit:
            edit.site(SITE, start=start, stop=stop).add(vector)
            with regard.watch(model, SITE) as seen:
                whole = model(*inputs)
            state, steps = model.start(*inputs[:-1]), []
            for column in range(TEXTS.shape[1]):
                scores, state = model.step(state, TEXTS[:, column : column + 1])
                steps.append(scores)
        with regard.watch(model, SITE) as unsteered:
            model(*inputs)
    added = (seen.activation(SITE) - unsteered.activation(SITE)) @ vector / (vector @ vector)
    assert_close(added, expected_on.float(), atol=1e-4, rtol=0)
    assert_close(torch.cat(steps, 1), whole, atol=1e-4, rtol=1e-3)
    assert (whole - plain).abs().max() > 1e-2


def full(condition):
    """A condition as it is kept: tokens in a list."""
    if not isinstance(condition, dict):
        return condition
    return {name: [value] if name == "token" and isinstance(value, int) else value for name, value in condition.items()}


def winners(model, source, prefix, beam):
    results = decode(model, source, prefix=prefix, max_new_tokens=8, min_new_tokens=8, beam=beam)
    return [(list(result.best.ids), result.best.score) for result in results]


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("kind", ["gpt2", "marian"])
def test_what_a_beam_writes_under_an_edit_has_the_score_that_one_pass_gives_it(kind, beam):
    """The beams change places as they go: each text has to keep the tokens that are its own."""
    model = made(kind)[0]
    source = TEXTS if kind == "marian" else None
    prefix = TEXTS[:, :1] if kind == "marian" else TEXTS[:, :4]
    plain = winners(model, source, prefix, beam)
    token = plain[0][0][2]  # comes while the first text is written
    with regard.edit(model) as edit, torch.no_grad():
        edit.site(SITE, start={"token": token}, stop={"after": 3}).add(vector_of(model, 2.0))
        steered = winners(model, source, prefix, beam)
        for row, (ids, score) in enumerate(steered):
            text = torch.cat([prefix[row], torch.tensor(ids)])[None]
            logits = model(source[row : row + 1], text) if source is not None else model(text)
            logs = logits[0, prefix.shape[1] - 1 : -1].log_softmax(-1)
            total = logs.gather(1, torch.tensor(ids)[:, None]).sum()
            assert float(total) == pytest.approx(score, abs=1e-3)
    assert steered != plain
    assert winners(model, source, prefix, beam) == plain


@pytest.mark.parametrize("kind", ["live gpt2", "live llama", "live marian", "live t5"])
def test_a_live_model_is_steered_as_in_one_pass(kind):
    model = model_of(kind)
    is_pair = kind.endswith(("marian", "t5"))
    named = {"input_ids": TEXTS} if is_pair else {}
    text = "decoder_input_ids" if is_pair else "input_ids"
    with torch.no_grad(), regard.edit(model) as edit:
        edit.site(SITE, start={"token": 7}, stop={"token": 5}).add(vector_of(model))
        whole = model(**named, **{text: TEXTS}).logits
        cache, steps = None, []
        for column in range(TEXTS.shape[1]):
            result = model(**named, **{text: TEXTS[:, column : column + 1]}, past_key_values=cache, use_cache=True)
            cache = result.past_key_values
            steps.append(result.logits)
    assert_close(torch.cat(steps, 1), whole, atol=1e-4, rtol=1e-3)
    with torch.no_grad():
        plain = model(**named, **{text: TEXTS}).logits
    assert (whole - plain).abs().max() > 1e-2
    assert not hasattr(cache, "_regard_history")
    assert not hasattr(type(cache), "followed_class")


@pytest.mark.parametrize("kind", ["live gpt2", "live marian"])
def test_beams_of_transformers_keep_their_tokens(kind):
    """Where generation goes without a cache every step is one pass: both have to write the same."""
    model = model_of(kind)
    told = {"num_beams": 3, "max_new_tokens": 8, "min_new_tokens": 8, "do_sample": False, "pad_token_id": 0}
    told |= {"bad_words_ids": [[0]], "no_repeat_ngram_size": 2}
    with torch.no_grad():
        plain = model.generate(TEXTS, **told)
        token = int(plain[0, -6])
        with regard.edit(model) as edit:
            edit.site(SITE, start={"token": token}, stop={"after": 3}).add(vector_of(model, 3.0))
            cached = model.generate(TEXTS, **told)
            uncached = model.generate(TEXTS, **told, use_cache=False)
        assert cached.tolist() == uncached.tolist() != plain.tolist()
        assert model.generate(TEXTS, **told).tolist() == plain.tolist()


def test_padding_is_no_token_that_starts_or_stops():
    model = made("gpt2")[0]
    left = torch.tensor([[7, 7, 3, 4, 7, 6], [3, 5, 4, 7, 8, 9]])
    mask = torch.tensor([[0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]], dtype=torch.bool)
    with torch.no_grad(), regard.edit(model) as edit:
        edit.site(SITE, start={"token": 7}).add(vector_of(model))
        batch = model(left, attention_mask=mask)
        alone = model(left[:1, 2:])
        scores, _ = model.step(model.start(), left, mask)
    assert_close(batch[:1, 2:], alone, atol=1e-4, rtol=1e-3)
    assert_close(scores[:, 0], batch[:, -1], atol=1e-4, rtol=1e-3)


def test_queries_and_keys_are_steered_by_tokens_too():
    model = made("gpt2")[0]
    with torch.no_grad(), regard.edit(model) as edit:
        edit.site("decoder.1.self.key", start={"token": 7}, stop={"after": 1}).add([0.7])
        edit.site("decoder.1.self.query", start={"token": 8}).scale(1.5)
        whole = model(TEXTS)
        state, steps = model.start(), []
        for column in range(TEXTS.shape[1]):
            scores, state = model.step(state, TEXTS[:, column : column + 1])
            steps.append(scores)
    assert_close(torch.cat(steps, 1), whole, atol=1e-4, rtol=1e-3)
    translator = made("marian")[0]
    with torch.no_grad(), regard.edit(translator) as edit:
        edit.site("decoder.0.cross.key", start={"token": 7}).add([0.7])
        with pytest.raises(RegardError, match=r"decoder.0.cross.key: keys and values of a source"):
            translator(TEXTS, TEXTS)


def test_conditions_are_data(tmp_path):
    model = made("gpt2")[0]
    with torch.no_grad():
        with regard.edit(model) as edit:
            edit.site(SITE, start={"token": 7}, stop={"token": [5, 6], "after": 4}).add(vector_of(model))
            once = model(TEXTS)
            edit.save(tmp_path / "edits.json")
        record = json.loads((tmp_path / "edits.json").read_text())["edits"][0]
        assert (record["start"], record["stop"]) == ({"token": [7]}, {"token": [5, 6], "after": 4})
        with regard.edit(model, tmp_path / "edits.json"):
            assert torch.equal(model(TEXTS), once)


BAD = [
    ({"start": {"after": 3}}, r"edits\[0\].start: a position, or \"token\" by name, expected"),
    ({"start": {}}, r"edits\[0\].start: a position, or \"token\" by name, expected"),
    ({"start": {"token": -1}}, r"edits\[0\].start.token: the number of a token, 0 or more, or several expected"),
    ({"start": {"token": []}}, r"edits\[0\].start.token: the number of a token"),
    ({"start": {"token": [1, 1]}}, r"edits\[0\].start.token\[1\]: 1 is there already"),
    ({"start": {"token": "x"}}, r"edits\[0\].start.token: a list of whole numbers expected"),
    ({"stop": {"after": 0}}, r"edits\[0\].stop.after: so many tokens, 1 or more, expected, got 0"),
    ({"stop": {"after": True}}, r"edits\[0\].stop.after: a whole number expected"),
    ({"stop": {"word": 1}}, r"edits\[0\].stop: a position, or \"token\" or \"after\" by name, expected"),
    ({"stop": -2}, r"edits\[0\].stop: a position from the first token on"),
]


@pytest.mark.parametrize(("fields", "message"), BAD)
def test_conditions_that_are_none_are_refused_in_one_line(fields, message):
    model = made("gpt2")[0]
    with pytest.raises(EditError, match=message), regard.edit(model, [{"do": "zero", "site": SITE, **fields}]):
        pass


def test_a_token_that_never_comes_is_told():
    model = made("gpt2")[0]

    def write():
        with regard.edit(model) as edit:
            edit.site(SITE, start={"token": [38, 39]}).zero()
            with torch.no_grad():
                return model(TEXTS)

    with pytest.warns(UserWarning, match="an edit was to start at token 38 or 39, which never came"):
        unsteered = write()
    with torch.no_grad():
        assert torch.equal(model(TEXTS), unsteered)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with regard.edit(model) as edit, torch.no_grad():
            edit.site(SITE, start={"token": 7}, stop={"token": 39}).zero()  # a stop need not come
            model(TEXTS)


def test_a_text_whose_beginning_is_not_known_is_refused():
    model = made("gpt2")[0]
    with torch.no_grad():
        _, state = model.step(model.start(), TEXTS[:, :3])
        with regard.edit(model) as edit:
            edit.site(SITE, start={"token": 7}).zero()
            with pytest.raises(RegardError, match="need the tokens of a text from its first on"):
                model.step(state, TEXTS[:, 3:4])
