"""The numbers of the Learn pages, each computed when it is asked for, by the library's own attention."""

from pydantic import ValidationError

from regard.errors import RegardError, lookup
from regard.viewer import payload
from regard.viewer.learn import (
    alignment,
    animal,
    convolution,
    cross,
    dense,
    dictionary,
    forcing,
    graph,
    heads,
    masks,
    match,
    matrix,
    memory,
    norm,
    order,
    residual,
    segments,
    softmax,
)
from regard.viewer.learn.lesson import Lesson
from regard.viewer.model_store import ModelStore

LESSONS: dict[str, Lesson] = {
    "match": match.LESSON,
    "softmax": softmax.LESSON,
    "dictionary": dictionary.LESSON,
    "matrix": matrix.LESSON,
    "heads": heads.LESSON,
    "animal": animal.LESSON,
    "order": order.LESSON,
    "masks": masks.LESSON,
    "residual": residual.LESSON,
    "norm": norm.LESSON,
    "cross": cross.LESSON,
    "forcing": forcing.LESSON,
    "graph": graph.LESSON,
    "dense": dense.LESSON,
    "convolution": convolution.LESSON,
    "alignment": alignment.LESSON,
    "memory": memory.LESSON,
    "segments": segments.LESSON,
}
"""What can be learned, in the order of the page."""


def topics() -> payload.TopicList:
    """What each page begins with."""
    return payload.TopicList(
        topics=[payload.Topic(topic=name, inputs=lesson.request().model_dump()) for name, lesson in LESSONS.items()]
    )


def lesson(topic: str, inputs: dict[str, object], model_store: ModelStore) -> payload.LessonNumbers:
    """The numbers of a page for what was changed on it."""
    chosen = lookup(LESSONS, topic, "topic")
    try:
        request = chosen.request.model_validate(inputs)
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise RegardError(f"{where}: {first['msg']}") from None
    result = chosen.compute(request, model_store)
    values = request.model_dump()
    code = chosen.code.format(**values)
    return payload.LessonNumbers(
        topic=topic, origin=result.origin, inputs=values, grids=result.grids, facts=result.facts, code=code
    )
