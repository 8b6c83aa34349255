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
    if (layer.heads < 1 || layer.groups < 1 || layer.width < 1) throw Problem{what + " has no heads"};
    for (int group : layer.serving)
        if (group < 0 || group >= layer.groups) throw Problem{what + ": a head is served by a group that is not there"};
}

void check_self(const string& what, const Side& side, const Attention& layer) {
    check_heads(what, layer);
    expect("the projection of " + what, layer.project, side.width, layer.queries() + 2 * layer.keys());
    expect("the output of " + what, layer.output, layer.queries(), side.width);
    if (side.turns.data) expect("a turn of " + what, side.turns.width, layer.width);
    const int most = *std::max_element(layer.numbers.begin(), layer.numbers.end());
    if (*std::min_element(layer.numbers.begin(), layer.numbers.end()) < 0 ||
        (side.bias.data && most >= side.bias.rows) || (!side.slopes.empty() && most >= int(side.slopes.size())))
        throw Problem{what + ": a head has no bias of its own"};
}

void check_cross(const string& what, const Side& side, const Attention& layer, int source_width) {
    check_heads(what, layer);
    expect("the query of " + what, layer.project, side.width, layer.queries());
    expect("the keys and values of " + what, layer.pair, source_width, 2 * layer.keys());
    expect("the output of " + what, layer.output, layer.queries(), side.width);
}

void check_side(const string& name, const Side& side, int source_width) {
    const int words = side.words.width;
    if (!side.words.data) throw Problem{name + ": the words are missing"};
    if (side.words_widen) expect("what widens words of " + name, side.words_widen, words, side.width);
    else expect("the table of words of " + name, words, side.width);
    expect("the norm of words of " + name, side.words_norm, words);
    expect("the last norm of " + name, side.final_norm, side.width);
    for (const Table* table : {&side.places, &side.segment})
        if (table->data) expect("what is added to words of " + name, table->width, words);
    for (size_t number = 0; number < side.layers.size(); number++) {
        const Layer& layer = side.layers[number];
        const string here = name + "." + std::to_string(number);
        check_self(here + ".self", side, layer.self);
        if (layer.crosses != (source_width > 0))
            throw Problem{here + (layer.crosses ? " looks at a source, and there is none" : " looks at no source")};
        if (layer.crosses) {
            check_cross(here + ".cross", side, layer.cross, source_width);
            expect_norm("the norm of " + here + ".cross", layer.cross_norm, side.width);
        }
        expect("what widens in " + here, layer.widen, side.width, side.is_gated ? 2 * side.inner : side.inner);
        expect("what narrows in " + here, layer.narrow, side.inner, side.width);
        expect_norm("the norm of " + here + ".self", layer.self_norm, side.width);
        expect_norm("the inner norm of " + here, layer.inner_norm, side.width);
    }
}

}  // namespace

void validate(const Model& model) {
    if (model.has_source) check_side("encoder", model.encoder, 0);
    if (model.bridge) expect("what the bridge reads", model.bridge->in, model.encoder.width);
    const int source_width = model.bridge ? model.bridge->out : model.encoder.width;
    check_side("decoder", model.decoder, model.has_source ? source_width : 0);
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
