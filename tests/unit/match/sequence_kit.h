/* Sequences for the tests of match/, in as much memory as asked for. */
#ifndef HSD_TESTS_SEQUENCE_KIT_H
#define HSD_TESTS_SEQUENCE_KIT_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "match/sequence.h"
#include "support/random.h"

#define KIT_LEAST  0u /* every array with its fewest pages */
#define KIT_PLENTY (1u << 28)

static inline void kit_open(hsd_paged *paged, uint64_t bytes, uint64_t memory, hsd_temp_space *space)
{
    hsd_error err;
    const uint64_t least = hsd_paged_least_bytes(bytes);
    cr_assert_eq(hsd_paged_open(paged, bytes, memory < least ? least : memory, space, &err), HSD_OK, "%s", err.text);
}

/* `count` positions; `ordinals` objects, none of which has a position yet. */
static inline void kit_sequence(hsd_sequence *s, hsd_node count, hsd_node ordinals, uint64_t memory,
                                hsd_temp_space *space)
{
    *s = (hsd_sequence){.count = count, .is_shared = calloc(count / 8 + 1, 1)};
    kit_open(&s->elements, count * (uint64_t)sizeof(hsd_element), memory, space);
    kit_open(&s->addresses, count * UINT64_C(8), memory, space);
    kit_open(&s->positions, (uint64_t)ordinals * HSD_NODE_BYTES, memory, space);
    kit_open(&s->partners, (uint64_t)count * HSD_NODE_BYTES, memory, space);
    kit_open(&s->rungs, count, memory, space);
    for (hsd_node i = 0; i < ordinals; i++)
        hsd_paged_set_node(&s->positions, i, HSD_NO_POSITION);
}

static inline hsd_sorter *kit_sorter(hsd_temp_space *space)
{
    const hsd_sorter_config config = {
        .record_words = 2, .key_words = 1, .memory_bytes = HSD_SORT_MIN_BYTES, .space = space};
    hsd_sorter *sorter;
    cr_assert_eq(hsd_sorter_new(&sorter, &config, NULL), HSD_OK);
    return sorter;
}

static inline void kit_put(hsd_sorter *sorter, uint64_t hash, hsd_node position)
{
    cr_assert_eq(hsd_sorter_put(sorter, (const uint64_t[]){hash, position}, NULL), HSD_OK);
}

/* All records of a finished sorter, pairs of words; `*count` of them. */
static inline uint64_t *kit_records(hsd_sorter *sorter, uint64_t *count)
{
    const uint64_t *record;
    uint64_t *all = malloc((hsd_sorter_count(sorter) * 2 + 1) * sizeof *all);
    for (*count = 0; hsd_sorter_next(sorter, &record, NULL) == HSD_OK; ++*count) {
        all[*count * 2] = record[0];
        all[*count * 2 + 1] = record[1];
    }
    cr_assert_eq(*count, hsd_sorter_count(sorter));
    return all;
}

typedef struct kit_list {
    uint64_t *all, count;
} kit_list;

static inline hsd_status kit_take_whole(void *context, uint64_t whole, hsd_node position, hsd_error *err)
{
    kit_list *list = context;
    (void)err;
    list->all[list->count * 2] = whole;
    list->all[list->count++ * 2 + 1] = position;
    return HSD_OK;
}

static inline int kit_compare_pairs(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

/* The same of wholes, which come in no order of theirs. */
static inline uint64_t *kit_wholes(const hsd_wholes *wholes, uint64_t *count)
{
    kit_list list = {.all = malloc((wholes->count * 2 + 1) * sizeof *list.all)};
    cr_assert_eq(hsd_wholes_each(wholes, kit_take_whole, &list, NULL), HSD_OK);
    cr_assert_eq(list.count, wholes->count);
    qsort(list.all, list.count, 2 * sizeof *list.all, kit_compare_pairs);
    *count = list.count;
    return list.all;
}

static inline void kit_shuffle(test_random *random, hsd_node *items, hsd_node count)
{
    for (hsd_node i = count; i > 1; i--) {
        const hsd_node other = (hsd_node)test_below(random, i), item = items[i - 1];
        items[i - 1] = items[other];
        items[other] = item;
    }
}

#endif
