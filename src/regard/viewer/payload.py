"""What goes over the wire: every request and answer of the API, and the binary frame of tiles.

`viewer/API.md` tells the same in prose; samples in tests/viewer/samples are checked from both sides.
"""

import json
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

if TYPE_CHECKING:
    from torch import Tensor

MAGIC = b"RGD1"
Line = Annotated[str, StringConstraints(max_length=200)]
How = Literal["mean", "max"]
States = Literal["waiting", "loading", "reading", "writing", "looking", "pooling", "done", "failed", "cancelled"]


class Given(BaseModel):
    """What a page sends: nothing unknown, no NaN, no infinity."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, validate_default=True)


class Told(BaseModel):
    """What a page is sent."""

    model_config = ConfigDict(extra="forbid")


class Drawing(Given):
    """How tokens are drawn by lot."""

    temperature: float = Field(1.0, gt=0, le=100)
    top_k: int = Field(0, ge=0, le=1_000_000)
    top_p: float = Field(1.0, gt=0, le=1)
    seed: int = Field(0, ge=0, lt=2**31)


class Ask(Given):
    """A text for a model, and how to answer it. `base` is the run that this one is to be compared with.

    `sentence` is which sentence of the text is meant, of a translator that reads one at a time.
    """

    model: Line
    text: str
    second: str | None = None
    sentence: int = Field(0, ge=0, lt=2**31)
    beam: int = Field(1, ge=1)
    max_tokens: int | None = Field(None, ge=0)
    sample: Drawing | None = None
    edits: list[dict[str, Any]] = []
    base: Line | None = None
    page: Line = ""


class Progress(Told):
    """How far a run is; one line of the stream."""

    run: str
    state: States
    fraction: float = 0.0
    text: str = ""
    tokens: list[str] = []
    error: str | None = None


class Side(Told):
    """Tokens that look or are looked at, column by column. The first `given` of them were not written by the model.

    `texts` put end to end are the text; `next` is what was written after each token, None where nothing was.
    """

    name: str
    texts: list[str]
    ids: list[int]
    words: list[int | None]
    special: list[bool]
    segments: list[int]
    given: int
    scores: list[float | None]
    next: list[str | None]


class Place(Told):
    """A layer that looks: tokens of the side `rows` look at those of `columns`.

    `base` is the zoom level from which on tiles come from the stored pyramid; None where all are computed.
    """

    name: str
    heads: int
    queries: int
    keys: int
    rows: str
    columns: str
    mask: str
    score: str
    levels: int
    base: int | None


class Option(Told):
    """A word or label that was in question."""

    text: str
    id: int | None = None
    probability: float


class Answer(Told):
    """What came out. `options` are labels or answers with their probabilities, `gaps` the words for each mask."""

    text: str
    score: float | None = None
    ranked: float | None = None
    is_finished: bool | None = None
    options: list[Option] = []
    gaps: list[list[Option]] = []
    vector: list[float] = []


class Node(Told):
    """A token in the tree of a beam search; its score is that of the whole text up to it."""

    text: str
    id: int
    parent: int
    score: float


class Tree(Told):
    """Every text that a beam search kept. `leaves` end the finished ones, the best first."""

    nodes: list[Node]
    leaves: list[int]
    winner: list[int]


class Aligned(Told):
    """Which source tokens each target token came from, under the look that the task reads; pairs of words."""

    look: str
    weights: list[list[float]]
    words: list[tuple[int, int]]


class Candidates(Told):
    """The likeliest tokens after one token of the written side; `chosen` is which of them was written, if it is one."""

    row: int
    chosen: int | None
    options: list[Option]


class Shift(Told):
    """A word or label before and after an edit."""

    text: str
    id: int | None = None
    before: float
    after: float


class Contest(Told):
    """The words that competed after one token of the base's text, under both."""

    row: int
    text: str
    options: list[Shift]


class Change(Told):
    """Words that stayed, went, came, or came for others."""

    do: Literal["same", "removed", "added", "replaced"]
    before: list[str]
    after: list[str]


class Difference(Told):
    """What the edits did. `given_up` is the log-probability that the base's text lost."""

    base: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    given_up: float | None
    words: list[Change]
    contests: list[Contest]
    options: list[Shift]
    similarity: float | None


class Run(Told):
    """A text, its answer and where one may look.

    `text` is what was read: of a text of several `sentences`, where the model reads one at a time, the one of number
    `sentence`.
    """

    id: str
    model: str
    task: str
    text: str
    second: str | None
    sentences: list[str]
    sentence: int
    answer: Answer
    sides: list[Side]
    places: list[Place]
    tree: Tree | None
    alignment: Aligned | None
    candidates: list[Candidates]
    edits: list[dict[str, Any]]
    difference: Difference | None
    seconds: float


class Looked(Told):
    """A key that was looked at."""

    column: int
    weight: float


class Row(Told):
    """One row of the softmax. `weights` are all of it, or none where they are too many to send."""

    place: str
    head: int
    row: int
    keys: int
    weights: list[float]
    top: list[Looked]
    entropy: float
    logsumexp: float | None


class Pair(Told):
    """How the score of one query and one key comes about.

    score = (sum of products + position) and bias, times sharpness; products are per dimension and scaled already.
    """

    place: str
    head: int
    row: int
    column: int
    kind: str
    query: list[float]
    key: list[float]
    products: list[float]
    scale: float | None
    content: float
    position: float
    bias: float
    sharpness: float
    score: float | None
    allowed: bool
    logsumexp: float | None
    weight: float


class Links(Told):
    """The keys that each query looks at most: [head, row, column, weight]."""

    place: str
    links: list[tuple[int, int, int, float]]


class Model(Told):
    """A model that may be asked for."""

    name: str
    where: Literal["built in", "cached", "folder"]
    task: str
    architecture: str
    parameters: int
    size: int
    licence: str
    problem: str
    state: Literal["idle", "loading", "ready", "failed"]
    fraction: float


class Bounds(Told):
    """What the server allows."""

    letters: int
    tokens: int
    written: int
    beam: int
    edits: int
    runs: int


class Models(Told):
    """The models there are, which one the page begins with, and on what text."""

    models: list[Model]
    first: str | None
    text: str
    version: str
    bounds: Bounds


class Health(Told):
    """That the server is there, and what it is busy with."""

    status: Literal["ok"]
    version: str
    running: int
    waiting: int
    stored: int


class Fault(Told):
    """What was wrong, in one line."""

    error: str


class Grid(Told):
    """A matrix with names for its rows and columns; `notes`, where there are any, are what each cell has to say."""

    name: str
    kind: Literal["weights", "numbers", "mask"]
    rows: list[str]
    columns: list[str]
    numbers: list[list[float]]
    notes: list[list[str]] = []


class Fact(Told):
    """One number or sentence about a lesson."""

    name: str
    value: bool | float | str


class Inside(Told):
    """One of the Inside views of a run."""

    view: str
    grids: list[Grid]
    facts: list[Fact]


class Lesson(Told):
    """The numbers of one Learn page. `made` says whose weights they are: "by hand", "random" or a model's name."""

    topic: str
    made: str
    given: dict[str, Any]
    grids: list[Grid]
    facts: list[Fact]
    code: str


class Topic(Told):
    """A Learn page, and what it begins with."""

    topic: str
    given: dict[str, Any]


class Topics(Told):
    topics: list[Topic]


class Export(Given):
    """A region of one head as a picture: rows and columns are [first, stop]."""

    run: Line
    place: Line
    head: int = Field(ge=0)
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None
    kind: Literal["svg", "html"] = "svg"


def frame(head: dict[str, Any], numbers: "Sequence[Tensor]") -> bytes:
    """Numbers for the page: four letters, the length of a JSON head, the head, then float32, little end first.

    The head is filled up with spaces, so that the numbers begin at a multiple of four.
    """
    told = json.dumps(head, separators=(",", ":"), allow_nan=False).encode()
    told += b" " * (-len(told) % 4)
    parts = [part.detach().to("cpu").float().contiguous().numpy().astype("<f4").tobytes() for part in numbers]
    return b"".join([MAGIC, struct.pack("<I", len(told)), told, *parts])
