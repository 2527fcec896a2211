/*
 * Path texts: what a reader is shown of a path. Examples as they come from real heaps; then random chains against the
 * rule taken literally, with the whole path in an array; then depth.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "paths/path_find.h"
#include "paths/path_text.h"
#include "support/random.h"
#include <hscapture/hscapture.h>

/* ---- a side made by hand ---- */

enum { EDGE_NONE, EDGE_ITEM, EDGE_NEXT, EDGE_TABLE, EDGE_VALUE, EDGE_CONTEXT, EDGE_ELEMENTS, EDGE_ENTRY, EDGES };
enum { TYPE_UNDEFINED, TYPE_MAP, TYPE_NODES, TYPE_NODE, TYPE_SESSION, TYPE_LIST, TYPE_ARRAY, TYPE_CLOSURE, TYPES };
enum { ROOT_SHARED, ROOT_OTHER, ROOT_STACK, ROOT_STATIC, ROOTS };

typedef struct edge_model {
    const char *text;
    bool is_fold;
} edge_model;
typedef struct type_model {
    const char *name;
    uint32_t flags;
} type_model;

static const edge_model edges[EDGES] = {
    {"", false},       {"[*]", false},      {".next", true},      {".table", true},
    {".value", false}, {"<context>", true}, {"<elements>", true}, {"[\"k\"]", false},
};
static const type_model types[TYPES] = {
    {"(undefined type)", 0},
    {"HashMap", 0},
    {"Node[]", HSC_TYPE_INTERNAL},
    {"Node", HSC_TYPE_INTERNAL},
    {"Session", 0},
    {"List", 0},
    {"Object[]", 0},
    {"Closure", 0},
};
static const char *const root_names[ROOTS] = {"(shared)", "(other roots)", "main", "static Cache.map"};

static hsd_temp_space space;
static hsd_error err;
static hsd_walk_request request;
static hsd_side_walk side;
static hsd_type_names type_names;
static hsd_edge_names edge_names;
static hsd_bytes edge_texts[EDGES];
static uint8_t edge_folds[EDGES], root_kinds[ROOTS] = {0, 0, HSC_ROOT_STACK, HSC_ROOT_STATIC};
static const hsd_capture_info info = {.path = "made by hand"};
static hsd_root_node root_node = {.root = ROOT_STACK, .kind = HSC_ROOT_STACK};
static uint32_t name_of_node[2] = {ROOT_STATIC, ROOT_STACK}; /* one label node, one root node */
static hsd_arena arena;
static hsd_shortest shortest;
static hsd_path_texts *texts;

static hsd_bytes bytes(const char *text) { return (hsd_bytes){(const uint8_t *)text, strlen(text)}; }

static void setup(void)
{
    uint32_t number;
    static uint32_t flags[TYPES];
    hsd_temp_space_init(&space, NULL);
    hsd_error_init(&err);
    memset(&request, 0, sizeof request);
    memset(&side, 0, sizeof side);
    memset(&type_names, 0, sizeof type_names);
    for (uint32_t i = 0; i < TYPES; i++) {
        cr_assert_eq(hsd_names_put(&type_names.names, bytes(types[i].name), &number, &err), HSD_OK);
        flags[i] = types[i].flags;
    }
    for (uint32_t i = 0; i < ROOTS; i++)
        cr_assert_eq(hsd_names_put(&side.roots.names, bytes(root_names[i]), &number, &err), HSD_OK);
    for (uint32_t i = 0; i < EDGES; i++) {
        edge_texts[i] = bytes(edges[i].text);
        edge_folds[i] = edges[i].is_fold;
    }
    type_names.flags = flags;
    edge_names = (hsd_edge_names){.texts = edge_texts, .is_fold = edge_folds, .count = EDGES};
    side.info = &info;
    side.request = &request;
    request.space = &space;
    request.type_names = &type_names;
    request.edge_names = &edge_names;
    side.roots.kinds = root_kinds;
    side.name_of_node = name_of_node;
    side.root_nodes = &root_node;
    request.plan.adjacency_bytes = request.plan.name_bytes = UINT64_C(8) << 20;
}

static void teardown(void)
{
    hsd_path_texts_free(texts);
    hsd_shortest_close(&shortest);
    hsd_adjacency_free(side.adjacency);
    hsd_paged_close(&side.types_of);
    hsd_names_release(&side.roots.names);
    hsd_names_release(&type_names.names);
    hsd_arena_release(&arena);
    memset(&request, 0, sizeof request);
    memset(&side, 0, sizeof side);
    memset(&shortest, 0, sizeof shortest);
    memset(&arena, 0, sizeof arena);
    texts = NULL;
}

TestSuite(path_text, .init = setup, .fini = teardown);

/* A chain: the root refers to node 0, node i to i + 1 by edge[i + 1]; label_at: in front of that node stands the label
 * node. */
static void make_chain(const uint32_t *edge_to, const uint32_t *type_of, hsd_node count, hsd_node label_at)
{
    const uint32_t none = EDGE_NONE;
    const hsd_node label = count, root = count + 1;
    hsd_adjacency *a;
    side.object_count = count;
    side.node_count = root + 1;
    side.root_span = (hsd_root_nodes){root, root + 1, root + 1, 0, 0};
    cr_assert_eq(hsd_paged_open(&side.types_of, (uint64_t)count * 4, UINT64_C(256) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_begin(&a, UINT64_C(256) << 20, &space, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_with_names(a, UINT64_C(256) << 20, &err), HSD_OK);
    for (hsd_node i = 0; i < count; i++) {
        const hsd_node target = i + 1 == label_at ? label : i + 1;
        hsd_paged_set_u32(&side.types_of, i, type_of[i]);
        if (i + 1 < count) cr_assert_eq(hsd_adjacency_add(a, i, &target, &edge_to[i + 1], 1, &err), HSD_OK);
    }
    if (label_at < count) cr_assert_eq(hsd_adjacency_add(a, label, &label_at, &none, 1, &err), HSD_OK);
    const hsd_node first = 0;
    cr_assert_eq(hsd_adjacency_add(a, root, &first, &edge_to[0], 1, &err), HSD_OK);
    cr_assert_eq(hsd_adjacency_finish(a, root + 1, &err), HSD_OK);
    side.adjacency = a;
    request.plan.path_bytes = hsd_shortest_useful_bytes(root + 1);
    cr_assert_eq(hsd_path_find(&shortest, &side, NULL, 0, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(hsd_path_texts_new(&texts, &shortest, &side, &arena, &err), HSD_OK);
}

/* "root, edge type xN, edge type" */
static const char *shown(hsd_node node)
{
    static char line[8192];
    hsd_path_text path;
    cr_assert_eq(hsd_path_texts_get(texts, node, &path, &err), HSD_OK);
    size_t used = (size_t)snprintf(line, sizeof line, "%s", root_names[path.root]);
    for (size_t i = 0; i < path.step_count; i++) {
        const hsd_step *step = &path.steps[i];
        used += (size_t)snprintf(line + used, sizeof line - used, ", %s%s%s", step->edge.data,
                                 step->edge.size > 0 ? " " : "", step->type.data);
        if (step->repeat > 1) used += (size_t)snprintf(line + used, sizeof line - used, " x%u", step->repeat);
        cr_assert_lt(used, sizeof line);
    }
    return line;
}

#define CHAIN(label_at, edge_to, type_of) make_chain(edge_to, type_of, sizeof edge_to / sizeof edge_to[0], label_at)
#define NOWHERE                           UINT32_MAX

Test(path_text, insides_of_a_map_are_left_out)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_TABLE, EDGE_ITEM, EDGE_NEXT, EDGE_NEXT, EDGE_VALUE, EDGE_VALUE};
    const uint32_t type_of[] = {TYPE_MAP, TYPE_NODES, TYPE_NODE, TYPE_NODE, TYPE_NODE, TYPE_SESSION, TYPE_LIST};
    CHAIN(NOWHERE, edge_to, type_of);
    cr_assert_str_eq(shown(5), "main, HashMap, [*].value Session");
    cr_assert_str_eq(shown(6), "main, HashMap, [*].value Session, .value List");
    cr_assert_str_eq(shown(0), "main, HashMap");
}

Test(path_text, the_object_itself_is_shown_though_it_is_inside)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_TABLE, EDGE_ITEM, EDGE_NEXT};
    const uint32_t type_of[] = {TYPE_MAP, TYPE_NODES, TYPE_NODE, TYPE_NODE};
    CHAIN(NOWHERE, edge_to, type_of);
    cr_assert_str_eq(shown(1), "main, HashMap, .table Node[]");
    cr_assert_str_eq(shown(2), "main, HashMap, [*] Node");
    cr_assert_str_eq(shown(3), "main, HashMap, [*].next Node");
}

Test(path_text, items_of_a_folded_array_of_any_type_read_as_items)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_TABLE, EDGE_ITEM};
    const uint32_t type_of[] = {TYPE_LIST, TYPE_ARRAY, TYPE_SESSION};
    CHAIN(NOWHERE, edge_to, type_of);
    cr_assert_str_eq(shown(2), "main, List, [*] Session");
}

Test(path_text, insides_that_only_the_runtime_names_say_nothing_of_items)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_CONTEXT,  EDGE_VALUE, EDGE_ELEMENTS,
                                EDGE_ITEM, EDGE_ELEMENTS, EDGE_ENTRY};
    const uint32_t type_of[] = {TYPE_CLOSURE, TYPE_NODE, TYPE_LIST, TYPE_NODES, TYPE_SESSION, TYPE_NODES, TYPE_SESSION};
    CHAIN(NOWHERE, edge_to, type_of);
    cr_assert_str_eq(shown(6), "main, Closure, .value List, [*] Session, [\"k\"] Session");
}

Test(path_text, internal_objects_that_no_fold_leads_to_are_shown)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_VALUE, EDGE_VALUE, EDGE_TABLE, EDGE_ENTRY};
    const uint32_t type_of[] = {TYPE_NODE, TYPE_NODES, TYPE_MAP, TYPE_NODES, TYPE_SESSION};
    CHAIN(NOWHERE, edge_to, type_of);
    cr_assert_str_eq(shown(4), "main, Node, .value Node[], .value HashMap, [*][\"k\"] Session");
}

Test(path_text, a_label_node_is_where_the_path_begins)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_VALUE, EDGE_NONE, EDGE_TABLE, EDGE_ITEM};
    const uint32_t type_of[] = {TYPE_CLOSURE, TYPE_LIST, TYPE_MAP, TYPE_NODES, TYPE_SESSION};
    CHAIN(2, edge_to, type_of);
    cr_assert_str_eq(shown(1), "main, Closure, .value List");
    cr_assert_str_eq(shown(4), "static Cache.map, HashMap, [*] Session");
    cr_assert_str_eq(shown(5), "static Cache.map");
    cr_assert_str_eq(shown(6), "main");
    hsd_path_text path;
    cr_assert_eq(hsd_path_texts_get(texts, 4, &path, &err), HSD_OK);
    cr_assert_eq(path.length, 3);
    cr_assert_eq(path.root_kind, HSC_ROOT_STATIC);
}

Test(path_text, what_was_not_reached_has_itself_as_its_only_step)
{
    const uint32_t edge_to[] = {EDGE_NONE, EDGE_VALUE};
    const uint32_t type_of[] = {TYPE_LIST, TYPE_SESSION};
    CHAIN(NOWHERE, edge_to, type_of);
    hsd_shortest_close(&shortest);
    const uint8_t wanted[1] = {1};
    cr_assert_eq(hsd_path_find(&shortest, &side, wanted, 1, &err), HSD_OK);
    cr_assert_str_eq(shown(0), "main, List");
    cr_assert_str_eq(shown(1), "(shared), Session");
}

/* ---- the rule, taken literally ---- */

typedef struct plain_step {
    char edge[32];
    const char *type;
    uint32_t repeat;
} plain_step;

static bool is_internal(uint32_t type) { return (types[type].flags & HSC_TYPE_INTERNAL) != 0; }

static void plain_edge(char *out, size_t size, uint32_t edge, bool is_item)
{
    const char *text = edges[edge].text;
    const bool is_named = text[0] == '.' || (text[0] == '[' && text[1] == '"');
    snprintf(out, size, "%s%s", is_item ? "[*]" : "", is_item && !is_named ? "" : text);
}

static uint32_t plain_path(const uint32_t *edge_to, const uint32_t *type_of, uint32_t count, plain_step *out)
{
    uint32_t steps = 0;
    bool inside = false, items = false;
    for (uint32_t i = 0; i < count; i++) {
        const bool was_item = items;
        inside = edges[edge_to[i]].is_fold || (inside && is_internal(type_of[i]));
        items = inside && (items || (edges[edge_to[i]].text[0] != '<' && edges[edge_to[i]].text[0] != 0));
        if (inside && i + 1 < count) continue;
        plain_step step = {.type = types[type_of[i]].name, .repeat = 1};
        plain_edge(step.edge, sizeof step.edge, edge_to[i], was_item);
        const bool again = steps > 0 && strcmp(out[steps - 1].edge, step.edge) == 0 && out[steps - 1].type == step.type;
        if (again)
            out[steps - 1].repeat++;
        else
            out[steps++] = step;
    }
    return steps;
}

static void expect_steps(const hsd_path_text *path, const plain_step *wanted, uint32_t count, uint64_t seed)
{
    const uint32_t half = HSD_MAX_PATH_STEPS / 2;
    const uint32_t left_out = count > HSD_MAX_PATH_STEPS ? count - HSD_MAX_PATH_STEPS : 0;
    uint64_t cut = 0;
    for (uint32_t i = 0; i < left_out; i++)
        cut += wanted[half + i].repeat;
    cr_assert_eq(path->step_count, count - left_out, "seed %lu", (unsigned long)seed);
    cr_assert_eq(path->step_cut, cut, "seed %lu", (unsigned long)seed);
    for (uint32_t i = 0; i < path->step_count; i++) {
        const plain_step *step = &wanted[left_out > 0 && i >= half ? i + left_out : i];
        cr_assert_str_eq(path->steps[i].edge.data, step->edge, "seed %lu step %u", (unsigned long)seed, i);
        cr_assert_str_eq(path->steps[i].type.data, step->type, "seed %lu step %u", (unsigned long)seed, i);
        cr_assert_eq(path->steps[i].repeat, step->repeat, "seed %lu step %u", (unsigned long)seed, i);
    }
}

static void check_random_chain(uint64_t seed)
{
    enum { MOST = 3000 };
    static uint32_t edge_to[MOST], type_of[MOST];
    static plain_step wanted[MOST];
    test_random random = {seed};
    const uint32_t count = 1 + (uint32_t)test_below(&random, test_below(&random, 4) == 0 ? MOST : 100);
    const uint32_t variety = 1 + (uint32_t)test_below(&random, EDGES);
    for (uint32_t i = 0; i < count; i++) {
        edge_to[i] = i == 0 ? EDGE_NONE : (EDGES - 1 + (uint32_t)test_below(&random, variety)) % EDGES;
        type_of[i] = 1 + (uint32_t)test_below(&random, test_below(&random, 3) == 0 ? 1 : TYPES - 1);
    }
    teardown();
    setup();
    make_chain(edge_to, type_of, count, NOWHERE);
    for (int i = 0; i < 20; i++) { /* later ones meet the milestones of earlier ones */
        hsd_path_text path;
        const uint32_t node = (uint32_t)test_below(&random, count);
        cr_assert_eq(hsd_path_texts_get(texts, node, &path, &err), HSD_OK);
        cr_assert_eq(path.length, node + 1);
        expect_steps(&path, wanted, plain_path(edge_to, type_of, node + 1, wanted), seed);
    }
}

Test(path_text, random_chains_read_as_the_rule_says)
{
    const uint64_t seed = test_seed(61);
    for (uint64_t i = 0; i < 400; i++)
        check_random_chain(seed + i);
}

Test(path_text, a_thousand_paths_through_a_deep_list_cost_one_walk)
{
    enum { DEEP = 600000 };
    static uint32_t edge_to[DEEP], type_of[DEEP];
    for (uint32_t i = 0; i < DEEP; i++) {
        edge_to[i] = i % 3 == 0 ? EDGE_VALUE : EDGE_ENTRY;
        type_of[i] = TYPE_SESSION;
    }
    CHAIN(NOWHERE, edge_to, type_of);
    for (uint32_t i = 0; i < 1000; i++) {
        hsd_path_text path;
        const uint32_t node = DEEP - 1 - i * 599;
        uint64_t steps = 0;
        cr_assert_eq(hsd_path_texts_get(texts, node, &path, &err), HSD_OK);
        cr_assert_eq(path.length, node + 1);
        for (size_t j = 0; j < path.step_count; j++)
            steps += path.steps[j].repeat;
        cr_assert_eq(steps + path.step_cut, path.length);
    }
}
