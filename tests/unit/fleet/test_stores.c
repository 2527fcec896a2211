/*
 * Stores that are no folders: addresses, which must not tell a password; names of objects, which anybody may have put
 * into a bucket; fields of COPY.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/child.h"
#include "fleet/listing.h"
#include "fleet/postgres.h"
#include "fleet/store.h"
#include "support/random.h"

static hsd_error err;

/* ---- addresses */

Test(stores, an_address_is_a_url_and_a_password)
{
    static const char *const rows[][4] = {
        /* given, url, password, shown */
        {"postgresql://h/d", "postgresql://h/d", NULL, "postgresql://h/d"},
        {"postgres://me@h:5/d?sslmode=require", "postgres://me@h:5/d?sslmode=require", NULL, "postgres://me@h:5/d"},
        {"postgresql://me:se%2Fc%40@h/d", "postgresql://me@h/d", "se/c@", "postgresql://me@h/d"},
        {"postgresql://me:@h/d", "postgresql://me@h/d", "", "postgresql://me@h/d"},
        {"postgresql://:pw@h/d", "postgresql://@h/d", "pw", "postgresql://@h/d"},
        {"postgresql://me:a:b?c@h", "postgresql://me@h", "a:b?c", "postgresql://me@h"},
        {"postgresql://me@h/d?password=a%26b&port=5", "postgresql://me@h/d?port=5", "a&b", "postgresql://me@h/d"},
        {"postgresql://me:x@h/d?a=1&password=y&b=2", "postgresql://me@h/d?a=1&b=2", "y", "postgresql://me@h/d"},
        {"postgresql:///d?host=%2Ftmp", "postgresql:///d?host=%2Ftmp", NULL, "postgresql:///d"},
        {"s3://b", "s3://b/", NULL, "s3://b"},
        {"s3://b/c=d/e//", "s3://b/c=d/e/", NULL, "s3://b/c=d/e//"},
    };
    char shown[HSD_STORE_NAME_CHARS];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hsd_fleet_address address;
        cr_expect_str_eq(hsd_fleet_store_name(shown, sizeof shown, rows[i][0]), rows[i][3]);
        if (i + 1 == sizeof rows / sizeof rows[0]) continue; /* two slashes in a name of a bucket: refused below */
        cr_assert_eq(hsd_fleet_address_read(&address, rows[i][0], &err), HSD_OK, "%s: %s", rows[i][0], err.text);
        cr_expect_str_eq(address.url, rows[i][1]);
        cr_expect(rows[i][2] == NULL ? address.password == NULL : strcmp(address.password, rows[i][2]) == 0);
        hsd_fleet_address_release(&address);
    }
}

Test(stores, what_is_no_address_is_refused_without_its_words)
{
    static const char *const rows[] = {"postgresql://me:secret/x@h/d",
                                       "postgresql://me:sec@ret@h/d",
                                       "postgresql://me:secret%@h/d",
                                       "postgresql://me:secret%0@h/d",
                                       "postgresql://me:secret%00@h/d",
                                       "postgresql://me@h/d?password=secret%zz",
                                       "postgresql://me@h/d?sslpassword=secret",
                                       "postgresql://me:secret@h/d d",
                                       "postgresql://me:secret@h/\n",
                                       "s3://",
                                       "s3:///b",
                                       "s3://b//secret",
                                       "s3://b/secret*",
                                       "s3://key:secret@b",
                                       "s3://b?s3_secret_access_key=secret",
                                       "s3://b/'secret"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hsd_fleet_address address;
        hsd_error_init(&err);
        cr_expect_eq(hsd_fleet_address_read(&address, rows[i], &err), HSD_E_UNSUPPORTED, "%s", rows[i]);
        cr_expect_null(strstr(err.text, "secret"), "%s", err.text);
        cr_expect(strstr(err.file, "secret") == NULL || strncmp(rows[i], "s3://b/", 7) == 0, "%s", err.file);
        hsd_fleet_address_release(&address);
    }
}

Test(stores, random_addresses_never_show_a_password)
{
    static const char marks[] = "@:/?&%=.a0-sword2F";
    test_random random = {test_seed(19)};
    for (unsigned turn = 0; turn < 20000; turn++) {
        char text[96] = "postgresql://u:GEHEIM", shown[HSD_STORE_NAME_CHARS];
        hsd_fleet_address address;
        size_t size = strlen(text);
        const size_t end = size + test_below(&random, sizeof text - size - 1);
        while (size < end)
            text[size++] = marks[test_below(&random, sizeof marks - 1)];
        text[size] = '\0';
        const hsd_status status = hsd_fleet_address_read(&address, text, &err);
        cr_assert(status == HSD_OK || status == HSD_E_UNSUPPORTED);
        const char *at = strpbrk(text + 13, "@/");
        if (at != NULL && *at == '@') { /* where libpq sees a password */
            hsd_fleet_store_name(shown, sizeof shown, text);
            cr_assert_null(strstr(shown, "GEHEIM"), "%s: %s", text, shown);
            cr_assert(status != HSD_OK || strstr(address.url, "GEHEIM") == NULL, "%s: %s", text, address.url);
        }
        hsd_fleet_address_release(&address);
    }
}

Test(stores, a_secret_is_hidden_in_what_a_program_said)
{
    hsd_child child = {.said = "a hush! b hush!hush! c hus"};
    hsd_child_hide(&child, "hush!");
    cr_expect_str_eq(child.said, "a ***** b ********** c hus");
    hsd_child_hide(&child, NULL);
    hsd_child_hide(&child, "c");
    cr_expect_str_eq(child.said, "a ***** b ********** c hus");
}

/* ---- names of objects */

static hsd_status put_names(hsd_fleet_list *list, const char *const *names, const char *date)
{
    hsd_listing listing = {.list = list, .store = "s3://b/p", .date_part = date};
    hsd_status status = HSD_OK;
    *list = (hsd_fleet_list){.batches = NULL};
    for (; *names != NULL && status == HSD_OK; names++)
        status = hsd_listing_object(&listing, *names, &err);
    if (status == HSD_OK) status = hsd_listing_finish(&listing, &err);
    hsd_listing_release(&listing);
    return status;
}

Test(stores, a_batch_of_objects_counts_once_it_has_captures)
{
#define A "service=s/date=2026-11-20/batch=a/"
#define B "service=s/date=2026-11-21/batch=b/"
    static const char *const names[] = {".x",
                                        "hsdiff-fleet",
                                        A "captures.parquet",
                                        A "names.parquet",
                                        A "rows.parquet",
                                        B "names.parquet",
                                        B "rows.parquet",
                                        "service=s/",
                                        NULL};
    static const char *const torn[] = {A "captures.parquet", A "names.parquet", NULL};
    static const char *const foreign[][2] = {{"letter.txt", NULL},
                                             {A "letter.txt", NULL},
                                             {A, NULL},
                                             {"service=s/date=1/batch=2", NULL},
                                             {"service='/date=1/batch=2/rows.parquet", NULL},
                                             {"date=1/service=s/batch=2/rows.parquet", NULL}};
    hsd_fleet_list list;
    cr_assert_eq(put_names(&list, names, NULL), HSD_OK, "%s", err.text);
    cr_assert_eq(list.count, 1);
    cr_assert_str_eq(list.batches[0].path, "service=s/date=2026-11-20/batch=a");
    hsd_fleet_list_release(&list);
    cr_assert_eq(put_names(&list, names, "date=2026-11-21"), HSD_OK);
    cr_assert_eq(list.count, 0);
    hsd_fleet_list_release(&list);
    cr_assert_eq(put_names(&list, torn, NULL), HSD_E_CORRUPT);
    hsd_fleet_list_release(&list);
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        const bool is_folder = foreign[i][0][strlen(foreign[i][0]) - 1] == '/';
        cr_expect_eq(put_names(&list, foreign[i], NULL), is_folder ? HSD_OK : HSD_E_CORRUPT, "%s", foreign[i][0]);
        hsd_fleet_list_release(&list);
    }
}

Test(stores, random_objects_are_batches_or_refused)
{
    static const char *const pieces[] = {"service=s",
                                         "/",
                                         "date=2026-11-20",
                                         "/",
                                         "batch=",
                                         "a",
                                         "b",
                                         "/",
                                         "captures.parquet",
                                         "rows.parquet",
                                         "names.parquet",
                                         "replaces",
                                         "'",
                                         "..",
                                         "\n",
                                         "%",
                                         ".",
                                         ""};
    static const char marks[] = "batch=a\n\r/.%'\xff";
    test_random random = {test_seed(20)};
    for (unsigned turn = 0; turn < 20000; turn++) {
        hsd_fleet_list list = {.batches = NULL};
        hsd_listing listing = {.list = &list, .store = "s3://b/p"};
        hsd_status status = HSD_OK;
        for (unsigned object = 0; object < 4 && status == HSD_OK; object++) {
            char name[256] = "", content[40];
            size_t end = 0;
            const unsigned count = (unsigned)test_below(&random, 9), from = (unsigned)test_below(&random, 2) * 3;
            for (unsigned i = 0; i < count; i++)
                end += (size_t)snprintf(name + end, sizeof name - end, "%s",
                                        pieces[test_below(&random, 5) > 0 ? (i + from) % 8 : test_below(&random, 18)]);
            if (name[0] == '\0') continue;
            const size_t size = test_below(&random, sizeof content);
            for (size_t i = 0; i < size; i++)
                content[i] = marks[test_below(&random, sizeof marks - 1)];
            status = test_below(&random, 3) > 0 ? hsd_listing_object(&listing, name, &err)
                                                : hsd_listing_replaces(&listing, name, (hsd_text){content, size}, &err);
        }
        if (status == HSD_OK) status = hsd_listing_finish(&listing, &err);
        cr_assert(status == HSD_OK || status == HSD_E_CORRUPT);
        for (size_t i = 0; i < list.count; i++) /* such names go into SQL as they are */
            cr_assert_null(strpbrk(list.batches[i].path, "'\n\\\""));
        for (size_t i = 0; i < list.replaced_count && status == HSD_OK; i++)
            cr_assert_null(strpbrk(list.replaced[i], "'\n\\\""));
        hsd_listing_release(&listing);
        hsd_fleet_list_release(&list);
    }
}

/* ---- fields of COPY */

Test(stores, a_field_of_copy_is_one_field)
{
    static const struct field_row {
        hsd_text given;
        const char *wanted;
    } rows[] = {{{"", 0}, ""},
                {{"a b", 3}, "a b"},
                {{"\\N", 2}, "\\\\N"},
                {{"\\.\n", 3}, "\\\\.\\n"},
                {{"\t\r", 2}, "\\t\\r"},
                {{"\xc3\xa9", 2}, "\xc3\xa9"},
                {{"a\xff\\", 3}, "a\\\\xff\\\\"},
                {{"n\0l", 3}, "n\\\\x00l"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hsd_buffer line = {0};
        cr_assert_eq(hsd_psql_put_field(&line, rows[i].given, &err), HSD_OK);
        cr_assert_eq(hsd_buffer_append(&line, "", 1, &err), HSD_OK);
        cr_expect_str_eq((const char *)line.data, rows[i].wanted);
        hsd_buffer_release(&line);
    }
}
