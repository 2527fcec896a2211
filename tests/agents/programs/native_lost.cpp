// Programs in C++ that lose memory, one a word on the command line. Obeys the lines of tests/agents/kit.py: "leak N" does N more rounds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace shop {

struct Session;

struct Account {
    std::shared_ptr<Session> last;
    char rest[100] = {};
};

struct Session {
    std::shared_ptr<Account> account;
    char rest[200] = {};
};

class Parser {
public:
    __attribute__((noinline)) char *field(long i)
    {
        const std::string text = "field " + std::to_string(i) + std::string(200, '.');
        return strdup(text.c_str());
    }
};

} // namespace shop

using namespace shop;

// Two that count each other.
__attribute__((noinline)) static void lose_shared(long)
{
    auto session = std::make_shared<Session>();
    session->account = std::make_shared<Account>();
    session->account->last = session;
}

__attribute__((noinline)) static void lose_text(long i)
{
    Parser parser;
    if (parser.field(i)[0] != 'f') abort();
}

// A vector that its thread never freed.
__attribute__((noinline)) static void fill(long i)
{
    auto *mine = new std::vector<long>();
    for (long k = 0; k < 200; k++) mine->push_back(k + i);
}

__attribute__((noinline)) static void lose_vector(long i) { std::thread(fill, i).join(); }

// A map of texts that was released and never deleted.
__attribute__((noinline)) static void lose_map(long count)
{
    auto mine = std::make_unique<std::map<long, std::string>>();
    for (long i = 0; i < count; i++) (*mine)[i] = std::string(100, 'x');
    if (mine.release() == nullptr) abort();
}

static std::vector<std::unique_ptr<Session>> sessions;

__attribute__((noinline)) static void keep(long) { sessions.push_back(std::make_unique<Session>()); }

__attribute__((noinline)) static void run(const std::string &word, long count)
{
    if (word == "map") return lose_map(count);
    for (long i = 0; i < count; i++) {
        if (word == "shared") lose_shared(i);
        if (word == "parser") lose_text(i);
        if (word == "vector" && i % 16 == 0) lose_vector(i);
        if (word == "kept") keep(i);
    }
}

// No word of what was done stays on the stack.
__attribute__((noinline)) static void forget()
{
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i++) room[i] = 0;
}

int main(int, char **words)
{
    char line[64];
    long count, total = 0;
    const std::string word = words[1];
    forget();
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != nullptr && sscanf(line, "leak %ld", &count) == 1) {
        run(word, count);
        forget();
        total += count;
        printf("leaked %ld\n", total);
        fflush(stdout);
    }
    return 0;
}
