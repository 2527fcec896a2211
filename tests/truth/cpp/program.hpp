/*
 * What the programs of this folder have besides their own: the lines of tests/agents/kit.py, and the load of a small server.
 *
 * A program defines setup(), which is called once, and plant(number), which is called for each object that "leak N" asks for. Around each
 * of these a request is served: a cache that evicts, a queue of the last answers that is full, strings that come and go, and a second
 * thread with timers. All of it is full before "ready", so that it is no larger in a later capture.
 */
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static void setup();
static void plant(long number);

namespace load {

struct Page {
    unsigned key;
    std::string body;
};

class Cache {
public:
    const Page &get(unsigned key)
    {
        if (auto found = by_key_.find(key); found != by_key_.end()) {
            pages_.splice(pages_.begin(), pages_, found->second);
            return pages_.front();
        }
        if (pages_.size() == 256) {
            by_key_.erase(pages_.back().key);
            pages_.pop_back();
        }
        pages_.push_front({key, std::string(1000, 'p')});
        by_key_[key] = pages_.begin();
        return pages_.front();
    }

private:
    std::list<Page> pages_;
    std::unordered_map<unsigned, std::list<Page>::iterator> by_key_;
};

struct Timer {
    unsigned due;
    std::string note;
};

class Server {
public:
    Server() : answers_(512), timers_(64), background_([this] { tick(); }) {}
    ~Server()
    {
        is_over_ = true;
        background_.join();
    }
    void request()
    {
        const Page &page = cache_.get(draw() % 400);
        std::string scratch = page.body + std::to_string(served_);
        auto answer = std::make_unique<std::string>(scratch, 0, 250);
        answers_[served_++ % answers_.size()] = std::move(answer);
    }
    bool is_warm() const { return ticks_ > 200; }

private:
    unsigned draw() { return (seed_ = seed_ * 1103515245u + 12345u) >> 8; }
    void tick()
    {
        while (!is_over_) {
            timers_[ticks_ % timers_.size()] = std::make_shared<Timer>(Timer{ticks_, std::string(40, 't')});
            ticks_++;
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    }
    Cache cache_;
    std::vector<std::unique_ptr<std::string>> answers_;
    std::vector<std::shared_ptr<Timer>> timers_;
    unsigned seed_ = 12345;
    unsigned served_ = 0;
    std::atomic<unsigned> ticks_ = 0;
    std::atomic<bool> is_over_ = false;
    std::thread background_;
};

/* Words that were left on the stack by what returned are written over. */
[[gnu::noinline]] inline void wipe()
{
    volatile char old[16384];
    for (auto &c : old)
        c = 0;
}

}

int main()
{
    setup();
    load::Server server;
    for (int i = 0; i < 3000; i++)
        server.request();
    while (!server.is_warm())
        std::this_thread::yield();
    std::puts("ready");
    std::fflush(stdout);
    long planted = 0;
    char line[128];
    while (std::fgets(line, sizeof line, stdin) != nullptr && std::strncmp(line, "quit", 4) != 0)
        if (std::strncmp(line, "leak ", 5) == 0) {
            for (long i = std::atol(line + 5); i > 0; i--) {
                plant(planted++);
                server.request();
            }
            load::wipe();
            std::printf("leaked %ld\n", planted);
            std::fflush(stdout);
        }
}
