/*
 * Questions: what may be asked, what is made for them, and databases that somebody else wrote.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <hscapture/hscapture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite_case.h"
#include "support/random.h"

static void begin_test(void);

TestSuite(sql, .init = begin_test, .fini = db_end, .timeout = 300);

static void begin_test(void)
{
    hsc_writer *w;
    hsc_options options;
    hsc_options_init(&options);
    db_begin();
    cr_assert_eq(hsc_open_file(&w, db_after, &options), HSC_OK);
    hsc_define_type(w, 1, "Node", 4, 0);
    hsc_define_string(w, 1, "next", 4);
    hsc_define_label(w, 1, HSC_LABEL_FIELD, 0, 1);
    for (uint64_t id = 1; id <= 500; id++) {
        hsc_begin_object(w, &(hsc_object){.id = id, .type = 1, .size_bytes = 32});
        if (id < 500) hsc_reference(w, id + 1, 1, 0);
        hsc_end_object(w);
    }
    hsc_root(w, &(hsc_root_record){.kind = HSC_ROOT_GLOBAL, .target = 1});
    cr_assert_eq(hsc_finish(w), HSC_OK);
    hsc_close(w);
}

/* ---- what may be asked */

Test(sql, answers_statements_that_read)
{
    db_expect(false, "select count(*) from objects", "500\n");
    db_expect(false, "values(1, 'a', null, 2.5)", "1|a||2.5\n");
    db_expect(false,
              "with recursive way(o, n) as (select 0, 0 union all select target, n + 1 from way join refs on source = "
              "o) select max(n) from way",
              "499\n");
    db_expect(false, " -- a comment\n select 1 ; ; -- and another\n", "1\n");
    db_expect(false, "select target_type, count(*) from v_references group by 1 having count(*) > 1", "Node|499\n");
    db_expect(false, "select name from pragma_table_info('labels') limit 2", "label\nkind\n");
    db_expect(false, "select value from json_each('[1, 2]')", "1\n2\n");
    db_expect(false, "select sum(x) from (select row_number() over (order by id) x from objects)", "125250\n");
}

Test(sql, refuses_what_does_more_than_read)
{
    static const char *const statements[] = {
        "insert into types values(1)",
        "update objects set bytes = 0",
        "delete from refs",
        "create table x(a)",
        "create temp table x(a)",
        "drop table types",
        "create view x as select 1",
        "create trigger x after insert on types begin select 1; end",
        "alter table types rename to x",
        "reindex",
        "analyze",
        "attach '/tmp/hsdiff-attached.db' as x",
        "detach main",
        "vacuum",
        "vacuum into '/tmp/hsdiff-vacuumed.db'",
        "begin",
        "commit",
        "savepoint x",
        "pragma writable_schema = 1",
        "pragma journal_mode = wal",
        "pragma user_version = 7",
        "pragma temp_store_directory = '/'",
        "update sqlite_master set name = 1",
        "select load_extension('x')",
        "create virtual table x using fts5(a)",
        "explain delete from types",
    };
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        db_expect_refused(statements[i], strstr(statements[i], "sqlite_master") != NULL
                                             ? "may not be modified"
                                             : "the statement does more than read: ");
    cr_expect_eq(access("/tmp/hsdiff-attached.db", F_OK), -1);
    cr_expect_eq(access("/tmp/hsdiff-vacuumed.db", F_OK), -1);
    cr_expect_eq(db_count_files(), 1);
}

Test(sql, says_what_is_wrong_and_where)
{
    db_expect_refused("select nam from types", "no such column: nam");
    cr_expect_eq(db_err.offset_bytes, 7);
    db_expect_refused("select * from growth_types", "no such table: growth_types");
    cr_expect(strstr(db_err.hint, "two captures") != NULL);
    db_expect_refused("selec 1", "syntax error");
    cr_expect_eq(db_err.offset_bytes, 0);
    db_expect_refused("", "there is no statement");
    db_expect_refused(" ; -- nothing", "there is no statement");
    db_expect_refused("select 1; select 2", "there is more than one statement");
    db_expect_refused("select 1; nonsense", "there is more than one statement");
    db_expect_refused("select zeroblob(1) where x'0' = 1", "unrecognized token");
}

static bool never(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage, (void)done, (void)total;
    unsigned *calls = context;
    return ++*calls < 3;
}

Test(sql, ends_endless_statements_when_asked_to)
{
    static const char endless[] =
        "with recursive c(x) as (select 1 union all select x + 1 from c) select max(x) from c";
    unsigned calls = 0;
    const hsd_run run = {.progress = never, .progress_context = &calls};
    hsd_capture *after = db_open_capture(db_after);
    hsd_sql *sql;
    cr_assert_eq(hsd_sql_open(&sql, NULL, after, NULL, &run, &db_err), HSD_OK);
    cr_assert_eq(hsd_sql_prepare(sql, endless, strlen(endless), &db_err), HSD_OK, "%s", db_err.text);
    cr_expect_eq(hsd_sql_next(sql, &db_err), HSD_E_CANCELLED);
    hsd_sql_close(sql);
    hsd_capture_close(after);
}

Test(sql, tells_errors_that_come_late)
{
    static const char overflow[] = "select abs(-9223372036854775808)", huge[] = "select length(zeroblob(2000000000))";
    hsd_capture *after = db_open_capture(db_after);
    hsd_sql *sql;
    cr_assert_eq(hsd_sql_open(&sql, NULL, after, NULL, NULL, &db_err), HSD_OK);
    cr_assert_eq(hsd_sql_prepare(sql, overflow, strlen(overflow), &db_err), HSD_OK);
    cr_expect_eq(hsd_sql_next(sql, &db_err), HSD_E_UNSUPPORTED);
    cr_expect_str_eq(db_err.text, "integer overflow");
    cr_assert_eq(hsd_sql_prepare(sql, huge, strlen(huge), &db_err), HSD_OK);
    cr_expect_eq(hsd_sql_next(sql, &db_err), HSD_E_UNSUPPORTED);
    char *still = db_ask(sql, "select count(*) from types");
    cr_expect_str_eq(still, "1\n");
    free(still);
    hsd_sql_close(sql);
    hsd_capture_close(after);
}

/* ---- what is made for a statement */

static bool note_stage(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    bool *was_walked = context;
    *was_walked |= strstr(stage, "walking") != NULL || strstr(stage, "dominat") != NULL;
    return true;
}

Test(sql, makes_the_tables_that_are_read)
{
    bool was_walked = false;
    const hsd_run run = {.progress = note_stage, .progress_context = &was_walked};
    hsd_capture *after = db_open_capture(db_after);
    hsd_sql *sql;
    cr_assert_eq(hsd_sql_open(&sql, NULL, after, NULL, &run, &db_err), HSD_OK);
    static const char *const plans[] = {"explain query plan select element from refs where target = 5",
                                        "explain query plan select bytes from objects where id = 5"};
    for (size_t i = 0; i < 2; i++) {
        char *plan = db_ask(sql, plans[i]);
        cr_expect(strstr(plan, i == 0 ? "USING INDEX refs_by_target" : "USING INDEX objects_by_id") != NULL, "%s",
                  plan);
        free(plan);
    }
    char *indexes = db_ask(sql, "select group_concat(name, ' ') from (select name from sqlite_schema where type = "
                                "'index' and sql is not null order by name)");
    cr_expect_str_eq(indexes, "objects_by_id refs_by_target\n");
    free(indexes);
    char *types = db_ask(sql, "select name, objects from types");
    cr_expect_str_eq(types, "Node|500\n");
    free(types);
    char *again = db_ask(sql, "select count(*) from refs where target = 5");
    cr_expect_str_eq(again, "1\n");
    free(again);
    cr_expect_not(was_walked);
    hsd_sql_close(sql);
    hsd_capture_close(after);
}

/* ---- databases of others */

static hsd_status ask_file(const char *statement)
{
    hsd_sql *sql;
    const int fd = open(db_file, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    hsd_status status = hsd_sql_open_file(&sql, fd, db_file, NULL, &db_err);
    if (status == HSD_OK) status = hsd_sql_prepare(sql, statement, strlen(statement), &db_err);
    while (status == HSD_OK)
        status = hsd_sql_next(sql, &db_err);
    hsd_sql_close(sql);
    close(fd);
    return status;
}

static void overwrite(off_t at, const void *bytes, size_t size)
{
    const int fd = open(db_file, O_WRONLY | O_CLOEXEC);
    cr_assert(fd >= 0 && pwrite(fd, bytes, size, at) == (ssize_t)size);
    close(fd);
}

Test(sql, tells_databases_apart)
{
    cr_assert_eq(db_export(false, 0), HSD_OK);
    cr_expect_eq(ask_file("select 1"), HSD_END);
    overwrite(60, "\0\0\0\x02", 4);
    cr_expect_eq(ask_file("select 1"), HSD_E_TOO_NEW);
    cr_expect_str_eq(db_err.text, "has tables of version 2; this hsdiff knows version 1");
    overwrite(68, "\0\0\0\0", 4);
    cr_expect_eq(ask_file("select 1"), HSD_E_NOT_THIS_FORMAT);
    overwrite(0, "x", 1);
    cr_expect_eq(ask_file("select 1"), HSD_E_NOT_THIS_FORMAT);
    cr_assert_eq(truncate(db_file, 50), 0);
    cr_expect_eq(ask_file("select 1"), HSD_E_NOT_THIS_FORMAT);
}

Test(sql, refuses_to_write_into_databases)
{
    cr_assert_eq(db_export(false, 0), HSD_OK);
    cr_expect_eq(ask_file("delete from types"), HSD_E_UNSUPPORTED);
    cr_expect_eq(ask_file("pragma user_version = 1"), HSD_E_UNSUPPORTED);
    cr_expect_eq(ask_file("select count(*) from refs"), HSD_END);
}

Test(sql, survives_damaged_databases)
{
    static const char *const statements[] = {"select sum(bytes), max(value) from objects", "select * from v_references",
                                             "select * from v_roots order by name", "pragma integrity_check"};
    size_t size;
    cr_assert_eq(db_export(false, 0), HSD_OK);
    char *whole = db_read_file(&size);
    test_random random = {test_seed(7)};
    for (unsigned i = 0; i < 120; i++) {
        const size_t at = (size_t)test_below(&random, i % 3 == 0 ? 4096 : size),
                     length = 1 + (size_t)test_below(&random, 16);
        const size_t count = length < size - at ? length : size - at;
        uint64_t noise[2] = {test_next(&random), test_next(&random)};
        overwrite((off_t)at, noise, count);
        for (size_t k = 0; k < sizeof statements / sizeof statements[0]; k++) {
            const hsd_status status = ask_file(statements[k]);
            cr_expect_neq(status, HSD_OK);
            cr_expect_neq(status, HSD_E_MISUSE);
        }
        overwrite((off_t)at, whole + at, count);
    }
    for (size_t length = size; length > 100; length = length * 2 / 3) {
        cr_assert_eq(truncate(db_file, (off_t)length), 0);
        cr_expect_neq(ask_file("select * from v_references"), HSD_OK);
    }
    free(whole);
}
