"""Every task as a program uses it: what pyright reads, strictly, in test_types.py. Lines marked `wrong` are errors."""

import regard
from regard.tasks import Classification


def translate() -> str:
    translator = regard.load("en-de")
    one = translator("Where is the station?", beam=4, num_hypotheses=2)
    several = translator(["Yes.", "No."], precision="int8", split=True)
    words: tuple[tuple[int, int], ...] = one.alignment.words
    sure: float | None = one.confidence.score
    parts = "".join(translator("Yes. No.", stream=True))
    return one.text + several[0].text + str(words) + str(one.score) + one.words[0].word + str(sure) + parts


def generate() -> str:
    poet = regard.load("shakespeare")
    verse = poet("ROMEO:", seed=1, max_new_tokens=20, sample=True)
    written = "".join(poet("JULIET:", stream=True))
    return verse.text + written


def answer() -> str:
    return regard.load("babi")(["Mary went to the kitchen."], "Where is Mary?").text


def fill(folder: str) -> float:
    filled = regard.load(folder, task="fill")("A [MASK] film.", top=3)
    return filled.candidates[0][0].score


def classify(folder: str) -> str:
    result = regard.load(folder, task="classify")("A good film.")
    return result.label if isinstance(result, Classification) else result.tokens[0].label


def embed(folder: str) -> float:
    task = regard.load(folder, task="embed")
    return task("one").similarity(task("two"))


def misspelt() -> None:
    translator = regard.load("en-de")
    translator("Yes.", beem=4)  # wrong
    print(translator("Yes.").txet)  # wrong
    regard.load("shakespeare")("ROMEO:", max_tokens=3)  # wrong
    regard.load("x", task="fill")("A [MASK].", tpo=2)  # wrong
    print(regard.load("x", task="classify")("A film.").lable)  # wrong
    regard.load("x", task="embed")("one").similar(1)  # wrong
