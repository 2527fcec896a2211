/*
 * The walk: bytes and objects add up from the leaves; a node is complete when it is left.
 */
#include "top/top_walk.h"

#include <string.h>

#include "base/assert.h"
#include "base/check.h"
#include "base/heap.h"
#include "sort/read_ahead.h"
#include "walk/fold.h"
#include "walk/tree.h"
#include <hscapture/hscapture.h>

#define PROGRESS_STEPS UINT64_C(0xffff)
#define MOST_WAYS      ((size_t)64 << 10)
#define LIST_WORDS     6u /* id; type and whether it has a dominator; bytes; retained bytes, objects; dominator */

/* ---- the objects that retain most ---- */

/* True if `a` comes before `b`: retains more, or as much with the lesser id. */
static bool is_before(const hsd_top_entry *a, const hsd_top_entry *b)
{
    if (a->retained_bytes != b->retained_bytes) return a->retained_bytes > b->retained_bytes;
    return a->id != b->id ? a->id < b->id : a->node < b->node;
}

static bool top_object_comes_later(const void *context, const void *a, const void *b)
{
    (void)context;
    return is_before(b, a);
}

static inline hsd_heap heap_of(const hsd_top_walk *walk)
{
    return (hsd_heap){walk->entries, sizeof *walk->entries, top_object_comes_later, NULL};
}

/* Whatever dominates an object retains as much, so this only grows. */
static void raise_least(hsd_top_walk *walk)
{
    if (walk->entry_count < walk->entry_capacity) return;
    const uint64_t entries = walk->entry_count > 0 ? walk->entries[0].retained_bytes : UINT64_MAX;
    walk->least_bytes = hsd_min_u64(entries, walk->accumulation.retained_bytes);
}

static void consider(hsd_top_walk *walk, const hsd_top_entry *entry)
{
    if (walk->entry_count < walk->entry_capacity) {
        walk->entries[walk->entry_count] = *entry;
        hsd_heap_up(heap_of(walk), walk->entry_count++);
        raise_least(walk);
    } else if (walk->entry_count > 0 && is_before(entry, &walk->entries[0])) {
        walk->entries[0] = *entry;
        hsd_heap_down(heap_of(walk), 0, walk->entry_count);
        raise_least(walk);
    }
}

/* ---- what dominates them ---- */

static void forget_ways(hsd_top_walk *walk)
{
    free(walk->ways);
    walk->ways = NULL;
    walk->way_count = 0;
}

/* Those that retain too little go. */
static void sift_ways(hsd_top_walk *walk)
{
    size_t kept = 0;
    for (size_t i = 0; i < walk->way_count; i++)
        if (walk->ways[i].retained_bytes >= walk->least_bytes) walk->ways[kept++] = walk->ways[i];
    walk->way_count = kept;
}

static void put_way(hsd_top_walk *walk, const hsd_top_entry *entry, bool is_sought)
{
    if (walk->ways == NULL || entry->retained_bytes < walk->least_bytes) return;
    if (walk->way_count == walk->way_capacity) {
        sift_ways(walk);
        if (walk->way_count > walk->way_capacity / 2) {
            forget_ways(walk);
            return;
        }
    }
    walk->ways[walk->way_count++] =
        (hsd_top_way){entry->retained_bytes, entry->node, entry->first, entry->end, is_sought};
}

/* ---- the walk ---- */

typedef struct frame {
    hsd_top_entry entry; /* what it retains is complete when it is left */
    uint64_t dominator;  /* id of the nearest object above */
    uint64_t heaviest;   /* the most that one object below retains, helpers and links looked through */
    uint32_t edge;
    hsd_tree_seam seam;
    bool is_sought;
    bool is_root, is_topmost, has_dominator;
    bool is_inner;  /* never among the biggest */
    bool has_links; /* an object of its type below it is inner: it is a link itself, if the one above is of its type */
} frame;

typedef struct visit {
    hsd_top_walk *walk;
    hsd_single *single;
    uint64_t seen, heap_bytes;
} visit;

/* What another object stands for: a helper of a container, or a link of a list, held by one of its own type that
 * is held by the same reference. */
static bool is_inner(const hsd_single *single, const hsd_tree_node *node, const frame *parent)
{
    if (node->flags & HSD_TREE_IS_ROOT || parent->is_root) return false;
    if (single->types.flags[node->type] & HSC_TYPE_INTERNAL) return true;
    return parent->entry.type == node->type && parent->edge == node->edge && node->edge != HSD_TREE_INDIRECT;
}

static hsd_status enter_top_object(void *context, const hsd_tree_node *node, void *above, void *here, hsd_error *err)
{
    visit *v = context;
    frame *parent = above;
    const bool is_root = node->flags & HSD_TREE_IS_ROOT;
    *(frame *)here = (frame){
        .entry = {.id = node->id,
                  .bytes = node->bytes,
                  .node = node->node,
                  .type = node->type,
                  .first = node->first,
                  .end = node->end,
                  .retained_bytes = node->bytes,
                  .retained_objects = !is_root},
        .edge = node->edge,
        .seam = hsd_tree_seam_below(node),
        .is_sought = hsd_tree_is_sought(&parent->seam, node),
        .is_root = is_root,
        .is_inner = is_inner(v->single, node, parent),
        .is_topmost = hsd_retained_enter(is_root ? &v->walk->roots : &v->walk->types, node->type),
        .has_dominator = !parent->is_root || parent->has_dominator,
        .dominator = parent->is_root ? parent->dominator : parent->entry.id,
    };
    if ((v->seen++ & PROGRESS_STEPS) != 0) return HSD_OK;
    const uint64_t nodes = hsd_sorter_count(v->single->side.tree);
    return hsd_progress(&v->single->reporter, "adding up what is retained", v->seen, nodes, err);
}

/* The most that one object below may have: a part of the whole, unless that is of the heap; less is never too much. */
static bool is_gathered(const visit *v, uint64_t retained, uint64_t heaviest)
{
    return heaviest <= retained / 10 || (heaviest <= retained / 4 && heaviest < v->heap_bytes / 10);
}

static void keep_accumulation(hsd_top_walk *walk, const hsd_top_entry *entry)
{
    walk->accumulation = *entry;
    raise_least(walk);
}

/* f is left, all below it is known. */
static void look_for_accumulation(const visit *v, const frame *f, frame *parent)
{
    hsd_top_walk *walk = v->walk;
    const bool is_same = !parent->is_root && parent->entry.type == f->entry.type,
               is_part = f->is_inner || (is_same && f->has_links);
    parent->heaviest = hsd_max_u64(parent->heaviest, is_part ? f->heaviest : f->entry.retained_bytes);
    parent->has_links |= is_same && f->is_inner;
    if (is_part || !is_gathered(v, f->entry.retained_bytes, f->heaviest)) return;
    if (f->entry.retained_bytes > 0 &&
        (walk->accumulation.retained_bytes == 0 || is_before(&f->entry, &walk->accumulation)))
        keep_accumulation(walk, &f->entry);
}

/* With a thread the list is merged a batch ahead, while rows are made of the last one. */
static hsd_read_ahead_how how_to_tell(const hsd_single *single)
{
    const bool is_ahead =
        hsd_side_reads_ahead(&single->side) && single->plan.growth_bytes >= 4 * (uint64_t)HSD_READ_AHEAD_BYTES;
    return (hsd_read_ahead_how){
        .with_thread = is_ahead, .memory_bytes = is_ahead ? HSD_READ_AHEAD_BYTES : 0, .goes_on = true};
}

static hsd_status list(hsd_sorter *sorter, const frame *f, hsd_error *err)
{
    const uint64_t record[LIST_WORDS] = {f->entry.id,
                                         (uint64_t)f->entry.type << 1 | f->has_dominator,
                                         f->entry.bytes,
                                         f->entry.retained_bytes,
                                         f->entry.retained_objects,
                                         f->dominator};
    return hsd_sorter_put(sorter, record, err);
}

static hsd_status leave_top_object(void *context, void *here, void *above, hsd_error *err)
{
    hsd_top_walk *walk = ((visit *)context)->walk;
    frame *f = here, *parent = above;
    hsd_retained_leave(f->is_root ? &walk->roots : &walk->types, f->entry.type, f->is_topmost, f->entry.retained_bytes);
    parent->entry.retained_bytes = hsd_add_saturating(parent->entry.retained_bytes, f->entry.retained_bytes);
    parent->entry.retained_objects += f->entry.retained_objects;
    put_way(walk, &f->entry, f->is_sought);
    if (f->is_root) {
        parent->heaviest = hsd_max_u64(parent->heaviest, f->heaviest);
        return HSD_OK;
    }
    look_for_accumulation(context, f, parent);
    if (!f->is_inner) consider(walk, &f->entry);
    return walk->list != NULL ? list(walk->list, f, err) : HSD_OK;
}

static hsd_status see_top_leaf(void *context, const hsd_tree_node *node, void *above, hsd_error *err)
{
    frame here;
    HSD_TRY(enter_top_object(context, node, above, &here, err));
    return leave_top_object(context, &here, above, err);
}

/* ---- */

static hsd_status make_room_for_top_object(hsd_top_walk *walk, const hsd_single *single, size_t most, hsd_error *err)
{
    const uint64_t live = hsd_sorter_count(single->side.tree);
    walk->entry_capacity = (size_t)hsd_min_u64(most, live);
    walk->entries = calloc(walk->entry_capacity + 1, sizeof *walk->entries);
    walk->way_capacity = (size_t)hsd_min_u64(MOST_WAYS, live + 1);
    walk->ways = malloc(walk->way_capacity * sizeof *walk->ways);
    if (walk->entries == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory for the %zu biggest objects", most);
    HSD_TRY(hsd_retained_init(&walk->types, single->types.names.count, err));
    return hsd_retained_init(&walk->roots, single->side.roots.names.count, err);
}

static uint64_t heap_bytes_of(const hsd_single *single)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < single->types.names.count; i++)
        bytes = hsd_add_saturating(bytes, single->side.counts->live_by_type[i].bytes);
    return bytes;
}

hsd_status hsd_top_walk_run(hsd_top_walk *walk, hsd_single *single, size_t most, bool wants_list, hsd_error *err)
{
    HSD_ASSERT(single->has_tree && single->side.tree != NULL);
    visit v = {.walk = walk, .single = single, .heap_bytes = heap_bytes_of(single)};
    const hsd_tree_visitor visitor = {.context = &v,
                                      .frame_bytes = sizeof(frame),
                                      .has_ids = true,
                                      .fills_frames = true,
                                      .reads_ahead = hsd_side_reads_ahead(&single->side),
                                      .enter = enter_top_object,
                                      .leave = leave_top_object,
                                      .leaf = see_top_leaf};
    const uint64_t stack_bytes = wants_list ? single->plan.growth_bytes / 4 : single->plan.growth_bytes;
    frame super_root = {.is_root = true, .seam = {.has_gap = true}};
    memset(walk, 0, sizeof *walk);
    HSD_TRY(make_room_for_top_object(walk, single, most, err));
    const uint64_t list_bytes = hsd_max_u64(single->plan.growth_bytes - stack_bytes, HSD_SORT_MIN_BYTES);
    if (wants_list) HSD_TRY(hsd_side_sorter(&single->side, LIST_WORDS, 1, list_bytes, &walk->list, err));
    HSD_TRY(hsd_tree_walk(single->side.tree, &visitor, &super_root, stack_bytes, &single->space, err));
    hsd_heap_sort(heap_of(walk), walk->entry_count); /* the first takes most */
    if (!wants_list) return HSD_OK;
    return hsd_side_serve(walk->list, single->plan.growth_bytes - how_to_tell(single).memory_bytes, err);
}

static hsd_status tell_one(const hsd_single *single, const uint64_t *record, hsd_retained_fn take, void *context,
                           hsd_error *err)
{
    const hsd_bytes type = hsd_names_get(&single->types.names, (uint32_t)(record[1] >> 1));
    const hsd_retained object = {
        .id = record[0],
        .type = {(const char *)type.data, type.size},
        .bytes = record[2],
        .retained_bytes = record[3],
        .retained_objects = record[4],
        .dominator = record[5],
        .has_dominator = record[1] & 1,
    };
    return take(context, &object, err);
}

static hsd_status tell_all(hsd_read_ahead *ahead, const hsd_single *single, hsd_retained_fn take, void *context,
                           hsd_error *err)
{
    for (;;) {
        const uint64_t *records;
        size_t count;
        const hsd_status status = hsd_read_ahead_next_some(ahead, &records, &count, err);
        if (status != HSD_OK) return status == HSD_END ? HSD_OK : status;
        for (size_t i = 0; i < count; i++)
            HSD_TRY(tell_one(single, records + i * LIST_WORDS, take, context, err));
    }
}

hsd_status hsd_top_walk_tell(hsd_top_walk *walk, const hsd_single *single, hsd_retained_fn take, void *context,
                             hsd_error *err)
{
    hsd_read_ahead ahead;
    const hsd_read_ahead_how how = how_to_tell(single);
    hsd_status status = hsd_read_ahead_begin(&ahead, walk->list, &how, err);
    if (status == HSD_OK) status = tell_all(&ahead, single, take, context, err);
    hsd_read_ahead_end(&ahead);
    return status;
}

void hsd_top_walk_release(hsd_top_walk *walk)
{
    hsd_retained_release(&walk->types);
    hsd_retained_release(&walk->roots);
    forget_ways(walk);
    free(walk->entries);
    hsd_sorter_free(walk->list);
    memset(walk, 0, sizeof *walk);
}
