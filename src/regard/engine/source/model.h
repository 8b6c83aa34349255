// What a model is made of, for reading a source and writing on from a text.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "linear.h"
#include "simd.h"
#include "team.h"

namespace regard {

struct Norm {
    bool is_rms = false;
    float epsilon = 1e-5f;
    std::vector<float> weight, bias;

    void apply(const float* x, float* y) const;
};

// One attention layer. Keys and values of a token lie side by side: `kv_heads * width` numbers each.
struct Attention {
    const Linear* qkv = nullptr;  // query, key and value of the stream; of cross-attention the query alone
    const Linear* kv = nullptr;   // key and value of a source
    const Linear* output = nullptr;
    int heads = 0, kv_heads = 0, width = 0;
    float scale = 1.0f;
    std::vector<int> kv_head_of;  // the key head of each head
    std::vector<int> numbers;     // the number of each head before pruning, for its bias

    int queries() const { return heads * width; }
    int keys() const { return kv_heads * width; }
};

struct Layer {
    Attention self, cross;
    bool crosses = false;
    const Linear* widen = nullptr;
    const Linear* narrow = nullptr;
    const Norm *self_norm = nullptr, *cross_norm = nullptr, *feed_forward_norm = nullptr;
};

// Rows of a table that belongs to somebody else.
struct Table {
    const float* data = nullptr;
    int rows = 0, width = 0;

    const float* row(int number) const { return data + ptrdiff_t(number) * width; }
};

// A table that becomes longer while others read it: the new one begins as the old one does, which stays as it was.
class GrowingTable {
public:
    void put(const Table& table) {  // by one thread at a time
        tables.push_back(table);
        longest.store(&tables.back(), std::memory_order_release);
    }
    const Table* get() const { return longest.load(std::memory_order_acquire); }
    const Table* operator->() const { return get(); }

private:
    std::deque<Table> tables{Table{}};
    std::atomic<const Table*> longest{&tables.back()};
};

// One stack of a model: tokens in, vectors out.
struct EmbeddedStack {
    Table embedding;         // (vocabulary, width or a narrower one of its own)
    float scale = 1.0f;      // of words
    Table segment;           // one row, added to every word
    GrowingTable positions;  // added to a word at its position
    GrowingTable rotations;  // cosines, then sines, by which queries and keys are rotated at a position
    bool rotates_neighbours = false;
    Table bias;                 // (heads, 2 * reach + 1): by how far a key stands after the query
    std::vector<float> slopes;  // ALiBi: what a head takes off for each position between
    const Norm* embedding_norm = nullptr;
    const Linear* embedding_widen = nullptr;
    const Norm* final_norm = nullptr;
    Activation activation = RELU;
    bool is_gated = false, pre_norm = true;             // norm before
    int width = 0, feed_forward_width = 0, window = 0;  // no window: 0
    std::vector<Layer> layers;
};

struct Model {
    Precision precision = FLOAT32;
    bool has_source = false;
    EmbeddedStack encoder, decoder;
    const Linear* bridge = nullptr;
    const Linear* dense = nullptr;  // a last layer before words are scored
    Activation dense_activation = STRAIGHT;
    const Norm* dense_norm = nullptr;
    const Linear* output = nullptr;
    std::vector<std::unique_ptr<Linear>> linears;
    std::vector<std::unique_ptr<Norm>> norms;
};

// How somebody changed an attention layer.
struct Change {
    std::vector<float> gates, inverse_temperatures;  // one for each head, or none
    std::vector<char> hidden;                        // positions that nobody sees

    bool hides(int position) const { return position < int(hidden.size()) && hidden[position]; }
    bool operator==(const Change& other) const {
        return gates == other.gates && inverse_temperatures == other.inverse_temperatures && hidden == other.hidden;
    }
};

struct Changes {
    std::vector<Change> encoder, self, cross;  // one for each layer, or none

    static const Change& at(const std::vector<Change>& all, size_t layer) {
        static const Change nothing;
        return layer < all.size() ? all[layer] : nothing;
    }
    bool operator==(const Changes& other) const {
        return encoder == other.encoder && self == other.self && cross == other.cross;
    }
};

}  // namespace regard
