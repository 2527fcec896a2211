// Jobs by priority; those of the lowest never get their turn.
#include "program.hpp"
#include <queue>

struct Job {
    int priority;
    long number;
    char payload[80];
};
struct Urgency {
    bool operator()(const std::unique_ptr<Job> &a, const std::unique_ptr<Job> &b) const { return a->priority < b->priority; }
};

class Scheduler {
public:
    [[gnu::noinline]] void submit(long number)
    {
        waiting_.push(std::make_unique<Job>(Job{int(number * 7919 % 100), number, {}})); // truth: made
    }

private:
    std::priority_queue<std::unique_ptr<Job>, std::vector<std::unique_ptr<Job>>, Urgency> waiting_;
};

static Scheduler job_scheduler;

static void setup() {}

static void plant(long number) { job_scheduler.submit(number); }
