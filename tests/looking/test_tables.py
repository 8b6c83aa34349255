import pytest
import torch
from looking.built import DUPLICATE, WORDS, built, decoder

import regard
from regard.errors import RegardError, UnknownName
from regard.looking import tables
from regard.looking.tables import HeadTable


@pytest.fixture
def model():
    torch.manual_seed(0)
    made = decoder(vocabulary=30, bias=False)
    for norm in (made.decoder.stack.norm, made.decoder.stack.blocks[0].self_norm):
        torch.nn.init.uniform_(norm.weight, 0.5, 2)
    return made.eval()


@torch.no_grad()
def test_qk_holds_the_scores_of_a_text_of_these_tokens(model):
    tokens = torch.tensor([[3, 17, 4, 29]])
    with regard.watch(model, "decoder.0.self") as seen:
        model(tokens)
    scores = seen["decoder.0.self"].scores(slice(3, 4), slice(0, 4))[0, 2, 0]  # the last token, which sees all
    row = HeadTable.of(model, "decoder.0.self", 2, "qk").top([29], k=30)
    found = dict(zip(row.words[0].tolist(), row.scores[0].tolist(), strict=True))
    torch.testing.assert_close(torch.tensor([found[int(token)] for token in tokens[0]]), scores, rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_ov_holds_what_a_token_that_looks_at_itself_alone_adds(model):
    block = model.decoder.stack.blocks[0]
    x = model.decoder.embedding.table.weight[7][None, None]
    with regard.edit(block) as edit:
        edit.head("self", [0, 1, 3]).off()
        added = block.self(block.self_norm(x))[0, 0]  # a text of one token
    promoted = model.output.weight @ (added * model.decoder.stack.norm.weight)
    row = HeadTable.of(model, "decoder.0.self", 2, "ov").top([7], k=4)
    expected = promoted.topk(4)
    assert row.words[0].tolist() == expected.indices.tolist()
    torch.testing.assert_close(row.scores[0], expected.values, rtol=1e-4, atol=1e-5)


def test_the_largest_entries_and_the_best_of_every_row_are_those_of_the_whole_table(monkeypatch):
    torch.manual_seed(0)
    table = HeadTable(torch.randn(13, 4), torch.randn(11, 4))
    whole = table.left @ table.right.T
    monkeypatch.setattr(tables, "ROWS", 25)  # two rows at a time
    torch.testing.assert_close(table.top(k=3).scores, whole.topk(3).values)
    assert table.top([12, 0], k=3).words.tolist() == whole[[12, 0]].topk(3).indices.tolist()
    best = whole.flatten().topk(5)
    assert [11 * row + column for row, column, _ in table.largest(5)] == best.indices.tolist()


def test_a_duplicate_head_looks_for_its_own_token_and_a_random_one_does_not():
    assert HeadTable.of(built(), "decoder.0.self", DUPLICATE, "qk").copying() == pytest.approx(1)
    torch.manual_seed(0)
    table = HeadTable(torch.randn(400, 8), torch.randn(400, 8))
    assert abs(table.copying()) < 0.15
    assert HeadTable(torch.eye(WORDS), -torch.eye(WORDS)).copying() == pytest.approx(-1)


def test_what_there_is_no_table_of_is_refused(model):
    with pytest.raises(UnknownName, match=r"unknown layer 'decoder.9.self'"):
        HeadTable.of(model, "decoder.9.self", 0, "qk")
    with pytest.raises(RegardError, match="heads 0 to 3, got 4"):
        HeadTable.of(model, "decoder.0.self", 4, "qk")
    with pytest.raises(RegardError, match="does not score words"):
        HeadTable.of(torch.nn.Linear(2, 2), "decoder.0.self", 0, "qk")
