"""Why a token looks at another: the score by who wrote the query and who wrote the key, by `regard.pair_score`."""

from regard.errors import RegardError
from regard.looking import edit
from regard.looking.pair_score import pair_score
from regard.tasks.replay import model_inputs
from regard.viewer import maps
from regard.viewer.finished_run import FinishedRun
from regard.viewer.grids import fact, grid
from regard.viewer.payload import InsidePayload

LONGEST = 1024  # tokens of a run whose scores are taken apart


def score_writers(run: FinishedRun, layer: str, head: int, row: int, column: int) -> InsidePayload:
    """The score of one pair: writers of the query down, writers of the key across."""
    pattern = run.pattern(layer)
    maps.score_detail(pattern, layer, head, row, column)  # refuses what there is not
    reading, task = run.result.reading, run.task
    longest = max(pattern.shape[2:])
    if longest > LONGEST:
        raise RegardError(f"a score is taken apart in texts of at most {LONGEST} tokens, this one has {longest}")
    if reading is None:
        raise RegardError("this model did not read a text that could be read again")
    with edit(task.model, run.request.edits):
        score = pair_score(task.model, model_inputs(task.model, reading, task.device), layer, head, row, column)
    facts = [fact("score", score.score), fact("bias", score.bias), fact("rotation", score.rotation)]
    facts += [fact("distance", score.distance)] if score.distance else []
    for number, (query, key, value) in enumerate(score.top(3)):
        facts.append(fact(f"part {number}", f"{query} × {key}: {value:+.2f}"))
    grids = [grid("writers", score.by_writer.float(), score.writers, score.writers, "numbers")]
    return InsidePayload(view="writers", grids=grids, facts=facts)
