"""Which words made this answer: attribution with the words of a text, for every task that has an answer to explain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

import torch
from torch import Tensor

from regard.attention.taps import unwatched
from regard.errors import RegardError
from regard.looking.attribution import STEPS, OutputAttribution, OutputToken, attribute_outputs
from regard.looking.runs import Inputs
from regard.models import Aligner, Encoder, Transformer
from regard.tasks.classify import ClassifyTask
from regard.tasks.fill import FillTask
from regard.tasks.generate import GenerateTask
from regard.tasks.generation_config import GenerationConfig, GenerationOptions
from regard.tasks.inputs import EncodedText, Reading
from regard.tasks.replay import model_inputs
from regard.tasks.spelling import token_texts
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask


@dataclass(frozen=True)
class ExplainedAnswer:
    """What a model reads, the outputs that are explained, and the names of both."""

    inputs: Inputs
    outputs: Sequence[OutputToken]
    names: tuple[str, ...]
    tokens: dict[str, tuple[str, ...]]


@torch.no_grad()
def attribute_text(
    task: Task,
    text: str,
    method: str = "integrated_gradients",
    *,
    steps: int = STEPS,
    **options: Unpack[GenerationOptions],
) -> OutputAttribution:
    """Which words of a text made each word of the answer: feature attribution, saliency, word importance.

    A translation and a text that goes on are explained token by token, over the source and over what was written before
    (the prefix); masked words gap by gap; a label as a whole. `method` is one of `regard.attribute`. `.show()` draws
    it, `.convergence` says how far the scores are from what they explain, `.to_pandas()` has words on both axes.
    `options` say how a text is written, as in calls of a task.
    """
    answer = explained_answer(task, text, **options)
    result = attribute_outputs(task.model, answer.inputs, answer.outputs, method, steps=steps)
    return replace(result, tokens=answer.tokens, outputs=answer.names)


def explained_answer(task: Task, text: str, **options: Unpack[GenerationOptions]) -> ExplainedAnswer:
    """The answer of a task to a text, as tokens at positions of the logits."""
    if isinstance(task, TranslateTask):
        return translated(task, text, task.generation_config(**options))
    if isinstance(task, GenerateTask):
        return generated(task, text, task.generation_config(**options))
    if isinstance(task, FillTask):
        return filled(task, text)
    if isinstance(task, ClassifyTask):
        return labelled_text(task, text)
    raise RegardError(f"answers of translate, generate, fill and classify can be explained, not of {task.name}")


def translated(task: TranslateTask, text: str, config: GenerationConfig) -> ExplainedAnswer:
    if isinstance(task.model, Aligner):
        raise RegardError("a recurrent translator has no table of tokens that could be explained")
    source = task.read(text, split=False)
    with unwatched():
        written = task.write([source], config)[0]
    readings = task.readings(source, written, is_whole=True)
    if not readings or len(readings[0].target) < 2:
        raise RegardError("no word was written: there is nothing to explain")
    reading = readings[0]
    spell, spell_target = (partial(token_texts, side) for side in (task.tokenizer, task.tokenizer.target))
    *read, _ = reading.target
    inputs = model_inputs(task.model, Reading(reading.source, read), task.device)
    is_apart = isinstance(task.model, Transformer)
    begin = 0 if is_apart else len(reading.source)
    outputs = [(begin + position, token) for position, token in enumerate(reading.target[1:])]
    sides = {"encoder": spell(reading.source), "decoder": spell_target(read)}
    tokens = sides if is_apart else {"decoder": (*sides["encoder"], *sides["decoder"])}
    return ExplainedAnswer(inputs, outputs, spell_target(reading.target[1:]), tokens)


def generated(task: GenerateTask, text: str, config: GenerationConfig) -> ExplainedAnswer:
    prompt = task.read(text)
    with unwatched():
        result = task.write([prompt], config)[0]
    ids, begin = task.reading(prompt, result, is_whole=True).target, len(prompt.encoded)
    if len(ids) <= begin:
        raise RegardError("no word was written: there is nothing to explain")
    spell = partial(token_texts, task.tokenizer)
    inputs = model_inputs(task.model, Reading((), ids[:-1]), task.device)
    outputs = [(position - 1, ids[position]) for position in range(begin, len(ids))]
    return ExplainedAnswer(inputs, outputs, spell(ids[begin:]), {"decoder": spell(ids[:-1])})


def filled(task: FillTask, text: str) -> ExplainedAnswer:
    read = task.read(text)
    best = [int(ids[0]) for ids in task.run([read], top=1)[0].ids]
    spell = partial(token_texts, task.tokenizer)
    inputs, tokens = encoder_inputs(task, read)
    return ExplainedAnswer(inputs, [*zip(read.gaps, best, strict=True)], spell(best), tokens)


def labelled_text(task: ClassifyTask, text: str) -> ExplainedAnswer:
    read = task.read(text)
    scores = task.run([read])[0]
    inputs, tokens = encoder_inputs(task, read)
    names = task.processor.labels
    if scores.ndim == 2:  # a label for each token
        labels = scores.argmax(-1).tolist()
        return ExplainedAnswer(inputs, [*enumerate(labels)], tuple(names[label] for label in labels), tokens)
    label = int(scores.argmax())
    return ExplainedAnswer(inputs, [(None, label)], (names[label],), tokens)


def encoder_inputs(task: Task, read: EncodedText) -> tuple[dict[str, Tensor], dict[str, tuple[str, ...]]]:
    """A text that is only read, as the arguments of a model, and its tokens by the stack that reads them."""
    inputs = {"tokens": torch.tensor([read.encoded.ids], device=task.device)}
    is_encoder = isinstance(task.model, Encoder)
    if is_encoder:
        inputs["segments"] = torch.tensor([read.encoded.segments], device=task.device)
    return inputs, {"encoder" if is_encoder else "decoder": token_texts(task.tokenizer, read.encoded.ids)}
