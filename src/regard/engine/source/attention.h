// One query looks at the keys it may see.
#pragma once

#include <vector>

#include "model.h"

namespace regard {

// The keys that a query sees. A value lies right behind its key.
struct Sight {
    std::vector<const float*> keys;
    std::vector<int> ahead;  // by how many places each stands after the query
    std::vector<float> scores;
    int count = 0;

    void reserve(int most);
    void clear() { count = 0; }
    void add(const float* key, int distance) {
        keys[count] = key;
        ahead[count++] = distance;
    }
};

// What one head of one query gathers.
void look(const Attention& layer, const Side& side, bool has_bias, const Change& change, int head, const float* query,
          Sight& sight, float* gathered);

}  // namespace regard
