"""Whatever a recipe says, it is followed or refused in one line: nothing ends in a traceback."""

import random

import pytest
from training.recipe.mutations import spoiled_recipe
from training.tiny import write_pairs

from regard.errors import RegardError
from regard.training import estimate, read_recipe
from regard.training.model import size
from regard.training.recipe.reading import write_recipe
from regard.training.run import estimate as estimating

MEMORY = 64 << 20  # of a machine on which nothing that is drawn takes long


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data for every objective."""
    folder = tmp_path_factory.mktemp("data")
    write_pairs(folder, train=30)
    lines = [f"the cat sees {'the dog' if number % 2 else 'a bird'}" for number in range(30)]
    (folder / "text.txt").write_text("\n".join(lines) + "\n")
    (folder / "labels.tsv").write_text("".join(f"{line}\t{number % 2}\n" for number, line in enumerate(lines)))
    story = "1 John went home.\n2 Mary went out.\n3 Where is John?\thome\t1\n"
    (folder / "story.txt").write_text(story * 12)
    return folder


@pytest.fixture
def small_machine(monkeypatch):
    monkeypatch.setattr(size, "machine_memory", lambda: MEMORY)
    monkeypatch.setattr(estimating, "TRIAL_STEPS", 1)


def refusal(folder, seed):
    """Read a spoiled recipe and plan its run; the line that refused it, or ""."""
    text, changes = spoiled_recipe(seed)
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    try:
        recipe = read_recipe(path, changes)
        (folder / "again.toml").write_text(write_recipe(recipe), encoding="utf-8")
        assert read_recipe(folder / "again.toml") == recipe
        estimate(recipe)
    except RegardError as problem:
        line = str(problem)
        assert line, (seed, text)
        assert len(line.splitlines()) == 1, (seed, line)
        return line
    except BaseException as problem:
        problem.add_note(f"seed {seed}, --set {changes}:\n{text[:3000]}")
        raise
    return ""


@pytest.mark.usefixtures("small_machine")
def test_spoiled_recipes_are_followed_or_refused_in_one_line(folder):
    lines = [refusal(folder, seed) for seed in range(80)]
    assert 20 < sum(map(bool, lines)) < 80  # both happen


@pytest.mark.proof
@pytest.mark.usefixtures("small_machine")
def test_five_thousand_spoiled_recipes_are_followed_or_refused_in_one_line(folder):
    lines = [refusal(folder, seed) for seed in range(1000, 6000)]
    refused = [line for line in lines if line]
    print(f"{len(lines) - len(refused)} followed, {len(refused)} refused in {len(set(refused))} different lines")
    print("\n".join(random.Random(1).sample(refused, 20)))
