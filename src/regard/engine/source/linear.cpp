#include "linear.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace regard {
namespace {

constexpr int PARTS = PANEL / LANES;  // vectors in a panel

// How many rows and panels are held in registers at once.
#if defined(__AVX512F__)
constexpr int MOST_ROWS = 8;
constexpr int panels_for(int rows) { return rows == 1 ? 8 : rows <= 4 ? 4 : 2; }
#elif defined(__AVX__)
constexpr int MOST_ROWS = 6;
constexpr int panels_for(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }
#elif defined(__x86_64__)   // sixteen registers of four numbers
constexpr int MOST_ROWS = 2;
constexpr int panels_for(int rows) { return rows == 1 ? 2 : 1; }
#elif defined(__aarch64__)  // thirty-two
constexpr int MOST_ROWS = 6;
constexpr int panels_for(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }
#else
constexpr int MOST_ROWS = 6;
constexpr int panels_for(int) { return 1; }
#endif

// A number of rows becomes one that the compiler knows.
template <int R = MOST_ROWS, class Work>
inline void for_rows(int rows, Work work) {
    if (rows == R) work(std::integral_constant<int, R>());
    else if constexpr (R > 1) for_rows<R - 1>(rows, work);
}

inline uint16_t to_half(float x) {
#if defined(__F16C__)
    return uint16_t(_cvtss_sh(x, 0));
#else
    _Float16 half = _Float16(x);
    uint16_t bits;
    std::memcpy(&bits, &half, 2);
    return bits;
#endif
}

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

inline void finished(Floats value, float* to, int lanes, Finish finish) {
    if (lanes >= LANES) {
        store(to, activate(finish.adds ? value + load(to) : value, finish.activation));
        return;
    }
    Floats old{};
    if (finish.adds) std::memcpy(&old, to, 4 * lanes);
    value = activate(value + old, finish.activation);
    std::memcpy(to, &value, 4 * lanes);
}

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

}  // namespace

constexpr size_t LARGE = size_t(2) << 20;

void on_large_pages([[maybe_unused]] char* data, [[maybe_unused]] size_t bytes) {
#if defined(__linux__)
    const uintptr_t first = (uintptr_t(data) + LARGE - 1) / LARGE * LARGE,
                    last = (uintptr_t(data) + bytes) / LARGE * LARGE;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

Memory::Memory(size_t wanted) : data(nullptr), bytes(wanted) {
    const size_t alignment = wanted >= LARGE ? LARGE : 64;
    const size_t whole = (wanted + alignment) / alignment * alignment;
    data = static_cast<char*>(::operator new(whole, std::align_val_t(alignment)));
    on_large_pages(data, whole);
}

Memory::~Memory() { ::operator delete(data, std::align_val_t(bytes >= LARGE ? LARGE : 64)); }

Linear::Linear(const float* weight, const float* given, int in, int out, Precision precision, float scale)
    : in(in),
      out(out),
      precision(precision),
      panels((out + PANEL - 1) / PANEL),
      panel_bytes(precision == INT8 ? size_t(depth(in)) * PANEL : size_t(in) * PANEL * (precision == FLOAT32 ? 4 : 2)),
      packed(panel_bytes * panels),
      bias(size_t(panels) * PANEL, 0.0f) {
    if (given) std::copy(given, given + out, bias.begin());
    if (precision == INT8) {
        scales.assign(bias.size(), 0.0f);
        std::memset(packed.data, SHIFT, packed.bytes);
    }
    for (int column = 0; column < panels * PANEL; column++) {
        const float* from = column < out ? weight + size_t(column) * in : nullptr;
        char* to = packed.data + size_t(column / PANEL) * panel_bytes;
        int lane = column % PANEL;
        if (precision == INT8 && from) {
            float most = 0;
            bool is_number = true;
            for (int k = 0; k < in; k++) {
                most = std::max(most, std::fabs(from[k]));
                is_number = is_number && std::isfinite(from[k]);
            }
            float step = most > 0 ? most / 127 : 1.0f;
            for (int k = 0; k < in && is_number; k++) {
                int value = std::max(-127, std::min(127, int(std::lrintf(from[k] / step))));
                reinterpret_cast<int8_t*>(to)[size_t(k / 4) * 4 * PANEL + 4 * lane + k % 4] = int8_t(value + SHIFT);
            }
            scales[column] = is_number ? step * scale : std::numeric_limits<float>::quiet_NaN();
        } else if (precision != INT8) {
            for (int k = 0; k < in; k++) {
                float value = from ? from[k] * scale : 0.0f;
                if (precision == FLOAT32) reinterpret_cast<float*>(to)[size_t(k) * PANEL + lane] = value;
                else reinterpret_cast<uint16_t*>(to)[size_t(k) * PANEL + lane] = to_half(value);
            }
        }
    }
}

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
