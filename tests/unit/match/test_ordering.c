/* What is told in any order of positions against plain arrays: in one window, and in many. */
#include "match/ordering.h"
#include "sequence_kit.h"

static hsd_temp_space space;

static void setup_ordering(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(ordering, .init = setup_ordering);

/* Every third has no whole. */
static hsd_ordered told_of(hsd_node position)
{
    const uint64_t hash = (position + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (hsd_ordered){
        .element = {(uint32_t)hash, (uint32_t)(hash >> 8), (uint32_t)(hash >> 16), (uint32_t)(hash >> 24)},
        .owner = (hsd_node)(hash >> 32),
        .whole = position % 3 == 0 ? HSD_NO_WHOLE : hash,
    };
}

static void put_shuffled(hsd_ordering *ordering, hsd_node count)
{
    test_random random = {test_seed(1)};
    hsd_node *order = calloc(count + 1, sizeof *order);
    for (hsd_node i = 0; i < count; i++)
        order[i] = i;
    kit_shuffle(&random, order, count);
    for (hsd_node i = 0; i < count; i++) {
        const hsd_ordered told = told_of(order[i]);
        hsd_ordering_put(ordering, order[i], &told);
    }
    free(order);
}

typedef struct wholes {
    hsd_node next;
    uint64_t count;
} wholes;

static hsd_status check_whole(void *context, uint64_t whole, hsd_node position, hsd_error *err)
{
    wholes *w = context;
    (void)err;
    cr_assert_geq(position, w->next, "in the order of positions");
    cr_assert_eq(whole, told_of(position).whole);
    w->next = position + 1;
    w->count++;
    return HSD_OK;
}

static void check_ordered(hsd_sequence *s, bool has_owners)
{
    wholes w = {0};
    for (hsd_node i = 0; i < s->count; i++) {
        const hsd_ordered told = told_of(i);
        cr_assert_eq(memcmp(hsd_sequence_at(s, i), &told.element, sizeof told.element), 0, "%" HSD_PRI_NODE, i);
        if (has_owners) cr_assert_eq(hsd_paged_get_node(&s->owners, i), told.owner);
    }
    cr_assert_eq(hsd_wholes_each(&s->wholes, check_whole, &w, NULL), HSD_OK);
    cr_assert_eq(w.count, s->count - (s->count + 2) / 3);
}

/* Bytes that were read and written. */
static uint64_t order_and_compare(hsd_node count, uint64_t window_bytes, bool has_owners)
{
    hsd_sequence s;
    hsd_ordering *ordering;
    hsd_error err;
    kit_sequence(&s, count, 0, KIT_LEAST, &space);
    if (has_owners) kit_open(&s.owners, (uint64_t)count * HSD_NODE_BYTES, KIT_LEAST, &space);
    const hsd_ordering_config config = {
        .sequence = &s, .window_bytes = window_bytes, .tape_bytes = 1 << 17, .space = &space};
    const uint64_t before = space.bytes_read + space.bytes_written;
    cr_assert_eq(hsd_wholes_open(&s.wholes, &space, &err), HSD_OK);
    cr_assert_eq(hsd_ordering_new(&ordering, &config, &err), HSD_OK, "%s", err.text);
    put_shuffled(ordering, count);
    cr_assert_eq(hsd_ordering_finish(ordering, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_wholes_finish(&s.wholes, &err), HSD_OK, "%s", err.text);
    hsd_ordering_free(ordering);
    const uint64_t moved = space.bytes_read + space.bytes_written - before;
    check_ordered(&s, has_owners);
    hsd_sequence_release(&s);
    cr_assert_eq(space.bytes_now, 0);
    return moved;
}

Test(ordering, one_window) { order_and_compare(3000, 1 << 20, true); }

Test(ordering, nothing) { order_and_compare(0, 1 << 20, true); }

Test(ordering, without_owners) { order_and_compare(20000, 0, false); }

/* Told, and read, and written in order; whatever the number of windows. */
Test(ordering, many_windows_move_all_of_it_thrice)
{
    enum { COUNT = 200000 };
    const uint64_t each = 2 * HSD_NODE_BYTES + sizeof(hsd_element) + 8;
    cr_assert_leq(order_and_compare(COUNT, 0, true), 7 * each * COUNT / 2);
}
