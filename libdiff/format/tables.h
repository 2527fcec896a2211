/*
 * The small tables of a capture, in memory: types numbered alike on both sides, what each
 * reference label means, and the texts behind string numbers. All of them grow with distinct names.
 */
#ifndef HSD_FORMAT_TABLES_H
#define HSD_FORMAT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/id_map.h"
#include "base/names.h"
#include <hsdiff/capture.h>

/* ---- types: one numbering for all captures of a diff, by name ---- */

typedef struct hsd_type_names {
    hsd_names names;
    uint32_t *flags; /* HSC_TYPE_* of the first type of that name */
    uint32_t flag_capacity;
} hsd_type_names;

typedef struct hsd_type_table { /* of one capture: its type numbers -> common ones */
    hsd_id_map index;           /* type id -> place in the arrays */
    uint32_t *common;           /* number in hsd_type_names */
    uint8_t *flags;
    uint32_t count, capacity;
} hsd_type_table;

/* Number 0 of every hsd_type_names: objects whose type was never defined. */
#define HSD_TYPE_UNDEFINED 0u
hsd_status hsd_type_names_init(hsd_type_names *names, hsd_error *err);
void hsd_type_names_release(hsd_type_names *names);

/* Reads the types of a capture and numbers them in `names`. Not thread-safe on `names`. */
hsd_status hsd_type_table_load(hsd_type_table *table, hsd_capture *capture, hsd_type_names *names, hsd_error *err);
void hsd_type_table_release(hsd_type_table *table);

static inline uint32_t hsd_type_common(const hsd_type_table *table, uint32_t type)
{
    const uint32_t at = hsd_id_map_get(&table->index, type);
    return at == HSD_ID_NONE ? HSD_TYPE_UNDEFINED : table->common[at];
}

static inline uint32_t hsd_type_flags(const hsd_type_table *table, uint32_t type)
{
    const uint32_t at = hsd_id_map_get(&table->index, type);
    return at == HSD_ID_NONE ? 0 : table->flags[at];
}

/* ---- labels of references ---- */

typedef struct hsd_label_table {
    hsd_id_map index; /* label id -> place in the array */
    hsd_label *labels;
    uint32_t *edges; /* number of each label's name, with HSD_EDGE_SOFT (walk/edges.h); NULL until numbered */
    uint32_t count, capacity;
} hsd_label_table;

hsd_status hsd_label_table_load(hsd_label_table *table, hsd_capture *capture, hsd_error *err);
void hsd_label_table_release(hsd_label_table *table);

/* NULL for 0 and for labels that were never defined: those are strong and nameless. */
static inline const hsd_label *hsd_label_get(const hsd_label_table *table, uint32_t label)
{
    HSD_ASSERT(table->labels != NULL || table->count == 0);
    const uint32_t at = hsd_id_map_get(&table->index, label);
    return at == HSD_ID_NONE ? NULL : &table->labels[at];
}

/* ---- texts of chosen strings ---- */

typedef struct hsd_texts {
    hsd_id_map index;  /* string id -> number in names */
    hsd_names names;   /* number -> text; number 0 is "" */
    uint32_t wanted;   /* distinct strings */
    size_t most_bytes; /* longer texts are cut; 0 = none is */
} hsd_texts;

/* Wants the text of a string; 0 is ignored. */
hsd_status hsd_texts_want(hsd_texts *texts, uint32_t string, hsd_error *err);

/* One pass over the strings of the capture; unwanted ones are passed over. */
hsd_status hsd_texts_load(hsd_texts *texts, hsd_capture *capture, hsd_error *err);

/* The text of a wanted string; empty when the capture never defined it. */
hsd_bytes hsd_texts_get(const hsd_texts *texts, uint32_t string);

/* True if the string was wanted. */
static inline bool hsd_texts_has(const hsd_texts *texts, uint32_t string)
{
    return hsd_id_map_get(&texts->index, string) != HSD_ID_NONE;
}

void hsd_texts_release(hsd_texts *texts);

#endif
