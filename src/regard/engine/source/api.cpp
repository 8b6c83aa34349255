#include "api.h"

#include <cstdio>
#include <exception>
#include <new>

#include "fingerprint.h"
#include "image.h"
#include "model.h"
#include "state.h"
#include "tiles.h"
#include "top.h"
#include "validate.h"

using namespace regard;

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

const Linear* linear(const Model& model, int number) { return number < 0 ? nullptr : model.linears.at(number).get(); }
const Norm* norm(const Model& model, int number) { return number < 0 ? nullptr : model.norms.at(number).get(); }

Attention attention(const Model& model, const AttentionSpec& spec) {
    Attention made;
    made.qkv = linear(model, spec.qkv);
    made.kv = linear(model, spec.kv);
    made.output = linear(model, spec.output);
    made.heads = spec.heads;
    made.kv_heads = spec.kv_heads;
    made.width = spec.width;
    made.scale = spec.scale;
    made.kv_head_of.assign(spec.kv_head_of, spec.kv_head_of + spec.heads);
    made.numbers.assign(spec.numbers, spec.numbers + spec.heads);
    return made;
}

EmbeddedStack& stack_of(Model& model, int which) { return which ? model.decoder : model.encoder; }

}  // namespace

EXPORT int regard_engine_version() { return ENGINE_VERSION; }

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

EXPORT int regard_stack(Model* model, int which, const StackSpec* spec) {
    return tried([&] {
        EmbeddedStack& stack = stack_of(*model, which);
        stack.embedding = {spec->embedding, spec->vocabulary, spec->embedding_width};
        stack.scale = spec->scale;
        stack.rotates_neighbours = spec->rotates_neighbours;
        stack.embedding_norm = norm(*model, spec->embedding_norm);
        stack.embedding_widen = linear(*model, spec->embedding_widen);
        stack.final_norm = norm(*model, spec->final_norm);
        stack.activation = Activation(spec->activation);
        stack.is_gated = spec->is_gated;
        stack.pre_norm = spec->pre_norm;
        stack.width = spec->width;
        stack.feed_forward_width = spec->feed_forward_width;
        stack.window = spec->window;
    });
}

EXPORT int regard_layer(Model* model, int which, const LayerSpec* spec) {
    return tried([&] {
        Layer layer;
        layer.self = attention(*model, spec->self);
        layer.crosses = spec->crosses;
        if (spec->crosses) layer.cross = attention(*model, spec->cross);
        layer.widen = linear(*model, spec->widen);
        layer.narrow = linear(*model, spec->narrow);
        layer.self_norm = norm(*model, spec->self_norm);
        layer.cross_norm = norm(*model, spec->cross_norm);
        layer.feed_forward_norm = norm(*model, spec->feed_forward_norm);
        stack_of(*model, which).layers.push_back(std::move(layer));
    });
}

EXPORT int regard_table(Model* model, int which, int kind, const float* data, int rows, int width) {
    return tried([&] {
        EmbeddedStack& stack = stack_of(*model, which);
        const Table table{data, rows, width};
        if (kind == 0) stack.positions.put(table);
        else if (kind == 1) stack.rotations.put(table);
        else (kind == 2 ? stack.bias : stack.segment) = table;
    });
}

EXPORT int regard_slopes(Model* model, int which, const float* slopes, int heads) {
    return tried([&] { stack_of(*model, which).slopes.assign(slopes, slopes + heads); });
}

EXPORT int regard_output(Model* model, const OutputSpec* spec) {
    return tried([&] {
        model->bridge = linear(*model, spec->bridge);
        model->dense = linear(*model, spec->dense);
        model->dense_activation = Activation(spec->dense_activation);
        model->dense_norm = norm(*model, spec->dense_norm);
        model->output = linear(*model, spec->output);
        model->has_source = spec->has_source;
        validate(*model);
    });
}

EXPORT size_t regard_model_bytes(const Model* model) {
    size_t total = 0;
    for (const auto& linear : model->linears) total += Linear::bytes(linear->in, linear->out, linear->precision);
    return total;
}

EXPORT size_t regard_image(Model* model, char* to) {
    size_t bytes = 0;
    return tried([&] { bytes = write_image(*model, to); }) ? 0 : bytes;
}

EXPORT Model* regard_open(const char* image, size_t bytes) {
    Model* model = nullptr;
    tried([&] { model = open_image(image, bytes).release(); });
    return model;
}

EXPORT EngineState* regard_state(const Model* model) {
    EngineState* state = nullptr;
    tried([&] { state = new EngineState(*model); });
    return state;
}

EXPORT void regard_state_free(EngineState* state) { delete state; }

EXPORT int regard_change(EngineState* state, int kind, int layer, const float* gates, const float* inverse_temperatures,
                         int heads, const uint8_t* hidden, int positions) {
    return tried([&] {
        InUse mine(*state);
        state->check_change(kind, layer, heads);
        auto& all = kind == 0 ? state->changes.encoder : kind == 1 ? state->changes.self : state->changes.cross;
        if (int(all.size()) <= layer) all.resize(layer + 1);
        if (gates) all[layer].gates.assign(gates, gates + heads);
        if (inverse_temperatures)
            all[layer].inverse_temperatures.assign(inverse_temperatures, inverse_temperatures + heads);
        if (hidden) all[layer].hidden.assign(hidden, hidden + positions);
    });
}

EXPORT int regard_watch(EngineState* state, int kind, int layer) {
    return tried([&] {
        InUse mine(*state);
        state->watch(kind, layer);
    });
}

EXPORT int regard_weights(EngineState* state, const LookSpec* spec, const int32_t* heads, float* weights, int threads) {
    return tried([&] {
        InUse mine(*state);
        state->weights(spec->kind, spec->layer, heads, spec->heads,
                       {spec->rows, spec->first, spec->queries, spec->keys}, weights, threads);
    });
}

EXPORT int regard_looks(EngineState* state, const LookSpec* spec, float* query, float* key, float* logsumexp,
                        int threads) {
    return tried([&] {
        InUse mine(*state);
        const Attention& own = state->attention(spec->kind, spec->layer);
        if (spec->heads != own.heads || spec->kv_heads != own.kv_heads || spec->width != own.width)
            throw Problem{"the layer has " + std::to_string(own.heads) + " heads and " + std::to_string(own.kv_heads) +
                          " of keys, " + std::to_string(own.width) + " wide: others were asked for"};
        state->looks(spec->kind, spec->layer, {spec->rows, spec->first, spec->queries, spec->keys}, query, key,
                     logsumexp, threads);
    });
}

EXPORT void regard_large_pages(float* data, size_t count) { on_large_pages(reinterpret_cast<char*>(data), count * 4); }

EXPORT int regard_read(EngineState* state, const int64_t* tokens, const uint8_t* attention_mask, int texts, int length,
                       int threads) {
    return tried([&] {
        InUse mine(*state);
        state->read(tokens, attention_mask, texts, length, threads);
    });
}

EXPORT int regard_step(EngineState* state, const int64_t* tokens, const uint8_t* attention_mask, int rows, int length,
                       float* logits, int threads) {
    return tried([&] {
        InUse mine(*state);
        state->step(tokens, attention_mask, rows, length, logits, threads);
    });
}

EXPORT int regard_select(EngineState* state, const int64_t* rows, int count) {
    return tried([&] {
        InUse mine(*state);
        state->select(rows, count);
    });
}

EXPORT int regard_join(EngineState* state, EngineState* other, int32_t* length) {
    return tried([&] {
        if (state == other) throw Problem{"a text cannot join itself"};
        InUse mine(*state), too(*other);
        state->join(*other);
        *length = state->length;
    });
}

EXPORT size_t regard_state_bytes(const EngineState* state) { return state->bytes(); }

EXPORT int regard_top(const float* logits, int rows, int words, int count, float* scores, int64_t* which,
                      float* logsumexp, int threads) {
    return tried([&] { top(logits, rows, words, count, scores, which, logsumexp, threads); });
}

EXPORT int regard_fingerprint(const void* const* data, const size_t* bytes, int count, int lines, int threads,
                              uint64_t* value) {
    return tried([&] { *value = fingerprint(data, bytes, count, lines, threads); });
}

EXPORT int regard_has_tiles() { return has_tiles(); }

EXPORT int regard_tile_product(const float* left, int64_t left_row, int64_t left_column, const float* right,
                               int64_t right_row, int64_t right_column, const float* bias, float* out, int64_t rows,
                               int64_t columns, int64_t depth, int threads) {
    return tried([&] {
        tile_product({left, long(rows), long(depth), long(left_row), long(left_column)},
                     {right, long(columns), long(depth), long(right_row), long(right_column)}, bias, out, threads);
    });
}

EXPORT int regard_tile_cross_entropy(const float* x, const float* table, const float* bias, const int64_t* targets,
                                     int64_t rows, int64_t words, int64_t width, float smoothing, float* logsumexp,
                                     float* right, float* x_grad, float* table_grad, int* is_whole) {
    return tried([&] {
        *is_whole = tile_cross_entropy({x, table, bias, targets, long(rows), long(words), long(width), smoothing,
                                        logsumexp, right, x_grad, table_grad});
    });
}
