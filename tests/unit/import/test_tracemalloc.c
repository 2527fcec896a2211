/*
 * The importer of snapshots of tracemalloc, on pickles that are known byte by byte: sums by stack, both forms of a
 * trace, and whatever else a pickle could ask for, which is refused and not done.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

#define BEGIN                                                                                                          \
    "\x80\x05\x95\x00\x00\x00\x00\x00\x00\x00\x00\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94\x93\x94)\x81\x94}\x94("   \
    "\x8c\x06traces\x94h\x00\x8c\x07_Traces\x94\x93\x94)\x81\x94}\x94\x8c\x07_traces\x94]\x94("
/* What the importer knows the file by, with nothing on the stack. */
#define HEAD                                                                                                           \
    "\x80\x05\x8c\x0btracemalloc\x94\x8c\x08Snapshot\x94\x93"                                                          \
    "0"
#define END "esb\x8c\x0ftraceback_limit\x94K\x05ub."
/* (0, 100, (("/srv/shop/cache.py", 31), ("/srv/shop/main.py", 7)), 2); the stack is kept, as number 13 */
#define FIRST                                                                                                          \
    "(K\x00Kd\x8c\x12/srv/shop/cache.py\x94K\x1f\x86\x94\x8c\x11/srv/shop/main.py\x94K\x07\x86\x94\x86\x94K\x02t\x94"
#define AGAIN "(K\x00K\x32h\x10K\x02t\x94"
#define OLD   "K\x00Kd\x8c\x06<none>\x94K\x00\x86\x94\x85\x94\x87\x94"

typedef struct pickle {
    char data[4096];
    size_t size;
} pickle;

static void put(pickle *p, const void *bytes, size_t size)
{
    cr_assert(p->size + size <= sizeof p->data);
    memcpy(p->data + p->size, bytes, size);
    p->size += size;
}

#define PUT(p, text) put((p), (text), sizeof(text) - 1)

static hsd_status import(const pickle *p, const hsd_import_options *options, uint64_t memory_bytes,
                         hsd_import_result *result, capture_view *view, hsd_error *err)
{
    const hsd_run run = {.memory_bytes = memory_bytes};
    return import_bytes(p->data, p->size, "file", options, &run, result, view, err);
}

enum { SMALL = 4 << 20 };
static const hsd_import_options plain = {.compression = 1}, whatever = {.compression = 1, .salvage = true},
                                named = {.compression = 1, .format = "tracemalloc"};

static void open_snapshot(const pickle *p, hsd_import_result *result, capture_view *view)
{
    hsd_error err;
    cr_assert(import(p, &plain, SMALL, result, view, &err) == HSD_OK, "%s", err.text);
}

static void expect_failure(const pickle *p, hsd_status wanted, const char *word)
{
    hsd_error err;
    hsd_import_result result;
    const hsd_status got = import(p, &named, SMALL, &result, NULL, &err);
    cr_assert(got == wanted && strstr(err.text, word) != NULL, "%d: %s", got, err.text);
}

static void expect_total(const capture_view *view, const char *type, uint64_t objects, uint64_t bytes)
{
    uint64_t got_objects = 0, got_bytes = 0;
    view_total(view, type, &got_objects, &got_bytes);
    cr_assert(got_objects == objects && got_bytes == bytes, "%s: %llu of %llu bytes", type,
              (unsigned long long)got_objects, (unsigned long long)got_bytes);
}

Test(tracemalloc, sums_traces_by_their_stacks)
{
    pickle p = {.size = 0};
    hsd_import_result result;
    capture_view view;
    PUT(&p, BEGIN), PUT(&p, FIRST), PUT(&p, AGAIN), PUT(&p, OLD), PUT(&p, END);
    open_snapshot(&p, &result, &view);
    cr_assert(result.objects == 3 && result.bytes == 250 && result.is_complete);
    expect_total(&view, "allocated at shop/cache.py:31", 2, 150);
    expect_total(&view, "allocated at <none>", 1, 100);
    cr_assert(view.site_total_count == 2 && view.object_count == 0);
    const hsd_site *site = &view.sites[view.site_totals[0].site];
    cr_assert(strcmp(view_string(&view, site->file), "/srv/shop/cache.py") == 0 && site->line == 31);
    const hsd_site *caller = &view.sites[site->parent];
    cr_assert(strcmp(view_string(&view, caller->file), "/srv/shop/main.py") == 0 && caller->line == 7 &&
              caller->parent == 0);
    view_close(&view);
}

Test(tracemalloc, has_totals_alone_when_asked_for_a_summary)
{
    pickle p = {.size = 0};
    hsd_import_result result;
    capture_view view;
    hsd_error err;
    const hsd_import_options options = {.compression = 1, .summary_only = true};
    PUT(&p, BEGIN), PUT(&p, FIRST), PUT(&p, END);
    cr_assert(import(&p, &options, SMALL, &result, &view, &err) == HSD_OK, "%s", err.text);
    expect_total(&view, "allocated at shop/cache.py:31", 1, 100);
    cr_assert(view.site_total_count == 0);
    view_close(&view);
}

Test(tracemalloc, counts_what_is_no_trace_as_lost)
{
    pickle p = {.size = 0};
    hsd_import_result result;
    capture_view view;
    PUT(&p, BEGIN), PUT(&p, FIRST), PUT(&p, "NK\x01\x85"), PUT(&p, END);
    open_snapshot(&p, &result, &view);
    cr_assert(view_loss(&view, "traces that are none") == 2 && result.objects == 1);
    view_close(&view);
}

static void expect_refused(const char *text, size_t size, hsd_status wanted, const char *word)
{
    pickle p = {.size = 0};
    PUT(&p, HEAD);
    put(&p, text, size);
    expect_failure(&p, wanted, word);
}

#define EXPECT_REFUSED(text, wanted, word) expect_refused(text, sizeof(text) - 1, wanted, word)

/* What pickles can name is what an attacker would have called. */
Test(tracemalloc, refuses_whatever_else_a_pickle_names)
{
    EXPECT_REFUSED("\x8c\x02os\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R.", HSD_E_UNSUPPORTED, "os.system");
    EXPECT_REFUSED("\x8c\x0btracemalloc\x94\x8c\x05start\x94\x93.", HSD_E_UNSUPPORTED, "tracemalloc.start");
    EXPECT_REFUSED("cos\nsystem\n(S'id'\ntR.", HSD_E_UNSUPPORTED, "instruction 0x63");
    EXPECT_REFUSED(")R.", HSD_E_UNSUPPORTED, "instruction 0x52");
    EXPECT_REFUSED("\x80\x06.", HSD_E_TOO_NEW, "protocol 6");
}

Test(tracemalloc, refuses_what_does_not_hold_together)
{
    EXPECT_REFUSED(".", HSD_E_CORRUPT, "no traces");
    EXPECT_REFUSED("e.", HSD_E_CORRUPT, "mark is missing");
    EXPECT_REFUSED("(a.", HSD_E_CORRUPT, "stack is empty");
    EXPECT_REFUSED("](K\x01"
                   "a.",
                   HSD_E_CORRUPT, "stack is empty");
    EXPECT_REFUSED("h\x07.", HSD_E_CORRUPT, "refers to");
    EXPECT_REFUSED("\x94.", HSD_E_CORRUPT, "stack is empty");
    EXPECT_REFUSED("K\x01(K\x01"
                   "e.",
                   HSD_E_CORRUPT, "no list");
    EXPECT_REFUSED("(K\x01"
                   "e.",
                   HSD_E_CORRUPT, "no list");
    EXPECT_REFUSED(")\x93.", HSD_E_CORRUPT, "stack is empty");
    EXPECT_REFUSED("))\x93.", HSD_E_CORRUPT, "no name");
    EXPECT_REFUSED("))\x81.", HSD_E_CORRUPT, "no class");
    EXPECT_REFUSED("J\xff\xff\xff\xff.", HSD_E_CORRUPT, "negative");
    EXPECT_REFUSED("\x8a\x01\x80.", HSD_E_CORRUPT, "negative");
    EXPECT_REFUSED("\x8a\x09.", HSD_E_CORRUPT, "too large");
    EXPECT_REFUSED("\x8a\x08\x01\x01\x01\x01\x01\x01\x01\x7f.", HSD_E_CORRUPT, "too large");
    EXPECT_REFUSED("\x86.", HSD_E_CORRUPT, "stack is empty");
    EXPECT_REFUSED("K\x01K\x02(\x86.", HSD_E_CORRUPT, "stack is empty");
}

Test(tracemalloc, tells_a_cut_at_every_byte_and_keeps_what_is_there_when_asked)
{
    pickle p = {.size = 0};
    hsd_import_result result;
    PUT(&p, BEGIN), PUT(&p, FIRST), PUT(&p, AGAIN), PUT(&p, "e(" OLD), PUT(&p, END);
    for (size_t size = 40; size < p.size; size++) {
        hsd_error err;
        const pickle cut = {.size = size};
        memcpy((char *)cut.data, p.data, size);
        cr_assert(import(&cut, &plain, SMALL, &result, NULL, &err) == HSD_E_TRUNCATED, "at %zu: %s", size, err.text);
        const hsd_status kept = import(&cut, &whatever, SMALL, &result, NULL, &err);
        cr_assert(kept == HSD_E_TRUNCATED || (kept == HSD_OK && !result.is_complete && result.objects >= 2),
                  "at %zu: %s", size, err.text);
    }
}

/* Each byte changed: something is said, or something is imported. */
Test(tracemalloc, survives_every_changed_byte)
{
    pickle p = {.size = 0};
    hsd_import_result result;
    PUT(&p, BEGIN), PUT(&p, FIRST), PUT(&p, AGAIN), PUT(&p, OLD), PUT(&p, END);
    for (size_t i = 0; i < p.size; i++) {
        const char before = p.data[i];
        for (unsigned change = 1; change < 256; change += 51) {
            hsd_error err;
            p.data[i] = (char)((unsigned char)before ^ change);
            const hsd_status status = import(&p, &named, SMALL, &result, NULL, &err);
            cr_assert(status == HSD_OK || err.text[0] != '\0');
        }
        p.data[i] = before;
    }
}

Test(tracemalloc, says_how_much_memory_it_takes)
{
    const size_t traces = 200000;
    hsd_import_result result;
    hsd_error err;
    const hsd_run run = {.memory_bytes = 2 << 20};
    char *bytes;
    size_t size;
    FILE *file = open_memstream(&bytes, &size);
    fwrite(BEGIN, 1, sizeof BEGIN - 1, file);
    for (size_t i = 0; i < traces; i++)
        fwrite(OLD, 1, sizeof OLD - 1, file);
    fwrite(END, 1, sizeof END - 1, file);
    fclose(file);
    cr_assert(import_bytes(bytes, size, "file", &plain, &run, &result, NULL, &err) == HSD_E_OVER_BUDGET &&
                  strstr(err.hint, "--memory") != NULL,
              "%s", err.text);
    free(bytes);
}
