/*
 * Paths against their definition, on random heaps: every way from every root is written out, the shortest that
 * reads first is the object's, and objects whose paths read alike are a row. The definition works on texts alone, in
 * plain arrays; it knows nothing of ranks, groups or places. For one object: the same heap without it, and a row for
 * whoever refers to it.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "support/capture_file.h"
#include "support/random.h"
#include <hscapture/hscapture.h>
#include <hsdiff/top.h>

enum {
    HEAPS = 1500,
    MOST_OBJECTS = 9,
    MOST_REFERENCES = 3,
    MOST_ROOTS = 5,
    MOST_NODES = 64,
    MOST_STEPS = 24,
    MOST_ROWS = 32
};

/* ---- a heap ---- */

typedef struct label_model {
    hsc_label_kind kind;
    uint32_t flags;
    const char *name, *text; /* as it is written, as it reads */
} label_model;

enum { PLAIN, FIELD, NEXT, ELEMENT, SOFT, WEAK, STATIC, CONTEXT, KEY, FOLDED_FIELD, LABELS };
static const label_model labels[LABELS] = {
    [PLAIN] = {HSC_LABEL_FIELD, 0, NULL, ""},
    [FIELD] = {HSC_LABEL_FIELD, 0, "a", ".a"},
    [NEXT] = {HSC_LABEL_FIELD, HSC_LABEL_FOLD, "next", ".next"},
    [ELEMENT] = {HSC_LABEL_ELEMENT, 0, NULL, "[*]"},
    [SOFT] = {HSC_LABEL_FIELD, HSC_STRENGTH_SOFT, "a", ".a"},
    [WEAK] = {HSC_LABEL_FIELD, HSC_STRENGTH_WEAK, "w", ".w"},
    [STATIC] = {HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, "s", ".s"},
    [CONTEXT] = {HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, "ctx", "<ctx>"},
    [KEY] = {HSC_LABEL_KEY, 0, "k", "[\"k\"]"},
    [FOLDED_FIELD] = {HSC_LABEL_FIELD, HSC_LABEL_FOLD, "a", ".a"},
};

enum { TYPES = 5 };
static const char *const type_names[TYPES] = {"Zoo", "Map", "Node", "Box", "Any"};
static const uint32_t type_flags[TYPES] = {0, 0, HSC_TYPE_INTERNAL, 0, HSC_TYPE_INTERNAL};
static const char *const root_names[] = {"main", "aux", "zed"};

typedef struct object_model {
    uint32_t type, reference_count;
    uint64_t id, size;
    bool is_pseudo;
    struct {
        uint32_t target, label;
    } references[MOST_REFERENCES]; /* targets >= object_count are not there */
} object_model;

typedef struct heap {
    uint32_t object_count, root_count;
    object_model objects[MOST_OBJECTS];
    struct {
        uint32_t target, name;
        bool is_secondary;
    } roots[MOST_ROOTS];
} heap;

static heap random_heap(test_random *random)
{
    heap h = {.object_count = 1 + (uint32_t)test_below(random, MOST_OBJECTS)};
    const uint32_t types = 1 + (uint32_t)test_below(random, TYPES), variety = 1 + (uint32_t)test_below(random, LABELS);
    h.root_count = 1 + (uint32_t)test_below(random, MOST_ROOTS);
    for (uint32_t i = 0; i < h.object_count; i++) {
        object_model *object = &h.objects[i];
        object->type = (uint32_t)test_below(random, types);
        object->id = 0x1000 + 16 * (uint64_t)((i * 7 + 3) % 16);
        object->size = 8 * test_below(random, 5);
        object->is_pseudo = test_below(random, 10) == 0;
        object->reference_count = (uint32_t)test_below(random, MOST_REFERENCES + 1);
        for (uint32_t j = 0; j < object->reference_count; j++) {
            object->references[j].target = (uint32_t)test_below(random, h.object_count + (test_below(random, 8) == 0));
            object->references[j].label = (uint32_t)(test_below(random, 2) ? test_below(random, variety) : FIELD);
        }
    }
    for (uint32_t i = 0; i < h.root_count; i++) {
        h.roots[i].target = (uint32_t)test_below(random, h.object_count);
        h.roots[i].name = (uint32_t)test_below(random, 3);
        h.roots[i].is_secondary = test_below(random, 4) == 0;
    }
    return h;
}

/* ---- as a capture ---- */

TestSuite(paths, .init = setup, .fini = teardown);

static void define_all(hsc_writer *w)
{
    for (uint32_t i = 0; i < LABELS; i++) {
        const uint32_t string = labels[i].name == NULL ? 0 : 1 + i;
        if (string != 0) hsc_define_string(w, string, labels[i].name, strlen(labels[i].name));
        hsc_define_label(w, 1 + i, labels[i].kind, labels[i].flags, string);
    }
    for (uint32_t i = 0; i < 3; i++)
        hsc_define_string(w, 50 + i, root_names[i], strlen(root_names[i]));
    for (uint32_t i = 0; i < TYPES; i++) {
        hsc_define_type(w, 1 + i, type_names[i], strlen(type_names[i]), type_flags[i]);
    }
}

/* Every other name is that of a stack. */
static uint32_t kind_of(uint32_t name) { return name % 2 == 0 ? HSC_ROOT_STACK : HSC_ROOT_GLOBAL; }

/* order[place in the file] = object */
static void write_heap(const heap *h, const uint32_t *order, bool by_ordinal)
{
    hsc_options options;
    hsc_writer *w;
    uint32_t place_of[MOST_OBJECTS];
    hsc_options_init(&options);
    options.producer = "test";
    options.targets_are_ordinals = by_ordinal;
    remove(path);
    cr_assert_eq(hsc_open_file(&w, path, &options), HSC_OK);
    define_all(w);
    for (uint32_t i = 0; i < h->object_count; i++)
        place_of[order[i]] = i;
    for (uint32_t i = 0; i < h->object_count; i++) {
        const object_model *o = &h->objects[order[i]];
        hsc_begin_object(w, &(hsc_object){.id = o->id,
                                          .size_bytes = o->size,
                                          .type = 1 + o->type,
                                          .flags = o->is_pseudo ? HSC_OBJECT_PSEUDO : 0});
        for (uint32_t j = 0; j < o->reference_count; j++) {
            const uint32_t target = o->references[j].target;
            const bool is_there = target < h->object_count;
            if (by_ordinal && is_there) hsc_reference(w, place_of[target], 1 + o->references[j].label, 0);
            if (!by_ordinal) hsc_reference(w, is_there ? h->objects[target].id : 99, 1 + o->references[j].label, 0);
        }
        hsc_end_object(w);
    }
    for (uint32_t i = 0; i < h->root_count; i++) {
        const uint32_t target = h->roots[i].target;
        hsc_root(w, &(hsc_root_record){.kind = kind_of(h->roots[i].name),
                                       .label = 50 + h->roots[i].name,
                                       .target = by_ordinal ? place_of[target] : h->objects[target].id,
                                       .flags = h->roots[i].is_secondary ? HSC_ROOT_SECONDARY : 0});
    }
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

/* ---- the definition: nodes are objects, one for each static reference, one for each name of a root ---- */

typedef struct edge {
    uint32_t source, target, label;
} edge;

typedef struct graph {
    uint32_t objects, nodes, edge_count;
    char names[MOST_NODES][32]; /* of nodes that are no objects */
    bool is_root[MOST_NODES], is_secondary[MOST_NODES];
    uint32_t types[MOST_NODES];
    edge edges[2 * MOST_NODES];
} graph;

static void add_edge(graph *g, uint32_t source, uint32_t target, uint32_t label)
{
    g->edges[g->edge_count++] = (edge){source, target, label};
}

static uint32_t root_node(graph *g, const char *name, bool is_secondary)
{
    for (uint32_t i = g->objects; i < g->nodes; i++) {
        if (g->is_root[i] && g->is_secondary[i] == is_secondary && strcmp(g->names[i], name) == 0) return i;
    }
    snprintf(g->names[g->nodes], sizeof g->names[0], "%s", name);
    g->is_root[g->nodes] = true;
    g->is_secondary[g->nodes] = is_secondary;
    return g->nodes++;
}

static graph graph_of(const heap *h)
{
    graph g = {.objects = h->object_count, .nodes = h->object_count};
    for (uint32_t i = 0; i < h->object_count; i++) {
        const object_model *o = &h->objects[i];
        g.types[i] = o->type;
        for (uint32_t j = 0; j < o->reference_count; j++) {
            const uint32_t target = o->references[j].target, label = o->references[j].label;
            if (label == WEAK || target >= h->object_count) continue;
            if (label != STATIC) {
                add_edge(&g, i, target, label);
                continue;
            }
            snprintf(g.names[g.nodes], sizeof g.names[0], "static %s.s", type_names[o->type]);
            add_edge(&g, i, g.nodes, STATIC);
            add_edge(&g, g.nodes++, target, PLAIN);
        }
    }
    for (uint32_t i = 0; i < h->root_count; i++) {
        const uint32_t root = root_node(&g, root_names[h->roots[i].name], h->roots[i].is_secondary);
        add_edge(&g, root, h->roots[i].target, PLAIN);
    }
    return g;
}

/* ---- ways written out ---- */

typedef struct way {
    uint32_t nodes[MOST_STEPS], labels[MOST_STEPS]; /* from the root on; labels[0] means nothing */
    uint32_t count;                                 /* 0 = no way */
} way;

static int compare_labels(uint32_t a, uint32_t b)
{
    const int soft = (a == SOFT) - (b == SOFT);
    if (soft != 0) return soft;
    const int text = strcmp(labels[a].text, labels[b].text);
    return text != 0 ? text : (int)(labels[a].flags & HSC_LABEL_FOLD) - (int)(labels[b].flags & HSC_LABEL_FOLD);
}

/* By type; what is no object comes behind all types, by name. */
static int compare_nodes(const graph *g, uint32_t a, uint32_t b)
{
    if (a < g->objects && b < g->objects) return strcmp(type_names[g->types[a]], type_names[g->types[b]]);
    if (a < g->objects || b < g->objects) return a < g->objects ? -1 : 1;
    return strcmp(g->names[a], g->names[b]);
}

static int compare_ways(const graph *g, const way *a, const way *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = 0; i < a->count; i++) {
        const int edges = i == 0 ? 0 : compare_labels(a->labels[i], b->labels[i]);
        const int nodes = edges != 0 ? edges : compare_nodes(g, a->nodes[i], b->nodes[i]);
        if (nodes != 0) return nodes;
    }
    return 0;
}

static void enumerate(const graph *g, const way *here, uint32_t avoided, const bool *is_taken, way *best)
{
    const uint32_t node = here->nodes[here->count - 1];
    if (best[node].count == 0 || compare_ways(g, here, &best[node]) < 0)
        best[node] = *here;
    else if (here->count > best[node].count)
        return;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const edge *next = &g->edges[e];
        bool is_on_way = next->source != node || next->target == avoided || is_taken[next->target];
        for (uint32_t i = 0; i < here->count; i++)
            is_on_way |= here->nodes[i] == next->target;
        if (is_on_way) continue;
        way longer = *here;
        longer.nodes[longer.count] = next->target;
        longer.labels[longer.count++] = next->label;
        enumerate(g, &longer, avoided, is_taken, best);
    }
}

static uint32_t round_of(const graph *g, uint32_t root)
{
    return (g->is_secondary[root] ? 2u : 0u) + (strcmp(g->names[root], root_names[1]) == 0 ? 0u : 1u);
}

/* Primary roots first, those of stacks behind the others; secondary ones, in the same order, reach what is left. */
static void find_ways(const graph *g, uint32_t avoided, way *best)
{
    memset(best, 0, MOST_NODES * sizeof *best);
    for (uint32_t round = 0; round < 4; round++) {
        bool is_taken[MOST_NODES] = {false};
        for (uint32_t i = 0; i < g->nodes; i++)
            is_taken[i] = best[i].count > 0;
        for (uint32_t root = g->objects; root < g->nodes; root++) {
            if (!g->is_root[root] || round_of(g, root) != round) continue;
            const way here = {.nodes = {root}, .count = 1};
            enumerate(g, &here, avoided, is_taken, best);
        }
    }
}

/* ---- how a way reads ---- */

typedef struct row {
    char text[512];  /* without what leads back to one of the last four steps */
    char shown[512]; /* with them, of one of the shortest; see is_shown */
    uint64_t length;
    hsd_amount amount;
} row;

static void append(char *text, const char *edge_text, const char *type, uint32_t repeat)
{
    const size_t used = strlen(text);
    if (repeat > 1)
        snprintf(text + used, 512 - used, ", %s %s x%u", edge_text, type, repeat);
    else
        snprintf(text + used, 512 - used, ", %s %s", edge_text, type);
}

static bool is_internal(const graph *g, uint32_t node) { return (type_flags[g->types[node]] & HSC_TYPE_INTERNAL) != 0; }

typedef struct plain_step {
    char edge[32];
    const char *type;
    uint32_t repeat;
} plain_step;

static uint32_t steps_of(const graph *g, const way *w, uint32_t first, plain_step *out)
{
    uint32_t count = 0;
    bool inside = false, items = false;
    for (uint32_t i = first; i < w->count; i++) {
        const label_model *label = &labels[w->labels[i]];
        const bool was_items = items, is_named = label->text[0] == '.' || strcmp(label->text, "[\"k\"]") == 0;
        inside = (label->flags & HSC_LABEL_FOLD) != 0 || (inside && is_internal(g, w->nodes[i]));
        items = inside && (items || (label->text[0] != 0 && label->text[0] != '<'));
        if (inside && i + 1 < w->count) continue;
        plain_step step = {.type = type_names[g->types[w->nodes[i]]], .repeat = 1};
        const char *text = was_items && !is_named ? "" : label->text;
        snprintf(step.edge, sizeof step.edge, "%s%s", was_items ? "[*]" : "", text);
        const bool again = count > 0 && strcmp(out[count - 1].edge, step.edge) == 0 && out[count - 1].type == step.type;
        if (again)
            out[count - 1].repeat++;
        else
            out[count++] = step;
    }
    return count;
}

/* A step that is one of the last four leads back to it. */
static void fold_steps(char *text, const plain_step *steps, uint32_t count)
{
    uint32_t kept[MOST_STEPS], length = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t back = 0;
        while (back < 4 && back < length) {
            const plain_step *other = &steps[kept[length - 1 - back]];
            if (strcmp(other->edge, steps[i].edge) == 0 && strcmp(other->type, steps[i].type) == 0) break;
            back++;
        }
        if (back < 4 && back < length)
            length -= back;
        else
            kept[length++] = i;
    }
    for (uint32_t i = 0; i < length; i++)
        append(text, steps[kept[i]].edge, steps[kept[i]].type, 1);
}

static row read_way(const graph *g, const way *w)
{
    plain_step steps[MOST_STEPS];
    row out = {.length = 0};
    uint32_t first = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->nodes[i] >= g->objects) first = i + 1; /* the last root or static on the way */
    snprintf(out.text, sizeof out.text, "%s", g->names[w->nodes[first - 1]]);
    snprintf(out.shown, sizeof out.shown, "%s", g->names[w->nodes[first - 1]]);
    const uint32_t count = steps_of(g, w, first, steps);
    fold_steps(out.text, steps, count);
    for (uint32_t i = 0; i < count; i++)
        append(out.shown, steps[i].edge, steps[i].type, steps[i].repeat);
    out.length = w->count - first;
    return out;
}

typedef struct answer {
    row rows[MOST_ROWS], each[MOST_ROWS]; /* by text; one for each object or reference */
    uint32_t row_count, each_count;
    hsd_amount live, unreached;
} answer;

static void add_row(answer *a, const row *one, uint64_t bytes)
{
    uint32_t at = 0;
    a->each[a->each_count++] = *one;
    while (at < a->row_count && strcmp(a->rows[at].text, one->text) != 0)
        at++;
    if (at == a->row_count) {
        a->rows[a->row_count] = *one;
        a->rows[a->row_count++].amount = (hsd_amount){0, 0};
    }
    row *sum = &a->rows[at];
    sum->amount.objects++;
    sum->amount.bytes += bytes;
    if (one->length < sum->length) sum->length = one->length;
}

static void add_amount(hsd_amount *amount, uint64_t bytes)
{
    amount->objects++;
    amount->bytes += bytes;
}

static answer define_type(const heap *h, const graph *g, uint32_t type)
{
    answer a = {.row_count = 0};
    way best[MOST_NODES];
    find_ways(g, UINT32_MAX, best);
    for (uint32_t i = 0; i < h->object_count; i++) {
        if (h->objects[i].type != type || h->objects[i].is_pseudo) continue;
        add_amount(best[i].count > 0 ? &a.live : &a.unreached, h->objects[i].size);
        if (best[i].count == 0) continue;
        const row one = read_way(g, &best[i]);
        add_row(&a, &one, h->objects[i].size);
    }
    return a;
}

static answer define_id(const heap *h, const graph *g, uint32_t object)
{
    answer a = {.row_count = 0};
    way best[MOST_NODES];
    find_ways(g, UINT32_MAX, best);
    add_amount(best[object].count > 0 ? &a.live : &a.unreached, h->objects[object].size);
    find_ways(g, object, best);
    for (uint32_t source = 0; source < g->nodes; source++) {
        uint32_t label = LABELS;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            if (g->edges[e].source != source || g->edges[e].target != object || source == object) continue;
            if (label == LABELS || compare_labels(g->edges[e].label, label) < 0) label = g->edges[e].label;
        }
        if (label == LABELS || best[source].count == 0) continue;
        way longer = best[source];
        longer.nodes[longer.count] = object;
        longer.labels[longer.count++] = label;
        const row one = read_way(g, &longer);
        add_row(&a, &one, 0);
    }
    return a;
}

/* ---- what the product says ---- */

static row read_row(const hsd_path_row *r)
{
    row out = {.length = r->length, .amount = r->objects};
    snprintf(out.text, sizeof out.text, "%s", r->root.data);
    snprintf(out.shown, sizeof out.shown, "%s", r->root.data);
    plain_step steps[MOST_STEPS];
    cr_assert_eq(r->step_cut, 0);
    cr_assert_leq(r->step_count, MOST_STEPS);
    for (size_t i = 0; i < r->step_count; i++) {
        steps[i] = (plain_step){.type = r->steps[i].type.data, .repeat = r->steps[i].repeat};
        snprintf(steps[i].edge, sizeof steps[i].edge, "%s", r->steps[i].edge.data);
        append(out.shown, r->steps[i].edge.data, r->steps[i].type.data, r->steps[i].repeat);
    }
    fold_steps(out.text, steps, (uint32_t)r->step_count);
    return out;
}

/* The path shown is that of one of the shortest. */
static bool is_shown(const answer *wanted, const row *found)
{
    for (uint32_t i = 0; i < wanted->each_count; i++) {
        const row *one = &wanted->each[i];
        if (one->length == found->length && strcmp(one->shown, found->shown) == 0) return true;
    }
    return false;
}

static void expect_row(const answer *wanted, const row *found, unsigned long seed)
{
    for (uint32_t i = 0; i < wanted->row_count; i++) {
        const row *other = &wanted->rows[i];
        if (strcmp(other->text, found->text) != 0) continue;
        cr_assert_eq(found->length, other->length, "seed %lu %s", seed, other->text);
        cr_assert_eq(found->amount.objects, other->amount.objects, "seed %lu %s", seed, other->text);
        cr_assert_eq(found->amount.bytes, other->amount.bytes, "seed %lu %s", seed, other->text);
        cr_assert(is_shown(wanted, found), "seed %lu %s", seed, found->shown);
        return;
    }
    cr_assert_fail("seed %lu: nothing reads %s", seed, found->text);
}

static bool is_in_order(const hsd_path_row *a, const hsd_path_row *b)
{
    if (a->length != b->length) return a->length < b->length;
    if (a->objects.bytes != b->objects.bytes) return a->objects.bytes > b->objects.bytes;
    return a->objects.objects >= b->objects.objects;
}

static bool is_same(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

static void expect_answer(const hsd_paths *found, const answer *wanted, unsigned long seed)
{
    cr_assert_eq(found->row_count, wanted->row_count, "seed %lu: %zu rows, not %u", seed, found->row_count,
                 wanted->row_count);
    cr_assert(is_same(found->live, wanted->live), "seed %lu", seed);
    cr_assert(is_same(found->unreached, wanted->unreached), "seed %lu", seed);
    for (size_t i = 0; i < found->row_count; i++) {
        const row one = read_row(&found->rows[i]);
        expect_row(wanted, &one, seed);
        cr_assert(i == 0 || is_in_order(&found->rows[i - 1], &found->rows[i]), "seed %lu", seed);
    }
    cr_assert_eq(found->others.objects, 0);
    cr_assert_eq(found->other_rows, 0);
}

static hsd_paths *ask(const hsd_paths_options *options, uint64_t memory)
{
    const hsd_run run = {.memory_bytes = memory, .threads = 1};
    hsd_capture *capture = open_capture(&run);
    hsd_paths *paths;
    cr_assert_eq(hsd_paths_run(&paths, capture, options, &run, &err), HSD_OK, "%s", err.text);
    hsd_capture_close(capture);
    return paths;
}

static bool has_type(const heap *h, uint32_t type)
{
    for (uint32_t i = 0; i < h->object_count; i++)
        if (h->objects[i].type == type && !h->objects[i].is_pseudo) return true;
    return false;
}

static void shuffle(uint32_t *order, uint32_t count, test_random *random)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        const uint32_t j = (uint32_t)test_below(random, i), swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

static bool has_references(const heap *h, bool by_ordinal)
{
    for (uint32_t i = 0; i < h->object_count; i++)
        for (uint32_t j = 0; j < h->objects[i].reference_count; j++)
            if (!by_ordinal || h->objects[i].references[j].target < h->object_count) return true;
    return false;
}

static void check_heap(uint64_t seed)
{
    test_random random = {seed};
    uint32_t order[MOST_OBJECTS];
    const heap h = random_heap(&random);
    const graph g = graph_of(&h);
    const bool by_ordinal = test_below(&random, 2) == 0;
    const uint64_t memory = UINT64_C(20) << (20 + test_below(&random, 4));
    if (!has_references(&h, by_ordinal)) return;
    shuffle(order, h.object_count, &random);
    write_heap(&h, order, by_ordinal);
    const uint32_t type = (uint32_t)test_below(&random, TYPES);
    const uint32_t object = (uint32_t)test_below(&random, h.object_count);
    if (has_type(&h, type)) {
        const answer wanted = define_type(&h, &g, type);
        hsd_paths *found = ask(&(hsd_paths_options){.type = type_names[type], .most = 100}, memory);
        expect_answer(found, &wanted, (unsigned long)seed);
        hsd_paths_free(found);
    }
    const answer wanted = define_id(&h, &g, object);
    hsd_paths *found = ask(&(hsd_paths_options){.is_id = true, .id = h.objects[object].id, .most = 100}, memory);
    expect_answer(found, &wanted, (unsigned long)seed);
    hsd_paths_free(found);
}

Test(paths, equal_their_definition_on_random_heaps)
{
    const uint64_t seed = test_seed(71);
    for (uint64_t i = 0; i < HEAPS; i++)
        check_heap(seed + i);
}
