// Where the fields of the shared structs lie, for library.py to compare: a struct that one side has changed is
// refused when the library is loaded, not read wrongly later.

#include <string>

#include "api.h"

namespace {

struct Field {
    const char* name;
    size_t offset, size;
};

#define FIELD(spec, name) {#spec "." #name, offsetof(spec, name), sizeof(spec::name)}

const Field FIELDS[] = {
    {"StackSpec", 0, sizeof(StackSpec)},
    FIELD(StackSpec, width),
    FIELD(StackSpec, feed_forward_width),
    FIELD(StackSpec, activation),
    FIELD(StackSpec, is_gated),
    FIELD(StackSpec, pre_norm),
    FIELD(StackSpec, window),
    FIELD(StackSpec, vocabulary),
    FIELD(StackSpec, embedding_width),
    FIELD(StackSpec, embedding_norm),
    FIELD(StackSpec, embedding_widen),
    FIELD(StackSpec, final_norm),
    FIELD(StackSpec, rotates_neighbours),
    FIELD(StackSpec, scale),
    FIELD(StackSpec, embedding),
    {"AttentionSpec", 0, sizeof(AttentionSpec)},
    FIELD(AttentionSpec, qkv),
    FIELD(AttentionSpec, kv),
    FIELD(AttentionSpec, output),
    FIELD(AttentionSpec, heads),
    FIELD(AttentionSpec, kv_heads),
    FIELD(AttentionSpec, width),
    FIELD(AttentionSpec, scale),
    FIELD(AttentionSpec, kv_head_of),
    FIELD(AttentionSpec, numbers),
    {"LayerSpec", 0, sizeof(LayerSpec)},
    FIELD(LayerSpec, self),
    FIELD(LayerSpec, cross),
    FIELD(LayerSpec, crosses),
    FIELD(LayerSpec, widen),
    FIELD(LayerSpec, narrow),
    FIELD(LayerSpec, self_norm),
    FIELD(LayerSpec, cross_norm),
    FIELD(LayerSpec, feed_forward_norm),
    {"OutputSpec", 0, sizeof(OutputSpec)},
    FIELD(OutputSpec, bridge),
    FIELD(OutputSpec, dense),
    FIELD(OutputSpec, dense_activation),
    FIELD(OutputSpec, dense_norm),
    FIELD(OutputSpec, output),
    FIELD(OutputSpec, has_source),
    {"LookSpec", 0, sizeof(LookSpec)},
    FIELD(LookSpec, kind),
    FIELD(LookSpec, layer),
    FIELD(LookSpec, rows),
    FIELD(LookSpec, heads),
    FIELD(LookSpec, kv_heads),
    FIELD(LookSpec, width),
    FIELD(LookSpec, first),
    FIELD(LookSpec, queries),
    FIELD(LookSpec, keys),
};

std::string layout() {
    std::string lines;
    for (const Field& field : FIELDS)
        lines += std::string(field.name) + " " + std::to_string(field.offset) + " " + std::to_string(field.size) + "\n";
    return lines;
}

}  // namespace

EXPORT const char* regard_layout() {
    static const std::string lines = layout();
    return lines.c_str();
}
