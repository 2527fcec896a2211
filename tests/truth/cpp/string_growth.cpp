// A string to which each request adds a line.
#include "program.hpp"

class Trace {
public:
    [[gnu::noinline]] void add(long number) { text_ += "request " + std::to_string(1000000 + number) + " was answered with status 200 in time\n"; } // truth: made

private:
    std::string text_;
};

static Trace request_trace;

static void setup() {}

static void plant(long number) { request_trace.add(number); }
