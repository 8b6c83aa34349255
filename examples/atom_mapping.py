"""Which atom of a product was which atom before: `python examples/atom_mapping.py`.

rxnmapper's ALBERT learned to fill in atoms that were left out of reactions; nobody told it where atoms come from. Yet
one of its heads looks from each atom of a product to the same atom among the reactants (Schwaller et al. 2021,
"Extraction of organic chemistry grammar from unsupervised learning of chemical reactions"): layer 10, head 5, counted
from 0. Here all 96 heads are measured by a few textbook reactions, as the heads of a translator are by aligned lines.
Looks from the product and looks at it are added, as the package does. The layers of an ALBERT share their weights, so
the published head is one of several readings of the same head 5, and shares its rank with some of them.

The weights are those of the package `rxnmapper` on PyPI; its files are fetched and read, its code is never run.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

import regard
from regard.checkpoints import convert, load_model
from regard.errors import RegardError
from regard.looking.align import AlignmentHead, Gold, by_gold, choose
from regard.models import Model
from regard.pictures.terminal import heat

MODEL = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k"
PUBLISHED = AlignmentHead("encoder.10.self", 5)
REACTIONS = {
    "an ester from an acid and an alcohol": (
        "C:1 C:2 ( = O:3 ) O . C:4 C:5 O:6 . O = S ( = O ) ( O ) O >> C:4 C:5 O:6 C:2 ( C:1 ) = O:3"
    ),
    "an ether from a phenol": (
        "C:1 I . C N ( C ) C = O . O = C ( [O-] ) [O-] . O:2 c:3 1 c:4 c:5 c:6 c:5 c:4 1 . [K+] . [K+] >> "
        "C:1 O:2 c:3 1 c:4 c:5 c:6 c:5 c:4 1"
    ),
    "an amide from an acid chloride": (
        "C:1 C:2 ( = O:3 ) Cl . C C N ( C C ) C C . Cl C Cl . N:4 c:5 1 c:6 c:7 c:8 c:7 c:6 1 >> "
        "C:1 C:2 ( = O:3 ) N:4 c:5 1 c:6 c:7 c:8 c:7 c:6 1"
    ),
    "a thiol takes the place of fluorine": (
        "C:1 C:2 ( C:1 ) S:3 . C N ( C ) C = O . F:10 c:9 1 c:8 c:7 c:6 n:5 c:4 1 F . O = C ( [O-] ) [O-] . [K+] . "
        "[K+] >> C:1 C:2 ( C:1 ) S:3 c:4 1 n:5 c:6 c:7 c:8 c:9 1 F:10"
    ),
    "a ketone is reduced": (
        "C:1 C:2 ( = O:3 ) c:4 1 c:5 c:6 c:7 c:6 c:5 1 . C O . [BH4-] . [Na+] >> "
        "C:1 C:2 ( O:3 ) c:4 1 c:5 c:6 c:7 c:6 c:5 1"
    ),
    "two rings are coupled": (
        "Br c:1 1 c:2 c:3 c:4 c:5 n:6 1 . C 1 C O C C O 1 . O = C ( [O-] ) [O-] . O B ( O ) c:7 1 c:8 c:9 c:10 "
        "c:9 c:8 1 . [Na+] . [Na+] >> c:10 1 c:9 c:8 c:7 ( - c:1 2 c:2 c:3 c:4 c:5 n:6 2 ) c:8 c:9 1"
    ),
    "a protecting group is taken off": (
        "C C ( C ) ( C ) O C ( = O ) N:1 C:2 c:3 1 c:4 c:5 c:6 c:5 c:4 1 . Cl C Cl . O = C ( O ) C ( F ) ( F ) F >> "
        "N:1 C:2 c:3 1 c:4 c:5 c:6 c:5 c:4 1"
    ),
}
"""Reactions as their tokens, with what they were made in, as in the patents that the model learned from. Atoms that are
kept have numbers; atoms that cannot be told apart have the same one."""


class Reaction:
    """Its tokens as the model reads them, the positions of its atoms before and after, and which of them are one."""

    def __init__(self, text: str) -> None:
        parts = [token.partition(":") for token in text.split()]
        self.tokens = ["[CLS]", *(token for token, _, _ in parts), "[SEP]"]
        numbers = ["", *(number for _, _, number in parts), ""]
        arrow = self.tokens.index(">>")
        atoms = [position for position, token in enumerate(self.tokens) if is_atom(token)]
        self.before = [position for position in atoms if position < arrow]
        self.after = [position for position in atoms if position > arrow]
        same = [
            (source, target, numbers[old])
            for source, old in enumerate(self.before)
            for target, new in enumerate(self.after)
            if numbers[old] and numbers[old] == numbers[new]
        ]
        alone = {number for number in numbers if numbers.count(number) == 2}
        self.gold = Gold(
            frozenset((source, target) for source, target, number in same if number in alone),
            frozenset((source, target) for source, target, _ in same),
        )


def is_atom(token: str) -> bool:
    return token not in ("[CLS]", "[SEP]") and (token.isalpha() or token.startswith("["))


def fetched(folder: Path) -> Path:
    """The files of the package, without what it depends on."""
    if not (folder / MODEL).is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", str(folder)]
        if subprocess.run([*pip, "rxnmapper"]).returncode:
            raise RegardError("the package rxnmapper cannot be fetched; give a folder into which it was installed")
    return folder / MODEL


@torch.no_grad()
def looks(model: Model, words: Sequence[str], reactions: Sequence[Reaction]) -> dict[AlignmentHead, list[np.ndarray]]:
    """How much each atom of a product and each atom of the reactants looked at each other, for every head."""
    atom_weights: dict[AlignmentHead, list[np.ndarray]] = {}
    for reaction in reactions:
        with regard.watch(model, "encoder.*.self") as seen:
            model(torch.tensor([[words.index(token) for token in reaction.tokens]]))
        for layer, pattern in seen.items():
            back = pattern[0, :, reaction.after, reaction.before]
            forth = pattern[0, :, reaction.before, reaction.after]
            for head, weights in enumerate(back + forth.mT):
                atom_weights.setdefault(AlignmentHead(layer, head), []).append((weights / 2).numpy())
    return atom_weights


def main(folder: Path) -> None:
    reactions = [Reaction(text) for text in REACTIONS.values()]
    source = fetched(folder)
    words = (source / "vocab.txt").read_text(encoding="utf-8").split("\n")
    with tempfile.TemporaryDirectory() as beside:
        model = load_model(convert(source, Path(beside) / "albert", allow_pickle=True)).model
    weights = looks(model, words, reactions)
    choice = choose(weights, by_gold([one.gold for one in reactions]), mix=False)
    print(f"{len(choice.ranking)} heads, by their errors in {len(reactions)} reactions; equals share a rank:\n")
    for part, error in choice.ranking[:10]:
        rank = 1 + sum(other < error for _, other in choice.ranking)
        print(f"{rank:3}  {part!s:<20} AER {100 * error:5.1f}{'   the published one' if part == PUBLISHED else ''}")
    name, shown = next(iter(REACTIONS)), reactions[0]
    print(f"\n{name}: what the atoms of the product (rows) have to do with, in {PUBLISHED}\n")
    labels = [[f"{shown.tokens[atom]}{atom}" for atom in atoms] for atoms in (shown.after, shown.before)]
    print(heat(weights[PUBLISHED][0], *labels))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("build/rxnmapper"))
    except RegardError as problem:
        sys.exit(f"regard: {problem}")
