/*
 * The join of rows by name: types, and names of roots. A name's values are a row of columns; row 0 is for names past
 * the memory, which are not told apart.
 */
#ifndef HSD_SERIES_TABLE_H
#define HSD_SERIES_TABLE_H

#include "base/names.h"
#include "series/rows.h"

/* What a name takes in all, besides its text. */
#define HSD_NAMED_ROW_BYTES 320u

#define HSD_NOT_TOLD_APART 0u

typedef struct hsd_named { /* facts of a name, as of the last capture that has it */
    uint32_t flags;
    bool is_shared;
} hsd_named;

typedef struct hsd_named_table {
    hsd_names names; /* number + 1 = row of the columns */
    hsd_columns columns;
    hsd_named *facts; /* one a name */
    uint32_t facts_capacity;
    uint64_t memory_bytes;        /* for names */
    uint64_t untold, most_untold; /* names of this capture, of any, that are not told apart */
    bool is_full;
    bool is_of_lost; /* names are those of hsd_named_table_add_lost */
    bool is_by_type; /* of these: they have types alone, as a baseline does that came first */
} hsd_named_table;

hsd_status hsd_named_table_open(hsd_named_table *table, uint64_t memory_bytes, hsd_temp_space *space, hsd_error *err);

/* The row of a name, a new one if there is room; HSD_NOT_TOLD_APART past the memory. */
hsd_status hsd_named_table_row(hsd_named_table *table, hsd_text name, uint32_t *out, hsd_error *err);

/* One capture: types that live in it, or names of roots. Then the column ends. */
hsd_status hsd_named_table_add_types(hsd_named_table *table, const hsd_profile *profile, hsd_error *err);
hsd_status hsd_named_table_add_roots(hsd_named_table *table, const hsd_profile *profile, hsd_error *err);

/* The same of what is lost: its names say type, cycle and site (series/lost.c), and are taken apart for the rows. */
hsd_status hsd_named_table_add_lost(hsd_named_table *table, const hsd_profile *profile, hsd_error *err);
hsd_status hsd_named_table_name_lost(hsd_series_store *store, hsd_text name, hsd_series_row *row, hsd_error *err);

/* An amount of one name, in the column of the capture at hand; none of nothing. The end of the column. */
hsd_status hsd_named_table_add(hsd_named_table *table, hsd_text name, hsd_named facts, hsd_amount amount,
                               hsd_error *err);
hsd_status hsd_named_table_end(hsd_named_table *table, hsd_error *err);

/* The kind of a root; 0 for a name that is not there. */
uint32_t hsd_named_table_flags(const hsd_named_table *table, hsd_text name);

/* Rows of the result. */
hsd_status hsd_named_table_finish(hsd_named_table *table, hsd_series *series, hsd_series_table *out,
                                  uint64_t memory_bytes, hsd_error *err);

/* Accepts a zeroed one. */
void hsd_named_table_close(hsd_named_table *table);

#endif
