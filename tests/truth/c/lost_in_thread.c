/* A thread gathers rows in a vector, answers, and ends without freeing it. */
#include "program.h"

enum { ROWS = 20 };

struct vector {
    char **rows;
    size_t count, room;
};

static void setup(void) {}

static __attribute__((noinline)) void add_row(struct vector *v, const char *text)
{
    if (v->count == v->room) v->rows = realloc(v->rows, (v->room += ROWS) * sizeof *v->rows); /* truth: grown */
    v->rows[v->count++] = strdup(text);                                                       /* truth: copied */
}

static void *answer(void *argument)
{
    struct vector v = {0};
    for (int i = 0; i < ROWS; i++)
        add_row(&v, "a row that the query had as its result");
    *(size_t *)argument = v.count;
    return NULL;
}

static void plant(long number)
{
    pthread_t thread;
    size_t count = (size_t)number;
    if (pthread_create(&thread, NULL, answer, &count) == 0) pthread_join(thread, NULL);
}
