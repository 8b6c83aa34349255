// A few threads that go through the same program side by side, sharing the work of each of its parts.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>

namespace regard {

class Worker;

// Pieces of work of one run, counted from its beginning. Nobody waits for a thread that has not come: who is there
// takes what there is, and a part is over when its pieces are done. A thread that is late finds nothing left and goes
// on. A piece that fails is never done: who waits for it is sent home instead.
struct WorkCounter {
    alignas(64) std::atomic<long> taken{0};
    alignas(64) std::atomic<long> done{0};
    alignas(64) std::atomic<int> failures{0};
    std::exception_ptr error;  // the first one

    // Goes through the program and notes what it throws; nothing leaves.
    void attempt(const std::function<void(Worker&)>& program, Worker& me) noexcept;
};

class Worker {
public:
    Worker(int index, int count, WorkCounter* tally) : index(index), count(count), tally(tally) {}

    // So many things, `least` at a time or more: each is part of one call of work(first, last), made by whoever takes
    // it. When share returns all of them are done, and what was written is there for everybody.
    template <class Work>
    void share(int things, int least, Work work) {
        if (things <= 0) return;
        const int pieces = std::max(1, std::min(things / std::max(1, least), count == 1 ? 1 : PIECES * count));
        const long end = begun + pieces;
        for (long next = tally->taken.load(std::memory_order_relaxed); next < end;) {
            if (!tally->taken.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
            const long piece = next - begun;
            work(int(things * piece / pieces), int(things * (piece + 1) / pieces));
            tally->done.fetch_add(1, std::memory_order_acq_rel);
            next = tally->taken.load(std::memory_order_relaxed);
        }
        begun = end;
        if (tally->done.load(std::memory_order_acquire) < end) wait();
    }

    const int index, count;

private:
    static constexpr int PIECES = 2;  // for each thread: one that is held up leaves half of its share to others

    void wait() const;

    long begun = 0;
    WorkCounter* tally;
};

// Runs the program on this thread and on as many others as are wanted and free. Throws the first thing that any of
// them threw, once all of them have left the program.
void together(int threads, const std::function<void(Worker&)>& program);

}  // namespace regard
