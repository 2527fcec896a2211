/*
 * The tables, indexes and views of a database: their text, for whom they are there, and making them. What they mean
 * stands in their text, which SQLite keeps ("select sql from sqlite_schema"), and in doc/sql.md.
 *
 * HSD_SCHEMA_VERSION is PRAGMA user_version. Columns and tables may be added under the same version; what changes its
 * meaning or goes makes a new one.
 */
#ifndef HSD_EXPORT_SQLITE_SCHEMA_H
#define HSD_EXPORT_SQLITE_SCHEMA_H

#include "export/sqlite/database.h"

#define HSD_SCHEMA_VERSION     1
#define HSD_SCHEMA_APPLICATION 0x68736466 /* PRAGMA application_id: "hsdf" */

#define HSD_BEFORE "before_" /* prefix of the tables of a pair's first capture */

typedef enum hsd_table {
    /* of each capture */
    HSD_TABLE_OF_TYPES,
    HSD_TABLE_OF_STRINGS,
    HSD_TABLE_OF_LABELS,
    HSD_TABLE_OF_SITES,
    HSD_TABLE_OF_THREADS,
    HSD_TABLE_OF_FRAMES,
    HSD_TABLE_OF_METRICS,
    HSD_TABLE_OF_LOSSES,
    HSD_TABLE_OF_OBJECTS,
    HSD_TABLE_OF_REFS,
    HSD_TABLE_OF_ROOTS,
    HSD_TABLE_OF_SITE_TOTALS,
    /* of the file, and of the capture after */
    HSD_TABLE_OF_CAPTURES,
    HSD_TABLE_OF_WARNINGS,
    HSD_TABLE_OF_HEAP_TYPES,
    HSD_TABLE_OF_HEAP_ROOTS,
    HSD_TABLE_OF_PLACES,
    HSD_TABLE_OF_RETAINED,
    /* of a pair */
    HSD_TABLE_OF_GROWTH,
    HSD_TABLE_OF_GROWTH_TYPES,
    HSD_TABLE_OF_GROWTH_ROOTS,
    HSD_TABLE_OF_HOLDERS,
    HSD_TABLE_OF_HOLDER_STEPS,
    HSD_TABLE_OF_HOLDER_TYPES,
    HSD_TABLE_OF_HOLDER_EDGES,
    HSD_TABLE_OF_HOLDER_BY,
    HSD_TABLE_OF_HOLDER_BY_STEPS,
    HSD_TABLE_OF_GROWTH_PLACES,
    HSD_TABLE_OF_GROWTH_SITES,
    HSD_TABLE_OF_GROWTH_FRAMES,
    HSD_TABLE_OF_LOST,
    HSD_TABLE_OF_LOST_FRAMES,
    HSD_TABLE_OF_UNCOLLECTED,
    HSD_TABLE_OF_CHANGES,
    HSD_TABLE_OF_MATCHES,
    HSD_TABLE_COUNT
} hsd_table;

typedef enum hsd_scope { HSD_OF_EACH, HSD_OF_FILE, HSD_OF_PAIR } hsd_scope;

/* In the texts @ stands for the prefix. */
typedef struct hsd_table_text {
    const char *name, *sql;
    hsd_scope scope;
} hsd_table_text;
typedef struct hsd_view_text {
    const char *sql;
    hsd_scope scope;
} hsd_view_text;
typedef struct hsd_index_text {
    hsd_table table;
    const char *column, *sql;
} hsd_index_text;

extern const hsd_table_text hsd_tables_of_heap[HSD_TABLE_OF_GROWTH];                     /* schema_heap.c */
extern const hsd_table_text hsd_tables_of_growth[HSD_TABLE_COUNT - HSD_TABLE_OF_GROWTH]; /* schema_growth.c */
/* schema_views.c; sql NULL ends it */
extern const hsd_view_text hsd_views[];

static inline const hsd_table_text *hsd_table_get(hsd_table table)
{
    return table < HSD_TABLE_OF_GROWTH ? &hsd_tables_of_heap[table]
                                       : &hsd_tables_of_growth[table - HSD_TABLE_OF_GROWTH];
}

/* What a statement reads, or a file is to hold: tables, and of each the columns whose index is worth it. */
typedef struct hsd_wanted {
    bool tables[2][HSD_TABLE_COUNT]; /* [0]: of `before`; else [1] */
    uint32_t indexes[2];             /* bit i: index i of the list */
} hsd_wanted;

/* Everything. */
hsd_wanted hsd_wanted_all(bool is_pair);

/* That `column` of the table or view of that name is read; names that are none of ours are ignored. */
void hsd_wanted_add(hsd_wanted *wanted, const char *name, const char *column);

/* All tables and views, empty, and the marks of the file. */
hsd_status hsd_schema_make(hsd_database *database, bool is_pair, hsd_error *err);

/* The indexes of what is wanted: when the tables are filled. */
hsd_status hsd_schema_index(hsd_database *database, const hsd_wanted *wanted, hsd_error *err);

#endif
