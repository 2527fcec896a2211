/*
 * Any question in the user's own SQL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "fleet/engine.h"
#include "fleet/postgres.h"

typedef struct answer {
    hsd_write_fn write;
    void *context;
    bool is_escaped;
    hsd_buffer held; /* the beginning of a character */
    hsd_buffer shown;
} answer;

/* A line at a time, so that what stands between line ends can be escaped as a name is. */
static hsd_status show_line(answer *a, const char *line, size_t size, hsd_error *err)
{
    const size_t needed = hsd_escape(HSD_ESCAPE_TERMINAL, line, size, NULL, 0) + 1;
    hsd_buffer_clear(&a->shown);
    HSD_TRY(hsd_buffer_reserve(&a->shown, needed, err));
    hsd_escape(HSD_ESCAPE_TERMINAL, line, size, (char *)a->shown.data, needed);
    HSD_TRY(a->write(a->context, a->shown.data, needed - 1, err));
    return a->write(a->context, "\n", 1, err);
}

static hsd_status take_piece(void *context, const char *data, size_t size, hsd_error *err)
{
    answer *a = context;
    if (!a->is_escaped) return a->write(a->context, data, size, err);
    while (size > 0) {
        const char *end = memchr(data, '\n', size);
        const size_t taken = end != NULL ? (size_t)(end - data) : size;
        HSD_TRY(hsd_buffer_append(&a->held, data, taken, err));
        if (end == NULL) return HSD_OK;
        HSD_TRY(show_line(a, (const char *)a->held.data, a->held.size, err));
        hsd_buffer_clear(&a->held);
        data += taken + 1;
        size -= taken + 1;
    }
    return HSD_OK;
}

static hsd_status ask_files(answer *a, const char *path, const char *statement, size_t size, hsd_fleet_form form,
                            const hsd_run *run, hsd_error *err)
{
    static const char *const modes[] = {[HSD_FLEET_BOX] = "-box", [HSD_FLEET_CSV] = "-csv", [HSD_FLEET_JSON] = "-json"};
    const hsd_engine engine = {.store = path,
                               .mode = modes[form],
                               .has_header = true,
                               .is_of_user = true,
                               .run = run,
                               .take = take_piece,
                               .context = a};
    hsd_fleet_list list = {0};
    hsd_buffer sql = {0};
    hsd_status status = hsd_fleet_list_batches(&list, path, run, NULL, NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_settings(&sql, path, run, err);
    if (status == HSD_OK) status = hsd_sql_put_view(&sql, "captures", HSD_FLEET_CAPTURES, &list, NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_view(&sql, "rows", HSD_FLEET_ROWS, &list, NULL, err);
    if (status == HSD_OK) status = hsd_sql_put_view(&sql, "names", HSD_FLEET_NAMES, &list, NULL, err);
    if (status == HSD_OK) status = hsd_buffer_append(&sql, statement, size, err);
    if (status == HSD_OK) status = hsd_sql_put(&sql, err, "\n;\n");
    if (status == HSD_OK) status = hsd_engine_run(&engine, &sql, err);
    hsd_fleet_list_release(&list);
    hsd_buffer_release(&sql);
    return status;
}

static hsd_status ask_database(answer *a, const char *path, const char *statement, size_t size, hsd_fleet_form form,
                               const hsd_run *run, hsd_error *err)
{
    const hsd_psql psql = {.store = path, .run = run, .take = take_piece, .context = a};
    return hsd_psql_ask_for_user(&psql, statement, size, form, err);
}

hsd_status hsd_fleet_sql(const char *path, const char *statement, size_t size, hsd_fleet_form form, const hsd_run *run,
                         hsd_write_fn write, void *context, hsd_error *err)
{
    answer a = {.write = write, .context = context, .is_escaped = form == HSD_FLEET_BOX};
    hsd_status status = hsd_fleet_where_is(path) == HSD_FLEET_DATABASE
                            ? ask_database(&a, path, statement, size, form, run, err)
                            : ask_files(&a, path, statement, size, form, run, err);
    if (status == HSD_OK && a.held.size > 0) status = show_line(&a, (const char *)a.held.data, a.held.size, err);
    hsd_buffer_release(&a.held);
    hsd_buffer_release(&a.shown);
    return status;
}
