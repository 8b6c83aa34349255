// What the rest of the world may call: plain C, so that no version of anything else matters.
// Everything that can fail returns 0 when it went well; regard_problem() says what did not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace regard {
struct Model;
class EngineState;
}  // namespace regard

#if defined(_WIN32)
#define EXPORT extern "C" __attribute__((dllexport))
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

// The same as in library.py, which compares them with regard_layout(); -1 stands for "none" wherever a number of a
// linear layer or norm is meant.
struct StackSpec {
    int32_t width, feed_forward_width, activation, is_gated, pre_norm, window, vocabulary, embedding_width,
        embedding_norm, embedding_widen, final_norm;
    int32_t rotates_neighbours;
    float scale;
    const float* embedding;
};

struct AttentionSpec {
    int32_t qkv, kv, output, heads, kv_heads, width;
    float scale;
    const int32_t* kv_head_of;
    const int32_t* numbers;
};

struct LayerSpec {
    AttentionSpec self, cross;
    int32_t crosses, widen, narrow, self_norm, cross_norm, feed_forward_norm;
};

struct OutputSpec {
    int32_t bridge, dense, dense_activation, dense_norm, output, has_source;
};

// What is looked at, and the room there is for it: sizes are checked, not believed. `heads` is how many are chosen.
struct LookSpec {
    int32_t kind, layer, rows, heads, kv_heads, width, first, queries, keys;
};

EXPORT int regard_engine_version();
// Where the fields of the structs above lie: "StackSpec.width 0 4" is its place and its size, one such line for each.
EXPORT const char* regard_layout();
// What the processor can do and the system lets it, as Linux names it: "avx2 fma". Every level of the library may ask.
EXPORT const char* regard_features();
EXPORT const char* regard_problem();
EXPORT regard::Model* regard_model(int precision);
EXPORT void regard_model_free(regard::Model* model);
EXPORT int regard_linear(regard::Model* model, const float* weight, const float* bias, int in, int out, float scale);
EXPORT int regard_norm(regard::Model* model, const float* weight, const float* bias, int width, int is_rms,
                       float epsilon);
EXPORT int regard_stack(regard::Model* model, int which, const StackSpec* spec);
EXPORT int regard_layer(regard::Model* model, int which, const LayerSpec* spec);
// Tables stay the caller's: 0 what is added at a position, 1 how queries and keys are rotated, 2 biases by distance,
// 3 what is added to every word. The first two may be put anew, longer, while texts are written.
EXPORT int regard_table(regard::Model* model, int which, int kind, const float* data, int rows, int width);
EXPORT int regard_slopes(regard::Model* model, int which, const float* slopes, int heads);
// The last word about a model: from here on it is whole, and all of its parts fit each other.
EXPORT int regard_output(regard::Model* model, const OutputSpec* spec);
// A whole model as one run of bytes: how many they are, and where `to` is not null they are written there.
EXPORT size_t regard_image(regard::Model* model, char* to);
// A model of such bytes, which stay where they are: nothing of its weights is copied. They begin at a multiple of 64.
EXPORT regard::Model* regard_open(const char* image, size_t bytes);
EXPORT size_t regard_model_bytes(const regard::Model* model);
EXPORT regard::EngineState* regard_state(const regard::Model* model);
EXPORT void regard_state_free(regard::EngineState* state);
// kind: 0 a layer of the encoder, 1 of the decoder, 2 its attention to the source. Null: as it was.
EXPORT int regard_change(regard::EngineState* state, int kind, int layer, const float* gates,
                         const float* inverse_temperatures, int heads, const uint8_t* hidden, int positions);
// The queries of a layer are kept from the beginning of a text on; kinds as above.
EXPORT int regard_watch(regard::EngineState* state, int kind, int layer);
// The weights of chosen heads: (rows, heads, queries from `first` on, keys). Of a step: the last query alone.
EXPORT int regard_weights(regard::EngineState* state, const LookSpec* spec, const int32_t* heads, float* weights,
                          int threads);
// What the weights of all heads are made of: query (rows, heads, queries, width), key (rows, kv_heads, keys, width),
// logsumexp (rows, heads, queries).
EXPORT int regard_looks(regard::EngineState* state, const LookSpec* spec, float* query, float* key, float* logsumexp,
                        int threads);
EXPORT void regard_large_pages(float* data, size_t count);
EXPORT int regard_read(regard::EngineState* state, const int64_t* tokens, const uint8_t* attention_mask, int texts,
                       int length, int threads);
EXPORT int regard_step(regard::EngineState* state, const int64_t* tokens, const uint8_t* attention_mask, int rows,
                       int length, float* logits, int threads);
EXPORT int regard_select(regard::EngineState* state, const int64_t* rows, int count);
// The rows of another text go on after those of the first, which is `length` columns long then; the other has none
// left.
EXPORT int regard_join(regard::EngineState* state, regard::EngineState* other, int32_t* length);
EXPORT size_t regard_state_bytes(const regard::EngineState* state);
EXPORT int regard_top(const float* logits, int rows, int words, int count, float* scores, int64_t* which,
                      float* logsumexp, int threads);
EXPORT int regard_fingerprint(const void* const* data, const size_t* bytes, int count, int lines, int threads,
                              uint64_t* value);
// Whether the processor has matrix tiles; then left (rows x depth) times right (columns x depth), transposed, + bias.
EXPORT int regard_has_tiles();
EXPORT int regard_tile_product(const float* left, int64_t left_row, int64_t left_column, const float* right,
                               int64_t right_row, int64_t right_column, const float* bias, float* out, int64_t rows,
                               int64_t columns, int64_t depth, int threads);
EXPORT int regard_tile_cross_entropy(const float* x, const float* table, const float* bias, const int64_t* targets,
                                     int64_t rows, int64_t words, int64_t width, float smoothing, float* logsumexp,
                                     float* right, float* x_grad, float* table_grad, int* is_whole);
