/* A text that a library makes for its caller, who does not free it: the library's function allocated it, and the one
 * that is to be mended called it. */
#include "program.h"

#include <sqlite3.h>

static long described;

static void setup(void) {}

static __attribute__((noinline)) void describe(long number)
{
    const char *text = sqlite3_mprintf("order %ld of %s, who lives afar", number, "somebody"); /* truth: made */
    described += text[0];
}

static void plant(long number) { describe(number); }
