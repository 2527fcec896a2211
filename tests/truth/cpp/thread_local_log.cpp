// A worker keeps lines in a thread_local vector.
#include "program.hpp"
#include <condition_variable>
#include <mutex>
#include <pthread.h>

static std::mutex &lock = *new std::mutex; // the worker outlives main
static std::condition_variable &changed = *new std::condition_variable;
static long wanted, done_so_far;

thread_local std::vector<std::unique_ptr<std::string>> lines_of_worker;

[[gnu::noinline]] static void write_line(long number)
{
    lines_of_worker.push_back(std::make_unique<std::string>("line " + std::to_string(number) + " of the log of a worker")); // truth: made
}

static void work()
{
    pthread_setname_np(pthread_self(), "worker");
    std::unique_lock<std::mutex> held(lock);
    for (;;) {
        changed.wait(held, [] { return done_so_far < wanted; });
        write_line(done_so_far++);
        changed.notify_all();
    }
}

static void setup() { std::thread(work).detach(); }

static void plant(long number)
{
    std::unique_lock<std::mutex> held(lock);
    wanted = number + 1;
    changed.notify_all();
    changed.wait(held, [] { return done_so_far == wanted; });
}
