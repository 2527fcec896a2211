// Work that is posted and never run: closures in a deque.
#include "program.hpp"
#include <functional>

class Executor {
public:
    static Executor &instance()
    {
        static Executor the_executor;
        return the_executor;
    }
    void post(std::function<void()> work) { tasks_.push_back(std::move(work)); }

private:
    std::deque<std::function<void()>> tasks_;
};

struct Mail {
    char address[64];
    long number;
};

static long sent;

static void setup() {}

[[gnu::noinline]] static void notify(long number)
{
    Mail mail{"somebody@example.org", number};
    Executor::instance().post([mail] { sent += mail.number; }); // truth: made
}

static void plant(long number) { notify(number); }
