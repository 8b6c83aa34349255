// Programs that fail, run by the engine's own threads. Prints one line for each thing that went as it should.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "team.h"

using namespace regard;

constexpr int THREADS = 4, PARTS = 6, THINGS = 64;

void expect(bool is_so, const char* what) {
    if (is_so) return;
    std::printf("not so: %s\n", what);
    std::exit(1);
}

// Every part adds one to each of its things; `fails` is asked before each piece, and on the way between parts.
template <class Fails>
std::string run(Fails fails) {
    std::vector<int> things(THINGS);  // freed when this returns: nobody may write to it later
    std::atomic<int> inside{0};
    std::string error;
    try {
        together(THREADS, [&](Worker& me) {
            struct Presence {
                std::atomic<int>& count;
                explicit Presence(std::atomic<int>& all) : count(all) { count++; }
                ~Presence() { count--; }
            } here(inside);
            for (int part = 0; part < PARTS; part++) {
                if (fails(me, part, -1)) throw std::runtime_error("between parts");
                me.share(THINGS, 1, [&](int first, int last) {
                    if (fails(me, part, first)) throw std::runtime_error("in a piece");
                    std::this_thread::sleep_for(std::chrono::microseconds(20));
                    for (int i = first; i < last; i++) things[i]++;
                });
            }
        });
    } catch (const std::exception& problem) {
        error = problem.what();
    } catch (...) {
        error = "something else";
    }
    expect(inside == 0, "everybody has left the program");
    if (error.empty())
        for (int thing : things) expect(thing == PARTS, "every thing was done in every part");
    return error;
}

template <class Fails>
void check(const char* name, const char* error, Fails fails) {
    int failures = 0;
    for (int turn = 0; turn < 200; turn++) {
        const std::string found = run(fails);
        if (!found.empty()) expect(found == error, "the error is the one that was thrown");
        failures += !found.empty();
        expect(run([](Worker&, int, int) { return false; }).empty(), "what comes after a failure goes well");
    }
    expect(failures > 0, name);
    std::printf("%s\n", name);
}

int main() {
    check("the caller fails in a piece", "in a piece",
          [](Worker& me, int part, int first) { return me.index == 0 && part == 2 && first >= 0; });
    check("another fails in a piece", "in a piece",
          [](Worker& me, int part, int first) { return me.index > 0 && part == 2 && first >= 0; });
    check("all fail in a piece", "in a piece", [](Worker&, int part, int first) { return part == 3 && first >= 0; });
    check("the last piece fails", "in a piece",
          [](Worker&, int part, int first) { return part == PARTS - 1 && first >= THINGS - 8; });
    check("the caller fails between parts", "between parts",
          [](Worker& me, int part, int first) { return me.index == 0 && part == 3 && first < 0; });
    check("another fails between parts", "between parts",
          [](Worker& me, int part, int first) { return me.index > 0 && part == 3 && first < 0; });
    check("all fail at once", "between parts", [](Worker&, int, int first) { return first < 0; });
}
