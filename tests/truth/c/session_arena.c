/* What belongs to a session comes from an arena, which is never reset. */
#include "program.h"

enum { CHUNK = 8192 };

struct chunk {
    struct chunk *earlier;
    size_t used;
    char room[CHUNK - 16];
};
struct arena {
    struct chunk *top;
    size_t chunks;
};

static struct arena session_arena;

static void setup(void) {}

static __attribute__((noinline)) void add_chunk(struct arena *a)
{
    struct chunk *c = calloc(1, sizeof *c); /* truth: made */
    c->earlier = a->top;
    a->top = c;
    a->chunks++;
}

static void *from_arena(struct arena *a, size_t size)
{
    if (a->top == NULL || a->top->used + size > sizeof a->top->room) add_chunk(a);
    void *place = a->top->room + a->top->used;
    a->top->used += size;
    return place;
}

static void plant(long number) { memset(from_arena(&session_arena, 146), (int)number & 15, 146); }
