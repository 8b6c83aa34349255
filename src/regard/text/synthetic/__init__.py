"""Tasks whose texts make themselves: one file each, and a line here."""

from regard.text.synthetic.addition import AdditionTask
from regard.text.synthetic.anomaly import AnomalyTask
from regard.text.synthetic.dialogue import DialogueTask
from regard.text.synthetic.labels import LabelTask
from regard.text.synthetic.pronouns import PronounTask
from regard.text.synthetic.sequences import CopyTask, ReverseTask, SortTask
from regard.text.synthetic.splits import SplitSizes, write_splits
from regard.text.synthetic.streams import BigramTask, RepeatTask, SkipTrigramTask
from regard.text.synthetic.task import SyntheticTask

SYNTHETIC_TASKS: dict[str, type[SyntheticTask]] = {
    "copy": CopyTask,
    "reverse": ReverseTask,
    "sort": SortTask,
    "anomaly": AnomalyTask,
    "bigrams": BigramTask,
    "skip-trigrams": SkipTrigramTask,
    "repeats": RepeatTask,
    "addition": AdditionTask,
    "pronouns": PronounTask,
    "label": LabelTask,
    "dialogue": DialogueTask,
}

__all__ = ["SYNTHETIC_TASKS", "SplitSizes", "SyntheticTask", "write_splits"]
