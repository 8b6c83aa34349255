// Vectors of the machine's own width, and the few functions that are needed of them.
// Written with the compiler's vector types, so that one source serves every processor.
#pragma once

#include <cstdint>
#include <cstring>

namespace regard {

#if defined(__AVX512F__)
constexpr int LANES = 16;
#elif defined(__AVX__)
constexpr int LANES = 8;
#else
constexpr int LANES = 4;
#endif

typedef float Floats __attribute__((vector_size(4 * LANES)));
typedef int32_t Ints __attribute__((vector_size(4 * LANES)));

inline Floats load(const float* from) {
    Floats to;
    std::memcpy(&to, from, sizeof to);
    return to;
}

inline void store(float* to, Floats from) { std::memcpy(to, &from, sizeof from); }

inline Floats all(float x) { return x - Floats{}; }

inline Floats choose(Ints where, Floats yes, Floats no) { return (Floats)((where & (Ints)yes) | (~where & (Ints)no)); }

inline Floats larger(Floats a, Floats b) { return choose(a > b, a, b); }

inline float sum(Floats x) {
    float total = 0;
    if constexpr (LANES == 16) {
        typedef float Half __attribute__((vector_size(32)));
        typedef float Quarter __attribute__((vector_size(16)));
        Half low, high;
        std::memcpy(&low, &x, 32);
        std::memcpy(&high, (const char*)&x + 32, 32);
        low += high;
        Quarter a, b;
        std::memcpy(&a, &low, 16);
        std::memcpy(&b, (const char*)&low + 16, 16);
        a += b;
        total = (a[0] + a[2]) + (a[1] + a[3]);
    } else if constexpr (LANES == 4) {
        total = (x[0] + x[1]) + (x[2] + x[3]);
    } else {
        for (int i = 0; i < LANES; i++) total += x[i];
    }
    return total;
}

inline float largest(Floats x) {
    float most = x[0];
    for (int i = 1; i < LANES; i++) most = x[i] > most ? x[i] : most;
    return most;
}

// e to the x, within 2 units in the last place; what is not a number stays so.
inline Floats exponential(Floats x) {
    const Floats low = all(-87.3f), high = all(88.7f), magic = all(12582912.0f);  // 1.5 * 2^23: rounds when added
    Floats y = choose(x < low, low, x);
    y = choose(y > high, high, y);
    Floats turns = y * 1.44269504f + magic;
    Ints power = (Ints)turns - 0x4B400000;
    turns -= magic;
    Floats rest = y - turns * 0.693359375f + turns * 2.12194440e-4f;
    Floats p = all(1.9875691500e-4f);
    p = p * rest + 1.3981999507e-3f;
    p = p * rest + 8.3334519073e-3f;
    p = p * rest + 4.1665795894e-2f;
    p = p * rest + 1.6666665459e-1f;
    p = p * rest + 5.0000001201e-1f;
    p = p * rest * rest + rest + 1.0f;
    p = (Floats)((Ints)p + (power << 23));
    p = choose(x < low, all(0.0f), p);
    return choose(x == x, p, x);
}

enum Activation { STRAIGHT, RELU, GELU, GELU_TANH, SILU, TANH };

inline Floats hyperbolic(Floats x) { return 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f); }

// Abramowitz and Stegun 7.1.26, within 1.5e-7.
inline Floats error_function(Floats x) {
    Floats size = choose(x < 0.0f, -x, x);
    Floats t = 1.0f / (size * 0.3275911f + 1.0f);
    Floats p = ((((t * 1.061405429f - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
    Floats y = 1.0f - p * exponential(-size * size);
    return choose(x < 0.0f, -y, y);
}

inline Floats activate(Floats x, Activation how) {
    switch (how) {
        case RELU: return choose(x < 0.0f, all(0.0f), x);
        case GELU: return x * 0.5f * (error_function(x * 0.70710678f) + 1.0f);
        case GELU_TANH: return x * 0.5f * (hyperbolic((x * x * x * 0.044715f + x) * 0.79788456f) + 1.0f);
        case SILU: return x / (exponential(-x) + 1.0f);
        case TANH: return hyperbolic(x);
        default: return x;
    }
}

}  // namespace regard
