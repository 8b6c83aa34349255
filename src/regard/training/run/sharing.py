"""A model that several processes train together: copied to each, or each holding a shard."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor, nn

from regard.config import Config
from regard.layers import TransformerBlock
from regard.models import Model, build
from regard.training.recipe.recipe import TrainRecipe
from regard.training.run.processes import World

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor  # a second that one process need not wait


def parallelise(learner: nn.Module, world: World, train: TrainRecipe) -> nn.Module:
    """What the steps call: the learner itself, compiled if asked; copies of it (DDP) or shards (FSDP2) in several
    processes. Whoever wants its weights asks afterwards: shards are other tensors."""
    if train.compile:
        learner.compile(dynamic=True)
    if world.size == 1:
        return learner
    if not train.shard:
        return nn.parallel.DistributedDataParallel(learner, gradient_as_bucket_view=True)
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(world.device.type, (world.size,))
    for module in [module for module in learner.modules() if isinstance(module, TransformerBlock)]:
        fully_shard(module, mesh=mesh)
    fully_shard(learner, mesh=mesh)
    return learner


def is_shard(tensor: Tensor) -> "TypeGuard[DTensor]":
    """Whether this process has a part of the tensor only."""
    return hasattr(tensor, "full_tensor")


def full_tensor(tensor: Tensor) -> Tensor:
    """A tensor whole, if the processes have a shard each; all of them have to ask."""
    return tensor.full_tensor() if is_shard(tensor) else tensor


def distribute_like(value: Tensor, weight: Tensor) -> Tensor:
    """A whole tensor laid out as a weight is."""
    value = value.to(weight.device, copy=True)
    if is_shard(weight) and value.dim():
        from torch.distributed.tensor import distribute_tensor

        return distribute_tensor(value, weight.device_mesh, weight.placements)
    return value


def whole_model(model: Model, config: Config) -> Callable[[], Model]:
    """Gives the model as one process would have it: itself, or a copy that its shards are gathered in."""
    if not any(is_shard(weight) for weight in model.parameters()):
        return lambda: model
    copy = build(config)

    def gather() -> Model:
        with torch.no_grad():
            state = {name: full_tensor(tensor) for name, tensor in model.state_dict().items()}
        copy.load_state_dict(state)
        return copy.eval()

    return gather
