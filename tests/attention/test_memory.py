"""No path holds queries x keys: not forward, not backward, not while somebody looks."""

import pytest
import torch
from attention.drawn import blocks_of
from attention.test_attend import Editor, Watcher, random_heads
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from regard.attention import (
    Additive,
    AlibiBias,
    BucketBias,
    Causal,
    GraphMask,
    Kernel,
    Location,
    Padding,
    Pattern,
    Shaw,
    TopK,
    Window,
    XLScore,
    attend,
)

N, HEADS, WIDTH = 2048, 1, 4


def learned(*size):
    return torch.randn(size, requires_grad=True)


def ring(nodes=N):
    return GraphMask.from_edges([(node, (node + step) % nodes) for node in range(nodes) for step in (0, 1, 7)], nodes)


CALLS = {
    "none": lambda: {},
    "causal": lambda: {"mask": Causal()},
    "causal and padding": lambda: {"mask": Causal() & Padding.from_lengths([N - 9], "left", N)},
    "window": lambda: {"mask": Window(8)},
    "window both ways": lambda: {"mask": Window(300, 300)},
    "window ahead": lambda: {"mask": Window(0, N)},
    "window or padding": lambda: {"mask": Window(5) | Padding.from_lengths([4], keys=N)},
    "graph": lambda: {"mask": ring()},
    "alibi": lambda: {"bias": AlibiBias(torch.rand(HEADS)), "mask": Causal()},
    "learned alibi": lambda: {"bias": AlibiBias(torch.rand(HEADS, requires_grad=True))},
    "learned buckets": lambda: {"bias": BucketBias(learned(HEADS, 65)), "mask": Causal()},
    "shaw": lambda: {"score": Shaw(learned(HEADS, 33, WIDTH)), "mask": Causal()},
    "shaw in a window": lambda: {"score": Shaw(learned(HEADS, 33, WIDTH)), "mask": Window(8)},
    "xl": lambda: {
        "score": XLScore(*(learned(HEADS, WIDTH) for _ in "uv"), learned(HEADS, N, WIDTH)),
        "mask": Causal(),
    },
    "location": lambda: {"score": Location(learned(HEADS, N, WIDTH))},
    "kernel": lambda: {"score": Kernel(), "mask": Causal()},
    "hard": lambda: {"normaliser": TopK(3)},
    "dropout": lambda: {"dropout": 0.1, "mask": Causal()},
}
SIZES = {
    "grouped heads": {"heads": 4, "groups": 2},
    "one key head": {"heads": 2, "groups": 1},
    "wide values": {"value_width": 8},
}


class Largest(TorchDispatchMode):
    """Remembers the largest piece of memory that any operator handed out, in numbers."""

    def __init__(self):
        super().__init__()
        self.numbers, self.by = 0, ""

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        answer = operator(*args, **(kwargs or {}))
        for tensor in tree_leaves(answer):
            if isinstance(tensor, torch.Tensor):
                numbers = tensor.untyped_storage().nbytes() // tensor.itemsize
                if numbers > self.numbers:
                    self.numbers, self.by = numbers, f"{operator} gave {tuple(tensor.shape)}"
        return answer


def trained(taps=(), told=None, **sizes):
    """The largest tensor of a forward and a backward pass."""
    heads = random_heads(
        **{"batch": 1, "heads": HEADS, "queries": N, "keys": N, "width": WIDTH, "value_width": WIDTH, **sizes}
    )
    with Largest() as largest:
        attend(*heads, **(told or {}), taps=taps).sum().backward()
    return largest


@pytest.mark.parametrize("call", CALLS)
def test_training_holds_no_queries_x_keys(call):
    largest = trained((), CALLS[call]())
    assert largest.numbers < N * N, largest.by


@pytest.mark.parametrize("call", CALLS)
def test_nothing_of_the_kind_is_kept_for_the_backward_pass(call):
    kept = {}

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes() // tensor.itemsize
        return tensor

    heads = random_heads(1, HEADS, 512, 512, WIDTH, WIDTH)
    told = {**CALLS[call](), **({"mask": ring(512)} if call == "graph" else {})}
    if call in ("causal and padding", "window or padding"):
        told["mask"] = Padding.from_lengths([500], keys=512) & Causal()
    with blocks_of(1 << 15, rows=16, strip=128), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        attend(*heads, **told)
    assert sum(kept.values()) < 512 * 512


@pytest.mark.parametrize("call", ["causal and padding", "graph", "dropout"])
def test_being_watched_does_not_either(call):
    largest = trained((Watcher(),), CALLS[call]())
    assert largest.numbers < N * N, largest.by


@pytest.mark.parametrize("sizes", SIZES)
def test_no_arrangement_of_heads_does(sizes):
    for told in ({}, {"mask": Window(8)}, {"dropout": 0.1}):
        largest = trained(told=told, **SIZES[sizes])
        assert largest.numbers < N * N, largest.by


def test_vectors_that_do_not_lie_side_by_side_do_not():
    heads = [torch.randn(1, HEADS, WIDTH, N).transpose(-1, -2) for _ in range(3)]
    with Largest() as largest:
        attend(*heads)
    assert largest.numbers < N * N, largest.by


def test_additive_comparison_does_not_though_it_holds_a_vector_per_pair():
    largest = trained(told={"score": Additive(learned(HEADS, 4))}, queries=1024, keys=1024)
    assert largest.numbers <= 1024 * 1024, largest.by


def test_looking_at_many_heads_of_it_keeps_to_one_block():
    query, key, _ = random_heads(8, 8, 16, 16, 16)
    with Largest() as largest, torch.no_grad(), blocks_of(1 << 16):
        Pattern(query, key, Additive(torch.randn(8, 16))).weights()
    assert largest.numbers <= 8 * 8 * 16 * 16 * 16 / 4, largest.by


def test_edits_do_not():
    one_hot = torch.zeros(N).index_fill(0, torch.tensor([0]), 1)
    edit = Editor(lambda p: p.hide([3, 5]).with_temperature(2.0, 0).scale(0.5, 0).set(one_hot, heads=0, rows=[4]))
    largest = trained((edit, Watcher()), {"mask": Window(8)})
    assert largest.numbers < N * N, largest.by


LOOKS = {
    "region": lambda p: p[0, 0, 100:300:2, 50:400],
    "row": lambda p: p.row(-1),
    "column": lambda p: p.column(0),
    "top": lambda p: p.top(16),
    "pooled": lambda p: p.pool(60, 60, "max"),
    "entropy": lambda p: p.entropy(),
    "received": lambda p: p.received(),
    "logsumexp": lambda p: p.logsumexp,
}


@pytest.mark.parametrize("call", ["none", "causal", "window", "window ahead", "graph", "learned alibi", "shaw", "xl"])
def test_no_look_does(call):
    query, key, _ = random_heads(1, HEADS, 512, 512, WIDTH)
    told = {**CALLS[call](), **({"mask": ring(512)} if call == "graph" else {})}
    for name, look in LOOKS.items():
        with Largest() as largest, torch.no_grad(), blocks_of(1 << 15, rows=16, strip=128):
            look(Pattern(query, key, **told))
        assert largest.numbers < 512 * 512, (name, largest.by)
