"""Heads switched off one by one."""

import torch
from looking.families import made
from looking.test_importance import exam_of
from torch.testing import assert_close

import regard
from regard.looking import ablation


def test_a_rise_is_the_loss_of_the_model_without_the_head():
    model = made("marian")[0].double()
    exam = exam_of(model, batches=1)
    found, whole = ablation(model, exam), exam.mean(model)
    for layer, head in (("encoder.0.self", 2), ("decoder.1.cross", 0), ("decoder.1.self", 3)):
        rise = exam.mean(regard.prune(model, {layer: [head]})) - whole
        assert_close(float(found[layer][head]), rise, rtol=1e-5, atol=1e-7)


def test_the_first_order_of_a_rise_is_the_gradient():
    # Near a gate of 1 the loss falls by its gradient times what the gate loses: an output a thousandth as large.
    from regard.looking.importance import gradients

    model = made("gpt2")[0].double()
    with torch.no_grad():
        for block in model.decoder.stack.blocks:
            block.self.output.weight.mul_(1e-4)
    exam = exam_of(model, batches=1)
    slope = gradients(model, exam, exam.batches[0])
    for layer, rises in ablation(model, exam).items():
        assert_close(rises.double(), -slope[layer].sum(0) / exam.total, rtol=1e-2, atol=1e-7)
