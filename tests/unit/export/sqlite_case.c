/* Captures, databases and questions. */
#include "sqlite_case.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char db_before[96], db_after[96], db_file[96];
hsd_error db_err;
void (*db_arm)(void);
static char folder[64];

void db_begin(void)
{
    snprintf(folder, sizeof folder, "/tmp/hsdiff-sqlite-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(db_before, sizeof db_before, "%s/before.hs", folder);
    snprintf(db_after, sizeof db_after, "%s/after.hs", folder);
    snprintf(db_file, sizeof db_file, "%s/heap.sqlite", folder);
    hsd_error_init(&db_err);
}

void db_end(void)
{
    remove(db_before);
    remove(db_after);
    remove(db_file);
    rmdir(folder);
}

hsd_capture *db_open_capture(const char *path)
{
    hsd_capture *capture;
    cr_assert_eq(hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &db_err), HSD_OK, "%s", db_err.text);
    return capture;
}

hsd_status db_export(bool is_pair, uint64_t memory_bytes)
{
    hsd_capture *before = is_pair ? db_open_capture(db_before) : NULL, *after = db_open_capture(db_after);
    const hsd_export_options options = {.format = "sqlite", .force = true, .with_values = true};
    const hsd_run run = {.memory_bytes = memory_bytes, .temp_dir = folder};
    hsd_export_result result;
    hsd_error_init(&db_err);
    if (db_arm != NULL) db_arm();
    const hsd_status status = hsd_export_file(before, after, db_file, &options, &run, &result, &db_err);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return status;
}

/* ---- questions */

typedef struct answer {
    char *text;
    size_t size, capacity;
} answer;

static void add(answer *a, const char *text, size_t size)
{
    if (a->size + size + 1 > a->capacity) {
        a->capacity = (a->size + size + 1) * 2;
        a->text = realloc(a->text, a->capacity);
        cr_assert_not_null(a->text);
    }
    memcpy(a->text + a->size, text, size);
    a->size += size;
    a->text[a->size] = '\0';
}

char *db_ask(hsd_sql *sql, const char *statement)
{
    answer a = {0};
    hsd_status status = hsd_sql_prepare(sql, statement, strlen(statement), &db_err);
    cr_assert_eq(status, HSD_OK, "%s: %s", statement, db_err.text);
    add(&a, "", 0);
    while ((status = hsd_sql_next(sql, &db_err)) == HSD_OK)
        for (unsigned i = 0; i < hsd_sql_column_count(sql); i++) {
            const hsd_sql_value value = hsd_sql_get(sql, i);
            if (i > 0) add(&a, "|", 1);
            add(&a, value.text.data, value.text.size);
            if (i + 1 == hsd_sql_column_count(sql)) add(&a, "\n", 1);
        }
    cr_assert_eq(status, HSD_END, "%s: %s", statement, db_err.text);
    return a.text;
}

static char *ask_captures(bool is_pair, const char *statement)
{
    hsd_capture *before = is_pair ? db_open_capture(db_before) : NULL, *after = db_open_capture(db_after);
    const hsd_run run = {.memory_bytes = 64 << 20, .temp_dir = folder};
    hsd_sql *sql;
    cr_assert_eq(hsd_sql_open(&sql, before, after, NULL, &run, &db_err), HSD_OK, "%s", db_err.text);
    char *text = db_ask(sql, statement);
    hsd_sql_close(sql);
    hsd_capture_close(before);
    hsd_capture_close(after);
    return text;
}

static char *ask_file(const char *statement)
{
    hsd_sql *sql;
    const int fd = open(db_file, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_eq(hsd_sql_open_file(&sql, fd, db_file, NULL, &db_err), HSD_OK, "%s", db_err.text);
    char *text = db_ask(sql, statement);
    hsd_sql_close(sql);
    close(fd);
    return text;
}

void db_expect(bool is_pair, const char *statement, const char *wanted)
{
    char *made = ask_captures(is_pair, statement);
    cr_expect_str_eq(made, wanted, "%s\n--- made\n%s--- wanted\n%s", statement, made, wanted);
    if (access(db_file, F_OK) != 0) cr_assert_eq(db_export(is_pair, 64 << 20), HSD_OK, "%s", db_err.text);
    char *exported = ask_file(statement);
    cr_expect_str_eq(exported, wanted, "%s\n--- exported\n%s--- wanted\n%s", statement, exported, wanted);
    free(made);
    free(exported);
}

void db_expect_refused(const char *statement, const char *why)
{
    hsd_capture *after = db_open_capture(db_after);
    hsd_sql *sql;
    cr_assert_eq(hsd_sql_open(&sql, NULL, after, NULL, NULL, &db_err), HSD_OK, "%s", db_err.text);
    hsd_error_init(&db_err);
    cr_expect_eq(hsd_sql_prepare(sql, statement, strlen(statement), &db_err), HSD_E_UNSUPPORTED, "%s was taken",
                 statement);
    cr_expect(strstr(db_err.text, why) != NULL, "%s: \"%s\", not \"%s\"", statement, db_err.text, why);
    hsd_sql_close(sql);
    hsd_capture_close(after);
}

/* ---- files */

size_t db_count_files(void)
{
    size_t count = 0;
    DIR *open = opendir(folder);
    cr_assert_not_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(open);
    return count;
}

char *db_read_file(size_t *size)
{
    struct stat info;
    const int fd = open(db_file, O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0 && fstat(fd, &info) == 0);
    *size = (size_t)info.st_size;
    char *bytes = malloc(*size + 1);
    cr_assert(bytes != NULL && read(fd, bytes, *size) == (ssize_t)*size);
    close(fd);
    return bytes;
}
