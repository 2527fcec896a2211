/* A configuration is read again with each request, and the pointer to the old one, with all that it holds, is
 * overwritten. */
#include "program.h"

struct entry {
    struct entry *next;
    char *key, *value;
};
struct config {
    struct entry *entries;
    int count;
    char path[44];
};

static struct config *current_config;

static void setup(void) {}

static __attribute__((noinline)) void add_entry(struct config *c, const char *key, const char *value)
{
    struct entry *e = malloc(sizeof *e); /* truth: entry */
    *e = (struct entry){.next = c->entries, .key = strdup(key), .value = strdup(value)};
    c->entries = e;
    c->count++;
}

static __attribute__((noinline)) struct config *load_config(void)
{
    struct config *c = calloc(1, sizeof *c); /* truth: config */
    add_entry(c, "listen.address", "127.0.0.1:8080");
    add_entry(c, "workers.at.most", "sixteen of them");
    return c;
}

static void plant(long number)
{
    current_config = load_config();
    current_config->path[0] = (char)number;
}
