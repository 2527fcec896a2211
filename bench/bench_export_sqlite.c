/*
 * Captures as databases: the whole export, and single tables as hsdiff sql makes them, with the default budget. Beside
 * them what SQLite alone takes:
 *
 *      bare import    the rows of the exported database, put one by one by the same statements into an empty one of the same schema, its
 *                     indexes made last: what is no SQLite in an export is what that is faster
 *      bound          rows of five numbers in the order of their key, as many as objects, and nothing that is read for them
 *
 *      bench_export_sqlite [OBJECTS]      CSV: stage,rows,seconds,M rows/s,MiB,wall seconds
 *
 * OBJECTS (default 500,000) with three references each, as gen/synth.h makes them. Seconds are of the processor, of all
 * threads, so that they count on a busy machine, too.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/note.h"
#include "export/tables/inserter.h"
#include "gen/synth.h"
#include <hsdiff/export.h>
#include <hsdiff/sql.h>

#define REPEATS 3

static char folder[] = "/tmp/hsdiff-bench-XXXXXX";
static char capture_path[64], database_path[64], bare_path[64];
static hsd_error err;

static void must(hsd_status status)
{
    if (status == HSD_OK || status == HSD_END) return;
    fprintf(stderr, "bench_export_sqlite: %s\n", err.text);
    exit(1);
}

typedef struct taken {
    uint64_t processor_ns, wall_ns;
} taken;

static taken now(void)
{
    struct timespec of_all;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &of_all);
    return (taken){(uint64_t)of_all.tv_sec * 1000000000u + (uint64_t)of_all.tv_nsec, hsd_now_ns()};
}

/* The best of what each clock has said. */
static void keep_best(taken *best, taken began)
{
    const taken end = now(), took = {end.processor_ns - began.processor_ns, end.wall_ns - began.wall_ns};
    if (took.processor_ns < best->processor_ns) best->processor_ns = took.processor_ns;
    if (took.wall_ns < best->wall_ns) best->wall_ns = took.wall_ns;
}

static void tell(const char *stage, uint64_t rows, taken best, double mib)
{
    const double seconds = (double)best.processor_ns / 1e9;
    printf("%s,%llu,%.3f,%.2f,%.1f,%.3f\n", stage, (unsigned long long)rows, seconds, (double)rows / seconds / 1e6, mib,
           (double)best.wall_ns / 1e9);
    fflush(stdout);
}

static double mib_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size / 1048576.0 : 0;
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

/* ---- stages: each returns rows, and the time of the best run in *best */

static uint64_t export_all(taken *best)
{
    const hsd_export_options options = {.format = "sqlite", .force = true};
    hsd_export_result result = {0};
    *best = (taken){UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < REPEATS; i++) {
        hsd_capture *capture = open_capture();
        const taken began = now();
        must(hsd_export_file(NULL, capture, database_path, &options, NULL, &result, &err));
        keep_best(best, began);
        hsd_capture_close(capture);
    }
    return result.rows;
}

static uint64_t ask(const char *statement, taken *best)
{
    uint64_t rows = 0;
    *best = (taken){UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < REPEATS; i++) {
        hsd_capture *capture = open_capture();
        hsd_sql *sql;
        const taken began = now();
        must(hsd_sql_open(&sql, NULL, capture, NULL, NULL, &err));
        must(hsd_sql_prepare(sql, statement, strlen(statement), &err));
        must(hsd_sql_next(sql, &err));
        rows = (uint64_t)hsd_sql_get(sql, 0).integer;
        keep_best(best, began);
        hsd_sql_close(sql);
        hsd_capture_close(capture);
    }
    return rows;
}

static uint64_t put_bound(uint64_t rows, taken *best)
{
    hsd_temp_space space;
    hsd_database database;
    hsd_inserter in;
    hsd_temp_space_init(&space, folder);
    const hsd_database_options options = {.fd = -1, .memory_bytes = 64 << 20, .space = &space};
    must(hsd_database_open(&database, &options, &err));
    must(hsd_database_exec(&database, NULL, "create table t(a integer primary key, b, c, d, e); begin", &err));
    must(hsd_inserter_open(&in, &database.sink, "", "t", rows, &err));
    const taken began = now();
    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t k = 0; k < 5; k++)
            hsd_put_count(&in, i + k);
        must(hsd_put_row(&in, &err));
    }
    must(hsd_inserter_close(&in, HSD_OK, &err));
    *best = (taken){UINT64_MAX, UINT64_MAX};
    keep_best(best, began);
    hsd_database_close(&database);
    return rows;
}

/* ---- SQLite alone */

static void must_sqlite(int code, sqlite3 *database)
{
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
    fprintf(stderr, "bench_export_sqlite: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static uint64_t copy_table(sqlite3 *from, sqlite3 *to, const char *name)
{
    char text[1024];
    sqlite3_stmt *read, *put;
    uint64_t rows = 0;
    int code;
    snprintf(text, sizeof text, "select * from \"%s\"", name);
    must_sqlite(sqlite3_prepare_v2(from, text, -1, &read, NULL), from);
    const int columns = sqlite3_column_count(read);
    size_t used = (size_t)snprintf(text, sizeof text, "insert into \"%s\" values (?", name);
    for (int i = 1; i < columns && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",?");
    snprintf(text + used, sizeof text - used, ")");
    must_sqlite(sqlite3_prepare_v2(to, text, -1, &put, NULL), to);
    for (; (code = sqlite3_step(read)) == SQLITE_ROW; rows++) {
        for (int i = 0; i < columns; i++)
            sqlite3_bind_value(put, i + 1, sqlite3_column_value(read, i));
        must_sqlite(sqlite3_step(put), to);
        must_sqlite(sqlite3_reset(put), to);
    }
    must_sqlite(code, from);
    sqlite3_finalize(read);
    sqlite3_finalize(put);
    return rows;
}

/* Tables with their rows, then indexes: what has a statement in the schema. */
static uint64_t copy_all(sqlite3 *from, sqlite3 *to)
{
    sqlite3_stmt *schema;
    uint64_t rows = 0;
    int code;
    must_sqlite(sqlite3_exec(to, "pragma journal_mode = off; pragma synchronous = off; begin", NULL, NULL, NULL), to);
    must_sqlite(sqlite3_prepare_v2(
                    from,
                    "select name, sql, type = 'table' from sqlite_master where sql is not null and type in ('table', "
                    "'index') order by type = 'index', rowid",
                    -1, &schema, NULL),
                from);
    while ((code = sqlite3_step(schema)) == SQLITE_ROW) {
        must_sqlite(sqlite3_exec(to, (const char *)sqlite3_column_text(schema, 1), NULL, NULL, NULL), to);
        if (sqlite3_column_int(schema, 2)) rows += copy_table(from, to, (const char *)sqlite3_column_text(schema, 0));
    }
    must_sqlite(code, from);
    sqlite3_finalize(schema);
    must_sqlite(sqlite3_exec(to, "commit", NULL, NULL, NULL), to);
    return rows;
}

static uint64_t import_bare(taken *best)
{
    uint64_t rows = 0;
    *best = (taken){UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < REPEATS; i++) {
        sqlite3 *from, *to;
        remove(bare_path);
        must_sqlite(sqlite3_open_v2(database_path, &from, SQLITE_OPEN_READONLY, NULL), from);
        must_sqlite(sqlite3_open(bare_path, &to), to);
        const taken began = now();
        rows = copy_all(from, to);
        keep_best(best, began);
        sqlite3_close(to);
        sqlite3_close(from);
    }
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
    taken best;
    if (mkdtemp(folder) == NULL) return 1;
    snprintf(capture_path, sizeof capture_path, "%s/heap.hs", folder);
    snprintf(database_path, sizeof database_path, "%s/heap.sqlite", folder);
    snprintf(bare_path, sizeof bare_path, "%s/bare.sqlite", folder);
    if (!write_heap(objects)) return 1;
    printf("stage,rows,seconds,M rows/s,MiB,wall seconds\n");
    const uint64_t rows = export_all(&best);
    tell("export", rows, best, mib_of(database_path));
    const uint64_t copied = import_bare(&best);
    tell("bare import", copied, best, mib_of(bare_path));
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        const uint64_t count = ask(questions[i].statement, &best);
        tell(questions[i].stage, count, best, 0);
    }
    const uint64_t bound = put_bound(objects, &best);
    tell("bound", bound, best, 0);
    remove(capture_path);
    remove(database_path);
    remove(bare_path);
    rmdir(folder);
    return 0;
}
