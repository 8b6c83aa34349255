#include "tiles.h"

#include "problem.h"

#ifdef MAY_HAVE_TILES

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "team.h"
#include "tile_kernels.h"

namespace regard {

namespace {

constexpr long DEEP = 512, WIDE = 512, HIGH = 1024, LEAST = 4 * 32;  // numbers that fit the caches; rows for a thread

thread_local Room left_room, right_room;

// One thread's rows.
ON_TILES void product(const MatrixView& left, const MatrixView& right, const float* bias, float* out, long stride) {
    const long columns = right.rows, depth = left.columns;
    alignas(64) float edge[32 * 32], start[32];
    const TileShapes shapes;
    _tile_loadconfig(&shapes);
    for (long first = 0; first < std::max(depth, 1L); first += DEEP) {
        const long end = std::min(depth, first + DEEP), tiles = (end - first + DEPTH - 1) / DEPTH;
        char* lefts = left_room.bytes(size_t((left.rows + 31) / 32 * 2 * tiles * BYTES));
        pack(left, 0, left.rows, first, end, false, lefts);
        for (long near = 0; near < columns; near += WIDE) {
            const long far = std::min(columns, near + WIDE);
            char* rights = right_room.bytes(size_t((far - near + 31) / 32 * 2 * tiles * BYTES));
            pack(right, near, far - near, first, end, true, rights);
            for (long top = 0; top < left.rows; top += HIGH)
                for (long j = near; j < far; j += 32) {
                    for (long at = 0; at < 32; ++at) start[at] = bias && j + at < columns ? bias[j + at] : 0.0f;
                    for (long i = top; i < std::min(left.rows, top + HIGH); i += 32) {
                        const char* rows = lefts + i / SIDE * tiles * BYTES;
                        const char* others = rights + (j - near) / SIDE * tiles * BYTES;
                        float* here = out + i * stride + j;
                        if (i + 32 <= left.rows && j + 32 <= columns) {
                            multiply(rows, others, tiles, first ? here : start, first ? stride : 0, here, stride);
                            continue;
                        }
                        const long high = std::min(32L, left.rows - i), wide = std::min(32L, columns - j);
                        if (first)
                            for (long row = 0; row < high; ++row)
                                std::copy_n(here + row * stride, wide, edge + row * 32);
                        multiply(rows, others, tiles, first ? edge : start, first ? 32 : 0, edge, 32);
                        for (long row = 0; row < high; ++row) std::copy_n(edge + row * 32, wide, here + row * stride);
                    }
                }
        }
    }
    _tile_release();
}

bool ask_for_tiles() {
    constexpr int REQUEST = 0x1023, TILE_DATA = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d >> 22 & 1) || !(d >> 24 & 1))
        return false;                                                             // amx-bf16, amx-tile
    if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a >> 5 & 1)) return false;  // avx512-bf16
    return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}

}  // namespace

bool has_tiles() {
    static const bool answer = ask_for_tiles();
    return answer;
}

void tile_product(const MatrixView& left, const MatrixView& right, const float* bias, float* out, int threads) {
    if (!has_tiles()) throw Problem{"this processor has no matrix tiles"};
    const long stride = right.rows, blocks = (left.rows + 31) / 32;
    together(threads, [&](Worker& me) {
        me.share(int(blocks), int(LEAST / 32), [&](int first, int last) {
            const long row = first * 32L, rows = std::min(left.rows, last * 32L) - row;
            const MatrixView part{left.data + row * left.row_stride, rows, left.columns, left.row_stride,
                                  left.column_stride};
            product(part, right, bias, out + row * stride, stride);
        });
    });
}

}  // namespace regard

#else

namespace regard {

bool has_tiles() { return false; }

void tile_product(const MatrixView&, const MatrixView&, const float*, float*, int) {
    throw Problem{"this processor has no matrix tiles"};
}

}  // namespace regard

#endif
