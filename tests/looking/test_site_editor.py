"""Edits of sites: what they do, where, and that a text written step by step is edited as one that is read at once.

Also tests: looking/activations/site_edits.py.
"""

import json

import pytest
import torch
from looking.activations.zoo import ALL, inputs_of, logits_of, model_of, side_of
from torch.testing import assert_close

import regard
from regard.decoding import decode
from regard.errors import EditError, RegardError, ShapeError, UnknownName

EDITABLE = [
    *("stream.before", "stream.middle", "stream.after", "self.head_output", "self.contribution", "self.output"),
    *("feed_forward.input", "feed_forward.activations", "feed_forward.output", "self.query", "self.key", "self.value"),
]


def run(kind, *sites, edits=(), inputs=None):
    """Logits under edits, and what was then seen at sites."""
    model = model_of(kind)
    with torch.no_grad(), regard.edit(model, edits), regard.watch(model, *sites) as seen:
        logits = logits_of(model, inputs or inputs_of(kind))
    return logits, seen


@pytest.mark.parametrize("kind", ALL)
def test_every_site_can_be_patched_with_itself_to_the_bit_and_with_another_to_effect(kind):
    model, other = model_of(kind), inputs_of(kind, seed=1)
    known = regard.sites(model)
    names = [name for name in known if known[name].view != "pattern"]
    plain, seen = run(kind, *names)
    _, foreign = run(kind, *names, inputs=other)
    with torch.no_grad(), regard.edit(model) as edit:
        for name in names:
            edit.site(name).set(seen.activation(name))
        assert torch.equal(logits_of(model, inputs_of(kind)), plain)
        some = EDITABLE if kind in ("gpt2", "live t5") else EDITABLE[::4]
        for name in (f"{side_of(kind)}.0.{part}" for part in some if f"{side_of(kind)}.0.{part}" in known):
            edit.clear()
            edit.site(name).set(foreign.activation(name))
            assert not torch.equal(logits_of(model, inputs_of(kind)), plain), name
    with torch.no_grad():
        assert torch.equal(logits_of(model, inputs_of(kind)), plain)


@pytest.mark.parametrize("kind", ["gpt2", "live llama", "live marian"])
def test_all_of_another_stream_is_another_text(kind):
    """Patching the whole stream after the last block carries everything over."""
    site = f"{side_of(kind)}.1.stream.after"
    other = inputs_of(kind, seed=1)
    logits, seen = run(kind, site, inputs=other)
    patched, _ = run(kind, site, edits=[{"do": "replace", "site": site, "value": seen.activation(site)}])
    assert_close(patched, logits, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", ["gpt2", "live gpt_neox", "bert"])
def test_an_edit_changes_what_is_named_and_nothing_else(kind):
    side = side_of(kind)
    head, stream = f"{side}.0.self.head_output", f"{side}.0.stream.after"
    _, plain = run(kind, head, stream)
    some = {"heads": [1], "positions": [2, 4], "batch": [1]}
    _, seen = run(kind, head, edits=[{"do": "zero", "site": head, **some}])
    expected = plain.activation(head).clone()
    expected[1, 1, [2, 4]] = 0
    assert torch.equal(seen.activation(head), expected)
    x, vector = plain.activation(stream), torch.arange(plain.activation(stream).shape[-1]) / 10
    for edit, wanted in {
        "add": ({"value": vector, "coefficient": 2.0}, x + 2 * vector),
        "multiply": ({"coefficient": -0.5}, x * -0.5),
        "mean": ({}, x.mean(0, keepdim=True).expand_as(x)),
        "resample": ({"seed": 1}, x.flip(0)),
        "project_out": ({"directions": vector}, x - (x @ vector / vector.square().sum())[..., None] * vector),
        "replace": ({"value": torch.stack([vector, -vector]), "positions": [3, 1]}, None),
    }.items():
        fields, result = wanted
        _, seen = run(kind, stream, edits=[{"do": edit, "site": stream, **fields}])
        if result is None:
            result = x.clone()
            result[:, 3], result[:, 1] = vector, -vector
        assert_close(seen.activation(stream), result, atol=1e-5, rtol=1e-4, msg=edit)
    _, seen = run(kind, stream, edits=[{"do": "zero", "site": stream, "start": 2, "stop": 5}])
    assert (seen.activation(stream)[:, 2:5] == 0).all()
    assert torch.equal(seen.activation(stream)[:, [0, 1, 5]], x[:, [0, 1, 5]])


EDITS = [
    {"do": "add", "site": "decoder.0.stream.after", "value": [0.5], "coefficient": 3.0, "start": 4, "stop": 8},
    {"do": "zero", "site": "decoder.1.self.head_output", "heads": [0], "positions": [3, 6]},
    {"do": "multiply", "site": "decoder.1.feed_forward.output", "coefficient": 0.5},
    {"do": "add", "site": "decoder.1.self.key", "value": [0.7], "positions": [2]},
    {"do": "cut", "layer": "decoder.0.self", "queries": [5, 7], "keys": [1, 2]},
    {"do": "add", "site": "decoder.1.stream.middle", "value": [0.3], "positions": [5]},
]


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_an_edit_while_a_text_is_written_is_the_edit_in_one_pass(kind):
    model, edits = model_of(kind), EDITS
    mask = torch.tensor([[0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]], dtype=torch.bool)
    prompt = inputs_of(kind)["tokens"]
    with torch.no_grad(), regard.edit(model, edits):
        state = model.start()
        scores, state = model.step(state, prompt, mask)
        steps = [scores]
        for token in (7, 8, 9):
            scores, state = model.step(state, torch.full((2, 1), token))
            steps.append(scores)
        for row, first in ((0, 2), (1, 0)):
            whole = torch.cat([prompt[row, first:], torch.tensor([7, 8, 9])])[None]
            expected = model(whole)[0, -4:]
            assert_close(torch.cat(steps, 1)[row], expected, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("kind", ["live gpt2", "live llama", "live gpt_neox"])
def test_an_edit_while_a_live_model_generates_is_the_edit_in_one_pass(kind):
    model, prompt = model_of(kind), inputs_of(kind)["input_ids"]
    known = regard.sites(model)
    edits = [edit for edit in EDITS if "site" not in edit or edit["site"] in known]
    with torch.no_grad(), regard.edit(model, edits):
        written = model.generate(
            prompt, max_new_tokens=4, do_sample=False, pad_token_id=0, output_logits=True, return_dict_in_generate=True
        )
        whole = model(written.sequences[:, :-1]).logits[:, -4:]
    assert_close(torch.stack(written.logits, 1), whole, atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("kind", ["live marian", "live t5"])
def test_an_edit_while_a_live_translator_writes_is_the_edit_in_one_pass(kind):
    model, source = model_of(kind), inputs_of(kind)["input_ids"]
    edits = [edit for edit in EDITS if "middle" not in edit.get("site", "")]
    edits += [{"do": "zero", "site": "decoder.0.cross.head_output", "heads": [1], "positions": [2]}]
    edits += [{"do": "add", "site": "encoder.0.stream.after", "value": [0.4], "positions": [1]}]
    with torch.no_grad(), regard.edit(model, edits):
        written = model.generate(
            source, max_new_tokens=9, min_new_tokens=9, do_sample=False, num_beams=1, output_logits=True,
            return_dict_in_generate=True,
        )  # fmt: skip
        whole = model(input_ids=source, decoder_input_ids=written.sequences[:, :-1]).logits
    assert_close(torch.stack(written.logits, 1), whole, atol=1e-4, rtol=1e-3)


def test_the_engine_steps_aside_for_edits_of_sites():
    model = model_of("gpt2")
    prompt = inputs_of("gpt2")["tokens"]
    with regard.edit(model) as edit:
        edit.site("decoder.1.stream.after").add(torch.randn(model.config.decoder.stack.width) * 50)
        texts = [result.hypotheses[0].ids for result in decode(model, None, prefix=prompt, max_new_tokens=4)]
        with torch.no_grad():
            best = model(torch.cat([prompt, torch.tensor([list(text[:-1]) for text in texts])], 1)).argmax(-1)
    assert [list(text) for text in texts] == best[:, -4:].tolist()


def test_edits_are_saved_with_their_tensors_and_replayed(tmp_path):
    model, path = model_of("gpt2"), tmp_path / "edits.json"
    width = model.config.decoder.stack.width
    with torch.no_grad(), regard.edit(model) as edit:
        edit.site("blocks.0.hook_resid_post", positions=2).add(torch.randn(2, 3, width)[:, :1], coefficient=2.0)
        edit.site("decoder.*.self.head_output", heads=1).set(torch.randn(6, width // 4))
        edit.site("logits").scale(0.5)
        edit.cut("decoder.0.self", 4, [0, 1])
        edit.save(path)
        once = logits_of(model, inputs_of("gpt2"))
    with torch.no_grad(), regard.edit(model, path):
        assert torch.equal(logits_of(model, inputs_of("gpt2")), once)
    saved = json.loads(path.read_text())
    assert saved["edits"][0]["site"] == "decoder.0.stream.after"
    (tmp_path / "edits.safetensors").unlink(missing_ok=True)
    large = tmp_path / "large.json"
    with torch.no_grad(), regard.edit(model) as edit:
        edit.site("logits").set(torch.randn(2, 6, 40))
        edit.save(large)
        once = logits_of(model, inputs_of("gpt2"))
    assert json.loads(large.read_text())["edits"][0]["value"] == {"tensor": "0.value"}
    with torch.no_grad(), regard.edit(model, large):
        assert torch.equal(logits_of(model, inputs_of("gpt2")), once)
    large.with_suffix(".safetensors").unlink()
    with pytest.raises(EditError, match="the tensors of the edits cannot be read"), regard.edit(model, large):
        pass


def test_the_mean_of_what_was_watched_takes_the_place_of_what_is_there():
    site = "decoder.0.self.head_output"
    _, seen = run("gpt2", site, inputs=inputs_of("gpt2", seed=1))
    reference = seen.activation(site)
    with torch.no_grad(), regard.edit(model_of("gpt2")) as edit, regard.watch(model_of("gpt2"), site) as after:
        edit.site(site).mean(reference)
        logits_of(model_of("gpt2"), inputs_of("gpt2"))
    assert_close(after.activation(site), reference.mean((0, 2), keepdim=True).expand_as(reference))


def test_a_value_may_want_a_gradient():
    model = model_of("gpt2")
    vector = torch.zeros(model.config.decoder.stack.width, requires_grad=True)
    with regard.edit(model) as edit:
        edit.site("decoder.0.stream.after", positions=[3]).add(vector)
        gradient = torch.autograd.grad(logits_of(model, inputs_of("gpt2"))[:, 3:].square().sum(), vector)[0]
    assert gradient.abs().min() > 0


def test_what_cannot_be_done_is_refused():
    model = model_of("gpt2")
    inputs = inputs_of("gpt2", batch=1)
    with regard.edit(model) as edit:
        with pytest.raises(UnknownName, match=r"edits\[0\].site: no layer fits 'decoder.7.stream.after'"):
            edit.site("decoder.7.stream.after").zero()
        with pytest.raises(RegardError, match="a pattern is edited by"):
            edit.site("decoder.0.self.pattern").zero()
        site = "decoder.0.stream.after"
        for wrong, add in (
            ("decoder.0.stream.after has no heads", lambda: edit.site(site, heads=1).zero()),
            ("decoder.0.stream.after: a value that fits", lambda: edit.site(site).set([1, 2])),
            ("2 texts or more expected", lambda: edit.site(site).resample()),
        ):
            add()
            with pytest.raises(RegardError, match=wrong):
                logits_of(model, inputs)
            edit.clear()
    source = model_of("marian")
    with regard.edit(source) as edit:
        edit.site("encoder.0.stream.after", positions=[9]).zero()
        with pytest.raises(ShapeError, match="there is no token at position 9: 6 of them"):
            logits_of(source, inputs_of("marian"))


def test_a_position_that_a_text_never_reached_is_told():
    def unreached():
        with regard.edit(model_of("gpt2")) as edit:
            edit.site("decoder.0.stream.after", positions=[2, 60]).zero()
            logits_of(model_of("gpt2"), inputs_of("gpt2"))

    with pytest.warns(UserWarning, match="the edited position 60 was never reached: 6 tokens at most"):
        unreached()


def test_a_block_that_serves_several_depths_is_edited_at_one():
    model, names = model_of("albert"), [f"encoder.{depth}.feed_forward.output" for depth in range(3)]
    with torch.no_grad(), regard.watch(model, *names) as plain:
        logits_of(model, inputs_of("albert"))
    with torch.no_grad(), regard.edit(model) as edit, regard.watch(model, *names) as seen:
        edit.site(names[1]).zero()
        logits_of(model, inputs_of("albert"))
    assert torch.equal(seen.activation(names[0]), plain.activation(names[0]))
    assert not seen.activation(names[1]).any()
    assert seen.activation(names[2]).any()
    assert not torch.equal(seen.activation(names[2]), plain.activation(names[2]))


def test_edits_say_what_they_are_in_a_line():
    model = model_of("gpt2")
    with regard.edit(model) as edit:
        site = edit.site("decoder.0.stream.after", start={"token": 7}, stop=9)
        assert repr(site).startswith("SiteEdit(decoder.0.stream.after, start {'token': 7}, stop 9): .set(x)")
        site.add(torch.ones(24), coefficient=2.0)
        assert '"value": "24 numbers"' in repr(edit)
        assert repr(edit.head("decoder.0.self", 1)).startswith("HeadEdit(decoder.0.self, heads [1]): .off()")
