"""A text for a model: the answer, and everything that looked at something on the way to it."""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.decoding import Beam, Hypothesis, decode, stream
from regard.decoding.beam_tree import BeamTree
from regard.decoding.hypothesis import length_normalised
from regard.decoding.serving import serve_model
from regard.errors import RegardError, lookup
from regard.looking import edit, watch
from regard.looking.layer_names import LayerNames
from regard.models import Encoder
from regard.tasks import Task
from regard.tasks.generation_config import GenerationConfig
from regard.tasks.replay import Reading
from regard.tasks.translation import SourceSentence
from regard.text import Tokenizer
from regard.viewer import payload, sides
from regard.viewer.along import Along, Stepped, passing
from regard.viewer.limits import Limits
from regard.viewer.payload import RunRequest, TokenColumn
from regard.viewer.telling import OPTIONS, aligned, candidates, tree_of

LONG = 4096  # tokens; a longer text is only read unless somebody says otherwise


@dataclass(frozen=True)
class Loss:
    """How unlikely a model finds an answer, summed over so many words or labels."""

    of: Callable[[Any], Tensor]
    count: int


@dataclass(frozen=True, eq=False)
class Look:
    """What one place looked at, from a side to a side."""

    pattern: Pattern
    rows: str
    columns: str


@dataclass(frozen=True, eq=False)
class Found:
    """The answer, the tokens, the looks. `reading` is what the model read at last, `chances` the probability of every
    label or answer: what an edit is compared by; `loss` is how unlikely a model finds the answer. `sentences` are those
    of a text that is read sentence by sentence, of which this is one."""

    answer: payload.AnswerPayload
    sides: tuple[TokenColumn, ...]
    looks: dict[str, Look]
    tree: payload.BeamTreePayload | None = None
    alignment: payload.AlignmentPayload | None = None
    candidates: tuple[payload.CandidateTokens, ...] = ()
    reading: Reading | None = None
    chances: dict[str, float] = field(default_factory=dict)
    loss: "Loss | None" = None
    sentences: tuple[str, ...] = ()


@torch.no_grad()
def found(task: Task, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """Ask a model. Everything happens in this call and this thread: edits and watchers are nobody else's."""
    along.at("reading")
    with edit(task.model, ask.edits):
        return lookup(ASKED, task.name, "task")(task, ask, along, limits)


def translated(task: Any, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """One text becomes another; of a text that the model translates sentence by sentence, one sentence does."""
    alone(ask)
    pieces = [piece for piece in task.pieces(ask.text, None, "", task.splits) if piece.encoded is not None]
    piece = chosen(pieces, ask.sentence)
    encoded, target, start = piece.encoded, task.tokenizer.target, task.start()
    short_enough(len(encoded), limits)
    source = sides.read("source", [piece.sentence], encoded, task.tokenizer)
    most = min(task.most(ask.max_new_tokens), limits.max_new_tokens) if ask.max_new_tokens != 0 else 0
    manner, rules = manner_of(task, ask), task.rules(task.shortest(None))
    one, tree = write(task, encoded.ids, [start], manner, rules, most, along, target)
    side = sides.written(sides.begun(start, target), one.ids, one.scores, one.is_finished, target)
    reading: Reading = (encoded.ids, side.ids)
    looks, x = looked(task, reading, along, {"encoder": ("source", "source"), "self": ("target", "target")})
    text = target.decode(one.ids)
    return Found(
        answer=payload.AnswerPayload(
            text=text, score=one.score, rank_score=one.rank_score, is_finished=one.is_finished
        ),
        sides=(source, side),
        looks=looks,
        tree=tree_of(tree, [start], target),
        alignment=aligned(task, piece, one, {name: look.pattern for name, look in looks.items()}) if one.ids else None,
        candidates=candidates(task, x, side, len(one.ids) + one.is_finished, target, one),
        reading=reading,
        loss=loss_of(reading, side.prefix_length, task.device),
        sentences=tuple(one.sentence for one in pieces),
    )


def chosen(pieces: Sequence[SourceSentence], number: int) -> Any:
    """One sentence of a text, where the text is no part of a larger one any more."""
    if not pieces:
        raise RegardError("an empty text has no translation")
    if number >= len(pieces):
        raise RegardError(f"the text has sentences 0 to {len(pieces) - 1}, got {number}")
    return replace(pieces[number], gap="", begin=0)


def generated(task: Any, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """A text goes on, or is only read."""
    alone(ask)
    tokenizer = task.tokenizer
    only_read = ask.max_new_tokens == 0
    encoded = task.read(ask.text) if only_read and ask.text else task.read_prompt(ask.text, None)
    short_enough(len(encoded), limits)
    only_read = only_read or (ask.max_new_tokens is None and len(encoded) > LONG)
    side = sides.read("text", [ask.text], encoded, tokenizer)
    one, tree = Hypothesis((), (), False), None
    if not only_read:
        most = min(task.most(ask.max_new_tokens, len(encoded)), limits.max_new_tokens)
        rules = task.settings.rules(tokenizer.specials, 0)
        one, tree = write(task, None, encoded.ids, manner_of(task, ask), rules, most, along, tokenizer)
        side = sides.written(side, one.ids, one.scores, one.is_finished, tokenizer)
    looks, x = looked(task, ((), side.ids), along, {"self": ("text", "text")})
    return Found(
        answer=payload.AnswerPayload(
            text="".join(side.texts[side.prefix_length :]),
            score=one.score,
            rank_score=one.rank_score,
            is_finished=one.is_finished,
        ),
        sides=(side,),
        looks=looks,
        tree=tree_of(tree, encoded.ids, tokenizer),
        candidates=candidates(task, x, side, max(len(one.ids) + one.is_finished, 1), tokenizer, one),
        reading=((), side.ids),
        loss=loss_of(((), side.ids), side.prefix_length if one.ids else 1, task.device),
    )


def labelled(task: Any, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """Labels of a text, or of its tokens."""
    text = both(ask)
    encoded = task.read_text(text, None, cut=False)
    side = given(task, text, encoded, limits)
    with kept(task, along) as seen:
        answer = task(text)
    looks = gathered(seen, {"": ("text", "text")})
    if task.for_tokens:
        tags = [payload.Option(text=f"{tag.token} {tag.label}", probability=tag.score) for tag in answer.tokens]
        told = payload.AnswerPayload(text=" ".join(tag.text for tag in tags), options=tags)
        return Found(told, (side,), looks, reading=((), side.ids))
    ordered = sorted(answer.scores.items(), key=lambda pair: -pair[1])
    options = [payload.Option(text=label, probability=score) for label, score in ordered]
    told = payload.AnswerPayload(text=answer.label, score=answer.score, options=options)
    tokens, label = torch.tensor([encoded.ids], device=task.device), task.labels.index(answer.label)
    more = {"segments": torch.tensor([encoded.segments], device=task.device)} if isinstance(task.model, Encoder) else {}
    loss = Loss(lambda model: -model(tokens, **more).log_softmax(-1)[0, label], 1)
    return Found(told, (side,), looks, reading=((), side.ids), chances=dict(ordered), loss=loss)


def filled(task: Any, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """The words behind masks; a text without any is only read."""
    text = both(ask)
    encoded = task.read(text, None, special=[task.mask])
    side = given(task, text, encoded, limits)
    if task.tokenizer.specials.mask not in encoded.ids:
        looks, _ = looked(task, ((), side.ids), along, {"": ("text", "text")}, side.segments)
        return Found(payload.AnswerPayload(text=ask.text), (side,), looks, reading=((), side.ids))
    with kept(task, along) as seen:
        answer = task(text)
    gaps = [
        [payload.Option(text=one.token, id=one.id, probability=one.score) for one in choices]
        for choices in answer.choices
    ]
    told = payload.AnswerPayload(text=answer.text, score=answer.score, gaps=gaps)
    chances = {f"{gap}: {one.text}": one.probability for gap, options in enumerate(gaps) for one in options}
    return Found(told, (side,), gathered(seen, {"": ("text", "text")}), reading=((), side.ids), chances=chances)


def embedded(task: Any, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """The vector of a text."""
    text = both(ask)
    side = given(task, text, task.read_text(text, None, cut=False), limits)
    with kept(task, along) as seen:
        answer = task(text)
    told = payload.AnswerPayload(text="", vector=answer.vector.tolist())
    return Found(told, (side,), gathered(seen, {"": ("text", "text")}), reading=((), side.ids))


def answered(task: Any, ask: RunRequest, along: Along, limits: Limits) -> Found:
    """A question about a story: every hop looks at its sentences."""
    from regard.tasks.answer import NOTHING
    from regard.text.story_batch import StoryBatch, encode_story

    if not (ask.second or "").strip():
        raise RegardError("no question: this model answers a second text, the question, about the first, the story")
    story = task.remembered(ask.text)
    words, question = encode_story(story, ask.second or "", task.tokenizer)
    short_enough(words.size, limits)
    if not len(question):
        raise RegardError("no question: at least one word expected")
    rows = StoryBatch.of([(words, question, torch.zeros(1, dtype=torch.long).numpy())], task.config.pad)
    with kept(task, along) as seen:
        scores = task.model(rows.story.to(task.device), rows.question.to(task.device))[0, 0]
    chances = scores.softmax(-1)
    likeliest = chances.topk(min(2 * OPTIONS, len(chances)))
    options = [
        payload.Option(text=task.tokenizer.token(number), id=number, probability=share)
        for share, number in zip(likeliest.values.tolist(), likeliest.indices.tolist(), strict=True)
    ]
    return Found(
        payload.AnswerPayload(text=options[0].text, score=options[0].probability, options=options),
        (
            sides.named("story", [*story, *([NOTHING] if task.config.empty else [])]),
            sides.named("question", [ask.second or ""]),
        ),
        gathered(seen, {"": ("question", "story")}),
        chances={task.tokenizer.token(number): share for number, share in enumerate(chances.tolist())},
    )


ASKED: dict[str, Callable[[Any, RunRequest, Along, Limits], Found]] = {
    "translate": translated,
    "generate": generated,
    "classify": labelled,
    "fill": filled,
    "embed": embedded,
    "answer": answered,
}
"""How each task is asked."""


def alone(ask: RunRequest) -> None:
    if ask.second:
        raise RegardError("this model reads one text, got two")


def both(ask: RunRequest) -> str | tuple[str, str]:
    return (ask.text, ask.second) if ask.second else ask.text


def given(task: Any, text: str | tuple[str, str], encoded: Any, limits: Limits) -> TokenColumn:
    """The side of a text that is only read."""
    short_enough(len(encoded), limits)
    return sides.read("text", [text] if isinstance(text, str) else list(text), encoded, task.tokenizer)


def short_enough(tokens: int, limits: Limits) -> None:
    if tokens > limits.tokens:
        raise RegardError(f"the text has {tokens} tokens, the viewer reads at most {limits.tokens}")


def manner_of(task: Any, ask: RunRequest) -> GenerationConfig:
    """How to search or draw."""
    drawn = {} if ask.sample is None else ask.sample.model_dump()
    seed = drawn.pop("seed", None)
    if drawn and ask.beam > 1:
        raise RegardError("tokens are drawn without a beam: sample or a beam of more than 1, not both")
    return task.settings.manner(beam=ask.beam, sample=drawn or False, seed=seed)


def write(
    task: Any,
    source: Sequence[int] | None,
    prefix: Sequence[int],
    manner: GenerationConfig,
    rules: Any,
    most: int,
    along: Along,
    tokenizer: Tokenizer,
) -> tuple[Hypothesis, BeamTree | None]:
    """What the model writes, and how a beam search came to it."""
    if most < 1:
        return Hypothesis((), (), False), None
    read = None if source is None else torch.tensor([source], device=task.device)
    begin = torch.tensor([prefix], device=task.device)
    if manner.beam > 1:
        steps = Stepped(serve_model(task.model), along, most)
        beam, penalty = Beam(manner.beam, manner.early_stop), manner.length_penalty
        (one,) = decode(
            steps,
            read,
            prefix=begin,
            beam=beam,
            length_penalty=penalty,
            max_new_tokens=most,
            constraints=rules,
            tree=True,
        )
        return one.best, one.tree
    ids: list[int] = []
    texts: list[str] = []
    scores: list[float] = []
    ended, spelling = False, sides.Spelling(prefix, tokenizer)
    along.at("writing")
    for token in stream(
        task.model, read, prefix=begin, max_new_tokens=most, sampling=manner.sampling, constraints=rules
    ):
        ended = token.is_end
        scores.append(token.score)
        if not ended:
            ids.append(token.id)
            texts.append(spelling.add(token.id))
        along.at("writing", len(scores) / most, "".join(texts), texts)
    return Hypothesis(
        tuple(ids), tuple(scores), ended, length_normalised(sum(scores), len(scores), manner.length_penalty)
    ), None


@contextmanager
def kept(task: Any, along: Along):
    """Queries and keys of every layer are kept, and nothing else."""
    along.at("looking")
    with passing(task.model, along), watch(task.model, *LayerNames(task.model).layers) as seen:
        yield seen


def looked(
    task: Any,
    reading: Reading,
    along: Along,
    between: dict[str, tuple[str, str]],
    segments: Sequence[int] | None = None,
) -> tuple[dict[str, Look], Tensor]:
    """One pass over what was read and written, watched; and the vectors from which words are chosen."""
    with kept(task, along) as seen:
        x = passed(task, reading, segments)
    return gathered(seen, between), x


def passed(task: Any, reading: Reading, segments: Sequence[int] | None = None) -> Tensor:
    """The last vector of every token of the side that is written or read: (tokens, width)."""
    source, target = (torch.tensor([ids], device=task.device) for ids in reading)
    if reading[0]:
        return task.model.hidden(source, target)[0]
    told = {} if segments is None else {"segments": torch.tensor([segments], device=task.device)}
    return task.model.hidden(target, **told)[0]


def loss_of(reading: Reading, given: int, device: Any) -> Loss | None:
    """How unlikely the tokens are that come after the first `given` ones."""
    source, target = (torch.tensor([ids], device=device) for ids in reading)
    wanted = target[0, given:]
    if not given or not len(wanted):
        return None

    def loss(model: Any) -> Tensor:
        x = model.hidden(source, target) if source.numel() else model.hidden(target)
        chances = model.output(x[:, given - 1 : -1])[0].log_softmax(-1)
        return -chances.gather(1, wanted[:, None]).sum()

    return Loss(loss, len(wanted))


def gathered(seen: Any, between: dict[str, tuple[str, str]]) -> dict[str, Look]:
    """What was seen, with the sides of each place; from target to source where nothing else is said."""
    found = {}
    for name in seen:
        ends = next((ends for part, ends in between.items() if part in name), ("target", "source"))
        found[name] = Look(seen[name], *ends)
    return found
