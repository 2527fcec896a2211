// A cache of weak_ptr: the pictures are destroyed, but make_shared has them in one block with the counters, which weak_ptr keep.
#include "program.hpp"

struct Picture {
    char pixels[200];
};

static std::unordered_map<long, std::weak_ptr<Picture>> picture_cache;
static long shown;

static void setup() { picture_cache.reserve(20000); }

[[gnu::noinline]] static std::shared_ptr<Picture> decode(long number)
{
    auto picture = std::make_shared<Picture>(); // truth: made
    picture_cache[number] = picture;
    return picture;
}

static void plant(long number) { shown += decode(number)->pixels[7]; }
