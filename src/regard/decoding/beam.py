"""Several texts at a time, the best of them kept: beam search."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from regard.decoding.array_steps import array_steps
from regard.decoding.beam_tree import BeamTreeBuilder
from regard.decoding.candidates import Candidates
from regard.decoding.constraints import Ids
from regard.decoding.hypothesis import DecodeResult, Hypothesis, length_normalised
from regard.decoding.limits import COVERAGE_PENALTIES, MAX_BEAMS, check_real, check_whole
from regard.decoding.progress import DecodeProgress, OnStep
from regard.decoding.request import DecodeRequest
from regard.decoding.single import is_same_rows


@dataclass(frozen=True)
class Beam:
    """`size` unfinished texts are kept at each step.

    A step looks at twice as many continuations (more if several tokens end a text). Among the best `size` of them,
    those that end are finished, and the best that do not end go on. With `early_stop` a search is over as soon as
    `size` texts are finished; without it, once nothing unfinished could still become one of the texts asked for. A
    text that reaches max_new_tokens counts as finished there.

    `coverage_penalty` times the sum of log(min(attention, 1)), over all source tokens and what was looked at each in
    the last layer, is added to what finished texts are ranked by (Wu et al. 2016). A beam has at most 1,000 texts.
    """

    size: int = 1
    early_stop: bool = True
    coverage_penalty: float = 0.0

    def __post_init__(self) -> None:
        check_whole("beam", self.size, 1, MAX_BEAMS)
        check_real("coverage_penalty", self.coverage_penalty, *COVERAGE_PENALTIES)


@dataclass
class FinishedBeam:
    """A finished text, the token that ended it included."""

    ids: Ids
    scores: np.ndarray
    rank_score: float
    is_finished: bool
    node: int

    def hypothesis(self) -> Hypothesis:
        ids = self.ids[:-1] if self.is_finished else self.ids
        return Hypothesis(tuple(ids.tolist()), tuple(self.scores.tolist()), self.is_finished, self.rank_score)


@dataclass
class FinishedPool:
    """What a search has finished for one source."""

    texts: list[FinishedBeam] = field(default_factory=list)
    tree: BeamTreeBuilder | None = None

    def best(self, count: int) -> list[FinishedBeam]:
        return sorted(self.texts, key=lambda text: -text.rank_score)[:count]

    def beats(self, reachable: float, count: int) -> bool:
        """Whether so many finished texts are at least as good as anything that can still come."""
        return len(self.texts) >= count and self.best(count)[-1].rank_score >= reachable

    def result(self, count: int) -> DecodeResult:
        best = self.best(count)
        texts = tuple(text.hypothesis() for text in best) or (Hypothesis((), (), False),)
        return DecodeResult(texts, None if self.tree is None else self.tree.build([text.node for text in best]))


def beam_search(
    model: object,
    request: DecodeRequest,
    beam: Beam,
    *,
    length_penalty: float = 1.0,
    num_hypotheses: int = 1,
    tree: bool = False,
    coverage_model: object = None,
    on_step: OnStep | None = None,
) -> list[DecodeResult]:
    """The best hypotheses of each source or prompt. `looking` is the model that tells of coverage."""
    pools = [FinishedPool(tree=BeamTreeBuilder() if tree else None) for _ in request.max_new_tokens]
    search = BeamSearch(request, beam, length_penalty, num_hypotheses, pools)
    steps_of_model = array_steps(model, request.device)
    first_step = request.begin(steps_of_model)
    state, tokens, attention_mask = first_step.state, first_step.tokens, first_step.attention_mask
    going, steps = UnfinishedBeams.initial(first_step.rows, first_step.history), 0
    while len(going.sources):
        logits, state = steps_of_model.next_scores(state, tokens, attention_mask)
        attention_mask = None
        going, rows = search.step(logits, going)
        steps += 1
        if on_step is not None:
            on_step(DecodeProgress((), steps / request.longest))
        if len(going.sources):
            if not is_same_rows(rows, len(logits)):
                state = steps_of_model.select_rows(state, rows)
            tokens = np.ascontiguousarray(going.ids[:, -1:])
    if beam.coverage_penalty:
        from regard.decoding.coverage import add_coverage

        add_coverage(coverage_model, request, [pool.texts for pool in pools], beam.coverage_penalty)
    return [pool.result(num_hypotheses) for pool in pools]


@dataclass
class UnfinishedBeams:
    """The unfinished texts: as many for each of the sources, one source after the other."""

    sources: np.ndarray
    totals: np.ndarray  # (sources, beams), what is ranked by so far; -inf where there is no text
    ids: Ids  # (sources x beams, written)
    scores: np.ndarray
    history: Ids | None
    nodes: np.ndarray  # (sources, beams), in the tree

    @classmethod
    def initial(cls, sources: np.ndarray, history: Ids | None) -> "UnfinishedBeams":
        """One text of nothing for each source."""
        count = len(sources)
        ids, scores = np.zeros((count, 0), dtype=np.int64), np.zeros((count, 0), dtype=np.float32)
        return cls(sources, np.zeros((count, 1)), ids, scores, history, np.full((count, 1), -1))


class BeamSearch:
    """One step after the other, in arrays over all sources."""

    max_new_tokens: np.ndarray
    beam: Beam
    penalty: float
    num_hypotheses: int
    pools: list[FinishedPool]
    candidates: Candidates
    ends: np.ndarray
    width: int

    def __init__(
        self,
        request: DecodeRequest,
        beam: Beam,
        penalty: float,
        num_hypotheses: int,
        pools: list[FinishedPool],
        is_wanted: Callable[[int], bool] | None = None,
    ) -> None:
        self.max_new_tokens, self.beam, self.penalty, self.num_hypotheses, self.pools = (
            request.max_new_tokens,
            beam,
            penalty,
            num_hypotheses,
            pools,
        )
        self.candidates = Candidates(request.constraints)
        self.ends = np.array(request.constraints.ends, dtype=np.int64)
        self.width = max(2, 1 + len(self.ends)) * beam.size
        self.is_wanted = is_wanted

    def step(self, logits: np.ndarray, going: UnfinishedBeams) -> tuple[UnfinishedBeams, np.ndarray]:
        """The texts that go on, and for each the row that it goes on from."""
        count, beams = going.totals.shape
        size, written, max_new_tokens = self.beam.size, going.ids.shape[1], self.max_new_tokens[going.sources]
        candidates = self.candidates.of(logits, self.width, written, max_new_tokens.repeat(beams), going.history)
        wide = candidates.ids.shape[1]
        totals = (going.totals[:, :, None] + candidates.ranks.reshape(count, beams, wide)).reshape(count, -1)
        each = np.arange(count)[:, None]
        order = (-totals).argsort(axis=1, kind="stable")[:, : self.width]  # fewer where there are no more
        totals, parents = totals[each, order], order // wide  # (sources, width)
        ids, scores = (numbers.reshape(count, -1)[each, order] for numbers in (candidates.ids, candidates.scores))

        ended = (ids[:, :, None] == self.ends).any(-1)
        last = max_new_tokens == written + 1
        closing = (ended | last[:, None])[:, :size] & (totals[:, :size] > -np.inf)
        for source, rank in zip(*(numbers.tolist() for numbers in np.nonzero(closing)), strict=True):
            new = (int(parents[source, rank]), int(ids[source, rank]), float(scores[source, rank]))
            self.finish(going, source, *new, float(totals[source, rank]), bool(ended[source, rank]))

        on = ended.argsort(axis=1, kind="stable")[:, :size]  # those that do not end, the best first
        totals = np.where(ended[each, on], -np.inf, totals[each, on])
        going_on = self.unfinished(going.sources, totals, written, last)
        each, on, totals = going_on[:, None], on[going_on], totals[going_on]
        parents, ids, scores = parents[each, on], ids[each, on], scores[each, on]
        rows = (each * beams + parents).ravel()
        column = ids.reshape(-1, 1)
        history = None if going.history is None else np.concatenate([going.history[rows], column], 1)
        following = UnfinishedBeams(
            going.sources[going_on],
            totals,
            np.concatenate([going.ids[rows], column], 1),
            np.concatenate([going.scores[rows], scores.reshape(-1, 1)], 1),
            history,
            self.add_to_trees(going, going_on, parents, ids, totals) if self.pools[0].tree is not None else parents,
        )
        return following, rows

    def finish(
        self, going: UnfinishedBeams, source: int, parent: int, token: int, score: float, total: float, ends: bool
    ) -> None:
        """One more finished text."""
        pool, row = self.pools[going.sources[source]], source * going.totals.shape[1] + parent
        ids, scores = np.append(going.ids[row], token), np.append(going.scores[row], np.float32(score))
        node = -1
        if pool.tree is not None:
            node = pool.tree.add(int(going.nodes[source, parent]), int(token), total)
        pool.texts.append(FinishedBeam(ids, scores, length_normalised(total, len(ids), self.penalty), ends, node))

    def unfinished(self, sources: np.ndarray, totals: np.ndarray, written: int, last: np.ndarray) -> np.ndarray:
        """Which of the sources go on."""
        best = totals.max(1)
        on = ~last & (best > -np.inf)
        for index in np.flatnonzero(on):
            pool = self.pools[sources[index]]
            if self.is_wanted is not None and not self.is_wanted(int(sources[index])):
                on[index] = False
            elif len(pool.texts) < self.num_hypotheses:
                continue
            elif self.beam.early_stop:
                on[index] = len(pool.texts) < self.beam.size
            else:
                length = int(self.max_new_tokens[sources[index]]) if self.penalty > 0 else written + 2
                on[index] = not pool.beats(
                    length_normalised(float(best[index]), length, self.penalty), self.num_hypotheses
                )
        return np.flatnonzero(on)

    def add_to_trees(
        self, going: UnfinishedBeams, going_on: np.ndarray, parents: np.ndarray, ids: Ids, totals: np.ndarray
    ) -> np.ndarray:
        """The trees with the texts that go on."""
        nodes = np.full(parents.shape, -1)
        for index, beam in zip(*np.nonzero(totals > -np.inf), strict=True):
            tree = self.pools[going.sources[going_on[index]]].tree
            assert tree is not None
            parent = int(going.nodes[going_on[index], parents[index, beam]])
            nodes[index, beam] = tree.add(parent, int(ids[index, beam]), float(totals[index, beam]))
        return nodes
