/* Two heaps for the tests of kin: who belongs to whom, and what was recognised before. */
#ifndef HSD_TESTS_KIN_KIT_H
#define HSD_TESTS_KIN_KIT_H

#include "match/kin.h"
#include "sequence_kit.h"

#define KIN_MOST   20000u
#define KIN_NOBODY HSD_NODE_MAX
#define KIN_MEMORY (UINT64_C(8) << 20)

typedef struct kin_heap {
    hsd_node count;
    hsd_element elements[KIN_MOST];
    hsd_node owners[KIN_MOST];
} kin_heap;

static kin_heap kin_older, kin_newer;
static hsd_sequence kin_sides[2];
static uint64_t kin_pairs;
static hsd_temp_space kin_space;
static bool kin_is_swapped;

static inline void kin_teardown(void)
{
    for (int i = 0; i < 2; i++)
        hsd_sequence_release(&kin_sides[i]);
}

static inline void kin_setup(void) { hsd_temp_space_init(&kin_space, NULL); }

/* An object behind all others: of a type, with a look (odd: it has elements), belonging to another. Returns its
 * position. */
static inline hsd_node kin_put(kin_heap *h, uint32_t type, uint32_t look, hsd_node owner)
{
    const bool has_elements = type == 6;
    const uint32_t shape = (look * 2654435761u & ~1u) | has_elements;
    h->elements[h->count] =
        (hsd_element){.shape = shape, .structure = ~shape, .referrer = HSD_REFERRER_MANY, .type = type};
    h->owners[h->count] = owner;
    return h->count++;
}

static inline void kin_open_one(hsd_sequence *s, const kin_heap *h, uint64_t memory)
{
    kit_sequence(s, h->count, 1, memory, &kin_space);
    kit_open(&s->owners, (uint64_t)h->count * HSD_NODE_BYTES, memory, &kin_space);
    for (hsd_node i = 0; i < h->count; i++) {
        hsd_sequence_write(s, i, &h->elements[i]);
        hsd_paged_set_node(&s->owners, i, h->owners[i] + 1); /* KIN_NOBODY: 0 */
    }
}

static inline void kin_open(uint64_t memory)
{
    kin_teardown();
    kin_open_one(&kin_sides[0], &kin_older, memory);
    kin_open_one(&kin_sides[1], &kin_newer, memory);
    kin_older.count = kin_newer.count = 0;
}

static inline void kin_pair(hsd_node older, hsd_node newer, hsd_rung rung)
{
    hsd_sequence_pair(&kin_sides[0], older, &kin_sides[1], newer, rung);
}

/* From now on kin_run is told that the newer one is older. */
static inline void kin_swap(void) { kin_is_swapped = !kin_is_swapped; }

static inline void kin_forget_owners(void)
{
    hsd_paged_close(&kin_sides[0].owners), kin_sides[0].owners.page_count = 0;
}

static inline void kin_run(uint64_t memory)
{
    hsd_error err;
    const hsd_seeds_config config = {.memory_bytes = memory, .space = &kin_space};
    hsd_sequence *first = &kin_sides[kin_is_swapped], *second = &kin_sides[!kin_is_swapped];
    cr_assert_eq(hsd_kin(first, second, true, &config, &kin_pairs, &err), HSD_OK, "%s", err.text);
}

static inline hsd_node kin_partner(hsd_node older)
{
    const hsd_node partner = hsd_sequence_partner(&kin_sides[0], older);
    if (partner != HSD_NO_PARTNER) {
        cr_assert_eq(hsd_sequence_partner(&kin_sides[1], partner), older);
        cr_assert_eq(hsd_sequence_rung(&kin_sides[1], partner), hsd_sequence_rung(&kin_sides[0], older));
    }
    return partner;
}

#endif
