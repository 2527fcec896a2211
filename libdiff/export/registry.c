/*
 * The exporters, one row each, and how one is chosen: by its name, or by how the name of the file ends.
 */
#include <stdio.h>
#include <string.h>

#include "export/exporter.h"

/* clang-format off */
/* One row a line, tests/lint reads them. */
static const hsd_exporter *const exporters[] = {
    &hsd_export_pprof,
    &hsd_export_collapsed,
    &hsd_export_speedscope,
    &hsd_export_sqlite,
    &hsd_export_parquet,
    &hsd_export_heapsnapshot,
    &hsd_export_hprof,
    NULL,
};
/* clang-format on */

const hsd_exporter *hsd_exporter_row(size_t i)
{
    return i < sizeof exporters / sizeof exporters[0] ? exporters[i] : NULL;
}

const hsd_exporter_info *hsd_exporter_get(size_t i)
{
    const hsd_exporter *row = hsd_exporter_row(i);
    return row == NULL ? NULL : &row->info;
}

static bool ends_with(const char *path, const char *suffix)
{
    const size_t path_size = strlen(path), size = strlen(suffix);
    return path_size > size && strcmp(path + path_size - size, suffix) == 0;
}

static const hsd_exporter *by_name(const char *format)
{
    const hsd_exporter *row;
    for (size_t i = 0; (row = hsd_exporter_row(i)) != NULL; i++)
        if (strcmp(row->info.name, format) == 0) return row;
    return NULL;
}

static const hsd_exporter *by_suffix(const char *path)
{
    const hsd_exporter *row, *best = NULL;
    for (size_t i = 0; (row = hsd_exporter_row(i)) != NULL; i++)
        if (ends_with(path, row->info.suffix) && (best == NULL || strlen(row->info.suffix) > strlen(best->info.suffix)))
            best = row;
    return best;
}

static void list_names(char *list, size_t capacity)
{
    const hsd_exporter *row;
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; (row = hsd_exporter_row(i)) != NULL && used < capacity; i++)
        used += (size_t)snprintf(list + used, capacity - used, "%s%s (%s)", i == 0 ? "" : ", ", row->info.name,
                                 row->info.suffix);
}

hsd_status hsd_exporter_choose(const hsd_exporter **out, const char *format, const char *path, hsd_error *err)
{
    char names[512];
    *out = format != NULL ? by_name(format) : by_suffix(path);
    if (*out != NULL) return HSD_OK;
    list_names(names, sizeof names);
    if (format != NULL)
        hsd_fail(err, HSD_E_UNSUPPORTED, "there is no exporter called %s", format);
    else
        hsd_fail(err, HSD_E_UNSUPPORTED, "its name does not tell a format to export to");
    hsd_error_set_hint(err, "name one with --to: %s", names);
    return HSD_E_UNSUPPORTED;
}
