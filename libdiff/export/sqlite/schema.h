/*
 * The schema of a database: tables (export/tables/tables.h), indexes and views, and making them.
 *
 * HSD_SCHEMA_VERSION is PRAGMA user_version.
 */
#ifndef HSD_EXPORT_SQLITE_SCHEMA_H
#define HSD_EXPORT_SQLITE_SCHEMA_H

#include "export/sqlite/database.h"
#include "export/tables/tables.h"

#define HSD_SCHEMA_APPLICATION 0x68736466 /* PRAGMA application_id: "hsdf" */

/* In the texts @ stands for the prefix. */
typedef struct hsd_view_text {
    const char *sql;
    hsd_scope scope;
} hsd_view_text;
typedef struct hsd_index_text {
    hsd_table table;
    const char *column, *sql;
} hsd_index_text;

/* schema_views.c; sql NULL ends it */
extern const hsd_view_text hsd_views[];

/* That `column` of the table or view of that name is read; names that are none of ours are ignored. */
void hsd_wanted_add(hsd_wanted *wanted, const char *name, const char *column);

/* All tables and views, empty, and the marks of the file. */
hsd_status hsd_schema_make(hsd_database *database, bool is_pair, hsd_error *err);

/* The indexes of what is wanted: when the tables are filled. */
hsd_status hsd_schema_index(hsd_database *database, const hsd_wanted *wanted, hsd_error *err);

#endif
