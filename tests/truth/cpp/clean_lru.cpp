// No leak: an LRU cache of 1,500 strings that is full.
#include "program.hpp"

template <typename K, typename V> class Lru {
public:
    explicit Lru(size_t most) : most_(most) {}
    void put(const K &key, V value)
    {
        entries_.emplace_front(key, std::move(value));
        places_[key] = entries_.begin();
        if (entries_.size() > most_) {
            places_.erase(entries_.back().first);
            entries_.pop_back();
        }
    }

private:
    size_t most_;
    std::list<std::pair<K, V>> entries_;
    std::unordered_map<K, typename std::list<std::pair<K, V>>::iterator> places_;
};

static Lru<long, std::string> thumbnails(1500);

static void setup() {}

static void plant(long number) { thumbnails.put(number, std::string(300, 'i')); }
