"""Texts that are written side by side, and that come and go while others are under way.

Those that come together are searched for together (a search is told the scores of its own rows), and all searches share
the steps of the model: in the engine the rows of one state, which new ones join. A model of torch, whose states nothing
joins, takes a step for each search in turn. Either way each text is what `decode` writes for it alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from regard.decoding.array_steps import ArraySteps, array_steps
from regard.decoding.beam import Beam, BeamSearch, FinishedPool, UnfinishedBeams
from regard.decoding.constraints import Constraints, Ids
from regard.decoding.dispatch import check_search
from regard.decoding.hypothesis import DecodeResult, Hypothesis, length_normalised
from regard.decoding.likeliest import choose_likeliest
from regard.decoding.request import DecodeRequest, FirstStep
from regard.decoding.sampling import Sampling
from regard.decoding.serving import serve_model
from regard.decoding.single import SingleSearch, is_same_rows
from regard.decoding.streaming import StreamedToken
from regard.engine.library import EngineError
from regard.engine.state import EngineState


@dataclass(eq=False)
class RunningText:
    """A text while it is written: `on_token` is told each token, without a beam, and a text that `is_wanted` no more is
    left at the next step. At the end it has a result, or a problem."""

    on_token: Callable[[StreamedToken], None] | None = None
    is_wanted: Callable[[], bool] = lambda: True
    result: DecodeResult | None = None
    problem: Exception | None = None

    @property
    def is_over(self) -> bool:
        return self.result is not None or self.problem is not None


@runtime_checkable
class RunningSearch(Protocol):
    """The search for texts that came together. `tokens` are what the model reads next."""

    texts: Sequence[RunningText]

    @property
    def tokens(self) -> Ids: ...

    def advance(self, logits: np.ndarray) -> np.ndarray:
        """Told the scores after each row, the rows that it goes on from; texts that are over get their results."""
        ...


class RunningBeam:
    """A beam search for each of some texts."""

    def __init__(
        self,
        texts: Sequence[RunningText],
        request: DecodeRequest,
        first_step: FirstStep,
        beam: Beam,
        length_penalty: float,
        num_hypotheses: int,
    ) -> None:
        self.texts = texts
        pools = [FinishedPool() for _ in texts]
        self.search: BeamSearch = BeamSearch(
            request, beam, length_penalty, num_hypotheses, pools, lambda text: texts[text].is_wanted()
        )
        self.going: UnfinishedBeams = UnfinishedBeams.initial(first_step.rows, first_step.history)
        self.tokens: Ids = first_step.tokens
        self.finish(np.setdiff1d(np.arange(len(texts)), first_step.rows))

    def advance(self, logits: np.ndarray) -> np.ndarray:
        before = self.going.sources
        self.going, rows = self.search.step(logits, self.going)
        if len(self.going.sources) < len(before):
            self.finish(np.setdiff1d(before, self.going.sources))
        self.tokens = np.ascontiguousarray(self.going.ids[:, -1:])
        return rows

    def finish(self, numbers: np.ndarray) -> None:
        for number in numbers.tolist():
            self.texts[number].result = self.search.pools[number].result(self.search.num_hypotheses)


@dataclass
class GrowingText:
    """What is written of a text so far, the token that ended it apart."""

    ids: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    is_finished: bool = False

    def hypothesis(self, penalty: float) -> Hypothesis:
        rank = length_normalised(sum(self.scores), len(self.scores), penalty)
        return Hypothesis(tuple(self.ids), tuple(self.scores), self.is_finished, rank)


class RunningSingle:
    """The likeliest tokens, or drawn ones, for each of some texts."""

    copies: int
    penalty: float

    def __init__(
        self,
        texts: Sequence[RunningText],
        request: DecodeRequest,
        first_step: FirstStep,
        sampling: Sampling | None,
        length_penalty: float,
        num_hypotheses: int,
    ) -> None:
        from regard.decoding.draws import choose_sampled

        self.texts = texts
        self.copies, self.penalty = (1 if sampling is None else num_hypotheses), length_penalty
        choose = choose_likeliest(request) if sampling is None else choose_sampled(request, sampling, self.copies)
        self.search: SingleSearch = SingleSearch(
            request, first_step, choose, self.copies, lambda copy: texts[copy // self.copies].is_wanted()
        )
        self.growing: list[GrowingText] = [GrowingText() for _ in range(len(texts) * self.copies)]
        self.finish(np.setdiff1d(np.arange(len(texts)), first_step.rows))

    @property
    def tokens(self) -> Ids:
        return self.search.tokens

    def advance(self, logits: np.ndarray) -> np.ndarray:
        step = self.search.write(logits)
        before = self.search.texts
        for token in map(StreamedToken, *(column.tolist() for column in step)):
            text = self.growing[token.row]
            text.scores.append(token.score)
            text.is_finished = token.is_end
            if not token.is_end:
                text.ids.append(token.id)
            running = self.texts[token.row // self.copies]
            if running.on_token is not None:
                running.on_token(token)
        rows = self.search.go_on()
        if len(self.search.texts) < len(before):
            self.finish(np.setdiff1d(before // self.copies, self.search.texts // self.copies))
        return rows

    def finish(self, numbers: np.ndarray) -> None:
        for number in numbers.tolist():
            group = self.growing[number * self.copies : (number + 1) * self.copies]
            hypotheses = [text.hypothesis(self.penalty) for text in group]
            self.texts[number].result = DecodeResult(tuple(sorted(hypotheses, key=lambda one: -one.rank_score)))


@dataclass(eq=False)
class RunningGroup:
    """Searches that share the steps of one state."""

    steps: ArraySteps
    state: Any
    searches: list[RunningSearch]

    def advance(self, attention_mask: np.ndarray | None = None) -> None:
        """One step; searches that are over leave."""
        tokens = [search.tokens for search in self.searches]
        logits, self.state = self.steps.next_scores(
            self.state, tokens[0] if len(tokens) == 1 else np.concatenate(tokens), attention_mask
        )
        chosen: list[np.ndarray] = []
        going: list[RunningSearch] = []
        first = 0
        for search, own in zip(self.searches, tokens, strict=True):
            try:
                rows = search.advance(logits[first : first + len(own)])
            except Exception as problem:
                fail(search.texts, problem)
                rows = np.zeros(0, np.int64)
            if len(rows):
                chosen.append(rows + first)
                going.append(search)
            first += len(own)
        self.searches = going
        if going:
            rows = np.concatenate(chosen)
            if not is_same_rows(rows, len(logits)):
                self.state = self.steps.select_rows(self.state, rows)

    def take(self, other: "RunningGroup") -> bool:
        """The searches of another group go on here, if the two states can become one."""
        own, coming = self.state, other.state
        if not isinstance(own, EngineState) or not isinstance(coming, EngineState) or own.packed is not coming.packed:
            return False
        try:
            own.join(coming)
        except EngineError:
            return False
        self.searches += other.searches
        return True


class RunningTexts:
    """All that is written now, with one model."""

    model: object
    precision: str
    groups: list[RunningGroup]

    def __init__(self, model: object, precision: str = "float32") -> None:
        self.model, self.precision = model, precision
        self.groups = []

    @property
    def searches(self) -> int:
        """How many there are: each costs some time at every step."""
        return sum(len(group.searches) for group in self.groups)

    def join(
        self,
        texts: Sequence[RunningText],
        source: object,
        *,
        attention_mask: object = None,
        beam: Beam = Beam(),
        max_new_tokens: int | Sequence[int] | None = None,
        length_penalty: float = 1.0,
        num_hypotheses: int = 1,
        prefix: object = None,
        prefix_attention_mask: object = None,
        sampling: Sampling | None = None,
        constraints: Constraints = Constraints(),
        is_apart: bool = False,
    ) -> None:
        """Texts that are written from now on, a row of source or prefix for each; the rest is as in `decode`.
        `is_apart`: in steps of their own."""
        check_search(beam, num_hypotheses, length_penalty, sampling)
        request = DecodeRequest.of(
            self.model,
            source,
            prefix,
            attention_mask=attention_mask,
            prefix_attention_mask=prefix_attention_mask,
            max_new_tokens=max_new_tokens,
            constraints=constraints,
        )
        steps = array_steps(serve_model(self.model, self.precision), request.device)
        first_step = request.begin(steps)
        search: RunningSearch
        if sampling is None and beam.size > 1:
            search = RunningBeam(texts, request, first_step, beam, length_penalty, num_hypotheses)
        else:
            search = RunningSingle(texts, request, first_step, sampling, length_penalty, num_hypotheses)
        group = RunningGroup(steps, first_step.state, [search] if len(first_step.rows) else [])
        if group.searches and (request.source is None or first_step.tokens.shape[1] > 1):
            group.advance(first_step.attention_mask)  # a prompt is read by itself
        if group.searches and (is_apart or not any(other.take(group) for other in self.groups)):
            self.groups.append(group)

    def step(self) -> None:
        """A token more for every text. What cannot be written has a problem then, and is written no more."""
        for group in self.groups:
            try:
                group.advance()
            except Exception as problem:
                for search in group.searches:
                    fail(search.texts, problem)
                group.searches = []
        self.groups = [group for group in self.groups if group.searches]


def fail(texts: Sequence[RunningText], problem: Exception) -> None:
    for text in texts:
        if not text.is_over:
            text.problem = problem
