"""Text becomes tokens, and tokens become text.

The names are loaded when first used: to read and check files takes no torch. No module is called as a name in it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.text.cache import TokenTable, token_tables
    from regard.text.check import DataReport, Finding, check_files
    from regard.text.corpora import ColumnTexts, Corpus, ParallelCorpus, PlainCorpus, SwappedCorpus, TabbedCorpus, pairs
    from regard.text.encoded import Encoded
    from regard.text.files import TokenizerError
    from regard.text.folder import load_tokenizer
    from regard.text.frames import FRAMES, Frame
    from regard.text.labelled import LabelledCorpus
    from regard.text.learning import KINDS
    from regard.text.lines import DataError, read_lines
    from regard.text.padding import Batch, batches
    from regard.text.specials import Specials
    from regard.text.stories import Question, Stories
    from regard.text.streaming import DetokenizingStream
    from regard.text.tokenizer import Tokenizer
    from regard.text.train import save_tokenizer, train_tokenizer
    from regard.text.training import TrainingBatch, TrainingBatches
    from regard.text.windows import Windows

__all__ = [
    "FRAMES",
    "KINDS",
    "Batch",
    "ColumnTexts",
    "Corpus",
    "DataError",
    "DataReport",
    "DetokenizingStream",
    "Encoded",
    "Finding",
    "Frame",
    "LabelledCorpus",
    "ParallelCorpus",
    "PlainCorpus",
    "Question",
    "Specials",
    "Stories",
    "SwappedCorpus",
    "TabbedCorpus",
    "TokenTable",
    "Tokenizer",
    "TokenizerError",
    "TrainingBatch",
    "TrainingBatches",
    "Windows",
    "batches",
    "check_files",
    "load_tokenizer",
    "pairs",
    "read_lines",
    "save_tokenizer",
    "token_tables",
    "train_tokenizer",
]

_PUBLIC = {
    "Batch": ".padding",
    "ColumnTexts": ".corpora",
    "Corpus": ".corpora",
    "DataError": ".lines",
    "DataReport": ".check",
    "DetokenizingStream": ".streaming",
    "Encoded": ".encoded",
    "FRAMES": ".frames",
    "Finding": ".check",
    "Frame": ".frames",
    "KINDS": ".learning",
    "LabelledCorpus": ".labelled",
    "ParallelCorpus": ".corpora",
    "PlainCorpus": ".corpora",
    "Question": ".stories",
    "Specials": ".specials",
    "Stories": ".stories",
    "SwappedCorpus": ".corpora",
    "TabbedCorpus": ".corpora",
    "TokenTable": ".cache",
    "Tokenizer": ".tokenizer",
    "TokenizerError": ".files",
    "TrainingBatch": ".training",
    "TrainingBatches": ".training",
    "Windows": ".windows",
    "batches": ".padding",
    "check_files": ".check",
    "load_tokenizer": ".folder",
    "pairs": ".corpora",
    "read_lines": ".lines",
    "save_tokenizer": ".train",
    "token_tables": ".cache",
    "train_tokenizer": ".train",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
