/*
 * One side of a diff, from a capture to the records of its dominator tree, against the definition: d dominates
 * v if v cannot be reached without d. Random small heaps with labels of every kind, secondary roots, pseudo
 * objects and parts, written in every form.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "side_kit.h"
#include "support/random.h"
#include "walk/fold.h"
#include "walk/tree.h"
#include <hscapture/hscapture.h>

enum { OBJECTS = 24, REFERENCES = 4, ROOTS = 5, NODES = OBJECTS + OBJECTS * REFERENCES + 2 * 3 };

/* ---- heaps ---- */

typedef struct reference {
    uint32_t target; /* object, or OBJECTS: none */
    int label;
} reference;

typedef struct object {
    uint32_t type, reference_count, order;
    bool is_pseudo;
    reference references[REFERENCES];
} object;

typedef struct root {
    uint32_t target, name; /* "r<name>" */
    bool is_secondary;
} root;

typedef struct heap {
    uint32_t object_count, root_count;
    object objects[OBJECTS];
    root roots[ROOTS];
    bool by_ordinal, edges_apart, tables_last, roots_reversed;
} heap;

static heap random_heap(test_random *random)
{
    heap h = {.object_count = 1 + (uint32_t)test_below(random, OBJECTS),
              .root_count = 1 + (uint32_t)test_below(random, ROOTS)};
    for (uint32_t i = 0; i < h.object_count; i++) {
        object *o = &h.objects[i];
        *o = (object){.type = (uint32_t)test_below(random, 5),
                      .order = i,
                      .is_pseudo = test_below(random, 10) == 0,
                      .reference_count = (uint32_t)test_below(random, REFERENCES + 1)};
        for (uint32_t r = 0; r < o->reference_count; r++) {
            const uint64_t near =
                test_below(random, 3) == 0 ? test_below(random, OBJECTS) : i + 1 + test_below(random, 3);
            o->references[r] = (reference){near < h.object_count ? (uint32_t)near : OBJECTS,
                                           (int)test_below(random, KIT_LABELS + 1) - 1};
        }
    }
    for (uint32_t i = 0; i < h.root_count; i++) {
        const uint32_t target = (uint32_t)test_below(random, h.object_count + 1);
        h.roots[i] = (root){target < h.object_count ? target : OBJECTS, (uint32_t)test_below(random, 3),
                            test_below(random, 3) == 0};
    }
    for (uint32_t i = h.object_count; i > 1; i--) { /* places in the file */
        const uint32_t other = (uint32_t)test_below(random, i), keep = h.objects[i - 1].order;
        h.objects[i - 1].order = h.objects[other].order;
        h.objects[other].order = keep;
    }
    h.by_ordinal = test_below(random, 2) == 0;
    h.edges_apart = test_below(random, 3) == 0;
    h.tables_last = test_below(random, 2) == 0;
    h.roots_reversed = test_below(random, 2) == 0;
    return h;
}

TestSuite(side, .init = kit_setup, .fini = kit_teardown);

/* ---- captures ---- */

static void good(hsc_status status) { cr_assert_eq(status, HSC_OK); }

static uint64_t number_of(const heap *h, uint32_t i)
{
    if (i == OBJECTS) return 0xdead;
    return h->by_ordinal ? h->objects[i].order : UINT64_C(0x7000) + i * UINT64_C(0x100000001);
}

static bool is_apart(const heap *h, const reference *r) { return h->edges_apart && r->label != KIT_NAMED; }

static void write_object(hsc_writer *w, const heap *h, uint32_t i)
{
    const object *o = &h->objects[i];
    const hsc_object record = {.id = UINT64_C(0x7000) + i * UINT64_C(0x100000001),
                               .type = o->type + 1,
                               .size_bytes = 8 * i + 8,
                               .flags = o->is_pseudo ? HSC_OBJECT_PSEUDO : 0};
    good(hsc_begin_object(w, &record));
    for (uint32_t r = 0; r < o->reference_count; r++) {
        const reference *to = &o->references[r];
        if (!is_apart(h, to)) good(hsc_reference(w, number_of(h, to->target), (uint32_t)(to->label + 1), 0));
    }
    good(hsc_end_object(w));
}

static void write_edges(hsc_writer *w, const heap *h, uint32_t i)
{
    for (uint32_t r = 0; r < h->objects[i].reference_count; r++) {
        const reference *to = &h->objects[i].references[r];
        if (is_apart(h, to)) good(hsc_edge(w, number_of(h, i), number_of(h, to->target), (uint32_t)(to->label + 1), 0));
    }
}

static void write_heap(const heap *h)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    options.identity = HSC_IDENTITY_EXACT;
    options.targets_are_ordinals = h->by_ordinal;
    remove(kit_path);
    good(hsc_open_file(&w, kit_path, &options));
    if (!h->tables_last) kit_write_tables(w);
    for (uint32_t at = 0; at < h->object_count; at++) {
        for (uint32_t i = 0; i < h->object_count; i++) {
            if (h->objects[i].order == at) write_object(w, h, i);
        }
    }
    for (uint32_t i = 0; i < h->object_count; i++)
        write_edges(w, h, i);
    for (uint32_t i = 0; i < h->root_count; i++) {
        const root *r = &h->roots[h->roots_reversed ? h->root_count - 1 - i : i];
        good(hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_STACK,
                                            .target = number_of(h, r->target),
                                            .label = KIT_ROOT_STRING + r->name,
                                            .flags = r->is_secondary ? HSC_ROOT_SECONDARY : 0}));
    }
    if (h->tables_last) kit_write_tables(w);
    good(hsc_finish(w));
    hsc_close(w);
}

/* ---- the definition ---- */

typedef struct edge {
    uint32_t source, target;
    const char *text;
    bool is_soft;
} edge;

typedef struct graph { /* objects, label nodes, root nodes */
    uint32_t node_count, edge_count;
    edge edges[2 * NODES + ROOTS];
    char names[NODES][16];        /* of label nodes and root nodes; "" = none such */
    uint8_t round_of_root[NODES]; /* 1 primary, 2 secondary */
    uint8_t round[NODES];         /* in which a node is reached; 0 = in none */
} graph;

static void add_edge(graph *g, uint32_t source, uint32_t target, const char *text, bool is_soft)
{
    g->edges[g->edge_count++] = (edge){source, target, text, is_soft};
}

static void add_reference(graph *g, const heap *h, uint32_t i, const reference *r)
{
    const kit_label *l = r->label < 0 ? NULL : &kit_labels[r->label];
    const bool is_soft = l != NULL && (l->flags & HSC_STRENGTH_MASK) == HSC_STRENGTH_SOFT;
    if (r->label == KIT_WEAK) return;
    if (r->label != KIT_NAMED) {
        if (r->target != OBJECTS) add_edge(g, i, r->target, l == NULL ? "" : l->text, is_soft);
        return;
    }
    const uint32_t node = g->node_count++;
    snprintf(g->names[node], sizeof g->names[node], "T%u.n", h->objects[i].type);
    add_edge(g, i, node, l->text, false);
    if (r->target != OBJECTS) add_edge(g, node, r->target, "", false);
}

static void add_root(graph *g, const root *r)
{
    char name[16];
    uint32_t node = 0;
    snprintf(name, sizeof name, "r%u", r->name);
    const uint8_t round = r->is_secondary ? 2 : 1;
    while (node < g->node_count && (g->round_of_root[node] != round || strcmp(g->names[node], name) != 0))
        node++;
    if (node == g->node_count) {
        snprintf(g->names[g->node_count], sizeof g->names[0], "%s", name);
        g->round_of_root[g->node_count++] = round;
    }
    if (r->target != OBJECTS) add_edge(g, node, r->target, "", false);
}

/* Nodes that the roots of a round reach, without `gone` and over nodes of no earlier round. */
static void reach(const graph *g, uint8_t round, uint32_t gone, bool strong_only, bool reached[NODES])
{
    bool has_changed = true;
    memset(reached, 0, NODES);
    for (uint32_t i = 0; i < g->node_count; i++)
        reached[i] = g->round_of_root[i] == round && i != gone;
    while (has_changed) {
        has_changed = false;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const edge *x = &g->edges[e];
            if (!reached[x->source] || reached[x->target] || x->target == gone) continue;
            if (g->round[x->target] != 0 && g->round[x->target] < round) continue;
            if (strong_only && x->is_soft) continue;
            reached[x->target] = has_changed = true;
        }
    }
}

static graph graph_of(const heap *h)
{
    graph g = {.node_count = OBJECTS};
    bool reached[NODES];
    for (uint32_t i = 0; i < h->object_count; i++) {
        for (uint32_t r = 0; r < h->objects[i].reference_count; r++)
            add_reference(&g, h, i, &h->objects[i].references[r]);
    }
    for (uint32_t i = 0; i < h->root_count; i++)
        add_root(&g, &h->roots[i]);
    for (uint8_t round = 1; round <= 2; round++) {
        reach(&g, round, NODES, false, reached);
        for (uint32_t i = 0; i < g.node_count; i++) {
            if (reached[i] && g.round[i] == 0) g.round[i] = round;
        }
    }
    return g;
}

typedef struct truth {
    graph g;
    bool dominates[NODES][NODES]; /* strictly */
    uint32_t depth[NODES];        /* how many dominate it */
    bool is_soft[NODES];
} truth;

static truth *truth_of(const heap *h)
{
    truth *t = calloc(1, sizeof *t);
    bool reached[NODES], strong[2][NODES];
    t->g = graph_of(h);
    for (uint32_t d = 0; d < t->g.node_count; d++) {
        if (t->g.round[d] == 0) continue;
        reach(&t->g, t->g.round[d], d, false, reached);
        for (uint32_t v = 0; v < t->g.node_count; v++) {
            t->dominates[d][v] = v != d && t->g.round[v] == t->g.round[d] && !reached[v];
            t->depth[v] += t->dominates[d][v];
        }
    }
    graph all = t->g; /* what lives strongly does so by any root */
    memset(all.round, 0, sizeof all.round);
    for (uint8_t round = 1; round <= 2; round++)
        reach(&all, round, NODES, true, strong[round - 1]);
    for (uint32_t v = 0; v < t->g.node_count; v++)
        t->is_soft[v] = t->g.round[v] != 0 && !strong[0][v] && !strong[1][v];
    return t;
}

/* The least name of a reference from the immediate dominator, strong ones first; NULL = there is none. */
static const char *edge_of(const truth *t, uint32_t v)
{
    const edge *best = NULL;
    for (uint32_t e = 0; e < t->g.edge_count; e++) {
        const edge *x = &t->g.edges[e];
        if (x->target != v || !t->dominates[x->source][v] || t->depth[x->source] + 1 != t->depth[v]) continue;
        if (best == NULL || x->is_soft < best->is_soft ||
            (x->is_soft == best->is_soft && strcmp(x->text, best->text) < 0))
            best = x;
    }
    return best == NULL ? NULL : best->text;
}

/* ---- both together ---- */

typedef struct found {
    hsd_tree_node objects[OBJECTS];
    bool is_there[OBJECTS];
    hsd_tree_node owners[NODES];
    uint32_t owner_count;
    uint64_t bytes;
} found;

static uint32_t object_at(const heap *h, hsd_node ordinal)
{
    for (uint32_t i = 0; i < h->object_count; i++) {
        if (h->objects[i].order == ordinal) return i;
    }
    return OBJECTS;
}

static found read_tree(kit_side *o, const heap *h)
{
    found f = {.bytes = 0};
    const uint64_t *record;
    cr_assert_eq(hsd_sorter_rewind(o->side.tree, &kit_err), HSD_OK);
    while (hsd_sorter_next(o->side.tree, &record, &kit_err) == HSD_OK) {
        const hsd_tree_node node = hsd_tree_read(record);
        f.bytes += node.bytes;
        if (node.flags & HSD_TREE_IS_ROOT) {
            f.owners[f.owner_count++] = node;
        } else {
            const uint32_t i = object_at(h, node.node);
            cr_assert(i < OBJECTS && !f.is_there[i]);
            f.is_there[i] = true;
            f.objects[i] = node;
        }
    }
    return f;
}

static bool contains(const hsd_tree_node *a, const hsd_tree_node *b) { return a->first < b->first && b->end <= a->end; }

static void check_object(const kit_side *o, const heap *h, const truth *t, const found *f, uint32_t i,
                         unsigned long seed)
{
    const hsd_tree_node *node = &f->objects[i];
    const char *text = edge_of(t, i);
    const hsd_bytes type = hsd_names_get(&o->types.names, node->type);
    cr_assert(t->g.round[i] != 0 && !h->objects[i].is_pseudo, "seed %lu object %u", seed, i);
    cr_assert_eq(type.data[1], '0' + h->objects[i].type);
    cr_assert_eq((node->flags & HSD_TREE_IS_SOFT) != 0, t->is_soft[i], "seed %lu object %u is %ssoft", seed, i,
                 t->is_soft[i] ? "" : "not ");
    cr_assert_eq(node->edge == HSD_TREE_INDIRECT, text == NULL, "seed %lu object %u", seed, i);
    if (text != NULL)
        cr_assert_str_eq((const char *)hsd_edge_text(&o->edges, node->edge).data, text, "seed %lu object %u", seed, i);
    for (uint32_t v = 0; v < h->object_count; v++) {
        if (!f->is_there[v] || v == i) continue;
        cr_assert_eq(contains(node, &f->objects[v]), t->dominates[i][v], "seed %lu: %u over %u", seed, i, v);
    }
}

static void check_objects(const kit_side *o, const heap *h, const truth *t, const found *f, unsigned long seed)
{
    hsd_amount live = {0, 0}, soft = {0, 0};
    uint64_t records = 0;
    for (uint32_t i = 0; i < o->types.names.count; i++) {
        live.objects += o->side.counts->live_by_type[i].objects;
        live.bytes += o->side.counts->live_by_type[i].bytes;
    }
    for (uint32_t i = 0; i < h->object_count; i++) {
        const bool may_be_folded = h->objects[i].type == KIT_PART_TYPE;
        if (f->is_there[i]) {
            records++;
            check_object(o, h, t, f, i, seed);
            if (t->is_soft[i]) hsd_amount_add(&soft, f->objects[i].bytes);
        } else {
            cr_assert(t->g.round[i] == 0 || h->objects[i].is_pseudo || may_be_folded, "seed %lu object %u", seed, i);
        }
    }
    cr_assert_eq(records, live.objects, "seed %lu", seed);
    cr_assert_eq(f->bytes, live.bytes, "seed %lu", seed);
    cr_assert(soft.objects == o->side.soft.objects && soft.bytes == o->side.soft.bytes, "seed %lu", seed);
}

/* What a label node or root node holds, as bits of objects. */
static uint64_t held_by(const found *f, const hsd_tree_node *owner)
{
    uint64_t held = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        if (f->is_there[i] && contains(owner, &f->objects[i])) held |= UINT64_C(1) << i;
    }
    return held;
}

/* Each label node and root node that is reached has its one record, with its name and what it holds. */
static void check_owners(const kit_side *o, const truth *t, const found *f, unsigned long seed)
{
    bool is_taken[NODES] = {false};
    uint32_t wanted = 0;
    for (uint32_t n = OBJECTS; n < t->g.node_count; n++) {
        uint64_t held = 0;
        uint32_t at = 0;
        if (t->g.round[n] == 0) continue;
        wanted++;
        for (uint32_t i = 0; i < OBJECTS; i++) {
            if (f->is_there[i] && t->dominates[n][i]) held |= UINT64_C(1) << i;
        }
        for (; at < f->owner_count; at++) {
            const hsd_bytes name = hsd_names_get(&o->side.roots.names, f->owners[at].type);
            if (!is_taken[at] && held_by(f, &f->owners[at]) == held &&
                strcmp((const char *)name.data, t->g.names[n]) == 0)
                break;
        }
        cr_assert_lt(at, f->owner_count, "seed %lu: no record of %s", seed, t->g.names[n]);
        is_taken[at] = true;
    }
    cr_assert_eq(wanted, f->owner_count, "seed %lu", seed);
}

static void check_types(kit_side *o, const heap *h)
{
    cr_assert(o->side.has_types_of);
    for (uint32_t i = 0; i < h->object_count; i++) {
        const uint32_t type = hsd_paged_get_u32(&o->side.types_of, h->objects[i].order);
        cr_assert_eq(hsd_names_get(&o->types.names, type).data[1], '0' + h->objects[i].type);
    }
}

/* Root nodes: each name once a standing, primary ones first, in order of the names. */
static void check_root_nodes(const kit_side *o)
{
    const hsd_side_walk *side = &o->side;
    for (hsd_node n = side->root_span.begin; n < side->root_span.end; n++) {
        const hsd_root_node *node = &side->root_nodes[n - side->root_span.begin];
        cr_assert_eq(node->is_secondary, n >= side->root_span.second);
        cr_assert_eq(node->root, side->name_of_node[n - side->object_count]);
        if (n == side->root_span.begin || n == side->root_span.second) continue;
        cr_assert_lt(strcmp((const char *)hsd_names_get(&side->roots.names, node[-1].root).data,
                            (const char *)hsd_names_get(&side->roots.names, node->root).data),
                     0);
    }
}

static bool has_graph(const heap *h)
{
    for (uint32_t i = 0; i < h->object_count; i++) {
        if (h->objects[i].reference_count > 0) return true;
    }
    return false;
}

Test(side, gives_every_live_object_its_place_and_the_name_that_leads_there)
{
    for (uint64_t i = 0; i < 400; i++) {
        test_random random = {test_seed(900) + i};
        const heap h = random_heap(&random);
        const unsigned long seed = (unsigned long)(test_seed(900) + i);
        kit_side o;
        if (!has_graph(&h)) continue;
        write_heap(&h);
        const uint64_t bytes = UINT64_C(1) << (20 + test_below(&random, 3));
        kit_open(&o, bytes, i % 2 == 0);
        cr_assert_eq(kit_walk(&o), HSD_OK, "seed %lu: %s", seed, kit_err.text);
        truth *t = truth_of(&h);
        const found f = read_tree(&o, &h);
        check_objects(&o, &h, t, &f, seed);
        check_owners(&o, t, &f, seed);
        check_types(&o, &h);
        check_root_nodes(&o);
        free(t);
        kit_release(&o);
        cr_assert_eq(kit_space.bytes_now, 0);
    }
}
