"""Running a live model in a setting: one pass, a text in parts with a cache, or a generation."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import torch
from looking.live.families import BIASED, START, VOCABULARY, Family, transformers
from looking.live.settings import FULL, WINDOWED, Setting, kinds_of
from torch import Tensor

KINDS = {"encoder_attentions": "encoder", "decoder_attentions": "decoder", "cross_attentions": "cross"}


@dataclass
class Answer:
    """What a run gave: logits of every call, tokens where some were written, weights of every call."""

    logits: list[Tensor]
    tokens: Tensor | None = None
    attentions: dict[str, list[tuple[Tensor, ...]]] = field(default_factory=dict)


def padded(setting: Setting, batch: int, length: int, less: int = 0) -> Tensor | None:
    """An attention mask (batch, length): some members have padding before or behind their text."""
    if setting.mask == "no mask":
        return None
    some = setting.sizes.padding or ((3, 0) if setting.mask == "left" else (0, 3))
    some = some[:batch] if setting.mask == "left" else some[-batch:]
    counts = torch.tensor([min(max(count - less, 0), length - 2) for count in some])[:, None]
    positions = torch.arange(length)
    return ((positions >= counts) if setting.mask == "left" else (positions < length - counts)).long()


def text(batch: int, length: int, attention_mask: Tensor | None, seed: int) -> Tensor:
    """Random tokens, 0 where there is padding."""
    tokens = torch.randint(5, VOCABULARY, (batch, length), generator=torch.Generator().manual_seed(seed))
    return tokens if attention_mask is None else tokens * attention_mask


def batch_of(family: Family, setting: Setting) -> int:
    """How many texts; one where transformers' flex attention looks for the bias of a second text, which has none."""
    return 1 if setting.implementation == "flex_attention" and family.name in BIASED else setting.sizes.batch


def inputs(family: Family, setting: Setting) -> dict[str, Tensor]:
    """What a model is called with: a text, and for a pair what is being written."""
    batch, sizes = batch_of(family, setting), setting.sizes
    attention_mask = padded(setting, batch, sizes.length)
    given = {"input_ids": text(batch, sizes.length, attention_mask, sizes.seed), "attention_mask": attention_mask}
    if family.is_pair:
        length = sizes.length if setting.way == "forward" else sizes.prompt
        written = padded(setting, batch, length, less=1)
        given["decoder_input_ids"] = text(batch, length, written, sizes.seed + 1)
        given["decoder_attention_mask"] = written
        given["decoder_input_ids"][:, 0] = START
    return {name: value for name, value in given.items() if value is not None}


def attention_mask_of(family: Family, setting: Setting, decoder: bool) -> Tensor:
    """Which tokens of the text are no padding, those that are written included: (batch, tokens in the end)."""
    given = inputs(family, setting)
    name = "decoder_input_ids" if family.is_pair and decoder else "input_ids"
    mask = given.get(name.replace("input_ids", "attention_mask"), torch.ones_like(given[name]))
    written = 0 if setting.way == "forward" or (family.is_pair and not decoder) else setting.sizes.new_tokens
    return torch.cat([mask, mask.new_ones(len(mask), written)], 1).bool()


def cache_of(model: Any, setting: Setting) -> Any:
    """A new cache, with room for all that will be written."""
    if setting.cache == "no cache":
        return None
    config, source = model.config, setting.sizes.length
    room = source + setting.sizes.new_tokens + 2
    if setting.cache == "quantised":
        mine, other = transformers.QuantizedCache("fp8", config), transformers.DynamicCache()
    elif setting.cache == "static":
        mine, other = transformers.StaticCache(config, room), transformers.StaticCache(config, source)
    else:
        keeps_all = setting.cache == "dynamic" and kinds_of(config) <= FULL | WINDOWED
        mine = transformers.DynamicCache() if keeps_all else transformers.DynamicCache(config=config)
        other = transformers.DynamicCache()
    return transformers.EncoderDecoderCache(mine, other) if config.is_encoder_decoder else mine


@contextmanager
def uncompiled(setting: Setting) -> Iterator[None]:
    """Flex attention as watch runs it: compiling its kernels takes a minute for each shape."""
    stance = nullcontext()
    if setting.implementation == "flex_attention":
        import torch._dynamo  # watch looks whether it is there

        stance = torch.compiler.set_stance("force_eager")
    with stance, warnings.catch_warnings():
        if setting.implementation == "flex_attention":
            warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
            warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, of what it imports to compile
        yield


def run(model: Any, family: Family, setting: Setting, attentions: bool = False) -> Answer:
    """Run a model in a setting; with its own weights where these are asked for."""
    with torch.no_grad(), uncompiled(setting):
        return (forward if setting.way == "forward" else generate)(model, family, setting, attentions)


def forward(model: Any, family: Family, setting: Setting, attentions: bool) -> Answer:
    """One pass, or with a cache one part of the text after the other."""
    given = inputs(family, setting) | ({"output_attentions": True} if attentions else {})
    past = cache_of(model, setting)
    if past is None:
        use_cache = {"use_cache": False} if family.writes else {}
        return put_together([model(**given, **use_cache)], family)
    tokens, mask = (
        ("decoder_input_ids", "decoder_attention_mask") if family.is_pair else ("input_ids", "attention_mask")
    )
    if family.is_pair:  # the source is read once
        how = {name: given[name] for name in ("attention_mask", "output_attentions") if name in given}
        given["encoder_outputs"] = model.get_encoder()(given.pop("input_ids"), **how)
    outputs = []
    for start, stop in pairwise(accumulate(setting.sizes.parts, initial=0)):
        part = given | {tokens: given[tokens][:, start:stop]}
        if mask in part:
            part[mask] = given[mask][:, :stop]
        outputs.append(model(**part, past_key_values=past, use_cache=True))
    answer = put_together(outputs, family)
    if family.is_pair and attentions:
        answer.attentions["encoder"] = [given["encoder_outputs"].attentions]
    return answer


def put_together(outputs: list[Any], family: Family) -> Answer:
    """What calls gave, one after the other."""
    answer = Answer([output.logits for output in outputs])
    for output in outputs:
        for name in (*KINDS, "attentions"):
            if output.get(name):
                kind = KINDS.get(name, "decoder" if family.writes else "encoder")
                answer.attentions.setdefault(kind, []).append(output[name])
    return answer


def generate(model: Any, family: Family, setting: Setting, attentions: bool) -> Answer:
    """A generation: greedy, by beams, or drawn with a seed."""
    given = inputs(family, setting)
    past = cache_of(model, setting)
    how = {
        "greedy": {"do_sample": False},
        "beam": {"do_sample": False, "num_beams": setting.sizes.beams},
        "sample": {"do_sample": True, "top_k": 0, "top_p": 1.0},
    }[setting.way]
    torch.manual_seed(7)
    output = model.generate(
        **given,
        **how,
        **({"use_cache": False} if past is None else {"past_key_values": past}),
        max_new_tokens=setting.sizes.new_tokens,
        min_new_tokens=setting.sizes.new_tokens,
        pad_token_id=0,
        return_dict_in_generate=True,
        output_logits=True,
        output_attentions=attentions,
    )
    answer = Answer(list(output.logits), output.sequences)
    for name in (*KINDS, "attentions"):
        if output.get(name):
            kind = KINDS.get(name, "decoder")
            answer.attentions[kind] = [output[name]] if kind == "encoder" else list(output[name])
    return answer
