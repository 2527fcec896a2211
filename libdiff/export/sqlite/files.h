/*
 * The files of a database, as SQLite sees them: it never opens a path itself.
 *
 *      the database     a descriptor that it is lent (an unfinished result, a database that somebody else made),
 *                       or a temporary file
 *      what it spills   temporary files of the operation's space: sorts, subqueries
 *      journals, logs   refused: an unfinished database is thrown away, a finished one is only read
 *
 * So results are whole or not there as all others are, --temp-dir means what it says, and no statement reaches a file
 * of its own choice, whatever it holds.
 */
#ifndef HSD_EXPORT_SQLITE_FILES_H
#define HSD_EXPORT_SQLITE_FILES_H

#include <stdbool.h>

#include "io/temp.h"

typedef struct hsd_files hsd_files;

/* `fd` is borrowed until close; -1: a temporary file. What is read only is neither written nor truncated. HSD_E_NOMEM,
 * HSD_E_IO. */
hsd_status hsd_files_new(hsd_files **out, int fd, bool is_read_only, hsd_temp_space *space, hsd_error *err);

/* What a connection names them by (the last argument of sqlite3_open_v2). */
const char *hsd_files_name(const hsd_files *files);

/* The first fault that a file met: SQLite itself tells no reasons. NULL if there was none. */
const hsd_error *hsd_files_fault(const hsd_files *files);

/* After the connection was closed. NULL is accepted. */
void hsd_files_free(hsd_files *files);

#endif
