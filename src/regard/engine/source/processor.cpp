// What the processor can do, told without a file: the level of a library is chosen by it.

#include <cstdint>
#include <string>

#include "api.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(_WIN32)
#include <windows.h>
#endif
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace {

#if defined(__APPLE__)
bool system_has(const char* name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value;
}
#endif

#if defined(__x86_64__)

struct CpuidRegisters {
    uint32_t a = 0, b = 0, c = 0, d = 0;

    CpuidRegisters(uint32_t leaf, uint32_t part) { __get_cpuid_count(leaf, part, &a, &b, &c, &d); }
};

uint64_t enabled_registers() {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t(high) << 32 | low;
}

std::string features() {
    const CpuidRegisters one(1, 0), seven(7, 0), more(7, 1), extended(0x80000001, 0);
    const uint64_t registers = one.c >> 27 & 1 ? enabled_registers() : 0;
    const bool has_256 = (registers & 0x06) == 0x06;
#if defined(__APPLE__)
    const bool has_512 = has_256 && system_has("hw.optional.avx512f");  // enabled when first used
#else
    const bool has_512 = (registers & 0xE6) == 0xE6;
#endif
    const struct {
        const char* name;
        uint32_t bits;
        int bit;
        bool is_enabled;
    } all[] = {
        {"fma", one.c, 12, has_256},         {"movbe", one.c, 22, true},
        {"f16c", one.c, 29, has_256},        {"abm", extended.c, 5, true},
        {"bmi1", seven.b, 3, true},          {"avx2", seven.b, 5, has_256},
        {"bmi2", seven.b, 8, true},          {"avx_vnni", more.a, 4, has_256},
        {"avx512f", seven.b, 16, has_512},   {"avx512dq", seven.b, 17, has_512},
        {"avx512cd", seven.b, 28, has_512},  {"avx512bw", seven.b, 30, has_512},
        {"avx512vl", seven.b, 31, has_512},  {"avx512_vnni", seven.c, 11, has_512},
        {"avx512_bf16", more.a, 5, has_512}, {"amx_tile", seven.d, 24, (registers >> 17 & 3) == 3},
    };
    std::string names;
    for (const auto& feature : all)
        if (feature.is_enabled && feature.bits >> feature.bit & 1)
            names += std::string(names.empty() ? "" : " ") + feature.name;
    return names;
}

#elif defined(__aarch64__)

std::string features() {
    std::string names = "asimd";
#if defined(__linux__)
    if (getauxval(AT_HWCAP) >> 20 & 1) names += " asimddp";
    if (getauxval(AT_HWCAP2) >> 13 & 1) names += " i8mm";
    if (getauxval(AT_HWCAP2) >> 14 & 1) names += " bf16";
#elif defined(__APPLE__)
    if (system_has("hw.optional.arm.FEAT_DotProd")) names += " asimddp";
#elif defined(_WIN32)
    if (IsProcessorFeaturePresent(43)) names += " asimddp";  // PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE
#endif
    return names;
}

#else

std::string features() { return ""; }

#endif

}  // namespace

EXPORT const char* regard_features() {
    static const std::string names = features();
    return names.c_str();
}
