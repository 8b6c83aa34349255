#include "validate.h"

#include <algorithm>

#include "problem.h"

namespace regard {
namespace {

using std::string;

void expect(const string& what, long found, long expected) {
    if (found != expected)
        throw Problem{what + " is " + std::to_string(found) + " wide, " + std::to_string(expected) + " expected"};
}

void expect(const string& what, const Linear* linear, int in, int out) {
    if (!linear) throw Problem{what + " is missing"};
    expect("what " + what + " reads", linear->in, in);
    expect("what " + what + " puts out", linear->out, out);
}

void expect(const string& what, const Norm* norm, int width) {
    if (!norm) return;
    expect(what, long(norm->weight.size()), width);
    if (!norm->bias.empty()) expect("the bias of " + what, long(norm->bias.size()), width);
}

void expect_norm(const string& what, const Norm* norm, int width) {
    if (!norm) throw Problem{what + " is missing"};
    expect(what, norm, width);
}

void check_heads(const string& what, const Attention& layer) {
    if (layer.heads < 1 || layer.kv_heads < 1 || layer.width < 1) throw Problem{what + " has no heads"};
    for (int kv_head : layer.kv_head_of)
        if (kv_head < 0 || kv_head >= layer.kv_heads)
            throw Problem{what + ": a head is served by a key head that is not there"};
}

void check_self(const string& what, const EmbeddedStack& stack, const Attention& layer) {
    check_heads(what, layer);
    expect("the projection of " + what, layer.qkv, stack.width, layer.queries() + 2 * layer.keys());
    expect("the output of " + what, layer.output, layer.queries(), stack.width);
    if (stack.rotations->data) expect("a rotation of " + what, stack.rotations->width, layer.width);
    const int most = *std::max_element(layer.numbers.begin(), layer.numbers.end());
    if (*std::min_element(layer.numbers.begin(), layer.numbers.end()) < 0 ||
        (stack.bias.data && most >= stack.bias.rows) || (!stack.slopes.empty() && most >= int(stack.slopes.size())))
        throw Problem{what + ": a head has no bias of its own"};
}

void check_cross(const string& what, const EmbeddedStack& stack, const Attention& layer, int source_width) {
    check_heads(what, layer);
    expect("the query of " + what, layer.qkv, stack.width, layer.queries());
    expect("the keys and values of " + what, layer.kv, source_width, 2 * layer.keys());
    expect("the output of " + what, layer.output, layer.queries(), stack.width);
}

void check_stack(const string& name, const EmbeddedStack& stack, int source_width) {
    const int words = stack.embedding.width;
    if (!stack.embedding.data) throw Problem{name + ": the words are missing"};
    if (stack.embedding_widen) expect("what widens words of " + name, stack.embedding_widen, words, stack.width);
    else expect("the table of words of " + name, words, stack.width);
    expect("the norm of words of " + name, stack.embedding_norm, words);
    expect("the last norm of " + name, stack.final_norm, stack.width);
    for (const Table* table : {stack.positions.get(), &stack.segment})
        if (table->data) expect("what is added to words of " + name, table->width, words);
    for (size_t number = 0; number < stack.layers.size(); number++) {
        const Layer& layer = stack.layers[number];
        const string here = name + "." + std::to_string(number);
        check_self(here + ".self", stack, layer.self);
        if (layer.crosses != (source_width > 0))
            throw Problem{here + (layer.crosses ? " looks at a source, and there is none" : " looks at no source")};
        if (layer.crosses) {
            check_cross(here + ".cross", stack, layer.cross, source_width);
            expect_norm("the norm of " + here + ".cross", layer.cross_norm, stack.width);
        }
        expect("what widens in " + here, layer.widen, stack.width,
               stack.is_gated ? 2 * stack.feed_forward_width : stack.feed_forward_width);
        expect("what narrows in " + here, layer.narrow, stack.feed_forward_width, stack.width);
        expect_norm("the norm of " + here + ".self", layer.self_norm, stack.width);
        expect_norm("the feed-forward norm of " + here, layer.feed_forward_norm, stack.width);
    }
}

}  // namespace

void validate(const Model& model) {
    if (model.has_source) check_stack("encoder", model.encoder, 0);
    if (model.bridge) expect("what the bridge reads", model.bridge->in, model.encoder.width);
    const int source_width = model.bridge ? model.bridge->out : model.encoder.width;
    check_stack("decoder", model.decoder, model.has_source ? source_width : 0);
    int scored = model.decoder.width;
    if (model.dense) {
        expect("what the last layer reads", model.dense->in, scored);
        scored = model.dense->out;
        expect_norm("the norm of the last layer", model.dense_norm, scored);
    }
    if (!model.output) throw Problem{"what scores words is missing"};
    expect("what scores words", model.output->in, scored);
}

}  // namespace regard
