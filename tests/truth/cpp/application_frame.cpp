// An application that lives in the frame of the function that runs it: its bus keeps a listener for each fourth request.
#include "program.hpp"
#include <condition_variable>
#include <functional>
#include <mutex>

struct Widget {
    std::string title;
    double values[8] = {};
};

class Bus {
public:
    [[gnu::noinline]] void on(const std::string &event, std::function<void(int)> listener)
    {
        listeners_[event].push_back(std::move(listener)); // truth: kept
    }

private:
    std::unordered_map<std::string, std::vector<std::function<void(int)>>> listeners_;
};

struct Application {
    Bus bus;
    std::vector<std::shared_ptr<Widget>> history;

    [[gnu::noinline]] void request(long number)
    {
        auto widget = std::make_shared<Widget>(); // truth: made
        widget->title = "the widget with the number " + std::to_string(number);
        bus.on("price", [widget](int value) { widget->values[0] = value; });
        history.push_back(widget);
        if (history.size() > 50) history.erase(history.begin());
    }
};

static std::mutex &change = *new std::mutex; // not destroyed: the thread waits for it until the end
static std::condition_variable &changed = *new std::condition_variable;
static long wanted, served;

[[gnu::noinline]] static void run_application()
{
    Application application;
    std::unique_lock<std::mutex> held(change);
    for (;;) {
        changed.wait(held, [] { return served < wanted; });
        application.request(served++);
        changed.notify_all();
    }
}

static void setup() { std::thread(run_application).detach(); }

static void plant(long number)
{
    std::unique_lock<std::mutex> held(change);
    wanted = number + 1;
    changed.notify_all();
    changed.wait(held, [] { return served == wanted; });
}
