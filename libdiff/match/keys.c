/*
 * Two passes over all nodes, each with the sum of what its targets are called:
 *
 *      first     shapes of targets      ──► structures (in order), referrers (at random), places
 *      second    structures of targets  ──► wholes; elements
 *
 * All of it commutes, so neither the order of references nor the numbers of nodes show in the result.
 *
 * The memory goes to what is asked for at random, 12 bytes a node in each pass (16 of wide numbers): in the first
 * shapes and referrers, in the second structures, and of the only referrer its type and position. What is gone through
 * in order has a few pages meanwhile.
 *
 * Where positions do not follow nodes, targets lie anywhere, too. If not all fits in memory then, both passes go by
 * windows of targets (match/key_windows.h), but for the second one where all structures fit; and what comes of them is
 * put in the order of positions (match/ordering.h).
 */
#include "match/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/mix.h"
#include "match/descend.h"
#include "match/key_windows.h"
#include "match/neighbours.h"
#include "match/ordering.h"

#define SHAPE_SEED  UINT64_C(0x73686170650001)
#define TARGET_SEED UINT64_C(0x74617267650002)
#define PLACE_SEED  UINT64_C(0x706c6163650003)

#define PAIR_WORDS   2u
#define BITS_SHARE   64u /* of the memory that is spare; the bits are a 64th of what lies by node */
#define PLACES_SHARE 8u  /* of what the sorters keep: roots are few */
#define ORDER_SHARE  64u /* of the memory, for an array that is gone through in order */
#define TAPES_SHARE  16u /* of the memory, for chunks of tapes that are written or read side by side */

typedef struct refinement {
    hsd_adjacency *adjacency;
    const hsd_keys_config *config;
    hsd_sequence *sequence;
    hsd_paged structures; /* u32 by node */
    hsd_paged referrers;  /* a number by node */
    /* where positions do not follow nodes, and not all fits in memory */
    bool has_windows;
    hsd_key_windows *windows; /* NULL: nothing refers to anything */
    hsd_ordering *ordering;
    /* what is asked for at random, of arrays that are all in memory; else NULL */
    struct {
        const uint64_t *shapes;
        const uint32_t *structures, *types;
        const hsd_node *positions;
        hsd_node *referrers;
    } plain;
    hsd_neighbours neighbours;
    uint64_t sum;         /* over the targets of the node at hand */
    uint64_t place_bytes; /* kept by the sorter */
} refinement;

static bool is_object(const refinement *r, hsd_node node) { return node < r->config->object_count; }

static bool is_named(const refinement *r, hsd_node object)
{
    const uint8_t *bits = r->config->is_named;
    return bits != NULL && hsd_bit_get(bits, object);
}

/* ---- what is asked for at random ---- */

static inline uint64_t shape_of(const refinement *r, hsd_node node)
{
    return r->plain.shapes != NULL ? r->plain.shapes[node] : hsd_paged_get_u64(r->config->shapes, node);
}

static inline uint32_t get_plain(const uint32_t *plain, hsd_paged *paged, hsd_node at)
{
    return plain != NULL ? plain[at] : hsd_paged_get_u32(paged, at);
}

static inline hsd_node get_plain_node(const hsd_node *plain, hsd_paged *paged, hsd_node at)
{
    return plain != NULL ? plain[at] : hsd_paged_get_node(paged, at);
}

static inline void prefetch_plain(const uint32_t *plain, const hsd_paged *paged, hsd_node at)
{
    if (plain != NULL)
        __builtin_prefetch(&plain[at]);
    else
        hsd_paged_prefetch_u32(paged, at);
}

static inline void prefetch_plain_node(const hsd_node *plain, const hsd_paged *paged, hsd_node at)
{
    if (plain != NULL)
        __builtin_prefetch(&plain[at]);
    else
        hsd_paged_prefetch_node(paged, at);
}

static inline void set_referrer(refinement *r, hsd_node node, hsd_node referrer)
{
    if (r->plain.referrers != NULL)
        r->plain.referrers[node] = referrer;
    else
        hsd_paged_set_node(&r->referrers, node, referrer);
}

static uint32_t short_shape(uint64_t shape)
{
    const uint32_t flag = (uint32_t)(shape & HSD_SHAPE_HAS_ELEMENTS);
    return ((uint32_t)hsd_mix(SHAPE_SEED, shape) & ~(uint32_t)HSD_SHAPE_HAS_ELEMENTS) | flag;
}

/* What a target adds to a sum: its shape, or its structure. */
static uint64_t of_target(uint64_t value) { return hsd_mix(TARGET_SEED, value); }

/* ---- memory ---- */

/* Of structures, or of types. */
static uint64_t array_bytes(uint64_t node_count) { return node_count * sizeof(uint32_t); }

/* Of shapes. */
static uint64_t shapes_bytes(uint64_t node_count) { return node_count * sizeof(uint64_t); }

/* Of referrers, owners or positions. */
static uint64_t numbers_bytes(uint64_t node_count) { return node_count * sizeof(hsd_node); }

uint64_t hsd_keys_least_bytes(uint64_t node_count)
{
    return hsd_paged_least_bytes(array_bytes(node_count)) + hsd_paged_least_bytes(numbers_bytes(node_count)) +
           hsd_neighbours_least_bytes(node_count);
}

uint64_t hsd_keys_full_bytes(uint64_t node_count)
{
    return hsd_paged_full_bytes(array_bytes(node_count)) + hsd_paged_full_bytes(numbers_bytes(node_count)) +
           hsd_neighbours_full_bytes(node_count);
}

static uint64_t bits_share(const hsd_keys_config *config)
{
    const uint64_t least = hsd_neighbours_least_bytes(config->node_count);
    const uint64_t full = hsd_neighbours_full_bytes(config->node_count);
    const uint64_t spare = config->memory_bytes - hsd_keys_least_bytes(config->node_count);
    if (config->memory_bytes >= hsd_keys_full_bytes(config->node_count)) return full;
    return hsd_min_u64(full, least + spare / BITS_SHARE);
}

static uint64_t beside(uint64_t memory_bytes, uint64_t used) { return memory_bytes > used ? memory_bytes - used : 0; }

/* An array of the caller's gets so much more, or what it can use of that; `*left` is what is left. */
static hsd_status widen_array(hsd_paged *array, uint64_t bytes, uint64_t more, uint64_t *left, hsd_error *err)
{
    const uint64_t full = hsd_paged_full_bytes(bytes), now = (uint64_t)array->frame_count * HSD_PAGE_BYTES;
    if (array->page_count == 0 || array->frame_count == array->page_count) return HSD_OK;
    more = hsd_min_u64(more, beside(full, now));
    *left -= more;
    HSD_TRY(hsd_paged_grow(array, now + more, err));
    hsd_paged_load(array);
    return HSD_OK;
}

/* What is missing of shapes. */
static uint64_t shapes_wanted(const refinement *r)
{
    const hsd_paged *const shapes = r->config->shapes;
    return shapes->frame_count == shapes->page_count ? 0 : hsd_paged_full_bytes(shapes_bytes(r->config->node_count));
}

/* Structures are all in memory where that is enough for everything; else they go out in order. */
static uint64_t structures_share(const refinement *r, uint64_t left)
{
    const uint64_t bytes = array_bytes(r->config->node_count);
    const uint64_t random = shapes_wanted(r) + hsd_paged_full_bytes(numbers_bytes(r->config->node_count));
    return hsd_paged_bytes_within(bytes, hsd_max_u64(beside(left, random), r->config->memory_bytes / ORDER_SHARE));
}

/* A third of what is asked for at random, or what shapes leave. */
static uint64_t referrers_share(const refinement *r, uint64_t left)
{
    return hsd_paged_bytes_within(numbers_bytes(r->config->node_count),
                                  hsd_max_u64(beside(left, shapes_wanted(r)), left / 3));
}

/* Of elements. */
static uint64_t elements_bytes(uint64_t count) { return count * sizeof(hsd_element); }

static bool has_owners(const refinement *r) { return r->sequence->owners.page_count > 0; }

/* Whether types, positions, owners and elements fit in so much memory. */
static bool others_fit(const refinement *r, uint64_t left)
{
    const uint64_t objects = r->config->object_count, count = r->sequence->count;
    return hsd_paged_full_bytes(array_bytes(objects)) + hsd_paged_full_bytes(numbers_bytes(objects)) +
               hsd_paged_full_bytes(numbers_bytes(count)) + hsd_paged_full_bytes(elements_bytes(count)) <=
           left;
}

/* Whether both passes have all in memory that they ask for at random. */
static bool all_fits(const refinement *r)
{
    const hsd_keys_config *const config = r->config;
    const uint64_t order_bytes = config->memory_bytes / ORDER_SHARE;
    if (r->adjacency == NULL) return others_fit(r, config->memory_bytes);
    if (config->memory_bytes < hsd_keys_least_bytes(config->node_count)) return true; /* and that is refused */
    const uint64_t left = beside(config->memory_bytes, bits_share(config));
    const uint64_t referrers = hsd_paged_full_bytes(numbers_bytes(config->node_count));
    const uint64_t structures = hsd_paged_full_bytes(array_bytes(config->node_count));
    return shapes_wanted(r) + referrers <= left && structures <= left / 3 &&
           others_fit(r, beside(left, structures + order_bytes + hsd_paged_least_bytes(referrers)));
}

/* What is gone through in order, by node. */
static hsd_status open_in_order(const refinement *r, hsd_paged *array, uint64_t bytes, hsd_error *err)
{
    const uint64_t memory = hsd_paged_bytes_within(bytes, r->config->memory_bytes / ORDER_SHARE);
    return hsd_paged_open(array, bytes, memory, r->config->space, err);
}

static uint64_t taken(const hsd_paged *array) { return (uint64_t)array->frame_count * HSD_PAGE_BYTES; }

/* What arrays that are gone through in order leave of the memory, and those who write tapes side by side. */
static uint64_t left_for_windows(const refinement *r)
{
    const uint64_t all = r->config->memory_bytes;
    return beside(all - all / TAPES_SHARE, taken(&r->structures) + taken(&r->referrers) + taken(&r->neighbours.seen));
}

/* Bits are asked for at random by long lists alone. */
static hsd_status open_windows(refinement *r, hsd_error *err)
{
    const hsd_keys_config *const config = r->config;
    const uint64_t bits = hsd_max_u64(bits_share(config), hsd_min_u64(hsd_neighbours_full_bytes(config->node_count),
                                                                      config->memory_bytes / 4));
    HSD_TRY(hsd_neighbours_open(&r->neighbours, r->adjacency, bits, config->space, err));
    HSD_TRY(open_in_order(r, &r->structures, array_bytes(config->node_count), err));
    HSD_TRY(open_in_order(r, &r->referrers, numbers_bytes(config->node_count), err));
    const hsd_key_windows_config windows = {.keys = config,
                                            .sequence = r->sequence,
                                            .window_bytes = left_for_windows(r),
                                            .tape_bytes = config->memory_bytes / TAPES_SHARE,
                                            .of_target = of_target};
    return hsd_key_windows_new(&r->windows, &windows, err);
}

static hsd_status open_arrays(refinement *r, hsd_error *err)
{
    const hsd_keys_config *const config = r->config;
    const uint64_t least = hsd_keys_least_bytes(config->node_count);
    if (r->adjacency == NULL) return HSD_OK;
    if (config->memory_bytes < least) {
        return hsd_fail(err, HSD_E_OVER_BUDGET,
                        "comparing the neighbours of objects needs at least %llu bytes of memory, %llu are planned",
                        (unsigned long long)least, (unsigned long long)config->memory_bytes);
    }
    if (r->has_windows) return open_windows(r, err);
    uint64_t left = config->memory_bytes - bits_share(config);
    const uint64_t structures = structures_share(r, left);
    left = beside(left, structures);
    const uint64_t referrers = referrers_share(r, left);
    left = beside(left, referrers);
    HSD_TRY(hsd_neighbours_open(&r->neighbours, r->adjacency, bits_share(config), config->space, err));
    HSD_TRY(hsd_paged_open(&r->structures, array_bytes(config->node_count), structures, config->space, err));
    HSD_TRY(hsd_paged_open(&r->referrers, numbers_bytes(config->node_count), referrers, config->space, err));
    return widen_array(config->shapes, shapes_bytes(config->node_count), left, &left, err);
}

/* What those of the caller's get in the second pass. Owners and elements are written one behind the other to their
 * files where positions follow nodes; where they do not all fits. */
static hsd_status widen_others(refinement *r, uint64_t left, hsd_error *err)
{
    const hsd_keys_config *const config = r->config;
    hsd_sequence *const s = r->sequence;
    const uint64_t part = config->has_order ? left / 16 * 7 : left;
    HSD_TRY(widen_array(config->types, array_bytes(config->object_count), part, &left, err));
    HSD_TRY(widen_array(&s->positions, numbers_bytes(config->object_count), part, &left, err));
    if (config->has_order) return HSD_OK;
    HSD_TRY(widen_array(&s->owners, numbers_bytes(s->count), left, &left, err));
    return widen_array(&s->elements, elements_bytes(s->count), left, &left, err);
}

/* Structures are all in memory, or as many as are gone through in order. */
static hsd_status divide_windows_again(refinement *r, hsd_error *err)
{
    const hsd_keys_config *const config = r->config;
    const uint64_t bytes = array_bytes(config->node_count), full = hsd_paged_full_bytes(bytes);
    const hsd_ordering_config ordering = {
        .sequence = r->sequence,
        .window_bytes = config->memory_bytes - config->memory_bytes / TAPES_SHARE,
        .tape_bytes = config->memory_bytes / TAPES_SHARE,
        .space = config->space,
        .reporter = config->reporter,
    };
    HSD_TRY(hsd_ordering_new(&r->ordering, &ordering, err));
    /* beside tapes of targets, of referrers, and of what is told */
    const uint64_t tapes = 2 * (config->memory_bytes / TAPES_SHARE);
    if (r->adjacency == NULL || full + tapes > left_for_windows(r) + taken(&r->structures)) return HSD_OK;
    HSD_TRY(hsd_paged_grow(&r->structures, full, err));
    hsd_paged_load(&r->structures);
    return HSD_OK;
}

/* For the second pass, which goes through shapes and referrers in order. */
static hsd_status divide_again(refinement *r, hsd_error *err)
{
    const hsd_keys_config *const config = r->config;
    const uint64_t bytes = array_bytes(config->node_count), order_bytes = config->memory_bytes / ORDER_SHARE;
    if (r->has_windows) return divide_windows_again(r, err);
    if (r->adjacency == NULL) return widen_others(r, config->memory_bytes, err);
    const uint64_t referrers = hsd_paged_bytes_within(numbers_bytes(config->node_count), order_bytes);
    uint64_t left = beside(config->memory_bytes, bits_share(config) + referrers);
    if (config->shapes->is_read_only) HSD_TRY(hsd_paged_shrink(config->shapes, order_bytes, err));
    HSD_TRY(hsd_paged_shrink(&r->referrers, order_bytes, err));
    const uint64_t structures = hsd_paged_bytes_within(bytes, left / 3);
    HSD_TRY(hsd_paged_grow(&r->structures, structures, err));
    hsd_paged_load(&r->structures);
    left = beside(left, structures);
    return widen_others(r, left, err);
}

static void close_arrays(refinement *r)
{
    if (r->referrers.page_count > 0) hsd_paged_close(&r->referrers);
    if (r->structures.page_count > 0) hsd_paged_close(&r->structures);
    hsd_neighbours_close(&r->neighbours);
}

/* ---- sorters ---- */

static hsd_status divide_sorting(refinement *r, hsd_error *err)
{
    const uint64_t serve = hsd_min_u64(r->config->serve_bytes, r->config->sort_bytes);
    if (serve < 2 * HSD_SORT_MIN_BYTES) {
        return hsd_fail(err, HSD_E_OVER_BUDGET,
                        "sorting what objects look like needs at least %zu bytes of memory, %llu are planned",
                        2 * HSD_SORT_MIN_BYTES, (unsigned long long)serve);
    }
    r->place_bytes = hsd_max_u64(serve / PLACES_SHARE, HSD_SORT_MIN_BYTES);
    return HSD_OK;
}

static hsd_status new_sorter(const refinement *r, uint64_t memory_bytes, hsd_sorter **out, hsd_error *err)
{
    const hsd_sorter_config config = {
        .record_words = PAIR_WORDS,
        .key_words = 1,
        .memory_bytes = (size_t)memory_bytes,
        .use_thread = r->config->use_thread,
        .codec = HSD_RUN_DELTA,
        .space = r->config->space,
        .reporter = r->config->reporter,
    };
    return hsd_sorter_new(out, &config, err);
}

static hsd_status put_match_key(hsd_sorter *sorter, uint64_t hash, hsd_node position, hsd_error *err)
{
    const uint64_t record[PAIR_WORDS] = {hash, position};
    return hsd_sorter_put(sorter, record, err);
}

/* ---- passes ---- */

typedef struct key_pass {
    hsd_node end;
    const char *name;
    void (*fetch)(refinement *r);
    hsd_status (*add)(refinement *r, const hsd_piece *piece, hsd_error *err);
} key_pass;

static hsd_status check_match_key(const refinement *r, hsd_error *err)
{
    HSD_TRY(hsd_paged_check(r->config->shapes, err));
    HSD_TRY(hsd_paged_check(r->config->types, err));
    HSD_TRY(hsd_sequence_check(r->sequence, err));
    if (r->adjacency == NULL) return HSD_OK;
    if (r->windows != NULL) HSD_TRY(hsd_key_windows_check(r->windows, err));
    HSD_TRY(hsd_paged_check(&r->structures, err));
    return hsd_paged_check(&r->referrers, err);
}

static hsd_status run_match_key(refinement *r, const key_pass *pass, hsd_error *err)
{
    hsd_neighbours *const n = &r->neighbours;
    hsd_neighbours_start(n, pass->end);
    for (;;) {
        const hsd_status status = hsd_neighbours_next(n, err);
        if (status == HSD_END) return check_match_key(r, err);
        HSD_TRY(status);
        pass->fetch(r);
        for (uint32_t i = 0; i < n->piece_count; i++)
            HSD_TRY(pass->add(r, &n->pieces[i], err));
        HSD_TRY(hsd_progress(r->config->reporter, pass->name, n->next, n->end, err));
    }
}

/* ---- first pass ---- */

/* In `referrers`: the only node that refers to an object. */
static hsd_node only_referrer(hsd_node node) { return node + HSD_REFERRER_FIRST; }

/* What a referrer is called, and 1 + its position, if it is an object which has one. */
static hsd_key_referrer referrer_of(const refinement *r, hsd_node referrer)
{
    const hsd_keys_config *const c = r->config;
    if (referrer < HSD_REFERRER_FIRST) return (hsd_key_referrer){(uint32_t)referrer, 0};
    const hsd_node node = referrer - HSD_REFERRER_FIRST;
    if (!is_object(r, node)) return (hsd_key_referrer){hsd_key_class(c->root_hash[node - c->object_count]), 0};
    const uint32_t hash = c->type_hash[get_plain(r->plain.types, c->types, node)];
    /* HSD_NO_POSITION + 1 is 0 */
    const hsd_node owner = has_owners(r) ? get_plain_node(r->plain.positions, &r->sequence->positions, node) + 1 : 0;
    return (hsd_key_referrer){hsd_key_class(hash), owner};
}

static void refer(refinement *r, hsd_node target, hsd_node referrer)
{
    const hsd_node now = get_plain_node(r->plain.referrers, &r->referrers, target);
    if (now == HSD_REFERRER_MANY) return;
    set_referrer(r, target, now == HSD_REFERRER_NONE ? referrer : HSD_REFERRER_MANY);
}

static hsd_status put_places(refinement *r, hsd_node root, const hsd_node *targets, uint32_t count, hsd_error *err)
{
    const uint64_t hash = hsd_mix(PLACE_SEED, shape_of(r, root));
    for (uint32_t i = 0; i < count; i++) {
        if (!is_object(r, targets[i])) continue;
        const hsd_node position = hsd_paged_get_node(&r->sequence->positions, targets[i]);
        if (position != HSD_NO_POSITION) HSD_TRY(put_match_key(r->sequence->places, hash, position, err));
    }
    return HSD_OK;
}

static uint32_t structure_of(const refinement *r, hsd_node node)
{
    if (!is_object(r, node)) return r->config->root_hash[node - r->config->object_count];
    const uint64_t shape = shape_of(r, node);
    return is_named(r, node) ? short_shape(shape) : (uint32_t)hsd_mix(shape, r->sum);
}

static hsd_status add_shapes(refinement *r, const hsd_piece *piece, hsd_error *err)
{
    const hsd_node *const targets = r->neighbours.targets + piece->begin;
    const uint32_t count = piece->end - piece->begin;
    if (count > 0) {
        const hsd_node referrer = only_referrer(piece->node);
        for (uint32_t i = 0; i < count; i++) {
            r->sum += of_target(shape_of(r, targets[i]));
            refer(r, targets[i], referrer);
        }
        if (!is_object(r, piece->node)) HSD_TRY(put_places(r, piece->node, targets, count, err));
    }
    if (!piece->is_last) return HSD_OK;
    hsd_paged_set_u32(&r->structures, piece->node, structure_of(r, piece->node));
    r->sum = 0;
    return HSD_OK;
}

/* ---- the first pass in windows ---- */

static void fetch_nothing(refinement *r) { (void)r; }

static hsd_status put_references(refinement *r, const hsd_piece *piece, hsd_error *err)
{
    const hsd_node *const targets = r->neighbours.targets + piece->begin;
    const uint32_t count = piece->end - piece->begin;
    for (uint32_t i = 0; i < count; i++)
        hsd_key_windows_put(r->windows, piece->node, targets[i]);
    return is_object(r, piece->node) ? HSD_OK : put_places(r, piece->node, targets, count, err);
}

static hsd_status add_shapes_in_windows(refinement *r, hsd_error *err)
{
    static const char name[] = "comparing neighbours";
    const key_pass pass = {r->config->node_count, name, fetch_nothing, put_references};
    HSD_TRY(run_match_key(r, &pass, err));
    HSD_TRY(hsd_key_windows_first(r->windows, name, &r->referrers, err));
    for (hsd_node node = 0; node < r->config->node_count; node++) {
        r->sum = hsd_key_windows_sum(r->windows, node);
        hsd_paged_set_u32(&r->structures, node, structure_of(r, node));
    }
    r->sum = 0;
    return check_match_key(r, err);
}

static void fetch_shapes(refinement *r)
{
    for (uint32_t i = 0; i < r->neighbours.target_count; i++) {
        const hsd_node target = r->neighbours.targets[i];
        if (r->plain.shapes != NULL)
            __builtin_prefetch(&r->plain.shapes[target]);
        else
            hsd_paged_prefetch_u32(r->config->shapes, (uint64_t)target * 2);
        prefetch_plain_node(r->plain.referrers, &r->referrers, target);
    }
}

/* ---- second pass ---- */

static hsd_status write_told(refinement *r, hsd_node position, const hsd_ordered *told, hsd_error *err)
{
    hsd_sequence *const s = r->sequence;
    if (r->has_windows) {
        hsd_ordering_put(r->ordering, position, told);
        return HSD_OK;
    }
    hsd_sequence_write(s, position, &told->element);
    if (has_owners(r)) hsd_paged_set_node(&s->owners, position, told->owner);
    return told->whole == HSD_NO_WHOLE ? HSD_OK : hsd_wholes_put(&s->wholes, told->whole, position, err);
}

static hsd_status write_object(refinement *r, hsd_node object, hsd_error *err)
{
    const bool has_graph = r->adjacency != NULL;
    const hsd_node position = hsd_paged_get_node(&r->sequence->positions, object);
    const hsd_node referrer = has_graph ? hsd_paged_get_node(&r->referrers, object) : HSD_REFERRER_NONE;
    if (position == HSD_NO_POSITION) return HSD_OK;
    const hsd_key_referrer told_of =
        r->windows != NULL ? hsd_key_windows_referrer(r->windows, object, referrer) : referrer_of(r, referrer);
    const uint64_t shape = shape_of(r, object);
    const hsd_ordered told = {
        .element = {.shape = short_shape(shape),
                    .structure = has_graph ? hsd_paged_get_u32(&r->structures, object) : short_shape(shape),
                    .referrer = told_of.name,
                    .type = hsd_paged_get_u32(r->config->types, object)},
        .owner = told_of.owner,
        .whole = is_named(r, object) ? HSD_NO_WHOLE : hsd_mix(shape, r->sum),
    };
    return write_told(r, position, &told, err);
}

static hsd_status add_structures(refinement *r, const hsd_piece *piece, hsd_error *err)
{
    for (uint32_t i = piece->begin; i < piece->end; i++)
        r->sum += of_target(get_plain(r->plain.structures, &r->structures, r->neighbours.targets[i]));
    if (!piece->is_last) return HSD_OK;
    HSD_TRY(write_object(r, piece->node, err));
    r->sum = 0;
    return HSD_OK;
}

static void fetch_referrer(refinement *r, hsd_node object)
{
    if (r->has_windows) return;
    const hsd_node referrer = hsd_paged_get_node(&r->referrers, object);
    if (referrer < HSD_REFERRER_FIRST || !is_object(r, referrer - HSD_REFERRER_FIRST)) return;
    prefetch_plain(r->plain.types, r->config->types, referrer - HSD_REFERRER_FIRST);
    prefetch_plain_node(r->plain.positions, &r->sequence->positions, referrer - HSD_REFERRER_FIRST);
}

static void fetch_structures(refinement *r)
{
    for (uint32_t i = 0; i < r->neighbours.target_count; i++)
        prefetch_plain(r->plain.structures, &r->structures, r->neighbours.targets[i]);
    for (uint32_t i = 0; i < r->neighbours.piece_count && r->adjacency != NULL; i++)
        fetch_referrer(r, r->neighbours.pieces[i].node);
}

/* ---- the second pass in windows ---- */

static hsd_status add_structures_in_windows(refinement *r, const char *name, hsd_error *err)
{
    HSD_TRY(hsd_key_windows_second(r->windows, name, &r->structures, err));
    for (hsd_node object = 0; object < r->config->object_count; object++) {
        r->sum = hsd_key_windows_sum(r->windows, object);
        HSD_TRY(write_object(r, object, err));
    }
    return check_match_key(r, err);
}

/* ---- both passes ---- */

static uint64_t hash_of_root(void *context, hsd_node node) { return hsd_mix(PLACE_SEED, shape_of(context, node)); }

static hsd_status find_places_below(refinement *r, hsd_error *err)
{
    const hsd_keys_config *const c = r->config;
    const hsd_descend_config config = {.adjacency = r->adjacency,
                                       .object_count = c->object_count,
                                       .node_count = c->node_count,
                                       .types = c->types,
                                       .shapes = c->shapes,
                                       .referrers = &r->referrers,
                                       .type_hash = c->type_hash,
                                       .hash_of_root = hash_of_root,
                                       .context = r};
    return r->adjacency != NULL && c->has_places_below ? hsd_descend(&config, r->sequence, err) : HSD_OK;
}

static hsd_status find_structures(refinement *r, hsd_error *err)
{
    const key_pass pass = {r->config->node_count, "comparing neighbours", fetch_shapes, add_shapes};
    HSD_TRY(new_sorter(r, r->config->sort_bytes, &r->sequence->places, err));
    if (r->adjacency != NULL && r->has_windows) {
        HSD_TRY(add_shapes_in_windows(r, err));
    } else if (r->adjacency != NULL) {
        r->plain.shapes = hsd_paged_plain(r->config->shapes);
        r->plain.referrers = hsd_paged_plain_to_write(&r->referrers);
        HSD_TRY(run_match_key(r, &pass, err));
    }
    HSD_TRY(find_places_below(r, err));
    return hsd_sorter_finish(r->sequence->places, (size_t)r->place_bytes, err);
}

static hsd_status find_wholes(refinement *r, hsd_error *err)
{
    const key_pass pass = {r->config->object_count, "comparing their neighbours", fetch_structures, add_structures};
    memset(&r->plain, 0, sizeof r->plain);
    if (r->windows != NULL) HSD_TRY(hsd_key_windows_look(r->windows, pass.name, &r->referrers, err));
    HSD_TRY(divide_again(r, err));
    if (r->adjacency != NULL) {
        r->plain.structures = hsd_paged_plain(&r->structures);
        r->plain.types = hsd_paged_plain(r->config->types);
        r->plain.positions = hsd_paged_plain(&r->sequence->positions);
    }
    HSD_TRY(hsd_wholes_open(&r->sequence->wholes, r->config->space, err));
    const bool has_all = r->windows == NULL || r->plain.structures != NULL;
    HSD_TRY(has_all ? run_match_key(r, &pass, err) : add_structures_in_windows(r, pass.name, err));
    close_arrays(r); /* their memory is wanted */
    hsd_key_windows_free(r->windows);
    r->windows = NULL;
    if (r->has_windows) HSD_TRY(hsd_ordering_finish(r->ordering, err));
    return hsd_wholes_finish(&r->sequence->wholes, err);
}

static hsd_status find_match_key(refinement *r, hsd_error *err)
{
    HSD_TRY(divide_sorting(r, err));
    r->has_windows = !r->config->has_order && !all_fits(r);
    HSD_TRY(open_arrays(r, err));
    HSD_TRY(find_structures(r, err));
    return find_wholes(r, err);
}

hsd_status hsd_keys_find(hsd_adjacency *adjacency, const hsd_keys_config *config, hsd_sequence *sequence,
                         hsd_error *err)
{
    HSD_ASSERT(config->object_count <= config->node_count);
    refinement *r = calloc(1, sizeof *r);
    if (r == NULL) return hsd_fail_nomem(err, "the neighbours of objects");
    r->adjacency = adjacency;
    r->config = config;
    r->sequence = sequence;
    const hsd_status status = find_match_key(r, err);
    close_arrays(r);
    hsd_key_windows_free(r->windows);
    hsd_ordering_free(r->ordering);
    free(r);
    return status;
}
