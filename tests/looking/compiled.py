"""Compiled and distributed models, in a program of their own because shape checks wrap functions. Prints JSON.

Each claim is true or false; test_eager.py says what they mean.
"""

import json
import sys
import tempfile

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import regard
from regard.attention import SCORES, Causal, Padding, Window
from regard.layers import FeedForward, HeadSplit, MultiHead, Stack, TransformerBlock
from regard.positions import Alibi, RelativeBuckets, Rotary, positions_of


class Reader(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.decoder = Stack(
            [TransformerBlock(MultiHead(8, 2), FeedForward(8, 12), lambda: nn.LayerNorm(8)) for _ in range(2)]
        )
        self.rotary = Rotary(4)

    def forward(self, x):
        positions = positions_of(None, x.shape[1])
        return self.decoder(x, mask=Causal(), position=self.rotary, positions=positions)


def close(one: torch.Tensor, other: torch.Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-4, atol=1e-5)


def compiled(backend: str) -> dict[str, bool]:
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, x = Reader(), torch.randn(2, 5, 8)
    plain = model(x)
    with regard.edit(model) as edit:
        edit.head("decoder.0.self", 1).off()
        edit.hide([2])
        edited = model(x)
    quick = torch.compile(model, backend=backend, fullgraph=True)
    claims = {"whole": close(quick(x), plain)}
    with regard.watch(quick) as seen:
        claims["watched"] = close(quick(x), plain)
    claims["names"] = list(seen) == ["decoder.0.self", "decoder.1.self"]
    with regard.watch(model) as other:
        model(x)
    claims["seen"] = close(seen["decoder.1.self"].weights(), other["decoder.1.self"].weights())
    with regard.edit(quick) as edit:
        edit.head("decoder.0.self", 1).off()
        edit.hide([2])
        claims["edited"] = close(quick(x), edited)
    with regard.edit(model) as edit:
        edit.head("decoder.0.self", 1).off()
        edit.hide([2])
        claims["edited through the model inside"] = close(quick(x), edited)
    claims["afterwards"] = close(quick(x), plain)
    before = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    quick(x)
    claims["compiled again for nobody"] = torch._dynamo.utils.counters["stats"]["unique_graphs"] == before
    claims["nothing new was seen"] = len(seen.all("decoder.0.self")) == 1
    quick(x).sum().backward()
    claims["learns"] = all(weight.grad is not None for weight in model.parameters())
    return claims


def kinds() -> dict[str, dict]:
    """What a layer may be told, by name."""
    attention_mask = Padding.from_lengths([3, 5]).attention_mask
    return {
        "no mask": {},
        "padding": {"mask": Padding(attention_mask)},
        "causal and padding": {"mask": Causal() & Padding(attention_mask)},
        "window": {"mask": Window(2)},
        "alibi": {"mask": Causal(), "bias": Alibi(4).bias()},
        "buckets": {"mask": Causal() & Padding(attention_mask), "bias": RelativeBuckets(4).bias()},
    }


def alone(layer: MultiHead, told: dict) -> bool:
    """Whether a layer compiles whole and gives the same answer."""
    torch._dynamo.reset()
    x = torch.randn(2, 5, 16)
    try:
        return close(torch.compile(layer, backend="eager", fullgraph=True)(x, **told), layer(x, **told))
    except torch._dynamo.exc.TorchDynamoException:
        return False


def layers() -> dict[str, bool]:
    torch.manual_seed(0)
    claims = {name: alone(MultiHead(16, 4), told) for name, told in kinds().items()}
    claims["shared heads"] = alone(MultiHead(16, HeadSplit.of(16, 4, kv_heads=2)), {"mask": Causal()})
    claims["pruned heads"] = alone(
        MultiHead(16, HeadSplit.of(16, 4, kv_heads=2, remaining_heads=(0, 2, 3))), kinds()["alibi"]
    )
    for name in SCORES:
        claims[f"score {name}"] = alone(MultiHead(16, 4, score=SCORES[name](heads=4, width=4)), {"mask": Causal()})
    return claims


def first_looked_at() -> dict[str, bool]:
    """Compiled before, called for the first time while somebody looks."""
    torch.manual_seed(0)
    model, x = Reader(), torch.randn(2, 5, 8)
    plain, quick = model(x), torch.compile(model, backend="eager", fullgraph=True)
    with regard.watch(quick) as seen:
        claims = {"watched": close(quick(x), plain)}
    claims["seen"] = len(seen.all("decoder.1.self")) == 1
    claims["afterwards"] = close(quick(x), plain)
    return claims


def distributed() -> dict[str, bool]:
    with tempfile.TemporaryDirectory() as folder:
        torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=0, world_size=1)
        torch.manual_seed(0)
        model, x = Reader(), torch.randn(2, 5, 8)
        plain = model(x)
        shared = DistributedDataParallel(model)
        with regard.watch(shared) as seen:
            watched = shared(x)
        watched.sum().backward()
        claims = {
            "names": list(seen) == ["decoder.0.self", "decoder.1.self"],
            "watched": torch.equal(watched, plain),
            "stream": torch.equal(seen.stream("decoder.1"), plain),
            "learns": all(weight.grad is not None for weight in model.parameters()),
        }
        with regard.edit(shared) as edit:
            edit.head("decoder.*.self", [0, 1]).off()
            claims["edited"] = not torch.allclose(shared(x), plain)
        torch.distributed.destroy_process_group()
    return claims


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1:] == ["inductor"]:
        print(json.dumps(compiled("inductor")))
    else:
        told = {"compiled": compiled("aot_eager"), "layers": layers(), "first looked at": first_looked_at()}
        print(json.dumps({**told, "distributed": distributed()}))
