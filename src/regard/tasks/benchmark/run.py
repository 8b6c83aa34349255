"""One case: every entrant writes the same, once for the answers and then against the clock."""

import time
from dataclasses import asdict, dataclass, field

from regard.errors import RegardError
from regard.tasks.benchmark.clock import Spread, time_interleaved
from regard.tasks.benchmark.contenders import Action, Contenders
from regard.tasks.benchmark.peers import PEERS
from regard.tasks.benchmark.shapes import Workload, texts

Answers = list[tuple[int, ...]]


@dataclass(frozen=True)
class BenchmarkResult:
    """What every entrant wrote, and the seconds of every round; `tokens` are those of one round."""

    workload: Workload
    answers: dict[str, Answers]
    seconds: dict[str, list[float]]
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return self.workload.batch * self.workload.write

    def rate(self, name: str) -> Spread:
        """Tokens a second."""
        return Spread.of([self.tokens / second for second in self.seconds[name]])

    def ratio(self, name: str, peer: str) -> Spread:
        """How many times as fast as a peer, round by round."""
        return Spread.of(
            [peer_speed / speed for speed, peer_speed in zip(self.seconds[name], self.seconds[peer], strict=True)]
        )

    @property
    def peer(self) -> str:
        """Whom the others are compared with: the first peer that took part, or the first of all."""
        return next((name for name in (*PEERS, *self.seconds) if name in self.seconds), "")

    def plain(self) -> dict[str, object]:
        """The same as plain data."""
        rows = {
            name: {
                "tokens_per_second": self.rate(name)._asdict(),
                "ratio": self.ratio(name, self.peer)._asdict(),
                "equal": self.agreement(name, self.peer),
                "seconds": self.seconds[name],
            }
            for name in self.seconds
        }
        return {"case": asdict(self.workload), "peer": self.peer, "rows": rows, "failed": self.failed}

    def agreement(self, name: str, peer: str) -> float:
        """The share of texts for which two wrote the same."""
        return agreement(self.answers[name], self.answers[peer])


def agreement(first: Answers, second: Answers) -> float:
    """The share of equal answers."""
    return sum(first_ids == second_ids for first_ids, second_ids in zip(first, second, strict=True)) / len(first)


def run_benchmark(
    contenders: Contenders,
    workload: Workload,
    *,
    rounds: int = 5,
    seconds: float = 60,
    only: tuple[str, ...] | None = None,
) -> BenchmarkResult:
    """Let the entrants take turns; who cannot write is left out, with the reason."""
    token_ids = texts(workload, contenders.token_spec.vocabulary, contenders.token_spec.specials)
    actions: dict[str, Action] = {}
    answers: dict[str, Answers] = {}
    first: dict[str, float] = {}
    failed: dict[str, str] = {}
    for name, entrant in contenders.entrants.items():
        if only is not None and name not in only:
            continue
        try:
            action = entrant(workload, token_ids)
            start = time.perf_counter()
            answers[name], actions[name] = action(), action
            first[name] = time.perf_counter() - start
        except RegardError as problem:
            failed[name] = str(problem)
    return BenchmarkResult(workload, answers, time_interleaved(actions, rounds, seconds, first), failed)
