// The likeliest words.
#pragma once

#include <cstdint>

namespace regard {

// For each row of logits: the log of the sum of their exponentials, the `count` largest ones, and which they are.
void top(const float* logits, int rows, int words, int count, float* scores, int64_t* which, float* logsumexp,
         int threads);

}  // namespace regard
