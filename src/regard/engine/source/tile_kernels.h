// What products on matrix tiles are made of; only for files that are compiled where there may be tiles.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "tiles.h"

#define ON_TILES __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")))

namespace regard {

constexpr long SIDE = 16, DEPTH = 32, BYTES = 1024;  // of a tile of bfloat16 numbers

// A tile in registers: 16 rows of 16 pairs.
using Rows = __m512i[SIDE];

struct TileShapes {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

ON_TILES inline __m512 numbers(const float* at, long count) {
    if (count >= SIDE) return _mm512_loadu_ps(at);
    return count <= 0 ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), at);
}

// 16 rows of 32 numbers that lie one after another: row i has their pairs.
ON_TILES inline void straight(const float* at, long stride, long rows, long depth, Rows& tile) {
    for (long i = 0; i < SIDE; ++i) {
        const long count = i < rows ? depth : 0;
        tile[i] = (__m512i)_mm512_cvtne2ps_pbh(numbers(at + (count ? i * stride + SIDE : 0), count - SIDE),
                                               numbers(at + (count ? i * stride : 0), count));
    }
}

// 32 rows of 16 numbers: row j pairs those of rows 2j and 2j + 1.
ON_TILES inline void interleaved(const float* at, long stride, long columns, long depth, Rows& tile) {
    for (long j = 0; j < SIDE; ++j) {
        const long left = depth - 2 * j;
        const __m512 even = left > 0 ? numbers(at + 2 * j * stride, columns) : _mm512_setzero_ps();
        const __m512 odd = left > 1 ? numbers(at + (2 * j + 1) * stride, columns) : _mm512_setzero_ps();
        const __m512i low = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(even));
        const __m512i high = _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(odd));
        tile[j] = _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
    }
}

// Rows of pairs become columns of pairs.
ON_TILES inline void transpose(Rows& tile) {
    Rows half;
    for (int i = 0; i < SIDE; i += 2) {
        half[i] = _mm512_unpacklo_epi32(tile[i], tile[i + 1]);
        half[i + 1] = _mm512_unpackhi_epi32(tile[i], tile[i + 1]);
    }
    for (int i = 0; i < SIDE; i += 4)
        for (int j = 0; j < 2; ++j) {
            tile[i + 2 * j] = _mm512_unpacklo_epi64(half[i + j], half[i + j + 2]);
            tile[i + 2 * j + 1] = _mm512_unpackhi_epi64(half[i + j], half[i + j + 2]);
        }
    for (int i = 0; i < SIDE; i += 8)
        for (int j = i; j < i + 4; ++j) {
            half[j] = _mm512_shuffle_i32x4(tile[j], tile[j + 4], 0x88);
            half[j + 4] = _mm512_shuffle_i32x4(tile[j], tile[j + 4], 0xdd);
        }
    for (int j = 0; j < SIDE / 2; ++j) {
        tile[j] = _mm512_shuffle_i32x4(half[j], half[j + 8], 0x88);
        tile[j + 8] = _mm512_shuffle_i32x4(half[j], half[j + 8], 0xdd);
    }
}

// 16 rows of the matrix by 32 of its columns, zero where it ends; the right factor's tiles are transposed.
ON_TILES inline void pack_tile(const MatrixView& matrix, long row, long column, long end, bool is_right, char* to) {
    const long rows = std::min(SIDE, matrix.rows - row), depth = std::min(DEPTH, end - column);
    Rows tile = {};
    if (rows > 0 && depth > 0) {
        const float* at = matrix.data + row * matrix.row_stride + column * matrix.column_stride;
        const bool lies_in_rows = matrix.column_stride == 1;
        if (lies_in_rows) straight(at, matrix.row_stride, rows, depth, tile);
        else interleaved(at, matrix.column_stride, rows, depth, tile);
        if (lies_in_rows == is_right) transpose(tile);
    }
    std::memcpy(to, tile, BYTES);
}

// Tiles of some rows, those of a row one after another; read in the order in which the numbers lie in memory.
inline void pack(const MatrixView& matrix, long row, long rows, long first, long end, bool is_right, char* to) {
    const long tiles = (end - first + DEPTH - 1) / DEPTH, high = (rows + 2 * SIDE - 1) / (2 * SIDE) * 2;
    const bool by_rows = matrix.column_stride == 1;
    for (long outer = 0; outer < (by_rows ? high : tiles); ++outer)
        for (long inner = 0; inner < (by_rows ? tiles : high); ++inner) {
            const long i = by_rows ? outer : inner, k = by_rows ? inner : outer;
            pack_tile(matrix, row + i * SIDE, first + k * DEPTH, end, is_right, to + (i * tiles + k) * BYTES);
        }
}

// 32 x 32 sums, from what stands at `from` (rows that lie `step` numbers apart, 0: all the same) to `to`. The right
// factor's second row of tiles lies `apart` tiles after its first, as many as there are if nothing is said.
ON_TILES inline void multiply(const char* left, const char* right, long tiles, const float* from, long step, float* to,
                              long stride, long apart = 0) {
    const char *below = left + tiles * BYTES, *beside = right + (apart ? apart : tiles) * BYTES;
    _tile_loadd(0, from, step * 4);
    _tile_loadd(1, from + SIDE, step * 4);
    _tile_loadd(2, from + SIDE * step, step * 4);
    _tile_loadd(3, from + SIDE * step + SIDE, step * 4);
    for (long k = 0; k < tiles * BYTES; k += BYTES) {
        _tile_loadd(4, left + k, 64);
        _tile_loadd(6, right + k, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, beside + k, 64);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, below + k, 64);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, to, stride * 4);
    _tile_stored(1, to + SIDE, stride * 4);
    _tile_stored(2, to + SIDE * stride, stride * 4);
    _tile_stored(3, to + SIDE * stride + SIDE, stride * 4);
}

// Room for packed tiles that a thread keeps.
struct Room {
    std::unique_ptr<char, void (*)(void*)> data{nullptr, std::free};
    size_t size = 0;

    char* bytes(size_t count) {
        if (count > size) {
            count = (count + 4095) / 4096 * 4096;
            data.reset(static_cast<char*>(std::aligned_alloc(4096, count)));
            size = data ? count : 0;
            if (!data) throw std::bad_alloc();
        }
        return data.get();
    }
};

}  // namespace regard
