"""A sum is a sum, in every family: logits and scores taken apart, a model patched with itself, edits while it writes.

Also tests: looking/norm_scale.py, looking/pair_terms.py.
"""

import pytest
import torch
import transformers as T
from looking.activations.zoo import SIZES, logits_of
from looking.families import WITH_HEADS, made, sound
from torch.testing import assert_close

import regard
from regard.config import DecoderConfig, SpeechConfig, TransformerConfig
from regard.errors import RegardError
from regard.families import EXAMPLES
from regard.models import Aligner, SpeechTransformer, Transformer, VisionTransformer

WITHOUT_BLOCKS = ("e2k", "alignment")
NO_WORDS = ("bert-generation", "vision", "vit")  # states or classes at the end
WITH_DISTANCES = ("deberta-v2", "xl")  # scores that compare with vectors of distances
NO_LOGITS = "masked-aligner"  # it guesses two texts, each from the other
STACKED = [kind for kind in WITH_HEADS if kind not in (*WITHOUT_BLOCKS, NO_LOGITS)]
WRITERS = [
    kind for kind in STACKED if isinstance(EXAMPLES[kind]().config, DecoderConfig | TransformerConfig | SpeechConfig)
]
THIN = (
    "albert",
    "deberta-v2",
    "gpt2",
    "qwen3",
    "gemma2",
    "gemma3_text",
    "olmo2",
    "gpt_neox",
    "xl",
    "t5",
    "bart",
    "whisper",
)
"""Families whose parts differ most; the others are left to `make proof`."""
LIVE = {  # transformers' own, of the families whose parts are unlike the others'
    "qwen3": (T.Qwen3ForCausalLM, T.Qwen3Config, {"num_key_value_heads": 2, "head_dim": 4}),
    "gemma2": (T.Gemma2ForCausalLM, T.Gemma2Config, {"num_key_value_heads": 2, "head_dim": 4}),
    "gemma3": (T.Gemma3ForCausalLM, T.Gemma3TextConfig, {"num_key_value_heads": 2, "head_dim": 4}),
    "olmo2": (T.Olmo2ForCausalLM, T.Olmo2Config, {"num_key_value_heads": 2}),
}


def some(kinds, thin=THIN):
    return [kind if kind in thin else pytest.param(kind, marks=pytest.mark.proof) for kind in kinds]


def inputs_of(model, seed=0):
    """Two texts of 6 tokens, and 5 of another where a model writes one; or two images."""
    generator = torch.Generator().manual_seed(seed)
    tokens, target = (torch.randint(3, 40, (2, length), generator=generator) for length in (6, 5))
    if isinstance(model, Transformer | Aligner):
        return {"source": tokens, "target": target}
    if isinstance(model, SpeechTransformer):
        return {"source": sound(model, generator), "target": target}
    if isinstance(model, VisionTransformer):
        channels = model.config.channels
        return {"images": torch.rand(2, *[channels] * (channels > 1), 6, 6, generator=generator)}
    return {"tokens": tokens}


def live_model(kind):
    """A model of transformers with weights so large that everything matters, norms too."""
    build, config, settings = LIVE[kind]
    torch.manual_seed(0)
    model = build(config(**SIZES, **settings, pad_token_id=0, bos_token_id=1, eos_token_id=2)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    return model


def self_layer(model):
    return f"{'decoder' if 'decoder' in regard.sites(model).sides else 'encoder'}.1.self"


def assert_logit_is_a_sum(model, inputs):
    with torch.no_grad():
        logits = logits_of(model, inputs)
    for position, token, other in ((2, 7, None), (-1, 5, 6)):
        parts = regard.logit_attribution(model, inputs, token, position=position, against=other, batch=1)
        expected = logits[1, position, token] - (0 if other is None else logits[1, position, other])
        assert parts.logit == pytest.approx(float(expected), abs=1e-5)
        assert sum(parts.parts.values()) == pytest.approx(float(expected), abs=1e-4 * max(1, abs(float(expected))))
    assert sum(abs(part) > 1e-3 for part in parts.parts.values()) >= 5


def assert_score_is_a_sum(model, inputs):
    layer = self_layer(model)
    with torch.no_grad(), regard.watch(model, layer) as seen:
        logits_of(model, inputs)
    for head, query, key in ((0, 3, 1), (1, 2, 2)):
        score = float(seen[layer].scores(slice(query, query + 1), slice(key, key + 1))[1, head, 0, 0])
        parts = regard.pair_score(model, inputs, layer, head, query, key, batch=1)
        near = 1e-4 * max(1, abs(score))
        assert parts.score == pytest.approx(score, abs=near)
        assert float(parts.by_writer.sum()) + parts.bias == pytest.approx(score, abs=near)
        assert float(parts.by_dimension.sum()) + parts.bias == pytest.approx(score, abs=near)
        assert parts.content + parts.rotation + parts.distance + parts.bias == pytest.approx(score, abs=near)
        assert len(parts.writers) == len(parts.by_writer)


@pytest.mark.parametrize("kind", some(kind for kind in STACKED if kind not in NO_WORDS))
def test_the_parts_of_a_logit_sum_to_it(kind):
    model = made(kind)[0]
    assert_logit_is_a_sum(model, inputs_of(model))


@pytest.mark.parametrize("kind", some(STACKED))
def test_the_parts_of_a_score_sum_to_it(kind):
    model = made(kind)[0]
    assert_score_is_a_sum(model, inputs_of(model))


@pytest.mark.parametrize("kind", LIVE)
def test_the_same_in_live_models_that_normalise_queries_and_keys_or_cap_logits(kind):
    model = live_model(kind)
    inputs = {"input_ids": inputs_of(made("llama")[0])["tokens"]}
    assert_logit_is_a_sum(model, inputs)
    assert_score_is_a_sum(model, inputs)


def test_what_normalises_queries_and_keys_is_as_before():
    """The scales are frozen for the sake of the sum alone."""
    model = made("qwen3")[0]
    inputs = inputs_of(model)
    with torch.no_grad():
        plain = model(**inputs)
    regard.pair_score(model, inputs, "decoder.1.self", 0, 3, 1)
    with torch.no_grad():
        assert torch.equal(model(**inputs), plain)


def metric(logits):
    return (logits[..., 5] - logits[..., 6]).sum() if logits.shape[-1] > 6 else (logits[..., 1] - logits[..., 0]).sum()


@pytest.mark.parametrize("kind", some(STACKED, thin=("gpt2", "olmo2", "xl", "whisper")))
@pytest.mark.parametrize("over", ["stream", "heads", "feed_forward"])
def test_a_model_patched_with_itself_is_as_it_was_to_the_bit(kind, over):
    model = made(kind)[0]
    inputs = inputs_of(model)
    with torch.no_grad():
        plain = float(metric(logits_of(model, inputs)))
    assert regard.patch(model, inputs, inputs, metric, over).values.eq(plain).all()
    other = regard.patch(model, inputs_of(model, seed=1), inputs, metric, over).values
    assert not other.eq(plain).all()


EDITS = [
    {"do": "add", "site": "decoder.0.stream.after", "value": [0.5], "coefficient": 3.0, "start": 1, "stop": 4},
    {"do": "zero", "site": "decoder.1.self.head_output", "heads": [0], "positions": [2, 4]},
    {"do": "multiply", "site": "decoder.1.feed_forward.output", "coefficient": 0.5},
    {"do": "add", "site": "decoder.1.self.key", "value": [0.7], "positions": [1]},
    {"do": "cut", "layer": "decoder.0.self", "queries": [3, 4], "keys": [1, 2]},
    {"do": "add", "site": "decoder.1.stream.after", "value": [0.6], "start": {"token": [*range(3, 20)]},
     "stop": {"token": [*range(20, 30)], "after": 2}},
]  # fmt: skip
SOURCE_EDITS = [
    {"do": "zero", "site": "decoder.0.cross.head_output", "heads": [1], "positions": [2]},
    {"do": "add", "site": "encoder.0.stream.after", "value": [0.4], "positions": [1]},
]


@pytest.mark.parametrize("kind", some(WRITERS))
def test_an_edit_while_a_text_is_written_is_the_edit_in_one_pass(kind):
    model = made(kind)[0]
    inputs = inputs_of(model)
    is_pair = isinstance(model, Transformer | SpeechTransformer)
    text = inputs["target" if is_pair else "tokens"]
    with torch.no_grad():
        plain = model(**inputs)
        with regard.edit(model, EDITS + SOURCE_EDITS * is_pair):
            state, steps = model.start(inputs["source"]) if is_pair else model.start(), []
            for column in range(text.shape[1]):
                scores, state = model.step(state, text[:, column : column + 1])
                steps.append(scores)
            whole = model(**inputs)
    assert_close(torch.cat(steps, 1), whole, atol=1e-4, rtol=1e-3)
    assert (whole - plain).abs().max() > 1e-2


def test_a_model_that_guesses_two_texts_is_refused():
    model = made(NO_LOGITS)[0]
    inputs = {"source": torch.full((1, 6), 5), "target": torch.full((1, 5), 7)}
    for tool in (
        lambda: regard.logit_attribution(model, inputs, 7),
        lambda: regard.patch(model, inputs, inputs, torch.sum, "stream"),
        lambda: regard.pair_score(model, inputs, "there.encoder.1.self", 0, 3, 1),
    ):
        with pytest.raises(RegardError, match="MaskedAligner gives no logits"):
            tool()


@pytest.mark.parametrize("kind", WITHOUT_BLOCKS)
def test_models_without_blocks_say_so(kind):
    model = made(kind)[0]
    with pytest.raises(RegardError, match="Aligner has no blocks"):
        regard.logit_attribution(model, inputs_of(model), 5)


@pytest.mark.parametrize("kind", WITH_DISTANCES)
def test_distances_are_writers_of_scores_that_know_them(kind):
    model = made(kind)[0]
    inputs = inputs_of(model)
    near, far = (regard.pair_score(model, inputs, self_layer(model), 0, 4, key, batch=1) for key in (3, 1))
    for parts in (near, far):
        assert parts.writers[-1] == "distance"
        column = float(parts.by_writer[:, -1].sum())
        row = float(parts.by_writer[-1, :-1].sum()) if kind == "deberta-v2" else 0.0
        assert parts.distance == pytest.approx(column + row, abs=1e-6)
        assert abs(parts.distance) > 1e-4
    assert near.distance != far.distance
