// How much of a linear layer is held in registers at once, and what becomes of a sum there.
#pragma once

#include <type_traits>

#include "linear.h"

namespace regard {

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

}  // namespace regard
