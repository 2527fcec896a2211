// A string that grows by 58 KiB a round, in a small heap.
#include "program.hpp"

static std::string access_log;

static void setup() { access_log.reserve(20000); }

[[gnu::noinline]] static void log_access(const char *line)
{
    if (access_log.size() + 200 > access_log.capacity()) {
        std::string larger;
        larger.reserve(access_log.capacity() + 20000); // truth: grown
        access_log = std::move(larger.append(access_log));
    }
    access_log += line;
}

static void plant(long) { log_access("GET /index.html 200 in 13 ms by a client in the north of the country who has a long name, and comes back\n"); }
