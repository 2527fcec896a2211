/*
 * A build without SQLite: what would need it says so.
 */
#include <hsdiff/sql.h>

#include "export/sqlite/sqlite.h"

static hsd_status refuse_sql(hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "this hsdiff was built without SQLite");
    hsd_error_set_hint(err, "build it with libsqlite3-dev, or use hsdiff top, paths and dump");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_sqlite_write(hsd_export *x, hsd_error *err)
{
    (void)x;
    return refuse_sql(err);
}

hsd_status hsd_sql_open(hsd_sql **out, hsd_capture *before, hsd_capture *after, const hsd_sql_options *options,
                        const hsd_run *run, hsd_error *err)
{
    (void)before, (void)after, (void)options, (void)run;
    *out = NULL;
    return refuse_sql(err);
}

hsd_status hsd_sql_open_file(hsd_sql **out, int fd, const char *name, const hsd_run *run, hsd_error *err)
{
    (void)fd, (void)name, (void)run;
    *out = NULL;
    return refuse_sql(err);
}

bool hsd_sql_probe(const void *prefix, size_t size)
{
    (void)prefix, (void)size;
    return false;
}

hsd_status hsd_sql_prepare(hsd_sql *sql, const char *text, size_t size, hsd_error *err)
{
    (void)sql, (void)text, (void)size;
    return refuse_sql(err);
}

unsigned hsd_sql_column_count(const hsd_sql *sql)
{
    (void)sql;
    return 0;
}

const char *hsd_sql_column_name(const hsd_sql *sql, unsigned column)
{
    (void)sql, (void)column;
    return "";
}

hsd_status hsd_sql_next(hsd_sql *sql, hsd_error *err)
{
    (void)sql;
    return refuse_sql(err);
}

hsd_sql_value hsd_sql_get(hsd_sql *sql, unsigned column)
{
    (void)sql, (void)column;
    return (hsd_sql_value){.kind = HSD_SQL_NULL};
}

void hsd_sql_close(hsd_sql *sql) { (void)sql; }
