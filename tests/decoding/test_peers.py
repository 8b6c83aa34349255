"""Beam search beside the searches of transformers and CTranslate2, with the same random weights."""

import gc
import os
from itertools import combinations
from pathlib import Path

import pytest

from regard.tasks.benchmark import ModelShape, Workload, agreement, find_contenders, random_folder, texts

transformers = pytest.importorskip("transformers")
pytest.importorskip("ctranslate2")

THEIRS = "CTranslate2 float32", "transformers"
OURS = "regard float32", "regard, PyTorch step"
LENGTHS = (1, 4, 7, 10, 13)  # of the sources


@pytest.fixture(scope="module")
def field(tmp_path_factory):
    """A tiny Marian that ends its texts sooner or later."""
    folder = tmp_path_factory.mktemp("peers")
    random_folder(ModelShape("marian", 48, 2, 4, 300), folder / "endless", seed=2)
    transformers.utils.logging.disable_progress_bar()
    model = transformers.MarianMTModel.from_pretrained(folder / "endless")
    model.model.shared.weight.data *= 3  # surer of its words
    model.final_logits_bias[0, model.config.eos_token_id] = 4.5
    model.save_pretrained(folder / "model")
    return find_contenders(folder / "model", folder, threads=1)


def written(field, name, inputs, beam=4):
    """The best answers to so many sources of several lengths; between 0 and 24 tokens each."""
    answers = []
    for number, length in enumerate(LENGTHS):
        case = Workload(inputs // len(LENGTHS), beam, read=length, write=24, min_new_tokens=0)
        sources = texts(case, field.token_spec.vocabulary, field.token_spec.specials, seed=number)
        answers += field.entrants[name](case, sources)()
    return answers


def check_agreement(field, inputs):
    """Ours agrees with each of the others as often as those two agree, but for one in a hundred."""
    names = [*THEIRS, *(name for name in OURS if name in field.entrants)]
    found = {name: written(field, name, inputs) for name in names}
    rates = {pair: agreement(found[pair[0]], found[pair[1]]) for pair in combinations(names, 2)}
    for (one, other), rate in rates.items():
        print(f"{one} and {other}: {rate:.1%} of {inputs} answers are equal")
    lengths = {len(answer) for answers in found.values() for answer in answers}
    assert len(lengths) > 5  # some texts end early, some late: stopping was put to the test
    assert len(set(found["transformers"])) > inputs / 4
    assert min(rates.values()) >= rates[THEIRS] - 0.01


def test_our_beam_agrees_with_two_peers_as_often_as_they_do(field):
    check_agreement(field, 60)


@pytest.mark.proof
def test_our_beam_agrees_with_two_peers_as_often_as_they_do_on_500_sources(field):
    check_agreement(field, 500)


def test_our_likeliest_words_are_those_of_two_peers(field):
    names = [*THEIRS, *(name for name in OURS if name in field.entrants)]
    first, *others = [written(field, name, 60, beam=1) for name in names]
    assert all(agreement(first, other) > 0.98 for other in others)


@pytest.mark.proof
@pytest.mark.parametrize("name", ["regard float32", "regard float16", "regard int8", "regard, PyTorch step"])
def test_ten_thousand_decodes_leave_memory_flat(field, name):
    if name not in field.entrants:
        pytest.skip(f"{name} cannot write here: {field.missing.get('the engine')}")
    cases = [Workload(batch, beam, read=length, write=4) for batch in (1, 3) for beam in (1, 3) for length in (2, 9)]
    actions = [
        field.entrants[name](case, texts(case, field.token_spec.vocabulary, field.token_spec.specials))
        for case in cases
    ]
    held = []
    for turn in range(10_000):
        actions[turn % len(actions)]()
        if turn in (1999, 9999):
            gc.collect()
            held.append(resident())
    print(f"{name}: {held[0]:.1f} MiB after 2,000 decodes, {held[1]:.1f} after 10,000")
    assert held[1] - held[0] < 8


def resident():
    """MiB that this process has in memory."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("the system does not say how much memory a process has")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
