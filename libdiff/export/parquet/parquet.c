/*
 * The tables of hsdiff sql as a folder of Parquet files, a file a table. Views are not in it: they are SQL of SQLite.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "export/exporter.h"
#include "export/parquet/writer.h"
#include "export/tables/fill.h"
#include "io/folder.h"

#define SUFFIX ".parquet"

typedef struct parquet_sink {
    hsd_sink sink; /* first */
    hsd_folder folder;
} parquet_sink;

static bool table_named(const char *name, hsd_table *table)
{
    for (unsigned i = 0; i < HSD_TABLE_COUNT; i++)
        if (strcmp(hsd_table_get(i)->name, name) == 0) {
            *table = (hsd_table)i;
            return true;
        }
    return false;
}

static hsd_status open_parquet_table(hsd_sink *sink, const char *prefix, const char *name, void **rows,
                                     unsigned *columns, hsd_error *err)
{
    parquet_sink *s = (parquet_sink *)(void *)sink;
    hsd_column_text texts[HSD_TABLE_COLUMNS_MOST];
    char about[100], file[100];
    hsd_output *output;
    hsd_table table;
    if (!table_named(name, &table)) return hsd_fail(err, HSD_E_MISUSE, "there is no table %s", name);
    *columns = hsd_table_columns(table, texts);
    snprintf(file, sizeof file, "%s%s" SUFFIX, prefix, name);
    snprintf(about, sizeof about, "table %s%s, version %d", prefix, name, HSD_SCHEMA_VERSION);
    HSD_TRY(hsd_folder_add(&s->folder, file, &output, err));
    hsd_parquet *parquet;
    HSD_TRY(hsd_parquet_open(&parquet, output, texts, *columns, about, err));
    *rows = parquet;
    return HSD_OK;
}

static hsd_status put_parquet_rows(hsd_sink *sink, void *rows, const hsd_cell *cells, unsigned count,
                                   const uint8_t *texts, hsd_error *err)
{
    (void)sink;
    return hsd_parquet_put(rows, cells, count, texts, err);
}

static hsd_status close_parquet_table(hsd_sink *sink, void *rows, hsd_status status, hsd_error *err)
{
    (void)sink;
    if (status == HSD_OK && rows != NULL) status = hsd_parquet_finish(rows, err);
    hsd_parquet_close(rows);
    return status;
}

static const hsd_sink_kind parquet_kind = {
    .open = open_parquet_table, .put = put_parquet_rows, .close = close_parquet_table};

static hsd_status write_parquet(hsd_export *x, hsd_error *err)
{
    parquet_sink s = {.sink = {.kind = &parquet_kind, .reporter = x->reporter}};
    hsd_status status = hsd_folder_open(&s.folder, x->path, SUFFIX, x->options->force, err);
    if (status == HSD_OK) status = hsd_fill_export(x, &s.sink, err);
    x->result->files = s.folder.count;
    for (unsigned i = 0; i < s.folder.count; i++)
        x->result->output_bytes += s.folder.files[i].output.size_bytes;
    if (status == HSD_OK) status = hsd_folder_finish(&s.folder, err);
    hsd_folder_close(&s.folder);
    return status;
}

const hsd_exporter hsd_export_parquet = {
    .info = {.name = "parquet",
             .summary = "folder of Parquet files with every object, reference and root: a file a table",
             .suffix = SUFFIX,
             .opened_by = "DuckDB, ClickHouse, pyarrow",
             .carries = {.always = HSD_CARRIES_OBJECTS | HSD_CARRIES_TYPES | HSD_CARRIES_EDGES |
                                   HSD_CARRIES_EDGE_NAMES | HSD_CARRIES_ROOTS | HSD_CARRIES_SITES |
                                   HSD_CARRIES_IDENTITY,
                         .sometimes = HSD_CARRIES_VALUES},
             .lacks = "values unless --with-values is given; references that lead nowhere",
             .takes_pair = true},
    .opens_file = true,
    .run = write_parquet,
};
