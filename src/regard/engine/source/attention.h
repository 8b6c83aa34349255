// One query looks at the keys it may see.
#pragma once

#include <vector>

#include "model.h"

namespace regard {

// The keys that a query sees. A value lies right behind its key.
struct VisibleKeys {
    std::vector<const float*> keys;
    std::vector<int> ahead;  // by how many positions each stands after the query; of a source, where it stands
    std::vector<float> scores;
    int count = 0;

    void reserve(int most);
    void clear() { count = 0; }
    void add(const float* key, int distance) {
        keys[count] = key;
        ahead[count++] = distance;
    }
};

// What the weights of a row are made of: exp(score - most) / sum.
struct RowStatistics {
    float most, sum;
};

// One head of one query with every key that it sees, of which there is one at least: visible.scores become
// exp(score - most).
RowStatistics compare(const Attention& layer, const EmbeddedStack& stack, bool has_bias, const Change& change, int head,
                      const float* query, VisibleKeys& visible);

// What one head of one query gathers.
void look(const Attention& layer, const EmbeddedStack& stack, bool has_bias, const Change& change, int head,
          const float* query, VisibleKeys& visible, float* head_outputs);

}  // namespace regard
