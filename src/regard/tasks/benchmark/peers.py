"""Other programs that write with the same weights: transformers, and CTranslate2 with a converted copy.

All stop where ours does: once as many answers as there are beams have ended, and scores are divided by the length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from regard.checkpoints import CheckpointError
from regard.tasks.benchmark.shapes import Action, Entrant, Texts, Workload
from regard.tasks.benchmark.token_spec import TokenSpec

PAD = "<pad>"  # the name under which CTranslate2's converter knows the word that it leaves out
Enter = Callable[[Path, TokenSpec, int], Entrant]


@dataclass(frozen=True)
class Peer:
    """What has to be installed, whether it takes a converted copy, and how it is entered: (folder, marks, threads)."""

    needs: tuple[str, ...]
    converts: bool
    enter: Enter


def transformers(folder: Path, token_spec: TokenSpec, threads: int) -> Entrant:
    """generate() with its default cache."""
    import transformers as library

    _quiet(library)
    kind = library.AutoModelForSeq2SeqLM if token_spec.reads else library.AutoModelForCausalLM
    model: Any = kind.from_pretrained(folder, local_files_only=True).eval()
    model.generation_config = library.GenerationConfig()  # the folder's wishes are not what is measured

    def ready(workload: Workload, texts: Texts) -> Action:
        tokens = torch.tensor(texts)
        options: dict[str, Any] = {
            "num_beams": workload.beam, "min_new_tokens": workload.required_new_tokens,
            "max_new_tokens": workload.write, "do_sample": False, "use_cache": True,
            "pad_token_id": token_spec.ends[0] if token_spec.pad is None else token_spec.pad,
            "eos_token_id": list(token_spec.ends), "attention_mask": torch.ones_like(tokens),
        }  # fmt: skip
        options |= {"suppress_tokens": list(token_spec.banned)} if token_spec.banned else {}
        options |= {"length_penalty": 1.0, "early_stopping": True} if workload.beam > 1 else {}
        options |= {"decoder_start_token_id": token_spec.start} if token_spec.reads else {}
        begin = 1 if token_spec.reads else workload.read

        def action() -> list[tuple[int, ...]]:
            with torch.inference_mode():
                written = model.generate(tokens, **options)
            return [until(row[begin:], token_spec.ends) for row in written.tolist()]

        return action

    return ready


def ctranslate2(compute: str) -> Enter:
    """CTranslate2 with weights of one precision."""

    def enter(folder: Path, token_spec: TokenSpec, threads: int) -> Entrant:
        import ctranslate2 as library

        kind = library.Translator if token_spec.reads else library.Generator
        program = kind(str(folder), device="cpu", compute_type=compute, inter_threads=1, intra_threads=threads)
        names = names_of(token_spec)
        numbers = {name: number for number, name in enumerate(names)}

        def ready(workload: Workload, texts: Texts) -> Action:
            words = [[names[word] for word in text] for text in texts]
            options = {"beam_size": workload.beam, "length_penalty": 1.0}
            if token_spec.reads:
                lengths = {"min_decoding_length": workload.required_new_tokens, "max_decoding_length": workload.write}
                write = lambda: [one.hypotheses[0] for one in program.translate_batch(words, **options, **lengths)]  # noqa: E731
            else:
                options |= {
                    "min_length": workload.required_new_tokens,
                    "max_length": workload.write,
                    "include_prompt_in_result": False,
                }
                write = lambda: [result.sequences[0] for result in program.generate_batch(words, **options)]  # noqa: E731
            return lambda: [until([numbers[word] for word in answer], token_spec.ends) for answer in write()]

        return ready

    return enter


PEERS = {
    "CTranslate2 float32": Peer(("ctranslate2", "transformers"), True, ctranslate2("float32")),
    "CTranslate2 int8": Peer(("ctranslate2", "transformers"), True, ctranslate2("int8")),
    "transformers": Peer(("transformers",), False, transformers),
}


def convert(folder: Path, converted: Path, token_spec: TokenSpec) -> Path:
    """A copy for CTranslate2. Words are called by their numbers: no tokeniser is needed."""
    import transformers as library
    from ctranslate2.converters import TransformersConverter

    _quiet(library)
    names = names_of(token_spec)

    class Numbers:
        bos_token = eos_token = unk_token = names[token_spec.ends[0]]

        def get_vocab(self) -> dict[str, int]:
            return {name: number for number, name in enumerate(names)}

        def convert_ids_to_tokens(self, number: int) -> str:
            return names[number]

    class Converter(TransformersConverter):
        def load_tokenizer(self, *arguments: object, **options: object) -> Numbers:
            return Numbers()

    if library.AutoConfig.from_pretrained(folder).model_type == "marian" and names[-1] != PAD:
        raise CheckpointError("the last word of a Marian has to be its padding")
    Converter(str(folder)).convert(str(converted))
    return converted


def names_of(token_spec: TokenSpec) -> list[str]:
    """A name for every word: its number."""
    return [PAD if number == token_spec.pad else str(number) for number in range(token_spec.vocabulary)]


def until(words: list[int], ends: tuple[int, ...]) -> tuple[int, ...]:
    """What stands before the first word that ends a text."""
    return tuple(words[: next((number for number, word in enumerate(words) if word in ends), len(words))])


def _quiet(library: ModuleType) -> None:
    library.logging.set_verbosity_error()
    library.utils.logging.disable_progress_bar()
