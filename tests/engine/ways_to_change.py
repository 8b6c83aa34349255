"""The ways in which weights of a model change under somebody who holds a copy of them."""

from copy import deepcopy

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune, vector_to_parameters

from regard.layers import Linear
from regard.positions import Sinusoidal

FACTOR = 0.8


def block(model):
    return model.decoder.stack.blocks[1]


def scaled(model):
    """The values of another model of this kind."""
    return {name: value.clone() * FACTOR for name, value in model.state_dict().items()}


# Through .data, and past everybody's counters.


def data_of_all(model):
    for parameter in model.parameters():
        parameter.data.mul_(FACTOR)


def data_of_one_tensor(model):
    block(model).feed_forward.widen.weight.data.mul_(0.5)


def signs_turned(model):
    block(model).feed_forward.narrow.weight.data.neg_()


def data_of_a_bias(model):
    next(p for name, p in block(model).named_parameters() if name.endswith("norm.weight")).data.mul_(0.5)


def data_assigned(model):
    for parameter in model.parameters():
        parameter.data = parameter.data * FACTOR


def averaged_and_swapped_in(model):
    """As averages of weights are evaluated: the old ones put aside, the new ones written over them."""
    for parameter in model.parameters():
        aside = parameter.data.clone()
        parameter.data.copy_(aside * FACTOR)


def through_numpy(model):
    for parameter in model.parameters():
        array = parameter.detach().numpy()
        array *= FACTOR


def transposed(model):
    weight = block(model).self.output.weight
    assert weight.shape[0] == weight.shape[1]
    weight.data = weight.data.t()


def one_vector(model):
    vector_to_parameters(torch.cat([p.detach().flatten() * FACTOR for p in model.parameters()]), model.parameters())


# Loaded, copied, swapped.


def loaded(model):
    model.load_state_dict(scaled(model))


def assigned(model):
    model.load_state_dict(scaled(model), assign=True)


def copied(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter * FACTOR)


def in_inference_mode(model):
    with torch.inference_mode():
        for parameter in model.parameters():
            parameter.mul_(FACTOR)


def tensors_swapped(model):
    weight = block(model).feed_forward.widen.weight
    torch.utils.swap_tensors(weight, nn.Parameter(weight.detach() * 0.5))


def parameter_replaced(model):
    block(model).feed_forward.widen.weight = nn.Parameter(block(model).feed_forward.widen.weight.detach() * 0.5)


def module_swapped(model):
    other = deepcopy(block(model).feed_forward)
    other.narrow.weight.data.mul_(-1.0)
    block(model).feed_forward = other


def norm_swapped(model):
    """The same weights in a module that does something else with them."""
    before = block(model).feed_forward_norm
    other = type(before)(before.normalized_shape, eps=2.0)
    other.weight = before.weight
    if isinstance(before, nn.LayerNorm):
        other.bias = before.bias
    block(model).feed_forward_norm = other


def position_swapped(model):
    """A part without any weights."""
    model.decoder.position = Sinusoidal(model.decoder.embedding.table.embedding_dim, start=3)


def layers_reordered(model):
    blocks = model.decoder.stack.blocks
    blocks[0], blocks[1] = blocks[1], blocks[0]


def unknown_part(model):
    block(model).feed_forward.narrow = nn.Sequential(block(model).feed_forward.narrow, nn.Tanh())


def unknown_block(model):
    class Louder(nn.Module):
        """No block of ours, but does all that one does."""

        def __init__(self, inside):
            super().__init__()
            self.inside, self.taps, self.self, self.cross = inside, (), inside.self, inside.cross

        def forward(self, x, *arguments, **named):
            return 2 * self.inside(x, *arguments, **named)

    model.decoder.stack.blocks[0] = Louder(model.decoder.stack.blocks[0])


def forward_replaced(model):
    layer = block(model).feed_forward.narrow
    layer.forward = lambda x: torch.tanh(nn.functional.linear(x, layer.weight, layer.bias))


def tied_or_untied(model):
    table = model.decoder.embedding.table.weight
    is_tied = model.output.weight is table
    model.output.weight = nn.Parameter(table.detach() * 0.5) if is_tied else table


# Moved, and moved back.


def double_and_back(model):
    model.double()
    data_of_all(model)
    model.float()


def bfloat16_and_back(model):
    model.to(torch.bfloat16).float()


def double_and_there(model):
    data_of_all(model.double())


# Learned.


def learned(kind, **settings):
    def step(model):
        optimiser = kind(model.parameters(), lr=0.05, **settings)
        tokens = torch.arange(1, 9)[None]
        given = (tokens, tokens) if hasattr(model, "encoder") else (tokens,)
        model(*given).float().logsumexp(-1).mean().backward()
        optimiser.step()
        optimiser.zero_grad()

    return step


# What torch puts in the place of weights.


class Half(nn.Module):
    def forward(self, x):
        return x / 2


def parametrized(model):
    parametrize.register_parametrization(block(model).feed_forward.widen, "weight", Half())


def parametrized_norm(model):
    parametrize.register_parametrization(block(model).feed_forward_norm, "weight", Half())


def parametrized_words(model):
    parametrize.register_parametrization(model.decoder.embedding.table, "weight", Half())


def parametrized_and_back(model):
    parametrized(model)
    parametrize.remove_parametrizations(block(model).feed_forward.widen, "weight")


def weight_normed(model):
    parametrizations.weight_norm(block(model).feed_forward.widen)
    block(model).feed_forward.widen.parametrizations.weight.original0.data.mul_(0.5)


def weights_pruned(model):
    prune.l1_unstructured(block(model).feed_forward.widen, "weight", 0.6)


def weights_pruned_for_good(model):
    weights_pruned(model)
    prune.remove(block(model).feed_forward.widen, "weight")


def heads_pruned(model):
    block(model).self.keep((1, 2))


def plain_tensor(model):
    layer = block(model).feed_forward.widen
    weight = layer.weight.detach() * 0.5
    del layer.weight
    layer.weight = weight


def quantised(model):
    """torch's own: the module types change. It knows torch's linear layers and no others."""
    for module in list(model.modules()):
        for name, part in module.named_children():
            if type(part) is Linear:
                plain = nn.Linear(part.in_features, part.out_features, part.bias is not None)
                plain.weight, plain.bias = part.weight, part.bias
                setattr(module, name, plain)
    torch.ao.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8, inplace=True)


ENGINE = {  # the engine goes on with the new weights
    **{"data": data_of_all, "data of one tensor": data_of_one_tensor, "signs": signs_turned},
    **{"data of a norm": data_of_a_bias, "data assigned": data_assigned, "averages": averaged_and_swapped_in},
    **{"numpy": through_numpy, "transposed": transposed, "one vector": one_vector},
    **{"load_state_dict": loaded, "load_state_dict, assigned": assigned, "copy_": copied},
    **{"inference mode": in_inference_mode, "swap_tensors": tensors_swapped, "parameter": parameter_replaced},
    **{"module": module_swapped, "norm": norm_swapped, "position": position_swapped, "order": layers_reordered},
    **{"tied or untied": tied_or_untied, "double and back": double_and_back, "bfloat16 and back": bfloat16_and_back},
    **{"parametrized and back": parametrized_and_back, "weights pruned": weights_pruned_for_good},
    "heads pruned": heads_pruned,
    "sgd": learned(torch.optim.SGD),
    "fused sgd": learned(torch.optim.SGD, fused=True),
    "fused adam": learned(torch.optim.Adam, fused=True),
    "fused adamw": learned(torch.optim.AdamW, fused=True),
    "fused adagrad": learned(torch.optim.Adagrad, fused=True),
    "foreach adamw": learned(torch.optim.AdamW, foreach=True),
    "plain adamw": learned(torch.optim.AdamW, foreach=False),
}
MODEL = {  # the model itself has to go on
    **{"double": double_and_there, "parametrized": parametrized, "parametrized norm": parametrized_norm},
    **{"parametrized words": parametrized_words, "weight_norm": weight_normed, "mask": weights_pruned},
    **{"plain tensor": plain_tensor, "quantised": quantised, "unknown part": unknown_part},
    **{"unknown block": unknown_block, "forward": forward_replaced},
}
