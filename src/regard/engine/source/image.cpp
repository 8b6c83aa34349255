#include "image.h"

#include <cstring>
#include <string>
#include <type_traits>

#include "linear_bytes.h"
#include "problem.h"
#include "validate.h"

namespace regard {
namespace {

constexpr size_t ALIGNMENT = 64;
constexpr int WIDEST = 1 << 26;  // numbers in a row of anything: a damaged size is told before it is used

size_t aligned(size_t at) { return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

// Writing and reading are one walk over the model, `pass` below, with one of these.
class ImageWriter {
public:
    explicit ImageWriter(char* to) : to(to) {}

    void raw(void* from, size_t bytes) {
        if (to && bytes) std::memcpy(to + at, from, bytes);
        at += bytes;
    }

    template <class Number>
    void array(const Number*& data, size_t count) {
        const size_t begin = aligned(at);
        if (to) std::memset(to + at, 0, begin - at);
        at = begin;
        raw(const_cast<Number*>(data), count * sizeof(Number));
    }

    size_t at = 0;

private:
    char* to;
};

class ImageReader {
public:
    ImageReader(const char* from, size_t bytes) : from(from), bytes(bytes) {}

    void raw(void* to, size_t count) {
        expect_room(count);
        std::memcpy(to, from + at, count);
        at += count;
    }

    template <class Number>
    void array(const Number*& data, size_t count) {
        at = aligned(at);
        if (count > bytes / sizeof(Number)) throw Problem{"a packed model holds more than it has room for"};
        expect_room(count * sizeof(Number));
        data = count ? reinterpret_cast<const Number*>(from + at) : nullptr;
        at += count * sizeof(Number);
    }

    size_t at = 0;

private:
    void expect_room(size_t count) const {
        if (at > bytes || count > bytes - at) throw Problem{"a packed model ends before it is whole"};
    }

    const char* from;
    size_t bytes;
};

template <class Image, class Number>
void number(Image& image, Number& x) {
    if constexpr (std::is_same_v<Number, float>) {
        image.raw(&x, sizeof x);
    } else {
        int32_t whole = int32_t(x);
        image.raw(&whole, sizeof whole);
        x = Number(whole);
    }
}

// What has to be the same where it is written and where it is read.
template <class Image>
void constant(Image& image, int expected, const char* what) {
    int written = expected;
    number(image, written);
    if (written != expected)
        throw Problem{"a packed model is of another " + std::string(what) + ": " + std::to_string(written) + ", " +
                      std::to_string(expected) + " expected"};
}

template <class Image>
void size(Image& image, int& x) {
    number(image, x);
    if (x < 0 || x > WIDEST) throw Problem{"a packed model has a size of " + std::to_string(x)};
}

template <class Image, class Number>
void pass(Image& image, std::vector<Number>& numbers) {
    int count = int(numbers.size());
    size(image, count);
    const Number* data = numbers.data();
    image.array(data, size_t(count));
    if (data != numbers.data()) numbers.assign(data, data + count);
}

template <class Image>
void pass(Image& image, Table& table) {
    size(image, table.rows);
    size(image, table.width);
    image.array(table.data, size_t(table.rows) * size_t(table.width));
}

template <class Image>
void pass(Image& image, GrowingTable& growing) {
    Table table = *growing.get();
    pass(image, table);
    if (table.data != growing->data) growing.put(table);
}

template <class Image>
void pass(Image& image, std::unique_ptr<Linear>& linear, Precision precision) {
    int in = linear ? linear->in : 0, out = linear ? linear->out : 0;
    const char* packed = linear ? linear->packed : nullptr;
    const float* bias = linear ? linear->bias.data() : nullptr;
    const float* scales = linear ? linear->scales.data() : nullptr;
    size(image, in);
    size(image, out);
    image.array(packed, Linear::bytes(in, out, precision));
    image.array(bias, Linear::columns(out));
    image.array(scales, precision == INT8 ? Linear::columns(out) : 0);
    if (!linear) linear = std::make_unique<Linear>(in, out, precision, packed, bias, scales);
}

template <class Image>
void pass(Image& image, std::unique_ptr<Norm>& norm) {
    if (!norm) norm = std::make_unique<Norm>();
    number(image, norm->is_rms);
    number(image, norm->epsilon);
    pass(image, norm->weight);
    pass(image, norm->bias);
}

// All of a list, which grows while it is read.
template <class Image, class Part, class Pass>
void each(Image& image, std::vector<Part>& parts, Pass pass_one) {
    int count = int(parts.size());
    size(image, count);
    for (size_t i = 0; i < size_t(count); i++) {
        if (i == parts.size()) parts.emplace_back();
        pass_one(parts[i]);
    }
}

// A part that is told by its number among all, or -1 where there is none.
template <class Image, class Part>
void pass(Image& image, const Part*& part, const std::vector<std::unique_ptr<Part>>& parts) {
    int place = -1;
    for (size_t i = 0; part && i < parts.size(); i++)
        if (parts[i].get() == part) place = int(i);
    number(image, place);
    part = place < 0 ? nullptr : parts.at(size_t(place)).get();
}

template <class Image>
void pass(Image& image, Attention& layer, const Model& model) {
    pass(image, layer.qkv, model.linears);
    pass(image, layer.kv, model.linears);
    pass(image, layer.output, model.linears);
    size(image, layer.heads);
    size(image, layer.kv_heads);
    size(image, layer.width);
    number(image, layer.scale);
    pass(image, layer.kv_head_of);
    pass(image, layer.numbers);
    if (layer.kv_head_of.size() != size_t(layer.heads) || layer.numbers.size() != size_t(layer.heads))
        throw Problem{"a packed model has " + std::to_string(layer.heads) + " heads, and numbers of others"};
}

template <class Image>
void pass(Image& image, Layer& layer, const Model& model) {
    pass(image, layer.self, model);
    number(image, layer.crosses);
    if (layer.crosses) pass(image, layer.cross, model);
    pass(image, layer.widen, model.linears);
    pass(image, layer.narrow, model.linears);
    pass(image, layer.self_norm, model.norms);
    pass(image, layer.cross_norm, model.norms);
    pass(image, layer.feed_forward_norm, model.norms);
}

// `other` is the table of a stack before this one: one that serves both is there once.
template <class Image>
void pass(Image& image, EmbeddedStack& stack, const Model& model, const Table* other = nullptr) {
    bool is_shared = other && other->data && other->data == stack.embedding.data;
    number(image, is_shared);
    if (is_shared && !(other && other->data)) throw Problem{"a packed model shares a table that it does not have"};
    if (is_shared) stack.embedding = *other;
    else pass(image, stack.embedding);
    number(image, stack.scale);
    pass(image, stack.segment);
    pass(image, stack.positions);
    pass(image, stack.rotations);
    number(image, stack.rotates_neighbours);
    pass(image, stack.bias);
    pass(image, stack.slopes);
    pass(image, stack.embedding_norm, model.norms);
    pass(image, stack.embedding_widen, model.linears);
    pass(image, stack.final_norm, model.norms);
    number(image, stack.activation);
    number(image, stack.is_gated);
    number(image, stack.pre_norm);
    size(image, stack.width);
    size(image, stack.feed_forward_width);
    size(image, stack.window);
    each(image, stack.layers, [&](Layer& layer) { pass(image, layer, model); });
}

template <class Image>
void pass(Image& image, Model& model) {
    constant(image, ENGINE_VERSION, "version");
    constant(image, PANEL, "width of panels");
    number(image, model.precision);
    if (model.precision == INT8) constant(image, SHIFT, "kind of processor");
    each(image, model.linears, [&](std::unique_ptr<Linear>& linear) { pass(image, linear, model.precision); });
    each(image, model.norms, [&](std::unique_ptr<Norm>& norm) { pass(image, norm); });
    number(image, model.has_source);
    pass(image, model.encoder, model);
    pass(image, model.decoder, model, &model.encoder.embedding);
    pass(image, model.bridge, model.linears);
    pass(image, model.dense, model.linears);
    number(image, model.dense_activation);
    pass(image, model.dense_norm, model.norms);
    pass(image, model.output, model.linears);
}

}  // namespace

size_t write_image(Model& model, char* to) {
    ImageWriter image(to);
    pass(image, model);
    return image.at;
}

std::unique_ptr<Model> open_image(const char* from, size_t bytes) {
    if (uintptr_t(from) % ALIGNMENT) throw Problem{"a packed model does not begin at a multiple of 64"};
    ImageReader image(from, bytes);
    auto model = std::make_unique<Model>();
    pass(image, *model);
    if (image.at != bytes) throw Problem{"a packed model goes on after its end"};
    validate(*model);
    return model;
}

}  // namespace regard
