"""Memory networks: how often their answers are right."""

from regard.tasks.answer import AnswerTask
from regard.tasks.evaluation.measures import Evaluation, EvaluationConfig, OnShare
from regard.text import Stories


def answerers(
    task: AnswerTask, corpus: Stories, config: EvaluationConfig, on_progress: OnShare | None = None
) -> Evaluation:
    """Accuracy, over all questions and file by file. A word that the model does not know is never a right answer."""
    questions = list(corpus)
    answers = task.all([(one.story, one.question) for one in questions])
    files: dict[str, list[bool]] = {}
    for one, answer in zip(questions, answers, strict=True):
        wanted = task.tokenizer.encode(one.answer, bare=True)
        is_right = wanted.tokens == (answer.text,) and task.tokenizer.specials.unk not in wanted.ids
        files.setdefault(one.where.rpartition("/")[2].rpartition(":")[0], []).append(is_right)
    if on_progress is not None:
        on_progress(1.0)
    table = {name: {"questions": len(right), "accuracy": sum(right) / len(right)} for name, right in files.items()}
    accuracy = sum(sum(right) for right in files.values()) / len(questions)
    return Evaluation("answer", len(questions), {"accuracy": accuracy}, tables={"file": table})
