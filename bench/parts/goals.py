"""What decoding was hoped to reach, beside which peer."""

from dataclasses import dataclass

from regard.tasks.benchmark import BenchmarkResult, Spread, Workload

FLOAT32, FLOAT16, INT8 = (f"regard {precision}" for precision in ("float32", "float16", "int8"))
PEER, PEER_INT8, GENERATE = "CTranslate2 float32", "CTranslate2 int8", "transformers"
SHARE = 0.9  # of the memory's bandwidth: nobody can be much faster than that


@dataclass(frozen=True)
class Goal:
    """At least so many times as fast as a peer, or as the fastest of several."""

    name: str
    peers: tuple[str, ...]
    least: float

    def speed(self, race: BenchmarkResult) -> Spread | None:
        """How many times as fast it was; None if somebody was missing."""
        if any(name not in race.seconds for name in (self.name, *self.peers)):
            return None
        return min((race.ratio(self.name, peer) for peer in self.peers), key=lambda ratio: ratio.median)


def goals(shape: str, case: Workload) -> list[Goal]:
    """What was hoped for in one case."""
    alone, is_greedy = case.batch == 1, case.beam == 1
    if shape == "gpt2":
        return [Goal(FLOAT32, (GENERATE,), 1.5)] if alone and is_greedy else []
    if shape not in ("S", "B"):
        return []
    wanted = [Goal(FLOAT32, (PEER,), 1.0 if alone and is_greedy else 1.15)]
    if alone:
        wanted.append(Goal(FLOAT32, (GENERATE,), 2.5))
        wanted.append(Goal(FLOAT16, (PEER,), 2.3 if shape == "S" else 1.8))
        wanted.append(Goal(INT8, (PEER,), 3.0))
    else:
        crowded = 1.1 if shape == "S" else 1.5
        wanted.append(Goal(INT8, (PEER, PEER_INT8), 1.4 if is_greedy else crowded))
    return wanted
