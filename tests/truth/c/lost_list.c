/* The jobs of a batch are a list; when a batch is full a new list is begun, and the old one is forgotten. */
#include "program.h"

enum { BATCH = 50 };

struct job {
    struct job *next;
    long number;
    char text[84];
};

static struct job *current_batch;
static unsigned batch_size;

static void setup(void) {}

static __attribute__((noinline)) struct job *new_job(long number)
{
    struct job *j = calloc(1, sizeof *j); /* truth: made */
    j->number = number;
    return j;
}

static void plant(long number)
{
    if (batch_size++ == BATCH) {
        current_batch = NULL;
        batch_size = 1;
    }
    struct job *j = new_job(number);
    j->next = current_batch;
    current_batch = j;
}
