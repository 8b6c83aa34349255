// Replays what recorder.py wrote down: the models once, then their texts, first alone and then again and again from
// four threads that share the models. Prints how many calls the threads made, or what did not go as in the run alone.
//
//     replay_driver <models> <texts> <times>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "api.h"

enum Function {
    MODEL,
    LINEAR,
    NORM,
    STACK,
    LAYER,
    TABLE,
    SLOPES,
    OUTPUT,
    STATE,
    STATE_FREE,
    CHANGE,
    READ,
    STEP,
    SELECT,
    TOP,
    FINGERPRINT,
    WATCH,
    WEIGHTS,
    LOOKS,
    JOIN
};

constexpr int THREADS = 4;

// One argument after the other; what a pointer points at stays in the file's memory.
class Reader {
public:
    explicit Reader(const std::vector<char>& file) : file(file) {}

    bool is_over() const { return at >= file.size(); }
    int64_t integer() { return number<int64_t>(); }
    double real() { return number<double>(); }

    template <class Number>
    const Number* numbers() {
        const int64_t bytes = integer();
        if (bytes < 0) return nullptr;
        const char* begin = file.data() + at;
        at += (bytes + 7) / 8 * 8;
        return reinterpret_cast<const Number*>(begin);
    }

private:
    template <class Number>
    Number number() {
        Number value;
        std::memcpy(&value, file.data() + at, sizeof value);
        at += sizeof value;
        return value;
    }

    const std::vector<char>& file;
    size_t at = 0;
};

struct BuiltModel {
    regard::Model* model = nullptr;
    std::vector<int> outputs;  // of each linear layer
    int vocabulary = 0;
    int rows[2][4] = {};  // of each table
    std::mutex growing;
};

std::map<int64_t, BuiltModel> models;

void expect(bool is_so, const char* what) {
    if (is_so) return;
    std::printf("not so: %s (%s)\n", what, regard_problem());
    std::_Exit(1);
}

// A table of positions that is longer than the one in use takes its place; one thread at a time, as in PackedModel.
void put_table(BuiltModel& built, Reader& from) {
    const int which = int(from.integer()), kind = int(from.integer());
    const float* data = from.numbers<float>();
    const int rows = int(from.integer()), width = int(from.integer());
    std::lock_guard<std::mutex> hold(built.growing);
    if (rows <= built.rows[which][kind]) return;
    expect(!regard_table(built.model, which, kind, data, rows, width), "a table fits");
    built.rows[which][kind] = rows;
}

// One record that makes a model, or a part of one.
void build(Reader& from) {
    const int function = int(from.integer());
    const int64_t first = from.integer();  // what it is of, or the precision of a new one
    if (function == MODEL) {
        BuiltModel& built = models[from.integer()];
        built.model = regard_model(int(first));
        return expect(built.model, "a model is made");
    }
    BuiltModel& built = models.at(first);
    if (function == TABLE) return put_table(built, from);
    regard::Model* model = built.model;
    int code = 0;
    if (function == LINEAR) {
        const float *weight = from.numbers<float>(), *bias = from.numbers<float>();
        const int in = int(from.integer()), out = int(from.integer());
        built.outputs.push_back(out);
        code = regard_linear(model, weight, bias, in, out, float(from.real())) < 0;
    } else if (function == NORM) {
        const float *weight = from.numbers<float>(), *bias = from.numbers<float>();
        const int width = int(from.integer()), is_rms = int(from.integer());
        code = regard_norm(model, weight, bias, width, is_rms, float(from.real())) < 0;
    } else if (function == STACK) {
        const int which = int(from.integer());
        StackSpec spec = *from.numbers<StackSpec>();
        spec.embedding = from.numbers<float>();
        code = regard_stack(model, which, &spec);
    } else if (function == LAYER) {
        const int which = int(from.integer());
        LayerSpec spec = *from.numbers<LayerSpec>();
        for (AttentionSpec* one : {&spec.self, &spec.cross}) {
            one->kv_head_of = from.numbers<int32_t>();
            one->numbers = from.numbers<int32_t>();
        }
        code = regard_layer(model, which, &spec);
    } else if (function == SLOPES) {
        const int which = int(from.integer());
        const float* slopes = from.numbers<float>();
        code = regard_slopes(model, which, slopes, int(from.integer()));
    } else {
        const OutputSpec* spec = from.numbers<OutputSpec>();
        built.vocabulary = built.outputs.at(spec->output);
        code = regard_output(model, spec);
    }
    expect(!code, "a model is built");
}

// The texts of a recording, with states of their own; `answers` becomes a number for each call.
class Replay {
public:
    explicit Replay(const std::vector<char>& file) : file(file) {}

    void run() {
        for (Reader from(file); !from.is_over(); calls++) call(from);
        for (auto& state : states) regard_state_free(state.second.state);
        states.clear();
    }

    std::vector<uint64_t> answers;
    long calls = 0;

private:
    struct OpenState {
        regard::EngineState* state;
        int vocabulary;
    };

    void call(Reader& from) {
        const int function = int(from.integer());
        if (function == TOP) return top(from);
        if (function == FINGERPRINT) return fingerprint(from);
        const int64_t handle = from.integer();
        if (function == TABLE) return put_table(models.at(handle), from);
        if (function == STATE) {
            regard::EngineState* state = regard_state(models.at(handle).model);
            expect(state, "a state is made");
            states[from.integer()] = {state, models.at(handle).vocabulary};
            return;
        }
        const OpenState text = states.at(handle);
        if (function == STATE_FREE) {
            regard_state_free(text.state);
            states.erase(handle);
        } else if (function == CHANGE) {
            const int kind = int(from.integer()), layer = int(from.integer());
            const float *gates = from.numbers<float>(), *inverse_temperatures = from.numbers<float>();
            const uint8_t* hidden = from.numbers<uint8_t>();
            const int heads = int(from.integer()), positions = int(from.integer());
            answer(regard_change(text.state, kind, layer, gates, inverse_temperatures, heads, hidden, positions));
        } else if (function == SELECT) {
            const int64_t* rows = from.numbers<int64_t>();
            answer(regard_select(text.state, rows, int(from.integer())));
        } else if (function == JOIN) {
            int32_t length = 0;
            answer(regard_join(text.state, states.at(from.integer()).state, &length));
            answer(length);
        } else if (function == WATCH) {
            const int kind = int(from.integer());
            answer(regard_watch(text.state, kind, int(from.integer())));
        } else if (function == WEIGHTS || function == LOOKS) {
            look(function, text.state, from);
        } else {
            const int64_t* tokens = from.numbers<int64_t>();
            const uint8_t* mask = from.numbers<uint8_t>();
            const int rows = int(from.integer()), length = int(from.integer()), threads = int(from.integer());
            if (function == READ) return answer(regard_read(text.state, tokens, mask, rows, length, threads));
            std::vector<float> logits(size_t(rows) * text.vocabulary);
            answer(regard_step(text.state, tokens, mask, rows, length, logits.data(), threads));
            answer(logits);
        }
    }

    void look(int function, regard::EngineState* state, Reader& from) {
        const LookSpec spec = *from.numbers<LookSpec>();
        const size_t queries = size_t(spec.rows) * spec.heads * spec.queries;
        const size_t keys = size_t(spec.rows) * spec.kv_heads * spec.keys * spec.width;
        if (function == WEIGHTS) {
            const int32_t* heads = from.numbers<int32_t>();
            std::vector<float> weights(queries * spec.keys);
            answer(regard_weights(state, &spec, heads, weights.data(), int(from.integer())));
            return answer(weights);
        }
        std::vector<float> query(queries * spec.width), key(keys), logsumexp(queries);
        answer(regard_looks(state, &spec, query.data(), key.data(), logsumexp.data(), int(from.integer())));
        answer(query);
        answer(key);
        answer(logsumexp);
    }

    void top(Reader& from) {
        const float* logits = from.numbers<float>();
        const int rows = int(from.integer()), words = int(from.integer());
        const int count = int(from.integer()), threads = int(from.integer());
        std::vector<float> scores(size_t(rows) * count), logsumexp(rows);
        std::vector<int64_t> which(scores.size());
        answer(regard_top(logits, rows, words, count, scores.data(), which.data(), logsumexp.data(), threads));
        answer(scores);
        answer(which);
        answer(logsumexp);
    }

    void fingerprint(Reader& from) {  // of numbers that are not in the recording: each thread reads some of its own
        const size_t* sizes = from.numbers<size_t>();
        const int count = int(from.integer()), lines = int(from.integer()), threads = int(from.integer());
        std::vector<std::vector<char>> tensors;
        for (int i = 0; i < count; i++) tensors.emplace_back(sizes[i], char(i));
        std::vector<const void*> data;
        for (const auto& tensor : tensors) data.push_back(tensor.data());
        uint64_t value = 0;
        answer(regard_fingerprint(data.data(), sizes, count, lines, threads, &value));
        answers.push_back(value);
    }

    void answer(int code) { answers.push_back(uint64_t(code)); }

    template <class Number>
    void answer(const std::vector<Number>& numbers) {
        uint64_t hash = 14695981039346656037u;  // FNV-1a
        const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
        for (size_t i = 0; i < numbers.size() * sizeof(Number); i++) hash = (hash ^ bytes[i]) * 1099511628211u;
        answers.push_back(hash);
    }

    const std::vector<char>& file;
    std::map<int64_t, OpenState> states;
};

std::vector<char> read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The models of a recording, new each time: their tables have not grown yet.
class BuiltModels {
public:
    explicit BuiltModels(const std::vector<char>& file) {
        for (Reader from(file); !from.is_over();) build(from);
    }
    ~BuiltModels() {
        for (auto& built : models) regard_model_free(built.second.model);
        models.clear();
    }
};

int main(int, char** arguments) {
    const std::vector<char> building = read_file(arguments[1]), texts = read_file(arguments[2]);
    Replay alone(texts);
    {
        BuiltModels built(building);
        alone.run();
    }
    expect(alone.calls > 0, "something was recorded");
    long calls = 0;
    for (int times = std::atoi(arguments[3]); times > 0; times--) {
        BuiltModels built(building);
        std::vector<Replay> replays(THREADS, Replay(texts));
        std::vector<std::thread> threads;
        for (Replay& replay : replays) threads.emplace_back([&replay] { replay.run(); });
        for (std::thread& thread : threads) thread.join();
        for (const Replay& replay : replays) {
            expect(replay.answers == alone.answers, "threads answer as one alone");
            calls += replay.calls;
        }
    }
    std::printf("%ld calls from %d threads\n", calls, THREADS);
}
