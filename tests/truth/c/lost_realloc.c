/* A buffer is enlarged while it is filled; the path of an empty answer returns without freeing it, or the header before
 * it. */
#include "program.h"

struct header {
    char *name, *value;
};

static void setup(void) {}

static __attribute__((noinline)) struct header *parse_header(long number)
{
    struct header *h = malloc(sizeof *h); /* truth: header */
    h->name = strdup("content-type");
    h->value = malloc(30);
    snprintf(h->value, 30, "text/%ld", number);
    return h;
}

static __attribute__((noinline)) int answer(long number)
{
    struct header *h = parse_header(number);
    char *body = malloc(16);
    for (size_t size = 32; size <= 128; size *= 2) {
        body = realloc(body, size); /* truth: body */
        memset(body, 'b', size);
    }
    if (number % 2 == 0) return 0;
    free(h->name);
    free(h->value);
    free(h);
    free(body);
    return 1;
}

static void plant(long number)
{
    answer(2 * number);
    answer(2 * number + 1);
}
