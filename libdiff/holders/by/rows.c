/*
 * By what a holder holds together, as rows of the result: the first HSD_MAX_CO_HOLDERS, in an order that their texts
 * decide in the end.
 */
#include "holders/growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocators.h"
#include "base/check.h"
#include "base/fail.h"

typedef struct told { /* a row, and what else orders it */
    hsd_co_holder row;
    uint64_t told;
} told;

typedef struct by_rows {
    hsd_growth *growth;
    hsd_growth_texts *names;
    hsd_path_texts *texts;
    hsd_growth_chosen chosen; /* to find the rows of those that hold alone, too */
} by_rows;

static int compare_u64(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

int hsd_steps_compare(const hsd_step *a, size_t a_count, const hsd_step *b, size_t b_count)
{
    for (size_t i = 0; i < a_count && i < b_count; i++) {
        int order = hsd_store_compare(a[i].edge, b[i].edge);
        if (order == 0) order = hsd_store_compare(a[i].type, b[i].type);
        if (order == 0) order = (a[i].repeat > b[i].repeat) - (a[i].repeat < b[i].repeat);
        if (order != 0) return order;
    }
    return (a_count > b_count) - (a_count < b_count);
}

/* What reaches more before what reaches less, then what refers to more: it is nearer. */
static int compare_joint_row(const void *left, const void *right)
{
    const told *a = left, *b = right;
    int order = compare_u64(b->row.bytes, a->row.bytes);
    if (order == 0) order = compare_u64(b->told, a->told);
    if (order == 0) order = hsd_store_compare(a->row.root, b->row.root);
    return order != 0 ? order : hsd_steps_compare(a->row.path, a->row.path_count, b->row.path, b->row.path_count);
}

static int64_t growth_of(const hsd_growth *growth, uint32_t choice)
{
    return choice < growth->choice_count ? hsd_choice_growth(&growth->choices[choice]) : 0;
}

static hsd_status fill_root(by_rows *b, hsd_node node, hsd_co_holder *row, hsd_error *err)
{
    const hsd_side_walk *side = &b->growth->pair->sides[AFTER];
    const uint32_t root = b->growth->pair->root_number[AFTER][side->name_of_node[node - side->object_count]];
    row->root_kind = b->growth->pair->root_kinds[root];
    row->growth_bytes = growth_of(b->growth, hsd_id_map_get(&b->chosen.by_root, root));
    return hsd_growth_text_of_root(b->names, root, &row->root, err);
}

static hsd_status fill_object(by_rows *b, hsd_node node, hsd_co_holder *row, hsd_error *err)
{
    hsd_path_text path;
    HSD_TRY(hsd_path_texts_get(b->texts, node, &path, err));
    row->root_kind = path.root_kind;
    row->path = path.steps;
    row->path_count = path.step_count;
    row->path_cut = path.step_cut;
    if (path.step_count > 0) row->type = path.steps[path.step_count - 1].type;
    row->growth_bytes = growth_of(b->growth, hsd_growth_chosen_at(&b->chosen, AFTER, node));
    return hsd_growth_text_of_root(b->names, b->growth->pair->root_number[AFTER][path.root], &row->root, err);
}

static hsd_status fill_joint_row(by_rows *b, const hsd_growth_set *by, told *list, hsd_error *err)
{
    for (uint32_t i = 0; i < by->count; i++) {
        const hsd_node node = by->list[i].node;
        list[i] = (told){.row = {.type = {"", 0}, .bytes = by->list[i].bytes}, .told = by->list[i].told};
        HSD_TRY(node < b->growth->pair->sides[AFTER].object_count ? fill_object(b, node, &list[i].row, err)
                                                                  : fill_root(b, node, &list[i].row, err));
        if (by->list[i].is_own) list[i].row.growth_bytes = by->list[i].own;
    }
    return HSD_OK;
}

static bool is_same_step(const hsd_step *a, const hsd_step *b)
{
    return hsd_store_compare(a->edge, b->edge) == 0 && hsd_store_compare(a->type, b->type) == 0 &&
           a->repeat == b->repeat;
}

/* How many steps both begin with; 0 where one of them is an item, of which there are many. */
static size_t common_steps(const hsd_co_holder *a, const hsd_co_holder *b, size_t of_holder)
{
    size_t at = 0;
    for (; at < a->path_count && at < b->path_count && is_same_step(&a->path[at], &b->path[at]); at++)
        if (at >= of_holder && a->path[at].edge.size > 0 && a->path[at].edge.data[0] == '[') return 0;
    return at;
}

/* How many steps of the path lead to the one object below which all is held: what is an item there is the same one. */
static size_t steps_of_holder(const hsd_holder *holder, const hsd_co_holder *row)
{
    if (holder->type.size == 0 || holder->path_cut > 0 || holder->path_count > row->path_count ||
        hsd_store_compare(holder->root, row->root) != 0)
        return 0;
    for (size_t i = 0; i < holder->path_count; i++)
        if (!is_same_step(&holder->path[i], &row->path[i])) return 0;
    return holder->path_count;
}

/* A variable, and the first object that it leads to: of a map of C++ the header, which is in the variable, leads to the
 * root of the tree and to its ends. */
static bool is_variable_itself(const hsd_co_holder *shorter, const hsd_co_holder *longer)
{
    return shorter->path_count == 0 && longer->path_count == 1 && longer->path[0].edge.size == 0;
}

/*
 * Whether a person would call both the same: a field of one object that leads to several is a container inside it, the
 * table and the first node of a map of C++, the first and the last of a list; and a node further on in such a list is
 * the list.
 */
static bool is_same_way(const hsd_holder *holder, const hsd_co_holder *a, const hsd_co_holder *b)
{
    if (a->root_kind != b->root_kind || hsd_store_compare(a->root, b->root) != 0 || a->path_cut + b->path_cut > 0)
        return false;
    if (is_variable_itself(a, b) || is_variable_itself(b, a)) return true;
    const size_t of_holder = (size_t)hsd_min_u64(steps_of_holder(holder, a), steps_of_holder(holder, b)),
                 common = common_steps(a, b, of_holder);
    if (a->path_count > 0 && a->path_count == b->path_count && common + 1 >= a->path_count) {
        const size_t last = a->path_count - 1;
        const hsd_text x = a->path[last].edge, y = b->path[last].edge;
        return x.size > 1 && x.data[0] == '.' && hsd_store_compare(x, y) == 0;
    }
    const hsd_co_holder *longer = a->path_count > b->path_count ? a : b;
    return common > 0 && common + 1 == longer->path_count && common == a->path_count + b->path_count - common - 1 &&
           longer->path[common].edge.size > 3 && memcmp(longer->path[common].edge.data, "[*]", 3) == 0 &&
           hsd_store_compare(longer->path[common].type, longer->path[common - 1].type) == 0;
}

/* A frame without a variable, or what a library keeps of all that it made. */
static bool is_of_nobody(const hsd_co_holder *row)
{
    return (row->path_count == 0 && hsd_root_is_bare_frame(row->root.data, row->root.size)) ||
           hsd_variable_is_of_library(row->root.data, row->root.size);
}

/* A variable of the program that reaches as much, but for a tenth, is who holds it; the frame has a copy, the library a
 * list. */
static bool is_copy(const told *list, uint32_t count, const told *row)
{
    if (!is_of_nobody(&row->row)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!is_of_nobody(&list[i].row) && list[i].row.bytes >= row->row.bytes - row->row.bytes / 10) return true;
    return false;
}

/* Into `rows`, at most `most`, each way once. */
static size_t put_rows(const hsd_holder *holder, const told *list, uint32_t count, hsd_co_holder *rows, size_t most)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < count && kept < most; i++) {
        size_t same = 0;
        if (is_copy(list, count, &list[i])) continue;
        while (same < kept && !is_same_way(holder, &rows[same], &list[i].row))
            same++;
        if (same == kept)
            rows[kept++] = list[i].row;
        else if (list[i].row.path_count < rows[same].path_count)
            rows[same] = list[i].row;
    }
    return kept;
}

static hsd_status make_rows(by_rows *b, const hsd_growth_set *by, hsd_holder *holder, hsd_error *err)
{
    const size_t count = (size_t)hsd_min_u64(by->count, HSD_MAX_CO_HOLDERS);
    told *list = calloc((size_t)by->count + 1, sizeof *list);
    hsd_co_holder *rows = hsd_arena_take(&b->growth->diff->store->arena, (count + 1) * sizeof *rows);
    hsd_status status =
        list != NULL && rows != NULL ? fill_joint_row(b, by, list, err) : hsd_fail_nomem(err, "what holds together");
    if (status == HSD_OK) {
        qsort(list, by->count, sizeof *list, compare_joint_row);
        holder->by = rows;
        holder->by_count = put_rows(holder, list, by->count, rows, count);
        holder->by_bytes = by->together;
        holder->is_reached_elsewhere = by->is_reached_elsewhere;
    }
    free(list);
    return status;
}

hsd_status hsd_growth_by_rows(hsd_growth *growth, hsd_growth_texts *names, hsd_path_texts *texts, hsd_holder *rows,
                              hsd_error *err)
{
    by_rows b = {.growth = growth, .names = names, .texts = texts};
    hsd_status status = hsd_growth_chosen_make(&b.chosen, growth, err);
    for (uint32_t i = 0; i < growth->set_count && status == HSD_OK; i++) {
        if (growth->sets[i].choice != HSD_NO_CHOICE)
            status = make_rows(&b, &growth->sets[i], &rows[growth->sets[i].choice], err);
    }
    hsd_growth_chosen_release(&b.chosen);
    return status;
}
