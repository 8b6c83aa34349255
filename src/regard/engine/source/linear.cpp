#include "linear.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_bytes.h"
#include "linear_floats.h"

namespace regard {

void Linear::apply(Worker& me, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const {
    const int group = panels_for(rows <= MOST_ROWS ? 1 : MOST_ROWS), groups = (panels + group - 1) / group;
    me.share(groups, 1, [&](int first, int last) {
        if (precision == INT8) integers(first * group, std::min(last * group, panels), x, rows, y, stride, finish);
        else floats(first * group, std::min(last * group, panels), x, rows, y, stride, finish);
    });
}

void Linear::floats(int first, int last, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const {
    const bool is_whole = precision == FLOAT32;
    const ptrdiff_t step = ptrdiff_t(in) * PANEL;
    const bool is_copied = !is_whole && rows > MOST_ROWS;  // float16 is widened once for many rows
    static thread_local std::vector<float> wide;
    if (is_copied && wide.size() < size_t(step) * 2) wide.resize(size_t(step) * 2);
    const int group = panels_for(rows <= MOST_ROWS ? 1 : MOST_ROWS);
    for (int p = first; p < last; p += group) {
        const int some = std::min(group, last - p), columns = out - p * PANEL;
        if (is_copied) {
            const uint16_t* from = reinterpret_cast<const uint16_t*>(panel(p));
            for (ptrdiff_t i = 0; i < step * some; i += LANES) store(wide.data() + i, widened(from + i));
        }
        for (int row = 0; row < rows; row += MOST_ROWS) {
            const int few = std::min(MOST_ROWS, rows - row);
            const float* from = x.x + row * x.stride;
            float* to = y + row * stride + p * PANEL;
            if (is_whole || is_copied) {
                const float* weights = is_copied ? wide.data() : reinterpret_cast<const float*>(panel(p));
                strips(few, from, x.stride, weights, step, some, in, bias.data() + p * PANEL, to, stride, columns,
                       finish);
            } else {
                const uint16_t* weights = reinterpret_cast<const uint16_t*>(panel(p));
                strips(few, from, x.stride, weights, step, some, in, bias.data() + p * PANEL, to, stride, columns,
                       finish);
            }
        }
    }
}

void Linear::integers(int first, int last, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const {
    const int k = depth(in);
    const int group = panels_for(rows <= MOST_ROWS ? 1 : MOST_ROWS);
    for (int p = first; p < last; p += group) {
        const int some = std::min(group, last - p), columns = out - p * PANEL;
        const int8_t* weights = reinterpret_cast<const int8_t*>(panel(p));
        for (int row = 0; row < rows; row += MOST_ROWS) {
            const int8_t* from = x.rounded + ptrdiff_t(row) * k;
            float* to = y + row * stride + p * PANEL;
            for_rows(std::min(MOST_ROWS, rows - row), [&](auto number) {
                constexpr int R = decltype(number)::value;
                whole_strip<R>(from, k, x.roundings + row, weights, ptrdiff_t(panel_bytes), some,
                               scales.data() + p * PANEL, bias.data() + p * PANEL, to, stride, columns, finish);
            });
        }
    }
}

Rounding rounded(const float* from, int width, int8_t* to) {
    typedef int8_t Bytes __attribute__((vector_size(LANES)));
    const int depth = Linear::depth(width), whole = width / LANES * LANES;
    const Floats magic = all(12582912.0f);  // 1.5 * 2^23: rounds when added
    Floats sizes{}, odd{};
    float most = 0, rest = 0;
    for (int i = 0; i < whole; i += LANES) {
        Floats value = load(from + i);
        sizes = larger(choose(value < 0.0f, -value, value), sizes);
        odd += value * 0.0f;  // not a number if one of them is none, or has no end
    }
    for (int i = whole; i < width; i++) {
        most = std::max(most, std::fabs(from[i]));
        rest += from[i] * 0.0f;
    }
    most = std::max(most, largest(sizes));
    if (rest + sum(odd) != 0.0f) {
        std::memset(to, 0, depth);
        return {std::numeric_limits<float>::quiet_NaN(), 0};
    }
    const float steps = most > 0 ? 127 / most : 0.0f;
    Ints sums{};
    for (int i = 0; i < whole; i += LANES) {
        Ints value = (Ints)(load(from + i) * steps + magic) - 0x4B400000;
        sums += value;
        Bytes bytes = __builtin_convertvector(value, Bytes);
        std::memcpy(to + i, &bytes, sizeof bytes);
    }
    int32_t total = 0;
    for (int lane = 0; lane < LANES; lane++) total += sums[lane];
    for (int i = whole; i < depth; i++) {
        to[i] = i < width ? int8_t(std::lrintf(from[i] * steps)) : int8_t(0);
        total += to[i];
    }
    return {most / 127, total};
}

void round_rows(Worker& me, const Rows& x, int rows, int width) {
    me.share(rows, 4, [&](int first, int last) {
        for (int row = first; row < last; row++)
            x.roundings[row] = rounded(x.x + row * x.stride, width, x.rounded + ptrdiff_t(row) * Linear::depth(width));
    });
}

}  // namespace regard
