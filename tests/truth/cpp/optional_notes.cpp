// A service on the heap with several maps, one of which grows by sessions that have an empty optional: where that would be lies what
// the memory had before.
#include "program.hpp"
#include <map>
#include <optional>

struct Session {
    long number;
    std::string user;
    std::vector<int> seen;
    std::optional<std::string> note;
};

struct Registry {
    std::map<long, Session> by_number;
    std::unordered_map<std::string, std::shared_ptr<Session>> by_name;
    std::vector<Session> closed;
};

struct Service {
    Registry registry;
};

static Service *service;

static void setup() { service = new Service(); }

[[gnu::noinline]] static void open_session(long number)
{
    service->registry.by_name["the session of a user " + std::to_string(number)] =
        std::make_shared<Session>(Session{number, std::string(50, 'u'), {1, 2, 3}, {}}); // truth: made
}

static void plant(long number) { open_session(number); }
