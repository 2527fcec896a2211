/*
 * DuckDB, by its command: $HSDIFF_DUCKDB, else `duckdb` from PATH. It runs in the folder of the store, so that SQL
 * names files by paths that hold letters, digits and little else, reads its statements from an unnamed file, and ends
 * with us.
 */
#ifndef HSD_FLEET_ENGINE_H
#define HSD_FLEET_ENGINE_H

#include "base/buffer.h"
#include "fleet/child.h"
#include "fleet/layout.h"
#include <hsdiff/fleet.h>

/* ---- statements */

/* Appends printf's text. HSD_E_NOMEM. */
hsd_status hsd_sql_put(hsd_buffer *sql, hsd_error *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends a text as a literal of SQL, as it stands in the tables: what is no UTF-8 by \xNN. */
hsd_status hsd_sql_put_literal(hsd_buffer *sql, hsd_text text, hsd_error *err);

/* What the name of its folder for temporary files begins with. */
#define HSD_ENGINE_FOLDER "hsdiff-duckdb-"

/* Threads, memory and the like, from `run` (NULL = defaults); of a bucket what reaches it. */
hsd_status hsd_sql_put_settings(hsd_buffer *sql, const char *store, const hsd_run *run, hsd_error *err);

typedef enum hsd_fleet_table { HSD_FLEET_CAPTURES, HSD_FLEET_ROWS, HSD_FLEET_NAMES, HSD_FLEET_STATES } hsd_fleet_table;

/* CREATE VIEW `view` of a table's files in the chosen batches: chosen[i] of list->batches[i]; NULL = all. Without any
 * it is empty. */
hsd_status hsd_sql_put_view(hsd_buffer *sql, const char *view, hsd_fleet_table table, const hsd_fleet_list *list,
                            const bool *chosen, hsd_error *err);

/* ---- running them */

typedef struct hsd_engine {
    const char *store;  /* a folder, which it runs in, or a bucket */
    const char *folder; /* of a bucket: it runs in; NULL = wherever */
    const char *mode;   /* "-list", "-box" … */
    bool has_header;
    bool is_of_user; /* the statement is: what is wrong with it is HSD_E_UNSUPPORTED */
    const hsd_run *run;
    hsd_child_take_fn take; /* gets what it prints, as it comes */
    void *context;
} hsd_engine;

/* As asking a store fails; what `take` returned; HSD_E_CANCELLED. */
hsd_status hsd_engine_run(const hsd_engine *engine, const hsd_buffer *sql, hsd_error *err);

#endif
