"""What a model wants around a text, and the special tokens that it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokenizers import processors

from regard.errors import lookup


@dataclass(frozen=True)
class Frame:
    """Special tokens in the order of their numbers, what goes before and after a text, how an unknown one is spelled.

    `unk` is added where a kind of tokeniser needs it. With `prefix` the first word of a text is spelled as it would be
    after a space; without, a text begins where another ended.
    """

    names: Mapping[str, str]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    unknown: str = "<unk>"
    prefix: bool = True

    def spell(self, *, unknown: bool) -> dict[str, str]:
        """The special tokens by kind, with or without one for the unknown."""
        return {**self.names, "unk": self.unknown} if unknown else dict(self.names)

    def template(self, numbers: Mapping[str, int]) -> processors.TemplateProcessing | None:
        """What puts the tokens around one text or two; None where there are none."""
        if not self.before and not self.after:
            return None
        leading = [f"{self.names[kind]}:0" for kind in self.before]
        trailing = [self.names[kind] for kind in self.after]
        single = [*leading, "$A:0", *(f"{name}:0" for name in trailing)]
        pair = [*single, "$B:1", *(f"{name}:1" for name in trailing)]
        used = [(self.names[kind], numbers[self.names[kind]]) for kind in dict.fromkeys([*self.before, *self.after])]
        return processors.TemplateProcessing(single=single, pair=pair, special_tokens=used)


def frame_of(frame: "str | Frame") -> Frame:
    """A frame, or the one of this name."""
    return lookup(FRAMES, frame, "frame") if isinstance(frame, str) else frame


def bert_names(kinds: Sequence[str]) -> dict[str, str]:
    """Special tokens as BERT calls them."""
    return {kind: f"[{kind.upper()}]" for kind in kinds}


FRAMES: dict[str, Frame] = {
    "translation": Frame({"pad": "<pad>", "eos": "</s>"}, after=("eos",)),
    "sentence": Frame(bert_names(["pad", "cls", "sep", "mask"]), before=("cls",), after=("sep",), unknown="[UNK]"),
    "stream": Frame({"eos": "<|endoftext|>"}, prefix=False),
    "story": Frame({"pad": "<pad>"}),
}
"""For models that translate, that read whole texts (BERT), that go on writing (GPT), that remember sentences."""
