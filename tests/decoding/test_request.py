"""Where values come in: every accepted form means the same on both paths, and nothing else gets through.

Also tests: decoding/dispatch.py.
"""

from functools import partial

import pytest
import torch
from models.test_alignment import model
from shapes_of_engine import WORDS, made

from regard.decoding import Beam, Constraints, Sampling, decode, greedy, stream
from regard.decoding.request import DecodeRequest
from regard.engine import serve
from regard.engine.build import why
from regard.engine.library import library
from regard.errors import ArgumentError, RegardError, ShapeError
from regard.models.inputs import INTEGERS

END, START = 0, 1
WAYS = {
    "greedy": {},
    "beam": {"beam": 3, "num_hypotheses": 2},
    "coverage": {"beam": Beam(3, coverage_penalty=0.2)},
    "sample": {"sampling": Sampling(seed=3), "num_hypotheses": 2},
    "look back": {"constraints": Constraints(ends=(END,), no_repeat=2, repetition_penalty=1.3)},
}


@pytest.fixture(params=["engine", "torch"])
def path(request, monkeypatch):
    """What takes the steps."""
    if request.param == "torch":
        monkeypatch.setenv("REGARD_ENGINE", "off")
    elif library(wait=True) is None:
        pytest.skip(f"no engine: {why() or 'it cannot be loaded'}")
    return request.param


def texts_of(rows=4, length=5):
    tokens = torch.randint(2, WORDS, (rows, length), generator=torch.Generator().manual_seed(1))
    return tokens, torch.arange(length) < torch.tensor([[5], [2], [4], [1]])[:rows]


def asked(name, change=lambda tensor: tensor):
    """What is asked of a translator or of a writer; `change` acts on every tensor."""
    tokens, mask = texts_of()
    if name == "gpt2":
        return {"source": None, "prefix": change(tokens), "prefix_attention_mask": change(mask)}
    start = change(torch.full((len(tokens), 1), START))
    return {"source": change(tokens), "attention_mask": change(mask), "prefix": start}


def written(name, values, **more):
    options = {"max_new_tokens": 5, "constraints": Constraints(ends=(END,))} | more
    return decode(made(name), **values, **options)


def masks_as(dtype, x):
    return x.to(dtype) if x.dtype == torch.bool else x


def tokens_as(dtype, x):
    return x if x.dtype == torch.bool else x.to(dtype)


CHANGES = {
    **{f"masks of {dtype}": partial(masks_as, dtype) for dtype in INTEGERS},
    **{f"tokens of {dtype}": partial(tokens_as, dtype) for dtype in INTEGERS},
    "both, transposed": lambda x: x.long().t().contiguous().t(),
    "both, strided": lambda x: x.int().repeat_interleave(3, 1)[:, ::3],
    "both, of a larger tensor": lambda x: torch.cat([x, x], 1).short()[:, : x.shape[1]],
}


@pytest.mark.parametrize("name", ["marian", "gpt2"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_form_of_tokens_and_masks_is_the_same_request(name, change):
    model = made(name)
    plain, request = (DecodeRequest.of(model, **asked(name, *changes)) for changes in ((), (change,)))
    for field in ("source", "attention_mask", "prefix", "prefix_attention_mask"):
        one, other = getattr(plain, field), getattr(request, field)
        assert one is other is None or (one.dtype == other.dtype and bool((one == other).all()))


@pytest.mark.parametrize("name", ["marian", "gpt2"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_every_search_takes_what_transformers_hands_out(name, way, path):
    if name == "gpt2" and isinstance(way.get("beam"), Beam):
        pytest.skip("coverage is of a source")
    assert written(name, asked(name, CHANGES["both, transposed"]), **way) == written(name, asked(name), **way)


@pytest.mark.parametrize("name", ["marian", "gpt2"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.bool], ids=str)
def test_both_paths_write_the_same_from_every_form(name, dtype, monkeypatch):
    if library(wait=True) is None:
        pytest.skip(f"no engine: {why() or 'it cannot be loaded'}")
    values = asked(name, partial(masks_as, dtype))
    compiled = written(name, values, beam=3)
    monkeypatch.setenv("REGARD_ENGINE", "off")
    assert [found.best.ids for found in compiled] == [found.best.ids for found in written(name, values, beam=3)]


@pytest.mark.parametrize("name", ["marian", "gpt2"])
def test_streams_take_the_same_forms(name, path):
    writer = made(name)
    long = asked(name, lambda x: x.int())
    told = {"max_new_tokens": 4, "constraints": Constraints(ends=(END,))}
    assert list(stream(writer, **long, **told)) == list(stream(writer, **asked(name), **told))


def tokens_of(name):
    return "prefix" if name == "gpt2" else "source"


REFUSED = {
    "float tokens": (lambda t, m: (t.float(), m), "{tokens} is of torch.float32"),
    "bool tokens": (lambda t, m: (t.bool(), m), "{tokens} is of torch.bool"),
    "meta tokens": (lambda t, m: (t.to("meta"), m), "{tokens} is on the device meta"),
    "meta mask": (lambda t, m: (t, m.to("meta")), "{mask} is on the device meta"),
    "float mask": (lambda t, m: (t, m.float()), "{mask} is of torch.float32: bool expected, or integers of 0 and 1"),
    "mask of twos": (lambda t, m: (t, m.long() * 2), "{mask} holds 2"),
    "mask of -1": (lambda t, m: (t, -m.long()), "{mask} holds -1"),
    "negative token": (lambda t, m: (t - 5, m), "{tokens} holds the token -"),
    "token past the vocabulary": (lambda t, m: (t + WORDS, m), "{tokens} holds the token "),
    "token past it in the padding": (
        lambda t, m: (torch.where(m, t, WORDS), m),
        f"{{tokens}} holds the token {WORDS}:",
    ),
    "one row of mask": (lambda t, m: (t, m[:1]), "{mask} is of"),
    "flat tokens": (lambda t, m: (t[0], m[0]), "{tokens} is of"),
    "list": (lambda t, m: (t.tolist(), m), "{tokens} is a list, a tensor expected"),
}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("name", ["marian", "gpt2"])
@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize(
    "call", [decode, lambda *given, **more: list(stream(*given, **more))], ids=["decode", "stream"]
)
def test_what_has_no_meaning_is_one_line(name, change, message, call, path):
    which = tokens_of(name)
    mask = "prefix_attention_mask" if name == "gpt2" else "attention_mask"
    values = asked(name)
    values[which], values[mask] = change(values[which], values[mask])
    source = values.pop("source")
    with pytest.raises(RegardError, match="^" + message.format(tokens=which, mask=mask)) as caught:
        call(made(name), source, **values, max_new_tokens=2)
    assert "\n" not in str(caught.value)


def test_a_mask_is_of_something(path):
    prefix = torch.ones(1, 1, dtype=torch.int64)
    with pytest.raises(ShapeError, match=r"attention_mask is of \(1, 3\), the tokens it is about of None"):
        decode(made("gpt2"), None, prefix=prefix, attention_mask=torch.ones(1, 3, dtype=torch.bool))


def test_what_reads_a_source_is_given_one_and_what_reads_none_is_not(path):
    prefix = torch.ones(1, 1, dtype=torch.int64)
    with pytest.raises(ArgumentError, match=r"^source is None, and a Transformer reads one$"):
        decode(made("marian"), None, prefix=prefix)
    with pytest.raises(ArgumentError, match=r"^source is for models that read one; a Decoder goes on from its prefix$"):
        decode(made("gpt2"), prefix, prefix=prefix)


def test_a_prefix_of_padding_alone_is_nothing_to_begin_with(path):
    tokens, mask = texts_of()
    mask[2] = False
    with pytest.raises(ArgumentError, match=r"^prefix_attention_mask hides every token of row 2"):
        decode(made("gpt2"), None, prefix=tokens, prefix_attention_mask=mask)


def test_an_aligner_has_the_same_border():
    network = model("bahdanau")
    words = network.source_embedding.num_embeddings
    tokens, mask = texts_of()
    tokens = tokens % words
    start = torch.full((4, 1), START)
    plain = decode(network, tokens, attention_mask=mask, prefix=start, max_new_tokens=2)
    assert decode(network, tokens.int(), attention_mask=mask.int(), prefix=start.short(), max_new_tokens=2) == plain
    with pytest.raises(ArgumentError, match=f"source holds the token {words}"):
        decode(network, torch.full((4, 5), words), attention_mask=mask, prefix=start)


def test_more_positions_than_were_learned_are_the_same_line_on_both_paths(path):
    long = torch.ones(1, 41, dtype=torch.int64)
    with pytest.raises(RegardError, match=r"^position 40 is past the 40 positions that were learned$"):
        decode(made("gpt2"), None, prefix=long)
    with pytest.raises(RegardError, match=r"^position 40 is past the 40 positions that were learned$"):
        decode(made("gpt2"), None, prefix=long[:, :39], max_new_tokens=3)
    with pytest.raises(RegardError, match=r"^position 40 is past the 40 positions that were learned$"):
        decode(made("bart"), long, prefix=long[:, :1])


def test_padding_takes_no_position(path):
    tokens = torch.ones(1, 60, dtype=torch.int64)
    mask = torch.arange(60)[None] >= 30
    short = decode(made("gpt2"), None, prefix=tokens[:, 30:], max_new_tokens=3)
    padded = decode(made("gpt2"), None, prefix=tokens, prefix_attention_mask=mask, max_new_tokens=3)
    assert [one.best.ids for one in padded] == [one.best.ids for one in short]


def test_greedy_has_the_same_border():
    tokens, mask = texts_of()
    told = {"prefix_attention_mask": mask.long(), "max_new_tokens": [3] * 4}
    for steps in (made("gpt2"), serve(made("gpt2"))):
        texts = greedy(steps, None, tokens.int(), **told)
        assert [text.ids for text in texts] == [
            one.best.ids for one in decode(made("gpt2"), None, prefix=tokens, **told)
        ]
        with pytest.raises(ArgumentError, match=r"prefix is of torch.float32"):
            greedy(steps, None, tokens.float(), **told)
