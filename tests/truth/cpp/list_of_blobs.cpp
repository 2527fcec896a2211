// A list of buffers in a namespace, waiting for a consumer that is gone.
#include "program.hpp"

namespace net::outbox {
struct Blob {
    std::vector<char> bytes;
    long sequence;
};
std::list<Blob> pending;

[[gnu::noinline]] void send(long sequence) { pending.push_back({std::vector<char>(200, 'b'), sequence}); } // truth: made
}

static void setup() {}

static void plant(long number) { net::outbox::send(number); }
