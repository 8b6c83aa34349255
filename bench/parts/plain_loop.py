"""A language model of characters and the loop around it in plain PyTorch, after karpathy/nanoGPT (MIT).

Its setting for a CPU, with Adam in one kernel, and nothing but the loop: no saves, no looks at the valid set until the
end. Run as a program it prints one line of JSON.
"""

import json
import lzma
import math
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTH, LAYERS, HEADS, CONTEXT, ROWS = 128, 4, 4, 64, 12
RATE, FLOOR, WARMUP, DECAY, CLIP = 1e-3, 1e-4, 100, 0.1, 1.0


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(WIDTH, bias=False), nn.LayerNorm(WIDTH, bias=False)
        self.attention, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH, bias=False), nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        rows, length, _ = x.shape
        parts = self.attention(self.first(x)).split(WIDTH, dim=2)
        query, key, value = (part.view(rows, length, HEADS, -1).transpose(1, 2) for part in parts)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(rows, length, WIDTH))
        return x + self.narrow(F.gelu(self.wide(self.second(x))))


class Characters(nn.Module):
    def __init__(self, characters: int) -> None:
        super().__init__()
        self.table, self.places = nn.Embedding(characters, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH, bias=False)
        for name, weight in self.named_parameters():
            if weight.dim() > 1:
                last = name.endswith(("out.weight", "narrow.weight"))
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * LAYERS) if last else 0.02)

    def forward(self, tokens: Tensor, answers: Tensor) -> Tensor:
        x = self.table(tokens) + self.places(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x)
        scores = F.linear(self.norm(x), self.table.weight)
        return F.cross_entropy(scores.flatten(0, 1), answers.flatten())


def rate_at(step: int, steps: int) -> float:
    if step < WARMUP:
        return RATE * (step + 1) / (WARMUP + 1)
    return FLOOR + 0.5 * (1 + math.cos(math.pi * (step - WARMUP) / max(1, steps - WARMUP))) * (RATE - FLOOR)


def learn(text: Tensor, model: Characters, steps: int) -> None:
    weights = list(model.parameters())
    groups = [
        {"params": [weight for weight in weights if weight.dim() > 1], "weight_decay": DECAY},
        {"params": [weight for weight in weights if weight.dim() < 2], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.99), fused=True)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate_at(step, steps)
        starts = torch.randint(len(text) - CONTEXT, (ROWS,)).tolist()
        inputs = torch.stack([text[start : start + CONTEXT] for start in starts])
        answers = torch.stack([text[start + 1 : start + CONTEXT + 1] for start in starts])
        optimiser.zero_grad(set_to_none=True)
        model(inputs, answers).backward()
        nn.utils.clip_grad_norm_(weights, CLIP)
        optimiser.step()


@torch.inference_mode()
def whole_loss(text: Tensor, model: Characters) -> float:
    """The mean over every character but the first, read in windows one after another."""
    total = 0.0
    for start in range(0, len(text) - 1, CONTEXT * 64):
        piece = text[start : start + CONTEXT * 64 + 1]
        full = (len(piece) - 1) // CONTEXT * CONTEXT
        if full:
            windows = piece[:full].view(-1, CONTEXT), piece[1 : full + 1].view(-1, CONTEXT)
            total += float(model(*windows)) * full
        if full < len(piece) - 1:
            total += float(model(piece[None, full:-1], piece[None, full + 1 :])) * (len(piece) - 1 - full)
    return total / (len(text) - 1)


def main(path: Path, steps: int) -> None:
    torch.manual_seed(1337)
    raw = lzma.decompress(path.read_bytes()).decode("utf-8")
    numbers = {character: number for number, character in enumerate(sorted(set(raw)))}
    text = torch.tensor([numbers[character] for character in raw])
    cut = int(len(text) * 0.9)
    model = Characters(len(numbers))
    begun = time.perf_counter()
    learn(text[:cut], model, steps)
    seconds = time.perf_counter() - begun
    print(json.dumps({"steps": seconds, "loss": whole_loss(text[cut:], model.eval())}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
