"""Every measure, beside the one that it is published as.

Also tests: tasks/evaluation/classifiers.py, tasks/evaluation/measures.py, tasks/evaluation/measuring.py,
tasks/evaluation/readers.py, tasks/evaluation/translators.py, training/data/streams.py, training/data/training_data.py,
training/evaluation/held_out.py, training/evaluation/sacre_bleu.py.
"""

import lzma
import math

import pytest
from tasks.evaluated import LINES, learned, write_texts
from tasks.tiny import TEXTS, bart, bert, gpt2, their_tokens

import regard
from regard.errors import RegardError
from regard.tasks.evaluation import Evaluation, corpus_for, evaluate, readers, translators
from regard.tasks.evaluation.classifiers import by_label
from regard.tasks.evaluation.measures import by_length
from regard.tasks.evaluation.translators import remove_marks, removes_marks
from regard.text import DataError, LabelledCorpus, ParallelCorpus, PlainCorpus, TabbedCorpus, pairs
from regard.training.run.log import read_log

sacrebleu = pytest.importorskip("sacrebleu")
ALL = ["translate", "one-stream", "generate", "fill", "classify"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluated")
    write_texts(folder)
    return folder


@pytest.fixture(scope="module")
def models(home):
    return {what: regard.load(learned(home, what)) for what in ALL}


@pytest.fixture(scope="module")
def corpora(home):
    translated = TabbedCorpus(home / "test.tsv")
    plain = PlainCorpus(home / "test.txt", line_ends=True)
    labels = LabelledCorpus(home / "test.labels", "last")
    return dict(zip(ALL, (translated, translated, plain, plain, labels), strict=True))


def reached(home, what) -> dict[str, float]:
    """What the training said of the same texts."""
    return read_log(home / what)[-1]["valid"]


@pytest.mark.parametrize("what", ["translate", "one-stream", "generate", "classify"])
def test_a_finished_model_scores_as_its_training_said(what, models, corpora, home):
    asked = {"context": 16} if what == "generate" else {}
    found = evaluate(models[what], corpora[what], **asked).scores
    told = reached(home, what)
    told = {"accuracy": told["accuracy"], "loss": told["loss"]} if what == "classify" else told
    assert {name: found[name] for name in told} == pytest.approx(told, rel=1e-5)


@pytest.mark.parametrize("what", ALL)
def test_a_score_does_not_depend_on_what_is_computed_together(what, models, corpora, monkeypatch):
    whole = evaluate(models[what], corpora[what])
    for module in (readers, translators):
        monkeypatch.setattr(module, "ROOM", 30)
    monkeypatch.setattr("regard.training.evaluation.held_out.BATCH_TOKENS", 30)
    monkeypatch.setattr("regard.text.padding.batches.__kwdefaults__", {**BATCHES, "batch_tokens": 30})
    apart = evaluate(models[what], corpora[what])
    assert apart.scores == pytest.approx(whole.scores, rel=1e-5)
    assert apart.hypotheses == whole.hypotheses


BATCHES = {"pad": None, "side": "right", "device": "cpu"}


def test_bleu_is_what_sacrebleu_says_of_the_hypotheses_without_marks(models, corpora):
    found = evaluate(models["translate"], corpora["translate"], beam=5, tokenize="none", lowercase=True)
    references = [target.replace("@@ ", "").lower() for _, target in corpora["translate"]]
    lower = [text.lower() for text in found.hypotheses]
    expected = sacrebleu.corpus_bleu(lower, [references], tokenize="none", force=True)
    assert 0 < expected.score < 100
    assert found.scores["bleu"] == expected.score
    assert found.scores["chrf"] == sacrebleu.corpus_chrf(lower, [references]).score
    assert found.details["bleu"]["signature"].startswith("nrefs:1|case:lc|eff:no|tok:none|smooth:exp")
    assert found.details["bleu"]["ref_len"] == sum(len(text.split()) for text in references)
    assert not any("@@" in text for text in found.hypotheses)


def test_the_loss_is_that_of_transformers(tmp_path):
    writer = bart(tmp_path / "bart")
    sources, targets = (TEXTS[:2], TEXTS[2:4])
    (tmp_path / "pairs.tsv").write_text("".join(f"{one}\t{two}\n" for one, two in zip(sources, targets, strict=True)))
    losses = []
    for one, two in zip(sources, targets, strict=True):
        asked, labels = their_tokens(tmp_path / "bart", [one]), their_tokens(tmp_path / "bart", [two])["input_ids"]
        losses.append((float(writer(**asked, labels=labels).loss.detach()), labels.numel()))
    expected = sum(loss * count for loss, count in losses) / sum(count for _, count in losses)
    found = evaluate(regard.load(tmp_path / "bart"), TabbedCorpus(tmp_path / "pairs.tsv"), beam=1)
    assert found.scores["loss"] == pytest.approx(expected, rel=1e-5)

    goes_on = gpt2(tmp_path / "gpt2")
    (tmp_path / "text").write_text(TEXTS[1])
    tokens = their_tokens(tmp_path / "gpt2", [TEXTS[1]])["input_ids"]
    found = evaluate(regard.load(tmp_path / "gpt2"), PlainCorpus(tmp_path / "text", line_ends=True))
    assert found.scores["loss"] == pytest.approx(float(goes_on(tokens, labels=tokens).loss.detach()), rel=1e-5)


def test_two_files_packed_or_not_and_a_tsv_are_the_same(models, corpora, home, tmp_path):
    packed = tmp_path / "test.de.xz"
    packed.write_bytes(lzma.compress((home / "test.de").read_bytes()))
    one, other = corpora["translate"], pairs([home / "test.en", packed])
    assert isinstance(other, ParallelCorpus)
    assert evaluate(models["translate"], one, beam=1) == evaluate(models["translate"], other, beam=1)


def test_the_groups_of_a_table_make_up_the_whole(models, corpora):
    found = evaluate(models["translate"], corpora["translate"], beam=1)
    table = found.tables["words"]
    assert list(table) == ["1-5", "6-10", "11-15"]
    assert sum(row["texts"] for row in table.values()) == found.texts == LINES
    assert min(row["perplexity"] for row in table.values()) < found.scores["perplexity"]
    assert by_length(["a", "a b c d e f", " ".join("a" * 51)]) == {"1-5": [0], "6-10": [1], "> 50": [2]}


def test_perplexity_by_word_and_character_is_of_the_same_loss(models, corpora):
    scores = evaluate(models["generate"], corpora["generate"]).scores
    text = "".join(line for (line,) in corpora["generate"])
    bits = scores["bits_per_character"] * len(text)
    assert bits == pytest.approx(scores["loss"] / math.log(2) * (len(text) - 1))  # each character is a token
    assert math.log2(scores["word_perplexity"]) * len(text.split()) == pytest.approx(bits)


def test_sentence_by_sentence_there_is_no_perplexity(models, corpora):
    found = evaluate(models["translate"], corpora["translate"], beam=1, split=True)
    assert set(found.scores) == {"bleu", "chrf"}


def test_a_classifier_has_a_table_of_labels(models, corpora):
    found = evaluate(models["classify"], corpora["classify"])
    assert list(found.tables) == ["label", "words"]
    assert found.scores["f1"] == pytest.approx(sum(row["f1"] for row in found.tables["label"].values()) / 2)


def test_f1_is_of_the_labels_that_occur_or_were_given():
    found = by_label(["a", "a", "a", "b"], ["a", "a", "b", "c"])
    assert found["a"] == {"texts": 3, "precision": 1.0, "recall": 2 / 3, "f1": 0.8}
    assert found["b"] == {"texts": 1, "precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert found["c"]["f1"] == 0.0


def test_another_seed_hides_other_words(models, corpora):
    one, same, other = (evaluate(models["fill"], corpora["fill"], seed=seed).scores for seed in (1, 1, 2))
    assert one == same
    assert one["loss"] != other["loss"]


def test_marks_are_removed_as_in_fairseq(models):
    assert remove_marks("a ma@@ ch@@ ine an@@") == "a machine an"
    assert removes_marks(models["translate"].tokenizer)
    assert not removes_marks(models["fill"].tokenizer)


def test_progress_ends_at_the_whole(models, corpora):
    for what in ALL:
        shares = []
        evaluate(models[what], corpora[what], on_progress=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("what", "lines", "message"),
    [
        ("translate", "the cat\tTHE CAT\nthe dog\n", "bad:2: 1 columns"),
        ("translate", "the cat\tTHE CAT\n \tTHE DOG\n", "bad:2: the source is empty"),
        ("translate", f"{'the ' * 600}\tTHE\n", "bad:1: the text has 601 tokens, the model reads at most 512"),
        ("classify", "the cat\tanimal\nthe dog\tplant\n", "bad:2: a label that the model does not know: 'plant'"),
        ("classify", "the cat\n", "bad:1: text<TAB>label expected"),
        ("classify", f"{'the ' * 600}\tthing\n", "bad:1: the text has 602 tokens"),
        ("generate", "\n", "bad:1: fewer than two tokens"),
    ],
)  # fmt: skip
def test_faulty_data_is_told_by_file_and_line(what, lines, message, models, tmp_path):
    path = tmp_path / "bad"
    path.write_text(lines)
    with pytest.raises(DataError, match=message):
        evaluate(models[what], corpus_for(models[what], [path]))


def test_a_corpus_of_another_kind_is_told(models, corpora):
    for what, other, message in (
        ("translate", "generate", "pairs of texts expected, the corpus has text"),
        ("fill", "translate", "one text a line expected, the corpus has source and target"),
        ("classify", "generate", "labels and texts expected"),
        ("generate", "translate", "never learned to translate"),
    ):
        with pytest.raises(RegardError, match=message):
            evaluate(models[what], corpora[other])
    with pytest.raises(DataError, match="one file expected to fill with, got 2"):
        corpus_for(models["fill"], ["a", "b"])


def test_what_has_no_score_is_told(tmp_path, models, corpora):
    bert("Model", tmp_path / "embed")
    with pytest.raises(RegardError, match="can embed; known scores are for translate, generate, fill, classify"):
        evaluate(regard.load(tmp_path / "embed"), corpora["fill"])
    with pytest.raises(RegardError, match="unknown tokeniser of sacreBLEU '13b': did you mean '13a'"):
        evaluate(models["translate"], corpora["translate"], tokenize="13b")


def test_an_evaluation_is_plain_data():
    found = Evaluation("translate", 1, {"bleu": 1.0}, hypotheses=["a"])
    assert found.plain() == {"task": "translate", "texts": 1, "scores": {"bleu": 1.0}, "details": {}, "tables": {}}
