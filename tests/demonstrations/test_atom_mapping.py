"""examples/atom_mapping.py: the published head is found, and looks as the reference does."""

import importlib.util
from pathlib import Path

import pytest
import torch
from checkpoints.test_real import installed as installed  # a fixture
from checkpoints.test_real import transformers

from regard.checkpoints import convert, load_model
from regard.looking.align import by_gold, choose

_spec = importlib.util.spec_from_file_location("atoms", Path(__file__).parents[2] / "examples" / "atom_mapping.py")
atoms = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(atoms)

REACTIONS = [atoms.Reaction(text) for text in atoms.REACTIONS.values()]


@pytest.fixture(scope="module")
def folder(installed):
    return installed("rxnmapper", atoms.MODEL)


@pytest.fixture(scope="module")
def model(folder, tmp_path_factory):
    return load_model(convert(folder, tmp_path_factory.mktemp("albert") / "albert", allow_pickle=True)).model


@pytest.fixture(scope="module")
def words(folder):
    return (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")


def test_no_head_maps_atoms_better_than_the_published_one(model, words):
    looks = atoms.looks(model, words, REACTIONS)
    errors = dict(choose(looks, by_gold([one.gold for one in REACTIONS]), mix=False).ranking)
    assert len(errors) == 12 * 8
    assert errors[atoms.PUBLISHED] == min(errors.values()) < 0.05
    assert all(error > 0.2 for part, error in errors.items() if part.head != atoms.PUBLISHED.head)


@torch.no_grad()
def test_its_pattern_equals_the_reference(model, words, folder):
    import regard

    reference = transformers.AlbertModel.from_pretrained(folder, attn_implementation="eager").eval()
    for one in REACTIONS:
        tokens = torch.tensor([[words.index(token) for token in one.tokens]])
        with regard.watch(model, atoms.PUBLISHED.layer) as seen:
            model(tokens)
        expected = reference(tokens, output_attentions=True).attentions[10][:, 5]
        torch.testing.assert_close(seen[atoms.PUBLISHED.layer][:, 5], expected, rtol=0, atol=1e-5)


def test_atoms_that_cannot_be_told_apart_are_possible_partners_of_each_other():
    one = atoms.Reaction("C:1 C:2 ( C:1 ) Br . [Na+] >> C:1 C:2 ( C:1 ) O")
    assert one.gold.sure == {(1, 1)}
    assert one.gold.possible == {(1, 1), (0, 0), (0, 2), (2, 0), (2, 2)}
    assert [one.tokens[position] for position in one.before] == ["C", "C", "C", "Br", "[Na+]"]
    assert [one.tokens[position] for position in one.after] == ["C", "C", "C", "O"]


def test_it_tells(folder, capsys):
    atoms.main(folder.parents[3])
    told = capsys.readouterr().out
    assert "96 heads" in told
    (line,) = (line for line in told.split("\n") if "the published one" in line)
    assert line.split()[:2] == ["1", "encoder.10.self:5"]
