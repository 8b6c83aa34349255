"""How tokens are drawn by lot."""

from dataclasses import dataclass

from regard.decoding.limits import SMALLEST_SHARE, TEMPERATURES, check_real, check_whole
from regard.errors import expect


@dataclass(frozen=True)
class Sampling:
    """How tokens are drawn. `temperature` sharpens below 1 and levels above; of the tokens only the `top_k`
    likeliest are left, of those the fewest that have a share of `top_p` together (Holtzman et al. 2020), and of
    those the ones that have at least `min_p` times the share of the likeliest.

    `seed` is one number, or one for each text. What is drawn for a text depends on its own seed and nothing else:
    not on its neighbours in a batch, nor on their order. Several texts from one source (`num_hypotheses`) differ.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int | tuple[int, ...] = 0

    def __post_init__(self) -> None:
        hint = "; without sample= the likeliest is written"
        check_real("temperature", self.temperature, *TEMPERATURES, hint=hint)
        check_whole("top_k", self.top_k, 0)
        check_real("top_p", self.top_p, SMALLEST_SHARE, 1)
        check_real("min_p", self.min_p, 0, 1)
        for seed in self.seed if isinstance(self.seed, tuple) else (self.seed,):
            check_whole("seed", seed)

    def seeds(self, count: int) -> tuple[int, ...]:
        """One for each of so many texts."""
        if not isinstance(self.seed, tuple):
            return (self.seed,) * count
        expect("the list of seeds", "numbers", len(self.seed), count)
        return self.seed
