// A program in C++ that leaks, while four threads allocate, in bursts. Obeys the lines of tests/agents/kit.py; "leak N" plants
// N objects of each of three classes: shop::Session in a vector behind a global variable, shop::Account in a map behind a static one, and
// shop::Visit, which has no virtual function, in a list of a class that has.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace shop {

class Session {
public:
    explicit Session(long number) : number_(number) {}
    virtual ~Session() = default;
    virtual long cost() const { return number_; }

protected:
    long number_;
    char rest_[80] = {};
};

class Account : public Session {
public:
    using Session::Session;
    long cost() const override { return number_ * 2; }

private:
    std::string owner_ = std::string(100, 'o');
};

struct Visit {
    Visit *next;
    char rest[136];
};

class Log {
public:
    virtual ~Log() = default;
    __attribute__((noinline)) virtual void add()
    {
        auto *visit = new Visit();
        visit->next = first_;
        first_ = visit;
    }

private:
    Visit *first_ = nullptr;
};

std::vector<std::unique_ptr<Session>> sessions;
static std::map<long, std::shared_ptr<Account>> accounts;
Log *visits;

__attribute__((noinline)) void leak(long count)
{
    for (long i = 0; i < count; i++) {
        sessions.push_back(std::make_unique<Session>(i));
        accounts[static_cast<long>(accounts.size())] = std::make_shared<Account>(i);
        visits->add();
    }
}

} // namespace shop

static void work(std::atomic<bool> *is_over)
{
    std::vector<std::string> alive(1000);
    for (unsigned long i = 0; !*is_over; i++) {
        alive[i * 7919 % alive.size()] = std::string(20 + i % 2000, 'x');
        if (i > 2000 && i % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

int main()
{
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    char line[64];
    long count;
    shop::visits = new shop::Log;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, &is_over);
    std::puts("ready");
    std::fflush(stdout);
    while (std::fgets(line, sizeof line, stdin) != nullptr && std::strncmp(line, "quit", 4) != 0) {
        if (std::sscanf(line, "leak %ld", &count) != 1) continue;
        shop::leak(count);
        std::printf("leaked %zu\n", shop::sessions.size());
        std::fflush(stdout);
    }
    is_over = true;
    for (auto &thread : threads)
        thread.join();
    return 0;
}
