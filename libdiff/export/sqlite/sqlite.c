/*
 * The row of the registry; it is there in builds without SQLite, too, and says so when it is run.
 */
#include "export/sqlite/sqlite.h"

const hsd_exporter hsd_export_sqlite = {
    .info = {.name = "sqlite",
             .summary = "database of SQLite with every object, reference and root",
             .suffix = ".sqlite",
             .opened_by = "hsdiff sql, sqlite3, Python",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_SITES |
                                   HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_VALUES},
             .lacks = "values unless --with-values is given; references that lead nowhere",
             .takes_pair = true},
    .opens_file = true,
    .run = hsd_sqlite_write,
};
