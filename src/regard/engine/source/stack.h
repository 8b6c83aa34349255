// Vectors through the layers of a stack.
#pragma once

#include <memory>
#include <vector>

#include "attention.h"
#include "model.h"

namespace regard {

// Where the tokens of one pass look. Asked by every worker, for any token.
class KeyAccess {
public:
    virtual ~KeyAccess() = default;
    // Queries, keys and values of some tokens were computed: put away what later tokens look at.
    virtual void keep(Worker&, int /*layer*/, const float* /*projected*/, ptrdiff_t /*stride*/) {}
    // The same for what some tokens, from `first` on, ask of a source.
    virtual void keep_queries(Worker&, int /*layer*/, int /*first*/, int /*rows*/, const float*, ptrdiff_t) {}
    virtual void around(int layer, int token, VisibleKeys& visible) const = 0;
    virtual void across(int, int, VisibleKeys&) const {}
    virtual int most_keys() const = 0;
};

// Memory that grows and is not cleared.
template <class Number>
class Buffer {
public:
    void reserve(size_t wanted) {
        if (wanted <= size) return;
        numbers.reset(new Number[wanted]);
        size = wanted;
    }
    Number* data() const { return numbers.get(); }
    size_t bytes() const { return size * sizeof(Number); }

private:
    std::unique_ptr<Number[]> numbers;
    size_t size = 0;
};

// Workspace for one pass; kept between the steps of a text.
struct Workspace {
    Buffer<float> x, normed, projected, queries, head_outputs, feed_forward;
    Buffer<int8_t> rounded;
    Buffer<Rounding> roundings;
    std::vector<VisibleKeys> visible_keys;

    void reserve(const Model& model, const EmbeddedStack& stack, int tokens, int threads, int most_keys);
    void round_up_to(int rows, int width);  // room for so many rows of eight bits
};

constexpr int SLAB = 256;  // rows that go through a layer together: what lies between its parts stays in the cache

// room.x becomes the vectors that the last block put out, before the final norm.
void run(Worker& me, const Model& model, const EmbeddedStack& stack, Workspace& workspace, int tokens,
         const int* positions, KeyAccess& eyes, const std::vector<Change>& self, const std::vector<Change>& cross);

// The vectors of words at their positions.
void embed(Worker& me, const Model& model, const EmbeddedStack& stack, Workspace& workspace, const int64_t* words,
           const int* positions, int tokens);

// y = x times a layer, shared by all.
void multiply(Worker& me, const Linear& layer, Workspace& workspace, const float* x, ptrdiff_t stride, int rows,
              float* y, ptrdiff_t y_stride, Finish finish);

}  // namespace regard
