#include "attention.h"

#include <algorithm>
#include <limits>

namespace regard {
namespace {

inline float product(const float* a, const float* b, int width) {
    Floats total{};
    int i = 0;
    for (; i + LANES <= width; i += LANES) total += load(a + i) * load(b + i);
    float rest = sum(total);
    for (; i < width; i++) rest += a[i] * b[i];
    return rest;
}

// The query times N keys at once, for heads that are whole vectors: the sums across lanes go side by side.
template <int N>
inline void products(const float* query, const float* const* keys, ptrdiff_t from, int width, float factor, float* to) {
    Floats totals[N] = {};
    for (int i = 0; i < width; i += LANES) {
        const Floats part = load(query + i);
#pragma GCC unroll 8
        for (int n = 0; n < N; n++) totals[n] += part * load(keys[n] + from + i);
    }
#pragma GCC unroll 8
    for (int n = 0; n < N; n++) to[n] = sum(totals[n]) * factor;
}

// The weighted sum of N vectors of numbers, starting at `from`.
template <int N>
inline void weighted_sum(const VisibleKeys& visible, ptrdiff_t from, const float* weights, float factor, float* to) {
    Floats sums[N] = {};
    for (int t = 0; t < visible.count; t++) {
        const float* value = visible.keys[t] + from;
#pragma GCC unroll 4
        for (int n = 0; n < N; n++) sums[n] += weights[t] * load(value + n * LANES);
    }
    for (int n = 0; n < N; n++) store(to + n * LANES, sums[n] * factor);
}

void add_bias(const EmbeddedStack& stack, int head, const VisibleKeys& visible, float* scores) {
    if (stack.bias.data) {
        const float* line = stack.bias.row(head);
        const int reach = stack.bias.width / 2;
        for (int t = 0; t < visible.count; t++)
            scores[t] += line[std::max(-reach, std::min(reach, visible.ahead[t])) + reach];
    }
    if (!stack.slopes.empty()) {
        const float slope = stack.slopes[head];
        for (int t = 0; t < visible.count; t++) scores[t] -= slope * float(std::abs(visible.ahead[t]));
    }
}

}  // namespace

void VisibleKeys::reserve(int most) {
    if (int(keys.size()) >= most) return;
    keys.resize(most);
    ahead.resize(most);
    scores.resize(most + LANES);
}

RowStatistics compare(const Attention& layer, const EmbeddedStack& stack, bool has_bias, const Change& change, int head,
                      const float* query, VisibleKeys& visible) {
    const int width = layer.width, count = visible.count;
    float* scores = visible.scores.data();
    const ptrdiff_t key = ptrdiff_t(layer.kv_head_of[head]) * width;
    int t = 0;
    if (width % LANES == 0)
        for (; t + 8 <= count; t += 8) products<8>(query, visible.keys.data() + t, key, width, layer.scale, scores + t);
    for (; t < count; t++) scores[t] = product(query, visible.keys[t] + key, width) * layer.scale;
    if (has_bias) add_bias(stack, layer.numbers[head], visible, scores);
    if (!change.inverse_temperatures.empty())
        for (int t = 0; t < count; t++) scores[t] *= change.inverse_temperatures[head];
    std::fill(scores + count, scores + count + LANES, -std::numeric_limits<float>::infinity());
    Floats mosts = load(scores), sums{};
    for (int t = LANES; t < count; t += LANES) mosts = larger(load(scores + t), mosts);
    const float most = largest(mosts);
    for (int t = 0; t < count; t += LANES) {
        Floats weight = exponential(load(scores + t) - most);
        store(scores + t, weight);
        sums += weight;
    }
    return {most, sum(sums)};
}

void look(const Attention& layer, const EmbeddedStack& stack, bool has_bias, const Change& change, int head,
          const float* query, VisibleKeys& visible, float* head_outputs) {
    const int width = layer.width, count = visible.count;
    if (!count) {
        std::fill(head_outputs, head_outputs + width, 0.0f);
        return;
    }
    float factor = 1.0f / compare(layer, stack, has_bias, change, head, query, visible).sum;
    const float* scores = visible.scores.data();
    const ptrdiff_t value = ptrdiff_t(layer.kv_head_of[head]) * width + layer.keys();
    if (!change.gates.empty()) factor *= change.gates[head];
    int i = 0;
    for (; i + 4 * LANES <= width; i += 4 * LANES)
        weighted_sum<4>(visible, value + i, scores, factor, head_outputs + i);
    for (; i + LANES <= width; i += LANES) weighted_sum<1>(visible, value + i, scores, factor, head_outputs + i);
    for (; i < width; i++) {
        float total = 0;
        for (int t = 0; t < count; t++) total += scores[t] * visible.keys[t][value + i];
        head_outputs[i] = total * factor;
    }
}

}  // namespace regard
