import pytest
import torch
from torch.testing import assert_close

import regard
from regard.decoding import decode
from regard.errors import ShapeError
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    ScoreConfig,
    StackConfig,
    TransformerXL,
    XLConfig,
)

VOCABULARY, WIDTH, LAYERS = 23, 16, 3
CLOSE = {"rtol": 0, "atol": 1e-5}


def config(memory, **changes):
    stack = {
        "layers": LAYERS,
        "width": WIDTH,
        "attention": AttentionConfig(2, score=ScoreConfig("xl")),
        "feed_forward": FeedForwardConfig(32, "gelu"),
        "window": memory + 1 if memory else None,
    }
    side = EmbeddedStackConfig(EmbeddingConfig(VOCABULARY), StackConfig(**(stack | changes)))
    return XLConfig(side, OutputConfig())


def model(memory, seed=0, **changes):
    torch.manual_seed(seed)
    made = TransformerXL(config(memory, **changes)).eval()
    for name, weight in made.named_parameters():
        if name.endswith((".u", ".v")):
            torch.nn.init.normal_(weight)
    return made


def text(length, rows=2):
    return torch.randint(0, VOCABULARY, (rows, length), generator=torch.Generator().manual_seed(1))


def in_segments(xl, tokens, sizes):
    memory, found = None, []
    for segment in tokens.split(sizes, 1):
        x, memory = xl.read(segment, memory)
        found.append(xl.output(x))
    return torch.cat(found, 1), memory


@torch.no_grad()
@pytest.mark.parametrize("pre_norm", [True, False], ids=["pre-norm", "post-norm"])
@pytest.mark.parametrize("sizes", [10, [7, 30, 1, 1, 40, 1], [80]], ids=str)
def test_where_the_memory_covers_it_segments_are_the_full_context_pass(sizes, pre_norm):
    xl, without = (model(memory, pre_norm=pre_norm) for memory in (80, 0))
    tokens = text(80)
    found, memory = in_segments(xl, tokens, sizes)
    assert_close(found, without(tokens), **CLOSE)  # which sees everything before
    assert memory.shape == (LAYERS, 2, 80, WIDTH)


@torch.no_grad()
@pytest.mark.parametrize("sizes", [8, 20, [3, 50, 7]], ids=str)
def test_a_text_is_read_the_same_wherever_segments_begin(sizes):
    xl, tokens = model(12), text(60)
    found, memory = in_segments(xl, tokens, sizes)
    assert_close(found, xl(tokens), **CLOSE)
    assert memory.shape == (LAYERS, 2, 12, WIDTH)


@torch.no_grad()
def test_a_token_is_felt_as_many_memories_further_as_there_are_layers():
    xl, tokens, at = model(5), text(40, rows=1), 10
    other = tokens.clone()
    other[0, at] = (other[0, at] + 1) % VOCABULARY
    changed = (in_segments(xl, tokens, 4)[0] - in_segments(xl, other, 4)[0]).abs().amax(-1)[0] > 1e-6
    assert changed.nonzero()[:, 0].tolist() == list(range(at, at + LAYERS * 5 + 1))


def test_the_gradient_ends_at_the_memory_and_reaches_the_weights_that_read_it():
    xl, tokens = model(8), text(8)
    x, memory = xl.read(tokens)
    assert x.requires_grad
    assert not memory.requires_grad
    memory = memory.requires_grad_()
    after, _ = xl.read(text(1), memory)
    keys = xl.decoder.stack.blocks[0].self.qkv.weight
    toward = torch.randn(after.shape, generator=torch.Generator().manual_seed(2))
    (found,) = torch.autograd.grad((after * toward).sum(), [keys], retain_graph=True)
    assert found[WIDTH : 2 * WIDTH].abs().sum() > 0  # one token alone has no choice: softmax of one key moves no key
    alone, _ = xl.read(text(1))
    (without,) = torch.autograd.grad((alone * toward).sum(), [keys])
    assert without[WIDTH : 2 * WIDTH].abs().max() < 1e-6


@torch.no_grad()
def test_step_by_step_it_says_the_same_and_forgets_what_it_will_not_see_again():
    xl, tokens = model(6), text(50)
    whole, state, longest = xl(tokens), xl.start(), 0
    for position, segment in enumerate(tokens.split([9] + [1] * 41, 1)):
        scores, state = xl.step(state, segment)
        assert_close(scores[:, 0], whole[:, 8 + position], **CLOSE)
        longest = max(longest, state.length)
    assert longest < 2 * 6


@torch.no_grad()
@pytest.mark.parametrize("beam", [1, 3])
def test_it_writes_as_if_all_was_read_again_for_every_token(beam):
    xl, prompts = model(6, seed=4), [text(5, rows=1), text(3, rows=1)]
    longest = 5
    padded = torch.cat([torch.nn.functional.pad(prompt, (longest - prompt.shape[1], 0)) for prompt in prompts])
    attention_mask = torch.tensor([[True] * 5, [False, False, True, True, True]])
    together = decode(xl, None, prefix=padded, prefix_attention_mask=attention_mask, beam=beam, max_new_tokens=20)
    for prompt, answer in zip(prompts, together, strict=True):
        (alone,) = decode(xl, None, prefix=prompt, beam=beam, max_new_tokens=20)
        assert answer.best.ids == alone.best.ids
        tokens = torch.cat([prompt, torch.tensor([alone.best.ids])], 1)
        told = xl(tokens).log_softmax(-1)[0, prompt.shape[1] - 1 : -1]
        assert_close(torch.tensor(alone.best.scores), told.gather(1, tokens[0, prompt.shape[1] :, None])[:, 0], **CLOSE)
        if beam == 1:
            assert told.argmax(-1).tolist() == list(alone.best.ids)


@torch.no_grad()
def test_a_segment_is_watched_with_what_it_remembers():
    xl, tokens = model(8), text(20)
    _, memory = in_segments(xl, tokens[:, :12], 4)
    with regard.watch(xl) as seen:
        xl.read(tokens[:, 12:16], memory)
    pattern = seen["decoder.1.self"]
    assert pattern.shape == (2, 2, 4, 12)
    with regard.watch(xl) as seen:
        xl(tokens[:, :16])
    whole = seen["decoder.1.self"]
    assert_close(pattern.weights(), whole[:, :, 12:16, 4:16], **CLOSE)
    with regard.edit(xl) as edit:
        edit.head("decoder.*.self", [0, 1]).off()
        off, _ = xl.read(tokens[:, 12:16], memory)
        assert_close(off, xl.read(tokens[:, 12:16])[0])  # nobody looks, so nothing is remembered


def test_a_memory_is_no_parameter():
    count = [sum(weight.numel() for weight in model(memory).parameters()) for memory in (0, 8, 80)]
    assert len(set(count)) == 1


def test_what_does_not_fit_is_refused_in_one_line(unchecked):
    xl = model(4)
    with pytest.raises(ShapeError, match="the memory has 1 texts, expected 2"):
        xl.read(text(3), torch.zeros(LAYERS, 1, 4, WIDTH))
    with pytest.raises(ShapeError, match="a memory of 1 position or more"):
        config(0, window=1)
    with pytest.raises(ShapeError, match="score='xl' and no position scheme"):
        config(4, attention=AttentionConfig(2))
    side = config(4).decoder
    placed = EmbeddedStackConfig(side.embedding, side.stack, PositionConfig("sinusoidal", {"width": WIDTH}))
    with pytest.raises(ShapeError, match="score='xl' and no position scheme"):
        XLConfig(placed)
