/*
 * Where the rows of tables go. An exporter that has the tables of tables.h implements one: hsd_sqlite_rows
 * (export/sqlite/rows.h), parquet_kind (export/parquet/parquet.c). Rows come through inserters (inserter.h), some at a
 * time, in the order of the table; several tables may be open at once.
 */
#ifndef HSD_EXPORT_TABLES_SINK_H
#define HSD_EXPORT_TABLES_SINK_H

#include "base/note.h"
#include "export/tables/tables.h"

typedef struct hsd_cell {
    int64_t number; /* of a text: where it begins in the texts of its rows */
    size_t size;    /* of a text */
    enum { HSD_CELL_NULL, HSD_CELL_NUMBER, HSD_CELL_TEXT, HSD_CELL_BYTES } kind;
} hsd_cell;

/* At most so many rows come at once. */
#define HSD_ROWS_HELD 32u

typedef struct hsd_sink hsd_sink;

typedef struct hsd_sink_kind {
    /* *rows: what put and close are given for this table; *columns: how many a row has. */
    hsd_status (*open)(hsd_sink *sink, const char *prefix, const char *table, void **rows, unsigned *columns,
                       hsd_error *err);
    /* `count` rows of `columns` cells each; the texts are borrowed for the call. */
    hsd_status (*put)(hsd_sink *sink, void *rows, const hsd_cell *cells, unsigned count, const uint8_t *texts,
                      hsd_error *err);
    /* Frees `rows` (NULL is accepted). `status`: HSD_OK when all rows were put; returns what comes of it. */
    hsd_status (*close)(hsd_sink *sink, void *rows, hsd_status status, hsd_error *err);
    /* Around one round of filling (fill.h). NULL = there is nothing to do. */
    hsd_status (*begin)(hsd_sink *sink, hsd_error *err);
    hsd_status (*finish)(hsd_sink *sink, hsd_error *err);
} hsd_sink_kind;

struct hsd_sink {
    const hsd_sink_kind *kind;
    hsd_reporter *reporter; /* borrowed; may be NULL */
    bool is_told_by_others; /* another operation tells of progress, and rows come from its callbacks */
};

#endif
