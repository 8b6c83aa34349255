#include "key_access.h"

#include <algorithm>

namespace regard {
namespace {

int longest(const SourceBlock& source) {
    int most = 0;
    for (size_t i = 0; i + 1 < source.starts.size(); i++)
        most = std::max(most, source.starts[i + 1] - source.starts[i]);
    return most;
}

}  // namespace

void EncoderKeyAccess::keep(Worker& me, int layer, const float* from, ptrdiff_t stride) {
    const int number = state.watched_number(READING, layer);
    if (number < 0) return;
    float* to = state.watched[number].source.data();
    me.share(int(text.size()), 8,
             [&](int first, int last) { std::copy(from + first * stride, from + last * stride, to + first * stride); });
}

void EncoderKeyAccess::around(int layer, int token, VisibleKeys& visible) const {
    const Attention& attention = state.model.encoder.layers[layer].self;
    const Change& change = Changes::at(state.changes.encoder, layer);
    const ptrdiff_t stride = attention.qkv->out;
    const std::vector<int>& columns = source.columns;
    const int first = source.starts[text[token]], last = source.starts[text[token] + 1];
    const int window = state.model.encoder.window;
    for (int other = first; other < last; other++) {
        const int ahead = columns[other] - columns[token];  // padding in between counts
        if (change.hides(other - first) || (window && std::abs(ahead) >= window)) continue;
        visible.add(projected.data() + other * stride + attention.queries(), ahead);
    }
}

int EncoderKeyAccess::most_keys() const { return longest(source); }

void DecoderKeyAccess::keep(Worker& me, int layer, const float* projected, ptrdiff_t stride) {
    const Attention& attention = state.model.decoder.layers[layer].self;
    const int tokens = int(row.size());
    me.share(tokens, 8, [&](int first, int last) {
        for (int token = first; token < last; token++) {
            const float* from = projected + token * stride + attention.queries();
            float* to = const_cast<float*>(state.own(layer, state.written[row[token]][slot[token]]));
            std::copy(from, from + 2 * attention.keys(), to);
        }
    });
    const int number = state.watched_number(WRITING, layer);
    if (number < 0) return;
    me.share(tokens, 8, [&](int first, int last) {
        for (int token = first; token < last; token++)
            std::copy_n(projected + token * stride, attention.queries(),
                        const_cast<float*>(state.query(number, state.written[row[token]][slot[token]])));
    });
}

void DecoderKeyAccess::keep_queries(Worker& me, int layer, int begin, int rows, const float* queries,
                                    ptrdiff_t stride) {
    const int number = state.watched_number(ACROSS, layer);
    if (number < 0) return;
    me.share(rows, 8, [&](int first, int last) {
        for (int i = first; i < last; i++)
            std::copy_n(queries + i * stride, stride,
                        const_cast<float*>(state.query(number, state.written[row[begin + i]][slot[begin + i]])));
    });
}

void DecoderKeyAccess::around(int layer, int token, VisibleKeys& visible) const {
    const Change& change = Changes::at(state.changes.self, layer);
    const std::vector<Slot>& written = state.written[row[token]];
    const int here = slot[token], window = state.model.decoder.window;
    for (int other = 0, position = 0; other <= here; other++) {
        if (written[other].is_padding()) continue;
        const bool is_hidden = change.hides(position++) || (window && here - other >= window);
        if (!is_hidden) visible.add(state.own(layer, written[other]), other - here);
    }
}

void DecoderKeyAccess::across(int layer, int token, VisibleKeys& visible) const {
    const Change& change = Changes::at(state.changes.cross, layer);
    const ptrdiff_t stride = 2 * state.model.decoder.layers[layer].cross.keys();
    const SourceNumber text = state.source_of[row[token]];
    const SourceBlock& source = state.sources[text.block];
    const int first = source.starts[text.text], last = source.starts[text.text + 1];
    const float* source_kv = source.kv[layer].data();
    for (int other = first; other < last; other++)
        if (!change.hides(other - first)) visible.add(source_kv + other * stride, source.columns[other]);
}

int DecoderKeyAccess::most_keys() const {
    int most = state.length;
    for (const SourceBlock& source : state.sources) most = std::max(most, longest(source));
    return most;
}

}  // namespace regard
