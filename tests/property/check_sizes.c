/*
 * Examples are the lowest ids of what is new, and histograms count every object of the heap that is no pseudo object,
 * each in the bucket of its own size: parts apart, unreached ones too.
 */
#include "check_sizes.h"

#include <criterion/criterion.h>

#include <string.h>

static uint32_t type_number(hsd_text name)
{
    cr_assert(name.size == 2 && name.data[0] == 'T');
    return (uint32_t)(name.data[1] - '0');
}

/* The id that `rank` others of the type's new ids are below. */
static uint64_t ranked(const oracle_diff *wanted, uint32_t type, uint32_t rank)
{
    const uint64_t *ids = wanted->new_ids[type];
    for (uint32_t i = 0;; i++) {
        uint32_t below = 0;
        for (uint32_t k = 0; k < wanted->new_id_count[type]; k++)
            below += ids[k] < ids[i];
        if (below == rank) return ids[i];
    }
}

void check_examples(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    for (size_t i = 0; i < diff->type_count; i++) {
        const hsd_type_row *row = &diff->types[i];
        const uint32_t type = type_number(row->name), count = wanted->new_id_count[type];
        cr_assert_eq(row->example_count, count < HSD_EXAMPLES ? count : HSD_EXAMPLES, "seed %lu type T%u", seed, type);
        for (uint32_t k = 0; k < row->example_count; k++) {
            cr_assert_eq(row->examples[k], ranked(wanted, type, k), "seed %lu type T%u example %u is %#lx", seed, type,
                         k, (unsigned long)row->examples[k]);
        }
    }
}

static void count_sizes(const model_heap *heap, uint32_t type, hsd_amount buckets[HSD_SIZE_BUCKETS])
{
    memset(buckets, 0, HSD_SIZE_BUCKETS * sizeof *buckets);
    for (uint32_t i = 0; i < heap->object_count; i++) {
        const model_object *object = &heap->objects[i];
        uint32_t bucket = 0;
        if (object->type != type || (object->flags & HSC_OBJECT_PSEUDO) != 0) continue;
        while (bucket < 64 && object->size_bytes >> bucket != 0)
            bucket++;
        buckets[bucket].objects++;
        buckets[bucket].bytes += object->size_bytes;
    }
}

static uint64_t change_of(const hsd_diff *diff, hsd_text name)
{
    for (size_t i = 0; i < diff->type_count; i++) {
        if (strcmp(diff->types[i].name.data, name.data) != 0) continue;
        const int64_t change = hsd_change_bytes(&diff->types[i].live);
        return change < 0 ? (uint64_t)-change : (uint64_t)change;
    }
    return 0;
}

void check_sizes(const hsd_diff *diff, const oracle_heaps *heaps, unsigned long seed)
{
    hsd_amount buckets[HSD_SIZE_BUCKETS];
    size_t changed = 0;
    for (size_t i = 0; i < diff->type_count; i++)
        changed += hsd_change_bytes(&diff->types[i].live) != 0;
    cr_assert_eq(diff->size_count, changed, "seed %lu: %zu types changed, %zu have sizes", seed, changed,
                 diff->size_count);
    for (size_t i = 0; i < diff->size_count; i++) {
        const hsd_size_row *row = &diff->sizes[i];
        count_sizes(heaps->before, type_number(row->type), buckets);
        cr_assert_eq(memcmp(buckets, row->before, sizeof buckets), 0, "seed %lu type %s before", seed, row->type.data);
        count_sizes(heaps->after, type_number(row->type), buckets);
        cr_assert_eq(memcmp(buckets, row->after, sizeof buckets), 0, "seed %lu type %s after", seed, row->type.data);
        if (i == 0) continue;
        const hsd_text above = diff->sizes[i - 1].type;
        const uint64_t most = change_of(diff, above), least = change_of(diff, row->type);
        cr_assert(most > least || (most == least && strcmp(above.data, row->type.data) < 0), "seed %lu: order of sizes",
                  seed);
    }
}
