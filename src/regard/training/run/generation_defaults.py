"""How a trained model wants to write: what its recipe says, and what the model that it began with wanted."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from regard.checkpoints.files import read_json
from regard.training.recipe.recipe import DataRecipe, Recipe

FILE = "generation_config.json"
MEASURED = "confidence"  # of the start's own translations: nothing that another model may say of its own
BEAM = 4  # where nobody says
SHORTEST = 16  # tokens that a translation may always have


@dataclass(frozen=True)
class GenerationDefaults:
    """`inherited` is all that the start model says, the heads that align and the like included."""

    beam: int
    length_penalty: float
    max_length: int  # tokens of a translation at most, with the one that it begins with
    inherited: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, recipe: Recipe) -> "GenerationDefaults":
        path = Path(recipe.start) / FILE
        inherited = read_json(path) if recipe.start and path.is_file() else {}
        inherited = {key: value for key, value in inherited.items() if key != MEASURED}
        train, longest = recipe.train, recipe.data.max_length
        beam, penalty, max_length = (inherited.get(key) for key in ("num_beams", "length_penalty", "max_length"))
        is_said = longest != DataRecipe.max_length
        return cls(
            train.beam or (beam if isinstance(beam, int) else BEAM),
            float(penalty) if train.length_penalty == 1 and isinstance(penalty, int | float) else train.length_penalty,
            max(max_length, longest if is_said else 0) if isinstance(max_length, int) else max(SHORTEST, longest),
            inherited,
        )
