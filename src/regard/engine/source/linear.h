// A linear layer whose weights lie in memory in the order in which they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simd.h"
#include "team.h"

namespace regard {

constexpr int PANEL = 16;  // columns that are computed together

enum Precision { FLOAT32, FLOAT16, INT8 };

// Asks for large pages wherever whole ones fit.
void on_large_pages(char* data, size_t bytes);

// Memory on large pages where the system has them: weights are read in long straight lines.
class Memory {
public:
    explicit Memory(size_t bytes);
    ~Memory();
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
    // Of weights that lie packed somewhere, and stay there; of bias and scales there is one for each of columns(out).
    Linear(int in, int out, Precision precision, const char* packed, const float* bias, const float* scales);

    // y = x weight^T + bias, its columns shared by all.
    void apply(Worker& me, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const;

    // Numbers a row of x takes when it is rounded.
    static int depth(int in) { return (in + 3) / 4 * 4; }

    // Columns with those that fill up the last panel.
    static size_t columns(int out) { return (size_t(out) + PANEL - 1) / PANEL * PANEL; }
    // What packed weights take.
    static size_t bytes(int in, int out, Precision precision);

    const int in, out;
    const Precision precision;

private:
    std::unique_ptr<Memory> own;

public:
    const char* const packed;
    std::vector<float> bias;    // one per column, zero past the last
    std::vector<float> scales;  // int8: what one step of a column's weights is worth

private:
    const char* panel(int number) const { return packed + size_t(number) * panel_bytes; }
    void floats(int first, int last, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const;
    void integers(int first, int last, const Rows& x, int rows, float* y, ptrdiff_t stride, Finish finish) const;

    int panels;
    size_t panel_bytes;
};

// The rows, rounded to eight bits, shared by all.
void round_rows(Worker& me, const Rows& x, int rows, int width);

}  // namespace regard
