// Rows times panels of int8 weights, on every kind of processor with its own products of four.
#pragma once

#include "linear_registers.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace regard {

// Four numbers of a row, ready to be multiplied; and sums with the products of four weights each added.
#if defined(__AVX512VNNI__)

typedef __m512i Sums;
constexpr int SHIFT = 128;  // added to weights, because one side of the product has no sign

struct Four {
    __m512i x;
    explicit Four(int32_t four) : x(_mm512_set1_epi32(four)) {}
};

inline Sums plus(Sums sums, const Four& four, const int8_t* weights) {
    return _mm512_dpbusd_epi32(sums, _mm512_loadu_si512(weights), four.x);
}

#elif defined(__AVXVNNI__)

typedef __m256i Sums;
constexpr int SHIFT = 128;  // as above

struct Four {
    __m256i x;
    explicit Four(int32_t four) : x(_mm256_set1_epi32(four)) {}
};

inline Sums plus(Sums sums, const Four& four, const int8_t* weights) {
    return _mm256_dpbusd_avx_epi32(sums, _mm256_loadu_si256((const __m256i*)weights), four.x);
}

#elif defined(__AVX2__)

typedef __m256i Sums;
constexpr int SHIFT = 0;

struct Four {
    __m256i x, size;
    explicit Four(int32_t four) : x(_mm256_set1_epi32(four)), size(_mm256_abs_epi8(x)) {}
};

// Products of a positive and a signed byte: the sign of x goes to the weight. 2 * 127 * 127 fits into 16 bits.
inline Sums plus(Sums sums, const Four& four, const int8_t* weights) {
    __m256i w = _mm256_sign_epi8(_mm256_loadu_si256((const __m256i*)weights), four.x);
    return _mm256_add_epi32(sums, _mm256_madd_epi16(_mm256_maddubs_epi16(four.size, w), _mm256_set1_epi16(1)));
}

#elif defined(__x86_64__)

typedef __m128i Sums;
constexpr int SHIFT = 0;

struct Four {
    __m128i x;  // twice, of 16 bits each
    explicit Four(int32_t four) : x(_mm_cvtsi32_si128(four)) {
        x = _mm_srai_epi16(_mm_unpacklo_epi8(x, x), 8);
        x = _mm_unpacklo_epi64(x, x);
    }
};

// Each product of pairs has the two halves of a column side by side.
inline Sums plus(Sums sums, const Four& four, const int8_t* weights) {
    const __m128i w = _mm_loadu_si128((const __m128i*)weights);
    const __m128 low = _mm_castsi128_ps(_mm_madd_epi16(_mm_srai_epi16(_mm_unpacklo_epi8(w, w), 8), four.x));
    const __m128 high = _mm_castsi128_ps(_mm_madd_epi16(_mm_srai_epi16(_mm_unpackhi_epi8(w, w), 8), four.x));
    const __m128i even = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
    const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xDD));
    return _mm_add_epi32(sums, _mm_add_epi32(even, odd));
}

#elif defined(__aarch64__)

typedef int32x4_t Sums;
constexpr int SHIFT = 0;

struct Four {
    int8x16_t x;
    explicit Four(int32_t four) : x(vreinterpretq_s8_s32(vdupq_n_s32(four))) {}
};

inline Sums plus(Sums sums, const Four& four, const int8_t* weights) {
    const int8x16_t w = vld1q_s8(weights);
#if defined(__ARM_FEATURE_DOTPROD)
    return vdotq_s32(sums, w, four.x);
#else  // 2 * 127 * 127 fits into 16 bits
    const int16x8_t low = vmull_s8(vget_low_s8(w), vget_low_s8(four.x)), high = vmull_high_s8(w, four.x);
    return vpadalq_s16(sums, vpaddq_s16(low, high));
#endif
}

#else

typedef int32_t Sums __attribute__((vector_size(64)));
constexpr int SHIFT = 0;

struct Four {
    int8_t x[4];
    explicit Four(int32_t four) { std::memcpy(x, &four, 4); }
};

inline Sums plus(Sums sums, const Four& four, const int8_t* weights) {
    for (int column = 0; column < PANEL; column++)
        for (int k = 0; k < 4; k++) sums[column] += int32_t(four.x[k]) * weights[4 * column + k];
    return sums;
}

#endif

constexpr int WHOLE = 4 * PANEL / int(sizeof(Sums));  // vectors of sums in a panel

template <int R, int P>
inline void whole_tile(const int8_t* x, ptrdiff_t depth, const Rounding* roundings, const int8_t* weights,
                       ptrdiff_t panel_stride, const float* scales, const float* bias, float* y, ptrdiff_t y_stride,
                       int columns, Finish finish) {
    Sums sums[R][P * WHOLE];
    for (int r = 0; r < R; r++)
        for (int p = 0; p < P * WHOLE; p++) sums[r][p] = Sums{};
    for (ptrdiff_t k = 0; k < depth; k += 4)
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            int32_t word;
            std::memcpy(&word, x + r * depth + k, 4);
            const Four four(word);
#pragma GCC unroll 16
            for (int p = 0; p < P * WHOLE; p++)
                sums[r][p] = plus(sums[r][p], four,
                                  weights + p / WHOLE * panel_stride + k * PANEL + p % WHOLE * int(sizeof(Sums)));
        }
    for (int r = 0; r < R; r++) {
        int32_t whole[P * PANEL];
        std::memcpy(whole, &sums[r], sizeof whole);
        for (int column = 0; column < P * PANEL && column < columns; column += LANES) {
            Ints sum;
            std::memcpy(&sum, whole + column, sizeof sum);
            sum -= SHIFT * roundings[r].sum;
            Floats value = __builtin_convertvector(sum, Floats) * (load(scales + column) * roundings[r].scale);
            finished(value + load(bias + column), y + r * y_stride + column, columns - column, finish);
        }
    }
}

template <int R>
void whole_strip(const int8_t* x, ptrdiff_t depth, const Rounding* roundings, const int8_t* weights, ptrdiff_t stride,
                 int panels, const float* scales, const float* bias, float* y, ptrdiff_t y_stride, int columns,
                 Finish finish) {
    constexpr int P = panels_for(R);
    int p = 0;
    for (; p + P <= panels; p += P)
        whole_tile<R, P>(x, depth, roundings, weights + p * stride, stride, scales + p * PANEL, bias + p * PANEL,
                         y + p * PANEL, y_stride, columns - p * PANEL, finish);
    for (; p < panels; p++)
        whole_tile<R, 1>(x, depth, roundings, weights + p * stride, stride, scales + p * PANEL, bias + p * PANEL,
                         y + p * PANEL, y_stride, columns - p * PANEL, finish);
}

}  // namespace regard
