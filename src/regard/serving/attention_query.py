"""What a request may ask about attention, and what it is told: alignments, the strongest links, exact weights."""

import asyncio
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from regard.serving.answer_store import StoredAnswer
from regard.serving.refusals import Refusal

Position = Annotated[int, Field(ge=0, lt=2**31)]


class AttentionQuery(BaseModel):
    """Which attention an answer brings along: the `alignment` of a translation; of a `layer` and `head` the exact
    weights of some `rows` and `columns` (first and past the last), or with `top` the strongest columns of each row."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    alignment: bool = False
    layer: str | None = Field(None, max_length=200)
    head: int = Field(0, ge=0, lt=4096)
    sentence: int = Field(0, ge=0, lt=2**31)
    rows: Annotated[tuple[Position, Position], Field(strict=False)] = (0, 64)
    columns: Annotated[tuple[Position, Position], Field(strict=False)] = (0, 64)
    top: int = Field(0, ge=0, le=64)


async def describe_attention(
    answer: StoredAnswer, query: AttentionQuery, cells: int, translation: Any = None
) -> dict[str, object]:
    """The attention of a stored answer as JSON; `translation` is for the alignment."""
    return await asyncio.to_thread(attention_fields, answer, query, cells, translation)


def attention_fields(
    answer: StoredAnswer, query: AttentionQuery, cells: int, translation: Any = None
) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": answer.id,
        "sentences": len(answer.readings),
        "layers": answer.layers(),
    }
    if answer.readings:
        fields["tokens"] = answer.tokens(query.sentence)
    if query.alignment:
        if translation is None:
            raise Refusal(400, "attention.alignment: only a translation has one")
        count = len(translation.ids) * len(translation.source_tokens)
        if count > cells:
            raise Refusal(
                400, f"attention.alignment: of at most {cells} pairs of tokens, got {count}: send less at once"
            )
        fields["alignment"] = alignment_fields(translation)
    if query.layer is not None:
        fields |= region_fields(answer, query, cells)
    return fields


def alignment_fields(translation: Any) -> dict[str, object]:
    """Which words belong together, counted from 0, source first, and how much each token looked at each."""
    alignment = translation.alignment
    return {
        "words": [list(pair) for pair in alignment.words],
        "pharaoh": alignment.pharaoh,
        "source": list(alignment.source),
        "target": list(alignment.target),
        "weights": rounded(alignment.weights),
    }


def region_fields(answer: StoredAnswer, query: AttentionQuery, cells: int) -> dict[str, object]:
    """The weights of a region, or the strongest of each of its rows."""
    assert query.layer is not None
    weights = region(answer, query, cells)
    fields: dict[str, object] = {
        "layer": query.layer,
        "head": query.head,
        "rows": [query.rows[0], query.rows[0] + len(weights)],
        "columns": [query.columns[0], query.columns[0] + weights.shape[1]],
    }
    if not query.top:
        return fields | {"weights": weights.tolist()}
    order = np.argsort(-weights, axis=1, kind="stable")[:, : query.top]
    links = [
        [[int(column) + query.columns[0], float(row[column])] for column in columns]
        for row, columns in zip(weights, order, strict=True)
    ]
    return fields | {"top": links}


def region(answer: StoredAnswer, query: AttentionQuery, cells: int) -> np.ndarray:
    assert query.layer is not None
    return answer.region(query.layer, query.head, query.rows, query.columns, query.sentence, cells)


def rounded(weights: np.ndarray) -> list[list[float]]:
    return [[round(float(weight), 6) for weight in row] for row in weights]
