"""Who says how good a model is: its loss on the valid set, and what it writes about it if that is the score."""

from collections.abc import Sequence
from dataclasses import dataclass

from regard.training.data.samplers import valid_batches
from regard.training.data.training_data import TrainingData
from regard.training.evaluation.held_out import Check, TranslationSet, held_out_scores
from regard.training.evaluation.sacre_bleu import SacreBleu
from regard.training.objectives.objective import ExampleBatch
from regard.training.optimisation.learner import Learner
from regard.training.recipe.recipe import Recipe
from regard.training.run.generation_defaults import GenerationDefaults

TRANSLATION_METRICS = ("bleu", "chrf", "exact")


@dataclass(frozen=True)
class Evaluator:
    """The valid set, as batches and as texts."""

    batches: Sequence[ExampleBatch]
    translations: TranslationSet | None = None

    @classmethod
    def of(cls, recipe: Recipe, data: TrainingData, *, is_last: bool = False) -> "Evaluator | None":
        """None where there is no valid set. The last evaluation takes all texts, and the beam of the result."""
        if not len(data.valid):
            return None
        train = recipe.train
        batches = data.valid_batches or valid_batches(
            data.valid, data.objective, batch_tokens=max(train.batch_tokens, 4096), seed=train.seed
        )
        if train.metric not in TRANSLATION_METRICS or data.start_token is None:
            return cls(batches)
        if train.metric != "exact":
            SacreBleu()  # says what is missing now, and not after hours
        # What the finished model scores is what anyone finds who evaluates its folder, texts without an end included.
        as_told = is_last and recipe.model.kind in ("transformer", "alignment")
        defaults = GenerationDefaults.of(recipe)
        count = len(data.valid) if is_last or not train.valid_lines else min(train.valid_lines, len(data.valid))
        return cls(
            batches,
            TranslationSet(
                [data.valid[row][0].tolist() for row in range(count)],
                data.references[:count],
                data.tokenizer,
                data.start_token,
                defaults.beam if is_last else train.valid_beam,
                defaults.length_penalty,
                defaults.max_length - 1 if as_told else None,  # the token that a text begins with counts there
                is_exact=train.metric == "exact",
            ),
        )

    def scores(self, learner: Learner, check: Check = lambda: None) -> dict[str, float]:
        scores = held_out_scores(learner, self.batches, check)
        return scores if self.translations is None else scores | self.translations.scores(learner.model, check)
