/*
 * What hsd_top_run says of one capture against definitions: random heaps, written in random forms, looked at with
 * random memory and threads. An object retains what is not reached without it; a type and a name of a root retain what
 * some one of their objects or nodes does. HSD_PAIRS sets how many heaps (tests/support/sizes.h), HSD_SEED where they
 * start.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "oracle_view.h"
#include "support/capture_file.h"
#include "support/sizes.h"
#include <hsdiff/report.h>

enum { HEAPS = 2000, LISTED_MAX = MODEL_MAX_OBJECTS };

static oracle_view view;

TestSuite(top, .init = setup, .fini = teardown);

static uint64_t heap_count(void)
{
    const char *given = getenv("HSD_PAIRS");
    return given != NULL ? strtoull(given, NULL, 0) : test_cases(HEAPS);
}

typedef struct listing {
    hsd_retained rows[LISTED_MAX];
    char types[LISTED_MAX][8];
    uint32_t count;
} listing;

static hsd_status take(void *context, const hsd_retained *object, hsd_error *e)
{
    listing *list = context;
    (void)e;
    cr_assert_lt(list->count, LISTED_MAX);
    list->rows[list->count] = *object;
    snprintf(list->types[list->count++], sizeof list->types[0], "%s", object->type.data);
    return HSD_OK;
}

static hsd_top *look_at(const model_heap *heap, const model_form *form, const hsd_run *run, size_t objects,
                        listing *list)
{
    hsd_top *top;
    const hsd_top_options options = {.objects = objects, .each = list != NULL ? take : NULL, .each_context = list};
    cr_assert(model_write(heap, form, path));
    hsd_capture *capture = open_capture(run);
    cr_assert_eq(hsd_top_run(&top, capture, &options, run, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    return top;
}

/* ---- by definition ---- */

static bool is_shown(int object) { return view.nodes[object].is_live && view.counts[object]; }

static hsd_amount retained_by(int node)
{
    hsd_amount sum = {0, 0};
    for (int v = 0; v < (int)view.heap->object_count; v++) {
        if (!is_shown(v) || !view.dominates[node][v]) continue;
        sum.objects++;
        sum.bytes += view.bytes[v];
    }
    return sum;
}

/* Bytes that some object of the type, or some node of the name, dominates. */
static uint64_t retained_by_all(const char *root, uint32_t type)
{
    uint64_t sum = 0;
    for (int v = 0; v < (int)view.heap->object_count; v++) {
        bool is_held = false;
        for (int d = 0; d < view.node_count && !is_held; d++) {
            const oracle_node *node = &view.nodes[d];
            const bool is_one = root != NULL ? !node->is_object && node->is_live && strcmp(node->name, root) == 0
                                             : node->is_object && is_shown(d) && view.heap->objects[d].type == type;
            is_held = is_one && view.dominates[d][v];
        }
        if (is_held && is_shown(v)) sum += view.bytes[v];
    }
    return sum;
}

static int dominator_of(int object)
{
    int above = view.nodes[object].parent;
    while (above != ORACLE_NOBODY && !view.nodes[above].is_object)
        above = view.nodes[above].parent;
    return above;
}

/* What another object stands for among the biggest. */
static bool is_inner(int object)
{
    const int above = view.nodes[object].parent;
    if (above == ORACLE_NOBODY || !view.nodes[above].is_object) return false;
    return view.heap->objects[object].type == MODEL_INTERNAL_TYPE ||
           (view.heap->objects[above].type == view.heap->objects[object].type &&
            strcmp(view.nodes[above].edge, view.nodes[object].edge) == 0 && strcmp(view.nodes[object].edge, "-") != 0);
}

/* ---- checks ---- */

static void check_types(const hsd_top *top, unsigned long seed)
{
    hsd_amount all = {0, 0};
    size_t rows = 0;
    for (uint32_t type = 0; type < MODEL_TYPES; type++) {
        hsd_amount live = {0, 0}, unreached = {0, 0};
        char name[8];
        const hsd_top_type *row = NULL;
        for (uint32_t i = 0; i < view.heap->object_count; i++) {
            if (!view.counts[i] || view.heap->objects[i].type != type) continue;
            hsd_amount *sum = view.live[i] ? &live : &unreached;
            sum->objects++;
            sum->bytes += view.bytes[i];
        }
        snprintf(name, sizeof name, "T%u", type);
        for (size_t i = 0; i < top->type_count; i++) {
            if (strcmp(top->types[i].name.data, name) == 0) row = &top->types[i];
        }
        if (live.objects + unreached.objects == 0) cr_assert_null(row);
        if (row == NULL) {
            cr_assert_eq(live.objects + unreached.objects, 0, "seed %lu type %s", seed, name);
            continue;
        }
        rows++;
        all.objects += live.objects;
        all.bytes += live.bytes;
        cr_assert(row->live.objects == live.objects && row->live.bytes == live.bytes, "seed %lu type %s", seed, name);
        cr_assert(row->unreached.objects == unreached.objects && row->unreached.bytes == unreached.bytes,
                  "seed %lu type %s", seed, name);
        cr_assert_eq(row->retained_bytes, retained_by_all(NULL, type), "seed %lu type %s: %lu, not %lu", seed, name,
                     row->retained_bytes, retained_by_all(NULL, type));
    }
    cr_assert_eq(rows, top->type_count, "seed %lu", seed);
    cr_assert(top->side.live.objects == all.objects && top->side.live.bytes == all.bytes, "seed %lu", seed);
}

static void check_roots(const hsd_top *top, unsigned long seed)
{
    hsd_amount all = {0, 0};
    for (size_t r = 0; r < top->root_count; r++) {
        const hsd_top_root *row = &top->roots[r];
        hsd_amount live = {0, 0};
        for (uint32_t i = 0; i < view.heap->object_count; i++) {
            if (!is_shown((int)i) || strcmp(view.owner[i], row->name.data) != 0) continue;
            live.objects++;
            live.bytes += view.bytes[i];
        }
        all.objects += live.objects;
        all.bytes += live.bytes;
        const uint64_t retained = row->is_shared ? 0 : retained_by_all(row->name.data, 0);
        cr_assert(row->live.objects == live.objects && row->live.bytes == live.bytes, "seed %lu root %s", seed,
                  row->name.data);
        cr_assert_eq(row->retained_bytes, retained, "seed %lu root %s: %lu, not %lu", seed, row->name.data,
                     row->retained_bytes, retained);
    }
    cr_assert(top->side.live.objects == all.objects && top->side.live.bytes == all.bytes,
              "seed %lu: roots do not add up", seed);
}

static void check_list(const listing *list, unsigned long seed)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < view.heap->object_count; i++)
        live += is_shown((int)i);
    cr_assert_eq(list->count, live, "seed %lu", seed);
    for (uint32_t i = 0; i < list->count; i++) {
        const hsd_retained *row = &list->rows[i];
        const int object = oracle_find(view.heap, row->id), above = dominator_of(object);
        const hsd_amount retained = retained_by(object);
        char type[8];
        snprintf(type, sizeof type, "T%u", view.heap->objects[object].type);
        cr_assert(i == 0 || list->rows[i - 1].id < row->id, "seed %lu", seed);
        cr_assert_str_eq(list->types[i], type, "seed %lu", seed);
        cr_assert_eq(row->bytes, view.bytes[object], "seed %lu", seed);
        cr_assert_eq(row->retained_bytes, retained.bytes, "seed %lu object %lx: %lu, not %lu", seed, row->id,
                     row->retained_bytes, retained.bytes);
        cr_assert_eq(row->retained_objects, retained.objects, "seed %lu object %lx", seed, row->id);
        cr_assert_eq(row->has_dominator, above != ORACLE_NOBODY, "seed %lu object %lx", seed, row->id);
        if (above != ORACLE_NOBODY) cr_assert_eq(row->dominator, view.heap->objects[above].id, "seed %lu", seed);
    }
}

/* True if `a` is bigger than `b`. */
static bool is_bigger(int a, int b)
{
    const uint64_t x = retained_by(a).bytes, y = retained_by(b).bytes;
    return x != y ? x > y : view.heap->objects[a].id < view.heap->objects[b].id;
}

static void check_objects(const hsd_top *top, size_t wanted, unsigned long seed)
{
    bool is_listed[MODEL_MAX_OBJECTS] = {false};
    uint32_t candidates = 0;
    for (size_t i = 0; i < top->object_count; i++) {
        const hsd_top_object *row = &top->objects[i];
        const int object = oracle_find(view.heap, row->id);
        cr_assert(object >= 0 && is_shown(object) && !is_listed[object] && !is_inner(object), "seed %lu", seed);
        is_listed[object] = true;
        const hsd_amount retained = retained_by(object);
        cr_assert(row->retained_bytes == retained.bytes && row->retained_objects == retained.objects, "seed %lu", seed);
        cr_assert(i == 0 || top->objects[i - 1].retained_bytes >= row->retained_bytes, "seed %lu", seed);
        cr_assert_gt(row->path_count, 0, "seed %lu", seed);
        cr_assert_str_eq(row->path[row->path_count - 1].type.data, row->type.data, "seed %lu", seed);
        cr_assert(oracle_has_root(&view, row->root.data), "seed %lu root %s", seed, row->root.data);
    }
    for (int i = 0; i < (int)view.heap->object_count; i++) {
        if (!is_shown(i) || is_inner(i)) continue;
        candidates++;
        for (int j = 0; j < (int)view.heap->object_count && !is_listed[i]; j++) {
            cr_assert(!is_listed[j] || is_bigger(j, i), "seed %lu: object %lx is bigger", seed,
                      view.heap->objects[i].id);
        }
    }
    cr_assert_eq(top->object_count, candidates < wanted ? candidates : wanted, "seed %lu", seed);
}

/* A link of a list: of the type of what is above it, and so is what hangs below it by the same reference. */
static bool is_link(int object)
{
    const int above = view.nodes[object].parent;
    if (above == ORACLE_NOBODY || !view.nodes[above].is_object) return false;
    if (view.heap->objects[above].type != view.heap->objects[object].type) return false;
    for (int i = 0; i < (int)view.heap->object_count; i++) {
        if (is_shown(i) && view.nodes[i].parent == object && is_inner(i) &&
            view.heap->objects[i].type == view.heap->objects[object].type)
            return true;
    }
    return false;
}

/* The most that one object below has, helpers and links looked through. */
static uint64_t heaviest_below(int object)
{
    uint64_t most = 0;
    for (int i = 0; i < (int)view.heap->object_count; i++) {
        if (!is_shown(i) || dominator_of(i) != object) continue;
        const uint64_t bytes = is_inner(i) || is_link(i) ? heaviest_below(i) : retained_by(i).bytes;
        if (bytes > most) most = bytes;
    }
    return most;
}

static bool is_accumulation(int object, uint64_t heap_bytes)
{
    const uint64_t retained = retained_by(object).bytes, heaviest = heaviest_below(object);
    if (!is_shown(object) || is_inner(object) || is_link(object) || retained == 0) return false;
    return heaviest <= retained / 10 || (heaviest <= retained / 4 && heaviest < heap_bytes / 10);
}

static void check_accumulation(const hsd_top *top, unsigned long seed)
{
    int most = ORACLE_NOBODY;
    for (int i = 0; i < (int)view.heap->object_count; i++)
        if (is_accumulation(i, top->side.live.bytes) && (most == ORACLE_NOBODY || is_bigger(i, most))) most = i;
    if (top->object_count == 0) most = ORACLE_NOBODY;
    cr_assert_eq(top->accumulation != NULL, most != ORACLE_NOBODY, "seed %lu", seed);
    if (most == ORACLE_NOBODY) return;
    cr_assert_eq(top->accumulation->id, view.heap->objects[most].id, "seed %lu: %lx, not %lx", seed,
                 top->accumulation->id, view.heap->objects[most].id);
    cr_assert_eq(top->accumulation->retained_bytes, retained_by(most).bytes, "seed %lu", seed);
    cr_assert_gt(top->accumulation->path_count, 0, "seed %lu", seed);
}

static bool is_there(const model_heap *heap, uint64_t id) { return oracle_find(heap, id) >= 0; }

/* A heap of which every form has a root and a reference: without them everything counts as live. */
static bool can_have_retained(const model_heap *heap)
{
    bool has_references = false, has_roots = false;
    for (uint32_t i = 0; i < heap->object_count; i++) {
        for (uint32_t r = 0; r < heap->objects[i].reference_count; r++) {
            has_references |= is_there(heap, heap->objects[i].references[r].target);
        }
    }
    for (uint32_t i = 0; i < heap->root_count; i++)
        has_roots |= is_there(heap, heap->roots[i].target);
    return has_references && has_roots;
}

Test(top, equals_the_oracle_on_random_heaps, .timeout = 3600)
{
    const uint64_t first = test_seed(1), wanted = heap_count();
    uint64_t compared = 0;
    for (uint64_t i = 0; compared < wanted; i++) {
        const unsigned long seed = (unsigned long)(first + i);
        test_random random = {first + i};
        const model_heap heap = model_random(&random);
        const model_form form = model_random_form(&random);
        const hsd_run run = {.memory_bytes = (UINT64_C(20) << 20) << test_below(&random, 4),
                             .threads = 1 + (unsigned)test_below(&random, 2)};
        const size_t objects = (size_t)test_below(&random, 12);
        if (!can_have_retained(&heap)) continue;
        listing list = {.count = 0};
        oracle_look(&view, &heap, !form.by_ordinal);
        hsd_top *top = look_at(&heap, &form, &run, objects, &list);
        cr_assert(top->has_retained, "seed %lu: %s", seed, top->why_no_retained.data);
        check_types(top, seed);
        check_roots(top, seed);
        check_list(&list, seed);
        check_objects(top, objects, seed);
        check_accumulation(top, seed);
        hsd_top_free(top);
        compared++;
    }
    cr_log_info("%lu heaps compared with the oracle, 0 differ", (unsigned long)compared);
}

/* ---- the same bytes whatever the form ---- */

typedef struct text {
    char bytes[65536];
    size_t size;
} text;

static hsd_status gather(void *context, const void *data, size_t size, hsd_error *e)
{
    text *t = context;
    if (t->size + size >= sizeof t->bytes) return hsd_fail(e, HSD_E_NOMEM, "the report is too long");
    memcpy(t->bytes + t->size, data, size);
    t->bytes[t->size += size] = 0;
    return HSD_OK;
}

static void print(text *out, const hsd_top *top)
{
    for (int i = 0; i < 3; i++) {
        static const hsd_report_table tables[] = {HSD_TABLE_TYPES, HSD_TABLE_ROOTS, HSD_TABLE_OBJECTS};
        const hsd_report_options options = {.table = tables[i], .sort_by = HSD_SORT_RETAINED};
        cr_assert_eq(hsd_report_format_find("csv")->write_top(top, &options, gather, out, &err), HSD_OK, "%s",
                     err.text);
    }
}

Test(top, says_the_same_whatever_the_order_of_records)
{
    static text one, other;
    for (uint64_t i = 0; i < 300; i++) {
        test_random random = {test_seed(500000) + i};
        const model_heap heap = model_random(&random);
        const hsd_run small = {.memory_bytes = UINT64_C(20) << 20, .threads = 1}, large = {0};
        model_form forms[] = {model_random_form(&random), model_random_form(&random)};
        forms[1].by_ordinal = forms[0].by_ordinal;
        hsd_top *a = look_at(&heap, &forms[0], &small, 20, NULL), *b = look_at(&heap, &forms[1], &large, 20, NULL);
        one.size = other.size = 0;
        print(&one, a);
        print(&other, b);
        cr_assert_str_eq(one.bytes, other.bytes, "heap %lu", (unsigned long)i);
        hsd_top_free(a);
        hsd_top_free(b);
    }
}

static hsd_status refuse(void *context, const hsd_retained *object, hsd_error *e)
{
    (void)context, (void)object;
    return hsd_fail_errno(e, 28, "cannot write");
}

Test(top, ends_with_what_each_returned)
{
    test_random random = {7};
    hsd_top *top;
    const hsd_top_options options = {.each = refuse};
    model_heap heap = model_random(&random);
    while (!can_have_retained(&heap))
        heap = model_random(&random);
    const model_form form = {.identity = HSC_IDENTITY_EXACT};
    cr_assert(model_write(&heap, &form, path));
    hsd_capture *capture = open_capture(NULL);
    cr_assert_eq(hsd_top_run(&top, capture, &options, NULL, &err), HSD_E_IO);
    cr_assert_null(top);
    hsd_capture_close(capture);
}

Test(top, without_roots_or_references_says_why)
{
    test_random random = {9};
    listing list = {.count = 0};
    model_heap heap = model_random(&random);
    const model_form form = {.identity = HSC_IDENTITY_EXACT};
    const hsd_run run = {0};
    heap.root_count = 0;
    hsd_top *top = look_at(&heap, &form, &run, 5, &list);
    cr_assert_not(top->has_retained);
    cr_assert_str_eq(top->why_no_retained.data, "the capture carries no roots");
    cr_assert_eq(top->object_count + top->root_count + list.count, 0);
    cr_assert_eq(top->side.unreached.objects, 0);
    cr_assert_gt(top->warning_count, 0);
    hsd_top_free(top);
    for (uint32_t i = 0; i < heap.object_count; i++)
        heap.objects[i].reference_count = 0;
    top = look_at(&heap, &form, &run, 5, &list);
    cr_assert_str_eq(top->why_no_retained.data, "the capture carries no references");
    hsd_top_free(top);
}
