/*
 * The dominator tree by its definition: d dominates v if v is reached, and is not when d is taken away. What
 * primary roots reach is dominated by what stands on all ways from them alone; the rest by what stands on all ways from
 * the secondary ones.
 */
#include "oracle_view.h"

#include <stdio.h>
#include <string.h>

static void add_edge(oracle_view *v, int from, int to, const char *text, bool is_soft)
{
    v->edges[v->edge_count++] = (oracle_edge){.from = from, .to = to, .text = text, .is_soft = is_soft};
}

static const char *text_of(model_label label)
{
    if (label == MODEL_ANOTHER) return ".another";
    if (label == MODEL_ITEM) return "[*]";
    return label == MODEL_FOLD ? ".inside" : ".field";
}

static int add_node(oracle_view *v, const char *name)
{
    oracle_node *node = &v->nodes[v->node_count];
    memset(node, 0, sizeof *node);
    snprintf(node->name, sizeof node->name, "%s", name);
    return v->node_count++;
}

static void add_references(oracle_view *v, int from, const model_object *object)
{
    for (uint32_t r = 0; r < object->reference_count; r++) {
        const model_reference *reference = &object->references[r];
        const int to = oracle_find(v->heap, reference->target);
        char name[ORACLE_NAME];
        if (reference->label == MODEL_WEAK || (to < 0 && !v->is_dangling_kept)) continue;
        if (!oracle_names_root(reference->label)) {
            if (to < 0) continue;
            add_edge(v, from, to, text_of(reference->label), reference->label == MODEL_SOFT);
            continue;
        }
        oracle_label_name(object, reference->label, name);
        const int node = add_node(v, name);
        add_edge(v, from, node, ".field", false);
        if (to >= 0) add_edge(v, node, to, "", false);
    }
}

/* Root nodes of one standing, one for each name; their numbers are marked in `is_root`. */
static void add_roots(oracle_view *v, bool is_secondary, bool *is_root)
{
    for (uint32_t name = 0; name < MODEL_ROOT_NAMES; name++) {
        int node = ORACLE_NOBODY;
        for (uint32_t i = 0; i < v->heap->root_count; i++) {
            const model_root *root = &v->heap->roots[i];
            const int to = oracle_find(v->heap, root->target);
            char text[ORACLE_NAME];
            if (root->name != name || root->is_secondary != is_secondary) continue;
            if (to < 0 && !v->is_dangling_kept) continue;
            oracle_root_name(root, text);
            if (node == ORACLE_NOBODY) node = add_node(v, text);
            is_root[node] = true;
            if (to >= 0) add_edge(v, node, to, "", false);
        }
    }
}

/* What is reached from the marked roots without `missing`. */
static void reach(const oracle_view *v, const bool *is_root, int missing, bool *reached)
{
    for (int i = 0; i < v->node_count; i++)
        reached[i] = is_root[i] && i != missing;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < v->edge_count; i++) {
            const oracle_edge *edge = &v->edges[i];
            if (reached[edge->from] && !reached[edge->to] && edge->to != missing) reached[edge->to] = changed = true;
        }
    }
}

static void find_dominators(oracle_view *v, const bool *primary, const bool *secondary)
{
    bool first[ORACLE_MAX_NODES], second[ORACLE_MAX_NODES];
    reach(v, primary, ORACLE_NOBODY, first);
    reach(v, secondary, ORACLE_NOBODY, second);
    for (int i = 0; i < v->node_count; i++) {
        v->nodes[i].is_first = first[i];
        v->nodes[i].is_live = first[i] || second[i];
    }
    for (int d = 0; d < v->node_count; d++) {
        memset(v->dominates[d], 0, sizeof v->dominates[d]);
        if (!v->nodes[d].is_live) continue;
        reach(v, primary, d, first);
        reach(v, secondary, d, second);
        for (int i = 0; i < v->node_count; i++) {
            const oracle_node *node = &v->nodes[i];
            v->dominates[d][i] = node->is_live && !(node->is_first ? first[i] : second[i]);
            v->nodes[i].dominators += v->dominates[d][i];
        }
    }
}

/* Of the nodes above v the one that has the most above itself, among all or among those that are shown. */
static int nearest(const oracle_view *v, int node, bool only_shown)
{
    int best = ORACLE_NOBODY;
    for (int d = 0; d < v->node_count; d++) {
        if (d == node || !v->dominates[d][node]) continue;
        if (only_shown && v->nodes[d].is_object && !v->counts[d]) continue;
        if (best == ORACLE_NOBODY || v->nodes[d].dominators > v->nodes[best].dominators) best = d;
    }
    return best;
}

static bool is_lesser(const oracle_edge *a, const oracle_edge *b)
{
    if (a->is_soft != b->is_soft) return b->is_soft;
    return strcmp(a->text, b->text) < 0;
}

static void name_edge(oracle_view *v, int node)
{
    const int above = nearest(v, node, false);
    const oracle_edge *best = NULL;
    for (int i = 0; i < v->edge_count && above != ORACLE_NOBODY; i++) {
        const oracle_edge *edge = &v->edges[i];
        if (edge->from == above && edge->to == node && (best == NULL || is_lesser(edge, best))) best = edge;
    }
    const bool is_nameless = best == NULL || best->text[0] == 0 || !v->nodes[node].is_object;
    v->nodes[node].is_apart = best == NULL;
    snprintf(v->nodes[node].edge, sizeof v->nodes[node].edge, "%s", is_nameless ? "-" : best->text);
}

void oracle_look_tree(oracle_view *v)
{
    static bool primary[ORACLE_MAX_NODES], secondary[ORACLE_MAX_NODES];
    memset(primary, 0, sizeof primary);
    memset(secondary, 0, sizeof secondary);
    v->node_count = v->edge_count = 0;
    for (uint32_t i = 0; i < v->heap->object_count; i++)
        v->nodes[add_node(v, "")].is_object = true;
    for (uint32_t i = 0; i < v->heap->object_count; i++)
        add_references(v, (int)i, &v->heap->objects[i]);
    add_roots(v, false, primary);
    add_roots(v, true, secondary);
    find_dominators(v, primary, secondary);
    for (int i = 0; i < v->node_count; i++) {
        if (!v->nodes[i].is_live) continue;
        v->nodes[i].parent = nearest(v, i, true);
        name_edge(v, i);
    }
}
