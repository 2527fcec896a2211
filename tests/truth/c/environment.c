/* Each request sets a variable of the environment by a name of its own, and never unsets it. */
#include "program.h"

static void setup(void) {}

static __attribute__((noinline)) void remember(long number)
{
    char name[40], value[120];
    snprintf(name, sizeof name, "REQUEST_%06ld", number);
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    setenv(name, value, 1); /* truth: made */
}

static void plant(long number) { remember(number); }
