"""Two models, two texts, two steps: what is compared is what each of them saw."""

import pytest
import torch
from tasks.tiny import bart, bert, gpt2
from torch.testing import assert_close

import regard
from regard.checkpoints import save_model
from regard.errors import RegardError
from regard.looking import PatternDifference
from regard.tasks import reading_difference


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("changes")
    bart(folder / "translate")
    gpt2(folder / "generate")
    bert("ForMaskedLM", folder / "fill")
    for number in range(3):
        task = regard.load(folder / "translate")
        with torch.no_grad():
            for weight in task.model.parameters():
                weight.mul_(1 + 0.1 * number)
        files = [
            file for file in (folder / "translate").iterdir() if "json" in file.suffix and file.name != "config.json"
        ]
        files += [file for file in (folder / "translate").iterdir() if file.suffix == ".txt"]
        step = folder / f"run/checkpoints/step-{number + 1:08d}"
        save_model(task.model, step, task.checkpoint.config, task.checkpoint.architecture, files=files)
    return folder


def test_a_model_does_not_differ_from_itself(home):
    one, other = (regard.load(home / "translate") for _ in range(2))
    found = reading_difference.of_models(one, other, "the dog sleeps", "a bird")
    assert max(max(row) for row in found.divergences().values()) < 1e-6


def test_a_pruned_model_is_compared_head_by_head_with_the_whole_one(home):
    whole, small = (regard.load(home / "generate") for _ in range(2))
    small.model = regard.prune(whole.model, {"decoder.0.self": [1], "decoder.1.self": [0, 2]})
    found = reading_difference.of_models(whole, small, "the dog").divergences()
    assert found["decoder.0.self"][1] is None
    assert max(found["decoder.0.self"][0], found["decoder.0.self"][2]) < 1e-6  # nothing is gone below the first layer
    assert found["decoder.1.self"][::2] == [None, None]
    assert found["decoder.1.self"][1] > 1e-6
    with pytest.raises(RegardError, match=r"decoder\.1\.self has no head 2 on both sides: 1"):
        reading_difference.of_models(whole, small, "the dog").tile("decoder.1.self", 2)


def test_texts_are_compared_layer_by_layer(home):
    task = regard.load(home / "generate")
    found = reading_difference.of_texts(task, "the dog", "the cat")
    seen = []
    for text in ("the dog", "the cat"):
        with torch.no_grad(), regard.watch(task.model) as one:
            task.model(torch.tensor([task.tokenizer.encode(text, bare=True).ids]))
        seen.append(one)
    for layer, row in found.divergences().items():
        difference = PatternDifference(seen[0][layer], seen[1][layer])
        assert_close(torch.tensor(row), difference.divergence()[0])
    tile = found.tile("decoder.1.self", 2)
    assert_close(torch.tensor(tile.table), difference[0, 2])
    assert "".join(tile.rows) == "the dog"
    assert found.picture().table == [*found.divergences().values()]


def test_both_translations_are_told_the_same_target(home):
    task = regard.load(home / "translate")
    found = reading_difference.of_texts(task, "the dog", "the cat", "a bird")
    assert found.first.tokens[1] == found.second.tokens[1]
    assert found.first.tokens[0] != found.second.tokens[0]
    rows, columns = found.first.labels("decoder.0.cross")
    assert (len(rows), len(columns)) == found.first.seen["decoder.0.cross"].shape[2:]


def test_tokens_are_told_as_text_and_not_as_the_bytes_of_a_vocabulary():
    task = regard.load("en-de")
    source, target = reading_difference.watch_text(task, "the dog", "Die Tür ist größer").tokens
    assert "".join(target).removeprefix("<pad>") == " Die Tür ist größer"
    assert "".join(source) == " the dog</s>"


def test_a_masked_model_reads_its_frame(home):
    assert reading_difference.watch_text(regard.load(home / "fill"), "the dog").tokens[1] == (
        "[CLS]",
        "the",
        "dog",
        "[SEP]",
    )


def test_steps_are_compared_in_turn(home):
    course = reading_difference.of_steps(home / "run", "the dog sleeps", "a b")
    assert course.steps == (1, 2, 3)
    one, two, three = (regard.load(home / f"run/checkpoints/step-{step:08d}") for step in (1, 2, 3))
    assert course.divergences[0] == reading_difference.of_models(one, two, "the dog sleeps", "a b").divergences()
    assert course.divergences[1] == reading_difference.of_models(two, three, "the dog sleeps", "a b").divergences()
    assert course.picture().columns == ("2", "3")


def test_what_cannot_be_compared_is_one_line(home):
    task = regard.load(home / "generate")
    with pytest.raises(RegardError, match="texts of as many tokens expected, got 7 and 8: change words, not lengths"):
        reading_difference.of_texts(task, "the dog", "the bird")
    with pytest.raises(RegardError, match="cut the text into other tokens: nothing to compare"):
        reading_difference.of_models(task, regard.load(home / "fill"), "the dog")
    with pytest.raises(RegardError, match="a model that can generate reads one text, and no target"):
        reading_difference.watch_text(task, "the dog", "the cat")
    with pytest.raises(RegardError, match=r"two saved steps or more expected in .*checkpoints, got 0"):
        reading_difference.of_steps(home / "generate", "the dog")
    with pytest.raises(RegardError, match=r"no layer 'decoder\.9\.self': known: decoder\.0\.self"):
        reading_difference.of_texts(task, "the dog", "the cat").tile("decoder.9.self", 0)


def test_models_of_another_depth_are_refused_in_one_line(home, tmp_path):
    gpt2(tmp_path / "deeper", n_layer=3)
    whole, deeper = regard.load(home / "generate"), regard.load(tmp_path / "deeper")
    for pair in ((whole, deeper), (deeper, whole)):
        with pytest.raises(RegardError, match=r"one has decoder\.2\.self and the other has not"):
            reading_difference.of_models(*pair, "the dog")
