/* A hash table as glib has it: keys, values and hashes in three arrays that are doubled. */
#include "program.h"

struct table {
    char **keys;
    long **values;
    unsigned *hashes;
    size_t room, used;
};

static struct table *symbol_table;

static __attribute__((noinline)) void table_init(struct table *t, size_t room)
{
    *t = (struct table){.keys = calloc(room, sizeof *t->keys),
                        .values = calloc(room, sizeof *t->values),
                        .hashes = calloc(room, sizeof *t->hashes),
                        .room = room};
}

static void put(struct table *t, char *key, long *value, unsigned hash)
{
    size_t i = hash % t->room;
    while (t->keys[i] != NULL)
        i = (i + 1) % t->room;
    t->keys[i] = key;
    t->values[i] = value;
    t->hashes[i] = hash;
    t->used++;
}

static void table_grow(struct table *t)
{
    struct table old = *t;
    table_init(t, 2 * old.room);
    for (size_t i = 0; i < old.room; i++)
        if (old.keys[i] != NULL) put(t, old.keys[i], old.values[i], old.hashes[i]);
    free(old.keys);
    free(old.values);
    free(old.hashes);
}

static void setup(void)
{
    symbol_table = malloc(sizeof *symbol_table);
    table_init(symbol_table, 64);
}

static __attribute__((noinline)) void intern_symbol(struct table *t, long number)
{
    char name[32];
    snprintf(name, sizeof name, "symbol_%023ld", number);
    long *value = malloc(48); /* truth: value */
    *value = number;
    if (2 * t->used >= t->room) table_grow(t);
    put(t, strdup(name), value, (unsigned)number * 2654435761u);
}

static void plant(long number) { intern_symbol(symbol_table, number); }
