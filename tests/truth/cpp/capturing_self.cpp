// A request keeps the callback that is called when it ends, and the callback has the request: nobody else knows either.
#include "program.hpp"

#include <functional>

class Request : public std::enable_shared_from_this<Request> {
public:
    explicit Request(long number) : number_(number) {}
    [[gnu::noinline]] void start()
    {
        auto self = shared_from_this();
        std::string url = "https://example.org/" + std::to_string(100000 + number_);
        on_end_ = [self, url] { self->number_ += long(url.size()); }; // truth: made
    }

private:
    long number_;
    std::function<void()> on_end_;
    char header_[40] = {};
};

static void setup() {}

static void plant(long number) { std::make_shared<Request>(number)->start(); }
