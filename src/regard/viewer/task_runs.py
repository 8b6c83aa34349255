"""A text for a model: the three steps of its task, with every layer watched in the last pass over the text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.decoding import DecodeResult, Hypothesis, OnStep
from regard.errors import RegardError, lookup
from regard.looking import Seen, edit, watch
from regard.looking.layer_names import LayerNames, attends_to_source, reads_source
from regard.looking.long_text import PIECE, reads_in_pieces, watch_in_pieces
from regard.models import Decoder, Encoder, Model
from regard.tasks.answer import AnswerTask
from regard.tasks.classify import ClassifyTask
from regard.tasks.decode_batch import decode_batch
from regard.tasks.embed import EmbedTask
from regard.tasks.fill import FillTask
from regard.tasks.generate import GenerateTask
from regard.tasks.generation_config import GenerationConfig, GenerationOptions
from regard.tasks.inputs import EncodedText, Reading, SourceText, Text
from regard.tasks.processors.answer import NOTHING
from regard.tasks.replay import model_inputs, run_readings
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.tasks.translation import WrittenTranslation
from regard.viewer import run_payload
from regard.viewer.candidates import candidate_tokens
from regard.viewer.limits import Limits
from regard.viewer.payload import AnswerPayload, RunRequest, TokenColumn
from regard.viewer.run_progress import RunProgress, report_layers
from regard.viewer.run_result import AnswerLoss, RunResult, WatchedLayer, reading_loss
from regard.viewer.token_columns import join_columns, sentence_column, start_column, text_column, written_column

LONG = 4096  # tokens; a longer text is only read unless somebody says otherwise
NOTHING_WRITTEN = DecodeResult((Hypothesis((), (), False),))


@torch.no_grad()
def run_task(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """Ask a model. Everything happens in this call and this thread: edits and watchers are nobody else's."""
    progress.at("reading")
    if request.forced and task.name != "translate":
        raise RegardError("only the words of a translation can be forced")
    if request.sentence and task.name != "translate":
        raise RegardError(f"this model reads the whole text, which is sentence 0, got sentence {request.sentence}")
    with edit(task.model, request.edits):
        return lookup(RUNS, task.name, "task")(task, request, progress, limits)


def run_translate(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """One text becomes another; of a text that the model translates sentence by sentence, one sentence does."""
    assert isinstance(task, TranslateTask)
    refuse_pair(request)
    sentences = [sentence for sentence in task.read(request.text).sentences if sentence.encoded]
    if not sentences:
        raise RegardError("an empty text has no translation")
    if request.sentence >= len(sentences):
        raise RegardError(f"the text has sentences 0 to {len(sentences) - 1}, got {request.sentence}")
    sentence = replace(sentences[request.sentence], gap="", begin=0)
    source, encoded = SourceText(sentence.sentence, (sentence,)), sentence.tokens
    refuse_long(len(encoded), limits)
    target, start = task.tokenizer.target, task.processor.start()
    written = WrittenTranslation((NOTHING_WRITTEN,))
    if request.max_new_tokens != 0:
        limit = min(task.processor.max_new_tokens(request.max_new_tokens), limits.max_new_tokens)
        config = task.generation_config(**generation_options(request, limit))
        on_step = progress.writing([start, *request.forced], target)
        if request.forced:
            written = WrittenTranslation((write_after(task, encoded.ids, request.forced, config, on_step),))
        else:
            (written,) = task.write([source], config, tree=True, on_step=on_step)
    (reading,) = task.readings(source, written, is_whole=True)
    with watch_layers(task.model, progress) as seen:
        x = run_readings(task.model, [reading], task.device)[0]
    result = written.results[0] or NOTHING_WRITTEN
    best, is_one_stream = result.best, isinstance(task.model, Decoder)
    read_column = text_column("text" if is_one_stream else "source", [sentence.sentence], encoded, task.tokenizer)
    column = start_column("target", start, target)
    column = join_columns(read_column, column) if is_one_stream else column
    column = written_column(column, best.ids, best.scores, best.is_finished, target)
    translation = task.answer(source, written, [{layer: seen[layer] for layer in seen}])
    is_aligned = bool(best.ids) and not is_one_stream  # what is aligned are two columns
    return RunResult(
        answer=run_payload.written_payload(translation),
        sides=(column,) if is_one_stream else (read_column, column),
        layers=watched_layers(seen, one_text if is_one_stream else two_texts),
        beam_tree=run_payload.beam_tree_payload(result.tree, [start], target),
        alignment=run_payload.alignment_payload(translation.alignment, task.alignment_heads) if is_aligned else None,
        candidates=candidate_tokens(task.model, x, column, best, target),
        reading=reading,
        loss=reading_loss(reading, 1, task.device),
        sentences=tuple(sentence.sentence for sentence in sentences),
    )


def write_after(
    task: TranslateTask, source: Sequence[int], forced: Sequence[int], config: GenerationConfig, on_step: OnStep
) -> DecodeResult:
    """The best translations that begin with some tokens; those are certain."""
    vocabulary = task.processor.target_vocabulary
    if isinstance(task.model, Decoder):
        raise RegardError("this model reads source and target in one stream: its words cannot be forced here")
    if max(forced) >= vocabulary:
        raise RegardError(f"forced tokens are numbers below {vocabulary}, got {max(forced)}")
    prefix = torch.tensor([[task.processor.start(), *forced]], device=task.device)
    limit = max(1, task.processor.max_new_tokens(config.max_new_tokens) - len(forced))
    (result,) = decode_batch(
        task.model,
        torch.tensor([list(source)], device=task.device),
        config,
        prefix=prefix,
        attention_mask=torch.ones(1, len(source), dtype=torch.bool, device=task.device),
        prefix_attention_mask=None,
        max_new_tokens=[limit],
        tree=False,
        on_step=on_step,
    )
    certain = (0.0,) * len(forced)
    return DecodeResult(
        tuple(
            replace(hypothesis, ids=(*forced, *hypothesis.ids), scores=certain + hypothesis.scores)
            for hypothesis in result.hypotheses
        )
    )


def run_generate(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """A text goes on, or is only read."""
    assert isinstance(task, GenerateTask)
    refuse_pair(request)
    is_prompt = request.max_new_tokens != 0
    prompt = task.read(request.text, is_prompt=is_prompt)
    count, tokenizer = len(prompt.encoded), task.tokenizer
    refuse_long(count, limits)
    result = NOTHING_WRITTEN
    if is_prompt and (request.max_new_tokens is not None or count <= LONG):
        limit = min(task.processor.max_new_tokens(request.max_new_tokens, count), limits.max_new_tokens)
        config = task.generation_config(**generation_options(request, limit))
        (result,) = task.write([prompt], config, tree=True, on_step=progress.writing(prompt.encoded.ids, tokenizer))
    best, reading = result.best, task.reading(prompt, result, is_whole=True)
    seen, x = read_text(task.model, reading, task.device, progress, is_edited=bool(request.edits))
    column = text_column("text", [request.text], prompt.encoded, tokenizer)
    if result is not NOTHING_WRITTEN:
        column = written_column(column, best.ids, best.scores, best.is_finished, tokenizer)
    return RunResult(
        answer=run_payload.written_payload(task.answer(prompt, result)),
        sides=(column,),
        layers=watched_layers(seen, one_text),
        beam_tree=run_payload.beam_tree_payload(result.tree, prompt.encoded.ids, tokenizer),
        candidates=candidate_tokens(task.model, x, column, best, tokenizer, least=1),
        reading=reading,
        loss=reading_loss(reading, count if best.ids else 1, task.device),
    )


def run_classify(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """Labels of a text, or of its tokens."""
    assert isinstance(task, ClassifyTask)
    text = task.read(request_text(request))
    column = read_column(task, text, limits)
    with watch_layers(task.model, progress) as seen:
        (scores,) = task.run([text])
    answer = run_payload.labels_payload(task.answer(text, scores))
    layers = watched_layers(seen, one_text)
    if task.processor.for_tokens:
        return RunResult(answer, (column,), layers, reading=text.reading)
    encoded, label = text.encoded, int(scores.argmax())
    tokens = torch.tensor([encoded.ids], device=task.device)
    kwargs = {"segments": torch.tensor([encoded.segments], device=task.device)}
    kwargs = kwargs if isinstance(task.model, Encoder) else {}
    return RunResult(
        answer,
        (column,),
        layers,
        reading=text.reading,
        probabilities={option.text: option.probability for option in answer.options},
        loss=AnswerLoss(lambda model: -model(tokens, **kwargs).log_softmax(-1)[0, label], 1),
    )


def run_fill(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """The words behind masks; a text without any is only read."""
    assert isinstance(task, FillTask)
    text = task.read(request_text(request), may_be_whole=True)
    column = read_column(task, text, limits)
    answer = AnswerPayload(text=request.text)
    with watch_layers(task.model, progress) as seen:
        if text.gaps:
            answer = run_payload.filled_payload(task.answer(text, *task.run([text])))
        else:
            run_readings(task.model, [text.reading], task.device)
    probabilities = {
        f"{gap}: {option.text}": option.probability for gap, options in enumerate(answer.gaps) for option in options
    }
    layers = watched_layers(seen, one_text)
    return RunResult(answer, (column,), layers, reading=text.reading, probabilities=probabilities)


def run_embed(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """The vector of a text."""
    assert isinstance(task, EmbedTask)
    text = task.read(request_text(request))
    column = read_column(task, text, limits)
    with watch_layers(task.model, progress) as seen:
        (vector,) = task.run([text])
    answer = run_payload.embedding_payload(task.answer(text, vector))
    return RunResult(answer, (column,), watched_layers(seen, one_text), reading=text.reading)


def run_answer(task: Task, request: RunRequest, progress: RunProgress, limits: Limits) -> RunResult:
    """A question about a story: every hop looks at its sentences."""
    assert isinstance(task, AnswerTask)
    if not (request.second or "").strip():
        raise RegardError("no question: this model answers a second text, the question, about the first, the story")
    question = task.read(request.text, request.second or "")
    refuse_long(question.story_ids.size, limits)
    with watch_layers(task.model, progress) as seen:
        (result,) = task.run([question])
    names = task.tokenizer.tokens(range(len(result.probabilities)))
    memories = [*question.story, *([NOTHING] if task.processor.config.empty else [])]
    return RunResult(
        run_payload.answer_payload(task.answer(question, result), result.probabilities, names),
        (sentence_column("story", memories), sentence_column("question", [question.question])),
        watched_layers(seen, lambda layer: ("question", "story")),
        probabilities=dict(zip(names, result.probabilities.tolist(), strict=True)),
    )


RUNS: dict[str, Callable[[Task, RunRequest, RunProgress, Limits], RunResult]] = {
    "translate": run_translate,
    "generate": run_generate,
    "classify": run_classify,
    "fill": run_fill,
    "embed": run_embed,
    "answer": run_answer,
}
"""How each task is run."""


def refuse_pair(request: RunRequest) -> None:
    if request.second:
        raise RegardError("this model reads one text, got two")


def refuse_long(tokens: int, limits: Limits) -> None:
    if tokens > limits.tokens:
        raise RegardError(f"the text has {tokens} tokens, the viewer reads at most {limits.tokens}")


def request_text(request: RunRequest) -> Text:
    return (request.text, request.second) if request.second else request.text


def read_column(task: Task, text: EncodedText, limits: Limits) -> TokenColumn:
    """The column of a text, or of two, that is only read."""
    refuse_long(len(text.encoded), limits)
    return text_column("text", [text.text] if isinstance(text.text, str) else text.text, text.encoded, task.tokenizer)


def generation_options(request: RunRequest, limit: int) -> GenerationOptions:
    """How to search or draw, at most so many tokens."""
    if request.sample is None:
        return {"beam": request.beam, "sample": False, "max_new_tokens": limit}
    if request.beam > 1:
        raise RegardError("tokens are drawn without a beam: sample or a beam of more than 1, not both")
    sampling = request.sample.model_dump(exclude={"seed"})
    return {"beam": 1, "sample": sampling, "seed": request.sample.seed, "max_new_tokens": limit}


def read_text(
    model: Model, reading: Reading, device: torch.device, progress: RunProgress, *, is_edited: bool
) -> tuple[Mapping[str, Pattern], Tensor]:
    """What every layer attends to in a text, and the vectors of its tokens; a long one is read in pieces, unless edits
    are to see it whole."""
    (tokens,) = model_inputs(model, reading, device)
    if tokens.shape[1] > 2 * PIECE and not is_edited and reads_in_pieces(model):
        assert isinstance(model, Decoder)
        with report_layers(model, progress, calls=-(-tokens.shape[1] // PIECE)):
            seen, x = watch_in_pieces(model, tokens)
        return seen, x[0]
    with watch_layers(model, progress) as seen:
        return seen, run_readings(model, [reading], device)[0]


@contextmanager
def watch_layers(model: Model, progress: RunProgress) -> Iterator[Seen]:
    """Queries and keys of every layer are kept, and nothing else."""
    with report_layers(model, progress), watch(model, *LayerNames(model).layers) as seen:
        yield seen


def watched_layers(
    seen: Mapping[str, Pattern], columns_of: Callable[[str], tuple[str, str]]
) -> dict[str, WatchedLayer]:
    """What was seen, with the columns that each layer attends from and to."""
    return {layer: WatchedLayer(seen[layer], *columns_of(layer)) for layer in seen}


def one_text(layer: str) -> tuple[str, str]:
    return "text", "text"


def two_texts(layer: str) -> tuple[str, str]:
    return "source" if reads_source(layer) else "target", "source" if attends_to_source(layer) else "target"
