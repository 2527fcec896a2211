/*
 * The importer of heap profiles as text, on profiles that are known line by line: jemalloc's, gperftools' and Go's, how
 * their samples are scaled, which file an address lies in, and what is no profile.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

#define MAPS                                                                                                           \
    "\nMAPPED_LIBRARIES:\n"                                                                                            \
    "00400000-00402000 r-xp 00000000 fe:00 11     /srv/fixed\n"                                                        \
    "55686ad6e000-55686ad6f000 r--p 00000000 fe:00 12     /srv/my shop\n"                                              \
    "55686ad6f000-55686ad70000 r-xp 00001000 fe:00 12     /srv/my shop\n"                                              \
    "7f81e4200000-7f81f3e00000 rw-p 00000000 00:00 0 \n"                                                               \
    "7f81f6e00000-7f81f6f00000 r-xp 00001000 fe:00 13     /usr/lib/libjemalloc.so.2 (deleted)\n"                       \
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0           [vsyscall]"

static const char jemalloc[] = "heap_v2/1\n"
                               "  t*: 5003: 241000 [0: 0]\n"
                               "  t0: 5003: 241000 [0: 0]\n"
                               "@ 0x7f81f6ea2630 0x7f81f6e22045 0x55686ad6f22d 0x55686ad6f38b\n"
                               "  t*: 5000: 240000 [0: 0]\n"
                               "  t0: 4999: 239952 [0: 0]\n"
                               "  t1: 1: 48 [0: 0]\n"
                               "@ 0x7f81f6ea2631 0x55686ad6f22d 0x55686ad6f38b\n"
                               "  t*: 2: 96 [0: 0]\n"
                               "@ 0x401123 0x12345\n"
                               "  t*: 1: 904 [0: 0]\n" MAPS;

static const char gperftools[] = "heap profile:  10:  1000 [ 13349:  1523531] @ heapprofile\n"
                                 "     6:      600 [  5000:   960000] @ 0x55686ad6f22d 0x55686ad6f38b\n"
                                 "     4:      400 [  5000:   214995] @ 0x55686ad6f38b\n"
                                 "     0:        0 [    14:   131064] @ 0x55686ad6f5db 0x55686ad6f2f1\n" MAPS;

static const char go[] = "heap profile: 3: 212992 [5: 300000] @ heap/1048576\n"
                         "2: 212992 [2: 212992] @ 0x47a5d5 0x47a600\n"
                         "#\t0x47a5d4\tmain.fill+0x54\t\t/srv/shop/main.go:13\n"
                         "#\t0x47a5ff\tmain.main+0x1f\t\t/srv/shop/main.go:21\n"
                         "\n"
                         "1: 16 [1: 16] @ 0x47a5d5\n"
                         "#\t0x47a5d4\truntime.malg+0x54\t\t/usr/lib/go/runtime/proc.go:4\n"
                         "\n"
                         "# runtime.MemStats\n"
                         "# Alloc = 1234\n";

static hsd_status import(const char *text, size_t size, const hsd_import_options *options, uint64_t memory_bytes,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory_bytes};
    return import_bytes(text, size, "file", options, &run, result, view, err);
}

enum { SMALL = 4 << 20 };
static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true},
                                named = {.compression = 1, .format = "heapprofile"};

static void open_text(const char *text, hsd_import_result *result, capture_view *view)
{
    hsd_error err;
    cr_assert(import(text, strlen(text), &plain, SMALL, result, view, &err) == HSD_OK, "%s", err.text);
}

static void expect_total(const capture_view *view, const char *type, uint64_t objects, uint64_t bytes)
{
    uint64_t got_objects = 0, got_bytes = 0;
    view_total(view, type, &got_objects, &got_bytes);
    cr_assert(got_objects == objects && got_bytes == bytes, "%s: %llu of %llu bytes", type,
              (unsigned long long)got_objects, (unsigned long long)got_bytes);
}

static void expect_function(const capture_view *view, uint32_t site, const char *function)
{
    cr_assert(strcmp(view_string(view, view->sites[site].function), function) == 0, "%s",
              view_string(view, view->sites[site].function));
}

/* Frames of the allocator's own library are no place; addresses are those of the calls, as their file counts them. */
Test(heapprofile, reads_jemalloc)
{
    hsd_import_result result;
    capture_view view;
    open_text(jemalloc, &result, &view);
    cr_assert(result.objects == 5003 && result.bytes == 241000 && result.is_complete);
    expect_total(&view, "allocated at: my shop+0x122c{}", 5002, 240096);
    expect_total(&view, "allocated at: fixed+0x401122{}", 1, 904);
    cr_assert(view.site_total_count == 2);
    const uint32_t site = view.site_totals[0].site;
    expect_function(&view, site, "my shop+0x122c{}");
    expect_function(&view, view.sites[site].parent, "my shop+0x138a{}");
    expect_function(&view, view.sites[view.site_totals[1].site].parent, "(unknown function)");
    view_close(&view);
}

/* Where the allocator is part of the program only names can tell which frames are its own. */
Test(heapprofile, names_several_places_where_the_allocator_has_no_file)
{
    hsd_import_result result;
    capture_view view;
    open_text("heap_v2/0\n@ 0x401001 0x401101 0x401201\n  t*: 1: 8 [0: 0]\n\nMAPPED_LIBRARIES:\n"
              "00400000-00402000 r-xp 00000000 fe:00 11     /srv/fi+{xed\n",
              &result, &view);
    expect_total(&view, "{allocated} allocated at fi__xed+0x401000{} < fi__xed+0x401100{} < fi__xed+0x401200{}", 1, 8);
    view_close(&view);
}

Test(heapprofile, reads_gperftools)
{
    hsd_import_result result;
    capture_view view;
    open_text(gperftools, &result, &view);
    cr_assert(result.objects == 10 && result.bytes == 1000 && result.is_complete);
    expect_total(&view, "allocated at: my shop+0x122c{}", 6, 600);
    expect_total(&view, "allocated at: my shop+0x138a{}", 4, 400);
    cr_assert(view.site_total_count == 2);
    view_close(&view);
}

/* Go writes the names itself; its period is half of what the head says. 2 of 106,496 B each stand for
 * 2 / (1 - exp(-106496 / 524288)), 1 of 16 B for 1 / (1 - exp(-16 / 524288)). */
Test(heapprofile, reads_gos_text_and_scales_its_samples)
{
    hsd_import_result result;
    capture_view view;
    open_text(go, &result, &view);
    expect_total(&view, "allocated at main.fill", 11, 1158675);
    expect_total(&view, "allocated at runtime.malg", 32769, 524296);
    const uint32_t site = view.site_totals[0].site;
    expect_function(&view, site, "main.fill");
    cr_assert(view.sites[site].line == 13 &&
              strcmp(view_string(&view, view.sites[site].file), "/srv/shop/main.go") == 0);
    expect_function(&view, view.sites[site].parent, "main.main");
    view_close(&view);
}

Test(heapprofile, scales_large_and_small_allocations_by_their_chance)
{
    hsd_import_result result;
    capture_view view;
    open_text("heap_v2/524288\n@ 0x401001\n  t*: 1: 1073741824 [0: 0]\n@ 0x401002\n  t*: 3: 1572864 [0: 0]\n" MAPS,
              &result, &view);
    expect_total(&view, "allocated at: fixed+0x401000{}", 1, 1073741824);
    expect_total(&view, "allocated at: fixed+0x401001{}", 5, 2488234); /* 1 / (1 - 1 / e) = 1.58198 */
    view_close(&view);
}

Test(heapprofile, has_totals_alone_when_asked_for_a_summary)
{
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    const hsd_import_options options = {.compression = 1, .summary_only = true};
    cr_assert(import(gperftools, sizeof gperftools - 1, &options, SMALL, &result, &view, &err) == HSD_OK, "%s",
              err.text);
    expect_total(&view, "allocated at: my shop+0x122c{}", 6, 600);
    cr_assert(view.site_total_count == 0);
    view_close(&view);
}

Test(heapprofile, says_so_of_an_empty_heap)
{
    hsd_import_result result;
    capture_view view;
    open_text("heap_v2/524288\n  t*: 0: 0 [0: 0]\n" MAPS, &result, &view);
    cr_assert(result.objects == 0 && result.bytes == 0 && result.is_complete);
    view_close(&view);
}

static void expect_failure(const char *text, size_t size, hsd_status wanted, const char *word)
{
    hsd_error err;
    hsd_import_result result;
    const hsd_status got = import(text, size, &named, SMALL, &result, NULL, &err);
    cr_assert(got == wanted && strstr(err.text, word) != NULL, "%d: %s", got, err.text);
}

Test(heapprofile, refuses_what_is_of_no_heap)
{
    static const char growth[] = "heap profile: 3: 96 [5: 128] @ growthz\n", head[] = "heap profile: many\n",
                      none[] = "something else\n";
    expect_failure(growth, sizeof growth - 1, HSD_E_UNSUPPORTED, "growthz");
    expect_failure(head, sizeof head - 1, HSD_E_CORRUPT, "first line");
    expect_failure(none, sizeof none - 1, HSD_E_NOT_THIS_FORMAT, "a text file");
}

Test(heapprofile, refuses_a_line_without_an_end)
{
    const size_t size = 3 << 20;
    char *text = malloc(size);
    memset(text, '1', size);
    memcpy(text, "heap_v2/1\n@ ", 12);
    expect_failure(text, size, HSD_E_CORRUPT, "no end");
    free(text);
}

Test(heapprofile, counts_lines_that_say_nothing_as_lost)
{
    hsd_import_result result;
    capture_view view;
    open_text("heap_v2/1\n@ 0x401001 or so\n  t*: 1: 8 [0: 0]\nwhat\n  t*: 1 [0]\n" MAPS "\nnot a mapping\n", &result,
              &view);
    cr_assert(view_loss(&view, "lines of the heap dump that could not be read") == 4);
    expect_total(&view, "allocated at: fixed+0x401000{}", 1, 8);
    view_close(&view);
}

Test(heapprofile, keeps_the_innermost_frames_of_a_deep_stack)
{
    hsd_import_result result;
    capture_view view;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    fputs("heap_v2/1\n@", file);
    for (unsigned i = 0; i < 600; i++)
        fprintf(file, " 0x%x", 0x400001 + i);
    fputs("\n  t*: 1: 8 [0: 0]\n" MAPS, file);
    fclose(file);
    open_text(text, &result, &view);
    free(text);
    cr_assert(view_loss(&view, "stacks that were cut") > 0);
    expect_total(&view, "allocated at: fixed+0x400000{}", 1, 8);
    view_close(&view);
}

/* What stands behind the stacks tells that all are there. */
Test(heapprofile, tells_a_cut_and_keeps_what_is_there_when_asked)
{
    hsd_import_result result;
    hsd_error err;
    const size_t end = (size_t)(strstr(jemalloc, "MAPPED") - jemalloc);
    for (size_t size = 11; size < end; size++) {
        cr_assert(import(jemalloc, size, &plain, SMALL, &result, NULL, &err) == HSD_E_TRUNCATED, "at %zu: %s", size,
                  err.text);
        cr_assert(strstr(err.hint, "--partial") != NULL);
        cr_assert(import(jemalloc, size, &whatever, SMALL, &result, NULL, &err) == HSD_OK && !result.is_complete,
                  "at %zu: %s", size, err.text);
    }
}

/* Each byte changed: something is said, or something is imported. */
Test(heapprofile, survives_every_changed_byte)
{
    const char *texts[] = {jemalloc, gperftools, go};
    for (size_t t = 0; t < 3; t++) {
        char *text = strdup(texts[t]);
        const size_t size = strlen(text);
        for (size_t i = 0; i < size; i++) {
            for (unsigned change = 1; change < 256; change += 51) {
                hsd_import_result result;
                hsd_error err;
                text[i] = (char)((unsigned char)texts[t][i] ^ change);
                const hsd_status status = import(text, size, &named, SMALL, &result, NULL, &err);
                cr_assert(status == HSD_OK || err.text[0] != '\0');
            }
            text[i] = texts[t][i];
        }
        free(text);
    }
}

Test(heapprofile, says_how_much_memory_it_takes)
{
    const size_t stacks = 200000;
    hsd_import_result result;
    hsd_error err;
    const hsd_run run = {.memory_bytes = 2 << 20};
    char *bytes;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);
    fputs("heap_v2/1\n", file);
    for (size_t i = 0; i < stacks; i++)
        fprintf(file, "@ 0x%zx\n  t*: 1: 8 [0: 0]\n", 0x400000 + i);
    fputs(MAPS, file);
    fclose(file);
    cr_assert(import_bytes(bytes, size, "file", &plain, &run, &result, NULL, &err) == HSD_E_OVER_BUDGET &&
                  strstr(err.hint, "--memory") != NULL,
              "%s", err.text);
    free(bytes);
}
