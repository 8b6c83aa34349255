"""Every task as a program of some sixty lines uses it, and some twenty mistakes: what pyright reads, strictly, in
test_types.py. Lines marked `wrong` are errors."""

import regard
from regard.tasks import AsyncTask, Classification, attribute_text
from regard.tasks.align import align_words, load_aligner
from regard.tasks.evaluation import evaluate
from regard.text import pairs


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


def align() -> str:
    aligner = load_aligner("en-de", reverse="de-en", how="intersect")
    links = aligner([("Where is the station?", "Wo ist der Bahnhof?")])
    return str(align_words(aligner, [("Yes.", "Ja.")]).links) + str(links[0])


def measure() -> float:
    return evaluate(regard.load("en-de"), pairs(["test.tsv"]), beam=1, lowercase=True).scores["bleu"]


def explain() -> None:
    attribute_text(regard.load("masked-en"), "A [MASK] film.", "gradient_x_input", steps=4).show()


async def serve() -> str:
    async with AsyncTask(regard.load("en-de"), max_texts=8) as translate:
        return (await translate("Yes.")).text


def misspelt_options(folder: str) -> None:
    regard.load("en-de", devise="cpu")  # wrong
    regard.load("en-de")("Yes.", beem=4)  # wrong
    regard.load("shakespeare")("ROMEO:", max_tokens=3)  # wrong
    regard.load("babi")(["Mary went home."], qestion="Where is Mary?")  # wrong
    regard.load("masked-en")("A [MASK].", tpo=2)  # wrong
    regard.load(folder, task="classify")("A film.", cutt=True)  # wrong
    regard.load(folder, task="embed")("one", cutt=True)  # wrong
    load_aligner("en-de", revers="de-en")  # wrong
    evaluate(regard.load("en-de"), pairs(["test.tsv"]), beem=1)  # wrong
    attribute_text(regard.load("en-de"), "Yes.", stesp=4)  # wrong


def misspelt_attributes(folder: str) -> None:
    print(regard.load("en-de")("Yes.").txet)  # wrong
    print(regard.load("en-de")(["Yes."])[0].confidense)  # wrong
    print(regard.load("shakespeare")("ROMEO:").txet)  # wrong
    print(regard.load("babi")(["Mary went home."], "Where is Mary?").txet)  # wrong
    print(regard.load("masked-en")("A [MASK].").candidate)  # wrong
    print(regard.load(folder, task="classify")("A film.").lable)  # wrong
    print(regard.load(folder, task="embed")("one").similar)  # wrong
    print(align_words(load_aligner("en-de"), []).linkz)  # wrong
    print(evaluate(regard.load("en-de"), pairs(["test.tsv"])).score)  # wrong
    print(attribute_text(regard.load("en-de"), "Yes.").shwo)  # wrong
