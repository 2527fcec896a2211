/*
 * Settling a group. Few nodes are sorted as records where they stand. Of more it is first told which kinds of readings
 * there are; then each kind gets its part of the queue, and nodes go there in ascending order.
 */
#include "graph/level_queue.h"

#include <string.h>

#include "base/assert.h"

#define FEW        ((uint32_t)40) /* nodes that are sorted by insertion */
#define MOST_KINDS 255u
#define IDLE       255u
#define SLOTS      1024u /* of the table of kinds, a power of two */

uint64_t hsd_level_queue_bytes(uint64_t nodes)
{
    return nodes * (sizeof(hsd_node) + 1) + 2 * (nodes / 8 + 8) + 2 * HSD_LEVEL_LISTED * sizeof(hsd_node);
}

void hsd_level_queue_init(hsd_level_queue *queue, void *memory, hsd_node nodes, hsd_quads *quads, hsd_level_fn read,
                          void *context)
{
    hsd_node *const words = memory;
    const size_t bit_bytes = (size_t)nodes / 8 + 8;
    HSD_ASSERT((uintptr_t)memory % sizeof *words == 0);
    *queue = (hsd_level_queue){
        .nodes = words, .listed = words + nodes, .node_count = nodes, .quads = quads, .read = read, .context = context};
    queue->begins = (uint8_t *)(queue->listed + 2 * (size_t)HSD_LEVEL_LISTED);
    queue->fresh = queue->begins + bit_bytes;
    queue->kinds = queue->fresh + bit_bytes;
    memset(queue->begins, 0, 2 * bit_bytes);
}

void hsd_level_queue_put(hsd_level_queue *queue, hsd_node node, bool begins_rank)
{
    HSD_ASSERT(queue->tail < queue->node_count);
    if (begins_rank) hsd_bit_set(queue->begins, queue->tail);
    queue->nodes[queue->tail++] = node;
}

/* ---- few nodes, by insertion ---- */

typedef struct record {
    uint64_t key; /* name << 32 | type */
    hsd_node node;
} record;

static uint64_t key_of(const hsd_level_reading *reading) { return (uint64_t)reading->name << 32 | reading->type; }

static bool is_before(const record *a, const record *b)
{
    return a->key != b->key ? a->key < b->key : a->node < b->node;
}

static void settle_few(hsd_level_queue *queue, uint32_t count)
{
    record sorted[FEW];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const hsd_node node = queue->listed[i];
        const hsd_level_reading read = queue->read(queue->context, node);
        hsd_bit_clear(queue->fresh, node);
        if (read.is_idle) continue;
        const record at = {key_of(&read), node};
        uint32_t place = kept++;
        for (; place > 0 && is_before(&at, &sorted[place - 1]); place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = at;
    }
    for (uint32_t i = 0; i < kept; i++)
        hsd_level_queue_put(queue, sorted[i].node, i == 0 || sorted[i].key != sorted[i - 1].key);
}

/* ---- fresh nodes in ascending order ---- */

/* As many passes as the largest node has bytes. */
static const hsd_node *sort_listed(const hsd_level_queue *queue, uint32_t count)
{
    hsd_node *from = queue->listed, *to = from + HSD_LEVEL_LISTED;
    for (unsigned shift = 0; shift < HSD_NODE_BITS && queue->node_count >> shift != 0; shift += 8) {
        uint32_t at[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            at[(from[i] >> shift & 0xff) + 1]++;
        for (unsigned digit = 0; digit < 256; digit++)
            at[digit + 1] += at[digit];
        for (uint32_t i = 0; i < count; i++)
            to[at[from[i] >> shift & 0xff]++] = from[i];
        hsd_node *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

typedef struct fresh_nodes { /* gone through twice */
    const hsd_node *list;    /* NULL: by bits */
    uint32_t count;          /* of the list */
    hsd_node at;             /* of the list, or the next eight bytes of bits */
    uint64_t word;           /* bits that are left of the ones before */
} fresh_nodes;

static bool next_by_bits(const hsd_level_queue *queue, fresh_nodes *f, hsd_node *node)
{
    while (f->word == 0) {
        if ((uint64_t)f->at * 64 >= queue->node_count) return false;
        memcpy(&f->word, queue->fresh + (size_t)f->at * 8, sizeof f->word); /* there are eight bytes beyond */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        f->word = __builtin_bswap64(f->word);
#endif
        f->at++;
    }
    *node = (f->at - 1) * 64 + (uint32_t)__builtin_ctzll(f->word);
    f->word &= f->word - 1;
    return true;
}

static bool next_fresh(const hsd_level_queue *queue, fresh_nodes *f, hsd_node *node)
{
    if (f->list == NULL) return next_by_bits(queue, f, node);
    if (f->at == f->count) return false;
    *node = f->list[f->at++];
    return true;
}

/* ---- kinds ---- */

typedef struct kind {
    uint64_t key; /* name << 32 | type */
    hsd_node count, at;
} kind;

typedef struct kinds {
    kind list[MOST_KINDS];
    uint32_t count;
    uint16_t slots[SLOTS]; /* kind + 1 */
    uint8_t order[MOST_KINDS];
} kinds;

static uint32_t slot_of(uint64_t key) { return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 54) % SLOTS; }

/* IDLE: there are too many. */
static uint32_t kind_of(kinds *k, uint64_t key)
{
    uint32_t slot = slot_of(key);
    for (; k->slots[slot] != 0; slot = (slot + 1) % SLOTS)
        if (k->list[k->slots[slot] - 1].key == key) return k->slots[slot] - 1u;
    if (k->count == MOST_KINDS) return IDLE;
    k->list[k->count] = (kind){.key = key};
    k->slots[slot] = (uint16_t)++k->count;
    return k->count - 1;
}

/* Each kind gets its part of the queue, in the order of their readings. */
static void place_kinds(hsd_level_queue *queue, kinds *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        uint32_t place = i;
        for (; place > 0 && k->list[k->order[place - 1]].key > k->list[i].key; place--)
            k->order[place] = k->order[place - 1];
        k->order[place] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < k->count; i++) {
        kind *at = &k->list[k->order[i]];
        at->at = queue->tail;
        hsd_bit_set(queue->begins, queue->tail);
        queue->tail += at->count;
    }
    HSD_ASSERT(queue->tail <= queue->node_count);
}

/* What the nodes are, in their order. If there are too many kinds, `*told` of them; `*next` is the reading of the one
 * behind. */
static bool count_kinds(hsd_level_queue *queue, kinds *k, fresh_nodes nodes, uint64_t *told, hsd_level_reading *next)
{
    hsd_node node;
    for (uint64_t i = 0; next_fresh(queue, &nodes, &node); i++) {
        const hsd_level_reading reading = queue->read(queue->context, node);
        uint32_t number = IDLE;
        if (!reading.is_idle) {
            number = kind_of(k, key_of(&reading));
            if (number == IDLE) {
                *told = i;
                *next = reading;
                return false;
            }
            k->list[number].count++;
        }
        queue->kinds[i] = (uint8_t)number;
    }
    return true;
}

static void put_by_kind(hsd_level_queue *queue, kinds *k, fresh_nodes nodes)
{
    hsd_node node;
    for (uint64_t i = 0; next_fresh(queue, &nodes, &node); i++) {
        const uint32_t number = queue->kinds[i];
        if (number != IDLE) queue->nodes[k->list[number].at++] = node;
        if (nodes.list != NULL) hsd_bit_clear(queue->fresh, node);
    }
    if (nodes.list == NULL) memset(queue->fresh, 0, (size_t)queue->node_count / 8 + 8);
}

/* ---- many kinds, as records ---- */

static hsd_status put_records(hsd_level_queue *queue, const kinds *k, fresh_nodes nodes, uint64_t told,
                              const hsd_level_reading *next, hsd_error *err)
{
    hsd_node node;
    hsd_quads_begin(queue->quads, 3);
    for (uint64_t i = 0; next_fresh(queue, &nodes, &node); i++) {
        hsd_level_reading reading = *next;
        if (nodes.list != NULL) hsd_bit_clear(queue->fresh, node);
        if (i < told && queue->kinds[i] == IDLE) continue;
        if (i > told) reading = queue->read(queue->context, node);
        const uint64_t key = i < told ? k->list[queue->kinds[i]].key : key_of(&reading);
        if (i > told && reading.is_idle) continue;
        HSD_TRY(hsd_quads_put(queue->quads, (uint32_t)(key >> 32), (uint32_t)key, node, 0, err));
    }
    if (nodes.list == NULL) memset(queue->fresh, 0, (size_t)queue->node_count / 8 + 8);
    return hsd_quads_sort(queue->quads, err);
}

static hsd_status take_records(hsd_level_queue *queue, hsd_error *err)
{
    hsd_quad last = {{0}};
    for (bool is_first = true;; is_first = false) {
        const hsd_quad *at;
        const hsd_status status = hsd_quads_next(queue->quads, &at, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        hsd_level_queue_put(queue, at->word[2], is_first || memcmp(at->word, last.word, 2 * sizeof last.word[0]) != 0);
        last = *at;
    }
}

/* ---- */

hsd_status hsd_level_queue_settle(hsd_level_queue *queue, hsd_error *err)
{
    const uint64_t count = queue->fresh_count;
    fresh_nodes nodes = {0};
    hsd_level_reading next;
    uint64_t told;
    queue->fresh_count = 0;
    if (count <= FEW) {
        settle_few(queue, (uint32_t)count);
        return HSD_OK;
    }
    if (count <= HSD_LEVEL_LISTED) nodes = (fresh_nodes){sort_listed(queue, (uint32_t)count), (uint32_t)count, 0, 0};
    kinds k = {.count = 0};
    if (!count_kinds(queue, &k, nodes, &told, &next)) {
        HSD_TRY(put_records(queue, &k, nodes, told, &next, err));
        return take_records(queue, err);
    }
    place_kinds(queue, &k);
    put_by_kind(queue, &k, nodes);
    return HSD_OK;
}
