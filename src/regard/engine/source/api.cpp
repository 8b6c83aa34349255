// What the rest of the world may call: plain C, so that no version of anything else matters.
// Everything that can fail returns 0 when it went well; regard_problem() says what did not.

#include <cstdio>
#include <exception>
#include <new>

#include "fingerprint.h"
#include "model.h"
#include "state.h"
#include "top.h"
#include "validate.h"

using namespace regard;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

thread_local char problem[1000];  // its own room: there may be no more memory when it is written

int failed(const char* message) noexcept {
    std::snprintf(problem, sizeof problem, "%s", message);
    return 1;
}

template <class Action>
int tried(Action action) noexcept {
    try {
        action();
        return 0;
    } catch (const Problem& what) {
        return failed(what.message.c_str());
    } catch (const std::bad_alloc&) {
        return failed("not enough memory");
    } catch (const std::exception& what) {
        return failed(what.what());
    } catch (...) {
        return failed("an error without a name");
    }
}

}  // namespace

// The same as in library.py; -1 stands for "none" wherever a number of a linear layer or norm is meant.
struct SideGiven {
    int32_t width, inner, bend, is_gated, is_first, window, vocabulary, words_width, words_norm, words_widen,
        final_norm;
    int32_t turns_neighbours;
    float scale;
    const float* words;
};

struct AttentionGiven {
    int32_t project, pair, output, heads, groups, width;
    float scale;
    const int32_t* serving;
    const int32_t* numbers;
};

struct LayerGiven {
    AttentionGiven self, cross;
    int32_t crosses, widen, narrow, self_norm, cross_norm, inner_norm;
};

struct OutputGiven {
    int32_t bridge, dense, dense_bend, dense_norm, output, has_source;
};

namespace {

const Linear* linear(const Model& model, int number) { return number < 0 ? nullptr : model.linears.at(number).get(); }
const Norm* norm(const Model& model, int number) { return number < 0 ? nullptr : model.norms.at(number).get(); }

Attention attention(const Model& model, const AttentionGiven& given) {
    Attention made;
    made.project = linear(model, given.project);
    made.pair = linear(model, given.pair);
    made.output = linear(model, given.output);
    made.heads = given.heads;
    made.groups = given.groups;
    made.width = given.width;
    made.scale = given.scale;
    made.serving.assign(given.serving, given.serving + given.heads);
    made.numbers.assign(given.numbers, given.numbers + given.heads);
    return made;
}

Side& side_of(Model& model, int which) { return which ? model.decoder : model.encoder; }

}  // namespace

EXPORT int regard_engine_version() { return 2; }

EXPORT const char* regard_problem() { return problem; }

EXPORT Model* regard_model(int precision) {
    Model* model = nullptr;
    tried([&] {
        model = new Model;
        model->precision = Precision(precision);
    });
    return model;
}

EXPORT void regard_model_free(Model* model) { delete model; }

EXPORT int regard_linear(Model* model, const float* weight, const float* bias, int in, int out, float scale) {
    const int code = tried(
        [&] { model->linears.push_back(std::make_unique<Linear>(weight, bias, in, out, model->precision, scale)); });
    return code ? -1 : int(model->linears.size()) - 1;
}

EXPORT int regard_norm(Model* model, const float* weight, const float* bias, int width, int is_rms, float epsilon) {
    const int code = tried([&] {
        auto made = std::make_unique<Norm>();
        made->is_rms = is_rms;
        made->epsilon = epsilon;
        if (weight) made->weight.assign(weight, weight + width);
        else made->weight.assign(width, 1.0f);
        if (bias) made->bias.assign(bias, bias + width);
        model->norms.push_back(std::move(made));
    });
    return code ? -1 : int(model->norms.size()) - 1;
}

EXPORT int regard_side(Model* model, int which, const SideGiven* given) {
    return tried([&] {
        Side& side = side_of(*model, which);
        side.words = {given->words, given->vocabulary, given->words_width};
        side.scale = given->scale;
        side.turns_neighbours = given->turns_neighbours;
        side.words_norm = norm(*model, given->words_norm);
        side.words_widen = linear(*model, given->words_widen);
        side.final_norm = norm(*model, given->final_norm);
        side.bend = Activation(given->bend);
        side.is_gated = given->is_gated;
        side.is_first = given->is_first;
        side.width = given->width;
        side.inner = given->inner;
        side.window = given->window;
    });
}

EXPORT int regard_layer(Model* model, int which, const LayerGiven* given) {
    return tried([&] {
        Layer layer;
        layer.self = attention(*model, given->self);
        layer.crosses = given->crosses;
        if (given->crosses) layer.cross = attention(*model, given->cross);
        layer.widen = linear(*model, given->widen);
        layer.narrow = linear(*model, given->narrow);
        layer.self_norm = norm(*model, given->self_norm);
        layer.cross_norm = norm(*model, given->cross_norm);
        layer.inner_norm = norm(*model, given->inner_norm);
        side_of(*model, which).layers.push_back(std::move(layer));
    });
}

// Tables stay the caller's: 0 what is added at a place, 1 how queries and keys are turned, 2 biases by distance,
// 3 what is added to every word.
EXPORT void regard_table(Model* model, int which, int kind, const float* data, int rows, int width) {
    Side& side = side_of(*model, which);
    Table* tables[] = {&side.places, &side.turns, &side.bias, &side.segment};
    *tables[kind] = {data, rows, width};
}

EXPORT int regard_slopes(Model* model, int which, const float* slopes, int heads) {
    return tried([&] { side_of(*model, which).slopes.assign(slopes, slopes + heads); });
}

// The last word about a model: from here on it is whole, and all of its parts fit each other.
EXPORT int regard_output(Model* model, const OutputGiven* given) {
    return tried([&] {
        model->bridge = linear(*model, given->bridge);
        model->dense = linear(*model, given->dense);
        model->dense_bend = Activation(given->dense_bend);
        model->dense_norm = norm(*model, given->dense_norm);
        model->output = linear(*model, given->output);
        model->has_source = given->has_source;
        validate(*model);
    });
}

EXPORT size_t regard_model_bytes(const Model* model) {
    size_t total = 0;
    for (const auto& linear : model->linears) total += linear->bytes();
    return total;
}

EXPORT State* regard_state(const Model* model) {
    State* state = nullptr;
    tried([&] { state = new State(*model); });
    return state;
}

EXPORT void regard_state_free(State* state) { delete state; }

// kind: 0 a layer of the encoder, 1 of the decoder, 2 its attention to the source. Null: as it was.
EXPORT int regard_change(State* state, int kind, int layer, const float* gates, const float* sharpness, int heads,
                         const uint8_t* hidden, int places) {
    return tried([&] {
        auto& all = kind == 0 ? state->changes.encoder : kind == 1 ? state->changes.self : state->changes.cross;
        if (int(all.size()) <= layer) all.resize(layer + 1);
        if (gates) all[layer].gates.assign(gates, gates + heads);
        if (sharpness) all[layer].sharpness.assign(sharpness, sharpness + heads);
        if (hidden) all[layer].hidden.assign(hidden, hidden + places);
    });
}

EXPORT void regard_large_pages(float* data, size_t count) { on_large_pages(reinterpret_cast<char*>(data), count * 4); }

EXPORT int regard_read(State* state, const int64_t* tokens, const uint8_t* real, int texts, int length, int threads) {
    return tried([&] { state->read(tokens, real, texts, length, threads); });
}

EXPORT int regard_step(State* state, const int64_t* tokens, const uint8_t* real, int rows, int length, float* logits,
                       int threads) {
    return tried([&] { state->step(tokens, real, rows, length, logits, threads); });
}

EXPORT int regard_select(State* state, const int64_t* rows, int count) {
    return tried([&] { state->select(rows, count); });
}

EXPORT size_t regard_state_bytes(const State* state) { return state->bytes(); }

EXPORT int regard_top(const float* logits, int rows, int words, int count, float* scores, int64_t* which,
                      float* summary, int threads) {
    return tried([&] { top(logits, rows, words, count, scores, which, summary, threads); });
}

EXPORT int regard_fingerprint(const void* const* data, const size_t* bytes, int count, int lines, int threads,
                              uint64_t* value) {
    return tried([&] { *value = fingerprint(data, bytes, count, lines, threads); });
}
