/*
 * A database in a file. It is written as all results are: without a name, or under another one, until it is whole.
 * SQLite is lent the descriptor and never sees a path, so nothing stands beside it, whatever happens.
 */
#include <sys/stat.h>

#include "export/sqlite/schema.h"
#include "export/sqlite/sqlite.h"
#include "export/tables/fill.h"

static hsd_status make_database(hsd_export *x, hsd_error *err)
{
    hsd_database database = {0};
    const hsd_database_options options = {
        .fd = x->output.fd, .memory_bytes = x->memory_bytes / 8, .space = x->space, .reporter = x->reporter};
    HSD_TRY(hsd_database_open(&database, &options, err));
    hsd_status status = hsd_schema_make(&database, x->before != NULL, err);
    if (status == HSD_OK) status = hsd_fill_export(x, &database.sink, err);
    const hsd_wanted all = hsd_wanted_all(x->before != NULL);
    if (status == HSD_OK) status = hsd_schema_index(&database, &all, err);
    hsd_database_close(&database);
    return status;
}

static hsd_status check_file(const hsd_export *x, hsd_error *err)
{
    if (!x->output.is_in_place) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "a database is written at many places at once, which a pipe or a device cannot take");
    hsd_error_set_file(err, x->path);
    hsd_error_set_hint(err, "name a file: -o heap.sqlite");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_sqlite_write(hsd_export *x, hsd_error *err)
{
    struct stat info;
    HSD_TRY(hsd_output_open(&x->output, x->path, x->options->force, err));
    hsd_status status = check_file(x, err);
    if (status == HSD_OK) status = make_database(x, err);
    if (status == HSD_OK && fstat(x->output.fd, &info) == 0) x->result->output_bytes = (uint64_t)info.st_size;
    if (status == HSD_OK)
        status = hsd_output_finish(&x->output, err);
    else if (status == HSD_E_IO)
        hsd_error_set_file(err, x->path);
    hsd_output_close(&x->output);
    return status;
}
