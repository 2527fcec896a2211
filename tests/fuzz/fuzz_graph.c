/*
 * The engine over hostile graphs: ids that repeat, references to nothing, to oneself, many times, from objects that are
 * not there, every mark of labels, types and roots in any combination. The input is a program that writes two captures
 * (graph_program.h). Whatever they are, the answer is the same with little and with much memory, it adds
 * up, and what is live is what graph_truth.h says; by ids and by structure, there and back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/graph_program.h"
#include <hsdiff/diff.h>
#include <hsdiff/report.h>
#include <hsdiff/top.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LITTLE_MEMORY ((uint64_t)20 << 20)
#define MUCH_MEMORY   ((uint64_t)96 << 20)
/* Up to here a sum of bytes is exact, and so is a difference of two. */
#define EXACT_BYTES (UINT64_C(1) << 62)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* ---- sums ---- */

static hsd_amount plus(hsd_amount a, hsd_amount b) { return (hsd_amount){a.objects + b.objects, a.bytes + b.bytes}; }

static bool same(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static void add_change(hsd_change *to, const hsd_change *c)
{
    to->before = plus(to->before, c->before);
    to->after = plus(to->after, c->after);
    to->new_ = plus(to->new_, c->new_);
    to->freed = plus(to->freed, c->freed);
    to->kept = plus(to->kept, c->kept);
    to->resized_bytes += c->resized_bytes;
    to->resized_objects += c->resized_objects;
}

static void check_types(const hsd_diff *diff)
{
    hsd_change all = {0};
    hsd_amount unreached_before = {0}, unreached_after = {0};
    for (size_t i = 0; i < diff->type_count; i++) {
        const hsd_type_row *row = &diff->types[i];
        add_change(&all, &row->live);
        unreached_before = plus(unreached_before, row->unreached_before);
        unreached_after = plus(unreached_after, row->unreached_after);
        if (diff->identity_is_known) {
            CHECK(hsd_change_objects(&row->live) == (int64_t)(row->live.new_.objects - row->live.freed.objects));
            CHECK(hsd_change_bytes(&row->live) ==
                  (int64_t)(row->live.new_.bytes - row->live.freed.bytes) + row->live.resized_bytes);
        }
        if (!diff->has_holders) continue;
        CHECK(row->retained_before >= row->live.before.bytes && row->retained_before <= diff->total.before.bytes);
        CHECK(row->retained_after >= row->live.after.bytes && row->retained_after <= diff->total.after.bytes);
    }
    CHECK(same(all.before, diff->total.before) && same(all.after, diff->total.after));
    CHECK(same(all.new_, diff->total.new_) && same(all.freed, diff->total.freed) && same(all.kept, diff->total.kept));
    CHECK(all.resized_bytes == diff->total.resized_bytes && all.resized_objects == diff->total.resized_objects);
    CHECK(same(unreached_before, diff->unreached_before) && same(unreached_after, diff->unreached_after));
    CHECK(same(diff->total.before, diff->before.live) && same(diff->total.after, diff->after.live));
}

static void check_roots(const hsd_diff *diff)
{
    hsd_change all = {0};
    hsd_amount in = {0}, out = {0};
    for (size_t i = 0; i < diff->root_count; i++) {
        const hsd_root_row *row = &diff->roots[i];
        add_change(&all, &row->live);
        in = plus(in, row->moved_in);
        out = plus(out, row->moved_out);
        CHECK(row->retained_before <= diff->total.before.bytes && row->retained_after <= diff->total.after.bytes);
        if (!diff->identity_is_known) continue;
        CHECK(hsd_change_objects(&row->live) == (int64_t)(row->live.new_.objects - row->live.freed.objects +
                                                          row->moved_in.objects - row->moved_out.objects));
    }
    CHECK(in.objects == out.objects);
    if (!diff->before.has_roots || !diff->after.has_roots) return;
    if (!diff->before.has_references || !diff->after.has_references) return;
    CHECK(same(all.before, diff->total.before) && same(all.after, diff->total.after));
    CHECK(same(all.new_, diff->total.new_) && same(all.freed, diff->total.freed));
}

static void check_types_within(const hsd_holder *holder)
{
    int64_t objects = 0, bytes = 0;
    for (size_t i = 0; i < holder->type_count; i++) {
        objects += holder->types[i].net_objects;
        bytes += holder->types[i].net_bytes;
    }
    CHECK(objects == holder->net_objects && bytes == holder->net_bytes);
    for (size_t i = 0; i < holder->edge_count; i++) {
        CHECK(holder->edges[i].depth >= 1 && holder->edges[i].depth <= i + 1);
        CHECK(i == 0 || holder->edges[i].depth <= holder->edges[i - 1].depth + 1);
    }
}

static void check_holders(const hsd_diff *diff)
{
    hsd_amount new_ = diff->other_holders.new_, freed = diff->other_holders.freed;
    int64_t growth = diff->other_holders.growth_bytes, objects = diff->other_holders.net_objects;
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        new_ = plus(new_, row->new_);
        freed = plus(freed, row->freed);
        growth += row->growth_bytes;
        objects += row->net_objects;
        CHECK(row->growth_bytes == row->net_bytes + row->resized_bytes);
        CHECK(row->type.size > 0 || row->path_count == 0);
        check_types_within(row);
    }
    CHECK(same(new_, diff->total.new_) && same(freed, diff->total.freed));
    CHECK(growth == hsd_change_bytes(&diff->total) && objects == hsd_change_objects(&diff->total));
}

static void check_tree(const hsd_diff *diff)
{
    CHECK(diff->tree_count > 0);
    const hsd_tree_row *all = &diff->tree[0];
    hsd_tree_row own = {0};
    CHECK(same(all->before, diff->total.before) && same(all->after, diff->total.after));
    CHECK(same(all->new_, diff->total.new_) && same(all->freed, diff->total.freed));
    for (size_t i = 0; i < diff->tree_count; i++) {
        const hsd_tree_row *row = &diff->tree[i];
        own.before = plus(own.before, row->own_before);
        own.after = plus(own.after, row->own_after);
        own.new_ = plus(own.new_, row->own_new);
        own.freed = plus(own.freed, row->own_freed);
        CHECK(i == 0 || (row->parent < i && row->depth == diff->tree[row->parent].depth + 1));
    }
    CHECK(same(own.before, all->before) && same(own.after, all->after));
    CHECK(same(own.new_, all->new_) && same(own.freed, all->freed));
}

static void check_diff(const hsd_diff *diff)
{
    check_types(diff);
    check_roots(diff);
    if (!diff->has_holders) return;
    check_holders(diff);
    check_tree(diff);
}

typedef struct dominated {
    hsd_amount all, roots; /* of every object; of those that no object dominates, with what they retain */
} dominated;

static hsd_status add_dominated(void *context, const hsd_retained *object, hsd_error *err)
{
    dominated *sum = context;
    (void)err;
    CHECK(object->retained_bytes >= object->bytes && object->retained_objects >= 1);
    sum->all = plus(sum->all, (hsd_amount){1, object->bytes});
    if (!object->has_dominator)
        sum->roots = plus(sum->roots, (hsd_amount){object->retained_objects, object->retained_bytes});
    return HSD_OK;
}

static void check_top(const hsd_top *top, const dominated *sum)
{
    hsd_amount live = {0}, unreached = {0}, owned = {0};
    for (size_t i = 0; i < top->type_count; i++) {
        live = plus(live, top->types[i].live);
        unreached = plus(unreached, top->types[i].unreached);
        CHECK(!top->has_retained || top->types[i].retained_bytes >= top->types[i].live.bytes);
    }
    for (size_t i = 0; i < top->root_count; i++)
        owned = plus(owned, top->roots[i].live);
    CHECK(same(live, top->side.live) && same(unreached, top->side.unreached));
    if (!top->has_retained) return;
    CHECK(same(owned, top->side.live));
    CHECK(same(sum->all, top->side.live) && same(sum->roots, top->side.live));
    for (size_t i = 0; i < top->object_count; i++) {
        CHECK(top->objects[i].retained_bytes >= top->objects[i].bytes && top->objects[i].retained_bytes <= live.bytes);
        CHECK(i == 0 || top->objects[i].retained_bytes <= top->objects[i - 1].retained_bytes);
    }
}

static void check_paths(const hsd_paths *paths)
{
    hsd_amount sum = paths->others;
    for (size_t i = 0; i < paths->row_count; i++) {
        sum = plus(sum, paths->rows[i].objects);
        CHECK(paths->rows[i].step_count > 0);
    }
    CHECK(same(sum, paths->live));
}

/* Parts are folded, and without roots or references all count as live. */
static void check_truth(hsd_capture *capture, const hsd_side *side, const graph_truth *truth)
{
    if (!truth->is_told || !side->has_roots || !side->has_references) return;
    if (hsd_capture_get_info(capture)->has_parts) return;
    CHECK(side->live.objects == truth->live && side->unreached.objects == truth->unreached);
}

/* ---- runs ---- */

static hsd_status hash_bytes(void *context, const void *data, size_t size, hsd_error *err)
{
    uint64_t *hash = context;
    (void)err;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
    return HSD_OK;
}

static hsd_capture *open_capture(const memfile *file, const hsd_run *run)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_capture_open(&capture, file->path, HSD_DAMAGE_REFUSE, run, &err) == HSD_OK) return capture;
    fprintf(stderr, "what was written cannot be opened: %s\n", err.text);
    abort();
}

/* What a run may refuse: a clear sentence, and nothing of the engine's own. */
static void check_refusal(hsd_status status, const hsd_error *err)
{
    if ((status == HSD_E_CORRUPT || status == HSD_E_OVER_BUDGET) && err->text[0] != '\0') return;
    fprintf(stderr, "refused (%s): %s\n", hsd_status_name(status), err->text);
    abort();
}

static bool is_exact(const hsd_capture *capture)
{
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    return info->bytes < EXACT_BYTES && info->native_bytes < EXACT_BYTES;
}

typedef struct pairs {    /* that a diff told of */
    uint64_t count, hash; /* in any order */
    bool is_backwards;
} pairs;

static hsd_status add_pair(void *context, uint64_t id_before, uint64_t id_after, hsd_match_rung rung, hsd_error *err)
{
    pairs *all = context;
    const uint64_t from = all->is_backwards ? id_after : id_before, to = all->is_backwards ? id_before : id_after;
    (void)err;
    all->count++;
    all->hash += (from * UINT64_C(0x9E3779B97F4A7C15) ^ (to + rung) * UINT64_C(0xBF58476D1CE4E5B9)) *
                 UINT64_C(0x94D049BB133111EB);
    return HSD_OK;
}

/* The answer as a number: of its JSON, or of how it is refused. */
static uint64_t hash_diff(hsd_capture *before, hsd_capture *after, const graph_truth *const truths[2], hsd_match_by by,
                          pairs *told, const hsd_run *run)
{
    hsd_diff *diff;
    hsd_error err;
    uint64_t hash = 1;
    const hsd_diff_options wanted = {.match_by = by, .matched = add_pair, .matched_context = told};
    hsd_error_init(&err);
    const hsd_status status = hsd_diff_run(&diff, before, after, &wanted, run, &err);
    if (status != HSD_OK) {
        check_refusal(status, &err);
        return (uint64_t)status;
    }
    CHECK(told->count == diff->match.exact + diff->match.address + diff->match.structure);
    if (is_exact(before) && is_exact(after)) check_diff(diff);
    check_truth(before, &diff->before, truths[0]);
    check_truth(after, &diff->after, truths[1]);
    const hsd_report_options options = {.top = HSD_TOP_ALL, .tree = true};
    CHECK(hsd_report_format_find("json")->write_diff(diff, &options, hash_bytes, &hash, &err) == HSD_OK);
    hsd_diff_free(diff);
    return hash;
}

static uint64_t hash_top(hsd_capture *capture, const hsd_run *run)
{
    hsd_top *top;
    hsd_error err;
    uint64_t hash = 1;
    dominated sum = {0};
    const hsd_top_options options = {.objects = 20, .each = add_dominated, .each_context = &sum};
    const hsd_report_options form = {.top = HSD_TOP_ALL};
    hsd_error_init(&err);
    const hsd_status status = hsd_top_run(&top, capture, &options, run, &err);
    if (status != HSD_OK) {
        check_refusal(status, &err);
        return (uint64_t)status;
    }
    if (is_exact(capture)) check_top(top, &sum);
    CHECK(hsd_report_format_find("json")->write_top(top, &form, hash_bytes, &hash, &err) == HSD_OK);
    hsd_top_free(top);
    return hash;
}

static uint64_t hash_paths(hsd_capture *capture, const hsd_run *run)
{
    hsd_paths *paths;
    hsd_error err;
    uint64_t hash = 1;
    const hsd_paths_options options = {.type = "T*", .most = 50};
    const hsd_report_options form = {.top = 0};
    hsd_error_init(&err);
    const hsd_status status = hsd_paths_run(&paths, capture, &options, run, &err);
    if (status == HSD_E_NOT_FOUND || status == HSD_E_UNSUPPORTED) return (uint64_t)status;
    if (status != HSD_OK) {
        check_refusal(status, &err);
        return (uint64_t)status;
    }
    if (is_exact(capture)) check_paths(paths);
    CHECK(hsd_report_format_find("json")->write_paths(paths, &form, hash_bytes, &hash, &err) == HSD_OK);
    hsd_paths_free(paths);
    return hash;
}

/* By structure, and that whoever is before is no matter. */
static uint64_t hash_structure(hsd_capture *before, hsd_capture *after, const graph_truth *const truths[2],
                               const hsd_run *run)
{
    const graph_truth *const turned[2] = {truths[1], truths[0]};
    pairs there = {0}, back = {.is_backwards = true};
    const uint64_t hash = hash_diff(before, after, truths, HSD_MATCH_BY_STRUCTURE, &there, run);
    hash_diff(after, before, turned, HSD_MATCH_BY_STRUCTURE, &back, run);
    CHECK(there.count == back.count && there.hash == back.hash);
    return hash + there.hash;
}

typedef struct answers {
    uint64_t diff, structure, top, paths;
} answers;

static answers ask(const memfile files[2], const graph_truth truths[2], const hsd_run *run)
{
    hsd_capture *before = open_capture(&files[0], run), *after = open_capture(&files[1], run);
    const graph_truth *const both[2] = {&truths[0], &truths[1]};
    pairs told = {0};
    const uint64_t diff = hash_diff(before, after, both, HSD_MATCH_BY_BEST, &told, run);
    const answers all = {diff + told.hash, hash_structure(before, after, both, run), hash_top(after, run),
                         hash_paths(before, run)};
    hsd_capture_close(before);
    hsd_capture_close(after);
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hsd_run little = {.memory_bytes = LITTLE_MEMORY, .threads = 1};
    static const hsd_run much = {.memory_bytes = MUCH_MEMORY, .threads = 2};
    static graph_truth truths[2];
    memfile files[2];
    graph_program_write(files, truths, data, size);
    const answers one = ask(files, truths, &little), other = ask(files, truths, &much);
    CHECK(one.diff == other.diff);
    CHECK(one.structure == other.structure);
    CHECK(one.top == other.top);
    CHECK(one.paths == other.paths);
    for (int i = 0; i < 2; i++)
        memfile_close(&files[i]);
    return 0;
}
