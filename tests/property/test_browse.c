/*
 * Every question of hsdiff/browse.h about every object of random heaps against definitions: one capture, and pairs, in
 * random forms, with random memory and threads. HSD_PAIRS sets how many heaps (tests/support/sizes.h), HSD_SEED
 * where they start.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_view.h"
#include "support/capture_file.h"
#include "support/sizes.h"
#include <hsdiff/browse.h>

enum { HEAPS = 600, KEY = 80, KEYS = 512 };

TestSuite(browse, .init = setup, .fini = teardown);

static uint64_t heap_count(void)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) : test_cases(HEAPS);
}

typedef struct looked { /* one side at hand */
    hsd_browse *browse;
    size_t side;
    const oracle_view *view;
    unsigned long seed;
} looked;

/* ---- bags of lines ---- */

typedef struct bag {
    char keys[KEYS][KEY];
    size_t count;
} bag;

static void put(bag *b, const char *who, const char *edge)
{
    cr_assert_lt(b->count, KEYS);
    snprintf(b->keys[b->count++], KEY, "%s %s", who, edge);
}

static int compare_keys(const void *a, const void *b) { return strcmp(a, b); }

static void cr_assert_same(bag *got, bag *wanted, const looked *l, const char *what, uint64_t id)
{
    qsort(got->keys, got->count, KEY, compare_keys);
    qsort(wanted->keys, wanted->count, KEY, compare_keys);
    cr_assert_eq(got->count, wanted->count, "seed %lu %s of %lx: %zu, not %zu", l->seed, what, id, got->count,
                 wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        cr_assert_str_eq(got->keys[i], wanted->keys[i], "seed %lu %s of %lx: %s, not %s", l->seed, what, id,
                         got->keys[i], wanted->keys[i]);
    }
}

static void name_node(const oracle_view *v, int node, char *out)
{
    if (v->nodes[node].is_object)
        snprintf(out, KEY, "0x%lx", v->heap->objects[node].id);
    else
        snprintf(out, KEY, "%s", v->nodes[node].name);
}

static void name_line(const hsd_browse_node *line, char *out)
{
    if (line->is_root)
        snprintf(out, KEY, "%s", line->type.data);
    else
        snprintf(out, KEY, "0x%lx", line->id);
}

static void put_list(bag *b, const hsd_browse_list *list, bool has_edges)
{
    char who[KEY];
    for (size_t i = 0; i < list->count; i++) {
        name_line(&list->nodes[i], who);
        char edge[KEY];
        snprintf(edge, sizeof edge, "%s%s", list->nodes[i].is_weak ? "weak " : "",
                 has_edges ? list->nodes[i].edge.data : "");
        put(b, who, edge);
    }
}

/* ---- lists, whole and in pieces ---- */

typedef hsd_status (*ask_fn)(hsd_browse *, size_t, hsd_browse_ref, uint64_t, size_t, hsd_browse_list **, hsd_error *);

static hsd_browse_list *ask(const looked *l, ask_fn fn, hsd_browse_ref ref)
{
    hsd_browse_list *list, *piece;
    cr_assert_eq(fn(l->browse, l->side, ref, 0, HSD_BROWSE_MOST, &list, &err), HSD_OK, "seed %lu: %s", l->seed,
                 err.text);
    cr_assert(list->is_total_known && list->total == list->count && list->from == 0);
    const uint64_t from = list->total / 2;
    cr_assert_eq(fn(l->browse, l->side, ref, from, 2, &piece, &err), HSD_OK);
    cr_assert(piece->total == list->total && piece->count == (list->total - from < 2 ? list->total - from : 2),
              "seed %lu", l->seed);
    for (size_t i = 0; i < piece->count; i++)
        cr_assert_eq(piece->nodes[i].ref.node, list->nodes[from + i].ref.node, "seed %lu", l->seed);
    hsd_browse_list_free(piece);
    return list;
}

/* ---- by definition ---- */

static bool is_shown(const oracle_view *v, int node)
{
    return v->nodes[node].is_object && v->nodes[node].is_live && v->counts[node];
}

static hsd_amount retained_by(const oracle_view *v, int node)
{
    hsd_amount sum = {0, 0};
    for (int i = 0; i < (int)v->heap->object_count; i++) {
        if (!is_shown(v, i) || !v->dominates[node][i]) continue;
        sum.objects++;
        sum.bytes += v->bytes[i];
    }
    return sum;
}

static int dominator_of(const oracle_view *v, int node)
{
    int best = ORACLE_NOBODY;
    for (int d = 0; d < v->node_count; d++) {
        if (d == node || !v->dominates[d][node]) continue;
        if (best == ORACLE_NOBODY || v->nodes[d].dominators > v->nodes[best].dominators) best = d;
    }
    return best;
}

/* Of several references between two the least: strong ones first, then by name. */
static const oracle_edge *edge_between(const oracle_view *v, int from, int to)
{
    const oracle_edge *best = NULL;
    for (int i = 0; i < v->edge_count; i++) {
        const oracle_edge *e = &v->edges[i];
        if (e->from != from || e->to != to || from == to) continue;
        if (best == NULL || (e->is_soft != best->is_soft ? best->is_soft : strcmp(e->text, best->text) < 0)) best = e;
    }
    return best;
}

/* References from the nearest root, of primary ones where they reach it. */
static int distance_of(const oracle_view *v, int node)
{
    static int distance[ORACLE_MAX_NODES];
    bool has_source[ORACLE_MAX_NODES] = {false};
    for (int i = 0; i < v->edge_count; i++)
        has_source[v->edges[i].to] = true;
    for (int i = 0; i < v->node_count; i++) {
        const bool is_root = !v->nodes[i].is_object && !has_source[i];
        distance[i] = is_root && v->nodes[i].is_live && v->nodes[i].is_first == v->nodes[node].is_first ? 0 : -1;
    }
    for (int round = 0; round < v->node_count; round++) {
        for (int i = 0; i < v->edge_count; i++) {
            const oracle_edge *e = &v->edges[i];
            if (distance[e->from] == round && distance[e->to] < 0) distance[e->to] = round + 1;
        }
    }
    return distance[node];
}

/* ---- one object ---- */

static void put_weak(bag *b, const looked *l, int node)
{
    const model_heap *heap = l->view->heap;
    const model_object *object = &heap->objects[node];
    char who[KEY];
    for (int other = 0; other < (int)heap->object_count; other++) {
        bool is_weak = false;
        for (uint32_t i = 0; i < object->reference_count; i++) {
            const model_reference *reference = &object->references[i];
            is_weak = is_weak ||
                      (reference->label == MODEL_WEAK && reference->target == heap->objects[other].id && other != node);
        }
        if (!is_weak) continue;
        name_node(l->view, other, who);
        put(b, who, "weak .field");
    }
}

/* Those that are weak stand behind all others, in the order of the capture. */
static void check_weak_order(const looked *l, const hsd_browse_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        const hsd_browse_node *a = &list->nodes[i - 1], *b = &list->nodes[i];
        if (a->is_weak) cr_assert(b->is_weak && a->ref.node < b->ref.node, "seed %lu", l->seed);
    }
}

static void check_references(const looked *l, int node, hsd_browse_ref ref)
{
    const oracle_view *v = l->view;
    static bag got, wanted;
    char who[KEY];
    for (int to_it = 0; to_it < 2; to_it++) {
        got.count = wanted.count = 0;
        hsd_browse_list *list = ask(l, to_it ? hsd_browse_referrers : hsd_browse_referents, ref);
        put_list(&got, list, true);
        check_weak_order(l, list);
        hsd_browse_list_free(list);
        if (!to_it) put_weak(&wanted, l, node);
        for (int other = 0; other < v->node_count; other++) {
            const oracle_edge *e = to_it ? edge_between(v, other, node) : edge_between(v, node, other);
            if (e == NULL) continue;
            name_node(v, other, who);
            put(&wanted, who, e->text);
        }
        cr_assert_same(&got, &wanted, l, to_it ? "referrers" : "referents", v->heap->objects[node].id);
    }
}

static void check_order(const looked *l, const hsd_browse_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        const hsd_browse_node *a = &list->nodes[i - 1], *b = &list->nodes[i];
        cr_assert(a->retained_bytes > b->retained_bytes ||
                      (a->retained_bytes == b->retained_bytes && a->ref.node < b->ref.node),
                  "seed %lu", l->seed);
    }
}

static void check_dominated(const looked *l, int node, hsd_browse_ref ref)
{
    const oracle_view *v = l->view;
    static bag got, wanted;
    char who[KEY];
    got.count = wanted.count = 0;
    hsd_browse_list *list = ask(l, hsd_browse_dominated, ref);
    check_order(l, list);
    put_list(&got, list, true);
    hsd_browse_list_free(list);
    for (int other = 0; other < v->node_count; other++) {
        if (!v->nodes[other].is_live || dominator_of(v, other) != node) continue;
        if (node != ORACLE_NOBODY && !v->nodes[node].is_live) continue;
        name_node(v, other, who);
        put(&wanted, who, strcmp(v->nodes[other].edge, "-") == 0 ? "" : v->nodes[other].edge);
    }
    cr_assert_same(&got, &wanted, l, "dominated", node == ORACLE_NOBODY ? 0 : v->heap->objects[node].id);
}

static void check_dominators(const looked *l, int node, hsd_browse_ref ref)
{
    const oracle_view *v = l->view;
    hsd_browse_list *list;
    cr_assert_eq(hsd_browse_dominators(l->browse, l->side, ref, &list, &err), HSD_OK, "%s", err.text);
    size_t at = list->count;
    for (int d = v->nodes[node].is_live ? dominator_of(v, node) : ORACLE_NOBODY; d != ORACLE_NOBODY;
         d = dominator_of(v, d)) {
        char wanted[KEY], got[KEY];
        cr_assert_gt(at, 0, "seed %lu", l->seed);
        name_node(v, d, wanted);
        name_line(&list->nodes[--at], got);
        cr_assert_str_eq(got, wanted, "seed %lu", l->seed);
    }
    cr_assert_eq(at, 0, "seed %lu: %zu dominators too many", l->seed, at);
    hsd_browse_list_free(list);
}

static void check_path(const looked *l, int node, hsd_browse_ref ref)
{
    const oracle_view *v = l->view;
    hsd_browse_list *list;
    cr_assert_eq(hsd_browse_path(l->browse, l->side, ref, &list, &err), HSD_OK, "%s", err.text);
    if (!v->nodes[node].is_live)
        cr_assert_eq(list->count, 0);
    else {
        cr_assert_eq((int)list->total, distance_of(v, node) + 1, "seed %lu object %lx", l->seed,
                     v->heap->objects[node].id);
        cr_assert(list->nodes[0].is_root && list->nodes[list->count - 1].id == v->heap->objects[node].id, "seed %lu",
                  l->seed);
    }
    for (size_t i = 1; i < list->count; i++) {
        const hsd_browse_node *a = &list->nodes[i - 1], *b = &list->nodes[i];
        if (a->is_root || b->is_root) continue;
        const oracle_edge *e = edge_between(v, oracle_find(v->heap, a->id), oracle_find(v->heap, b->id));
        cr_assert_not_null(e, "seed %lu", l->seed);
        cr_assert_str_eq(b->edge.data, e->text, "seed %lu", l->seed);
    }
    hsd_browse_list_free(list);
}

static void check_details(const looked *l, int node, hsd_browse_ref ref)
{
    const oracle_view *v = l->view;
    const model_object *object = &v->heap->objects[node];
    hsd_browse_object *got;
    char type[8];
    cr_assert_eq(hsd_browse_object_get(l->browse, l->side, ref, &got, &err), HSD_OK, "%s", err.text);
    snprintf(type, sizeof type, "T%u", object->type);
    cr_assert_str_eq(got->node.type.data, type, "seed %lu", l->seed);
    cr_assert_eq(got->node.id, object->id);
    cr_assert_eq(got->node.is_part, !v->counts[node], "seed %lu object %lx", l->seed, object->id);
    if (v->counts[node])
        cr_assert_eq(got->node.bytes, v->bytes[node], "seed %lu object %lx", l->seed, object->id);
    else
        cr_assert_eq(got->node.bytes, object->size_bytes, "seed %lu object %lx", l->seed, object->id);
    cr_assert_eq(got->node.state == HSD_BROWSE_UNREACHED, !v->nodes[node].is_live, "seed %lu object %lx", l->seed,
                 object->id);
    if (is_shown(v, node))
        cr_assert_str_eq(got->owner.data, v->owner[node], "seed %lu object %lx", l->seed, object->id);
    const hsd_amount retained = v->nodes[node].is_live ? retained_by(v, node) : (hsd_amount){0, 0};
    cr_assert(got->node.retained_bytes == retained.bytes && got->node.retained_objects == retained.objects,
              "seed %lu object %lx: %lu, not %lu", l->seed, object->id, got->node.retained_bytes, retained.bytes);
    const ask_fn fns[] = {hsd_browse_referents, hsd_browse_referrers, hsd_browse_dominated};
    const uint64_t counts[] = {got->referents, got->referrers, got->dominated};
    for (int i = 0; i < 3; i++) {
        hsd_browse_list *list = ask(l, fns[i], ref);
        cr_assert_eq(list->total, counts[i], "seed %lu object %lx", l->seed, object->id);
        hsd_browse_list_free(list);
    }
    hsd_browse_object_free(got);
}

/* ---- types ---- */

static hsd_browse_list *objects_of(const looked *l, const char *type)
{
    hsd_browse_list *list;
    const hsd_text text = {type, strlen(type)};
    const hsd_status status = hsd_browse_objects(l->browse, l->side, text, 0, HSD_BROWSE_MOST, &list, &err);
    cr_assert(status == HSD_OK || status == HSD_E_NOT_FOUND, "%s", err.text);
    return status == HSD_OK ? list : NULL;
}

static void check_types(const looked *l)
{
    const oracle_view *v = l->view;
    hsd_browse_types *types;
    size_t seen = 0;
    cr_assert_eq(hsd_browse_types_get(l->browse, l->side, (hsd_text){"", 0}, HSD_BROWSE_BY_RETAINED, 0, 100, &types,
                                      &err),
                 HSD_OK);
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        static bag got, wanted;
        hsd_amount live = {0, 0};
        char name[8], who[KEY];
        got.count = wanted.count = 0;
        snprintf(name, sizeof name, "T%u", type);
        for (int i = 0; i < (int)v->heap->object_count; i++) {
            if (!is_shown(v, i) || v->heap->objects[i].type != type) continue;
            name_node(v, i, who);
            put(&wanted, who, "");
            live.objects++;
            live.bytes += v->bytes[i];
        }
        hsd_browse_list *list = objects_of(l, name);
        if (list != NULL) {
            check_order(l, list);
            put_list(&got, list, false);
        }
        cr_assert_same(&got, &wanted, l, name, 0);
        hsd_browse_list_free(list);
        for (size_t i = 0; i < types->count; i++) {
            if (strcmp(types->types[i].name.data, name) != 0) continue;
            seen++;
            cr_assert(types->types[i].live.objects == live.objects && types->types[i].live.bytes == live.bytes,
                      "seed %lu", l->seed);
        }
        cr_assert_eq(live.objects > 0, list != NULL);
    }
    cr_assert(seen == types->count && types->total == types->count, "seed %lu", l->seed);
    for (size_t i = 1; i < types->count; i++)
        cr_assert_geq(types->types[i - 1].retained_bytes, types->types[i].retained_bytes);
    hsd_browse_types_free(types);
}

/* ---- sides ---- */

static void check_side(const looked *l)
{
    const oracle_view *v = l->view;
    hsd_browse_ref ref;
    cr_assert_null(hsd_browse_why_not(l->browse, l->side), "seed %lu: %s", l->seed,
                   hsd_browse_why_not(l->browse, l->side));
    cr_assert_eq(hsd_browse_find(l->browse, l->side, UINT64_C(0xdeadbeefdead), &ref, &err), HSD_E_NOT_FOUND);
    for (int i = 0; i < (int)v->heap->object_count; i++) {
        cr_assert_eq(hsd_browse_find(l->browse, l->side, v->heap->objects[i].id, &ref, &err), HSD_OK, "seed %lu: %s",
                     l->seed, err.text);
        check_details(l, i, ref);
        check_references(l, i, ref);
        check_dominated(l, i, ref);
        check_dominators(l, i, ref);
        check_path(l, i, ref);
    }
    check_dominated(l, ORACLE_NOBODY, (hsd_browse_ref){HSD_BROWSE_ALL});
    check_types(l);
}

static hsd_run random_run(test_random *random)
{
    return (hsd_run){.memory_bytes = (UINT64_C(20) << 20) << test_below(random, 4),
                     .threads = 1 + (unsigned)test_below(random, 2)};
}

static hsd_browse *open_pair(hsd_capture *const captures[], size_t count, const hsd_run *run)
{
    hsd_browse *browse;
    cr_assert_eq(hsd_browse_open(&browse, captures, count, NULL, run, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_browse_side_count(browse), count);
    return browse;
}

Test(browse, answers_as_the_oracle_on_single_heaps, .timeout = 3600)
{
    static oracle_view view;
    const uint64_t first = test_seed(1), wanted = heap_count();
    uint64_t done = 0;
    for (uint64_t i = 0; done < wanted; i++) {
        test_random random = {first + i};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        const hsd_run run = random_run(&random);
        if (!model_has_graph(&heap)) continue;
        oracle_look(&view, &heap, !form.by_ordinal);
        cr_assert(model_write(&heap, &form, path));
        hsd_capture *capture = open_capture(&run);
        hsd_browse *browse = open_pair(&capture, 1, &run);
        check_side(&(looked){browse, 0, &view, (unsigned long)(first + i)});
        hsd_browse_close(browse);
        hsd_capture_close(capture);
        done++;
    }
}

/* ---- pairs ---- */

static void check_partners(hsd_browse *browse, size_t side, const oracle_view *mine, const oracle_view *other,
                           unsigned long seed)
{
    for (int i = 0; i < (int)mine->heap->object_count; i++) {
        const model_object *object = &mine->heap->objects[i];
        const int at = oracle_find(other->heap, object->id);
        const bool is_there =
            at >= 0 && mine->counts[i] && other->counts[at] && other->heap->objects[at].type == object->type;
        hsd_browse_state state = side == 1 ? HSD_BROWSE_NEW : HSD_BROWSE_FREED;
        hsd_browse_ref ref;
        hsd_browse_object *got;
        if (!mine->nodes[i].is_live)
            state = HSD_BROWSE_UNREACHED;
        else if (!mine->counts[i])
            state = HSD_BROWSE_LIVE;
        else if (is_there && other->nodes[at].is_live)
            state = HSD_BROWSE_KEPT;
        cr_assert_eq(hsd_browse_find(browse, side, object->id, &ref, &err), HSD_OK);
        cr_assert_eq(hsd_browse_object_get(browse, side, ref, &got, &err), HSD_OK, "%s", err.text);
        cr_assert_eq(got->is_on_other_side, is_there, "seed %lu side %zu object %lx", seed, side, object->id);
        cr_assert_eq(got->node.state, state, "seed %lu side %zu object %lx: %d, not %d", seed, side, object->id,
                     got->node.state, state);
        if (is_there) cr_assert(got->other_id == object->id && got->other_bytes == other->bytes[at], "seed %lu", seed);
        hsd_browse_object_free(got);
    }
}

static hsd_capture *write_one(const model_heap *heap, const model_form *form, const hsd_run *run)
{
    cr_assert(model_write(heap, form, path));
    return open_capture(run);
}

Test(browse, answers_as_the_oracle_on_pairs, .timeout = 3600)
{
    static oracle_view views[2];
    const uint64_t first = test_seed(1), wanted = heap_count() / 2;
    uint64_t done = 0;
    for (uint64_t i = 0; done < wanted; i++) {
        test_random random = {first + i};
        const model_heap before = model_random(&random), after = model_later(&before, &random);
        const model_form forms[2] = {model_random_form(&random), model_random_form(&random)};
        const hsd_run run = random_run(&random);
        if (!model_has_graph(&before) || !model_has_graph(&after)) continue;
        const unsigned long seed = (unsigned long)(first + i);
        oracle_look(&views[0], &before, !forms[0].by_ordinal);
        oracle_look(&views[1], &after, !forms[1].by_ordinal);
        hsd_capture *captures[2];
        captures[0] = write_one(&before, &forms[0], &run);
        captures[1] = write_one(&after, &forms[1], &run);
        hsd_browse *browse = open_pair(captures, 2, &run);
        for (size_t side = 0; side < 2; side++) {
            check_side(&(looked){browse, side, &views[side], seed});
            check_partners(browse, side, &views[side], &views[1 - side], seed);
        }
        hsd_browse_close(browse);
        for (size_t side = 0; side < 2; side++)
            hsd_capture_close(captures[side]);
        done++;
    }
}
