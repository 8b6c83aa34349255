"""The same model written with by several programs: who is faster, and do they write the same?"""

from regard.tasks.contest.clock import Spread, time_interleaved
from regard.tasks.contest.entrants import Contenders, contenders
from regard.tasks.contest.marks import TokenSpec
from regard.tasks.contest.race import BenchmarkResult, agreement, run_benchmark
from regard.tasks.contest.shapes import SHAPES, ModelShape, Workload, random_folder, texts

__all__ = [
    "SHAPES",
    "BenchmarkResult",
    "Contenders",
    "ModelShape",
    "Spread",
    "TokenSpec",
    "Workload",
    "agreement",
    "contenders",
    "random_folder",
    "run_benchmark",
    "texts",
    "time_interleaved",
]  # fmt: skip
