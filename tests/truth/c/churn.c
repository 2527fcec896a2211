/* No leak: a table of which each request replaces a part, with blocks of other sizes than before. */
#include "program.h"

enum { ENTRIES = 3000 };

struct entry {
    size_t size;
    char *text;
};
static struct entry *entry_table;

static void setup(void) { entry_table = calloc(ENTRIES, sizeof *entry_table); }

static void plant(long number)
{
    struct entry *e = &entry_table[number % ENTRIES];
    free(e->text);
    e->size = 64 + (size_t)(number * 7919 % 3000) % 512;
    e->text = malloc(e->size);
    memset(e->text, 't', e->size);
}
