/* Notes that each thread keeps for itself, in a variable of the thread. */
#include "program.h"

struct note {
    struct note *next;
    char text[100];
};

static __thread struct note *notes_of_thread;

static void setup(void) {}

static __attribute__((noinline)) struct note *take_note(void)
{
    return calloc(1, sizeof(struct note)); /* truth: made */
}

static void plant(long number)
{
    struct note *n = take_note();
    n->text[0] = (char)number;
    n->next = notes_of_thread;
    notes_of_thread = n;
}
