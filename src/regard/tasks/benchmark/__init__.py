"""The same model written with by several programs: who is faster, and do they write the same?"""

from regard.tasks.benchmark.clock import Spread, time_interleaved
from regard.tasks.benchmark.contenders import Contenders, find_contenders
from regard.tasks.benchmark.run import BenchmarkResult, agreement, run_benchmark
from regard.tasks.benchmark.shapes import SHAPES, ModelShape, Workload, random_folder, texts
from regard.tasks.benchmark.token_spec import TokenSpec

__all__ = [
    "SHAPES",
    "BenchmarkResult",
    "Contenders",
    "ModelShape",
    "Spread",
    "TokenSpec",
    "Workload",
    "agreement",
    "find_contenders",
    "random_folder",
    "run_benchmark",
    "texts",
    "time_interleaved",
]  # fmt: skip
