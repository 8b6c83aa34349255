// Products of large matrices on Intel's matrix tiles (AMX).
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define MAY_HAVE_TILES
#endif
#endif

namespace regard {

// Float32 numbers somewhere in memory: number (row, column) is data[row * row_stride + column * column_stride], and one
// of the two strides is 1.
struct MatrixView {
    const float* data;
    long rows, columns, row_stride, column_stride;
};

// Whether the processor has tiles and the system lets this process use them.
bool has_tiles();

// out[i][j] = sum over k of left[i][k] * right[j][k], + bias[j] where there is one. The factors are rounded to
// bfloat16, sums are float32; each number has one order of summation, however many threads there are.
void tile_product(const MatrixView& left, const MatrixView& right, const float* bias, float* out, int threads);

// What a cross-entropy reads and writes. The rows of x and of the table lie one after another, `width` numbers each, a
// multiple of 32; `table_grad` is added to.
struct CrossEntropy {
    const float *x, *table, *bias;
    const int64_t* targets;
    long rows, words, width;
    float smoothing;
    float *logsumexp, *right, *x_grad, *table_grad;
};

// Scores x @ table.T + bias: for each row their log-sum-exp and that of its target, and the gradients of the sum over
// rows of logsumexp - (1 - smoothing) * right. Scores are never held but for some rows, in bfloat16. False where a
// row's scores are further apart than its exponentials can be, or no numbers: then nothing that was written counts.
bool tile_cross_entropy(const CrossEntropy& task);

}  // namespace regard
