/*
 * SQLite, for the files of this folder that speak to it. Everybody else sees database.h.
 */
#ifndef HSD_EXPORT_SQLITE_ENGINE_H
#define HSD_EXPORT_SQLITE_ENGINE_H

#include <sqlite3.h>

#endif
