import pytest
import torch
from training.tiny import tiny
from training.watching import Quiet

from regard.errors import TooLarge
from regard.training import estimate, train
from regard.training.optimisation.learner import Learner
from regard.training.run.out_of_memory import memory_errors


@pytest.mark.parametrize(
    "follow", [estimate, lambda recipe: train(recipe, reporting=Quiet())], ids=["dry run", "train"]
)
def test_a_run_that_needs_more_memory_than_there_is_ends_with_one_line(follow, tmp_path, monkeypatch):
    monkeypatch.setattr(Learner, "forward", lambda learner, batch, memory=None: torch.empty(1 << 45))
    with pytest.raises(TooLarge, match=r"out of memory: a smaller train.batch_tokens .* needs less$"):
        follow(tiny(tmp_path))


@pytest.mark.parametrize("problem", [RuntimeError("something else"), TooLarge("a line of ours"), KeyError("x")])
def test_other_errors_are_left_as_they_are(problem):
    with pytest.raises(type(problem)) as caught, memory_errors():
        raise problem
    assert caught.value is problem


@pytest.mark.parametrize("problem", [MemoryError(), torch.OutOfMemoryError("CUDA out of memory")])
def test_whoever_has_no_memory_left_it_is_one_line(problem):
    with pytest.raises(TooLarge, match="out of memory"), memory_errors():
        raise problem
