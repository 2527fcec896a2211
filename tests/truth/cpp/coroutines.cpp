// Coroutines that wait for an answer that never comes: their frames hang from a vector of handles.
#include "program.hpp"
#include <coroutine>

struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static std::vector<std::coroutine_handle<>> waiting_coroutines;

struct Answer {
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { waiting_coroutines.push_back(handle); }
    void await_resume() const noexcept {}
};

static void setup() { waiting_coroutines.reserve(40000); }

static Task ask(long number)
{
    std::string question = "what is the number of request " + std::to_string(number);
    co_await Answer{};
    question.clear();
}

static void plant(long number) { ask(number); }
