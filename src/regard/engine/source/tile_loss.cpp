#include "problem.h"
#include "tiles.h"

#ifdef MAY_HAVE_TILES

#include <cmath>

#include "tile_kernels.h"

namespace regard {

namespace {

constexpr long HIGH = 512, WIDE = 512, PAIR = 2 * SIDE;  // rows and words at a time; what multiply() takes of each
constexpr float LARGEST = 1e30f;                         // a sum of exponentials that can still be worked with

thread_local Room table_room, deep_room, x_room, scaled_room, wide_room, high_room, rows_room, scores_room;

// e to the x, within 2 units in the last place.
ON_TILES inline __m512 exponential16(__m512 x) {
    const __m512 turns = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
    __m512 rest = _mm512_fnmadd_ps(turns, _mm512_set1_ps(0.693359375f), x);
    rest = _mm512_fmadd_ps(turns, _mm512_set1_ps(2.12194440e-4f), rest);
    __m512 p = _mm512_set1_ps(1.9875691500e-4f);
    for (float factor : {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f})
        p = _mm512_fmadd_ps(p, rest, _mm512_set1_ps(factor));
    p = _mm512_fmadd_ps(p, _mm512_mul_ps(rest, rest), _mm512_add_ps(rest, _mm512_set1_ps(1.0f)));
    return _mm512_scalef_ps(p, turns);
}

inline float from_bfloat16(uint16_t bits) {
    const uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
}

ON_TILES inline uint16_t to_bfloat16(float value) {
    const __m256i bits = (__m256i)_mm512_cvtneps_pbh(_mm512_set1_ps(value));
    return uint16_t(_mm256_extract_epi16(bits, 0));
}

// Some rows of a task, and what is known of each: a score near its largest one, and the sum of exponentials beside it.
struct RowBlock {
    const CrossEntropy& task;
    long first, rows, high;  // high: rows, up to a whole number of PAIRs
    float level[HIGH], sums[HIGH];

    RowBlock(const CrossEntropy& task, long first)
        : task(task), first(first), rows(std::min(HIGH, task.rows - first)), high((rows + PAIR - 1) / PAIR * PAIR) {}
};

// Scores of 32 rows and some words become exponentials: as rows of words, and as words of rows.
ON_TILES void exponentials(RowBlock& block, long row, long word, long count, const float* scores, char* by_row,
                           char* by_word) {
    const CrossEntropy& task = block.task;
    const long wide = (count + PAIR - 1) / PAIR, deep = block.high / DEPTH;
    for (long i = row; i < std::min(row + PAIR, block.rows); ++i) {
        const float* here = scores + (i - row) * WIDE;
        if (!word) {
            __m512 most = _mm512_set1_ps(-INFINITY);
            for (long at = 0; at < count; at += SIDE) {
                const __mmask16 some = __mmask16(count - at >= SIDE ? 0xffff : (1u << (count - at)) - 1);
                most = _mm512_mask_max_ps(most, some, most, _mm512_maskz_loadu_ps(some, here + at));
            }
            block.level[i] = _mm512_reduce_max_ps(most);
        }
        const long target = task.targets[block.first + i] - word;
        if (target >= 0 && target < count) task.right[block.first + i] = here[target];
    }
    for (long at = 0; at < wide * PAIR; at += PAIR) {
        alignas(64) float part[PAIR][PAIR];
        const auto mask = [&](long left) { return __mmask16(left >= SIDE ? 0xffff : left > 0 ? (1u << left) - 1 : 0); };
        const __mmask16 low = mask(count - at), high = mask(count - at - SIDE);
        for (long i = 0; i < PAIR; ++i) {
            __m512 one = _mm512_setzero_ps(), two = one;
            if (row + i < block.rows) {
                const __m512 level = _mm512_set1_ps(block.level[row + i]);
                const float* here = scores + i * WIDE + at;
                one = _mm512_maskz_mov_ps(low, exponential16(_mm512_sub_ps(_mm512_loadu_ps(here), level)));
                two = _mm512_maskz_mov_ps(high, exponential16(_mm512_sub_ps(_mm512_loadu_ps(here + SIDE), level)));
                block.sums[row + i] += _mm512_reduce_add_ps(_mm512_add_ps(one, two));
            }
            _mm512_store_ps(part[i], one);
            _mm512_store_ps(part[i] + SIDE, two);
        }
        for (long half = 0; half < 2; ++half) {
            Rows tile;
            straight(part[half * SIDE], PAIR, SIDE, DEPTH, tile);
            std::memcpy(by_row + ((row / SIDE + half) * wide + at / DEPTH) * BYTES, tile, BYTES);
            interleaved(&part[0][half * SIDE], PAIR, SIDE, DEPTH, tile);
            transpose(tile);
            std::memcpy(by_word + (((word + at) / SIDE + half) * deep + row / DEPTH) * BYTES, tile, BYTES);
        }
    }
}

// One block of rows: true if its exponentials were numbers to work with.
ON_TILES bool run(RowBlock& block, const char* table, const char* deep_table) {
    const CrossEntropy& task = block.task;
    const long width = task.width, tiles = width / DEPTH, all_words = (task.words + PAIR - 1) / PAIR * PAIR;
    const long deep = block.high / DEPTH, depth_tiles = all_words / DEPTH;
    const float* x = task.x + block.first * width;
    char* x_tiles = x_room.bytes(size_t(block.high / SIDE * tiles * BYTES));
    char* by_row = high_room.bytes(size_t(block.high / SIDE * (WIDE / DEPTH) * BYTES));
    char* by_word = wide_room.bytes(size_t(all_words / SIDE * deep * BYTES));
    float* change = reinterpret_cast<float*>(rows_room.bytes(size_t(block.high * width) * 4));
    float* scores = reinterpret_cast<float*>(scores_room.bytes(size_t(PAIR * WIDE) * 4));
    pack({x, block.rows, width, width, 1}, 0, block.rows, 0, width, false, x_tiles);
    std::fill(block.sums, block.sums + block.high, 0.0f);
    std::fill(change, change + block.high * width, 0.0f);
    alignas(64) float start[PAIR];
    for (long word = 0; word < task.words; word += WIDE) {
        const long count = std::min(WIDE, task.words - word), wide = (count + PAIR - 1) / PAIR * PAIR;
        for (long row = 0; row < block.high; row += PAIR) {
            for (long at = 0; at < wide; at += PAIR) {
                for (long j = 0; j < PAIR; ++j)
                    start[j] = task.bias && word + at + j < task.words ? task.bias[word + at + j] : 0.0f;
                multiply(x_tiles + row / SIDE * tiles * BYTES, table + (word + at) / SIDE * tiles * BYTES, tiles, start,
                         0, scores + at, WIDE);
            }
            exponentials(block, row, word, count, scores, by_row, by_word);
        }
        for (long row = 0; row < block.high; row += PAIR)
            for (long at = 0; at < width; at += PAIR) {
                float* here = change + row * width + at;
                const char* right = deep_table + (at / SIDE * depth_tiles + word / DEPTH) * BYTES;
                multiply(by_row + row / SIDE * (wide / DEPTH) * BYTES, right, wide / DEPTH, here, width, here, width,
                         depth_tiles);
            }
    }
    float* scaled = reinterpret_cast<float*>(scaled_room.bytes(size_t(block.high * width) * 8));
    std::fill(scaled, scaled + block.high * width, 0.0f);
    for (long i = 0; i < block.rows; ++i) {
        const float sum = block.sums[i], share = 1.0f / sum, rest = 1.0f - task.smoothing;
        if (!(sum >= 0.5f && sum <= LARGEST)) return false;
        const long row = block.first + i, target = task.targets[row];
        task.logsumexp[row] = block.level[i] + std::log(sum);
        const float* known = task.table + target * width;
        for (long j = 0; j < width; ++j) {
            task.x_grad[row * width + j] = change[i * width + j] * share - rest * known[j];
            scaled[i * width + j] = x[i * width + j] * share;
        }
        uint16_t* tile = reinterpret_cast<uint16_t*>(by_word + (target / SIDE * deep + i / DEPTH) * BYTES);
        uint16_t& likely = tile[target % SIDE * DEPTH + i % DEPTH];
        likely = to_bfloat16(from_bfloat16(likely) - rest * sum);
    }
    char* scaled_tiles = reinterpret_cast<char*>(scaled + block.high * width);
    pack({scaled, width, block.high, 1, width}, 0, width, 0, block.high, true, scaled_tiles);
    alignas(64) float edge[PAIR * PAIR];
    for (long word = 0; word < task.words; word += PAIR)
        for (long at = 0; at < width; at += PAIR) {
            float* here = task.table_grad + word * width + at;
            const char *left = by_word + word / SIDE * deep * BYTES, *right = scaled_tiles + at / SIDE * deep * BYTES;
            const long left_words = task.words - word;
            if (left_words >= PAIR) {
                multiply(left, right, deep, here, width, here, width);
                continue;
            }
            for (long i = 0; i < left_words; ++i) std::copy_n(here + i * width, PAIR, edge + i * PAIR);
            multiply(left, right, deep, edge, PAIR, edge, PAIR);
            for (long i = 0; i < left_words; ++i) std::copy_n(edge + i * PAIR, PAIR, here + i * width);
        }
    return true;
}

}  // namespace

ON_TILES bool tile_cross_entropy(const CrossEntropy& task) {
    if (!has_tiles()) throw Problem{"this processor has no matrix tiles"};
    const long all_words = (task.words + PAIR - 1) / PAIR * PAIR, tiles = task.width / DEPTH;
    char* table = table_room.bytes(size_t(all_words / SIDE * tiles * BYTES));
    char* deep_table = deep_room.bytes(size_t(all_words / DEPTH * (task.width / SIDE) * BYTES));
    pack({task.table, task.words, task.width, task.width, 1}, 0, task.words, 0, task.width, true, table);
    pack({task.table, task.width, task.words, 1, task.width}, 0, task.width, 0, task.words, true, deep_table);
    const TileShapes shapes;
    _tile_loadconfig(&shapes);
    bool is_whole = true;
    for (long row = 0; row < task.rows && is_whole; row += HIGH) {
        RowBlock block(task, row);
        is_whole = run(block, table, deep_table);
    }
    _tile_release();
    return is_whole;
}

}  // namespace regard

#else

namespace regard {

bool tile_cross_entropy(const CrossEntropy&) { throw Problem{"this processor has no matrix tiles"}; }

}  // namespace regard

#endif
