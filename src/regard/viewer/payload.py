"""What goes over the wire: every request and answer of the API; binary_frame.py has the tiles.

`viewer/API.md` tells the same in prose; samples in tests/viewer/samples are checked from both sides. Whoever renames or
removes a field, or changes what one means, adds one to API_VERSION: a page of another version is refused in one line.
Long because the page's types are made from this one file.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

API_VERSION = 2
Line = Annotated[str, StringConstraints(max_length=200)]
Index = Annotated[int, Field(ge=0, lt=2**31, strict=True)]
Range = Annotated[tuple[Index, Index], Field(strict=False)]  # JSON has no tuples
ChangeKind = Literal["same", "removed", "added", "replaced"]
CellPooling = Literal["mean", "max"]
ModelState = Literal["idle", "loading", "ready", "failed"]
RunState = Literal["waiting", "loading", "reading", "writing", "looking", "pooling", "done", "failed", "cancelled"]


class RequestModel(BaseModel):
    """What a page sends: nothing unknown, no NaN, no infinity, and no "1" or true for 1."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", allow_inf_nan=False, validate_default=True, strict=True
    )


class ResponseModel(BaseModel):
    """What a page is sent."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


class VersionedResponse(ResponseModel):
    """A whole answer, or one line of a stream, and the version of the API that it is told in."""

    version: int = API_VERSION


class SamplingOptions(RequestModel):
    """How tokens are drawn by lot."""

    temperature: float = Field(1.0, gt=0, le=100)
    top_k: int = Field(0, ge=0, le=1_000_000)
    top_p: float = Field(1.0, gt=0, le=1)
    seed: int = Field(0, ge=0, lt=2**31)


class RunRequest(RequestModel):
    """A text for a model, and how to answer it. `base` is the run that this one is to be compared with.

    `sentence` is which sentence of the text is meant, of a translator that reads one at a time; `forced` are the tokens
    that its translation begins with.
    """

    model: Line
    text: str
    second: str | None = None
    sentence: int = Field(0, ge=0, lt=2**31)
    beam: int = Field(1, ge=1)
    max_new_tokens: int | None = Field(None, ge=0)
    sample: SamplingOptions | None = None
    edits: list[dict[str, Any]] = []
    forced: list[Index] = Field([], max_length=1024)
    base: Line | None = None
    page: Line = ""


class RunStatus(VersionedResponse):
    """How far a run is; one line of the stream."""

    run: str
    state: RunState
    fraction: float = 0.0
    text: str = ""
    tokens: list[str] = []
    error: str | None = None


class TokenColumn(ResponseModel):
    """Tokens that attend or are attended to, column by column. The model did not write the first `prefix_length`.

    `texts` put end to end are the text; `next` is what was written after each token, None where nothing was.
    """

    name: str
    texts: list[str]
    ids: list[int]
    words: list[int | None]
    special: list[bool]
    segments: list[int]
    prefix_length: int
    scores: list[float | None]
    next: list[str | None]


class LayerInfo(ResponseModel):
    """A layer with attention: tokens of the side `rows` attend to those of `columns`.

    `base` is the zoom level from which on tiles come from the stored pyramid; None where all are computed. `width` is
    how many numbers a key has.
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
    width: int


class Option(ResponseModel):
    """A word or label that was in question."""

    text: str
    id: int | None = None
    probability: float


class AnswerPayload(ResponseModel):
    """What came out. `options` are labels or answers with their probabilities, `gaps` the words for each mask."""

    text: str
    score: float | None = None
    rank_score: float | None = None
    is_finished: bool | None = None
    options: list[Option] = []
    gaps: list[list[Option]] = []
    vector: list[float] = []


class BeamNode(ResponseModel):
    """A token in the tree of a beam search; its score is that of the whole text up to it."""

    text: str
    id: int
    parent: int
    score: float


class BeamTreePayload(ResponseModel):
    """Every text that a beam search kept. `leaves` end the finished ones, the best first."""

    nodes: list[BeamNode]
    leaves: list[int]
    winner: list[int]


class AlignmentPayload(ResponseModel):
    """Which source tokens each target token came from, in the heads that the task reads; pairs of words."""

    heads: str
    weights: list[list[float]]
    words: list[tuple[int, int]]


class CandidateTokens(ResponseModel):
    """The likeliest tokens after one token of the written side; `choice` is which of them was written, if it is one."""

    row: int
    choice: int | None
    options: list[Option]


class ProbabilityShift(ResponseModel):
    """A word or label before and after an edit."""

    text: str
    id: int | None = None
    before: float
    after: float


class CompetingTokens(ResponseModel):
    """The words that competed after one token of the base's text, under both."""

    row: int
    text: str
    options: list[ProbabilityShift]


class TextChange(ResponseModel):
    """Words that stayed, went, came, or came for others."""

    kind: ChangeKind
    before: list[str]
    after: list[str]


class EditEffect(ResponseModel):
    """What the edits did. `log_probability_drop` is what the base's text lost."""

    base: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    log_probability_drop: float | None
    text_changes: list[TextChange]
    competing_tokens: list[CompetingTokens]
    options: list[ProbabilityShift]
    similarity: float | None


class RunPayload(VersionedResponse):
    """A text, its answer and the layers that attended to something.

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
    answer: AnswerPayload
    sides: list[TokenColumn]
    layers: list[LayerInfo]
    beam_tree: BeamTreePayload | None
    alignment: AlignmentPayload | None
    candidates: list[CandidateTokens]
    edits: list[dict[str, Any]]
    edit_effect: EditEffect | None
    seconds: float


class AttendedKey(ResponseModel):
    """A key that a query attends to, and its weight."""

    column: int
    weight: float


class SoftmaxRow(VersionedResponse):
    """One row of the softmax. `weights` are all of it, or none where they are too many to send."""

    layer: str
    head: int
    row: int
    keys: int
    weights: list[float]
    top: list[AttendedKey]
    entropy: float
    logsumexp: float | None


class ScoreDetail(VersionedResponse):
    """How the score of one query and one key comes about.

    score = (sum of products + position) and bias, times inverse_temperature; products are per dimension and scaled.
    """

    layer: str
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
    inverse_temperature: float
    score: float | None
    is_allowed: bool
    logsumexp: float | None
    weight: float


class TopLinks(VersionedResponse):
    """The keys that each query attends to most: [head, row, column, weight]."""

    layer: str
    links: list[tuple[int, int, int, float]]


class HeadRole(ResponseModel):
    """How much a head is of one kind: 1 where it looks nowhere else, about 0 where chance would do."""

    layer: str
    head: int
    kind: str
    score: float


class HeadRoles(VersionedResponse):
    """What heads do on the tokens of a run."""

    roles: list[HeadRole]


class ModelInfo(ResponseModel):
    """A model that may be asked for."""

    name: str
    where: Literal["built in", "cached", "folder"]
    task: str
    architecture: str
    parameters: int
    size: int
    licence: str
    problem: str
    state: ModelState
    fraction: float


class Bounds(ResponseModel):
    """What the server allows."""

    letters: int
    tokens: int
    max_new_tokens: int
    beam: int
    edits: int
    runs: int


class ModelList(VersionedResponse):
    """The models there are, which one the page begins with, and on what text; or at which address, as of a file."""

    models: list[ModelInfo]
    first: str | None
    text: str
    address: str = ""
    package_version: str
    bounds: Bounds


class Health(VersionedResponse):
    """That the server is there, what it is busy with, and the bytes that stored runs take and may take."""

    status: Literal["ok"]
    package_version: str
    running: int
    waiting: int
    stored: int
    stored_bytes: int
    stored_limit: int


class Fault(VersionedResponse):
    """What was wrong, in one line."""

    error: str


class Grid(ResponseModel):
    """A matrix with names for its rows and columns; `notes`, where there are any, are what each cell has to say."""

    name: str
    kind: Literal["weights", "numbers", "mask"]
    rows: list[str]
    columns: list[str]
    numbers: list[list[float]]
    notes: list[list[str]] = []


class Fact(ResponseModel):
    """One number or sentence about a lesson."""

    name: str
    value: bool | float | str


class InsidePayload(VersionedResponse):
    """One of the Inside views of a run."""

    view: str
    grids: list[Grid]
    facts: list[Fact]


class LessonNumbers(VersionedResponse):
    """The numbers of one Learn page. `origin` says whose weights they are: "by hand", "random" or a model's name."""

    topic: str
    origin: str
    inputs: dict[str, Any]
    grids: list[Grid]
    facts: list[Fact]
    code: str


class Topic(ResponseModel):
    """A Learn page, and what it begins with."""

    topic: str
    inputs: dict[str, Any]


class TopicList(VersionedResponse):
    """The Learn pages there are."""

    topics: list[Topic]


class ExportRequest(RequestModel):
    """A region of one head as a picture: rows and columns are [first, stop]."""

    run: Line
    layer: Line
    head: int = Field(ge=0, lt=2**31)
    rows: Range | None = None
    columns: Range | None = None
    kind: Literal["svg", "html"] = "svg"
