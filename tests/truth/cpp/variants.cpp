// Messages of three kinds in a vector of variants.
#include "program.hpp"
#include <variant>

struct Move {
    int x, y;
};
struct Say {
    std::string text;
};
struct Draw {
    std::vector<int> points;
};
using Message = std::variant<Move, Say, Draw>;

namespace {
std::vector<Message> replay_buffer;
}

static void setup() { replay_buffer.reserve(30000); }

[[gnu::noinline]] static void record_message(long number)
{
    if (number % 3 == 0) replay_buffer.emplace_back(Move{int(number), 1});
    if (number % 3 == 1) replay_buffer.emplace_back(Say{std::string(150, 's')}); // truth: say
    if (number % 3 == 2) replay_buffer.emplace_back(Draw{std::vector<int>(50, 7)}); // truth: draw
}

static void plant(long number) { record_message(number); }
