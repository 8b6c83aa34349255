// What numbers in memory come to: the same until one of them changes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace regard {

// Of some stretches of memory: `lines` cache lines of each, always the same ones, or everything with 0.
uint64_t fingerprint(const void* const* data, const size_t* bytes, int count, int lines, int threads);

}  // namespace regard
