#include "team.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

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

class Team {
public:
    explicit Team(int threads) : asked(threads), owner(getpid()) {
        try {
            for (members = 1; members < threads; members++)
                std::thread([this, index = members] { work(index); }).detach();  // lives as long as the process
        } catch (const std::system_error&) {  // no more threads to be had: those that are there will do
        }
    }

    void run(int count, const std::function<void(const Worker&)>& program) {
        Meeting meeting;
        task = &program;
        place = &meeting;
        wanted = count;
        busy.store(members - 1, std::memory_order_relaxed);
        {
            std::lock_guard<std::mutex> hold(lock);
            call.fetch_add(1, std::memory_order_release);
        }
        if (sleeping.load() > 0) bell.notify_all();
        program(Worker{0, count, &meeting});
        for (int looks = 0; busy.load(std::memory_order_acquire) > 0; looks++)
            if (looks < COURTESY) breathe();
            else std::this_thread::yield();
    }

    const int asked;
    const pid_t owner;
    int members = 1;

private:
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
            if (index < wanted) (*task)(Worker{index, wanted, place});
            busy.fetch_sub(1, std::memory_order_release);
        }
    }

    std::mutex lock;
    std::condition_variable bell;
    std::atomic<int> call{0}, busy{0}, sleeping{0};
    const std::function<void(const Worker&)>* task = nullptr;
    Meeting* place = nullptr;
    int wanted = 1;
};

std::mutex in_use;
Team* team = nullptr;  // never freed: its threads may outlive everything

}  // namespace

void Worker::wait() const {
    if (count == 1) return;
    int round = meeting->round.load(std::memory_order_relaxed);
    if (meeting->arrived.fetch_add(1, std::memory_order_acq_rel) == count - 1) {
        meeting->arrived.store(0, std::memory_order_relaxed);
        meeting->round.store(round + 1, std::memory_order_release);
        return;
    }
    for (int looks = 0; meeting->round.load(std::memory_order_acquire) == round; looks++)
        if (looks < COURTESY) breathe();
        else std::this_thread::yield();
}

void together(int threads, const std::function<void(const Worker&)>& program) {
    std::unique_lock<std::mutex> hold(in_use, std::try_to_lock);
    if (threads > 1 && hold.owns_lock()) {
        if (!team || team->owner != getpid() || team->asked < threads) team = new Team(threads);
        team->run(std::min(threads, team->members), program);
        return;
    }
    Meeting meeting;
    program(Worker{0, 1, &meeting});
}

}  // namespace regard
