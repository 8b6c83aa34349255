"""Run by itself: torch cannot be imported, and every task reads a text and answers from numbers made up.

Prints the answers as a pickle: {task: (what was read, the answer)}.
"""

import pickle
import sys
from importlib import import_module
from pathlib import Path

import numpy as np


class NoTorch:
    """Refuses torch, and whatever is in it."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ImportError(f"{name} is refused")


sys.meta_path.insert(0, NoTorch())

import regard  # noqa: E402
from regard.config import (  # noqa: E402  # noqa: E402
    AttentionConfig,
    ClassificationHeadConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    PositionConfig,
    StackConfig,
)
from regard.decoding import DecodeResult, Hypothesis  # noqa: E402
from regard.families import architecture_of, family_of  # noqa: E402
from regard.families.old_names import current_config  # noqa: E402
from regard.families.options import Options  # noqa: E402
from regard.families.read_config import read_model_config  # noqa: E402
from regard.tasks.alignment import Alignment  # noqa: E402
from regard.tasks.processors.answer import AnswerProbabilities, AnswerProcessor  # noqa: E402
from regard.tasks.processors.classify import ClassifyProcessor  # noqa: E402
from regard.tasks.processors.embed import EmbedProcessor  # noqa: E402
from regard.tasks.processors.fill import FillProcessor, GapProbabilities  # noqa: E402
from regard.tasks.processors.generate import GenerateProcessor  # noqa: E402
from regard.tasks.processors.processor import ModelDescription  # noqa: E402
from regard.tasks.processors.translate import TranslateProcessor  # noqa: E402
from regard.tasks.translation import KnownAlignment, WrittenTranslation  # noqa: E402
from regard.text import load_tokenizer, train_tokenizer  # noqa: E402
from regard.untrusted import read_json  # noqa: E402

BUILTIN = Path(regard.__file__).parent / "builtin"
STACK = StackConfig(1, 8, AttentionConfig(heads=2), FeedForwardConfig(8))


def builtin(name):
    """A built-in folder, described, and its tokeniser."""
    entries = current_config(read_json(BUILTIN / name / "config.json"))
    family = family_of(entries, name)
    config = read_model_config(family, Options(entries, name), architecture_of(entries, family, name))
    return ModelDescription(BUILTIN / name, entries, config), load_tokenizer(BUILTIN / name)


def encoder(**entries):
    """A model that reads both ways, and a tokeniser that knows a few words and a mask."""
    side = EmbeddedStackConfig(EmbeddingConfig(20), STACK, PositionConfig("learned", {"length": 9}))
    config = EncoderConfig(side, classify=ClassificationHeadConfig(2))
    tokenizer = train_tokenizer("words", 0, ["the dog sleeps", "the cat sees"], frame="sentence")
    return ModelDescription(Path("nowhere"), entries, config), tokenizer


def hypothesis(ids):
    return DecodeResult((Hypothesis(tuple(ids), (-0.5,) * len(ids), True, -0.5),))


def translate():
    processor = TranslateProcessor(*builtin("en-de"))
    source = processor.read("The dog sleeps. WHERE IS THE CAT?")
    texts = ["Der Hund schläft.", "Wo ist die Katze?"]
    written = WrittenTranslation(
        tuple(hypothesis(processor.tokenizer.target.encode(text, bare=True).ids) for text in texts)
    )
    (draft,) = processor.drafts(source, written)
    weights = [np.eye(len(found.ids), len(sentence.tokens), dtype=np.float32) for sentence, found in draft.hypotheses]
    return source, processor.answer(source, written, [KnownAlignment(draft.alignment(weights))])


def generate():
    processor = GenerateProcessor(*builtin("shakespeare"))
    prompt = processor.read("ROMEO:")
    return prompt, processor.answer(prompt, hypothesis(processor.tokenizer.encode("\nO, speak", bare=True).ids))


def answer():
    processor = AnswerProcessor(*builtin("babi"))
    question = processor.read("Brian is a frog. Lily is gray.", "What color is Lily?")
    probabilities = np.zeros(len(processor.tokenizer), dtype=np.float32)
    probabilities[processor.tokenizer.encode("gray", bare=True).ids[0]] = 1
    hops = np.eye(3, 2 + processor.config.empty, 1, dtype=np.float32)
    return question, processor.answer(question, AnswerProbabilities(probabilities, hops))


def fill():
    processor = FillProcessor(*encoder())
    text = processor.read("the [MASK] sleeps")
    ids = [[processor.tokenizer.number("cat"), processor.tokenizer.number("dog")]]
    return text, processor.answer(text, GapProbabilities(np.array(ids), np.array([[0.75, 0.25]])))


def classify():
    processor = ClassifyProcessor(*encoder(id2label={"0": "bad", "1": "good"}))
    text = processor.read("the dog sleeps")
    return text, processor.answer(text, np.array([0.25, 0.75]))


def embed():
    processor = EmbedProcessor(*encoder())
    text = processor.read(("the dog", "the cat"))
    return text, processor.answer(text, np.arange(4.0))


for module in ("regard.tasks.markup", "regard.tasks.spelling", "regard.text.capitals", "regard.text.markup"):
    import_module(module)
answers = {task.__name__: task() for task in (translate, generate, answer, fill, classify, embed)}
assert isinstance(answers["translate"][1].alignment, Alignment)
assert "torch" not in sys.modules
sys.stdout.buffer.write(pickle.dumps(answers))
