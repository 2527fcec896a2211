/*
 * Profiles by hand, and a series that rows can be made for.
 */
#ifndef TESTS_UNIT_SERIES_PROFILE_KIT_H
#define TESTS_UNIT_SERIES_PROFILE_KIT_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series/rows.h"

typedef struct kit_profile {
    hsd_profile profile;
    hsd_top_type types[256];
    hsd_top_root roots[16];
    hsd_place places[64];
    char names[256][24];
} kit_profile;

static inline hsd_text kit_text(const char *words) { return (hsd_text){words, strlen(words)}; }

static inline kit_profile *kit_new(void)
{
    kit_profile *kit = calloc(1, sizeof *kit);
    kit->profile = (hsd_profile){
        .has_roots = true, .has_places = true, .types = kit->types, .roots = kit->roots, .places = kit->places};
    return kit;
}

static inline void kit_add_type(kit_profile *kit, const char *name, uint64_t objects, uint64_t bytes)
{
    const size_t i = kit->profile.type_count++;
    snprintf(kit->names[i], sizeof kit->names[i], "%s", name);
    kit->types[i] =
        (hsd_top_type){.name = kit_text(kit->names[i]), .flags = (uint32_t)objects, .live = {objects, bytes}};
    hsd_series_add(&kit->profile.side.live, (hsd_amount){objects, bytes});
}

enum { KIT_HOLDS = 1, KIT_ROOT = 2, KIT_FOLD = 4 };

/* Returns its row; row 0 is made with the first. */
static inline uint32_t kit_add_place(kit_profile *kit, uint32_t parent, const char *edge, const char *type, int flags,
                                     uint64_t objects, uint64_t bytes)
{
    if (kit->profile.place_count == 0)
        kit->places[kit->profile.place_count++] = (hsd_place){.edge = {"", 0}, .type = {"", 0}};
    const uint32_t row = (uint32_t)kit->profile.place_count++;
    kit->places[row] = (hsd_place){.depth = kit->places[parent].depth + 1,
                                   .parent = parent,
                                   .is_root = flags & KIT_ROOT,
                                   .can_hold = flags & KIT_HOLDS,
                                   .is_fold = flags & KIT_FOLD,
                                   .edge = kit_text(edge),
                                   .type = kit_text(type),
                                   .own = {objects, bytes}};
    hsd_series_add(&kit->profile.side.live, (hsd_amount){objects, bytes});
    return row;
}

static inline hsd_series *kit_series(size_t count)
{
    hsd_series *series = calloc(1, sizeof *series);
    series->store = calloc(1, sizeof *series->store);
    series->points = hsd_arena_take(&series->store->arena, count * sizeof *series->points);
    series->point_count = count;
    series->noise_bytes = 1;
    return series;
}

static inline void kit_free_series(hsd_series *series)
{
    hsd_series_store_free(series->store);
    free(series);
}

static inline const hsd_series_row *kit_row(const hsd_series_table *table, const char *root, const char *name)
{
    for (size_t i = 0; i < table->row_count; i++) {
        const hsd_series_row *row = &table->rows[i];
        if (strcmp(row->name.data, name) == 0 && (root == NULL || strcmp(row->root.data, root) == 0)) return row;
    }
    return NULL;
}

/* Values as text: "1/10 2/20". */
static inline const char *kit_values(const hsd_series *series, const hsd_series_row *row)
{
    static char out[8][256];
    static unsigned turn;
    char *text = out[turn++ % 8];
    size_t size = 0;
    text[0] = 0;
    for (size_t i = 0; row != NULL && i < series->point_count; i++)
        size += (size_t)snprintf(text + size, 256 - size, "%s%lu/%lu", i > 0 ? " " : "",
                                 (unsigned long)row->values[i].objects, (unsigned long)row->values[i].bytes);
    return row == NULL ? "(no row)" : text;
}

/* "cache .map HashMap [*] Node x3" */
static inline const char *kit_path(const hsd_series_row *row)
{
    static char text[512];
    size_t size = (size_t)snprintf(text, sizeof text, "%s", row->root.data);
    for (size_t i = 0; i < row->path_count; i++) {
        size +=
            (size_t)snprintf(text + size, sizeof text - size, " %s %s", row->path[i].edge.data, row->path[i].type.data);
        if (row->path[i].repeat > 1)
            size += (size_t)snprintf(text + size, sizeof text - size, " x%u", row->path[i].repeat);
    }
    return text;
}

/* Rows and others are the sum of all profiles, in each capture. */
static inline void kit_check_sums(const hsd_series *series, const hsd_series_table *table, kit_profile *const *kits)
{
    for (size_t k = 0; k < series->point_count; k++) {
        hsd_amount sum = table->others.values[k];
        for (size_t i = 0; i < table->row_count; i++)
            hsd_series_add(&sum, table->rows[i].values[k]);
        cr_assert(sum.objects == kits[k]->profile.side.live.objects && sum.bytes == kits[k]->profile.side.live.bytes,
                  "capture %zu", k);
    }
}

#endif
