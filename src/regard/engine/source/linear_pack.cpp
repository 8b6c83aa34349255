// How the weights of a linear layer come to lie as they are read.

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "linear_bytes.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace regard {
namespace {

constexpr size_t LARGE = size_t(2) << 20;

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

}  // namespace

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

size_t Linear::bytes(int in, int out, Precision precision) {
    return columns(out) * (precision == INT8 ? size_t(depth(in)) : size_t(in) * (precision == FLOAT32 ? 4 : 2));
}

Linear::Linear(int in, int out, Precision precision, const char* packed, const float* bias, const float* scales)
    : in(in),
      out(out),
      precision(precision),
      packed(packed),
      bias(bias, bias + columns(out)),
      scales(scales, scales + (precision == INT8 ? columns(out) : 0)),
      panels(int(columns(out) / PANEL)),
      panel_bytes(bytes(in, PANEL, precision)) {}

Linear::Linear(const float* weight, const float* given, int in, int out, Precision precision, float scale)
    : in(in),
      out(out),
      precision(precision),
      own(std::make_unique<Memory>(bytes(in, out, precision))),
      packed(own->data),
      bias(columns(out), 0.0f),
      panels(int(columns(out) / PANEL)),
      panel_bytes(bytes(in, PANEL, precision)) {
    if (given) std::copy(given, given + out, bias.begin());
    if (precision == INT8) {
        scales.assign(bias.size(), 0.0f);
        std::memset(own->data, SHIFT, own->bytes);
    }
    for (int column = 0; column < panels * PANEL; column++) {
        const float* from = column < out ? weight + size_t(column) * in : nullptr;
        char* to = own->data + size_t(column / PANEL) * panel_bytes;
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

}  // namespace regard
