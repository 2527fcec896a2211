// Counters by tenant and day, in a map of maps: ten tenants, of which each gets new days for ever.
#include "program.hpp"
#include <map>

class Metrics {
public:
    [[gnu::noinline]] void count(const std::string &tenant, long day) { days_[tenant][day].hits++; } // truth: made

private:
    struct Counter {
        long hits = 0;
        char histogram[64] = {};
    };
    std::map<std::string, std::map<long, Counter>> days_;
};

static Metrics *tenant_metrics = new Metrics;

static void setup() {}

static void plant(long number) { tenant_metrics->count("tenant " + std::to_string(number % 10), number); }
