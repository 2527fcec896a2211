// Events by a category of ten, in a multimap.
#include "program.hpp"
#include <map>

struct Event {
    long time;
    char what[80];
};

static std::multimap<int, Event> events_by_category;

static void setup() {}

[[gnu::noinline]] static void record(long number) { events_by_category.emplace(number % 10, Event{number, "opened"}); } // truth: made

static void plant(long number) { record(number); }
