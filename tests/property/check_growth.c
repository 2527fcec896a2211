/*
 * Each row of the result must be the oracle's, and nothing of the oracle's may be missing.
 */
#include "check_growth.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

enum { HSD_CHECKED_EDGES = 32 }; /* of a holder; more are not shown */

static bool same_amount(hsd_amount a, hsd_amount b) { return a.objects == b.objects && a.bytes == b.bytes; }

/* ---- holders ---- */

/* The row of the tree at which a holder's path ends: without identity holders are places. */
static void key_of(const hsd_holder *holder, char *out)
{
    if (holder->has_id)
        snprintf(out, ORACLE_PATH, "%s 0x%llx", holder->type.data, (unsigned long long)holder->id);
    else
        snprintf(out, ORACLE_PATH, "%s", holder->root.data);
}

static bool is_nothing(const oracle_holder *holder)
{
    return holder->new_.objects == 0 && holder->freed.objects == 0 && holder->resized_bytes == 0;
}

static void check_types_within(const hsd_diff *diff, const hsd_holder *row, const oracle_holder *wanted,
                               unsigned long seed)
{
    size_t types = 0;
    for (uint32_t t = 0; t < MODEL_TYPES; t++)
        types += wanted->new_by_type[t].objects + wanted->freed_by_type[t].objects > 0;
    cr_assert_eq(row->type_count, types, "seed %lu holder %s: %zu types, not %zu", seed, wanted->key, row->type_count,
                 types);
    for (size_t i = 0; i < row->type_count; i++) {
        const hsd_type_growth *type = &row->types[i];
        const uint32_t t = (uint32_t)(type->type.data[1] - '0');
        const hsd_amount new_ = wanted->new_by_type[t], freed = wanted->freed_by_type[t];
        cr_assert_eq(type->net_bytes, (int64_t)(new_.bytes - freed.bytes), "seed %lu holder %s", seed, wanted->key);
        cr_assert_eq(type->net_objects, (int64_t)(new_.objects - freed.objects), "seed %lu holder %s", seed,
                     wanted->key);
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
        if (row->by_count > 0) continue; /* beside what is left to its fork */
        key_of(row, key);
        /* its path leaves out insides: numbers decide */
        const bool is_place = !diff->identity_is_known && row->type.size > 0;
        if (is_place ? strcmp(row->type.data, wanted->type) == 0 && is_same_holder(diff, row, wanted)
                     : strcmp(key, wanted->key) == 0)
            return row;
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
        cr_assert(is_same_holder(diff, row, holder), "seed %lu holder %s: new %lu, not %lu, freed %lu, not %lu", seed,
                  holder->key, row->new_.bytes, holder->new_.bytes, row->freed.bytes, holder->freed.bytes);
        if (diff->identity_is_known) check_types_within(diff, row, holder, seed);
        count++;
    }
    cr_assert_eq(diff->holder_count, count, "seed %lu: %zu holders, not %zu", seed, diff->holder_count, count);
    cr_assert_eq(diff->other_holder_count, 0);
}

/* ---- what several hold together is a row beside that of its fork ---- */

static bool has_sets(const hsd_diff *diff)
{
    for (size_t i = 0; i < diff->holder_count; i++)
        if (diff->holders[i].by_count > 0) return true;
    return false;
}

static bool is_part(hsd_amount part, hsd_amount whole)
{
    return part.objects <= whole.objects && part.bytes <= whole.bytes;
}

/* Types say of it what the row says. */
static void check_set(const hsd_holder *row, unsigned long seed)
{
    hsd_amount new_ = {0, 0}, freed = {0, 0};
    for (size_t t = 0; t < row->type_count; t++) {
        new_.objects += row->types[t].new_.objects;
        new_.bytes += row->types[t].new_.bytes;
        freed.objects += row->types[t].freed.objects;
        freed.bytes += row->types[t].freed.bytes;
    }
    cr_assert(same_amount(new_, row->new_), "seed %lu: %lu new bytes by type, %lu in the row", seed, new_.bytes,
              row->new_.bytes);
    cr_assert(same_amount(freed, row->freed), "seed %lu: %lu freed bytes by type, %lu in the row", seed, freed.bytes,
              row->freed.bytes);
    cr_assert_leq(row->by_bytes, row->new_.bytes, "seed %lu", seed);
    for (size_t k = 0; k < row->by_count; k++)
        cr_assert_leq(row->by[k].bytes, row->by_bytes, "seed %lu", seed);
}

/* What is no set has what the oracle says, or what sets left of it; check_sums sees that nothing is lost between them.
 */
static void check_rests(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    for (uint32_t i = 0; i < wanted->holder_count; i++) {
        const oracle_holder *holder = &wanted->holders[i];
        const hsd_holder *row = row_of(diff, holder);
        if (row == NULL) continue;
        cr_assert(is_part(row->new_, holder->new_) && is_part(row->freed, holder->freed), "seed %lu holder %s", seed,
                  holder->key);
        cr_assert_eq(row->resized_bytes, (int64_t)holder->resized_bytes, "seed %lu holder %s", seed, holder->key);
        check_set(row, seed);
    }
    for (size_t i = 0; i < diff->holder_count; i++)
        if (diff->holders[i].by_count > 0) check_set(&diff->holders[i], seed);
}

static void check_paths(const hsd_diff *diff, unsigned long seed)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        cr_assert_gt(row->root.size, 0, "seed %lu", seed);
        cr_assert_eq(row->type.size == 0, row->path_count == 0, "seed %lu", seed);
        if (row->path_count > 0)
            cr_assert_str_eq(row->path[row->path_count - 1].type.data, row->type.data, "seed %lu", seed);
        if (i > 0) cr_assert_geq(diff->holders[i - 1].growth_bytes, row->growth_bytes, "seed %lu", seed);
    }
}

/* ---- places below holders ---- */

/* What a place below a holder carries: of all whose path begins with its own. */
static int64_t carried(const oracle_diff *wanted, uint32_t holder, const char *path)
{
    uint64_t growth = 0;
    const size_t length = strlen(path);
    for (uint32_t i = 0; i < wanted->below_count; i++) {
        const oracle_below *below = &wanted->below[i];
        if (below->holder != holder || strncmp(below->path, path, length) != 0) continue;
        if (below->path[length] == 0 || below->path[length] == ' ') growth += below->new_.bytes - below->freed.bytes;
    }
    return (int64_t)growth;
}

/* A row for each place that carries at least a fiftieth, and so for all above it. */
static bool is_wanted(const oracle_diff *wanted, uint32_t holder, const char *path, int64_t growth)
{
    char above[ORACLE_PATH];
    for (size_t length = strlen(path); length > 0; length--) {
        if (path[length] != 0 && !(path[length] == ' ' && strchr("(-.[", path[length + 1]) != NULL)) continue;
        snprintf(above, sizeof above, "%.*s", (int)length, path);
        const int64_t carries = carried(wanted, holder, above);
        if (carries <= 0 || carries < growth / 50) return false;
    }
    return true;
}

static void append_step(char *path, size_t at, const hsd_growth_edge *edge)
{
    const char *by = edge->edge.size == 0 ? "-" : edge->edge.data;
    /* "T3" */
    if (strlen(edge->type.data) == 2)
        snprintf(path + at, ORACLE_PATH - at, " %s %s", by, edge->type.data);
    else
        snprintf(path + at, ORACLE_PATH - at, " (%s)", edge->type.data);
}

static void check_edge(const hsd_growth_edge *edge, const oracle_diff *wanted, uint32_t holder, const char *path,
                       unsigned long seed)
{
    oracle_below none = {.holder = holder};
    const oracle_below *below = &none;
    for (uint32_t i = 0; i < wanted->below_count; i++) {
        if (wanted->below[i].holder == holder && strcmp(wanted->below[i].path, path) == 0) below = &wanted->below[i];
    }
    cr_assert_eq(edge->growth_bytes, carried(wanted, holder, path), "seed %lu place%s: %ld, not %ld", seed, path,
                 edge->growth_bytes, carried(wanted, holder, path));
    cr_assert(same_amount(edge->before, below->before), "seed %lu place%s: %lu before, not %lu", seed, path,
              edge->before.objects, below->before.objects);
    cr_assert(same_amount(edge->after, below->after), "seed %lu place%s: %lu after, not %lu", seed, path,
              edge->after.objects, below->after.objects);
    cr_assert(same_amount(edge->new_, below->new_) && same_amount(edge->freed, below->freed), "seed %lu place%s", seed,
              path);
}

static uint32_t count_wanted(const oracle_diff *wanted, uint32_t holder, int64_t growth)
{
    uint32_t count = 0;
    char met[HSD_CHECKED_EDGES][ORACLE_PATH];
    for (uint32_t i = 0; i < wanted->below_count;
         i++) { /* a place where nothing of its own stands is in no list: take prefixes */
        const char *path = wanted->below[i].path;
        for (size_t length = 1; wanted->below[i].holder == holder && length <= strlen(path); length++) {
            char above[ORACLE_PATH];
            bool is_met = false;
            if (path[length] != 0 && !(path[length] == ' ' && strchr("(-.[", path[length + 1]) != NULL)) continue;
            snprintf(above, sizeof above, "%.*s", (int)length, path);
            for (uint32_t k = 0; k < count; k++)
                is_met |= strcmp(met[k], above) == 0;
            if (is_met || !is_wanted(wanted, holder, above, growth)) continue;
            snprintf(met[count++], ORACLE_PATH, "%s", above);
            if (count == HSD_CHECKED_EDGES) return count;
        }
    }
    return count;
}

static void check_edges(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        char key[ORACLE_PATH], path[ORACLE_PATH] = "";
        size_t ends[64] = {0};
        uint32_t holder = 0;
        key_of(row, key);
        while (strcmp(wanted->holders[holder].key, key) != 0)
            holder++;
        if (row->growth_bytes > 0) {
            const uint32_t count = count_wanted(wanted, holder, row->growth_bytes);
            if (count < HSD_CHECKED_EDGES)
                cr_assert_eq(row->edge_count, count, "seed %lu holder %s: %zu places, not %u", seed, key,
                             row->edge_count, count);
        }
        for (size_t e = 0; e < row->edge_count; e++) {
            const hsd_growth_edge *edge = &row->edges[e];
            append_step(path, ends[edge->depth - 1], edge);
            ends[edge->depth] = strlen(path);
            cr_assert(is_wanted(wanted, holder, path, row->growth_bytes), "seed %lu place%s", seed, path);
            check_edge(edge, wanted, holder, path, seed);
        }
    }
}

/* ---- held together ---- */

/* A root that a path begins at may be below the one that reaches; then nothing here has its name. */
static bool is_by_wanted(const oracle_diff *wanted, const hsd_co_holder *by, bool *is_known)
{
    *is_known = false;
    for (uint32_t i = 0; i < wanted->by_count; i++) {
        if (strcmp(wanted->by[i].root, by->root.data) != 0) continue;
        *is_known = true;
        if (by->bytes <= wanted->by[i].bytes) return true;
    }
    return false;
}

uint64_t checked_co_holders;

static void check_by(const hsd_diff *diff, const oracle_diff *wanted, unsigned long seed)
{
    for (size_t i = 0; i < diff->holder_count; i++) {
        const hsd_holder *row = &diff->holders[i];
        if (strcmp(row->root.data, "(roots)") != 0 || row->path_count > 0) continue;
        cr_assert_leq(row->by_bytes, wanted->by_all, "seed %lu", seed);
        for (size_t k = 0; k < row->by_count; k++) {
            bool is_known;
            if (row->by[k].path_count > 0) continue;
            const bool is_right = is_by_wanted(wanted, &row->by[k], &is_known);
            cr_assert(is_right || !is_known, "seed %lu: %s reaches %llu", seed, row->by[k].root.data,
                      (unsigned long long)row->by[k].bytes);
            checked_co_holders += is_known;
        }
    }
}

/* ---- sums ---- */

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
    cr_assert(same_amount(new_, diff->total.new_), "seed %lu: holders have %lu new bytes of %lu", seed, new_.bytes,
              diff->total.new_.bytes);
    cr_assert(same_amount(freed, diff->total.freed), "seed %lu", seed);
    cr_assert_eq(growth, hsd_change_bytes(&diff->total), "seed %lu: holders grew by %ld", seed, growth);
    cr_assert_eq(objects, hsd_change_objects(&diff->total), "seed %lu", seed);
}

/* ---- places ---- */

static void path_of(const hsd_diff *diff, size_t row, char *out)
{
    size_t way[ORACLE_PATH], length = 0, used = 0;
    for (size_t at = row; at != 0; at = diff->tree[at].parent)
        way[length++] = at;
    out[0] = 0;
    while (length > 0) {
        const hsd_tree_row *step = &diff->tree[way[--length]];
        if (step->is_root)
            used += (size_t)snprintf(out + used, ORACLE_PATH - used, " (%s)", step->type.data);
        else
            used += (size_t)snprintf(out + used, ORACLE_PATH - used, " %s %s",
                                     step->edge.size == 0 ? "-" : step->edge.data, step->type.data);
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
    cr_assert(same_amount(diff->tree[0].before, diff->total.before) &&
              same_amount(diff->tree[0].after, diff->total.after));
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
    if (has_sets(diff))
        check_rests(diff, wanted, seed);
    else
        check_holders(diff, wanted, seed);
    check_paths(diff, seed);
    if (diff->identity_is_known) {
        if (!has_sets(diff)) check_edges(diff, wanted, seed);
        check_by(diff, wanted, seed);
    }
}
