// A few threads that go through the same program side by side and wait for each other between its parts.
#pragma once

#include <atomic>
#include <functional>

namespace regard {

// Meets the others of its team at every wait().
struct Meeting {
    std::atomic<int> arrived{0};
    std::atomic<int> round{0};
};

struct Worker {
    int index;
    int count;
    Meeting* meeting;

    // All that was written before is there for everybody after it.
    void wait() const;

    // My share of so many things, as even as can be.
    int first(int things) const { return int((long long)things * index / count); }
    int last(int things) const { return int((long long)things * (index + 1) / count); }
};

// Runs the program on this thread and on as many others as are wanted and free.
void together(int threads, const std::function<void(const Worker&)>& program);

}  // namespace regard
