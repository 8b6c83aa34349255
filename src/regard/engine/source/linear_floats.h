// Rows times panels of float32 or float16 weights.
#pragma once

#include "linear_registers.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace regard {

// A vector of float16 weights.
inline Floats widened(const uint16_t* from) {
#if defined(__AVX512F__)
    return (Floats)_mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256((const __m256i*)from));
#elif defined(__F16C__)
    return (Floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)from));
#elif defined(__aarch64__)
    return (Floats)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(from)));
#else
    typedef uint16_t Halves __attribute__((vector_size(2 * LANES)));
    Halves halves;
    std::memcpy(&halves, from, sizeof halves);
    const Ints bits = __builtin_convertvector(halves, Ints), size = (bits & 0x7FFF) << 13;
    const Ints is_whole = size < 0x0F800000;        // neither without end nor no number
    const Floats finite = (Floats)size * 0x1p112f;  // a smaller exponent is made up for, subnormal numbers too
    return (Floats)(((is_whole & (Ints)finite) | (~is_whole & (size | 0x7F800000))) | (bits & 0x8000) << 16);
#endif
}

inline Floats weights_at(const float* from) { return load(from); }
inline Floats weights_at(const uint16_t* from) { return widened(from); }

// R rows times P panels, each sum in the order of the columns of x whatever R and P are: a row never feels the others.
template <int R, int P, class Weight>
inline void tile(const float* x, ptrdiff_t x_stride, const Weight* weights, ptrdiff_t panel_stride, int depth,
                 const float* bias, float* y, ptrdiff_t y_stride, int columns, Finish finish) {
    Floats sums[R][P * PARTS];
    for (int r = 0; r < R; r++)
        for (int p = 0; p < P * PARTS; p++) sums[r][p] = Floats{};
    for (int k = 0; k < depth; k++) {
        Floats w[P * PARTS];
#pragma GCC unroll 16
        for (int p = 0; p < P; p++)
#pragma GCC unroll 4
            for (int part = 0; part < PARTS; part++)
                w[p * PARTS + part] = weights_at(weights + p * panel_stride + k * PANEL + part * LANES);
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            Floats one = all(x[r * x_stride + k]);
#pragma GCC unroll 16
            for (int p = 0; p < P * PARTS; p++) sums[r][p] += one * w[p];
        }
    }
    for (int r = 0; r < R; r++)
        for (int p = 0; p < P * PARTS; p++)
            if (p * LANES < columns)
                finished(sums[r][p] + load(bias + p * LANES), y + r * y_stride + p * LANES, columns - p * LANES,
                         finish);
}

template <int R, class Weight>
void strip(const float* x, ptrdiff_t x_stride, const Weight* weights, ptrdiff_t panel_stride, int panels, int depth,
           const float* bias, float* y, ptrdiff_t y_stride, int columns, Finish finish) {
    constexpr int P = panels_for(R);
    int p = 0;
    for (; p + P <= panels; p += P)
        tile<R, P>(x, x_stride, weights + p * panel_stride, panel_stride, depth, bias + p * PANEL, y + p * PANEL,
                   y_stride, columns - p * PANEL, finish);
    for (; p < panels; p++)
        tile<R, 1>(x, x_stride, weights + p * panel_stride, panel_stride, depth, bias + p * PANEL, y + p * PANEL,
                   y_stride, columns - p * PANEL, finish);
}

// Up to MOST_ROWS rows times some panels.
template <class Weight>
void strips(int rows, const float* x, ptrdiff_t x_stride, const Weight* weights, ptrdiff_t panel_stride, int panels,
            int depth, const float* bias, float* y, ptrdiff_t y_stride, int columns, Finish finish) {
    for_rows(rows, [&](auto number) {
        constexpr int R = decltype(number)::value;
        strip<R>(x, x_stride, weights, panel_stride, panels, depth, bias, y, y_stride, columns, finish);
    });
}

}  // namespace regard
