#include "stack.h"

#include <algorithm>
#include <cmath>

namespace regard {
namespace {

void rotate(float* x, const float* rotations, int width, bool neighbours) {
    const int half = width / 2;
    for (int i = 0; i < half; i++) {
        float& left = neighbours ? x[2 * i] : x[i];
        float& right = neighbours ? x[2 * i + 1] : x[half + i];
        const float a = left, b = right;
        left = a * rotations[i] - b * rotations[half + i];
        right = b * rotations[i] + a * rotations[half + i];
    }
}

void rotate_all(Worker& me, const EmbeddedStack& stack, const Attention& layer, float* projected, ptrdiff_t stride,
                int rows, const int* positions) {
    me.share(rows, 4, [&](int first, int last) {
        for (int row = first; row < last; row++)
            for (int head = 0; head < layer.heads + layer.kv_heads; head++)
                rotate(projected + row * stride + head * layer.width, stack.rotations->row(positions[row]), layer.width,
                       stack.rotates_neighbours);
    });
}

void norm_rows(Worker& me, const Norm& norm, const float* x, float* y, int rows, int width) {
    me.share(rows, 4, [&](int first, int last) {
        for (int row = first; row < last; row++) norm.apply(x + ptrdiff_t(row) * width, y + ptrdiff_t(row) * width);
    });
}

void gate_rows(Worker& me, float* feed_forward, int rows, int width, Activation activation) {
    me.share(rows, 1, [&](int first, int last) {
        for (int row = first; row < last; row++) {
            float* bending = feed_forward + ptrdiff_t(row) * 2 * width;
            float* straight = bending + width;
            int i = 0;
            for (; i + LANES <= width; i += LANES)
                store(bending + i, activate(load(bending + i), activation) * load(straight + i));
            for (; i < width; i++) bending[i] = activate(all(bending[i]), activation)[0] * straight[i];
        }
    });
}

// All heads of some tokens, shared by all.
template <class See>
void look_all(Worker& me, const Attention& layer, const EmbeddedStack& stack, bool has_bias, const Change& change,
              const float* queries, ptrdiff_t stride, float* head_outputs, int rows, VisibleKeys& visible, See see) {
    me.share(rows * layer.heads, 2, [&](int first, int last) {
        int seen = -1;
        for (int unit = first; unit < last; unit++) {
            const int row = unit / layer.heads, head = unit % layer.heads;
            if (row != seen) {
                visible.clear();
                see(row, visible);
                seen = row;
            }
            look(layer, stack, has_bias, change, head, queries + row * stride + head * layer.width, visible,
                 head_outputs + ptrdiff_t(row) * layer.queries() + head * layer.width);
        }
    });
}

}  // namespace

void Norm::apply(const float* x, float* y) const {
    const int width = int(weight.size());
    Floats sums{}, squares{};
    float mean = 0, rest = 0;
    int i = 0;
    if (!is_rms) {
        for (; i + LANES <= width; i += LANES) sums += load(x + i);
        for (; i < width; i++) rest += x[i];
        mean = (sum(sums) + rest) / float(width);
    }
    rest = 0;
    for (i = 0; i + LANES <= width; i += LANES) {
        Floats off = load(x + i) - mean;
        squares += off * off;
    }
    for (; i < width; i++) rest += (x[i] - mean) * (x[i] - mean);
    const float factor = 1.0f / std::sqrt((sum(squares) + rest) / float(width) + epsilon);
    for (i = 0; i + LANES <= width; i += LANES) {
        Floats value = (load(x + i) - mean) * factor * load(weight.data() + i);
        store(y + i, bias.empty() ? value : value + load(bias.data() + i));
    }
    for (; i < width; i++) y[i] = (x[i] - mean) * factor * weight[i] + (bias.empty() ? 0.0f : bias[i]);
}

void Workspace::reserve(const Model& model, const EmbeddedStack& stack, int tokens, int threads, int most_keys) {
    const size_t slab = std::min(tokens, SLAB);
    size_t widest = 0, self_queries = 0, cross_queries = 0, deepest = std::max(stack.width, stack.embedding.width);
    for (const Layer& layer : stack.layers) {  // pruning leaves each of them other widths
        widest = std::max(widest, size_t(layer.self.qkv->out));
        self_queries = std::max(self_queries, size_t(layer.self.queries()));
        if (!layer.crosses) continue;
        cross_queries = std::max(cross_queries, size_t(layer.cross.queries()));
        deepest = std::max(deepest, size_t(layer.cross.kv->in));
    }
    const size_t most_queries = std::max(self_queries, cross_queries);
    deepest = std::max({deepest, most_queries, size_t(stack.feed_forward_width)});
    x.reserve(size_t(tokens) * stack.width);
    normed.reserve(size_t(tokens) * std::max(stack.width, stack.embedding.width));
    projected.reserve(size_t(tokens) * widest);
    queries.reserve(slab * cross_queries);
    head_outputs.reserve(slab * most_queries);
    feed_forward.reserve(slab * stack.feed_forward_width * (stack.is_gated ? 2 : 1));
    if (model.precision == INT8) round_up_to(int(slab), int(deepest));
    if (int(visible_keys.size()) < threads) visible_keys.resize(threads);
    for (VisibleKeys& visible : visible_keys) visible.reserve(most_keys);
}

void Workspace::round_up_to(int rows, int width) {
    rounded.reserve(size_t(rows) * Linear::depth(width));
    roundings.reserve(rows);
}

void multiply(Worker& me, const Linear& layer, Workspace& workspace, const float* x, ptrdiff_t stride, int rows,
              float* y, ptrdiff_t y_stride, Finish finish) {
    for (int row = 0; row < rows; row += SLAB) {
        const int some = std::min(SLAB, rows - row);
        Rows from{x + row * stride, stride, workspace.rounded.data(), workspace.roundings.data()};
        if (layer.precision == INT8) round_rows(me, from, some, layer.in);
        layer.apply(me, from, some, y + row * y_stride, y_stride, finish);
    }
}

void embed(Worker& me, const Model&, const EmbeddedStack& stack, Workspace& workspace, const int64_t* words,
           const int* positions, int tokens) {
    const int width = stack.embedding.width;
    float* to = stack.embedding_widen ? workspace.normed.data() : workspace.x.data();
    me.share(tokens, 4, [&](int first, int last) {
        for (int token = first; token < last; token++) {
            const float* word = stack.embedding.row(int(words[token]));
            float* x = to + ptrdiff_t(token) * width;
            for (int i = 0; i < width; i++) x[i] = word[i] * stack.scale;
            for (const float* more :
                 {stack.segment.data, stack.positions->data ? stack.positions->row(positions[token]) : nullptr})
                for (int i = 0; more && i < width; i++) x[i] += more[i];
            if (stack.embedding_norm) stack.embedding_norm->apply(x, x);
        }
    });
    if (stack.embedding_widen)
        multiply(me, *stack.embedding_widen, workspace, to, width, tokens, workspace.x.data(), stack.width, Finish{});
}

void run(Worker& me, const Model&, const EmbeddedStack& stack, Workspace& workspace, int tokens, const int* positions,
         KeyAccess& eyes, const std::vector<Change>& self, const std::vector<Change>& cross) {
    const int width = stack.width;
    VisibleKeys& visible = workspace.visible_keys[me.index];
    for (size_t number = 0; number < stack.layers.size(); number++) {
        const Layer& layer = stack.layers[number];
        const ptrdiff_t stride = layer.self.qkv->out;
        for (int row = 0; row < tokens; row += SLAB) {
            const int rows = std::min(SLAB, tokens - row);
            float* x = workspace.x.data() + ptrdiff_t(row) * width;
            float* projected = workspace.projected.data() + row * stride;
            float* normed = stack.pre_norm ? workspace.normed.data() : x;
            if (stack.pre_norm) norm_rows(me, *layer.self_norm, x, normed, rows, width);
            multiply(me, *layer.self.qkv, workspace, normed, width, rows, projected, stride, Finish{});
            if (stack.rotations->data) rotate_all(me, stack, layer.self, projected, stride, rows, positions + row);
        }
        eyes.keep(me, int(number), workspace.projected.data(), stride);
        for (int row = 0; row < tokens; row += SLAB) {
            const int rows = std::min(SLAB, tokens - row);
            float* x = workspace.x.data() + ptrdiff_t(row) * width;
            float* normed = stack.pre_norm ? workspace.normed.data() : x;
            float* head_outputs = workspace.head_outputs.data();

            auto before = [&](const Norm& norm) {
                if (stack.pre_norm) norm_rows(me, norm, x, normed, rows, width);
            };
            auto after = [&](const Norm& norm) {
                if (!stack.pre_norm) norm_rows(me, norm, x, x, rows, width);
            };

            look_all(me, layer.self, stack, true, Changes::at(self, number), workspace.projected.data() + row * stride,
                     stride, head_outputs, rows, visible,
                     [&](int i, VisibleKeys& s) { eyes.around(int(number), row + i, s); });
            multiply(me, *layer.self.output, workspace, head_outputs, layer.self.queries(), rows, x, width,
                     {STRAIGHT, true});
            after(*layer.self_norm);

            if (layer.crosses) {
                before(*layer.cross_norm);
                float* queries = workspace.queries.data();  // not where those of the text were: they may be wider
                const ptrdiff_t query_stride = layer.cross.queries();
                multiply(me, *layer.cross.qkv, workspace, normed, width, rows, queries, query_stride, Finish{});
                eyes.keep_queries(me, int(number), row, rows, queries, query_stride);
                look_all(me, layer.cross, stack, false, Changes::at(cross, number), queries, query_stride, head_outputs,
                         rows, visible, [&](int i, VisibleKeys& s) { eyes.across(int(number), row + i, s); });
                multiply(me, *layer.cross.output, workspace, head_outputs, layer.cross.queries(), rows, x, width,
                         {STRAIGHT, true});
                after(*layer.cross_norm);
            }

            before(*layer.feed_forward_norm);
            const int wide = stack.is_gated ? 2 * stack.feed_forward_width : stack.feed_forward_width;
            float* feed_forward = workspace.feed_forward.data();
            multiply(me, *layer.widen, workspace, normed, width, rows, feed_forward, wide,
                     {stack.is_gated ? STRAIGHT : stack.activation, false});
            if (stack.is_gated) gate_rows(me, feed_forward, rows, stack.feed_forward_width, stack.activation);
            multiply(me, *layer.narrow, workspace, feed_forward, wide, rows, x, width, {STRAIGHT, true});
            after(*layer.feed_forward_norm);
        }
    }
}

}  // namespace regard
