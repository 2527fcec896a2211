// Containers of the C++ library of LLVM, whose nodes have their words in an order of their own. Obeys the lines of tests/agents/kit.py.
#include <cstdio>
#include <forward_list>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct Session {
    std::string name;
    std::vector<long> visits;
};

struct Shop {
    std::map<long, Session> sessions;
    std::set<std::string> names;
    std::list<Session> waiting;
    std::forward_list<long> numbers;
    std::unordered_map<long, Session> by_number;
};

static Session session(long number)
{
    return {"the name of the session with the number " + std::to_string(number), std::vector<long>(8, number)};
}

int main()
{
    Shop shop;
    char line[64];
    long total = 0, wanted;
    std::printf("ready\n");
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr && std::sscanf(line, "leak %ld", &wanted) == 1) {
        for (long end = total + wanted; total < end; total++) {
            const long key = total * 7919 % 100003;
            shop.sessions[key] = session(key);
            shop.names.insert("a name that is too long for the string itself " + std::to_string(key));
            shop.waiting.push_back(session(key));
            shop.numbers.push_front(key);
            shop.by_number[key] = session(key);
        }
        std::printf("leaked %ld\n", total);
        std::fflush(stdout);
    }
    return 0;
}
