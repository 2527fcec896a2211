/*
 * What a statement of somebody else may do: read. SQLite asks before it compiles each part of it; what is read is noted
 * on the way, through views as well, which is how a query learns what tables it must make.
 */
#ifndef HSD_EXPORT_SQLITE_GUARD_H
#define HSD_EXPORT_SQLITE_GUARD_H

#include "export/sqlite/schema.h"

struct sqlite3_stmt;

typedef struct hsd_guard {
    hsd_wanted wanted; /* what is read */
    char refused[160]; /* the first thing that was refused, a clause; "" = nothing */
} hsd_guard;

/*
 * Compiles the one statement in `text`. *out is NULL on failure. HSD_E_UNSUPPORTED with the reason, and
 * err->offset_bytes where it is known; else as the database fails. The guard stays on: the database takes nothing but
 * such statements until hsd_guard_end.
 */
hsd_status hsd_guard_prepare(hsd_guard *guard, hsd_database *database, const char *text, size_t size,
                             struct sqlite3_stmt **out, hsd_error *err);

void hsd_guard_end(hsd_database *database);

#endif
