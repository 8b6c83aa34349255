"""Small sentencepiece models, trained on a few sentences."""

import io
import json
from pathlib import Path

import pytest

sentencepiece = pytest.importorskip("sentencepiece")

GERMAN = [
    "Wo ist der Bahnhof?",
    "Der Hund schläft unter dem Tisch.",
    "Ich weiß nicht, wo er wohnt.",
    "Es regnet heute.",
]
ENGLISH = [
    "Where is the station?",
    "The dog sleeps under the table.",
    "I don't know where he lives.",
    "It rains today.",
]


def trained(lines, **settings):
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 8), model_writer=made, minloglevel=2, hard_vocab_limit=False, **settings
    )
    return made.getvalue()


def t5_files(folder: Path) -> int:
    """A tokeniser as T5 has it; gives how many tokens there are."""
    numbers = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    (folder / "spiece.model").write_bytes(trained(ENGLISH + GERMAN, vocab_size=90, **numbers))
    return 100 + sentencepiece.SentencePieceProcessor(model_file=str(folder / "spiece.model")).get_piece_size()


def marian_files(folder: Path) -> dict[str, int]:
    """A pair of tokenisers as Marian has them; gives their tokens, the last of which is padding."""
    pieces = ["</s>", "<unk>", ">>deu<<"]
    for file, lines in (("source.spm", ENGLISH), ("target.spm", GERMAN)):
        (folder / file).write_bytes(trained(lines, vocab_size=60))
        model = sentencepiece.SentencePieceProcessor(model_file=str(folder / file))
        pieces += [model.id_to_piece(number) for number in range(3, model.get_piece_size())]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys([*pieces, "<pad>"]))}
    (folder / "vocab.json").write_text(json.dumps(numbers))
    return numbers
