/*
 * Pieces of SQL. Foreign text gets into a statement here alone, as a literal.
 */
#define _DEFAULT_SOURCE /* realpath */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/fail.h"
#include "export/tables/inserter.h"
#include "fleet/bucket.h"
#include "fleet/engine.h"
#include "io/temp.h"

#define MEMORY_BYTES (UINT64_C(128) << 20)

hsd_status hsd_sql_put(hsd_buffer *sql, hsd_error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0) return hsd_fail_nomem(err, "a question");
    HSD_TRY(hsd_buffer_reserve(sql, (size_t)size + 1, err));
    va_start(arguments, format);
    vsnprintf((char *)sql->data + sql->size, (size_t)size + 1, format, arguments);
    va_end(arguments);
    sql->size += (size_t)size;
    return HSD_OK;
}

hsd_status hsd_sql_put_literal(hsd_buffer *sql, hsd_text text, hsd_error *err)
{
    const bool is_text = hsd_is_text(text.data, text.size);
    HSD_TRY(hsd_sql_put(sql, err, "'"));
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = (uint8_t)text.data[i];
        if (!is_text && (c == 0 || c >= 0x80))
            HSD_TRY(hsd_sql_put(sql, err, "\\x%02x", c));
        else
            HSD_TRY(hsd_buffer_append(sql, c == '\'' ? "''" : (const char *)&text.data[i], c == '\'' ? 2 : 1, err));
    }
    return hsd_sql_put(sql, err, "'");
}

/* What does not fit in its memory goes into a folder of its own, which it makes when it needs it, and takes away: files
 * of two engines have the same names. */
static hsd_status put_temporary(hsd_buffer *sql, const hsd_run *run, hsd_error *err)
{
    uint64_t number = 0;
    hsd_temp_space space;
    hsd_temp_space_init(&space, run != NULL ? run->temp_dir : NULL);
    char whole[PATH_MAX], folder[PATH_MAX + 64]; /* the engine runs in another folder */
    const char *of_all = realpath(space.directory, whole) != NULL ? whole : space.directory;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) number = (uint64_t)getpid();
    const int size =
        snprintf(folder, sizeof folder, "%s/" HSD_ENGINE_FOLDER "%016llx", of_all, (unsigned long long)number);
    if (size < 0 || (size_t)size >= sizeof folder)
        return hsd_fail(err, HSD_E_IO, "the name of the folder for temporary files is too long");
    HSD_TRY(hsd_sql_put(sql, err, "SET temp_directory="));
    HSD_TRY(hsd_sql_put_literal(sql, (hsd_text){folder, (size_t)size}, err));
    return hsd_sql_put(sql, err, ";\n");
}

hsd_status hsd_sql_put_settings(hsd_buffer *sql, const char *store, const hsd_run *run, hsd_error *err)
{
    const uint64_t memory =
        run != NULL && run->memory_bytes > 0 && run->memory_bytes < MEMORY_BYTES ? run->memory_bytes : MEMORY_BYTES;
    HSD_TRY(hsd_sql_put(sql, err,
                        "SET autoinstall_known_extensions=false; SET autoload_known_extensions=false;\n"
                        "SET enable_progress_bar=false; SET preserve_insertion_order=false;\n"
                        "SET memory_limit='%lluMiB';\n",
                        (unsigned long long)(memory >> 20)));
    if (hsd_fleet_where_is(store) == HSD_FLEET_BUCKET) HSD_TRY(hsd_bucket_put_settings(sql, err));
    if (run != NULL && run->threads > 0) HSD_TRY(hsd_sql_put(sql, err, "SET threads=%u;\n", run->threads));
    return put_temporary(sql, run, err);
}

/* ---- views */

static const struct view_text {
    const char *file, *columns; /* of an empty one: name, type … */
} views[] = {
    [HSD_FLEET_CAPTURES] =
        {"captures", "0::BIGINT AS capture, 0::BIGINT AS time, 0::BIGINT AS process, '' AS service, '' AS version, "
                     "'' AS host, '' AS pod, 0::BIGINT AS pid, 0::BIGINT AS uptime, '' AS runtime, '' AS domain, "
                     "0::BIGINT AS complete, 0::BIGINT AS places, 0::BIGINT AS live, 0::BIGINT AS live_objects, "
                     "0::BIGINT AS unreached, "
                     "'' AS digest, '' AS labels"},
    [HSD_FLEET_ROWS] = {"rows",
                        "0::BIGINT AS capture, '' AS kind, 0::BIGINT AS key, 0::BIGINT AS objects, 0::BIGINT AS "
                        "bytes, 0::BIGINT AS retained, 0::BIGINT AS single, 0::BIGINT AS other"},
    [HSD_FLEET_NAMES] = {"names",
                         "0::BIGINT AS key, '' AS kind, '' AS text, 0::BIGINT AS parent, '' AS edge, '' AS type"},
    [HSD_FLEET_STATES] =
        {"states", "0::BIGINT AS process, '' AS kind, 0::BIGINT AS key, 0::BIGINT AS origin, 0::BIGINT AS n, "
                   "0::BIGINT AS st, 0::BIGINT AS sv, 0::BIGINT AS stv, 0::BIGINT AS stt, 0::BIGINT AS least, "
                   "0::BIGINT AS most, 0::BIGINT AS t_first, 0::BIGINT AS t_last, 0::BIGINT AS first, 0::BIGINT AS "
                   "last, 0::BIGINT AS single"},
};

hsd_status hsd_sql_put_view(hsd_buffer *sql, const char *view, hsd_fleet_table table, const hsd_fleet_list *list,
                            const bool *chosen, hsd_error *err)
{
    const struct view_text *text = &views[table];
    const char *between = "";
    HSD_TRY(hsd_sql_put(sql, err, "CREATE TEMP VIEW %s AS SELECT * FROM ", view));
    const size_t begin = sql->size;
    HSD_TRY(hsd_sql_put(sql, err, "read_parquet(["));
    for (size_t i = 0; i < list->count; i++) {
        if (chosen != NULL && !chosen[i]) continue;
        HSD_TRY(hsd_sql_put(sql, err, "%s\n'%s%s/%s" HSD_FLEET_SUFFIX "'", between,
                            list->base != NULL ? list->base : "", list->batches[i].path, text->file));
        between = ",";
    }
    if (between[0] != '\0') return hsd_sql_put(sql, err, "], hive_partitioning=false);\n");
    sql->size = begin;
    return hsd_sql_put(sql, err, "(SELECT %s) WHERE false;\n", text->columns);
}
