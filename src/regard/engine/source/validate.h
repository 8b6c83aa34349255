// Whether the parts of a model fit each other.
#pragma once

#include "model.h"

namespace regard {

// Throws a Problem that names the first part that does not: what runs a model trusts every width.
void validate(const Model& model);

}  // namespace regard
