// What goes wrong.
#pragma once

#include <string>

namespace regard {

// Somebody asked for what cannot be; the message is for them.
struct Problem {
    std::string message;
};

}  // namespace regard
