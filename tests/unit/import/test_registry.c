/*
 * Choosing an importer, refusing what none knows with a name for it, and results that appear whole or
 * not at all.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/identify.h"
#include "import/importer.h"
#include "unit/import/hprof_case.h"

/* ---- the auction */

static unsigned bids_8(const uint8_t *prefix, size_t size) { return size > 0 && prefix[0] == 'A' ? 8 : 0; }

static unsigned bids_16(const uint8_t *prefix, size_t size)
{
    return size > 1 && memcmp(prefix, "AB", 2) == 0 ? 16 : 0;
}

static const hsd_importer small = {.info = {.name = "small"}, .probe = bids_8};
static const hsd_importer other = {.info = {.name = "other"}, .probe = bids_8};
static const hsd_importer large = {.info = {.name = "large"}, .probe = bids_16};

Test(registry, takes_the_best_bid)
{
    const hsd_importer *const table[] = {&small, &large, NULL};
    const hsd_importer *chosen = NULL;
    hsd_error err;
    hsd_error_init(&err);
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"AB", 2, NULL, &err) == HSD_OK);
    cr_expect(chosen == &large);
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"A", 1, NULL, &err) == HSD_OK);
    cr_expect(chosen == &small);
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"X", 1, NULL, &err) == HSD_E_NOT_THIS_FORMAT);
    cr_expect_null(chosen);
}

Test(registry, refuses_a_tie_with_both_names)
{
    const hsd_importer *const table[] = {&small, &other, &large, NULL};
    const hsd_importer *chosen = NULL;
    hsd_error err;
    hsd_error_init(&err);
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"AX", 2, NULL, &err) == HSD_E_UNSUPPORTED);
    cr_expect_not_null(strstr(err.text, "small"));
    cr_expect_not_null(strstr(err.text, "other"));
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"AB", 2, NULL, &err) == HSD_OK);
    cr_expect(chosen == &large); /* a better bid ends the tie */
}

Test(registry, takes_the_one_that_was_named)
{
    const hsd_importer *const table[] = {&small, &other, NULL};
    const hsd_importer *chosen = NULL;
    hsd_error err;
    hsd_error_init(&err);
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"A", 1, "other", &err) == HSD_OK);
    cr_expect(chosen == &other);
    cr_expect(hsd_importer_choose_from(table, &chosen, (const uint8_t *)"A", 1, "none", &err) == HSD_E_UNSUPPORTED);
}

Test(registry, rows_are_whole)
{
    size_t i = 0;
    for (; hsd_importer_row(i) != NULL; i++) {
        const hsd_importer *row = hsd_importer_row(i);
        cr_expect(row->info.name != NULL && row->info.summary != NULL && row->info.suffixes != NULL);
        cr_expect(row->probe != NULL && row->run != NULL);
        cr_expect(row->probe((const uint8_t *)"", 0) == 0);
        cr_expect(hsd_importer_get(i) == &row->info);
    }
    cr_expect(i >= 2);
    cr_expect_null(hsd_importer_get(i));
    cr_expect_null(hsd_importer_get(i + 1000));
}

Test(registry, probes_prefixes)
{
    cr_expect_str_eq(hsd_import_probe("JAVA PROFILE 1.0.2\0\0\0\0\10", 23), "hprof");
    cr_expect_null(hsd_import_probe("JAVA PROFILE", 12));
    cr_expect_null(hsd_import_probe("", 0));
    cr_expect_null(hsd_import_probe("\x1f\x8b\x08\0\0\0\0\0\0\0", 10)); /* gzip of nothing yet */
}

Test(registry, tells_what_is_packed_by_its_first_bytes)
{
    static const struct {
        const char *bytes;
        size_t size;
    } packed[] = {
        {"\x1f\x8b\x08\0\0\0\0\0\0\3", 10}, {"\x04\x22\x4d\x18\x64\x40\xa7", 7}, {"\x28\xb5\x2f\xfd\x04\x58", 6}};
    uint8_t bytes[HSD_IMPORT_PACKED_BYTES];
    for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
        memset(bytes, 1, sizeof bytes);
        memcpy(bytes, packed[i].bytes, packed[i].size);
        cr_expect(hsd_import_is_packed(bytes, sizeof bytes), "%zu", i);
        cr_expect(!hsd_import_is_packed(bytes, 2), "%zu: two bytes of it", i);
        bytes[1] ^= 1;
        cr_expect(!hsd_import_is_packed(bytes, sizeof bytes), "%zu: another byte", i);
    }
    cr_expect(!hsd_import_is_packed("JAVA PROFILE 1.0.2\0\0\0\0\10", 23));
    cr_expect(!hsd_import_is_packed("", 0));
}

/* ---- what was found */

static void expect_found(const void *bytes, size_t size, const char *phrase)
{
    char found[160];
    hsd_identify(bytes, size, found, sizeof found);
    cr_expect_str_eq(found, phrase);
}

Test(registry, names_what_it_does_not_know)
{
    static const uint8_t core[18] = "\x7f"
                                    "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4";
    static const uint8_t zeros[64];
    expect_found("", 0, "an empty file");
    expect_found("\x89PNG\r\n\x1a\n....", 12, "a PNG image");
    expect_found("\x7f"
                 "ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0",
                 18, "an ELF file");
    expect_found(core, sizeof core, "a core dump (ELF)");
    expect_found("\x1f\x8b\x08\0", 4, "a gzip file");
    expect_found("PK\3\4....", 8, "a ZIP archive");
    expect_found("\x28\xb5\x2f\xfd", 4, "a zstd file");
    expect_found("  {\"a\": 1}", 10, "JSON, but no heap snapshot");
    expect_found("\xef\xbb\xbf[1]", 6, "JSON, but no heap snapshot");
    expect_found("{\n \"summary\": [ {\"zend_mm_heap_total\": 1", 40, "JSON of reli");
    expect_found("{\"summary\":[{\"zend", 18, "JSON, but no heap snapshot");
    expect_found("{\"version\":3,\"type\":\"Inspector\",\"nodes\":[", 41, "a heap snapshot of JavaScriptCore");
    expect_found("{\n  \"version\": 2,\n  \"type\": \"GCDebugging\"", 41, "a heap snapshot of JavaScriptCore");
    expect_found("{\"version\":3,\"type\":\"Insp", 25, "JSON, but no heap snapshot");
    expect_found("RMEM\1\0\0\0", 8, "a capture of reli");
    expect_found("<!DOCTYPE HTML><p>", 18, "an HTML page");
    expect_found("<?xml version=\"1.0\"?>", 21, "an XML file");
    expect_found("#!/bin/sh\n", 10, "a script");
    expect_found("==7== Memcheck, a memory error detector\n", 40, "a report of valgrind's memcheck");
    expect_found("<?xml version=\"1.0\"?>\n<protocoltool>memcheck</protocoltool>", 59,
                 "a report of valgrind's memcheck");
    expect_found("<?xml version=\"1.0\"?>\n<protocoltool>helgrind</protocoltool>", 59, "an XML file");
    expect_found("\n====\n==7==ERROR: LeakSanitizer: detected memory leaks\n", 55, "a report of LeakSanitizer");
    expect_found("[11:16:33] Top 2 stacks with outstanding allocations:\n", 54, "a report of memleak");
    expect_found("root:x:0:0\n", 11, "a text file");
    expect_found(" \n\t ", 4, "nothing but white space");
    expect_found("\xff\xfe"
                 "a\0b\0",
                 6, "UTF-16 text");
    expect_found(zeros, sizeof zeros, "nothing but zero bytes");
    expect_found("JAVA PROFILE 9", 14, "a Java profile");
    expect_found("\x01\x02\xfe", 3, "unknown bytes (01 02 fe)");
    expect_found("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x10\x11\x12\x13\x14\x15\x16\x17", 17,
                 "unknown bytes (01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 ...)");
}

Test(registry, names_it_in_a_small_space)
{
    char found[8];
    hsd_identify((const uint8_t *)"\x01\x02\xfe", 3, found, sizeof found);
    cr_expect_str_eq(found, "unknown");
}

/* ---- refusals */

static void expect_refused(const void *bytes, size_t size, const char *format, const char *text)
{
    hprof_case c = {.options = {.format = format}};
    case_import(&c, bytes, size);
    cr_expect(c.status == HSD_E_NOT_THIS_FORMAT, "%s", hsd_status_name(c.status));
    cr_expect_str_eq(c.err.text, text);
    cr_expect(c.err.hint[0] != '\0' && c.err.file[0] != '\0');
}

Test(registry, refuses_with_what_was_found_and_what_is_known)
{
    size_t size = 0;
    hprof_case c = {0};
    uint8_t *packed = case_gzip("root:x:0:0\n", 11, 0, &size);
    expect_refused("", 0, NULL, "no heap dump that hsdiff knows: this is an empty file");
    expect_refused("\x89PNG\r\n\x1a\n....", 12, NULL, "no heap dump that hsdiff knows: this is a PNG image");
    expect_refused(packed, size, NULL, "no heap dump that hsdiff knows: this is a gzip file holding a text file");
    expect_refused("[1, 2, 3]", 9, "hprof", "this is not hprof: it is JSON, but no heap snapshot");
    case_import(&c, "x", 1);
    cr_expect_not_null(strstr(c.err.hint, "hsdiff help formats"));
    free(packed);
}

Test(registry, sends_captures_back)
{
    static const char capture[] = "\x89HSC\r\n\x1a\n and more";
    expect_refused(capture, sizeof capture, NULL, "this is already a capture: there is nothing to import");
}

Test(registry, refuses_formats_that_are_not_there)
{
    hprof_case c = {.options = {.format = "nosuch"}};
    case_import(&c, "x", 1);
    cr_expect(c.status == HSD_E_UNSUPPORTED);
    cr_expect_str_eq(c.err.text, "there is no importer called nosuch");
}

/* ---- files */

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/hsd-registry-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static const char *in_folder(const char *name)
{
    static char paths[4][320];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int count_files(void)
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void remove_folder(void)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.') unlink(in_folder(entry->d_name));
    closedir(dir);
    rmdir(folder);
}

static void write_dump(const char *name, size_t missing)
{
    const heap_form form = {0};
    hprof_writer w;
    heap_write(&w, &form);
    FILE *file = fopen(in_folder(name), "wb");
    cr_assert_not_null(file);
    cr_assert(fwrite(w.data, 1, w.size - missing, file) == w.size - missing);
    cr_assert(fclose(file) == 0);
    hw_free(&w);
}

TestSuite(import_file, .init = make_folder, .fini = remove_folder);

Test(import_file, appears_whole_and_private)
{
    struct stat info;
    hsd_import_result result;
    hsd_error err;
    hsd_error_init(&err);
    write_dump("a.hprof", 0);
    cr_assert(hsd_import_file(in_folder("a.hprof"), in_folder("a.hs"), false, NULL, NULL, &result, &err) == HSD_OK,
              "%s", err.text);
    cr_assert(stat(in_folder("a.hs"), &info) == 0);
    cr_expect((info.st_mode & 0777) == 0600 && (uint64_t)info.st_size == result.output_bytes);
    cr_expect_str_eq(result.format, "hprof");
    cr_expect(count_files() == 2);
}

Test(import_file, replaces_only_when_told_to)
{
    hsd_error err;
    hsd_error_init(&err);
    write_dump("a.hprof", 0);
    for (unsigned i = 0; i < 3; i++) {
        const hsd_status status =
            hsd_import_file(in_folder("a.hprof"), in_folder("a.hs"), i == 2, NULL, NULL, NULL, &err);
        cr_expect(status == (i == 1 ? HSD_E_IO : HSD_OK), "%u: %s", i, err.text);
    }
}

Test(import_file, leaves_nothing_behind_when_it_fails)
{
    hsd_error err;
    hsd_error_init(&err);
    write_dump("cut.hprof", 100);
    cr_expect(hsd_import_file(in_folder("cut.hprof"), in_folder("a.hs"), false, NULL, NULL, NULL, &err) ==
              HSD_E_TRUNCATED);
    cr_expect(strstr(err.file, "cut.hprof") != NULL);
    cr_expect(hsd_import_file(in_folder("none.hprof"), in_folder("a.hs"), false, NULL, NULL, NULL, &err) == HSD_E_IO);
    cr_expect(count_files() == 1);
}

static bool refuse(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)stage, (void)done, (void)total;
    ++*(int *)context;
    return false;
}

Test(import_file, can_be_cancelled)
{
    int calls = 0, out = 0;
    const hsd_run run = {.progress = refuse, .progress_context = &calls};
    hsd_error err;
    hsd_error_init(&err);
    write_dump("a.hprof", 0);
    const hsd_status status = hsd_import_temp(in_folder("a.hprof"), NULL, &run, &out, NULL, &err);
    cr_expect(calls == 0 || status == HSD_E_CANCELLED);
    if (status == HSD_OK)
        close(out);
    else
        cr_expect(out == -1);
}
