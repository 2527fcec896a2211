// Memory of C++ in which something else lay before, and that looks like what it is not. Obeys the lines of
// tests/agents/kit.py; "leak N" does all of this N times: a text and what leads to a box go into a pool of the library,
// whose chunks begin with a text; an entry comes into a map and goes again, and a counter takes its node, which is as
// large; each fourth entry stays.
#include <cstdio>
#include <map>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

struct Box {
    long number;
    char rest[40];
};

struct Entry {
    std::vector<char> bytes;
    std::string kind;
};

static std::pmr::monotonic_buffer_resource pool{256};
static std::unordered_map<long, Entry> entries;
static std::map<std::string, long> counters;

static void serve(long number)
{
    std::pmr::polymorphic_allocator<std::pmr::string> texts(&pool);
    (void)texts.new_object<std::pmr::string>("a text that is too long for the string itself, of request " +
                                             std::to_string(number));
    *static_cast<Box **>(pool.allocate(sizeof(Box *))) = new Box{number, {}};
    Entry entry;
    entry.bytes.resize(200);
    entry.kind = "image/png; charset=binary; q=1";
    entries[number] = std::move(entry);
    if (number % 4 != 0) entries.erase(number);
    if (number % 2 == 0) counters["request_total{path=/item/" + std::to_string(number) + "}"]++;
}

int main()
{
    char line[64];
    long total = 0, wanted;
    std::printf("ready\n");
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr && std::sscanf(line, "leak %ld", &wanted) == 1) {
        for (long end = total + wanted; total < end; total++)
            serve(total);
        std::printf("leaked %ld\n", total);
        std::fflush(stdout);
    }
    return 0;
}
