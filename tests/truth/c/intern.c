/* Strings are interned in a static table with chains, and live for ever. */
#include "program.h"

enum { CHAINS = 2048 };

struct interned {
    struct interned *next;
    unsigned hash;
    char text[];
};

static struct interned *interned_strings[CHAINS];

static void setup(void) {}

static __attribute__((noinline)) const char *intern(const char *text, unsigned hash)
{
    for (struct interned *i = interned_strings[hash % CHAINS]; i != NULL; i = i->next)
        if (strcmp(i->text, text) == 0) return i->text;
    struct interned *i = malloc(sizeof *i + 65); /* truth: made */
    i->hash = hash;
    snprintf(i->text, 65, "%s", text);
    i->next = interned_strings[hash % CHAINS];
    interned_strings[hash % CHAINS] = i;
    return i->text;
}

static void plant(long number)
{
    char text[65];
    snprintf(text, sizeof text, "/api/v1/customers/%046ld", number);
    intern(text, (unsigned)number * 2654435761u);
}
