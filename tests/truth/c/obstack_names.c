/* Names that are gathered on an obstack, as in compilers: never freed. */
#include "program.h"
#include <obstack.h>

static struct obstack name_stack;

static __attribute__((noinline)) void *take_chunk(size_t size) { return malloc(size); /* truth: made */ }

#define obstack_chunk_alloc take_chunk
#define obstack_chunk_free  free

static void setup(void) { obstack_init(&name_stack); }

static void plant(long number)
{
    char name[81];
    snprintf(name, sizeof name, "%080ld", number);
    obstack_copy0(&name_stack, name, 80);
}
