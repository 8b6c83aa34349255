#include "top.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "simd.h"
#include "team.h"

namespace regard {
namespace {

struct TopToken {
    float score;
    int word;
};

// Larger first; of equals the earlier word.
bool before(const TopToken& a, const TopToken& b) {
    return a.score > b.score || (a.score == b.score && a.word < b.word);
}

float log_of_sum(const float* row, int words) {
    Floats most = all(-std::numeric_limits<float>::infinity()), total{};
    float rest_most = -std::numeric_limits<float>::infinity(), rest = 0;
    int i = 0;
    for (; i + LANES <= words; i += LANES) most = larger(load(row + i), most);
    for (; i < words; i++) rest_most = row[i] > rest_most ? row[i] : rest_most;
    rest_most = std::max(rest_most, largest(most));
    for (i = 0; i + LANES <= words; i += LANES) total += exponential(load(row + i) - rest_most);
    for (; i < words; i++) rest += std::exp(row[i] - rest_most);
    return rest_most + std::log(sum(total) + rest);
}

bool is_any(Ints where) {
    typedef int64_t Pairs __attribute__((vector_size(4 * LANES)));
    Pairs pairs = (Pairs)where;
    int64_t bits = 0;
    for (int lane = 0; lane < LANES / 2; lane++) bits |= pairs[lane];
    return bits != 0;
}

// `found` has room for `count`; it is kept in order.
void likeliest(const float* row, int words, int count, TopToken* found) {
    int have = 0;
    float least = -std::numeric_limits<float>::infinity();
    auto offer = [&](int word) {
        TopToken one{row[word], word};
        if (have == count && !before(one, found[count - 1])) return;
        int place = have < count ? have++ : count - 1;
        for (; place > 0 && before(one, found[place - 1]); place--) found[place] = found[place - 1];
        found[place] = one;
        if (have == count) least = found[count - 1].score;
    };
    int i = 0;
    for (; i < words && have < count; i++) offer(i);
    for (; i + 4 * LANES <= words; i += 4 * LANES) {
        Ints any = (load(row + i) > least) | (load(row + i + LANES) > least) | (load(row + i + 2 * LANES) > least) |
                   (load(row + i + 3 * LANES) > least);
        if (!is_any(any)) continue;
        for (int word = i; word < i + 4 * LANES; word++)
            if (row[word] > least) offer(word);
    }
    for (; i < words; i++) offer(i);
}

}  // namespace

void top(const float* logits, int rows, int words, int count, float* scores, int64_t* which, float* logsumexp,
         int threads) {
    std::vector<TopToken> all_found(size_t(rows) * count);
    together(rows > 1 ? threads : 1, [&](Worker& me) {
        me.share(rows, 1, [&](int first, int last) {
            for (int row = first; row < last; row++) {
                const float* mine = logits + std::ptrdiff_t(row) * words;
                TopToken* found = all_found.data() + std::ptrdiff_t(row) * count;
                logsumexp[row] = log_of_sum(mine, words);
                likeliest(mine, words, count, found);
                for (int i = 0; i < count; i++) {
                    scores[std::ptrdiff_t(row) * count + i] = found[i].score;
                    which[std::ptrdiff_t(row) * count + i] = found[i].word;
                }
            }
        });
    });
}

}  // namespace regard
