/*
 * How the objects of a type, or one object, are reached: a walk of one capture up to its graph, a search for
 * shortest paths, and a pass over the objects. See paths.h.
 *
 *      type    search, told in the order of readings ─► groups ─► rows;  count objects into rows
 *      id      search: what is live at all;  mark referrers;  search again without the object ─► groups ─► rows
 */
#include "paths/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/options.h"
#include "paths/path_find.h"
#include "walk/store.h"
#include <hscapture/hscapture.h>

#define ROWS_BY_DEFAULT 10
#define LEAST_BYTES     (UINT64_C(512) << 10)
#define SORTED_BYTES    (3 * sizeof(hsd_two)) /* of what was asked for: more is of no use to the sorter */

typedef struct query {
    const hsd_paths_options *options;
    hsd_paths *result;
    hsd_single single;
    hsd_side_walk *side; /* single's */
    hsd_path_ask ask;
    uint8_t *is_asked; /* one bit a node: see hsd_path_groups */
    hsd_path_groups groups;
    hsd_shortest shortest;
    bool has_shortest;
    uint64_t record_bytes, sort_bytes, search_bytes;
    const uint64_t *folded, *reached; /* next records of the two streams beside the objects; NULL = no more */
} query;

/* ---- the graph ---- */

static hsd_status check_graph(const query *q, hsd_error *err)
{
    const hsd_single *single = &q->single;
    if (single->has_tree) return HSD_OK;
    if (!hsd_side_has_graph(q->side)) {
        return hsd_fail(err, HSD_E_UNSUPPORTED, "%s, so nothing can be said about paths", single->why_no_tree);
    }
    const unsigned long long least = (unsigned long long)((single->plan.holders_least_bytes + 0xfffff) >> 20);
    hsd_fail(err, HSD_E_OVER_BUDGET, "paths need %llu MiB of memory", least);
    hsd_error_set_hint(err, "--memory %lluM", least);
    return HSD_E_OVER_BUDGET;
}

/* What the walk does not hold any more: there are no dominators here, and no census. */
static uint64_t memory_for_paths(const query *q)
{
    const hsd_plan *plan = &q->single.plan;
    const hsd_plan_side *side = &q->side->request->plan;
    const uint64_t bits = 2 * ((uint64_t)q->side->node_count / 8 + 1);
    const uint64_t held = plan->table_bytes + side->bits_bytes + side->adjacency_bytes + side->name_bytes +
                          side->folded_bytes + side->reader_bytes + bits;
    const uint64_t least = side->type_bytes + side->path_bytes;
    return hsd_max_u64(least, plan->memory_bytes > held ? plan->memory_bytes - held : 0);
}

/* A quarter for types, a quarter for groups, an eighth for what was asked for: where they can use it. The
 * search gets the rest. */
static hsd_status divide_memory(query *q, hsd_error *err)
{
    hsd_side_walk *side = q->side;
    const uint64_t share = memory_for_paths(q);
    const uint64_t types = (uint64_t)side->object_count * sizeof(uint32_t);
    const uint64_t types_least = LEAST_BYTES + types / 1024;
    const uint64_t records = hsd_paged_full_bytes((uint64_t)side->node_count * HSD_PATH_GROUP_BYTES);
    const uint64_t type_bytes = hsd_max_u64(types_least, hsd_min_u64(types + types_least, share / 4));
    q->record_bytes = hsd_max_u64(LEAST_BYTES + records / 1024, hsd_min_u64(records, share / 4));
    q->sort_bytes = hsd_max_u64(HSD_SORT_MIN_BYTES, hsd_min_u64((uint64_t)side->node_count * SORTED_BYTES, share / 8));
    const uint64_t taken = type_bytes + q->record_bytes + q->sort_bytes;
    q->search_bytes = hsd_max_u64(share > taken ? share - taken : 0, hsd_shortest_least_bytes(side->node_count));
    if (side->object_count == 0) return HSD_OK;
    HSD_TRY(hsd_paged_open_file(&side->types_of, &side->types_file, type_bytes, err));
    side->has_types_of = true;
    return HSD_OK;
}

static hsd_status make_graph(query *q, hsd_error *err)
{
    HSD_TRY(hsd_side_graph(q->side, err));
    HSD_TRY(hsd_side_parts(q->side, err));
    return divide_memory(q, err);
}

/* ---- what is asked for ---- */

static bool counts(const hsd_side_walk *side, hsd_node ordinal)
{
    return !hsd_bit_get(side->graph->is_pseudo, ordinal) &&
           (side->graph->is_folded == NULL || !hsd_bit_get(side->graph->is_folded, ordinal));
}

static hsd_status mark_types(query *q, hsd_error *err)
{
    hsd_side_walk *side = q->side;
    for (hsd_node i = 0; i < side->object_count; i++) {
        if (q->ask.is_type[hsd_paged_get_u32(&side->types_of, i)] && counts(side, i)) hsd_bit_set(q->is_asked, i);
    }
    return side->has_types_of ? hsd_paged_check(&side->types_of, err) : HSD_OK;
}

static bool refers_to(hsd_adjacency *adjacency, hsd_node node, hsd_node target)
{
    hsd_targets targets;
    hsd_adjacency_get(adjacency, node, &targets);
    for (;;) {
        for (uint32_t i = 0; i < targets.count; i++)
            if (targets.items[i] == target) return true;
        if (!targets.has_more) return false;
        hsd_adjacency_more(adjacency, &targets);
    }
}

static hsd_status mark_referrers(query *q, hsd_error *err)
{
    hsd_side_walk *side = q->side;
    for (hsd_node node = 0; node < side->node_count; node++) {
        if (hsd_adjacency_is_leaf(side->adjacency, node)) continue;
        if (refers_to(side->adjacency, node, q->ask.ordinal)) hsd_bit_set(q->is_asked, node);
        if ((node & 0xffff) == 0) {
            HSD_TRY(hsd_progress(side->request->reporter, "finding referrers", node, side->node_count, err));
        }
    }
    return hsd_adjacency_check(side->adjacency, err);
}

/* ---- the search ---- */

static hsd_status search(query *q, bool avoids_object, hsd_reading_fn take, hsd_error *err)
{
    hsd_path_search s;
    if (q->has_shortest) hsd_shortest_close(&q->shortest);
    q->has_shortest = false;
    HSD_TRY(hsd_path_search_begin(&s, q->side, err));
    s.config.memory_bytes = q->search_bytes;
    s.config.has_avoided = avoids_object;
    s.config.avoided = q->ask.ordinal;
    s.config.take = take;
    s.config.take_context = &q->groups;
    const hsd_status status = hsd_path_search_run(&s, &q->shortest, err);
    hsd_path_search_release(&s);
    q->has_shortest = status == HSD_OK;
    return status;
}

/* A search that is listened to, and its rows. */
static hsd_status search_rows(query *q, hsd_error *err)
{
    hsd_path_groups *groups = &q->groups;
    groups->side = q->side;
    groups->is_asked = q->is_asked;
    groups->is_id = q->ask.is_id;
    groups->ordinal = q->ask.ordinal;
    HSD_TRY(hsd_path_groups_open(groups, q->record_bytes, q->sort_bytes, err));
    HSD_TRY(search(q, q->ask.is_id, hsd_path_groups_take, err));
    HSD_TRY(hsd_side_serve(groups->asked, q->sort_bytes, err));
    return hsd_path_groups_make_rows(groups, err);
}

/* ---- the pass over the objects ---- */

static hsd_status next_record(hsd_sorter *sorter, const uint64_t **record, hsd_error *err)
{
    const hsd_status status = hsd_sorter_next(sorter, record, err);
    if (status == HSD_END) *record = NULL;
    return status == HSD_END ? HSD_OK : status;
}

/* Bytes that folded parts bring to the object with this ordinal. */
static hsd_status add_folded(query *q, uint64_t ordinal, uint64_t *bytes, hsd_error *err)
{
    while (q->folded != NULL && q->folded[0] <= ordinal) {
        if (q->folded[0] == ordinal) *bytes = hsd_add_saturating(*bytes, q->folded[1]);
        HSD_TRY(next_record(q->side->graph->folded, &q->folded, err));
    }
    return HSD_OK;
}

static void add_amount(hsd_amount *amount, uint64_t bytes)
{
    amount->objects++;
    amount->bytes = hsd_add_saturating(amount->bytes, bytes);
}

static bool is_live(query *q, hsd_node node) { return hsd_shortest_way(&q->shortest, node).parent != HSD_WAY_NONE; }

static bool is_asked_object(const query *q, hsd_node node)
{
    return q->ask.is_id ? node == q->ask.ordinal : hsd_bit_get(q->is_asked, node);
}

/* The stream of those that were reached has the group of the object. What a salvaged capture lost is passed over. */
static hsd_status count_in_group(query *q, hsd_node node, uint64_t bytes, hsd_error *err)
{
    if (q->ask.is_id) return HSD_OK;
    while (q->reached != NULL && hsd_words_first(q->reached) < node)
        HSD_TRY(next_record(q->groups.asked, &q->reached, err));
    if (q->reached == NULL || hsd_words_first(q->reached) != node) return HSD_OK;
    hsd_path_groups_count(&q->groups, hsd_words_second(q->reached), bytes);
    return next_record(q->groups.asked, &q->reached, err);
}

static hsd_status count_object(query *q, const hsd_object *object, hsd_error *err)
{
    hsd_paths *result = q->result;
    const hsd_node node = (hsd_node)object->ordinal;
    const bool is_reached = is_live(q, node);
    uint64_t bytes = hsd_side_bytes_of(object);
    HSD_TRY(add_folded(q, node, &bytes, err));
    if (counts(q->side, node)) add_amount(is_reached ? &result->side.live : &result->side.unreached, bytes);
    if (!is_asked_object(q, node)) return HSD_OK;
    add_amount(is_reached ? &result->live : &result->unreached, bytes);
    return is_reached ? count_in_group(q, node, bytes, err) : HSD_OK;
}

static hsd_status count_each(query *q, hsd_object_reader *reader, hsd_error *err)
{
    for (;;) {
        hsd_object object;
        const hsd_status status = hsd_object_reader_next(reader, &object, err);
        if (status == HSD_END) return HSD_OK;
        HSD_TRY(status);
        if (object.is_continuation) continue;
        HSD_TRY(count_object(q, &object, err));
        if ((object.ordinal & 0x3fff) == 0) {
            HSD_TRY(hsd_progress(q->side->request->reporter, "counting objects", object.ordinal, q->side->object_count,
                                 err));
        }
    }
}

static hsd_status count_objects(query *q, hsd_error *err)
{
    hsd_object_reader *reader;
    if (q->side->graph->folded != NULL) HSD_TRY(next_record(q->side->graph->folded, &q->folded, err));
    if (!q->ask.is_id) HSD_TRY(next_record(q->groups.asked, &q->reached, err));
    HSD_TRY(hsd_object_reader_open(&reader, q->side->request->capture, HSD_WANT_SIZES, err));
    const hsd_status status = count_each(q, reader, err);
    hsd_object_reader_close(reader);
    HSD_TRY(status);
    if (q->groups.has_records) HSD_TRY(hsd_paged_check(&q->groups.records, err));
    return hsd_shortest_check(&q->shortest, err);
}

/* ---- the result ---- */

static int compare_rows(const void *a, const void *b)
{
    const hsd_path_row_sum *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    if (x->amount.bytes != y->amount.bytes) return x->amount.bytes > y->amount.bytes ? -1 : 1;
    if (x->amount.objects != y->amount.objects) return x->amount.objects > y->amount.objects ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* Rows of nodes that no object stands for, in a salvaged capture, are none. */
static void drop_empty_rows(hsd_path_groups *groups)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < groups->row_count; i++) {
        if (groups->rows[i].amount.objects > 0) groups->rows[kept++] = groups->rows[i];
    }
    groups->row_count = kept;
}

static hsd_status write_row(query *q, hsd_path_texts *texts, const hsd_path_row_sum *sum, hsd_path_row *row,
                            hsd_error *err)
{
    hsd_path_text text;
    const hsd_node node = hsd_path_groups_node(&q->groups, sum->group);
    if (q->ask.is_id)
        HSD_TRY(hsd_path_texts_get_through(texts, node, sum->edge, q->ask.ordinal, &text, err));
    else
        HSD_TRY(hsd_path_texts_get(texts, node, &text, err));
    *row = (hsd_path_row){.root_kind = text.root_kind,
                          .steps = text.steps,
                          .step_count = text.step_count,
                          .step_cut = text.step_cut,
                          .length = text.length,
                          .objects = sum->amount};
    return hsd_store_text(q->result->store, hsd_names_get(&q->side->roots.names, text.root), &row->root, err);
}

static hsd_status write_rows(query *q, hsd_path_texts *texts, hsd_error *err)
{
    hsd_paths *result = q->result;
    hsd_path_groups *groups = &q->groups;
    const size_t most = q->options->most == 0 ? ROWS_BY_DEFAULT : q->options->most;
    drop_empty_rows(groups);
    const size_t shown = (size_t)hsd_min_u64(most, groups->row_count);
    if (groups->row_count > 0) qsort(groups->rows, groups->row_count, sizeof *groups->rows, compare_rows);
    result->rows = hsd_arena_take(&result->store->arena, shown * sizeof *result->rows);
    if (result->rows == NULL) return hsd_fail_nomem(err, "paths");
    for (; result->row_count < shown; result->row_count++) {
        HSD_TRY(write_row(q, texts, &groups->rows[result->row_count], &result->rows[result->row_count], err));
    }
    result->others = groups->others;
    result->other_rows = groups->row_count - shown + (groups->others.objects > 0);
    for (size_t i = shown; i < groups->row_count; i++) {
        result->others.objects += groups->rows[i].amount.objects;
        result->others.bytes = hsd_add_saturating(result->others.bytes, groups->rows[i].amount.bytes);
    }
    return hsd_paged_check(&groups->records, err);
}

static hsd_status write_result(query *q, hsd_error *err)
{
    hsd_paths *result = q->result;
    hsd_path_texts *texts;
    const char *type = q->options->is_id ? "" : q->options->type;
    HSD_TRY(hsd_store_text(result->store, (hsd_bytes){(const uint8_t *)type, strlen(type)}, &result->type, err));
    result->is_id = q->options->is_id;
    result->id = q->options->id;
    HSD_TRY(hsd_store_info(result->store, q->side->info, &result->side.info, err));
    hsd_store_side(&result->side, q->side, result->side.live, result->side.unreached);
    hsd_store_warn_of_capture(result->store, q->side->info);
    hsd_store_warn_of_references(result->store, &result->side);
    HSD_TRY(hsd_path_texts_new(&texts, &q->shortest, q->side, &result->store->arena, err));
    hsd_status status = write_rows(q, texts, err);
    /* else a path stands for those of many */
    if (status == HSD_OK && result->is_id) status = hsd_path_texts_name(texts, err);
    hsd_path_texts_free(texts);
    result->warnings = result->store->warnings;
    result->warning_count = result->store->warning_count;
    result->temp_bytes_peak = q->single.space.bytes_peak;
    return status;
}

/* ---- the whole ---- */

static hsd_status answer_type(query *q, hsd_error *err)
{
    HSD_TRY(mark_types(q, err));
    HSD_TRY(search_rows(q, err));
    HSD_TRY(count_objects(q, err));
    if (q->result->live.objects + q->result->unreached.objects > 0) return HSD_OK;
    return hsd_path_ask_fail(q->side, q->options, err);
}

/* What only the object holds is live all the same, so that is found by a search of its own. */
static hsd_status answer_id(query *q, hsd_error *err)
{
    HSD_TRY(search(q, false, NULL, err));
    HSD_TRY(count_objects(q, err));
    HSD_TRY(mark_referrers(q, err));
    return search_rows(q, err);
}

static hsd_status run_paths_result(query *q, hsd_capture *capture, hsd_error *err)
{
    HSD_TRY(hsd_single_open(&q->single, capture, err));
    HSD_TRY(check_graph(q, err));
    HSD_TRY(hsd_path_ask_find(&q->ask, q->side, q->options, err));
    HSD_TRY(make_graph(q, err));
    q->is_asked = calloc((size_t)q->side->node_count / 8 + 1, 1);
    if (q->is_asked == NULL) return hsd_fail_nomem(err, "paths");
    HSD_TRY(q->ask.is_id ? answer_id(q, err) : answer_type(q, err));
    return write_result(q, err);
}

static hsd_status new_result(hsd_paths **out, hsd_error *err)
{
    hsd_paths *result = calloc(1, sizeof *result);
    if (result != NULL) result->store = calloc(1, sizeof *result->store);
    if (result == NULL || result->store == NULL) {
        free(result);
        return hsd_fail_nomem(err, "paths");
    }
    *out = result;
    return HSD_OK;
}

static void release_paths_result(query *q)
{
    if (q->has_shortest) hsd_shortest_close(&q->shortest);
    hsd_path_groups_release(&q->groups);
    hsd_path_ask_release(&q->ask);
    free(q->is_asked);
    hsd_single_release(&q->single);
}

hsd_status hsd_paths_run(hsd_paths **out, hsd_capture *capture, const hsd_paths_options *options,
                         const hsd_run *run_conditions, hsd_error *err)
{
    hsd_paths_options own;
    query q = {.options = &own};
    *out = NULL;
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_paths_options, partial, &own, options, err));
    HSD_TRY(new_result(&q.result, err));
    hsd_single_init(&q.single, run_conditions);
    q.single.is_for_paths = true;
    q.side = &q.single.side;
    const hsd_status status = run_paths_result(&q, capture, err);
    if (status < 0) hsd_error_set_file(err, hsd_capture_get_info(capture)->path);
    release_paths_result(&q);
    if (status == HSD_OK)
        *out = q.result;
    else
        hsd_paths_free(q.result);
    return status;
}

void hsd_paths_free(hsd_paths *paths)
{
    if (paths == NULL) return;
    hsd_store_free(paths->store);
    free(paths);
}
