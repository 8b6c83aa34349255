"""Who takes the steps: the model itself, or something faster that stands for it."""

from typing import Any

from regard.decoding.array_steps import ArraySteps
from regard.errors import RegardError


def serve_model(model: object, precision: str = "float32") -> Any:
    """What `decode` steps through: the compiled engine where it can, the model itself elsewhere.

    It may be a model of any library, so that what its states are is not known here.
    """
    if isinstance(model, ArraySteps):
        return model.with_precision(precision)
    from regard.decoding.step_model import StepModel
    from regard.engine import serve

    if not isinstance(model, StepModel):
        raise RegardError(f"{type(model).__name__} cannot write: it has no start() and step()")
    return serve(model, precision)
