"""The same model written with by several programs: who is faster, and do they write the same?"""

from regard.tasks.contest.clock import Spread, interleaved
from regard.tasks.contest.entrants import Field, entered
from regard.tasks.contest.marks import Marks
from regard.tasks.contest.race import Race, agreement, race
from regard.tasks.contest.shapes import SHAPES, Case, Shape, random_folder, texts

__all__ = [
    "SHAPES", "Case", "Field", "Marks", "Race", "Shape", "Spread", "agreement", "entered", "interleaved", "race",
    "random_folder", "texts",
]  # fmt: skip
