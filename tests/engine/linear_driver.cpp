// One linear layer of the engine against the loop that says what it means, in every precision; or one of the two, so
// many times, for whoever counts instructions.
//
//     linear_driver check
//     linear_driver engine|loop float32|float16|int8 <rows> <times>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "linear.h"

using namespace regard;

namespace {

uint32_t seed = 1;

float drawn() {
    seed = seed * 1664525u + 1013904223u;
    return float(seed >> 8) / float(1 << 24) - 0.5f;
}

// Where numbers are as they come: 16 bits have 11 of them that count.
float as_half(float x) {
    int power;
    const float part = std::frexp(x, &power);
    const int bits = power < -13 ? 11 + power + 13 : 11;  // subnormal numbers have fewer
    return std::ldexp(std::nearbyint(std::ldexp(part, bits)), power - bits);
}

struct Case {
    int in, out, rows;
    std::vector<float> weight, bias, x, steps;
    std::vector<int8_t> small;  // the weights, rounded once, and what a step of each column is worth

    Case(int in, int out, int rows) : in(in), out(out), rows(rows), small(size_t(in) * out) {
        for (int i = 0; i < in * out; i++) weight.push_back(drawn());
        for (int i = 0; i < out; i++) bias.push_back(drawn());
        for (int i = 0; i < in * rows; i++) x.push_back(drawn() * 4);
        for (int column = 0; column < out; column++)
            steps.push_back(round_line(&weight[column * in], &small[column * in]));
    }

    std::vector<float> engine(const Linear& layer) const {
        std::vector<float> y(size_t(rows) * out);
        std::vector<int8_t> rounded(size_t(rows) * Linear::depth(in));
        std::vector<Rounding> roundings(rows);
        const Rows from{x.data(), in, rounded.data(), roundings.data()};
        together(1, [&](Worker& me) {
            if (layer.precision == INT8) round_rows(me, from, rows, in);
            layer.apply(me, from, rows, y.data(), out, Finish{});
        });
        return y;
    }

    // The loop: no vectors, each number after the other.
    std::vector<float> loop(Precision precision) const {
        std::vector<float> y(size_t(rows) * out);
        std::vector<int8_t> line(in);
        for (int row = 0; row < rows; row++) {
            const float step = precision == INT8 ? round_line(&x[row * in], line.data()) : 0;
            for (int column = 0; column < out; column++) {
                float sum = 0;
                if (precision == INT8) sum = float(whole_sum(line.data(), &small[column * in])) * step * steps[column];
                else sum = float_sum(&x[row * in], &weight[column * in], precision == FLOAT16);
                y[size_t(row) * out + column] = sum + bias[column];
            }
        }
        return y;
    }

private:
    float round_line(const float* from, int8_t* to) const {
        float most = 0;
        for (int i = 0; i < in; i++) most = std::fmax(most, std::fabs(from[i]));
        for (int i = 0; i < in; i++) to[i] = int8_t(std::lrintf(from[i] * 127 / most));
        return most / 127;
    }

    int32_t whole_sum(const int8_t* a, const int8_t* b) const {
        int32_t sum = 0;
#if defined(__clang__)
#pragma clang loop vectorize(disable) interleave(disable)
#endif
        for (int i = 0; i < in; i++) sum += int32_t(a[i]) * b[i];
        return sum;
    }

    float float_sum(const float* a, const float* b, bool is_half) const {
        float sum = 0;
        for (int i = 0; i < in; i++) sum += a[i] * (is_half ? as_half(b[i]) : b[i]);
        return sum;
    }
};

const char* const NAMES[] = {"float32", "float16", "int8"};

bool check(int in, int out, int rows, Precision precision) {
    Case one(in, out, rows);
    const Linear layer(one.weight.data(), one.bias.data(), in, out, precision);
    const std::vector<float> y = one.engine(layer), wanted = one.loop(precision);
    double worst = 0;
    for (size_t i = 0; i < y.size(); i++) worst = std::fmax(worst, std::fabs(double(y[i]) - wanted[i]));
    // A number that lies between two steps of eight bits may become either: then a sum differs by one product.
    const double allowed = precision == INT8 ? 0.02 : 2e-5;
    if (worst <= allowed) return true;
    std::printf("%s, %d to %d, %d rows: off by %g\n", NAMES[precision], in, out, rows, worst);
    return false;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 2 && !std::strcmp(arguments[1], "check")) {
        bool is_right = true;
        int checked = 0;
        for (int precision = FLOAT32; precision <= INT8; precision++)
            for (int in : {1, 3, 4, 16, 31, 64, 130})
                for (int out : {1, 15, 16, 17, 48, 67, 130})
                    for (int rows : {1, 2, 3, 5, 6, 7, 8, 9, 17}) {
                        is_right = check(in, out, rows, Precision(precision)) && is_right;
                        checked++;
                    }
        std::printf("%d layers checked\n", checked);
        return is_right ? 0 : 1;
    }
    int precision = FLOAT32;
    while (precision < INT8 && std::strcmp(arguments[2], NAMES[precision])) precision++;
    const Case one(128, 128, std::atoi(arguments[3]));
    const Linear layer(one.weight.data(), one.bias.data(), one.in, one.out, Precision(precision));
    float sum = 0;
    for (int times = std::atoi(arguments[4]); times > 0; times--)
        sum += (arguments[1][0] == 'e' ? one.engine(layer) : one.loop(Precision(precision)))[0];
    std::printf("%g\n", sum);
}
