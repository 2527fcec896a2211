/*
 * Three passes. The censuses of both sides are merged to find suspects. Then, side after side, the graph is walked for what is around
 * them, and the objects are read for who that is: references know ordinals, and only ids mean the same on both sides.
 *
 *      graph ──► (node around it, suspect) by node ──┐
 *      objects in order ─────────────────────────────┴──► before: into the filters; after: held against them
 */
#include "diff/replaced.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mix.h"
#include "diff/compare.h"
#include "diff/tandem.h"
#include <hscapture/hscapture.h>

enum { REFERRER, CHILD, SORTS };

#define AROUND_SEED UINT64_C(0x61726f756e64)
#define FIRST_SUSPECTS UINT32_C(256)

typedef struct looking { /* at one side */
    const hsd_comparison *c;
    hsd_side_walk *side;
    hsd_replaced *replaced;
    int which;
    uint64_t *by_node;    /* node << 32 | suspect, ascending */
    uint8_t *is_suspect;  /* one bit an object */
    uint8_t *referrers;   /* two bits an object: how many refer to it, up to HSD_REPLACED_SHARED */
    hsd_sorter *around;   /* node, suspect << 1 | sort */
} looking;

static hsd_status no_memory(hsd_error *err) { return hsd_fail(err, HSD_E_NOMEM, "out of memory for objects at one address"); }

/* ---- suspects ---- */

typedef enum suspicion { NONE, RESIZED, MOVED } suspicion;

static suspicion suspect(const hsd_comparison *c, const uint64_t *const *records)
{
    const uint64_t *a = records[BEFORE], *b = records[AFTER];
    if (a == NULL || b == NULL || !hsd_census_is_live(a) || !hsd_census_is_live(b)) return NONE;
    if (hsd_marks_differ(hsd_census_mark(a), hsd_census_mark(b))) return NONE;
    if (hsd_census_bytes(a) != hsd_census_bytes(b)) return RESIZED;
    const uint32_t from = c->root_number[BEFORE][hsd_census_root(a)], to = c->root_number[AFTER][hsd_census_root(b)];
    return from != to ? MOVED : NONE;
}

/* True if there is room for one more of its sort. The merge, which finds them again, asks the same in the same order. */
static bool is_taken(uint32_t counts[2], suspicion why)
{
    if (why == NONE || counts[why == MOVED] == HSD_REPLACED_SUSPECTS) return false;
    counts[why == MOVED]++;
    return true;
}

static hsd_status add_suspect(hsd_replaced *r, const uint64_t *const *records, suspicion why, hsd_error *err)
{
    if (r->count == r->capacity) {
        const uint32_t wanted = r->capacity == 0 ? FIRST_SUSPECTS : 2 * r->capacity;
        hsd_suspect *grown = realloc(r->suspects, wanted * sizeof *grown);
        if (grown == NULL) return no_memory(err);
        r->suspects = grown;
        r->capacity = wanted;
    }
    r->suspects[r->count++] = (hsd_suspect){
        .nodes = {hsd_census_ordinal(records[BEFORE]), hsd_census_ordinal(records[AFTER])},
        .needs_own = why == MOVED,
    };
    return HSD_OK;
}

static hsd_status gather_suspects(hsd_replaced *r, const hsd_comparison *c, hsd_error *err)
{
    hsd_sorter *const streams[SIDE_COUNT] = {c->sides[BEFORE].census, c->sides[AFTER].census};
    const uint64_t *const *records;
    uint32_t counts[2] = {0, 0};
    hsd_tandem *tandem;
    HSD_TRY(hsd_tandem_new(&tandem, streams, SIDE_COUNT, err));
    hsd_status status;
    while ((status = hsd_tandem_next(tandem, &records, err)) == HSD_OK) {
        const suspicion why = suspect(c, records);
        if (is_taken(counts, why)) status = add_suspect(r, records, why, err);
        if (status != HSD_OK) break;
    }
    hsd_tandem_free(tandem);
    HSD_TRY(status == HSD_END ? HSD_OK : status);
    for (int side = 0; side < SIDE_COUNT; side++) HSD_TRY(hsd_sorter_rewind(streams[side], err));
    return HSD_OK;
}

/* ---- what is around them ---- */

static int compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static hsd_status number_suspects(looking *l, hsd_error *err)
{
    const uint64_t objects = l->side->object_count;
    l->by_node = malloc(l->replaced->count * sizeof *l->by_node);
    l->is_suspect = calloc(objects / 8 + 1, 1);
    l->referrers = calloc(objects / 4 + 1, 1);
    if (l->by_node == NULL || l->is_suspect == NULL || l->referrers == NULL) return no_memory(err);
    for (uint32_t i = 0; i < l->replaced->count; i++) {
        hsd_suspect *suspect = &l->replaced->suspects[i];
        const uint32_t node = suspect->nodes[l->which];
        memset(suspect->counts, 0, sizeof suspect->counts);
        suspect->has_own = false;
        hsd_bit_set(l->is_suspect, node);
        l->by_node[i] = (uint64_t)node << 32 | i;
    }
    qsort(l->by_node, l->replaced->count, sizeof *l->by_node, compare_words);
    return HSD_OK;
}

/* The suspect that is this node. */
static uint32_t suspect_at(const looking *l, uint32_t node)
{
    uint32_t first = 0, end = l->replaced->count;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (l->by_node[middle] >> 32 <= node) first = middle;
        else end = middle;
    }
    return (uint32_t)l->by_node[first];
}

static bool is_suspect_node(const looking *l, uint32_t node)
{
    return node < l->side->object_count && hsd_bit_get(l->is_suspect, node);
}

static unsigned referrers_of(const looking *l, uint32_t node) { return l->referrers[node >> 2] >> (node & 3) * 2 & 3; }

static void count_referrer(looking *l, uint32_t node)
{
    if (node < l->side->object_count && referrers_of(l, node) < HSD_REPLACED_SHARED)
        l->referrers[node >> 2] = (uint8_t)(l->referrers[node >> 2] + (1u << (node & 3) * 2));
}

static hsd_status put_around(looking *l, uint32_t suspect_node, uint32_t node, unsigned sort, hsd_error *err)
{
    const uint32_t at = suspect_at(l, suspect_node);
    hsd_suspect *suspect = &l->replaced->suspects[at];
    if (suspect->is_one) return HSD_OK;
    if (suspect->counts[sort]++ == HSD_REPLACED_AROUND) {
        suspect->is_one = true;
        return HSD_OK;
    }
    const uint64_t record[2] = {node, (uint64_t)at << 1 | sort};
    return hsd_sorter_put(l->around, record, err);
}

static hsd_status take_targets(looking *l, uint32_t node, const hsd_targets *targets, bool from_suspect, hsd_error *err)
{
    for (uint32_t i = 0; i < targets->count; i++) {
        const uint32_t target = targets->items[i];
        count_referrer(l, target);
        if (from_suspect) HSD_TRY(put_around(l, node, target, CHILD, err));
        if (is_suspect_node(l, target)) HSD_TRY(put_around(l, target, node, REFERRER, err));
    }
    return HSD_OK;
}

static hsd_status walk_graph(looking *l, hsd_error *err)
{
    hsd_adjacency *graph = l->side->adjacency;
    const uint32_t count = hsd_adjacency_node_count(graph);
    for (uint32_t node = 0; node < count; node++) {
        if ((node & 0xffff) == 0) HSD_TRY(hsd_progress(l->side->reporter, "looking around objects", node, count, err));
        if (hsd_adjacency_is_leaf(graph, node)) continue;
        const bool from_suspect = is_suspect_node(l, node);
        hsd_targets targets;
        hsd_adjacency_get(graph, node, &targets);
        HSD_TRY(take_targets(l, node, &targets, from_suspect, err));
        while (targets.has_more) {
            hsd_adjacency_more(graph, &targets);
            HSD_TRY(take_targets(l, node, &targets, from_suspect, err));
        }
    }
    return hsd_adjacency_check(graph, err);
}

/* ---- who that is ---- */

static void meet(looking *l, const uint64_t *record, uint64_t who)
{
    hsd_suspect *suspect = &l->replaced->suspects[record[1] >> 1];
    const unsigned bit = (unsigned)(hsd_mix(AROUND_SEED, who) >> 32) & 255;
    uint64_t *word = &suspect->around[record[1] & 1][bit / 64];
    if (l->which == BEFORE) *word |= UINT64_C(1) << bit % 64;
    else if (*word >> bit % 64 & 1) suspect->is_one = true;
}

static void meet_object(looking *l, const uint64_t *record, const hsd_object *object)
{
    const hsd_type_table *types = &l->side->types;
    const bool has_no_address = (object->flags & HSC_OBJECT_PSEUDO) || (hsd_type_flags(types, object->type) & HSC_TYPE_PART);
    hsd_suspect *suspect = &l->replaced->suspects[record[1] >> 1];
    if ((record[1] & 1) == CHILD) {
        if (referrers_of(l, (uint32_t)record[0]) >= HSD_REPLACED_SHARED) return;
        suspect->has_own = true;
    }
    if (has_no_address) suspect->is_one = true;
    else meet(l, record, hsd_mix(object->id, hsd_type_common(types, object->type)));
}

/* A label node or a root node: its name, by its common number. */
static void meet_root(looking *l, const uint64_t *record)
{
    const uint32_t name = l->side->name_of_node[record[0] - l->side->object_count];
    meet(l, record, hsd_mix(SORTS, l->c->root_number[l->which][name]));
}

static hsd_status next_around(looking *l, const uint64_t **record, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(l->around, record, err);
    if (status == HSD_END) *record = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* Leaves *record at the first that is no object. */
static hsd_status meet_objects(looking *l, hsd_object_reader *reader, const uint64_t **record, hsd_error *err)
{
    while (*record != NULL && (*record)[0] < l->side->object_count) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        while (*record != NULL && (*record)[0] == object.ordinal && !object.is_continuation) {
            meet_object(l, *record, &object);
            HSD_TRY(next_around(l, record, err));
        }
    }
    return HSD_OK;
}

static hsd_status meet_all(looking *l, hsd_error *err)
{
    hsd_object_reader *reader;
    const uint64_t *record;
    HSD_TRY(hsd_side_serve(l->around, 0, err));
    HSD_TRY(next_around(l, &record, err));
    HSD_TRY(hsd_object_reader_open(&reader, l->side->capture, HSD_WANT_IDS, err));
    hsd_status status = meet_objects(l, reader, &record, err);
    hsd_object_reader_close(reader);
    while (status == HSD_OK && record != NULL) {
        meet_root(l, record);
        status = next_around(l, &record, err);
    }
    return status;
}

/* What has nothing around it has lost no company. */
static void leave_alone(looking *l)
{
    for (uint32_t i = 0; i < l->replaced->count; i++) {
        hsd_suspect *suspect = &l->replaced->suspects[i];
        if (suspect->counts[REFERRER] == 0 || (suspect->needs_own && !suspect->has_own)) suspect->is_one = true;
    }
}

static hsd_status look(looking *l, hsd_error *err)
{
    HSD_TRY(number_suspects(l, err));
    HSD_TRY(hsd_side_sorter(l->side, 2, 1, HSD_SORT_MIN_BYTES, &l->around, err));
    HSD_TRY(walk_graph(l, err));
    HSD_TRY(meet_all(l, err));
    leave_alone(l);
    return HSD_OK;
}

static hsd_status look_at_side(hsd_replaced *replaced, const hsd_comparison *c, int which, hsd_error *err)
{
    looking l = {.c = c, .side = (hsd_side_walk *)&c->sides[which], .replaced = replaced, .which = which};
    const hsd_status status = look(&l, err);
    free(l.by_node);
    free(l.is_suspect);
    free(l.referrers);
    hsd_sorter_free(l.around);
    return status;
}

/* ---- the whole ---- */

bool hsd_replaced_can_tell(const hsd_comparison *c)
{
    if (c->ladder.basis != HSD_BASIS_ADDRESS) return false;
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!c->sides[i].info->is_complete || !hsd_side_has_graph(&c->sides[i])) return false;
    return true;
}

hsd_status hsd_replaced_find(hsd_replaced *replaced, const hsd_comparison *c, hsd_error *err)
{
    if (!hsd_replaced_can_tell(c)) return HSD_OK;
    HSD_TRY(gather_suspects(replaced, c, err));
    for (int side = 0; side < SIDE_COUNT && replaced->count > 0; side++) HSD_TRY(look_at_side(replaced, c, side, err));
    return HSD_OK;
}

bool hsd_replaced_next(hsd_replaced *replaced, const hsd_comparison *c, const uint64_t *const *records)
{
    if (replaced->next == replaced->count || !is_taken(replaced->taken, suspect(c, records))) return false;
    return !replaced->suspects[replaced->next++].is_one;
}

void hsd_replaced_release(hsd_replaced *replaced)
{
    free(replaced->suspects);
    *replaced = (hsd_replaced){0};
}
