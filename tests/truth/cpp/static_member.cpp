// A template with a static member for each type: that of Invoice grows.
#include "program.hpp"

template <typename T> class Pool {
public:
    [[gnu::noinline]] static T *make(long number)
    {
        all_.push_back(std::make_unique<T>(T{number, {}})); // truth: made
        return all_.back().get();
    }
    static size_t size() { return all_.size(); }

private:
    static inline std::vector<std::unique_ptr<T>> all_;
};

struct Invoice {
    long number;
    char lines[120];
};
struct Receipt {
    long number;
    char lines[24];
};

static long made;

static void setup()
{
    for (long i = 0; i < 500; i++)
        made += Pool<Receipt>::make(i)->number;
}

static void plant(long number) { made += Pool<Invoice>::make(number)->number; }
