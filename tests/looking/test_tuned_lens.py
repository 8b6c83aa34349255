"""The tuned lens on a model that was trained, on texts that the lens was not."""

import pytest
import torch

import regard
from regard.errors import RegardError, ShapeError
from regard.looking.lens import lens
from regard.looking.tuned_lens import TunedLens, tuned_lens

LENGTH = 32


@pytest.fixture(scope="module")
def writer():
    return regard.load("shakespeare")


@pytest.fixture(scope="module")
def texts(writer):
    """What the model writes after twelve speakers: as many tokens of each."""
    names = (
        "ROMEO",
        "JULIET",
        "KING",
        "QUEEN",
        "FIRST",
        "SECOND",
        "LORD",
        "LADY",
        "GLOUCESTER",
        "DUKE",
        "NURSE",
        "ALL",
    )
    written = writer([f"{name}:\n" for name in names], max_new_tokens=40, sample=True, seed=1)
    return torch.tensor([writer.tokenizer.encode(text.text).ids[:LENGTH] for text in written])


@pytest.fixture(scope="module")
def tuned(writer, texts):
    return tuned_lens(writer.model, [texts[:4], texts[4:8]], held_out=[texts[8:]], steps=24)


def test_it_is_nearer_to_the_end_than_the_plain_lens_at_every_layer_of_texts_it_never_saw(tuned, writer, texts):
    assert tuned.blocks == ("decoder.0", "decoder.1", "decoder.2", "decoder.3")
    with torch.no_grad(), regard.watch(writer.model) as seen:
        end = writer.model(texts[8:]).log_softmax(-1)
    for block in tuned.blocks:  # the divergence written out
        x = seen.stream(block)
        for loss, stream in ((tuned.losses[block], tuned(block, x)), (tuned.plain_losses[block], x)):
            with torch.no_grad():
                read = writer.model.output(writer.model.decoder.stack.norm(stream)).log_softmax(-1)
            assert loss == pytest.approx(float((end.exp() * (end - read)).sum(-1).mean()), rel=1e-3)
        assert tuned.losses[block] < tuned.plain_losses[block]


def test_it_reads_as_a_lens_and_is_saved(tuned, writer, texts, tmp_path):
    tuned.save(tmp_path / "lens.safetensors")
    again = TunedLens.load(tmp_path / "lens.safetensors")
    assert again.losses == tuned.losses
    plain, one, other = (lens(writer.model, texts[8:], translate=how) for how in (None, tuned, again))
    assert torch.equal(one.probabilities, other.probabilities)
    assert torch.equal(one.probabilities[-1], plain.probabilities[-1])
    assert not torch.equal(one.probabilities[0], plain.probabilities[0])
    assert tuned.to_numpy().shape == (4, 2)
    assert "decoder.0" in repr(tuned)
    (tmp_path / "other").write_bytes(b"nothing")
    with pytest.raises(RegardError, match="no tuned lens"):
        TunedLens.load(tmp_path / "other")
    with pytest.raises(RegardError, match=r"decoder\.4"):
        tuned("decoder.4", torch.zeros(1, 192))
    with pytest.raises(ShapeError, match="width"):
        tuned("decoder.0", torch.zeros(1, 3))


def test_no_texts_are_refused(writer):
    with pytest.raises(RegardError, match="trained on texts"):
        tuned_lens(writer.model, [])
