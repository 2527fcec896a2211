/*
 * The parts of a fleet by themselves: keys, names of folders, labels, what lies in a store, literals of SQL, answers,
 * and the verdict on many processes.
 */
#define _XOPEN_SOURCE 700 /* nftw */
#include <criterion/criterion.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/answer.h"
#include "fleet/judge.h"
#include "fleet/keys.h"
#include "fleet/labels.h"
#include "fleet/layout.h"
#include "fleet/tidy.h"
#include "io/checksum.h"
#include "support/random.h"

static hsd_error err;

static hsd_bytes bytes(const char *text) { return (hsd_bytes){(const uint8_t *)text, strlen(text)}; }

/* ---- keys */

Test(parts, a_key_is_of_kind_step_parent_edge_and_name)
{
    hsd_buffer scratch = {0};
    uint64_t keys[6];
    const hsd_fleet_path paths[] = {{HSD_FLEET_TYPE, HSD_STEP_OBJECT, 0, bytes(""), bytes("ab")},
                                    {HSD_FLEET_ROOT, HSD_STEP_OBJECT, 0, bytes(""), bytes("ab")},
                                    {HSD_FLEET_PLACE, HSD_STEP_OBJECT, 0, bytes("a"), bytes("b")},
                                    {HSD_FLEET_PLACE, HSD_STEP_FOLD, 0, bytes("a"), bytes("b")},
                                    {HSD_FLEET_PLACE, HSD_STEP_OBJECT, 7, bytes("a"), bytes("b")},
                                    {HSD_FLEET_PLACE, HSD_STEP_OBJECT, 0, bytes(""), bytes("ab")}};
    for (unsigned i = 0; i < 6; i++) {
        cr_assert_eq(hsd_fleet_key(&keys[i], &paths[i], &scratch, &err), HSD_OK);
        for (unsigned j = 0; j < i; j++)
            cr_assert_neq(keys[i], keys[j]);
    }
    cr_assert_eq(keys[0], hsd_checksum("\1\0\0\0\0\0\0\0\0\0\0\0\0\0ab", 16, 0));
    cr_assert_eq(keys[4], hsd_checksum("\3\0\7\0\0\0\0\0\0\0\1\0\0\0ab", 16, 0));
    hsd_buffer_release(&scratch);
}

/* ---- folders */

Test(parts, a_service_is_one_harmless_folder)
{
    static const char *const names[][2] = {{"shop", "service=shop"},
                                           {"..", "service=.."},
                                           {"a/b", "service=a%2Fb"},
                                           {"%41", "service=%2541"},
                                           {"\xff\n'", "service=%FF%0A%27"}};
    char part[HSD_FLEET_PART_CHARS], other[HSD_FLEET_PART_CHARS], longer[2000];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        hsd_fleet_service_part(part, names[i][0]);
        cr_assert_str_eq(part, names[i][1]);
    }
    for (unsigned size = 100; size < 1999; size++) {
        memset(longer, size % 2 ? '/' : 'x', size);
        longer[size] = 0;
        hsd_fleet_service_part(part, longer);
        cr_assert(strlen(part) < HSD_FLEET_PART_CHARS && strchr(part, '/') == NULL);
        if (size < 150) continue;
        longer[size - 1] = 'y'; /* what was cut off counts, too */
        hsd_fleet_service_part(other, longer);
        cr_assert_str_neq(part, other);
    }
}

Test(parts, a_day_is_of_utc)
{
    char part[HSD_FLEET_PART_CHARS];
    hsd_fleet_date_part(part, UINT64_C(1795132799999));
    cr_assert_str_eq(part, "date=2026-11-19");
    hsd_fleet_date_part(part, UINT64_C(1795132800000));
    cr_assert_str_eq(part, "date=2026-11-20");
    hsd_fleet_date_part(part, UINT64_MAX);
    cr_assert_str_eq(part, "date=1970-01-01");
}

/* ---- labels */

static hsd_status read_labels(hsd_fleet_labels *out, const hsd_fleet_label *labels, size_t count)
{
    hsd_error_init(&err);
    return hsd_fleet_labels_read(out, labels, count, &err);
}

Test(parts, labels_are_columns_or_json_in_any_order)
{
    const hsd_fleet_label one[] = {{"z", "1"}, {"service", "s"}, {"a\"", "\n'"}, {"version", "2"}},
                          two[] = {one[3], one[2], one[0], one[1]};
    hsd_fleet_labels a, b;
    cr_assert_eq(read_labels(&a, one, 4), HSD_OK);
    cr_assert_eq(read_labels(&b, two, 4), HSD_OK);
    cr_assert_eq(a.others.size, b.others.size);
    cr_assert_eq(memcmp(a.others.data, b.others.data, a.others.size), 0);
    cr_assert_eq(a.others.size, strlen("{\"a\\\"\":\"\\n'\",\"z\":\"1\"}"));
    cr_assert_str_eq(a.service.data, "s");
    cr_assert_str_eq(a.version.data, "2");
    hsd_fleet_labels_release(&a);
    hsd_fleet_labels_release(&b);
}

Test(parts, labels_that_cannot_be_are_refused)
{
    static char text[1002];
    memset(text, 'x', 1001);
    const hsd_fleet_label wrong[][2] = {{{"version", "1"}, {"host", "h"}}, {{"service", "a"}, {"service", "b"}},
                                        {{"service", "a"}, {"", "b"}},     {{"service", text}, {"host", "h"}},
                                        {{"service", "a"}, {text, "h"}},   {{"service", ""}, {"host", "h"}}};
    hsd_fleet_label many[HSD_FLEET_LABELS_MOST + 1];
    hsd_fleet_labels labels;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        cr_assert_eq(read_labels(&labels, wrong[i], 2), HSD_E_UNSUPPORTED, "%zu", i);
        cr_assert(err.text[0] != 0 && err.hint[0] != 0);
        hsd_fleet_labels_release(&labels);
    }
    for (size_t i = 0; i <= HSD_FLEET_LABELS_MOST; i++)
        many[i] = (hsd_fleet_label){"service", "a"};
    cr_assert_eq(read_labels(&labels, many, HSD_FLEET_LABELS_MOST + 1), HSD_E_UNSUPPORTED);
    hsd_fleet_labels_release(&labels);
}

/* ---- what lies in a store */

static char store[] = "/tmp/hsd-fleet-XXXXXX";

static void put_file(const char *path, const char *data, size_t size)
{
    char whole[256];
    snprintf(whole, sizeof whole, "%s/%s", store, path);
    FILE *file = fopen(whole, "w");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void put_batch(const char *name)
{
    static const char *const tables[] = {"captures", "rows", "names"};
    char path[200], *folder;
    cr_assert_eq(hsd_fleet_partition(store, "service=s", "date=2026-11-20", &folder, &err), HSD_OK);
    free(folder);
    snprintf(path, sizeof path, "%s/service=s/date=2026-11-20/%s", store, name);
    cr_assert_eq(mkdir(path, 0700), 0);
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "service=s/date=2026-11-20/%s/%s.parquet", name, tables[i]);
        put_file(path, "PAR1....\0\0\0\0PAR1", 16);
    }
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void remove_store(void) { cr_assert_eq(nftw(store, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0); }

Test(parts, batches_for_which_another_stands_do_not_count)
{
    static const char *const names[] = {"batch=a", "batch=b", "batch=c", "batch=d"};
    hsd_fleet_list list;
    cr_assert_not_null(mkdtemp(store));
    cr_assert_eq(hsd_fleet_list_batches(&list, store, NULL, NULL, NULL, &err), HSD_E_NOT_THIS_FORMAT);
    hsd_fleet_list_release(&list);
    cr_assert_eq(hsd_fleet_make(store, &err), HSD_OK);
    cr_assert_eq(hsd_fleet_make(store, &err), HSD_OK);
    for (unsigned i = 0; i < 4; i++)
        put_batch(names[i]);
    put_file("service=s/date=2026-11-20/batch=c/replaces", "batch=gone\nbatch=d\nbatch=a\n", 27);
    cr_assert_eq(hsd_fleet_list_batches(&list, store, NULL, NULL, NULL, &err), HSD_OK, "%s", err.text);
    cr_assert_eq(list.count, 2);
    cr_assert_str_eq(list.batches[0].path, "service=s/date=2026-11-20/batch=b");
    cr_assert_str_eq(list.batches[1].path, "service=s/date=2026-11-20/batch=c");
    cr_assert_eq(list.replaced_count, 2);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(hsd_fleet_remove_batch(store, list.replaced[i], &err), HSD_OK);
    cr_assert_eq(hsd_fleet_remove_batch(store, "service=s/date=2026-11-20/batch=gone", &err), HSD_OK);
    hsd_fleet_list_release(&list);
    cr_assert_eq(hsd_fleet_list_batches(&list, store, NULL, "service=s", "date=2026-11-20", &err), HSD_OK);
    cr_assert(list.count == 2 && list.replaced_count == 0);
    hsd_fleet_list_release(&list);
    cr_assert_eq(hsd_fleet_list_batches(&list, store, NULL, "service=s", "date=2026-11-21", &err), HSD_OK);
    cr_assert_eq(list.count, 0);
    hsd_fleet_list_release(&list);
    remove_store();
}

Test(parts, random_lists_of_replaced_batches_are_read_or_refused)
{
    test_random random = {test_seed(8)};
    static const char marks[] = "batch=a\n\r/.%'\0\xff";
    cr_assert_not_null(mkdtemp(store));
    cr_assert_eq(hsd_fleet_make(store, &err), HSD_OK);
    put_batch("batch=a");
    put_batch("batch=b");
    for (unsigned turn = 0; turn < 2000; turn++) {
        char text[64];
        hsd_fleet_list list;
        const size_t size = test_below(&random, sizeof text);
        for (size_t i = 0; i < size; i++)
            text[i] = marks[test_below(&random, i % 9 < 6 ? 7 : sizeof marks)];
        put_file("service=s/date=2026-11-20/batch=b/replaces", text, size);
        const hsd_status status = hsd_fleet_list_batches(&list, store, NULL, NULL, NULL, &err);
        cr_assert(status == HSD_OK || status == HSD_E_CORRUPT);
        cr_assert(status != HSD_OK || list.count > 0);
        hsd_fleet_list_release(&list);
    }
    remove_store();
}

/* ---- SQL */

Test(parts, a_literal_cannot_be_left)
{
    static const char *const texts[][2] = {{"a'b", "'a''b'"},      {"''", "''''''"}, {"\\'", "'\\'''"},
                                           {"\xff'", "'\\xff'''"}, {"", "''"},       {"\n.x", "'\n.x'"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hsd_buffer sql = {0};
        cr_assert_eq(hsd_sql_put_literal(&sql, (hsd_text){texts[i][0], strlen(texts[i][0])}, &err), HSD_OK);
        cr_assert_eq(hsd_buffer_append(&sql, "", 1, &err), HSD_OK);
        cr_assert_str_eq((const char *)sql.data, texts[i][1]);
        hsd_buffer_release(&sql);
    }
}

Test(parts, fields_of_an_answer_are_numbers_and_digits)
{
    char good[] = "-9223372036854775808", bad[] = "12x", none[] = "", digits[] = "4100FF", odd[] = "41g0";
    const hsd_answer_line line = {.fields = {good, bad, none, digits, odd}, .count = 5};
    hsd_arena arena = {0};
    hsd_text text;
    int64_t number;
    cr_assert_eq(hsd_answer_numbers(&line, 0, 1, &number, &err), HSD_OK);
    cr_assert_eq(number, INT64_MIN);
    cr_assert_eq(hsd_answer_numbers(&line, 1, 1, &number, &err), HSD_E_CORRUPT);
    cr_assert_eq(hsd_answer_numbers(&line, 2, 1, &number, &err), HSD_E_CORRUPT);
    cr_assert_eq(hsd_answer_text(&line, 3, &arena, &text, &err), HSD_OK);
    cr_assert(text.size == 3 && memcmp(text.data, "A\0\xff", 4) == 0);
    cr_assert_eq(hsd_answer_text(&line, 4, &arena, &text, &err), HSD_E_CORRUPT);
    hsd_arena_release(&arena);
}

/* ---- the verdict */

static void add_processes(hsd_fleet_side *side, test_random *random, unsigned processes, unsigned captures,
                          uint64_t per_hour)
{
    static hsd_fleet_points points;
    for (unsigned p = 0; p < processes; p++) {
        points.count = captures;
        for (unsigned i = 0; i < captures; i++) {
            points.times_ns[i] = UINT64_C(1795132800000000000) + i * UINT64_C(3600000000000);
            points.values[i] = 5000000 + i * per_hour + test_below(random, 100000);
        }
        cr_assert_eq(hsd_fleet_side_add(side, &points, 65536, &err), HSD_OK);
    }
}

/* `here` processes are judged against `there`; of so many of the first `captures` each are known. */
static hsd_fleet_verdict verdict_of_few(uint64_t before_per_hour, uint64_t after_per_hour, unsigned there,
                                        unsigned here, unsigned captures, uint64_t judged)
{
    test_random random = {test_seed(2)};
    hsd_fleet_side before = {0}, after = {0};
    hsd_fleet_verdict verdict;
    add_processes(&before, &random, there, captures, before_per_hour);
    add_processes(&after, &random, here, captures, after_per_hour);
    cr_assert_eq(hsd_fleet_judge(&verdict, &after, judged, &before, there, &err), HSD_OK);
    hsd_fleet_side_release(&before);
    hsd_fleet_side_release(&after);
    return verdict;
}

static hsd_fleet_verdict verdict_of(uint64_t before_per_hour, uint64_t after_per_hour, uint64_t judged)
{
    return verdict_of_few(before_per_hour, after_per_hour, 12, 12, 12, judged);
}

Test(parts, what_grows_in_most_processes_and_did_not_before_is_told)
{
    const hsd_fleet_verdict told = verdict_of(0, 500000, 12);
    cr_assert(told.grows && told.per_hour > 480000 && told.per_hour < 520000);
    cr_assert(told.p_millionths < 1000 && told.contrast_millionths < 50000);
    cr_assert_not(verdict_of(0, 0, 12).grows);
    cr_assert_not(verdict_of(500000, 500000, 12).grows);
    cr_assert_not(verdict_of(500000, 0, 12).grows);
    cr_assert_not(verdict_of(0, 500000, 30).grows); /* 12 of 30 */
}

Test(parts, a_few_processes_tell_if_each_grows_faster_than_all_before)
{
    cr_assert(verdict_of_few(0, 500000, 3, 3, 4, 3).grows);
    cr_assert(verdict_of_few(0, 500000, 20, 2, 6, 2).grows);
    cr_assert(verdict_of_few(0, 500000, 5, 1, 8, 1).grows);
    cr_assert_not(verdict_of_few(0, 500000, 3, 3, 3, 3).grows); /* chance alone orders nine values so */
    cr_assert_not(verdict_of_few(500000, 510000, 3, 3, 8, 3).grows);
    test_random random = {test_seed(2)};
    hsd_fleet_side before = {0}, after = {0};
    hsd_fleet_verdict verdict;
    add_processes(&before, &random, 2, 8, 0);
    add_processes(&before, &random, 1, 8, 600000); /* one of three grows faster */
    add_processes(&after, &random, 3, 8, 500000);
    cr_assert_eq(hsd_fleet_judge(&verdict, &after, 3, &before, 3, &err), HSD_OK);
    cr_assert_not(verdict.grows);
    hsd_fleet_side_release(&before);
    hsd_fleet_side_release(&after);
}

Test(parts, too_few_captures_tell_nothing)
{
    static const unsigned needed[][3] = {/* processes, captures, needed of each */
                                         {0, 0, 0},  {1, 7, 8},   {1, 8, 0},  {2, 8, 5},  {2, 10, 0},
                                         {3, 9, 4},  {3, 12, 0},  {4, 12, 4}, {4, 16, 0}, {5, 15, 4},
                                         {6, 18, 0}, {20, 40, 3}, {20, 60, 0}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        cr_expect_eq(hsd_fleet_captures_needed(needed[i][0], needed[i][1]), needed[i][2],
                     "%u processes, %u captures: %u", needed[i][0], needed[i][1],
                     hsd_fleet_captures_needed(needed[i][0], needed[i][1]));
}

Test(parts, noise_alone_never_grows)
{
    test_random random = {test_seed(6)};
    for (unsigned turn = 0; turn < 300; turn++) {
        hsd_fleet_side before = {0}, after = {0};
        hsd_fleet_verdict verdict;
        add_processes(&before, &random, 2 + turn % 5, 3 + turn % 9, 0);
        add_processes(&after, &random, 2 + turn % 5, 3 + turn % 9, 0);
        cr_assert_eq(hsd_fleet_judge(&verdict, &after, after.count, &before, before.count, &err), HSD_OK);
        cr_assert_not(verdict.grows, "turn %u", turn);
        hsd_fleet_side_release(&before);
        hsd_fleet_side_release(&after);
    }
}
