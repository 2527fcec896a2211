/* A queue in a ring of two directions with a sentinel, as in kernels; its consumer has stopped. */
#include "program.h"

struct link {
    struct link *next, *previous;
};
struct message {
    long number;
    struct link in_queue;
    char body[104];
};

static struct link mail_queue = {&mail_queue, &mail_queue};

static void setup(void) {}

static __attribute__((noinline)) struct message *new_message(long number)
{
    struct message *m = calloc(1, sizeof *m); /* truth: made */
    m->number = number;
    return m;
}

static void plant(long number)
{
    struct message *m = new_message(number);
    m->in_queue = (struct link){.next = &mail_queue, .previous = mail_queue.previous};
    mail_queue.previous->next = &m->in_queue;
    mail_queue.previous = &m->in_queue;
}
