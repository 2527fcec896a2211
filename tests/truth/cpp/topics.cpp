// A broker in the frame of the function that runs it: the backlog of one topic is never read, and clients stay subscribed to another.
#include "program.hpp"
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

struct Message {
    long number;
    std::string payload;
};

struct Subscription {
    long client;
    std::string filter;
    bool operator<(const Subscription &other) const { return client < other.client; }
};

struct Topic {
    std::string name;
    std::set<Subscription> subscribers;
    std::list<Message> backlog;
};

class Broker {
public:
    [[gnu::noinline]] void publish(const std::string &name, long number)
    {
        Topic &topic = topics_[name];
        topic.name = name;
        topic.backlog.push_back({number, "a payload that is too long for a string itself " + std::to_string(number)}); // truth: made
        if (name != "orders") topic.backlog.pop_front();
    }

    [[gnu::noinline]] void subscribe(const std::string &name, long client)
    {
        topics_[name].subscribers.insert({client, "price"}); // truth: subscribed
    }

private:
    std::unordered_map<std::string, Topic> topics_;
};

static std::mutex &change = *new std::mutex; // not destroyed: the thread waits for it until the end
static std::condition_variable &changed = *new std::condition_variable;
static long wanted, served;

[[gnu::noinline]] static void run_broker()
{
    Broker broker;
    for (const char *name : {"orders", "prices", "news", "alerts"})
        broker.publish(name, 0);
    std::unique_lock<std::mutex> held(change);
    for (;;) {
        changed.wait(held, [] { return served < wanted; });
        broker.publish("orders", served);
        broker.publish("news", served);
        if (served % 4 == 0) broker.subscribe("prices", served);
        served++;
        changed.notify_all();
    }
}

static void setup() { std::thread(run_broker).detach(); }

static void plant(long number)
{
    std::unique_lock<std::mutex> held(change);
    wanted = number + 1;
    changed.notify_all();
    changed.wait(held, [] { return served == wanted; });
}
