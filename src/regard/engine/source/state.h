// What a model knows in the middle of writing.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "problem.h"
#include "stack.h"

namespace regard {

enum LayerKind { READING, WRITING, ACROSS };  // of the encoder, of the decoder, of the decoder to the source

// Keys and values of one step's tokens: (layers, tokens, keys and values); of each layer that is watched the queries:
// (tokens, queries).
struct Block {
    Buffer<float> numbers;
    std::vector<Buffer<float>> queries;
    int tokens;
};

// Where a token was put: its block, and its number among the tokens there. No block: padding.
struct Slot {
    int block = -1, token = 0;

    bool is_padding() const { return block < 0; }
};

// Sources that were read at once: where each begins among all of their tokens, and the end; the column of each token;
// and for each layer of the decoder the keys and values of all.
struct SourceBlock {
    std::vector<int> starts, columns;
    std::vector<Buffer<float>> kv;
};

// One of the sources.
struct SourceNumber {
    int block, text;
};

// A layer whose queries are kept.
struct LayerQueries {
    int kind, layer;
    Buffer<float> source;  // of the encoder: queries, keys and values of all source tokens
};

// Which weights are asked for, and how many the caller has room for: so many rows, queries from `first` on and keys.
struct Region {
    int rows, first, queries, keys;
};

class EngineState {
public:
    explicit EngineState(const Model& model);

    // Read a source: so many texts of `length` columns, of which `attention_mask` says which are no padding (null:
    // all).
    void read(const int64_t* tokens, const uint8_t* attention_mask, int texts, int length, int threads);

    // Write on; `logits` becomes (rows, vocabulary). The first step of a model without a source says how many rows.
    void step(const int64_t* tokens, const uint8_t* attention_mask, int rows, int length, float* logits, int threads);

    // Reorder, repeat and drop rows at once; nothing is copied but numbers of rows.
    void select(const int64_t* rows, int count);

    // The rows of another text of the same model go on here, after the own ones, whatever either has written; the other
    // is left without rows. What only rows that have left looked at is freed.
    void join(EngineState& other);

    // Keep the queries of a layer, from the beginning of a text on.
    void watch(int kind, int layer);

    // The weights of some heads of a watched layer: (rows, heads, queries, keys), zero where nobody looks. Keys stand
    // where they stood when they were read, padding included; what is written stands at the right.
    void weights(int kind, int layer, const int32_t* heads, int count, const Region& region, float* to, int threads);

    // What they are made of: (rows, heads, queries, width), (rows, key heads, keys, width), (rows, heads, queries).
    void looks(int kind, int layer, const Region& region, float* query, float* key, float* logsumexp, int threads);

    size_t bytes() const;

    // A layer of the model, if there is such a one.
    const Attention& attention(int kind, int layer) const;

    // Whether the model has such a layer, with so many heads.
    void check_change(int kind, int layer, int heads) const;

    Changes changes;
    std::atomic<bool> is_in_use{false};
    int rows = 0;
    int length = 0;  // of what was written, padding included

private:
    friend class EncoderKeyAccess;
    friend class DecoderKeyAccess;
    friend class WatchedTokens;

    int watched_number(int kind, int layer) const;  // -1 where it is not watched

    const float* own(int layer, Slot slot) const;     // a token's key and value
    const float* query(int number, Slot slot) const;  // its query, in a layer that is watched
    void free_unused();                               // what no row looks at any more
    void open();  // from here to close() things are half done: after a failure in between nothing goes on
    void close() { is_half_done = false; }

    const Model& model;
    bool is_half_done = false;
    std::vector<SourceBlock> sources;        // one block, unless texts joined
    std::vector<SourceNumber> source_of;     // the source of each row
    std::vector<std::vector<Slot>> written;  // for each row, in columns that all share: where the token stands
    std::vector<int> counts;                 // tokens of each row
    std::vector<Block> blocks;
    std::vector<LayerQueries> watched;
    int source_length = 0;       // columns, padding included
    std::vector<size_t> before;  // numbers of a token in the layers before each
    Workspace workspace;
    Buffer<float> last;  // the vectors that words are scored by
};

// One thread at a time is in a text; a second one is told so.
class InUse {
public:
    explicit InUse(EngineState& state) : state(state) {
        if (state.is_in_use.exchange(true)) throw Problem{"another thread is in this text"};
    }
    ~InUse() { state.is_in_use = false; }
    InUse(const InUse&) = delete;

private:
    EngineState& state;
};

}  // namespace regard
