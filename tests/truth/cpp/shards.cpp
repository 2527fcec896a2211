// A map in sixteen shards, each with a lock of its own, as services have them for many threads.
#include "program.hpp"

#include <array>
#include <mutex>

struct Session {
    long id;
    std::string user;
};

template <class Key, class Value> class Sharded {
public:
    Value &at(const Key &key)
    {
        Shard &shard = shards_[std::hash<Key>{}(key) % shards_.size()];
        std::lock_guard guard(shard.lock);
        return shard.map[key]; // truth: made
    }

private:
    struct Shard {
        std::mutex lock;
        std::unordered_map<Key, Value> map;
    };
    std::array<Shard, 16> shards_;
};

struct Api {
    std::string host = "a host of a name that is long";
    Sharded<long, Session> sessions;
};

static Api *api;

static void setup() { api = new Api; }

static void plant(long number) { api->sessions.at(number) = {number, "the user with the number " + std::to_string(number)}; }
