"""Log-probabilities of what was written, and the likeliest tokens at each step."""

from typing import TYPE_CHECKING, Any

from regard.serving.continuation import Continuation
from regard.serving.writing import edited

if TYPE_CHECKING:
    from regard.tasks.inputs import Reading

TokenOptions = list[tuple[int, float]]


def likeliest_tokens(task: Any, reading: "Reading", text: Continuation, top: int, edits: str) -> list[TokenOptions]:
    """The `top` likeliest tokens wherever one was written, with their log-probabilities: one more pass over all."""
    import torch

    from regard.tasks.replay import run_readings

    count = len(text.ids)
    if not top or not count:
        return [[] for _ in range(count)]
    first = len(text.piece.prompt.encoded.ids) - 1
    with torch.no_grad(), edited(task, edits):
        x = run_readings(task.model, [reading], task.device)[:, first : first + count]
        scores = task.model.output(x)[0].float().log_softmax(-1)
    values, ids = scores.topk(min(top, scores.shape[-1]))
    return [list(zip(*row, strict=True)) for row in zip(ids.tolist(), values.tolist(), strict=True)]


def token_texts(task: Any, ids: list[int]) -> list[str]:
    """The letters that each token adds."""
    stream = task.tokenizer.stream()
    return [stream.add(number) or "" for number in ids]


def completion_logprobs(task: Any, text: Continuation, options: list[TokenOptions]) -> dict[str, object]:
    """As /v1/completions has them."""
    texts = token_texts(task, text.ids)
    offsets = [sum(map(len, texts[:at])) for at in range(len(texts))]
    names = [{task.tokenizer.decode([number]): score for number, score in row} for row in options]
    return {
        "tokens": texts,
        "token_logprobs": [finite(score) for score in text.scores[: len(text.ids)]],
        "top_logprobs": names if any(options) else None,
        "text_offset": offsets,
    }


def chat_logprobs(task: Any, text: Continuation, options: list[TokenOptions]) -> dict[str, object]:
    """As /v1/chat/completions has them."""
    content = [
        chat_token(part, score)
        | {"top_logprobs": [chat_token(task.tokenizer.decode([number]), one) for number, one in row]}
        for part, score, row in zip(token_texts(task, text.ids), text.scores, options, strict=False)
    ]
    return {"content": content, "refusal": None}


def chat_token(text: str, score: float) -> dict[str, object]:
    return {"token": text, "logprob": finite(score), "bytes": list(text.encode())}


def finite(score: float) -> float:
    return max(score, -9999.0)
