// What somebody sees who looks at a text: computed from kept queries, by the function that the text was written by.
#include <algorithm>
#include <cmath>
#include <limits>

#include "key_access.h"

namespace regard {

int EngineState::watched_number(int kind, int layer) const {
    for (size_t i = 0; i < watched.size(); i++)
        if (watched[i].kind == kind && watched[i].layer == layer) return int(i);
    return -1;
}

void EngineState::watch(int kind, int layer) {
    attention(kind, layer);
    if (rows || length || !sources.empty())
        throw Problem{"a text is watched from its beginning, and this one has begun"};
    if (watched_number(kind, layer) < 0) watched.push_back({kind, layer, Buffer<float>()});
}

const float* EngineState::query(int number, Slot slot) const {
    const size_t each = attention(watched[number].kind, watched[number].layer).queries();
    return blocks[slot.block].queries[number].data() + size_t(slot.token) * each;
}

// The tokens of every row that look, and the keys that they look at.
class WatchedTokens {
public:
    WatchedTokens(EngineState& state, int kind, int layer, const Region& region)
        : state(state), kind(kind), layer(layer), region(region), attention(state.attention(kind, layer)) {
        number = state.watched_number(kind, layer);
        if (number < 0) throw Problem{"the layer is not watched"};
        if (state.is_half_done) throw Problem{"this text failed before: begin it again"};
        const int queries = kind == READING ? state.source_length : state.length;
        const int keys = kind == WRITING ? state.length : state.source_length;
        const bool fits = region.rows == state.rows && region.first >= 0 && region.queries >= 0 &&
                          region.first + region.queries <= queries && region.keys == keys;
        if (!fits)
            throw Problem{"there are " + std::to_string(state.rows) + " rows of " + std::to_string(queries) +
                          " queries and " + std::to_string(keys) + " keys, others were asked for"};
        token_at.assign(size_t(region.rows) * region.queries, -1);
        kind == READING ? find_read() : find_written();
    }

    const EmbeddedStack& stack() const { return kind == READING ? state.model.encoder : state.model.decoder; }

    const Change& change() const {
        const Changes& all = state.changes;
        return Changes::at(kind == READING ? all.encoder : kind == WRITING ? all.self : all.cross, layer);
    }

    // The token at a query's place, or -1.
    int token(int unit) const { return token_at[unit]; }

    const float* query(int token) const {
        if (kind == READING) return state.watched[number].source.data() + ptrdiff_t(place[token]) * attention.qkv->out;
        return state.query(number, state.written[row[token]][place[token]]);
    }

    // The keys that a token sees; the column of each is what this returns and its distance, together.
    int see(const KeyAccess& eyes, int token, VisibleKeys& visible) const {
        visible.clear();
        if (kind == READING) {
            eyes.around(layer, place[token], visible);
            return source().columns[place[token]];
        }
        if (kind == ACROSS) {
            eyes.across(layer, token, visible);
            return 0;
        }
        eyes.around(layer, token, visible);
        return place[token];
    }

    // Calls with the column of every key of a row, and where it lies.
    template <class Action>
    void each_key(int in_row, Action action) const {
        if (kind == WRITING) {
            for (int slot = 0; slot < region.keys; slot++)
                if (!state.written[in_row][slot].is_padding())
                    action(slot, state.own(layer, state.written[in_row][slot]));
            return;
        }
        const int text = state.source_of[in_row].text;
        for (int other = source().starts[text]; other < source().starts[text + 1]; other++) {
            const float* key = kind == ACROSS ? source().kv[layer].data() + ptrdiff_t(other) * 2 * attention.keys()
                                              : state.watched[number].source.data() +
                                                    ptrdiff_t(other) * attention.qkv->out + attention.queries();
            action(source().columns[other], key);
        }
    }

    // Goes through all queries, with the keys that each sees; where there are none, visible.count is 0.
    template <class Action>
    void each_query(int threads, Action action) {
        const std::vector<int>& starts = source().starts;
        std::vector<int> text(source().columns.size());
        for (size_t one = 0; one + 1 < starts.size(); one++)
            std::fill(text.begin() + starts[one], text.begin() + starts[one + 1], int(one));
        const Buffer<float>& projected = state.watched[number].source;
        EncoderKeyAccess reading(state, source(), projected, text);
        DecoderKeyAccess writing(state, row, place);
        const KeyAccess& eyes = kind == READING ? static_cast<const KeyAccess&>(reading) : writing;
        std::vector<VisibleKeys> visible_keys(threads);
        for (VisibleKeys& visible : visible_keys) visible.reserve(eyes.most_keys());
        together(threads, [&](Worker& me) {
            VisibleKeys& visible = visible_keys[me.index];
            me.share(int(token_at.size()), 4, [&](int first, int last) {
                for (int unit = first; unit < last; unit++) {
                    visible.clear();
                    const int here = token_at[unit] < 0 ? 0 : see(eyes, token_at[unit], visible);
                    action(unit, here, visible);
                }
            });
        });
    }

    EngineState& state;
    const int kind, layer;
    const Region& region;
    const Attention& attention;

private:
    // What was read: nothing joins a text that is watched, so it was read at once.
    const SourceBlock& source() const {
        static const SourceBlock nothing;
        return state.sources.empty() ? nothing : state.sources.front();
    }

    void find_read() {
        for (int i = 0; i < region.rows; i++) {
            const int text = state.source_of[i].text;
            for (int token = source().starts[text]; token < source().starts[text + 1]; token++)
                put(i, source().columns[token], token);
        }
    }

    void find_written() {
        for (int i = 0; i < region.rows; i++)
            for (int slot = 0; slot < state.length; slot++)
                if (!state.written[i][slot].is_padding()) put(i, slot, slot);
    }

    void put(int in_row, int column, int where) {
        if (column < region.first || column >= region.first + region.queries) return;
        token_at[size_t(in_row) * region.queries + column - region.first] = int(row.size());
        row.push_back(in_row);
        place.push_back(where);
    }

    int number = -1;
    std::vector<int> token_at;    // for each row and query
    std::vector<int> row, place;  // of each token: its row, and its slot or its number among all source tokens
};

void EngineState::weights(int kind, int layer, const int32_t* heads, int count, const Region& region, float* to,
                          int threads) {
    WatchedTokens tokens(*this, kind, layer, region);
    const Attention& layer_attention = tokens.attention;
    for (int i = 0; i < count; i++)
        if (heads[i] < 0 || heads[i] >= layer_attention.heads)
            throw Problem{"head " + std::to_string(heads[i]) + " of " + std::to_string(layer_attention.heads) +
                          " was asked for"};
    tokens.each_query(threads, [&](int unit, int here, VisibleKeys& visible) {
        const ptrdiff_t in_row = unit / region.queries, query = unit % region.queries;
        for (int i = 0; i < count; i++) {
            float* line = to + ((in_row * count + i) * region.queries + query) * region.keys;
            std::fill(line, line + region.keys, 0.0f);
            if (!visible.count) continue;
            const float* vector = tokens.query(tokens.token(unit)) + heads[i] * layer_attention.width;
            const RowStatistics row =
                compare(layer_attention, tokens.stack(), kind != ACROSS, tokens.change(), heads[i], vector, visible);
            const float factor = 1.0f / row.sum;
            for (int t = 0; t < visible.count; t++) line[here + visible.ahead[t]] = visible.scores[t] * factor;
        }
    });
}

void EngineState::looks(int kind, int layer, const Region& region, float* query, float* key, float* logsumexp,
                        int threads) {
    WatchedTokens tokens(*this, kind, layer, region);
    const Attention& own = tokens.attention;
    const Change& change = tokens.change();
    tokens.each_query(threads, [&](int unit, int, VisibleKeys& visible) {
        const ptrdiff_t in_row = unit / region.queries, here = unit % region.queries;
        for (int head = 0; head < own.heads; head++) {
            const ptrdiff_t line = (in_row * own.heads + head) * region.queries + here;
            float* to = query + line * own.width;
            logsumexp[line] = -std::numeric_limits<float>::infinity();
            std::fill_n(to, own.width, 0.0f);
            if (tokens.token(unit) < 0) continue;
            const float* vector = tokens.query(tokens.token(unit)) + head * own.width;
            std::copy_n(vector, own.width, to);
            if (!visible.count) continue;
            const RowStatistics row = compare(own, tokens.stack(), kind != ACROSS, change, head, vector, visible);
            logsumexp[line] = row.most + std::log(row.sum);
        }
    });
    std::fill_n(key, size_t(region.rows) * own.kv_heads * region.keys * own.width, 0.0f);
    for (int i = 0; i < region.rows; i++)
        tokens.each_key(i, [&](int column, const float* from) {
            for (int head = 0; head < own.kv_heads; head++)
                std::copy_n(from + head * own.width, own.width,
                            key + ((ptrdiff_t(i) * own.kv_heads + head) * region.keys + column) * own.width);
        });
}

}  // namespace regard
