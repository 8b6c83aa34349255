"""A memory network of a folder, answered by numpy: what models/memory.py computes, without torch.

Only the first copy of the net is asked, as everywhere.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from regard.config import MemoryNetworkConfig
from regard.config.tying import TYINGS, Tying
from regard.engine.folder_weights import FolderWeights
from regard.engine.parts import Unsupported


@dataclass(frozen=True, eq=False)
class FolderMemory:
    """The tables of a folder."""

    folder: Path
    entries: dict[str, object]
    config: MemoryNetworkConfig
    embedding: np.ndarray  # (vocabulary, tables, width)
    when: np.ndarray | None  # (memories, tables for stories, width)
    project: np.ndarray | None  # (width, width)
    tying: Tying

    @classmethod
    def open(cls, folder: Path) -> "FolderMemory":
        """Raises Unsupported where torch is needed, if only to say what is wrong."""
        weights = FolderWeights.open(folder)
        weights.check_files()
        config = weights.config
        if not isinstance(config, MemoryNetworkConfig):
            raise Unsupported("it is no memory network")
        if config.tying not in TYINGS:
            raise Unsupported(f"its tables are tied in a way that is not known, {config.tying!r}")
        tying = TYINGS[config.tying](config.hops)
        shapes: dict[str, tuple[int, ...]] = {"embedding": (config.vocabulary, tying.tables)}
        if config.memories:
            shapes["when"] = (config.memories, tying.remembering)
        if config.projects:
            shapes["project"] = (config.width,)
        if shapes.keys() != weights.tensors.keys():
            raise Unsupported(f"{', '.join(sorted(weights.tensors))}: {', '.join(sorted(shapes))} expected")
        arrays: dict[str, np.ndarray] = {}
        for name, shape in shapes.items():
            tensor, whole = weights.tensors[name], (*shape, config.copies, config.width)
            if tensor.shape != whole:
                raise Unsupported(f"{name} has the shape {tensor.shape}, {whole} expected")
            try:
                arrays[name] = np.ascontiguousarray(tensor.array()[..., 0, :])
            except ValueError as problem:
                raise Unsupported(f"{name}: {problem}") from None
        when, project = arrays.get("when"), arrays.get("project")
        return cls(folder, weights.entries, config, arrays["embedding"], when, project, tying)

    def answer(self, story: np.ndarray, question: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of stories, (batch, sentences, words), and questions, (batch, words): how likely every word is to answer,
        (batch, vocabulary), and how much each hop looks at each sentence, (batch, hops, sentences), and at nothing."""
        is_sentence = (story != self.config.pad).any(-1)
        memory, bias = self.memory_vectors(story, is_sentence), self.key_bias(is_sentence)
        state = self.sentence_vectors(question, self.embedding[:, self.tying.question])
        looks = []
        for key, value in zip(self.tying.keys, self.tying.values, strict=True):
            weights = softmax(np.einsum("bkw,bw->bk", memory[:, :, key], state) + bias)
            looks.append(weights)
            output = np.einsum("bk,bkw->bw", weights, memory[:, :, value])
            state = (state if self.project is None else state @ self.project) + output
        return softmax(state @ self.embedding[:, self.tying.answer].T), np.stack(looks, 1)

    def memory_vectors(self, story: np.ndarray, is_sentence: np.ndarray) -> np.ndarray:
        """Every sentence as each of the tables has it, (batch, sentences, tables, width); what is none, and the memory
        of nothing, is zeros."""
        batch, sentences = is_sentence.shape
        memory = np.zeros((batch, sentences + self.config.empty, self.tying.remembering, self.config.width), np.float32)
        vectors = self.sentence_vectors(story[is_sentence], self.embedding[:, : self.tying.remembering])
        if self.when is not None:
            ages = is_sentence[:, ::-1].cumsum(1)[:, ::-1] - 1
            vectors = vectors + self.when[ages[is_sentence].clip(0, len(self.when) - 1)]
        memory[:, :sentences][is_sentence] = vectors
        return memory

    def key_bias(self, is_sentence: np.ndarray) -> np.ndarray:
        """What is added to the scores of keys: nothing of padding counts; of a memory of nothing that fills the room as
        many as there is room for."""
        bias = np.where(is_sentence, np.float32(0), np.float32(-np.inf))
        if not self.config.empty:
            return bias
        room = np.maximum(self.config.memories - is_sentence.sum(1, keepdims=True), 0).astype(np.float32)
        with np.errstate(divide="ignore"):
            return np.concatenate([bias, np.log(room) if self.config.fills else np.zeros_like(room)], 1)

    def sentence_vectors(self, words: np.ndarray, table: np.ndarray) -> np.ndarray:
        """As layers/memory_hop.py has it: (sentences, words) and (vocabulary, …, width) give (sentences, …, width)."""
        is_word = (words != self.config.pad).astype(np.float32)
        vectors, width = table[words], table.shape[-1]
        total = np.einsum("sw,sw...->s...", is_word, vectors)
        if not self.config.max_words:
            return total
        late = is_word * middles(words.shape[1], self.config.max_words)
        return total + 4 * np.einsum("sw,sw...->s...", late, vectors) * middles(width, width)


def middles(count: int, size: int) -> np.ndarray:
    """How far each of `count` positions is along a line of `size` of them, from -1/2 to 1/2."""
    return (np.arange(count, dtype=np.float32) + np.float32(0.5)) / np.float32(size) - np.float32(0.5)


def softmax(scores: np.ndarray) -> np.ndarray:
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)
