/* A queue with a variable for its head and one for its tail. */
#include "program.h"

struct task {
    struct task *next;
    long number;
    char body[80];
};

struct task *first_task, *last_task;

static void setup(void) {}

static __attribute__((noinline)) struct task *new_task(long number)
{
    struct task *t = calloc(1, sizeof *t); /* truth: made */
    t->number = number;
    return t;
}

static void plant(long number)
{
    struct task *t = new_task(number);
    if (last_task != NULL)
        last_task->next = t;
    else
        first_task = t;
    last_task = t;
}
