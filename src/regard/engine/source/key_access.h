// Which keys the tokens of a text see, and where queries and keys are put away.
#pragma once

#include <vector>

#include "state.h"

namespace regard {

// Every token of a source looks at all of its own text. `projected` has queries, keys and values of the tokens of some
// that were read at once, `text` says of which of these each is.
class EncoderKeyAccess : public KeyAccess {
public:
    EncoderKeyAccess(EngineState& state, const SourceBlock& source, const Buffer<float>& projected,
                     const std::vector<int>& text)
        : state(state), source(source), projected(projected), text(text) {}

    void keep(Worker& me, int layer, const float* projected, ptrdiff_t stride) override;
    void around(int layer, int token, VisibleKeys& visible) const override;
    int most_keys() const override;

private:
    EngineState& state;
    const SourceBlock& source;
    const Buffer<float>& projected;
    const std::vector<int>& text;
};

// Every token that is written looks at those before it, and at its source.
class DecoderKeyAccess : public KeyAccess {
public:
    DecoderKeyAccess(EngineState& state, const std::vector<int>& row, const std::vector<int>& slot)
        : state(state), row(row), slot(slot) {}

    void keep(Worker& me, int layer, const float* projected, ptrdiff_t stride) override;
    void keep_queries(Worker& me, int layer, int first, int rows, const float* queries, ptrdiff_t stride) override;
    void around(int layer, int token, VisibleKeys& visible) const override;
    void across(int layer, int token, VisibleKeys& visible) const override;
    int most_keys() const override;

private:
    EngineState& state;
    const std::vector<int>& row;
    const std::vector<int>& slot;
};

}  // namespace regard
