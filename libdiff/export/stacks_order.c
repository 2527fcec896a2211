#define _GNU_SOURCE /* qsort_r */
/*
 * Stacks in order. Numbers were given as things came; here each gets the one that it has by what it says, so that equal
 * heaps make equal files, however their captures were written. Samples that are 0, or of a pair the same in both, are
 * dropped, and what they alone used with them.
 *
 *      texts    by their bytes
 *      frames   by the new numbers of their texts, line, column
 *      nodes    level by level, in each by the new numbers of parent and frame
 *      samples  by weight, then by the new numbers
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "export/stacks_tables.h"

#define LEVELS (HSD_STACK_DEPTH_MOST + 1)

#define UNUSED UINT32_MAX

typedef struct ranks { /* old number -> new number; UNUSED until it is known that something uses it, any other value
                          until it is given */
    uint32_t *texts, *frames, *nodes;
    uint32_t *list; /* old numbers while they are sorted */
} ranks;

static void *take_stack_order(size_t count, size_t size) { return calloc(count + 1, size); }

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* The old numbers that are used. How many. */
static uint32_t list_used(uint32_t *list, const uint32_t *numbers, uint32_t count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != UNUSED) list[used++] = i;
    return used;
}

/* ---- what is used ---- */

static hsd_stack_sample_key sample_at(const hsd_stack_tables *t, uint32_t number)
{
    hsd_stack_sample_key key;
    memcpy(&key, hsd_names_get(&t->samples, number).data, sizeof key);
    return key;
}

static hsd_stack_node_key node_at(const hsd_stack_tables *t, uint32_t number)
{
    hsd_stack_node_key key;
    memcpy(&key, hsd_names_get(&t->nodes, number).data, sizeof key);
    return key;
}

static hsd_stack_frame frame_at(const hsd_stack_tables *t, uint32_t number)
{
    hsd_stack_frame frame;
    memcpy(&frame, hsd_names_get(&t->frames, number).data, sizeof frame);
    return frame;
}

static bool is_sample_used(const hsd_stack_tables *t, uint32_t number)
{
    return memcmp(&t->amounts[number].before, &t->amounts[number].after, sizeof(hsd_amount)) != 0;
}

static void use_samples(const hsd_stack_tables *t, ranks *r)
{
    for (uint32_t i = 0; i < t->samples.count; i++) {
        const hsd_stack_sample_key key = sample_at(t, i);
        if (is_sample_used(t, i)) r->nodes[key.node] = r->texts[key.type] = r->texts[key.root] = 0;
    }
}

/* A parent came before its children. */
static void find_used(const hsd_stack_tables *t, ranks *r)
{
    memset(r->texts, 0xff, t->texts.count * sizeof *r->texts);
    memset(r->frames, 0xff, t->frames.count * sizeof *r->frames);
    memset(r->nodes, 0xff, t->nodes.count * sizeof *r->nodes);
    r->texts[0] = r->nodes[0] = 0;
    use_samples(t, r);
    for (uint32_t i = t->nodes.count; i-- > 1;) {
        const hsd_stack_node_key key = node_at(t, i);
        if (r->nodes[i] != UNUSED) r->nodes[key.parent] = r->frames[key.frame] = 0;
    }
    for (uint32_t i = 0; i < t->frames.count; i++) {
        const hsd_stack_frame frame = frame_at(t, i);
        if (r->frames[i] != UNUSED) r->texts[frame.function] = r->texts[frame.file] = 0;
    }
}

/* ---- texts ---- */

static int compare_texts(const void *left, const void *right, void *context)
{
    const hsd_names *texts = context;
    const hsd_bytes a = hsd_names_get(texts, *(const uint32_t *)left),
                    b = hsd_names_get(texts, *(const uint32_t *)right);
    const int order = memcmp(a.data, b.data, hsd_min_u64(a.size, b.size));
    return order != 0 ? order : compare_numbers(a.size, b.size);
}

static hsd_status order_texts(hsd_stack_tables *t, ranks *r, hsd_stacks *out, hsd_error *err)
{
    const uint32_t count = list_used(r->list, r->texts, t->texts.count);
    out->texts = take_stack_order(count, sizeof *out->texts);
    if (out->texts == NULL) return hsd_fail_nomem(err, "stacks in order");
    qsort_r(r->list, count, sizeof *r->list, compare_texts, &t->texts);
    for (uint32_t i = 0; i < count; i++) {
        r->texts[r->list[i]] = i;
        out->texts[i] = hsd_names_get(&t->texts, r->list[i]);
    }
    out->text_count = count;
    return HSD_OK;
}

/* ---- frames ---- */

/* With new numbers of its texts. */
static hsd_stack_frame frame_of(const hsd_stack_tables *t, const ranks *r, uint32_t number)
{
    hsd_stack_frame frame = frame_at(t, number);
    frame.function = r->texts[frame.function];
    frame.file = r->texts[frame.file];
    return frame;
}

static int compare_frames(const void *left, const void *right, void *context)
{
    const hsd_stack_frame *frames = context, *a = &frames[*(const uint32_t *)left],
                          *b = &frames[*(const uint32_t *)right];
    if (a->function != b->function) return compare_numbers(a->function, b->function);
    if (a->file != b->file) return compare_numbers(a->file, b->file);
    return a->line != b->line ? compare_numbers(a->line, b->line) : compare_numbers(a->column, b->column);
}

static hsd_status order_frames(hsd_stack_tables *t, ranks *r, hsd_stacks *out, hsd_error *err)
{
    const uint32_t count = list_used(r->list, r->frames, t->frames.count);
    hsd_stack_frame *as_they_came = take_stack_order(t->frames.count, sizeof *as_they_came);
    out->frames = take_stack_order(count, sizeof *out->frames);
    if (as_they_came == NULL || out->frames == NULL) {
        free(as_they_came);
        return hsd_fail_nomem(err, "stacks in order");
    }
    for (uint32_t i = 0; i < count; i++)
        as_they_came[r->list[i]] = frame_of(t, r, r->list[i]);
    qsort_r(r->list, count, sizeof *r->list, compare_frames, as_they_came);
    for (uint32_t i = 0; i < count; i++) {
        r->frames[r->list[i]] = i;
        out->frames[i] = as_they_came[r->list[i]];
    }
    out->frame_count = count;
    free(as_they_came);
    return HSD_OK;
}

/* ---- nodes ---- */

/* With old numbers of the parent. */
static void read_nodes(const hsd_stack_tables *t, const ranks *r, hsd_stack_node *nodes)
{
    for (uint32_t i = 1; i < t->nodes.count; i++) {
        const hsd_stack_node_key key = node_at(t, i);
        nodes[i] =
            (hsd_stack_node){.parent = key.parent, .frame = r->frames[key.frame], .depth = nodes[key.parent].depth + 1};
    }
}

/* The used ones by depth; first[d] is where depth d begins. */
static void list_by_depth(const hsd_stack_node *nodes, const ranks *r, uint32_t count, uint32_t first[LEVELS + 1])
{
    uint32_t next[LEVELS] = {0};
    memset(first, 0, (LEVELS + 1) * sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        if (r->nodes[i] != UNUSED) first[nodes[i].depth + 1]++;
    for (uint32_t depth = 0; depth < LEVELS; depth++) {
        first[depth + 1] += first[depth];
        next[depth] = first[depth];
    }
    for (uint32_t i = 0; i < count; i++)
        if (r->nodes[i] != UNUSED) r->list[next[nodes[i].depth]++] = i;
}

static int compare_siblings(const void *left, const void *right, void *context)
{
    const hsd_stack_node *nodes = context, *a = &nodes[*(const uint32_t *)left], *b = &nodes[*(const uint32_t *)right];
    return a->parent != b->parent ? compare_numbers(a->parent, b->parent) : compare_numbers(a->frame, b->frame);
}

static hsd_status order_nodes(hsd_stack_tables *t, ranks *r, hsd_stacks *out, hsd_error *err)
{
    const uint32_t count = t->nodes.count;
    uint32_t first[LEVELS + 1];
    hsd_stack_node *as_they_came = take_stack_order(count, sizeof *as_they_came);
    out->nodes = take_stack_order(count, sizeof *out->nodes);
    if (as_they_came == NULL || out->nodes == NULL) {
        free(as_they_came);
        return hsd_fail_nomem(err, "stacks in order");
    }
    read_nodes(t, r, as_they_came);
    list_by_depth(as_they_came, r, count, first);
    for (uint32_t depth = 0; depth < LEVELS; depth++) {
        for (uint32_t i = first[depth]; i < first[depth + 1]; i++) { /* their parents have their new numbers */
            hsd_stack_node *node = &as_they_came[r->list[i]];
            node->parent = r->nodes[node->parent];
        }
        qsort_r(r->list + first[depth], first[depth + 1] - first[depth], sizeof *r->list, compare_siblings,
                as_they_came);
        for (uint32_t i = first[depth]; i < first[depth + 1]; i++) {
            r->nodes[r->list[i]] = i;
            out->nodes[i] = as_they_came[r->list[i]];
        }
    }
    out->node_count = first[LEVELS];
    free(as_they_came);
    return HSD_OK;
}

/* ---- samples ---- */

static uint64_t change(uint64_t before, uint64_t after) { return before < after ? after - before : before - after; }

static int compare_samples(const void *left, const void *right)
{
    const hsd_stack_sample *a = left, *b = right;
    const uint64_t bytes_a = change(a->before.bytes, a->after.bytes), bytes_b = change(b->before.bytes, b->after.bytes);
    const uint64_t objects_a = change(a->before.objects, a->after.objects),
                   objects_b = change(b->before.objects, b->after.objects);
    if (bytes_a != bytes_b) return compare_numbers(bytes_b, bytes_a);
    if (objects_a != objects_b) return compare_numbers(objects_b, objects_a);
    if (a->node != b->node) return compare_numbers(a->node, b->node);
    return a->type != b->type ? compare_numbers(a->type, b->type) : compare_numbers(a->root, b->root);
}

static hsd_status order_samples(hsd_stack_tables *t, const ranks *r, hsd_stacks *out, hsd_error *err)
{
    out->samples = take_stack_order(t->samples.count, sizeof *out->samples);
    if (out->samples == NULL) return hsd_fail_nomem(err, "stacks in order");
    for (uint32_t i = 0; i < t->samples.count; i++) {
        const hsd_stack_sample_key key = sample_at(t, i);
        if (is_sample_used(t, i))
            out->samples[out->sample_count++] = (hsd_stack_sample){.node = r->nodes[key.node],
                                                                   .type = r->texts[key.type],
                                                                   .root = r->texts[key.root],
                                                                   .before = t->amounts[i].before,
                                                                   .after = t->amounts[i].after};
    }
    qsort(out->samples, out->sample_count, sizeof *out->samples, compare_samples);
    return HSD_OK;
}

/* ---- all ---- */

static hsd_status order_all(hsd_stack_tables *t, ranks *r, hsd_stacks *out, hsd_error *err)
{
    const uint64_t longest = hsd_max_u64(hsd_max_u64(t->texts.count, t->frames.count), t->nodes.count);
    r->texts = take_stack_order(t->texts.count, sizeof *r->texts);
    r->frames = take_stack_order(t->frames.count, sizeof *r->frames);
    r->nodes = take_stack_order(t->nodes.count, sizeof *r->nodes);
    r->list = take_stack_order((size_t)longest, sizeof *r->list);
    if (r->texts == NULL || r->frames == NULL || r->nodes == NULL || r->list == NULL)
        return hsd_fail_nomem(err, "stacks in order");
    find_used(t, r);
    HSD_TRY(order_texts(t, r, out, err));
    HSD_TRY(order_frames(t, r, out, err));
    HSD_TRY(order_nodes(t, r, out, err));
    return order_samples(t, r, out, err);
}

hsd_status hsd_stack_tables_order(hsd_stack_tables *tables, hsd_stacks *stacks, hsd_error *err)
{
    ranks r = {0};
    const hsd_status status = order_all(tables, &r, stacks, err);
    free(r.texts);
    free(r.frames);
    free(r.nodes);
    free(r.list);
    return status;
}
