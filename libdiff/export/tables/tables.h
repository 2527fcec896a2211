/*
 * What one heap, or the growth of two, is as tables: their names and columns, and for whom they are there. An exporter
 * gives the rows a place (sink.h): a database (export/sqlite), files of columns (export/parquet).
 *
 * A table is the text of the SQL that makes it, which SQLite keeps ("select sql from sqlite_schema"); what its columns
 * mean stands in its comments and in doc/sql.md. Columns and tables may be added under one HSD_SCHEMA_VERSION; what
 * changes its meaning or goes makes a new one.
 */
#ifndef HSD_EXPORT_TABLES_TABLES_H
#define HSD_EXPORT_TABLES_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

#define HSD_SCHEMA_VERSION 1

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

/* In the text @ stands for the prefix. */
typedef struct hsd_table_text {
    const char *name, *sql;
    hsd_scope scope;
} hsd_table_text;

extern const hsd_table_text hsd_tables_of_heap[HSD_TABLE_OF_GROWTH];                     /* tables_heap.c */
extern const hsd_table_text hsd_tables_of_growth[HSD_TABLE_COUNT - HSD_TABLE_OF_GROWTH]; /* tables_growth.c */

static inline const hsd_table_text *hsd_table_get(hsd_table table)
{
    return table < HSD_TABLE_OF_GROWTH ? &hsd_tables_of_heap[table]
                                       : &hsd_tables_of_growth[table - HSD_TABLE_OF_GROWTH];
}

/* ---- columns, for who does not speak SQL */

#define HSD_TABLE_COLUMNS_MOST 32u

typedef struct hsd_column_text {
    char name[32];
    bool is_text;     /* else a number of 64 bits with a sign */
    bool is_required; /* never NULL */
} hsd_column_text;

/* The columns of a table in the order of its rows; their number. A table of ours that cannot be read so is 0. */
unsigned hsd_table_columns(hsd_table table, hsd_column_text columns[HSD_TABLE_COLUMNS_MOST]);

/* ---- what is wanted */

/* What a statement reads, or a file is to hold: tables, and of each the columns whose index is worth it. */
typedef struct hsd_wanted {
    bool tables[2][HSD_TABLE_COUNT]; /* [0]: of `before`; else [1] */
    uint32_t indexes[2];             /* bit i: index i of the list */
} hsd_wanted;

/* Everything. */
hsd_wanted hsd_wanted_all(bool is_pair);

#endif
