/*
 * Nodes while they wait for their edges: the list of nodes is read whole before the first edge
 * comes, so each goes to a spool in about eight bytes and comes back when its edges do.
 *
 *      type and state | how long each field is | name | id, as difference | size | edges
 *            1                  1                1-4        0-8           1-8     1-4   bytes
 */
#ifndef HSD_IMPORT_V8_NODES_H
#define HSD_IMPORT_V8_NODES_H

#include <stdint.h>
#include <string.h>

#include "import/v8/spool.h"

typedef struct hsd_v8_node {
    uint64_t id, self_size;
    uint32_t name, edge_count;
    uint32_t trace; /* its allocation stack, 0 = none; kept beside the node: see traces.h */
    uint8_t type;   /* the file's number of it, HSD_V8_MAX_TYPES for anything above */
    uint8_t state;  /* detachedness: 0 unknown, 1 attached, 2 detached */
} hsd_v8_node;

#define HSD_V8_STATE_ATTACHED 1u
#define HSD_V8_STATE_DETACHED 2u

#define HSD_V8_NODE_BYTES ((size_t)40) /* at most, with what whole words write too much */

static inline unsigned hsd_v8_node_class(uint64_t value) /* 1, 2, 4, 8 bytes */
{
    return value < 0x100 ? 0 : value < 0x10000 ? 1 : value <= UINT32_MAX ? 2 : 3;
}

/* Eight bytes, lowest first. */
static inline void hsd_v8_store(uint8_t *at, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(at, &value, sizeof value);
}

static inline uint64_t hsd_v8_load(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/*
 * Packs a node at `at`, which has room for HSD_V8_NODE_BYTES; returns what is behind it. `last_id` is
 * the id of the node before. Sizes are mostly multiples of 8 below 2,048: those take one byte.
 */
static inline uint8_t *hsd_v8_node_pack(uint8_t *at, const hsd_v8_node *node, uint64_t last_id)
{
    const uint64_t step = node->id - last_id - 2; /* V8 numbers its objects 1, 3, 5 … */
    const uint64_t id = step << 1 ^ (step >> 63 ? UINT64_MAX : 0);
    const bool is_small = node->self_size < 2048 && (node->self_size & 7) == 0;
    const uint64_t size = is_small ? node->self_size >> 3 : node->self_size;
    const unsigned name_bytes = node->name < 0x100 ? 1u : node->name < 0x10000 ? 2u : node->name < 0x1000000 ? 3u : 4u;
    const unsigned id_code = id == 0 ? 0u : id < 0x100 ? 1u : id <= UINT32_MAX ? 2u : 3u;
    const unsigned size_code = is_small ? 0u : hsd_v8_node_class(size) == 0 ? 1u : hsd_v8_node_class(size);
    const unsigned edge_code = hsd_v8_node_class(node->edge_count);
    static const uint8_t id_bytes[4] = {0, 1, 4, 8}, value_bytes[4] = {1, 2, 4, 8};
    at[0] = (uint8_t)(node->type | node->state << 6);
    at[1] = (uint8_t)((name_bytes - 1) | id_code << 2 | size_code << 4 | edge_code << 6);
    at += 2;
    hsd_v8_store(at, node->name);
    at += name_bytes;
    hsd_v8_store(at, id);
    at += id_bytes[id_code];
    hsd_v8_store(at, size);
    at += value_bytes[size_code];
    hsd_v8_store(at, node->edge_count);
    return at + value_bytes[edge_code];
}

/* The node at `at`, behind which HSD_V8_SPOOL_SLACK_BYTES can be read; returns what is behind it. */
static inline uint8_t *hsd_v8_node_unpack(uint8_t *at, hsd_v8_node *node, uint64_t last_id)
{
    static const uint8_t id_bytes[4] = {0, 1, 4, 8}, value_bytes[4] = {1, 2, 4, 8};
    static const uint64_t id_masks[4] = {0, 0xff, UINT32_MAX, UINT64_MAX};
    static const uint64_t value_masks[4] = {0xff, 0xffff, UINT32_MAX, UINT64_MAX};
    static const uint32_t name_masks[4] = {0xff, 0xffff, 0xffffff, UINT32_MAX};
    node->trace = 0;
    const unsigned codes = at[1], name_code = codes & 3, id_code = codes >> 2 & 3;
    const unsigned size_code = codes >> 4 & 3, edge_code = codes >> 6;
    node->type = at[0] & 63;
    node->state = at[0] >> 6;
    at += 2;
    node->name = (uint32_t)hsd_v8_load(at) & name_masks[name_code];
    at += name_code + 1;
    const uint64_t id = hsd_v8_load(at) & id_masks[id_code];
    at += id_bytes[id_code];
    const uint64_t size = hsd_v8_load(at) & value_masks[size_code];
    at += value_bytes[size_code];
    node->edge_count = (uint32_t)(hsd_v8_load(at) & value_masks[edge_code]);
    node->id = last_id + 2 + ((id >> 1) ^ (UINT64_C(0) - (id & 1)));
    node->self_size = size_code == 0 ? size << 3 : size;
    return at + value_bytes[edge_code];
}

#endif
