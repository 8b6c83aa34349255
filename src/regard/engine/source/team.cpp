#include "team.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace regard {
namespace {

constexpr int PATIENCE = 10000;  // looks before an idle thread sleeps: a fraction of a millisecond
constexpr int COURTESY = 500;    // looks before a thread that waits for another lets somebody run

inline void breathe() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

template <class Ready>
void wait_until(Ready ready) {
    for (int looks = 0; !ready(); looks++)
        if (looks < COURTESY) breathe();
        else std::this_thread::yield();
}

// Who this is, for a fork to see that its threads stayed behind; on Windows nobody forks.
inline long process() {
#if defined(_WIN32)
    return 0;
#else
    return long(getpid());
#endif
}

struct Abandoned {};  // what a thread waits for will not come: another has failed

class Team {
public:
    explicit Team(int threads) : asked(threads), owner(process()) {
        try {
            for (members = 1; members < threads; members++)
                std::thread([this, index = members] { work(index); }).detach();  // lives as long as the process
        } catch (...) {  // no more threads to be had: those that are there will do, and they know this team
        }
    }

    void run(int count, const std::function<void(Worker&)>& program) {
        WorkCounter tally;
        {
            std::lock_guard<std::mutex> hold(lock);
            task = &program;
            shared = &tally;
            wanted = count;
            inside.store(OPEN, std::memory_order_release);
            call.fetch_add(1, std::memory_order_release);
        }
        if (sleeping.load() > 0) bell.notify_all();
        Worker me(0, count, &tally);
        tally.attempt(program, me);
        inside.fetch_and(~OPEN, std::memory_order_acq_rel);                       // who comes now is too late
        wait_until([&] { return inside.load(std::memory_order_acquire) == 0; });  // nobody looks at `tally` any more
        if (tally.error) std::rethrow_exception(tally.error);
    }

    const int asked;
    const long owner;
    int members = 1;

private:
    static constexpr int OPEN = 1 << 30;

    // Whether there is still something to join.
    bool enter() {
        int now = inside.load(std::memory_order_acquire);
        while (now & OPEN)
            if (inside.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) return true;
        return false;
    }

    void work(int index) {
        int heard = 0;
        for (;;) {
            for (int looks = 0; call.load(std::memory_order_acquire) == heard && looks < PATIENCE; looks++) breathe();
            if (call.load(std::memory_order_acquire) == heard) {
                std::unique_lock<std::mutex> hold(lock);
                sleeping++;
                bell.wait(hold, [&] { return call.load(std::memory_order_acquire) != heard; });
                sleeping--;
            }
            heard = call.load(std::memory_order_acquire);
            if (!enter()) continue;
            if (index < wanted) {
                Worker me(index, wanted, shared);
                shared->attempt(*task, me);
            }
            inside.fetch_sub(1, std::memory_order_acq_rel);
        }
    }

    std::mutex lock;
    std::condition_variable bell;
    std::atomic<int> call{0}, inside{0}, sleeping{0};
    const std::function<void(Worker&)>* task = nullptr;
    WorkCounter* shared = nullptr;
    int wanted = 1;
};

std::mutex in_use;
Team* team = nullptr;  // never freed: its threads may outlive everything

}  // namespace

void WorkCounter::attempt(const std::function<void(Worker&)>& program, Worker& me) noexcept {
    try {
        program(me);
    } catch (const Abandoned&) {  // who failed has said why
    } catch (...) {
        if (failures.fetch_add(1, std::memory_order_acq_rel) == 0) error = std::current_exception();
    }
}

void Worker::wait() const {
    wait_until([&] {
        return tally->done.load(std::memory_order_acquire) >= begun ||
               tally->failures.load(std::memory_order_acquire) > 0;
    });
    if (tally->done.load(std::memory_order_acquire) < begun) throw Abandoned();
}

void together(int threads, const std::function<void(Worker&)>& program) {
    std::unique_lock<std::mutex> hold(in_use, std::try_to_lock);
    if (threads > 1 && hold.owns_lock()) {
        if (!team || team->owner != process() || team->asked < threads) team = new Team(threads);
        team->run(std::min(threads, team->members), program);
        return;
    }
    WorkCounter tally;
    Worker me(0, 1, &tally);
    program(me);
}

}  // namespace regard
