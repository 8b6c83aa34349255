#include "state.h"

#include <algorithm>
#include <iterator>

#include "key_access.h"

namespace regard {

namespace {

void check_words(const EmbeddedStack& stack, const std::vector<int64_t>& words, const std::vector<int>& positions) {
    for (int64_t word : words)
        if (word < 0 || word >= stack.embedding.rows)
            throw Problem{"token " + std::to_string(word) + " is not among the " +
                          std::to_string(stack.embedding.rows) + " that the model knows"};
    for (const Table* table : {stack.positions.get(), stack.rotations.get()})
        if (table->data)
            for (int position : positions)
                if (position >= table->rows)
                    throw Problem{"position " + std::to_string(position) + " is past the " +
                                  std::to_string(table->rows) + " positions that were learned"};
}

}  // namespace

EngineState::EngineState(const Model& model) : model(model) {
    size_t total = 0;
    for (const Layer& layer : model.decoder.layers) {
        before.push_back(total);
        total += 2 * size_t(layer.self.keys());
    }
    before.push_back(total);
}

void EngineState::open() {
    if (is_half_done) throw Problem{"this text failed before: begin it again"};
    is_half_done = true;
}

const float* EngineState::own(int layer, Slot slot) const {
    const Block& block = blocks[slot.block];
    const size_t each = before[layer + 1] - before[layer];
    return block.numbers.data() + size_t(block.tokens) * before[layer] + size_t(slot.token) * each;
}

void EngineState::read(const int64_t* tokens, const uint8_t* attention_mask, int texts, int length, int threads) {
    std::vector<int64_t> words;
    std::vector<int> positions, text;
    SourceBlock read_now;
    read_now.starts.push_back(0);
    for (int i = 0; i < texts; i++) {
        for (int column = 0, position = 0; column < length; column++) {
            const ptrdiff_t where = ptrdiff_t(i) * length + column;
            if (attention_mask && !attention_mask[where]) continue;
            words.push_back(tokens[where]);
            positions.push_back(position++);
            text.push_back(i);
            read_now.columns.push_back(column);
        }
        read_now.starts.push_back(int(words.size()));
    }
    check_words(model.encoder, words, positions);
    open();
    rows = texts;
    sources.clear();
    sources.push_back(std::move(read_now));
    source_length = length;
    source_of.clear();
    for (int i = 0; i < rows; i++) source_of.push_back({0, i});
    blocks.clear();
    this->length = 0;
    written.assign(rows, {});
    counts.assign(rows, 0);
    const int count = int(words.size()), width = model.encoder.width;
    std::vector<Buffer<float>>& source_kv = sources.back().kv;
    source_kv.resize(model.decoder.layers.size());
    for (size_t layer = 0; layer < source_kv.size(); layer++)
        source_kv[layer].reserve(size_t(count) * model.decoder.layers[layer].cross.kv->out);
    if (!count) return close();
    Workspace own;
    for (LayerQueries& one : watched)
        if (one.kind == READING) one.source.reserve(size_t(count) * model.encoder.layers[one.layer].self.qkv->out);
    EncoderKeyAccess eyes(*this, sources.back(), own.projected, text);
    own.reserve(model, model.encoder, count, threads, eyes.most_keys());
    Buffer<float> bridged;
    bridged.reserve(model.bridge ? size_t(count) * model.bridge->out : 0);
    if (model.precision == INT8) {  // cross keys and values are read from vectors of another width
        const int deepest = std::max(width, model.bridge ? model.bridge->out : 0);
        own.round_up_to(std::min(count, SLAB), deepest);
    }
    together(threads, [&](Worker& me) {
        embed(me, model, model.encoder, own, words.data(), positions.data(), count);
        run(me, model, model.encoder, own, count, positions.data(), eyes, changes.encoder, {});
        const float* x = own.x.data();
        int wide = width;
        if (model.encoder.final_norm) {
            me.share(count, 4, [&](int first, int last) {
                for (int row = first; row < last; row++) {
                    float* vector = own.x.data() + ptrdiff_t(row) * width;
                    model.encoder.final_norm->apply(vector, vector);
                }
            });
        }
        if (model.bridge) {
            multiply(me, *model.bridge, own, x, width, count, bridged.data(), model.bridge->out, Finish{});
            x = bridged.data();
            wide = model.bridge->out;
        }
        for (size_t layer = 0; layer < source_kv.size(); layer++) {
            const Linear& kv = *model.decoder.layers[layer].cross.kv;
            multiply(me, kv, own, x, wide, count, source_kv[layer].data(), kv.out, Finish{});
        }
    });
    close();
}

void EngineState::step(const int64_t* tokens, const uint8_t* attention_mask, int given, int columns, float* logits,
                       int threads) {
    const bool is_first = !model.has_source && !length && !rows;
    if (given != rows && !is_first)
        throw Problem{std::to_string(given) + " rows of tokens for " + std::to_string(rows) + " rows that are written"};
    std::vector<int64_t> words;
    std::vector<int> positions, row, slot, last_of(given, -1);
    std::vector<int> new_counts = is_first ? std::vector<int>(given) : counts;
    for (int i = 0; i < given; i++) {
        const ptrdiff_t begin = ptrdiff_t(i) * columns;
        int next = length;  // padding goes to the left, so that every text ends at the last column
        for (int column = 0; column < columns; column++) next += attention_mask && !attention_mask[begin + column];
        for (int column = 0; column < columns; column++) {
            if (attention_mask && !attention_mask[begin + column]) continue;
            last_of[i] = int(words.size());
            words.push_back(tokens[begin + column]);
            positions.push_back(new_counts[i]++);
            row.push_back(i);
            slot.push_back(next++);
        }
    }
    check_words(model.decoder, words, positions);
    open();
    if (is_first) written.assign(given, {});
    rows = given;
    const int count = int(words.size()), width = model.decoder.width;
    blocks.push_back({Buffer<float>(), {}, columns * rows});
    blocks.back().numbers.reserve(size_t(columns) * rows * before.back());
    for (const LayerQueries& one : watched) {
        blocks.back().queries.emplace_back();
        if (one.kind != READING)
            blocks.back().queries.back().reserve(size_t(columns) * rows * attention(one.kind, one.layer).queries());
    }
    const int block = int(blocks.size()) - 1;
    for (int i = 0; i < rows; i++) written[i].resize(length + columns);
    for (int token = 0; token < count; token++)
        written[row[token]][slot[token]] = {block, (slot[token] - length) * rows + row[token]};
    counts = new_counts;
    length += columns;

    DecoderKeyAccess eyes(*this, row, slot);
    workspace.reserve(model, model.decoder, std::max(count, 1), threads, eyes.most_keys());
    const int scored = model.output->in;
    const size_t wide = std::max({width, scored, model.dense ? model.dense->out : 0});
    last.reserve(2 * rows * wide);
    if (model.precision == INT8) workspace.round_up_to(std::min(rows, SLAB), int(wide));
    together(threads, [&](Worker& me) {
        if (count) {
            embed(me, model, model.decoder, workspace, words.data(), positions.data(), count);
            run(me, model, model.decoder, workspace, count, positions.data(), eyes, changes.self, changes.cross);
        }
        float* x = last.data();
        me.share(rows, 4, [&](int first, int end) {
            for (int i = first; i < end; i++) {
                float* to = x + i * ptrdiff_t(width);
                if (last_of[i] < 0) std::fill(to, to + width, 0.0f);  // nothing but padding: any answer will do
                else std::copy_n(workspace.x.data() + ptrdiff_t(last_of[i]) * width, width, to);
                if (model.decoder.final_norm) model.decoder.final_norm->apply(to, to);
            }
        });
        if (model.dense) {
            float* dense = last.data() + rows * wide;
            multiply(me, *model.dense, workspace, x, width, rows, dense, model.dense->out,
                     {model.dense_activation, false});
            me.share(rows, 4, [&](int first, int end) {
                for (int i = first; i < end; i++) {
                    float* vector = dense + ptrdiff_t(i) * model.dense->out;
                    model.dense_norm->apply(vector, vector);
                }
            });
            x = dense;
        }
        multiply(me, *model.output, workspace, x, scored, rows, logits, model.output->out, Finish{});
    });
    close();
}

void EngineState::select(const int64_t* chosen, int count) {
    for (int i = 0; i < count; i++)
        if (chosen[i] < 0 || chosen[i] >= rows)
            throw Problem{"row " + std::to_string(chosen[i]) + " of " + std::to_string(rows) + " was selected"};
    open();
    auto picked = [&](auto& all) {
        std::remove_reference_t<decltype(all)> some;
        some.reserve(count);
        for (int i = 0; i < count; i++) some.push_back(all[chosen[i]]);
        all = std::move(some);
    };
    picked(written);
    picked(counts);
    if (model.has_source) picked(source_of);
    rows = count;
    close();
}

void EngineState::free_unused() {
    int first = rows ? length : 0;  // a column before which nobody has a token
    std::vector<int> new_block(blocks.size(), 0), new_source(sources.size(), 0);
    for (int i = 0; i < rows; i++) {
        for (int column = 0; column < length; column++) {
            if (written[i][column].is_padding()) continue;
            first = std::min(first, column);
            new_block[written[i][column].block] = 1;
        }
        if (model.has_source) new_source[source_of[i].block] = 1;
    }
    auto keep = [](auto& all, std::vector<int>& numbers) {  // those marked; `numbers` becomes the new one of each
        int count = 0;
        for (size_t i = 0; i < all.size(); i++) {
            if (!numbers[i]) continue;
            if (int(i) != count) all[count] = std::move(all[i]);
            numbers[i] = count++;
        }
        all.erase(all.begin() + count, all.end());
    };
    keep(blocks, new_block);
    keep(sources, new_source);
    for (int i = 0; i < rows; i++) {
        written[i].erase(written[i].begin(), written[i].begin() + first);
        for (Slot& slot : written[i])
            if (!slot.is_padding()) slot.block = new_block[slot.block];
        if (model.has_source) source_of[i].block = new_source[source_of[i].block];
    }
    length = rows ? length - first : 0;
}

void EngineState::join(EngineState& other) {
    if (&other.model != &model) throw Problem{"texts of one model can be joined, and these are of two"};
    if (!watched.empty() || !other.watched.empty()) throw Problem{"a text that is watched is joined by no other"};
    if (!(changes == other.changes)) throw Problem{"texts that are edited alike can be joined, and these are not"};
    if (other.is_half_done) throw Problem{"the text that is to join failed before: begin it again"};
    open();
    other.open();
    for (EngineState* state : {this, &other}) state->free_unused();
    const int columns = std::max(length, other.length);  // every text ends at the last of them
    for (EngineState* state : {this, &other})
        for (auto& row : state->written) row.insert(row.begin(), columns - state->length, Slot());
    const int first_block = int(blocks.size()), first_source = int(sources.size());
    for (auto& row : other.written)
        for (Slot& slot : row)
            if (!slot.is_padding()) slot.block += first_block;
    for (SourceNumber& source : other.source_of) source.block += first_source;
    auto take = [](auto& all, auto& more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        more.clear();
    };
    take(written, other.written);
    take(counts, other.counts);
    take(source_of, other.source_of);
    take(blocks, other.blocks);
    take(sources, other.sources);
    rows += other.rows;
    length = columns;
    source_length = std::max(source_length, other.source_length);
    other.rows = other.length = other.source_length = 0;
    other.close();
    close();
}

const Attention& EngineState::attention(int kind, int layer) const {
    const auto& layers = kind == READING ? model.encoder.layers : model.decoder.layers;
    const bool is_there = kind >= READING && kind <= ACROSS && layer >= 0 && layer < int(layers.size());
    if (!is_there || (kind == ACROSS && !layers[layer].crosses)) throw Problem{"the model has no such layer"};
    return kind == ACROSS ? layers[layer].cross : layers[layer].self;
}

void EngineState::check_change(int kind, int layer, int heads) const {
    const int own = attention(kind, layer).heads;
    if (heads != own) throw Problem{std::to_string(heads) + " heads are edited of a layer of " + std::to_string(own)};
}

size_t EngineState::bytes() const {
    size_t total = 0;
    for (const Block& block : blocks) {
        total += block.numbers.bytes();
        for (const auto& queries : block.queries) total += queries.bytes();
    }
    for (const LayerQueries& one : watched) total += one.source.bytes();
    for (const SourceBlock& source : sources)
        for (const auto& kv : source.kv) total += kv.bytes();
    return total;
}

}  // namespace regard
