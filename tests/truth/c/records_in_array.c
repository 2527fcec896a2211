/* Records stand in one array, which is doubled; each has a name and a list of numbers of its own. */
#include "program.h"

struct record {
    char *name;
    int *numbers;
    unsigned count;
};

struct journal {
    struct record *records;
    size_t count, capacity;
};

static struct {
    int is_open;
    struct journal *journal;
} book;

static void setup(void)
{
    book.journal = calloc(1, sizeof *book.journal);
    book.is_open = 1;
}

static __attribute__((noinline)) struct record make_record(long number)
{
    char name[32];
    snprintf(name, sizeof name, "record number %06ld", number);
    /* truth: made */
    return (struct record){.name = strdup(name), .numbers = calloc(9, sizeof(int)), .count = 9};
}

static void plant(long number)
{
    struct journal *j = book.journal;
    if (j->count == j->capacity) {
        j->capacity = j->capacity ? 2 * j->capacity : 16;
        j->records = realloc(j->records, j->capacity * sizeof *j->records);
    }
    j->records[j->count++] = make_record(number);
}
