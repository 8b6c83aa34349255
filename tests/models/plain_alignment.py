"""The recurrent translator as the papers write it: one sentence, one word, one number of heads at a time."""

import torch
from torch import nn


def cell(kind, weights, x, memory):
    """One step of a GRU (Cho et al. 2014, in torch's form) or an LSTM; memory is (h,) or (h, c)."""
    w_ih, w_hh, b_ih, b_hh = weights
    h = memory[0]
    a, b = w_ih @ x + b_ih, w_hh @ h + b_hh
    if kind == "gru":
        (a_r, a_z, a_n), (b_r, b_z, b_n) = a.chunk(3), b.chunk(3)
        r, z = torch.sigmoid(a_r + b_r), torch.sigmoid(a_z + b_z)
        return ((1 - z) * torch.tanh(a_n + r * b_n) + z * h,)
    i, f, g, o = (a + b).chunk(4)
    c = torch.sigmoid(f) * memory[1] + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


def weights_of(cells, layer, suffix=""):
    return [getattr(cells, f"{name}_l{layer}{suffix}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def nothing(cells, count=1):
    zeros = torch.zeros(cells.hidden_size, dtype=cells.weight_ih_l0.dtype)
    return [(zeros, zeros) if isinstance(cells, nn.LSTM) else (zeros,) for _ in range(count)]


def annotated(kind, cells, vectors):
    """Both directions of every layer: a vector for each position, and the last h of both in the last layer."""
    for layer in range(cells.num_layers):
        ways = []
        for suffix in ("", "_reverse"):
            (memory,), shown = nothing(cells), []
            for x in vectors if not suffix else vectors[::-1]:
                memory = cell(kind, weights_of(cells, layer, suffix), x, memory)
                shown.append(memory[0])
            ways.append(shown if not suffix else shown[::-1])
        ends = torch.cat([ways[0][-1], ways[1][0]])
        vectors = [torch.cat(pair) for pair in zip(*ways, strict=True)]
    return vectors, ends


def looked(model, state, annotations, position):
    """Weights (heads, source) and what is gathered by them: the equations of the papers, the sums written out."""
    look, align, source = model.config.align, model.align, torch.stack(annotations)
    if look.score == "multihead":
        width = len(state) // look.heads
        query = align.query.weight @ state + align.query.bias
        key, value = (source @ align.kv.weight.T + align.kv.bias).chunk(2, -1)
        weights, parts = [], []
        for head in range(look.heads):
            mine = slice(head * width, (head + 1) * width)
            weights.append(torch.softmax(key[:, mine] @ query[mine] / width**0.5, 0))
            parts.append(weights[-1] @ value[:, mine])
        return torch.stack(weights), align.output.weight @ torch.cat(parts) + align.output.bias
    compare = align.score
    if look.score == "additive":
        inner = torch.tanh(state @ compare.query_weight[0] + source @ compare.key_weight[0])
        scores = inner @ compare.vector[0]
    elif look.score == "cosine":
        scores = compare.inverse_temperature * (source @ state) / (source.norm(dim=-1) * state.norm())
    elif look.score == "bilinear":
        scores = source @ (state @ compare.weight[0])
    else:
        scores = source @ state
    if look.local is None:
        weights = torch.softmax(scores, 0)
    else:
        positions, count = torch.arange(len(source)), len(source)
        centre = torch.tensor(min(position, count - 1))
        if look.local == "predictive":
            bent = torch.tanh(align.centre.hidden.weight @ state)
            centre = count * torch.sigmoid(align.centre.share.weight[0] @ bent)
        near = (positions >= centre - look.reach) & (positions <= centre + look.reach)
        weights = torch.exp(scores) * near / (torch.exp(scores) * near).sum()
        if look.local == "predictive":
            weights = weights * torch.exp(-((positions - centre) ** 2) / (2 * (look.reach / 2) ** 2))
    return weights[None], weights @ source


def written(model, source, target):
    """The logits (target, vocabulary) and the weights (heads, target, source) of one pair without padding."""
    config, kind = model.config, model.config.cell
    annotations, ends = annotated(kind, model.encoder.cells, [model.source_embedding.weight[word] for word in source])
    if model.narrow is not None:
        annotations = [torch.tanh(model.narrow.weight @ one + model.narrow.bias) for one in annotations]
    cells, layers = model.decoder.cells, config.writes.layers
    memories = nothing(cells, layers)
    if model.initial_state is not None:
        begun = torch.tanh(model.initial_state.weight @ ends + model.initial_state.bias)
        begun = begun.reshape(len(memories[0]), layers, config.writes.width)
        memories = [tuple(part[layer] for part in begun) for layer in range(layers)]
    above = nothing(model.above.cells)[0] if model.above is not None else ()
    fed = torch.zeros(model.output.weight.shape[1], dtype=ends.dtype)
    look = config.align.look if config.align else None
    logits, rows = [], []
    for position, word in enumerate(target):
        embedded = model.target_embedding.weight[word]
        gathered = []
        if look == "before":
            weights, found = looked(model, memories[-1][0], annotations, position)
            gathered = [found]
        x = torch.cat([embedded, *gathered, *([fed] if config.feeding else [])])
        for layer in range(layers):
            memories[layer] = cell(kind, weights_of(cells, layer), x, memories[layer])
            x = memories[layer][0]
        if look in ("after", "between"):
            weights, found = looked(model, x, annotations, position)
            gathered = [found]
        if look == "between":
            above = cell(kind, weights_of(model.above.cells, 0), torch.cat([x, *gathered]), above)
            x = above[0]
        if config.deep:
            known = torch.cat([x, *([embedded] if config.skips else []), *gathered])
            x = model.deep.linear.weight @ known + model.deep.linear.bias
            x = torch.tanh(x) if config.deep == "tanh" else torch.maximum(x[0::2], x[1::2])
        fed = x
        logits.append(model.output.weight @ x + (0 if model.output.bias is None else model.output.bias))
        if look:
            rows.append(weights)
    return torch.stack(logits), torch.stack(rows, 1) if rows else None
