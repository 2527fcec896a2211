/*
 * Each row of the result must be the oracle's, and nothing of the oracle's may be missing.
 */
#include "check_growth.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static bool same_amount(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

/* ---- holders ---- */

/* The row of the tree at which a holder's path ends: without identity holders are places. */
static void key_of(const hsd_holder *holder, char *out)
{
    if (holder->has_id) snprintf(out, ORACLE_PATH, "%s 0x%llx", holder->type.data, (unsigned long long)holder->id);
    else snprintf(out, ORACLE_PATH, "%s", holder->root.data);
}

static bool is_nothing(const oracle_holder *holder)
{
    return holder->new_.objects == 0 && holder->freed.objects == 0 && holder->resized_bytes == 0;
}

static void check_types_within(const hsd_diff *diff, const hsd_holder *row, const oracle_holder *wanted, unsigned long seed)
{
    size_t types = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++) types += wanted->new_by_type[t].objects + wanted->freed_by_type[t].objects > 0;
    cr_assert_eq(row->type_count, types, "seed %lu holder %s: %zu types, not %zu", seed, wanted->key, row->type_count, types);
    for (size_t i = 0; i < row->type_count; i++) {
        const hsd_type_growth *type = &row->types[i];
        const uint32_t t = (uint32_t)(type->type.data[1] - '0');
        const hsd_amount new_ = wanted->new_by_type[t], freed = wanted->freed_by_type[t];
        cr_assert_eq(type->net_bytes, (int64_t)(new_.bytes - freed.bytes), "seed %lu holder %s", seed, wanted->key);
        cr_assert_eq(type->net_objects, (int64_t)(new_.objects - freed.objects), "seed %lu holder %s", seed, wanted->key);
        cr_assert(!diff->identity_is_known || (same_amount(type->new_, new_) && same_amount(type->freed, freed)));
        if (i > 0) cr_assert_geq(row->types[i - 1].net_bytes, type->net_bytes);
    }
}

static bool is_same_holder(const hsd_diff *diff, const hsd_holder *row, const oracle_holder *wanted)
{
    if (row->net_bytes != (int64_t)(wanted->new_.bytes - wanted->freed.bytes)) return false;
    if (row->net_objects != (int64_t)(wanted->new_.objects - wanted->freed.objects)) return false;
    if (row->resized_bytes != (int64_t)wanted->resized_bytes) return false;
    return !diff->identity_is_known || (same_amount(row->new_, wanted->new_) && same_amount(row->freed, wanted->freed));
}

static const hsd_holder *row_of(const hsd_diff *diff, const oracle_holder *wanted)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        char key[ORACLE_PATH];
        key_of(row, key);
        const bool is_place = !diff->identity_is_known && row->type.size > 0; /* its path leaves out insides: numbers decide */
        if (is_place ? strcmp(row->type.data, wanted->type) == 0 && is_same_holder(diff, row, wanted) : strcmp(key, wanted->key) == 0) return row;
    }
    return NULL;
}

static void check_holders(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    size_t count = 0;
    for (uint32_t i = 0; i < wanted->holder_count; i++) {
        const oracle_holder *holder = &wanted->holders[i];
        if (is_nothing(holder)) continue;
        const hsd_holder *row = row_of(diff, holder);
        cr_assert_not_null(row, "seed %lu: no holder %s", seed, holder->key);
        cr_assert(is_same_holder(diff, row, holder), "seed %lu holder %s: new %lu, not %lu, freed %lu, not %lu", seed, holder->key,
                  row->new_.bytes, holder->new_.bytes, row->freed.bytes, holder->freed.bytes);
        if (diff->identity_is_known) check_types_within(diff, row, holder, seed);
        count++;
    }
    cr_assert_eq(diff->holder_count, count, "seed %lu: %zu holders, not %zu", seed, diff->holder_count, count);
    cr_assert_eq(diff->other_holder_count, 0);
}

static void check_paths(const hsd_diff *diff, unsigned long seed)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        cr_assert_gt(row->root.size, 0, "seed %lu", seed);
        cr_assert_eq(row->type.size == 0, row->path_count == 0, "seed %lu", seed);
        if (row->path_count > 0) cr_assert_str_eq(row->path[row->path_count - 1].type.data, row->type.data, "seed %lu", seed);
        if (i > 0) cr_assert_geq(diff->holders[i - 1].growth_bytes, row->growth_bytes, "seed %lu", seed);
    }
}

/* The places through which growth hangs hang together, and none says more than its holder. */
static void check_edges(const hsd_diff *diff, unsigned long seed)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        for (size_t e = 0; e < row->edge_count; e++) {
            const hsd_growth_edge *edge = &row->edges[e];
            cr_assert_gt(edge->growth_bytes, 0, "seed %lu", seed);
            cr_assert_geq(edge->growth_bytes, row->growth_bytes / 50, "seed %lu", seed);
            cr_assert_leq(edge->depth, e == 0 ? 1 : row->edges[e - 1].depth + 1, "seed %lu", seed);
            cr_assert_leq(edge->new_.objects, edge->after.objects, "seed %lu", seed);
            cr_assert_leq(edge->freed.objects, edge->before.objects, "seed %lu", seed);
        }
    }
}

/* Holders take all growth, each part once. */
static void check_sums(const hsd_diff *diff, unsigned long seed)
{
    hsd_amount new_ = diff->other_holders.new_, freed = diff->other_holders.freed;
    int64_t growth = diff->other_holders.growth_bytes, objects = diff->other_holders.net_objects;
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        new_.objects += row->new_.objects;
        new_.bytes += row->new_.bytes;
        freed.objects += row->freed.objects;
        freed.bytes += row->freed.bytes;
        growth += row->growth_bytes;
        objects += row->net_objects;
        cr_assert_eq(row->growth_bytes, row->net_bytes + row->resized_bytes, "seed %lu", seed);
    }
    cr_assert(same_amount(new_, diff->total.new_), "seed %lu: holders have %lu new bytes of %lu", seed, new_.bytes, diff->total.new_.bytes);
    cr_assert(same_amount(freed, diff->total.freed), "seed %lu", seed);
    cr_assert_eq(growth, hsd_change_bytes(&diff->total), "seed %lu: holders grew by %ld", seed, growth);
    cr_assert_eq(objects, hsd_change_objects(&diff->total), "seed %lu", seed);
}

/* ---- places ---- */

static void path_of(const hsd_diff *diff, size_t row, char *out)
{
    size_t way[ORACLE_PATH], length = 0, used = 0;
    for (size_t at = row; at != 0; at = diff->tree[at].parent) way[length++] = at;
    out[0] = 0;
    while (length > 0) {
        const hsd_tree_row *step = &diff->tree[way[--length]];
        if (step->is_root) used += (size_t)snprintf(out + used, ORACLE_PATH - used, " (%s)", step->type.data);
        else used += (size_t)snprintf(out + used, ORACLE_PATH - used, " %s %s", step->edge.size == 0 ? "-" : step->edge.data, step->type.data);
    }
}

static const oracle_place *place_of(const oracle_diff *wanted, const char *path)
{
    for (uint32_t i = 0; i < wanted->place_count; i++) {
        if (strcmp(wanted->places[i].path, path) == 0) return &wanted->places[i];
    }
    return NULL;
}

static void check_place(const hsd_diff *diff, size_t i, const oracle_place *place, unsigned long seed)
{
    const hsd_tree_row *row = &diff->tree[i];
    cr_assert_not_null(place, "seed %lu: a place nobody stands at", seed);
    cr_assert(same_amount(row->own_before, place->before), "seed %lu place%s: %lu before, not %lu", seed, place->path,
              row->own_before.objects, place->before.objects);
    cr_assert(same_amount(row->own_after, place->after), "seed %lu place%s", seed, place->path);
    cr_assert(same_amount(row->own_new, place->new_), "seed %lu place%s", seed, place->path);
    cr_assert(same_amount(row->own_freed, place->freed), "seed %lu place%s", seed, place->path);
}

static void check_places(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    cr_assert_eq(diff->tree_count, wanted->place_count + 1, "seed %lu: %zu places, not %u", seed, diff->tree_count - 1,
                 wanted->place_count);
    cr_assert_eq(diff->tree_least_bytes + diff->tree_depth, 0);
    cr_assert(same_amount(diff->tree[0].before, diff->total.before) && same_amount(diff->tree[0].after, diff->total.after));
    for (size_t i = 1; i < diff->tree_count; i++) {
        char path[ORACLE_PATH];
        path_of(diff, i, path);
        check_place(diff, i, place_of(wanted, path), seed);
        cr_assert_lt(diff->tree[i].parent, i);
        cr_assert_eq(diff->tree[i].depth, diff->tree[diff->tree[i].parent].depth + 1);
    }
    for (size_t i = 0; i < diff->tree_count; i++) { /* what is below, in preorder, and its own */
        uint64_t after = diff->tree[i].own_after.bytes, freed = diff->tree[i].own_freed.objects;
        for (size_t k = i + 1; k < diff->tree_count && diff->tree[k].depth > diff->tree[i].depth; k++) {
            after += diff->tree[k].own_after.bytes;
            freed += diff->tree[k].own_freed.objects;
        }
        cr_assert_eq(diff->tree[i].after.bytes, after, "seed %lu row %zu", seed, i);
        cr_assert_eq(diff->tree[i].freed.objects, freed, "seed %lu row %zu", seed, i);
    }
}

void check_growth(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    cr_assert(diff->has_holders, "seed %lu: %s", seed, diff->why_no_holders.data);
    check_sums(diff, seed);
    check_places(diff, wanted, seed);
    check_holders(diff, wanted, seed);
    check_paths(diff, seed);
    check_edges(diff, seed);
}
