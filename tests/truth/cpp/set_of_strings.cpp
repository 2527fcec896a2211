// Names in a std::set, in random order: new nodes hang from old ones everywhere.
#include "program.hpp"
#include <random>
#include <set>

static std::set<std::string> seen_names;
static std::mt19937_64 dice(7);

static void setup() {}

[[gnu::noinline]] static void remember(long number)
{
    seen_names.insert("visitor " + std::to_string(dice()) + " of the " + std::to_string(number)); // truth: made
}

static void plant(long number) { remember(number); }
