/*
 * Ordinals by id (walk/ordinals.h) against a list of all pairs: heaps that are packed and sparse, in order and not, ids
 * that come twice, that lie far from all others or between the places of the rest, and memory that does not suffice.
 */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "support/random.h"
#include "walk/ordinals.h"

enum { MOST = 3000 };

typedef struct row {
    uint64_t id;
    hsd_node ordinal;
} row;

static hsd_error err;

static void setup(void) { hsd_error_init(&err); }

TestSuite(ordinals, .init = setup);

static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Runs of objects side by side, each run where it likes. */
static uint32_t draw_rows(test_random *random, row *rows)
{
    const uint32_t count = (uint32_t)test_below(random, MOST);
    const unsigned shift = (unsigned)test_below(random, 14), spread = 20 + (unsigned)test_below(random, 44);
    const uint64_t low = test_below(random, UINT64_C(1) << shift), run = 1 + test_below(random, 400);
    const uint64_t gap = 1 + test_below(random, 70);
    uint64_t at = test_next(random) >> (64 - spread);
    hsd_node ordinal = (hsd_node)test_below(random, 3);
#if HSD_NODE_BITS == 64
    ordinal += test_below(random, 2) << (32 + test_below(random, 8)); /* past 32 bits, and across them */
    if (test_below(random, 3) == 0) ordinal += UINT32_MAX - test_below(random, MOST);
#endif
    for (uint32_t i = 0; i < count; i++) {
        if (test_below(random, run) == 0) at = test_next(random) >> (64 - spread);
        at += 1 + test_below(random, gap);
        rows[i] = (row){(at << shift) + low, ordinal};
        if (i > 0 && test_below(random, 50) == 0) rows[i].id = rows[test_below(random, i)].id;
        if (test_below(random, 100) == 0) rows[i].id += 1 + test_below(random, 3);
        if (test_below(random, 200) == 0) rows[i].id = test_next(random);
        ordinal += 1 + (test_below(random, 60) == 0 ? (hsd_node)test_below(random, 9) : 0);
    }
    return count;
}

static hsd_node find_row(const row *sorted, uint32_t count, uint64_t id)
{
    for (uint32_t low = 0, high = count;;) {
        if (low == high) return low < count && sorted[low].id == id ? sorted[low].ordinal : HSD_NO_ORDINAL;
        const uint32_t middle = low + (high - low) / 2;
        if (sorted[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
}

/* What each id has, and what those beside it and random ones have. */
static void check_rows(const hsd_ordinals *o, const row *sorted, uint32_t count, test_random *random,
                       unsigned long seed)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint64_t step = 0; step < 5; step++) {
            const uint64_t id = sorted[i].id + (step == 0 ? 0 : step == 1 ? UINT64_MAX : UINT64_C(1) << (step * 2));
            cr_assert_eq(hsd_ordinals_get(o, id), find_row(sorted, count, id), "seed %lu id %lx", seed,
                         (unsigned long)id);
        }
        const uint64_t any = test_next(random) >> test_below(random, 64);
        cr_assert_eq(hsd_ordinals_get(o, any), find_row(sorted, count, any), "seed %lu id %lx", seed,
                     (unsigned long)any);
    }
}

/* By ascending ids; of an id that came twice the first object. */
static void check_walk(hsd_ordinals *o, const row *sorted, uint32_t count, unsigned long seed)
{
    hsd_ordinals_walk walk;
    uint64_t id, told = 0;
    hsd_node ordinal;
    hsd_ordinals_begin_walk(&walk, o);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && sorted[i].id == sorted[i - 1].id) continue;
        cr_assert(hsd_ordinals_next(&walk, &id, &ordinal), "seed %lu", seed);
        cr_assert_eq(id, sorted[i].id, "seed %lu: %lx, not %lx", seed, (unsigned long)id, (unsigned long)sorted[i].id);
        cr_assert_eq(ordinal, sorted[i].ordinal, "seed %lu id %lx", seed, (unsigned long)id);
        told++;
    }
    cr_assert(!hsd_ordinals_next(&walk, &id, &ordinal) && !hsd_ordinals_next(&walk, &id, &ordinal));
    cr_assert_eq(o->count, told, "seed %lu", seed);
}

Test(ordinals, are_those_of_a_list_of_all_pairs)
{
    const uint64_t seed = test_seed(23);
    row *rows = calloc(MOST, sizeof *rows);
    uint32_t packed = 0, with_strays = 0, over = 0;
    for (uint64_t i = 0; i < 600; i++) {
        test_random random = {seed + i};
        const uint32_t count = draw_rows(&random, rows);
        hsd_ordinals o;
        hsd_ordinals_begin(&o, i % 3 == 0 ? UINT64_C(400) << 10 : UINT64_C(8) << 20);
        for (uint32_t k = 0; k < count; k++)
            cr_assert_eq(hsd_ordinals_put(&o, rows[k].id, rows[k].ordinal, &err), HSD_OK);
        cr_assert_eq(hsd_ordinals_finish(&o, &err), HSD_OK);
        cr_assert_leq(o.used_bytes, o.memory_bytes);
        qsort(rows, count, sizeof *rows, compare_rows);
        if (!o.is_over) check_rows(&o, rows, count, &random, (unsigned long)(seed + i));
        over += o.is_over;
        packed += !o.is_over && o.stray_count == 0;
        with_strays += !o.is_over && o.stray_count > 0;
        if (!o.is_over) check_walk(&o, rows, count, (unsigned long)(seed + i));
        hsd_ordinals_release(&o);
    }
    free(rows);
    cr_assert(packed > 5 && with_strays > 50 && over > 20, "%u without strays, %u with, %u over", packed, with_strays,
              over);
}

/* Of a packed heap of objects of 16 to 128 bytes, in order. */
Test(ordinals, take_a_byte_or_two_an_object_of_a_packed_heap)
{
    enum { OBJECTS = 1000000 };
    test_random random = {7};
    hsd_ordinals o;
    uint64_t id = UINT64_C(0x7f0000000000);
    hsd_ordinals_begin(&o, UINT64_C(64) << 20);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        cr_assert_eq(hsd_ordinals_put(&o, id, i, &err), HSD_OK);
        id += 16 + 8 * test_below(&random, 15);
    }
    cr_assert_eq(hsd_ordinals_finish(&o, &err), HSD_OK);
    cr_assert(!o.is_over && o.stray_count == 0 && o.shift == 3);
    cr_assert_leq(o.used_bytes, 3 * UINT64_C(1000000));
    hsd_ordinals_release(&o);
}
