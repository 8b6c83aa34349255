"""Other programs that write with the same weights: transformers, and CTranslate2 with a converted copy.

All stop where ours does: once as many answers as there are beams have ended, and scores are divided by the length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from regard.checkpoints import CheckpointError
from regard.tasks.contest.marks import TokenSpec
from regard.tasks.contest.shapes import Workload

PAD = "<pad>"  # the name under which CTranslate2's converter knows the word that it leaves out


@dataclass(frozen=True)
class Peer:
    """What has to be installed, whether it takes a converted copy, and how it is entered: (folder, marks, threads)."""

    needs: tuple[str, ...]
    converts: bool
    enter: Callable[[Any, TokenSpec, int], Any]


def transformers(folder: Path, marks: TokenSpec, threads: int) -> Any:
    """generate() with its default cache."""
    import transformers as library

    _quiet(library)
    kind = library.AutoModelForSeq2SeqLM if marks.reads else library.AutoModelForCausalLM
    model: Any = kind.from_pretrained(folder, local_files_only=True).eval()
    model.generation_config = library.GenerationConfig()  # the folder's wishes are not what is measured

    def ready(case: Workload, texts: list[list[int]]) -> Any:
        tokens = torch.tensor(texts)
        told: dict[str, Any] = {
            "num_beams": case.beam, "min_new_tokens": case.required_new_tokens, "max_new_tokens": case.write, "do_sample": False,
            "use_cache": True, "pad_token_id": marks.ends[0] if marks.pad is None else marks.pad,
            "eos_token_id": list(marks.ends), "attention_mask": torch.ones_like(tokens),
        }  # fmt: skip
        told |= {"suppress_tokens": list(marks.banned)} if marks.banned else {}
        told |= {"length_penalty": 1.0, "early_stopping": True} if case.beam > 1 else {}
        told |= {"decoder_start_token_id": marks.start} if marks.reads else {}
        begin = 1 if marks.reads else case.read

        def action() -> list[tuple[int, ...]]:
            with torch.inference_mode():
                found = model.generate(tokens, **told)
            return [until(row[begin:], marks.ends) for row in found.tolist()]

        return action

    return ready


def ctranslate2(compute: str) -> Callable[[Path, TokenSpec, int], Any]:
    """CTranslate2 with weights of one precision."""

    def enter(folder: Path, marks: TokenSpec, threads: int) -> Any:
        import ctranslate2 as library

        kind = library.Translator if marks.reads else library.Generator
        program = kind(str(folder), device="cpu", compute_type=compute, inter_threads=1, intra_threads=threads)
        names = names_of(marks)
        numbers = {name: number for number, name in enumerate(names)}

        def ready(case: Workload, texts: list[list[int]]) -> Any:
            words = [[names[word] for word in text] for text in texts]
            told = {"beam_size": case.beam, "length_penalty": 1.0}
            if marks.reads:
                lengths = {"min_decoding_length": case.required_new_tokens, "max_decoding_length": case.write}
                write = lambda: [found.hypotheses[0] for found in program.translate_batch(words, **told, **lengths)]  # noqa: E731
            else:
                told |= {
                    "min_length": case.required_new_tokens,
                    "max_length": case.write,
                    "include_prompt_in_result": False,
                }
                write = lambda: [found.sequences[0] for found in program.generate_batch(words, **told)]  # noqa: E731
            return lambda: [until([numbers[word] for word in answer], marks.ends) for answer in write()]

        return ready

    return enter


PEERS = {
    "CTranslate2 float32": Peer(("ctranslate2", "transformers"), True, ctranslate2("float32")),
    "CTranslate2 int8": Peer(("ctranslate2", "transformers"), True, ctranslate2("int8")),
    "transformers": Peer(("transformers",), False, transformers),
}


def convert(folder: Path, converted: Path, marks: TokenSpec) -> Path:
    """A copy for CTranslate2. Words are called by their numbers: no tokeniser is needed."""
    import transformers as library
    from ctranslate2.converters import TransformersConverter

    _quiet(library)
    names = names_of(marks)

    class Numbers:
        bos_token = eos_token = unk_token = names[marks.ends[0]]

        def get_vocab(self) -> dict[str, int]:
            return {name: number for number, name in enumerate(names)}

        def convert_ids_to_tokens(self, number: int) -> str:
            return names[number]

    class Converter(TransformersConverter):
        def load_tokenizer(self, *given: Any, **told: Any) -> Any:
            return Numbers()

    if library.AutoConfig.from_pretrained(folder).model_type == "marian" and names[-1] != PAD:
        raise CheckpointError("the last word of a Marian has to be its padding")
    Converter(str(folder)).convert(str(converted))
    return converted


def names_of(marks: TokenSpec) -> list[str]:
    """A name for every word: its number."""
    return [PAD if number == marks.pad else str(number) for number in range(marks.vocabulary)]


def until(words: list[int], ends: tuple[int, ...]) -> tuple[int, ...]:
    """What stands before the first word that ends a text."""
    return tuple(words[: next((place for place, word in enumerate(words) if word in ends), len(words))])


def _quiet(library: Any) -> None:
    library.logging.set_verbosity_error()
    library.utils.logging.disable_progress_bar()
