// Handlers by name as std::function, registered again with each request under another name.
#include "program.hpp"
#include <functional>

class Router {
public:
    using Handler = std::function<void(const std::string &)>;
    void on(const std::string &path, Handler handler) { handlers_[path] = std::move(handler); }

private:
    std::unordered_map<std::string, Handler> handlers_;
};

static Router web_router;
static long hits;

static void setup() {}

[[gnu::noinline]] static void add_route(long number)
{
    std::string tenant = "the tenant with the number " + std::to_string(1000000 + number);
    web_router.on("/tenants/" + std::to_string(1000000 + number) + "/x", [tenant, number](const std::string &) { hits += long(tenant.size()) + number; }); // truth: made
}

static void plant(long number) { add_route(number); }
