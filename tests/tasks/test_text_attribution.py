"""Which words made an answer: the scores are those of the logits themselves, the axes carry the words."""

import pytest
import torch
from tasks.tiny import bert

import regard
from regard.errors import RegardError


@pytest.fixture(scope="module")
def translator():
    return regard.load("en-de")


@pytest.fixture(scope="module")
def result(translator):
    return regard.attribute_text(translator, "Where is the station?", steps=8)


def test_a_translation_is_explained_word_by_word_over_source_and_prefix(translator, result):
    translation = translator("Where is the station?")
    rows = len(result.outputs)
    assert "".join(result.outputs).strip().startswith(translation.text)
    assert result.grids["encoder"].shape == (rows, len(result.tokens["encoder"]))
    assert result.grids["decoder"].shape == (rows, len(result.tokens["decoder"])) == (rows, rows)
    later = torch.ones(rows, rows).triu(1).bool()
    assert result.grids["decoder"][later].eq(0).all()  # nobody reads what is not written yet
    assert list(result.show().rows) == list(result.outputs)
    assert list(result.show("decoder").columns) == list(result.tokens["decoder"])
    assert result.convergence is not None
    assert repr(result).startswith("OutputAttribution(integrated_gradients of ")


def test_leaving_out_a_source_word_is_hiding_it(translator):
    result = regard.attribute_text(translator, "Where is the station?", "leave_one_out")
    source = translator.read("Where is the station?", split=False)
    written = translator.write([source], translator.generation_config())[0]
    reading = translator.readings(source, written, is_whole=True)[0]
    tokens, target = torch.tensor([reading.source]), torch.tensor([reading.target])
    with torch.no_grad():
        whole = translator.model(tokens, target[:, :-1])[0, 1].log_softmax(-1)[target[0, 2]]
        for position in range(tokens.shape[1]):
            with regard.edit(translator.model) as edit:
                edit.hide(source=[position])
                hidden = translator.model(tokens, target[:, :-1])[0, 1].log_softmax(-1)[target[0, 2]]
            assert float(result.grids["encoder"][1, position]) == pytest.approx(float(whole - hidden), abs=1e-5)


def test_a_text_that_goes_on_masked_words_and_labels_are_explained(tmp_path):
    writer = regard.load("shakespeare")
    result = regard.attribute_text(writer, "My lord, the king", "gradient_x_input", max_new_tokens=4)
    prompt = len(writer.read("My lord, the king").encoded)
    assert len(result.tokens["decoder"]) == prompt + len(result.outputs) - 1
    assert result.grids["decoder"][0, prompt:].eq(0).all()
    for kind, text, outputs in (("ForMaskedLM", "the [MASK] sleeps [MASK]", 2),
                                ("ForSequenceClassification", "a good film", 1),
                                ("ForTokenClassification", "a good film", 5)):  # fmt: skip
        bert(kind, tmp_path / kind)
        task = regard.load(tmp_path / kind)
        for method in ("attention_gradient", "occlusion"):
            explained = regard.attribute_text(task, text, method)
            assert explained.grids["encoder"].shape == (outputs, len(explained.tokens["encoder"]))
            assert len(explained.outputs) == outputs
            assert explained.grids["encoder"].abs().max() > 0
    bert("Model", tmp_path / "vectors")
    with pytest.raises(RegardError, match="not of embed"):
        regard.attribute_text(regard.load(tmp_path / "vectors"), "a film")
