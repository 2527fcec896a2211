/*
 * The importer of Go's heap dumps on a program that is known word by word.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "go/heap/index.h"
#include "support/goheap_writer.h"
#include "support/import_bytes.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

static hsd_status import(const void *data, size_t size, const hsd_import_options *options, hsd_import_result *result,
                         capture_view *view, hsd_error *err)
{
    return import_bytes(data, size, "dump", options, NULL, result, view, err);
}

static void expect_program(const capture_view *view)
{
    cr_expect_eq(view->object_count, 6);
    cr_expect_str_eq(view->info->runtime, "go1.19.8");
    cr_expect(view->info->identity == HSD_IDENTITY_ADDRESS);
    const view_object *list = view_find(view, 0xc000010000), *chain = view_find(view, 0xc000012010);
    cr_assert(list != NULL && chain != NULL);
    cr_expect_eq(list->count, 2, "%zu", list->count);
    cr_expect_str_eq(view_type(view, list->type), "object of 32 B, pointers at 0 8 16");
    cr_expect_str_eq(view_type(view, chain->type), "object of 16 B, pointer at 0");
    const view_reference *second = view_reference_of(view, list, "+8", 0);
    cr_assert(second != NULL);
    cr_expect_eq(second->target, 0xc000012010);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_GLOBAL, "bss+0x8", 0xc000010000), 1);
    /* An address inside the third node, from a frame. */
    cr_expect_eq(view_count_roots(view, HSC_ROOT_STACK, "goroutines in main.work", 0xc000012020), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_FINALIZER, "(finalizers)", 0xc000012000), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_RUNTIME, "other", 0xc000012010), 1);
    cr_expect_eq(view_count_roots(view, HSC_ROOT_GLOBAL, "data+0x0", 0xc000400000), 1);
    cr_expect_eq(view->root_count, 5);
    cr_expect_eq(view->thread_count, 1);
    cr_expect_eq(view->frame_count, 2);
    cr_assert(chain->site != 0);
    const hsd_site leak = view->sites[chain->site];
    cr_expect_str_eq(view_string(view, leak.function), "main.leak");
    cr_expect_str_eq(view_string(view, leak.file), "/src/main.go");
    cr_expect_eq(leak.line, 12);
    cr_expect_str_eq(view_string(view, view->sites[leak.parent].function), "main.main");
    cr_expect_eq(list->site, 0);
}

static bool is_known(const uint8_t *domain)
{
    static const uint8_t unknown[16];
    return memcmp(domain, unknown, 16) != 0;
}

Test(goheap, is_read_in_both_byte_orders)
{
    for (unsigned form = 0; form < 2; form++) {
        const hsd_import_options options = {.compression = 1};
        hsd_import_result result;
        capture_view view;
        goheap_dump dump;
        hsd_error err;
        goheap_program(&dump, form != 0, 8, true);
        cr_assert(import(dump.data, dump.size, &options, &result, &view, &err) == HSD_OK, "%s", err.text);
        expect_program(&view);
        cr_expect(result.is_complete && result.objects == 6 && is_known(view.info->domain));
        view_close(&view);
        goheap_release(&dump);
    }
}

Test(goheap, has_the_same_totals_in_a_summary)
{
    const hsd_import_options options = {.compression = 1, .summary_only = true};
    hsd_import_result result;
    capture_view view;
    goheap_dump dump;
    hsd_error err;
    uint64_t objects, bytes;
    goheap_program(&dump, false, 8, true);
    cr_assert(import(dump.data, dump.size, &options, &result, &view, &err) == HSD_OK, "%s", err.text);
    view_total(&view, "object of 16 B, pointer at 0", &objects, &bytes);
    cr_expect(objects == 3 && bytes == 48);
    view_total(&view, "object of 5242880 B, no pointers", &objects, &bytes);
    cr_expect(objects == 1 && result.objects == 6);
    view_close(&view);
    goheap_release(&dump);
}

static uint64_t native_of(const capture_view *view, uint64_t id)
{
    const view_object *object = view_find(view, id);
    cr_assert(object != NULL);
    return object->native_bytes;
}

/* What the program mapped itself counts once, and not with the list that package syscall has of it. What looks like it
 * is left alone. */
Test(goheap, counts_what_is_mapped_with_who_has_the_slice)
{
    enum { MAPPED = 0x10000 };
    const uint64_t at = 0x7f1200000000, other = 0x7f1300000000, listed[] = {0, at + MAPPED - 1, at, MAPPED, MAPPED, 0},
                   owner[] = {at, MAPPED, MAPPED, 7}, again[] = {at, MAPPED, MAPPED, 7},
                   two[] = {other, 0x2000, 0x2000, other + 0x2000, 0x1000, 0x1000},
                   odd[] = {other + 0x10001, MAPPED, MAPPED, other + 0x20000, 0x1000, 0x2000},
                   global[] = {0x700000, MAPPED, MAPPED, 0}, small[] = {at + 0x1000000, 100, 100, 0},
                   at_end[] = {0, 0, at + 0x2000000, MAPPED}, bss[] = {0xc000010000, 0};
    const hsd_import_options options = {.compression = 1};
    for (unsigned form = 0; form < 2; form++) {
        hsd_import_result result;
        capture_view view;
        goheap_dump dump;
        hsd_error err;
        goheap_begin(&dump, form != 0, 8);
        goheap_memory(&dump, 1, 0xc000010000, listed, ".pp...", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000012000, owner, "p...", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000012020, again, "p...", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000014000, two, "p..p..", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000016000, odd, "p..p..", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000018000, global, "p...", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000018020, small, "p...", form != 0, 8);
        goheap_memory(&dump, 1, 0xc000018040, at_end, "..p.", form != 0, 8);
        goheap_memory(&dump, 13, 0x620000, bss, "p.", form != 0, 8);
        goheap_end(&dump);
        cr_assert(import(dump.data, dump.size, &options, &result, &view, &err) == HSD_OK, "%s", err.text);
        cr_expect_eq(native_of(&view, 0xc000010000), 0);
        cr_expect_eq(native_of(&view, 0xc000012000), MAPPED);
        cr_expect_eq(native_of(&view, 0xc000012020), 0);
        cr_expect_eq(native_of(&view, 0xc000014000), 0x3000);
        cr_expect_eq(native_of(&view, 0xc000016000), 0);
        cr_expect_eq(native_of(&view, 0xc000018000), 0);
        cr_expect_eq(native_of(&view, 0xc000018020), 0);
        cr_expect_eq(native_of(&view, 0xc000018040), 0);
        view_close(&view);
        goheap_release(&dump);
    }
}

/* A prefix is refused as cut off, or with salvage gives what is there and says that it is not all. */
Test(goheap, is_known_when_it_is_cut)
{
    const hsd_import_options whole = {.compression = 1}, salvage = {.compression = 1, .salvage = true};
    goheap_dump dump;
    goheap_program(&dump, false, 8, false);
    size_t salvaged = 0;
    for (size_t size = 16; size < dump.size; size += 3) {
        hsd_import_result result;
        capture_view view;
        hsd_error err;
        cr_assert_eq(import(dump.data, size, &whole, &result, NULL, &err), HSD_E_TRUNCATED, "%zu bytes: %s", size,
                     err.text);
        if (import(dump.data, size, &salvage, &result, &view, &err) != HSD_OK) continue;
        cr_expect(!result.is_complete && !view.info->is_complete);
        salvaged++;
        view_close(&view);
    }
    cr_expect(salvaged > 100, "%zu", salvaged);
    goheap_release(&dump);
}

static void expect_corrupt(goheap_dump *dump, const char *why)
{
    const hsd_import_options options = {.compression = 1};
    hsd_import_result result;
    hsd_error err;
    cr_expect_eq(import(dump->data, dump->size, &options, &result, NULL, &err), HSD_E_CORRUPT);
    cr_expect(strstr(err.text, why) != NULL, "%s", err.text);
    goheap_release(dump);
}

Test(goheap, is_refused_where_it_makes_no_sense)
{
    const uint64_t words[] = {0, 0};
    goheap_dump dump;
    goheap_begin(&dump, false, 8);
    goheap_memory(&dump, 1, 0xc000000000, words, "p.", false, 8);
    goheap_memory(&dump, 1, 0xc000000000, words, "p.", false, 8);
    goheap_end(&dump);
    expect_corrupt(&dump, "two objects at 0xc000000000");
    goheap_begin(&dump, false, 8);
    goheap_number(&dump, 77);
    expect_corrupt(&dump, "a record of no known kind");
    goheap_begin(&dump, false, 8);
    goheap_memory(&dump, 1, 12345, words, "p.", false, 8);
    goheap_end(&dump);
    expect_corrupt(&dump, "an object of 16 bytes at 0x3039");
    goheap_begin(&dump, false, 5);
    goheap_end(&dump);
    expect_corrupt(&dump, "pointers of neither 4 nor 8 bytes");
}

/* ---- the index, against a list ---- */

typedef struct extent {
    uint64_t begin, size;
} extent;

Test(goheap, index_finds_what_a_list_finds)
{
    enum { COUNT = 4000 };
    static extent list[COUNT];
    goheap_index index = {0};
    uint64_t state = 88172645463325252u, at = 0xc000000000;
    for (size_t i = 0; i < COUNT; i++) {
        static const uint64_t sizes[] = {8, 16, 48, 1024, 8192, 57344, 9 << 20};
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const uint64_t size = sizes[state % (i % 100 == 0 ? 7 : 6)];
        at = (at + 8191) & ~(uint64_t)8191; /* a page has objects of one size */
        if (size < 8192) at += size * (state >> 8 & 7);
        list[i] = (extent){at, size};
        cr_assert_eq(hsd_goheap_index_put(&index, at, size, NULL), HSD_OK);
        at += size + (state >> 20 & 0xffff);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (int step = 0; step < 5; step++) {
            const uint64_t asked[] = {list[i].begin, list[i].begin + list[i].size / 2, list[i].begin + list[i].size - 1,
                                      list[i].begin + list[i].size, list[i].begin - 1};
            uint64_t begin = 0, wanted = 0;
            for (size_t k = i > 0 ? i - 1 : 0; k < COUNT && k <= i + 1; k++)
                if (asked[step] - list[k].begin < list[k].size) wanted = list[k].begin;
            const bool is_found = hsd_goheap_index_find(&index, asked[step], &begin);
            cr_assert(is_found == (wanted != 0) && (!is_found || begin == wanted), "0x%llx: 0x%llx, not 0x%llx",
                      (unsigned long long)asked[step], (unsigned long long)begin, (unsigned long long)wanted);
        }
    hsd_goheap_index_release(&index);
}
