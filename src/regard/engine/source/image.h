// A model as one run of bytes, for a file that is mapped into memory and read where it lies.
#pragma once

#include <cstddef>
#include <memory>

#include "model.h"

namespace regard {

constexpr int ENGINE_VERSION = 9;

// How many bytes a model takes; where `to` is not null, they are written there.
size_t write_image(Model& model, char* to);

// The model of such bytes, which outlive it. Throws where they are not whole, or of another version or processor.
std::unique_ptr<Model> open_image(const char* from, size_t bytes);

}  // namespace regard
