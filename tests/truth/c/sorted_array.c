/* Pointers to records in an array that is sorted after each insertion. */
#include "program.h"

struct record {
    unsigned key;
    char body[140];
};

static struct record **sorted_records;
static size_t record_count;

static void setup(void) { sorted_records = calloc(65536, sizeof *sorted_records); }

static int compare(const void *a, const void *b)
{
    const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static __attribute__((noinline)) struct record *make_record(long number)
{
    struct record *r = calloc(1, sizeof *r); /* truth: made */
    r->key = (unsigned)number * 2654435761u;
    return r;
}

static void plant(long number)
{
    sorted_records[record_count++] = make_record(number);
    if (number % 500 == 499) qsort(sorted_records, record_count, sizeof *sorted_records, compare);
}
