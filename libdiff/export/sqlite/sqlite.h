/*
 * A database in a file: what the row of the exporter runs.
 */
#ifndef HSD_EXPORT_SQLITE_SQLITE_H
#define HSD_EXPORT_SQLITE_SQLITE_H

#include "export/exporter.h"

hsd_status hsd_sqlite_write(hsd_export *x, hsd_error *err);

#endif
