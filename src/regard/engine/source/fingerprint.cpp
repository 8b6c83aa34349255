#include "fingerprint.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "team.h"

namespace regard {
namespace {

constexpr size_t LINE = 64, ABREAST = 8, CHUNK = size_t(1) << 18;
constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio: its multiples spread evenly

typedef uint32_t Words __attribute__((vector_size(LINE)));

// One line more. For a given line every sum leads to another sum, and the other way round: no change of one line is
// lost. The turn brings high bits down: without it two changed signs would undo each other.
inline void add(Words& sums, const char* from, size_t bytes = LINE) {
    Words words{};
    std::memcpy(&words, from, bytes);
    sums = (sums ^ words) * 0x9E3779B1u;
    sums = (sums << 13) | (sums >> 19);
}

inline uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

struct Digest {
    Words sums[ABREAST];

    Digest() {
        for (size_t n = 0; n < ABREAST; n++)
            for (size_t lane = 0; lane < LINE / 4; lane++) sums[n][lane] = uint32_t(n * LINE + lane + 1);
    }

    uint64_t folded(uint64_t start) const {
        for (const Words& some : sums)
            for (size_t lane = 0; lane < LINE / 4; lane++) start = mixed(start ^ some[lane]) + GOLDEN;
        return start;
    }
};

uint64_t whole(const char* data, size_t bytes) {
    Digest digest;
    size_t at = 0;
    for (; at + ABREAST * LINE <= bytes; at += ABREAST * LINE)
#pragma GCC unroll 8
        for (size_t n = 0; n < ABREAST; n++) add(digest.sums[n], data + at + n * LINE);
    for (size_t n = 0; at < bytes; at += LINE, n++) add(digest.sums[n], data + at, std::min(LINE, bytes - at));
    return digest.folded(bytes);
}

// Calls visit(line, bytes) for the lines that stand for all.
template <class Visit>
void for_sample(const void* const* data, const size_t* bytes, int count, size_t lines, Visit visit) {
    for (int i = 0; i < count; i++) {
        const char* from = static_cast<const char*>(data[i]);
        const size_t all = (bytes[i] + LINE - 1) / LINE;
        for (size_t line = 0; line < std::min(all, lines); line++) {
            const size_t chosen = all <= lines ? line : size_t((line * GOLDEN >> 32) * all >> 32);
            visit(from + chosen * LINE, std::min(LINE, bytes[i] - chosen * LINE));
        }
    }
}

uint64_t sampled(const void* const* data, const size_t* bytes, int count, size_t lines) {
    Digest digest;
    size_t n = 0;
    // Every line is far away and on a page of its own: all are sent for before the first is needed.
    for_sample(data, bytes, count, lines, [](const char* line, size_t) { __builtin_prefetch(line); });
    for_sample(data, bytes, count, lines, [&](const char* line, size_t size) {
        Words& sums = digest.sums[n++ % ABREAST];
        if (size == LINE) add(sums, line);
        else add(sums, line, size);
    });
    return digest.folded(n);
}

}  // namespace

uint64_t fingerprint(const void* const* data, const size_t* bytes, int count, int lines, int threads) {
    if (lines) return sampled(data, bytes, count, size_t(lines));
    struct Chunk {
        const char* data;
        size_t bytes;
    };
    std::vector<Chunk> chunks;
    for (int i = 0; i < count; i++)
        for (size_t at = 0; at < bytes[i]; at += CHUNK)
            chunks.push_back({static_cast<const char*>(data[i]) + at, std::min(CHUNK, bytes[i] - at)});
    std::atomic<uint64_t> total{0};
    together(threads, [&](Worker& me) {
        me.share(int(chunks.size()), 1, [&](int first, int last) {
            uint64_t mine = 0;  // a sum, so that it does not matter who takes what
            for (int i = first; i < last; i++) mine += mixed(whole(chunks[i].data, chunks[i].bytes) ^ (i * GOLDEN));
            total.fetch_add(mine, std::memory_order_relaxed);
        });
    });
    return total.load();
}

}  // namespace regard
