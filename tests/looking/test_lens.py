"""The lens against hidden states and heads of transformers' own models."""

import pytest
import torch
import transformers
from looking.built import decoder
from torch.testing import assert_close

from regard.checkpoints import load_model
from regard.errors import RegardError
from regard.looking import lens as module
from regard.looking.lens import lens

WORDS = 40
SMALL = {"vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4}


@pytest.fixture
def tokens():
    return torch.randint(3, WORDS, (2, 7), generator=torch.Generator().manual_seed(0))


def loaded(model, folder):
    """Every weight moved, so that norms and biases count; the same weights in a model of ours."""
    torch.manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    model.eval().save_pretrained(folder)
    return model, load_model(folder).model


def compared(found, hidden, head):
    """The chances after every layer but the last, whose hidden state transformers hands out with its norm."""
    for number, state in enumerate(hidden):
        expected = head(state).softmax(-1).topk(5)
        assert_close(found.probabilities[number], expected.values, rtol=1e-4, atol=1e-6)
        assert (found.words[number] == expected.indices).float().mean() > 0.99


@torch.no_grad()
def test_a_decoder(tmp_path, tokens):
    config = transformers.GPT2Config(vocab_size=WORDS, n_embd=24, n_layer=3, n_head=4, n_positions=20)
    theirs, ours = loaded(transformers.GPT2LMHeadModel(config), tmp_path)
    states = theirs(tokens, output_hidden_states=True).hidden_states
    found = lens(ours, tokens)
    assert found.blocks == ("decoder.0", "decoder.1", "decoder.2")
    compared(found, [theirs.transformer.ln_f(state) for state in states[1:-1]] + [states[-1]], theirs.lm_head)


@torch.no_grad()
def test_a_masked_encoder(tmp_path, tokens):
    config = transformers.BertConfig(**SMALL, intermediate_size=32, max_position_embeddings=20)
    theirs, ours = loaded(transformers.BertForMaskedLM(config), tmp_path)
    states = theirs(tokens, output_hidden_states=True).hidden_states
    compared(lens(ours, tokens), states[1:], theirs.cls)


@torch.no_grad()
def test_an_encoder_and_decoder(tmp_path, tokens):
    config = transformers.T5Config(
        vocab_size=WORDS, d_model=24, d_kv=6, d_ff=32, num_layers=3, num_heads=4, decoder_start_token_id=0
    )
    theirs, ours = loaded(transformers.T5ForConditionalGeneration(config), tmp_path)
    target = tokens[:, :5]
    states = theirs(tokens, decoder_input_ids=target, output_hidden_states=True).decoder_hidden_states
    hidden = [theirs.decoder.final_layer_norm(state) for state in states[1:-1]] + [states[-1]]
    tied = theirs.config.tie_word_embeddings
    compared(lens(ours, tokens, target), hidden, lambda x: theirs.lm_head(x * 24**-0.5 if tied else x))


@torch.no_grad()
def test_the_last_layer_says_what_the_model_says_however_words_are_cut_up(tokens, monkeypatch):
    torch.manual_seed(0)
    model = decoder(vocabulary=WORDS)
    monkeypatch.setattr(module, "ROWS", 3 * WORDS)
    found = lens(model, tokens, k=WORDS)
    expected = model(tokens).softmax(-1)
    assert_close(found.probabilities[-1], expected.sort(-1, descending=True).values)
    assert_close(found.final_probability[-1], expected.amax(-1))
    best = expected.argmax(-1)
    first = found.probabilities[0].gather(-1, (found.words[0] == best[..., None]).int().argmax(-1, keepdim=True))[
        ..., 0
    ]
    assert_close(found.final_probability[0], first)


@torch.no_grad()
def test_a_word_is_settled_from_the_layer_on_where_it_stays(tokens):
    torch.manual_seed(0)
    model = decoder(vocabulary=WORDS, layers=4)
    found = lens(model, tokens)
    best = found.words[..., 0]
    for b, i in [(0, 0), (0, 3), (1, 6)]:
        layers = [number for number in range(4) if (best[number:, b, i] == best[-1, b, i]).all()]
        assert found.settling_layer()[b, i] == min(layers)


@torch.no_grad()
def test_a_picture_has_the_last_layer_on_top_and_says_the_words(tokens):
    model = decoder(vocabulary=WORDS)
    found = lens(model, tokens)
    picture = found.picture(["a"] * 7, lambda ids: [f"w{number}" for number in ids])
    assert picture.rows == ("decoder.1", "decoder.0")
    assert f"w{int(found.words[-1, 0, 0, 0])}</title>" in picture.svg()


def test_a_model_that_scores_no_words_is_refused(tokens):
    with pytest.raises(RegardError, match="Linear does not score words at the end of a stack"):
        lens(torch.nn.Linear(2, 2), tokens)
