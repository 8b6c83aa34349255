// Memory of one size that cannot be had, for one thread or for all others: loaded before the engine, whose `new` this
// is.

#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>

namespace {

std::size_t forbidden = 0;
bool is_for_others = false;
std::thread::id me;
int refusals = 0;

}  // namespace

void* operator new(std::size_t bytes) {
    if (forbidden && bytes == forbidden && (std::this_thread::get_id() != me) == is_for_others) {
        refusals++;
        throw std::bad_alloc();
    }
    void* memory = std::malloc(bytes ? bytes : 1);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" void forbid(std::size_t bytes, bool for_others) {
    me = std::this_thread::get_id();
    is_for_others = for_others;
    forbidden = bytes;
}

extern "C" int refused() { return refusals; }
