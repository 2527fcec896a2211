/*
 * Captures as databases: the whole export, and single tables as hsdiff sql makes them, with the default budget. Beside
 * them the bound that SQLite sets: rows of five numbers in the order of their key, as many as objects, and nothing that
 * is read for them.
 *
 *      bench_export_sqlite [OBJECTS]      CSV: stage,rows,seconds,M rows/s,MiB
 *
 * OBJECTS (default 500,000) with three references each, as gen/synth.h makes them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/note.h"
#include "export/tables/inserter.h"
#include "gen/synth.h"
#include <hsdiff/export.h>
#include <hsdiff/sql.h>

#define REPEATS 3

static char folder[] = "/tmp/hsdiff-bench-XXXXXX";
static char capture_path[64], database_path[64];
static hsd_error err;

static void must(hsd_status status)
{
    if (status == HSD_OK || status == HSD_END) return;
    fprintf(stderr, "bench_export_sqlite: %s\n", err.text);
    exit(1);
}

static void tell(const char *stage, uint64_t rows, uint64_t best_ns, double mib)
{
    const double seconds = (double)best_ns / 1e9;
    printf("%s,%llu,%.3f,%.2f,%.1f\n", stage, (unsigned long long)rows, seconds, (double)rows / seconds / 1e6, mib);
}

static bool write_heap(uint64_t objects)
{
    hsd_synth_options options;
    hsd_synth_options_init(&options);
    options.objects = objects;
    options.references = 3;
    hsd_synth *synth = hsd_synth_new(&options);
    const bool is_written = synth != NULL && hsd_synth_write(synth, false, capture_path) == HSC_OK;
    hsd_synth_free(synth);
    return is_written;
}

static hsd_capture *open_capture(void)
{
    hsd_capture *capture;
    must(hsd_capture_open(&capture, capture_path, HSD_DAMAGE_REFUSE, NULL, &err));
    return capture;
}

/* ---- stages: each returns rows, and the time of the best run in *ns */

static uint64_t export_all(uint64_t *ns)
{
    const hsd_export_options options = {.format = "sqlite", .force = true};
    hsd_export_result result = {0};
    *ns = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        hsd_capture *capture = open_capture();
        const uint64_t began = hsd_now_ns();
        must(hsd_export_file(NULL, capture, database_path, &options, NULL, &result, &err));
        const uint64_t took = hsd_now_ns() - began;
        if (took < *ns) *ns = took;
        hsd_capture_close(capture);
    }
    return result.rows;
}

static uint64_t ask(const char *statement, uint64_t *ns)
{
    uint64_t rows = 0;
    *ns = UINT64_MAX;
    for (int i = 0; i < REPEATS; i++) {
        hsd_capture *capture = open_capture();
        hsd_sql *sql;
        const uint64_t began = hsd_now_ns();
        must(hsd_sql_open(&sql, NULL, capture, NULL, NULL, &err));
        must(hsd_sql_prepare(sql, statement, strlen(statement), &err));
        must(hsd_sql_next(sql, &err));
        rows = (uint64_t)hsd_sql_get(sql, 0).integer;
        const uint64_t took = hsd_now_ns() - began;
        if (took < *ns) *ns = took;
        hsd_sql_close(sql);
        hsd_capture_close(capture);
    }
    return rows;
}

static uint64_t put_bound(uint64_t rows, uint64_t *ns)
{
    hsd_temp_space space;
    hsd_database database;
    hsd_inserter in;
    hsd_temp_space_init(&space, folder);
    const hsd_database_options options = {.fd = -1, .memory_bytes = 64 << 20, .space = &space};
    must(hsd_database_open(&database, &options, &err));
    must(hsd_database_exec(&database, NULL, "create table t(a integer primary key, b, c, d, e); begin", &err));
    must(hsd_inserter_open(&in, &database.sink, "", "t", rows, &err));
    const uint64_t began = hsd_now_ns();
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t k = 0; k < 5; k++)
            hsd_put_count(&in, i + k);
        must(hsd_put_row(&in, &err));
    }
    must(hsd_inserter_close(&in, HSD_OK, &err));
    *ns = hsd_now_ns() - began;
    hsd_database_close(&database);
    return rows;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *stage, *statement;
    } questions[] = {
        {"types", "select count(*) from types"},
        {"objects", "select count(*) from objects"},
        {"refs", "select count(*) from refs"},
        {"refs and index", "select count(*) + min(target) * 0 from refs"},
        {"retained", "select count(*) from retained"},
    };
    const uint64_t objects = argc > 1 ? strtoull(argv[1], NULL, 10) : 500000;
    uint64_t ns;
    struct stat info;
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(capture_path, sizeof capture_path, "%s/heap.hs", folder);
    snprintf(database_path, sizeof database_path, "%s/heap.sqlite", folder);
    if (!write_heap(objects)) return 1;
    printf("stage,rows,seconds,M rows/s,MiB\n");
    const uint64_t rows = export_all(&ns);
    tell("export", rows, ns, stat(database_path, &info) == 0 ? (double)info.st_size / 1048576.0 : 0);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const uint64_t count = ask(questions[i].statement, &ns);
        tell(questions[i].stage, count, ns, 0);
    }
    tell("bound", put_bound(objects, &ns), ns, 0);
    remove(capture_path);
    remove(database_path);
    rmdir(folder);
    return 0;
}
