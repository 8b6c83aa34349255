#include "stack.h"

#include <algorithm>
#include <cmath>

namespace regard {
namespace {

void turn(float* x, const float* turns, int width, bool neighbours) {
    const int half = width / 2;
    for (int i = 0; i < half; i++) {
        float& left = neighbours ? x[2 * i] : x[i];
        float& right = neighbours ? x[2 * i + 1] : x[half + i];
        const float a = left, b = right;
        left = a * turns[i] - b * turns[half + i];
        right = b * turns[i] + a * turns[half + i];
    }
}

void turn_all(Worker& me, const Side& side, const Attention& layer, float* projected, ptrdiff_t stride, int rows,
              const int* places) {
    me.share(rows, 4, [&](int first, int last) {
        for (int row = first; row < last; row++)
            for (int head = 0; head < layer.heads + layer.groups; head++)
                turn(projected + row * stride + head * layer.width, side.turns.row(places[row]), layer.width,
                     side.turns_neighbours);
    });
}

void norm_rows(Worker& me, const Norm& norm, const float* x, float* y, int rows, int width) {
    me.share(rows, 4, [&](int first, int last) {
        for (int row = first; row < last; row++) norm.apply(x + ptrdiff_t(row) * width, y + ptrdiff_t(row) * width);
    });
}

void gate_rows(Worker& me, float* inner, int rows, int width, Activation bend) {
    me.share(rows, 1, [&](int first, int last) {
        for (int row = first; row < last; row++) {
            float* bending = inner + ptrdiff_t(row) * 2 * width;
            float* straight = bending + width;
            int i = 0;
            for (; i + LANES <= width; i += LANES)
                store(bending + i, bent(load(bending + i), bend) * load(straight + i));
            for (; i < width; i++) bending[i] = bent(all(bending[i]), bend)[0] * straight[i];
        }
    });
}

// All heads of some tokens, shared by all.
template <class See>
void look_all(Worker& me, const Attention& layer, const Side& side, bool has_bias, const Change& change,
              const float* queries, ptrdiff_t stride, float* gathered, int rows, Sight& sight, See see) {
    me.share(rows * layer.heads, 2, [&](int first, int last) {
        int seen = -1;
        for (int unit = first; unit < last; unit++) {
            const int row = unit / layer.heads, head = unit % layer.heads;
            if (row != seen) {
                sight.clear();
                see(row, sight);
                seen = row;
            }
            look(layer, side, has_bias, change, head, queries + row * stride + head * layer.width, sight,
                 gathered + ptrdiff_t(row) * layer.queries() + head * layer.width);
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

void Room::reserve(const Model& model, const Side& side, int tokens, int threads, int most_keys) {
    const size_t slab = std::min(tokens, SLAB);
    size_t widest = 0, self_queries = 0, cross_queries = 0, deepest = std::max(side.width, side.words.width);
    for (const Layer& layer : side.layers) {  // pruning leaves each of them other widths
        widest = std::max(widest, size_t(layer.self.project->out));
        self_queries = std::max(self_queries, size_t(layer.self.queries()));
        if (!layer.crosses) continue;
        cross_queries = std::max(cross_queries, size_t(layer.cross.queries()));
        deepest = std::max(deepest, size_t(layer.cross.pair->in));
    }
    const size_t most_queries = std::max(self_queries, cross_queries);
    deepest = std::max({deepest, most_queries, size_t(side.inner)});
    x.reserve(size_t(tokens) * side.width);
    normed.reserve(size_t(tokens) * std::max(side.width, side.words.width));
    projected.reserve(size_t(tokens) * widest);
    queries.reserve(slab * cross_queries);
    gathered.reserve(slab * most_queries);
    inner.reserve(slab * side.inner * (side.is_gated ? 2 : 1));
    if (model.precision == INT8) round_up_to(int(slab), int(deepest));
    if (int(sights.size()) < threads) sights.resize(threads);
    for (Sight& sight : sights) sight.reserve(most_keys);
}

void Room::round_up_to(int rows, int width) {
    rounded.reserve(size_t(rows) * Linear::depth(width));
    roundings.reserve(rows);
}

void multiply(Worker& me, const Linear& layer, Room& room, const float* x, ptrdiff_t stride, int rows, float* y,
              ptrdiff_t y_stride, Finish finish) {
    for (int row = 0; row < rows; row += SLAB) {
        const int some = std::min(SLAB, rows - row);
        Rows from{x + row * stride, stride, room.rounded.data(), room.roundings.data()};
        if (layer.precision == INT8) round_rows(me, from, some, layer.in);
        layer.apply(me, from, some, y + row * y_stride, y_stride, finish);
    }
}

void embed(Worker& me, const Model&, const Side& side, Room& room, const int64_t* words, const int* places,
           int tokens) {
    const int width = side.words.width;
    float* to = side.words_widen ? room.normed.data() : room.x.data();
    me.share(tokens, 4, [&](int first, int last) {
        for (int token = first; token < last; token++) {
            const float* word = side.words.row(int(words[token]));
            float* x = to + ptrdiff_t(token) * width;
            for (int i = 0; i < width; i++) x[i] = word[i] * side.scale;
            for (const float* more : {side.segment.data, side.places.data ? side.places.row(places[token]) : nullptr})
                for (int i = 0; more && i < width; i++) x[i] += more[i];
            if (side.words_norm) side.words_norm->apply(x, x);
        }
    });
    if (side.words_widen) multiply(me, *side.words_widen, room, to, width, tokens, room.x.data(), side.width, Finish{});
}

void run(Worker& me, const Model&, const Side& side, Room& room, int tokens, const int* places, Eyes& eyes,
         const std::vector<Change>& self, const std::vector<Change>& cross) {
    const int width = side.width;
    Sight& sight = room.sights[me.index];
    for (size_t number = 0; number < side.layers.size(); number++) {
        const Layer& layer = side.layers[number];
        const ptrdiff_t stride = layer.self.project->out;
        for (int row = 0; row < tokens; row += SLAB) {
            const int rows = std::min(SLAB, tokens - row);
            float* x = room.x.data() + ptrdiff_t(row) * width;
            float* projected = room.projected.data() + row * stride;
            float* normed = side.is_first ? room.normed.data() : x;
            if (side.is_first) norm_rows(me, *layer.self_norm, x, normed, rows, width);
            multiply(me, *layer.self.project, room, normed, width, rows, projected, stride, Finish{});
            if (side.turns.data) turn_all(me, side, layer.self, projected, stride, rows, places + row);
        }
        eyes.keep(me, int(number), room.projected.data(), stride);
        for (int row = 0; row < tokens; row += SLAB) {
            const int rows = std::min(SLAB, tokens - row);
            float* x = room.x.data() + ptrdiff_t(row) * width;
            float* normed = side.is_first ? room.normed.data() : x;
            float* gathered = room.gathered.data();

            auto before = [&](const Norm& norm) {
                if (side.is_first) norm_rows(me, norm, x, normed, rows, width);
            };
            auto after = [&](const Norm& norm) {
                if (!side.is_first) norm_rows(me, norm, x, x, rows, width);
            };

            look_all(me, layer.self, side, true, Changes::at(self, number), room.projected.data() + row * stride,
                     stride, gathered, rows, sight, [&](int i, Sight& s) { eyes.around(int(number), row + i, s); });
            multiply(me, *layer.self.output, room, gathered, layer.self.queries(), rows, x, width, {STRAIGHT, true});
            after(*layer.self_norm);

            if (layer.crosses) {
                before(*layer.cross_norm);
                float* queries = room.queries.data();  // not where those of the text were: they may be wider
                const ptrdiff_t query_stride = layer.cross.queries();
                multiply(me, *layer.cross.project, room, normed, width, rows, queries, query_stride, Finish{});
                look_all(me, layer.cross, side, false, Changes::at(cross, number), queries, query_stride, gathered,
                         rows, sight, [&](int i, Sight& s) { eyes.across(int(number), row + i, s); });
                multiply(me, *layer.cross.output, room, gathered, layer.cross.queries(), rows, x, width,
                         {STRAIGHT, true});
                after(*layer.cross_norm);
            }

            before(*layer.inner_norm);
            const int wide = side.is_gated ? 2 * side.inner : side.inner;
            float* inner = room.inner.data();
            multiply(me, *layer.widen, room, normed, width, rows, inner, wide,
                     {side.is_gated ? STRAIGHT : side.bend, false});
            if (side.is_gated) gate_rows(me, inner, rows, side.inner, side.bend);
            multiply(me, *layer.narrow, room, inner, wide, rows, x, width, {STRAIGHT, true});
            after(*layer.inner_norm);
        }
    }
}

}  // namespace regard
