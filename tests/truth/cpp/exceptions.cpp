// Failures are kept for a report that nobody asks for.
#include "program.hpp"
#include <exception>
#include <stdexcept>

class Failure : public std::runtime_error {
public:
    explicit Failure(long number) : std::runtime_error("request " + std::to_string(number) + " could not be answered"), number_(number) {}

private:
    long number_;
    char context_[96] = {};
};

static std::vector<std::exception_ptr> kept_failures;

static void setup() { kept_failures.reserve(40000); }

[[gnu::noinline]] static void fail(long number) { throw Failure(number); } // truth: thrown

static void plant(long number)
{
    try {
        fail(number);
    } catch (...) {
        kept_failures.push_back(std::current_exception());
    }
}
