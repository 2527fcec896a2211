/* Records in an arena of the program's own, whose chunks come from mmap and are never given back. */
#include "program.h"
#include <sys/mman.h>

enum { CHUNK = 65536, RECORD = 256 };

struct chunk {
    struct chunk *earlier;
    size_t used;
    char room[];
};

static struct chunk *record_arena;

static void setup(void) {}

static __attribute__((noinline)) void grow_arena(void)
{
    struct chunk *c = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    c->earlier = record_arena;
    record_arena = c;
}

static void plant(long number)
{
    if (record_arena == NULL || record_arena->used + RECORD > CHUNK - sizeof *record_arena) grow_arena();
    memset(record_arena->room + record_arena->used, (int)number, RECORD);
    record_arena->used += RECORD;
}
