// A linear layer whose weights lie in memory in the order in which they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd.h"
#include "team.h"

namespace regard {

constexpr int PANEL = 16;  // columns that are computed together

enum Precision { FLOAT32, FLOAT16, INT8 };

// Memory on large pages where the system has them: weights are read in long straight lines.
// Asks for large pages wherever whole ones fit.
void on_large_pages(char* data, size_t bytes);

class Memory {
public:
    explicit Memory(size_t bytes);
    ~Memory();
    Memory(Memory&& other) noexcept : data(other.data), bytes(other.bytes) { other.data = nullptr; }
    Memory(const Memory&) = delete;
    char* data;
    size_t bytes;
};

// How a row was rounded to eight bits.
struct Rounding {
    float scale;  // what one step is worth
    int32_t sum;  // of the rounded numbers
};

// Rows of numbers, and for int8 the same numbers rounded, each row to its own scale: no row changes another.
struct Rows {
    const float* x;
    ptrdiff_t stride;
    int8_t* rounded = nullptr;  // (rows, depth(in)) bytes
    Rounding* roundings = nullptr;
};

// What is done to a product before it is written.
struct Finish {
    Activation activation = STRAIGHT;
    bool adds = false;  // to what is there already
};

class Linear {
public:
    // weight is (out, in) as torch has it; bias may be null.
    Linear(const float* weight, const float* bias, int in, int out, Precision precision, float scale = 1.0f);

    // y = x weight^T + bias, its columns shared by all.
    void apply(Worker& me, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const;

    // Numbers a row of x takes when it is rounded.
    static int depth(int in) { return (in + 3) / 4 * 4; }

    const int in, out;
    const Precision precision;

    size_t bytes() const { return packed.bytes; }

private:
    const char* panel(int number) const { return packed.data + size_t(number) * panel_bytes; }
    void floats(int first, int last, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const;
    void integers(int first, int last, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const;

    int panels;
    size_t panel_bytes;
    Memory packed;
    std::vector<float> bias;    // one per column, zero past the last
    std::vector<float> scales;  // int8: what one step of a column's weights is worth
};

// The rows, rounded to eight bits, shared by all.
void round_rows(Worker& me, const Rows& x, int rows, int width);

}  // namespace regard
