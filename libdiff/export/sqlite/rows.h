/*
 * Rows into the tables of a database (export/tables/sink.h). The sink is hsd_database.sink.
 */
#ifndef HSD_EXPORT_SQLITE_ROWS_H
#define HSD_EXPORT_SQLITE_ROWS_H

#include "export/tables/sink.h"

/* A row whose key is there already is left out. */
extern const hsd_sink_kind hsd_sqlite_rows;

#endif
