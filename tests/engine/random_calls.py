"""Random calls through the engine's Python border, right and wrong: `python random_calls.py <seed> <calls>`.

Each is answered, or refused by a RegardError; anything else ends the run. Models are small, so that calls are many.
"""

import random
import sys
from collections import Counter
from contextlib import ExitStack
from functools import partial

import torch
from shapes_of_engine import MODELS, WORDS, made
from torch import nn

import regard
from regard.decoding import Beam, Constraints, Sampling, decode
from regard.engine import PRECISIONS, Unsupported, serve, top
from regard.engine.library import library
from regard.engine.looks import looks, weights
from regard.engine.packing import pack
from regard.engine.steps import Engine, EngineState
from regard.errors import RegardError
from regard.models import Transformer

CALLS_OF_A_MODEL, CALLS_OF_AN_EDITED_MODEL, OPEN_TEXTS, LONGEST = 2000, 200, 6, 44
ROWS, LENGTHS = (0, 1, 1, 2, 3, 5), (0, 1, 1, 2, 3, 7)
ATTENTION = (
    "encoder.0.self",
    "encoder.1.self",
    "decoder.0.self",
    "decoder.1.self",
    "decoder.0.cross",
    "decoder.1.cross",
)
FORMS = (
    *(torch.clone, torch.Tensor.int, torch.Tensor.short, torch.Tensor.byte),
    lambda x: x.t().contiguous().t(),
    lambda x: x.repeat_interleave(2, 1)[:, ::2],
    lambda x: nn.Parameter(x, requires_grad=False),
)
WRONG = (
    *(torch.Tensor.float, torch.Tensor.half, torch.Tensor.tolist, torch.Tensor.to_sparse, torch.Tensor.cfloat),
    *(lambda x: x.to("meta"), lambda x: x[0] if len(x) else x.sum(), lambda x: x[None], lambda x: x[..., :0]),
    *(lambda x: None, lambda x: x.long() - 1, lambda x: x.long() + WORDS, lambda x: x.long() * 2**40),
    *(lambda x: torch.cat([x, x]), lambda x: torch.cat([x, x], -1), lambda x: x.expand(2, *x.shape)),
    *(lambda x: str(x), lambda x: x.numpy(), lambda x: x.repeat(300, *[1] * (x.ndim - 1))),
)
BREAKS = (
    lambda block: setattr(block.feed_forward.widen, "bias", nn.Parameter(torch.ones(3))),
    lambda block: setattr(block.feed_forward.narrow, "weight", nn.Parameter(torch.ones(5, 7))),
    lambda block: setattr(block.self_norm, "weight", nn.Parameter(torch.ones(3))),
    lambda block: setattr(block.self.output, "weight", nn.Parameter(torch.ones(4))),
    lambda block: setattr(block.self.output, "weight", nn.Parameter(torch.ones(24, 24, device="meta"))),
    lambda block: setattr(block.self, "qkv", nn.Linear(24, 71)),
)


class Caller:
    """Somebody who calls whatever there is."""

    def __init__(self, seed):
        self.random, self.counts = random.Random(seed), Counter()
        self.generator = torch.Generator().manual_seed(seed)

    @property
    def calls(self):
        return self.counts.total()

    def call(self, function, *arguments, **more):
        """What a call gives; None where it was refused."""
        try:
            answer = function(*arguments, **more)
        except (RegardError, Unsupported) as problem:
            self.counts["refused" if "\n" not in str(problem) else "refused in several lines"] += 1
            return None
        self.counts["answered"] += 1
        return answer

    def chance(self, share):
        return self.random.random() < share

    def tokens(self, rows, length):
        tokens = torch.randint(WORDS, (rows, length), generator=self.generator)
        return self.random.choice(WRONG)(tokens) if self.chance(0.06) else self.random.choice(FORMS)(tokens)

    def mask(self, rows, length):
        if self.chance(0.6):
            return None
        mask = torch.rand(rows, length, generator=self.generator) < 0.7
        return self.random.choice(WRONG)(mask) if self.chance(0.1) else self.random.choice(FORMS)(mask)

    def run(self, calls):
        while self.calls < calls:
            model = made(self.random.choice(list(MODELS)), self.random.randrange(10**6), spread=0.5)
            torch.set_num_threads(self.random.choice((1, 1, 1, 1, 2, 3)))
            if self.chance(0.3):
                model = self.call(regard.prune, model, self.heads(model)) or model
            precision = self.random.choice(list(PRECISIONS))
            engine = self.call(serve, model, precision)
            assert isinstance(engine, Engine), "the engine runs all of these models"
            with ExitStack() as edits:
                most = CALLS_OF_A_MODEL
                if self.chance(0.6):  # some edits are left to the model, or refused: others come soon
                    self.edit(edits.enter_context(regard.edit(model)), model)
                    most = CALLS_OF_AN_EDITED_MODEL
                self.write(engine, min(calls, self.calls + most))
            if self.chance(0.2):
                self.random.choice(BREAKS)(self.random.choice(model.decoder.stack.blocks))
                assert self.call(pack, library(), model, precision) is None, "what does not fit is not packed"

    def heads(self, model):
        """Some heads of some layers; never all of a layer."""
        layers = [layer for layer in ATTENTION if layer.startswith("decoder.") or isinstance(model, Transformer)]
        layers = [layer for layer in layers if "cross" not in layer or isinstance(model, Transformer)]
        return {
            layer: self.random.sample(range(4), self.random.randint(1, 3))
            for layer in self.random.sample(layers, self.random.randint(1, 2))
        }

    def edit(self, edit, model):
        for _ in range(self.random.randint(1, 3)):
            layer, head = self.random.choice((*ATTENTION, "*")), self.random.randrange(4)
            number = self.random.choice((0.0, 0.5, 2.0, -1.0, 1e30))
            self.call(lambda: edit.head(layer, head).scale(number))  # noqa: B023
            self.call(lambda: edit.head(layer, head).temperature(number))  # noqa: B023
            side = "source" if isinstance(model, Transformer) and self.chance(0.5) else "target"
            self.call(edit.hide, **{side: [self.random.choice((0, 0, 1, 2, 9, 2**30, 2**40))]})

    def write(self, engine, calls):
        """Texts begun, written on, reordered and given up, until there were so many calls."""
        states = []
        while self.calls < calls:
            if not states or (len(states) < OPEN_TEXTS and self.chance(0.1)):
                if not self.start(engine, states):
                    return
                continue
            index = self.random.randrange(len(states))
            state, rows = states[index]
            if state.length > LONGEST or self.chance(0.03):
                del states[index]
            elif self.chance(0.2):
                count = self.random.choice(ROWS) if rows else 0
                chosen = torch.randint(rows or 1, (count,), generator=self.generator)
                chosen = self.random.choice(WRONG)(chosen) if self.chance(0.1) else chosen
                if self.call(state.select, chosen) is not None:
                    states[index] = state, len(chosen)
            elif self.chance(0.05):
                self.look(state)
            elif self.chance(0.05):
                self.join(states, index)
            elif self.chance(0.01):
                self.call(decode, engine.model, **self.request(engine.model))
            else:
                self.step(engine, states, index)

    def start(self, engine, states):
        """Whether the engine, not the model, took the text or refused it."""
        rows, length = self.random.choice(ROWS), self.random.choice(LENGTHS)
        has_source = isinstance(engine.model, Transformer) != self.chance(0.02)
        source = self.tokens(rows, length) if has_source else None
        layers, mask = self.watched(engine.model), self.mask(rows, length)
        start = partial(engine.start_watched, layers) if layers else engine.start
        state = self.call(start, source, mask)
        if isinstance(state, EngineState):
            states.append((state, len(source) if isinstance(engine.model, Transformer) else None))
        return state is None or isinstance(state, EngineState)

    def watched(self, model):
        """Layers to watch: most often none, now and then one that is not there."""
        if self.chance(0.7):
            return ()
        return self.random.sample(ATTENTION, 2) if self.chance(0.3) else list(self.heads(model))

    def look(self, state):
        """Looks at any layer, watched or not, and at heads and columns that may not be there."""
        layer = self.random.choice((*ATTENTION, "decoder.9.self"))
        heads = self.random.choice((None, [0], [1, 0, 1], [], [3], [-1], [9]))
        first = self.random.choice((0, 0, max(0, state.length - 1), state.length, -1, 2**40))
        self.call(weights, state, layer, heads, first=first)
        self.call(looks, state, layer)

    def join(self, states, index):
        """One text joins another, itself, or something that is none; it may go on without rows."""
        state, rows = states[index]
        other = self.random.randrange(len(states))
        coming, more = states[other]
        wrong = self.random.choice((None, coming.address, "text"))
        self.call(state.join, wrong if self.chance(0.05) else coming)
        if rows is not None or more is not None:
            states[index], states[other] = (state, state.rows), (coming, coming.rows)

    def step(self, engine, states, index):
        state, rows = states[index]
        rows = self.random.choice(ROWS) if rows is None or self.chance(0.03) else rows
        length = self.random.choice((1, 1, 1, 1, 1, 2, 3))
        tokens = self.tokens(rows, length)
        answer = self.call(engine.step, state, tokens, self.mask(rows, length))
        if answer is not None:
            states[index] = state, len(tokens)
            if len(tokens) and self.chance(0.1):
                self.top(answer[0][:, 0])

    def top(self, logits):
        wrong = self.chance(0.1)
        count = self.random.choice((0, -1, WORDS + 1)) if wrong else self.random.randint(1, WORDS)
        self.call(top, logits.numpy(), count)

    def request(self, model):
        """Arguments of decode, some of them wrong."""
        rows, length = self.random.choice(ROWS), self.random.choice(LENGTHS)
        has_source = isinstance(model, Transformer)
        choices = {
            "beam": (1, 2, 4, Beam(3, early_stop=False), 0, 10**9, 1.5),
            "num_hypotheses": (1, 1, 1, 2, 0, 10**12),
            "max_new_tokens": (0, 1, 3, 5, -1, 10**12, [2] * rows, [2] * (rows + 1)),
            "length_penalty": (1.0, 0.0, -1.0, float("nan"), float("inf")),
            "sampling": (None, None, None, Sampling(top_k=3), Sampling(top_p=0.5, temperature=0.3)),
            "constraints": (Constraints(), Constraints(ends=(0, 1), no_repeat=1), Constraints(first=WORDS + 1)),
        }
        request = {
            name: self.random.choice(values[: len(values) if self.chance(0.1) else 3])
            for name, values in choices.items()
        }
        return request | {
            "source": self.tokens(rows, length) if has_source else None,
            "attention_mask": self.mask(rows, length) if has_source else None,
            "prefix": self.tokens(rows, 1 + has_source),
            "prefix_attention_mask": self.mask(rows, 1 + has_source),
        }


if __name__ == "__main__":
    caller = Caller(int(sys.argv[1]))
    caller.run(int(sys.argv[2]))
    print(f"seed {sys.argv[1]}: {caller.calls} calls, {dict(caller.counts)}")
