/*
 * Items by position into the order of ordinals, against a plain loop: all in memory, and with so little that there are
 * many windows; some ordinals have no position.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "match/permute.h"
#include "support/random.h"

enum { ORDINALS = 160000, ITEM = 8, NONE = 1000 }; /* none of them has a position */

static hsd_temp_space space;

static void setup_permute(void) { hsd_temp_space_init(&space, NULL); }

TestSuite(permute, .init = setup_permute);

typedef struct permuted { /* one byte, a number and eight bytes an item */
    hsd_paged positions, ordinal[3], position[3];
    hsd_permuted arrays[3];
    hsd_node *at;         /* by ordinal */
    uint64_t moved_bytes; /* read and written */
} permuted;

static const uint32_t item_bytes[3] = {1, sizeof(hsd_node), ITEM};

static void open_paged(hsd_paged *paged, uint64_t bytes, uint64_t memory_bytes)
{
    hsd_error err;
    const uint64_t memory = hsd_paged_bytes_within(bytes, memory_bytes);
    cr_assert_eq(hsd_paged_open(paged, bytes, memory, &space, &err), HSD_OK, "%s", err.text);
}

static void put_bytes(hsd_paged *paged, uint64_t index, uint32_t size, uint64_t value)
{
    uint8_t *to = hsd_paged_at(paged, index * size, HSD_FRAME_USED | HSD_FRAME_DIRTY);
    for (uint32_t i = 0; i < size; i++)
        to[i] = (uint8_t)((value + i) * 0x9e3779b97f4a7c15u >> 56);
}

static bool has_bytes(hsd_paged *paged, uint64_t index, uint32_t size, uint64_t value)
{
    const uint8_t *at = hsd_paged_at(paged, index * size, HSD_FRAME_USED);
    for (uint32_t i = 0; i < size; i++)
        if (at[i] != (uint8_t)((value + i) * 0x9e3779b97f4a7c15u >> 56)) return false;
    return true;
}

static void open_permuted(permuted *p, uint64_t memory_bytes)
{
    test_random random = {test_seed(1)};
    hsd_node count = 0;
    p->at = calloc(ORDINALS, sizeof *p->at);
    for (hsd_node i = 0; i < ORDINALS; i++)
        p->at[i] = i < NONE ? HSD_NODE_MAX : count++;
    for (hsd_node i = ORDINALS - 1; i > 0; i--) {
        const hsd_node other = (hsd_node)test_below(&random, i + 1), was = p->at[i];
        p->at[i] = p->at[other];
        p->at[other] = was;
    }
    open_paged(&p->positions, ORDINALS * sizeof(hsd_node), memory_bytes);
    for (hsd_node i = 0; i < ORDINALS; i++)
        hsd_paged_set_node(&p->positions, i, p->at[i]);
    for (int i = 0; i < 3; i++) {
        open_paged(&p->ordinal[i], (uint64_t)ORDINALS * item_bytes[i], memory_bytes);
        open_paged(&p->position[i], (uint64_t)(ORDINALS - NONE) * item_bytes[i], memory_bytes);
        p->arrays[i] = (hsd_permuted){&p->ordinal[i], &p->position[i], item_bytes[i]};
    }
}

static void close_permuted(permuted *p)
{
    hsd_paged_close(&p->positions);
    for (int i = 0; i < 3; i++) {
        hsd_paged_close(&p->ordinal[i]);
        hsd_paged_close(&p->position[i]);
    }
    free(p->at);
    cr_assert_eq(space.bytes_now, 0);
}

static void permute_and_compare(uint64_t memory_bytes, permuted *p)
{
    hsd_error err;
    open_permuted(p, memory_bytes);
    for (int i = 0; i < 3; i++)
        for (hsd_node ordinal = 0; ordinal < ORDINALS; ordinal++) {
            if (p->at[ordinal] != HSD_NODE_MAX) put_bytes(&p->position[i], p->at[ordinal], item_bytes[i], ordinal);
        }
    const hsd_permute_config config = {.positions = &p->positions,
                                       .object_count = ORDINALS,
                                       .position_count = ORDINALS - NONE,
                                       .memory_bytes = memory_bytes == 0 ? 0 : 64 << 20,
                                       .space = &space,
                                       .name = "permuting"};
    const uint64_t before = space.bytes_read + space.bytes_written;
    cr_assert_eq(hsd_permute(&config, p->arrays, 3, &err), HSD_OK, "%s", err.text);
    p->moved_bytes = space.bytes_read + space.bytes_written - before;
    for (int i = 0; i < 3; i++)
        for (hsd_node ordinal = 0; ordinal < ORDINALS; ordinal++) {
            if (p->at[ordinal] == HSD_NODE_MAX) continue;
            cr_assert(has_bytes(&p->ordinal[i], ordinal, item_bytes[i], ordinal), "array %d, ordinal %u", i,
                      (unsigned)ordinal);
        }
}

Test(permute, in_one_window)
{
    permuted p;
    permute_and_compare(UINT64_MAX, &p);
    close_permuted(&p);
}

/* Of each array a position is read once, and an ordinal written once; and three times what it refers to. */
Test(permute, in_many_windows)
{
    permuted p;
    uint64_t each = 4 * HSD_NODE_BYTES;
    permute_and_compare(0, &p);
    for (int i = 0; i < 3; i++)
        each += HSD_NODE_BYTES + 2 * (2 * item_bytes[i] + 10) + 8;
    cr_assert_lt(p.position[2].frame_count * 4, p.position[2].page_count, "little memory");
    cr_assert_leq(p.moved_bytes, each * ORDINALS, "%llu bytes", (unsigned long long)p.moved_bytes);
    close_permuted(&p);
}

Test(permute, nothing)
{
    hsd_error err;
    const hsd_permute_config config = {.name = "permuting"};
    cr_assert_eq(hsd_permute(&config, NULL, 0, &err), HSD_OK);
}
