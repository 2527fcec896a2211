/*
 * Variables on a stack. Prints of each: the place of the code that the frame waits in, how far the word lies below the
 * end of the frame and above its stack pointer, and its name. The argument is where the program is mapped.
 */
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

struct queue {
    void *head, *tail;
};

struct shop {
    long opened;
    queue waiting;
    std::map<long, std::string> sessions;
    queue lanes[3];
};

static uintptr_t end_of_frame;
static uintptr_t base;

/* Called by the function whose frame it tells of: its own return address is the code, and above it begins that frame.
 */
extern "C" __attribute__((noinline)) void tell(const void *word, const char *name)
{
    const uintptr_t top = (uintptr_t)__builtin_dwarf_cfa(), code = (uintptr_t)__builtin_return_address(0) - 1;
    printf("%lx %lu %lu %s\n", (unsigned long)(code - base), (unsigned long)(end_of_frame - (uintptr_t)word),
           (unsigned long)((uintptr_t)word - top), name);
}

static inline __attribute__((always_inline)) void serve(shop *one)
{
    queue inner = {one, one};
    tell(&inner.tail, "serve.inner.tail");
}

struct clerk {
    long number;
    __attribute__((noinline)) void work();
};

void clerk::work()
{
    clerk *volatile other = this;
    end_of_frame = (uintptr_t)__builtin_dwarf_cfa();
    tell((const void *)&other, "clerk::work.other");
}

extern "C" __attribute__((noinline)) void run_shop(long rounds)
{
    shop store = {rounds, {nullptr, nullptr}, {}, {}};
    std::vector<queue> more(2);
    void *volatile alone = &store;
    end_of_frame = (uintptr_t)__builtin_dwarf_cfa();
    for (long i = 0; i < rounds; i++) {
        queue of_round = {&i, (void *)&alone};
        tell(&of_round, "run_shop.of_round.head");
        tell(&store.waiting.tail, "run_shop.store.waiting.tail");
        tell((char *)&store.sessions + 16, "run_shop.store.sessions");
        tell(&store.lanes[1].tail, "run_shop.store.lanes[*].tail");
        tell(&more, "run_shop.more");
        tell((const void *)&alone, "run_shop.alone");
        serve(&store);
        tell((char *)end_of_frame - 8, "run_shop"); /* the return address is no variable */
    }
    tell(&store.waiting, "run_shop.store.waiting.head");
}

int main(int argc, char **argv)
{
    extern char __executable_start;
    base = argc > 1 ? 0 : (uintptr_t)&__executable_start;
    (void)argv;
    run_shop(1);
    clerk one = {1};
    one.work();
    return 0;
}
