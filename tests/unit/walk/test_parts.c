/*
 * Parts of the walk that can be asked alone: ranges, pages, mappings, modules, size classes, pairs.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_table.h"
#include "native/walk/walk.h"
#include "support/random.h"

static hsa_arena arena;

static void setup(void) { cr_assert(hsa_arena_open(&arena, 64 << 20)); }
static void teardown(void) { hsa_arena_close(&arena); }

TestSuite(parts, .init = setup, .fini = teardown);

/* ---- ranges ---- */

enum { SPACE = 300 };

static void take_out(bool *is_out, hsn_range range)
{
    for (uintptr_t i = range.low; i < range.high; i++)
        is_out[i] = true;
}

Test(parts, holes_leave_out_what_was_added_and_nothing_else)
{
    test_random rng = {test_seed(5)};
    for (int round = 0; round < 300; round++) {
        hsn_holes holes;
        bool is_out[SPACE] = {false}, is_seen[SPACE] = {false};
        cr_assert(hsn_holes_open(&holes, &arena, 12));
        for (int i = 0; i < 12; i++) {
            const uintptr_t low = test_below(&rng, SPACE), high = low + test_below(&rng, SPACE / 10);
            const hsn_range range = {low, high < SPACE ? high : SPACE};
            hsn_holes_add(&holes, range);
            take_out(is_out, range);
        }
        const uintptr_t low = test_below(&rng, SPACE), high = low + test_below(&rng, SPACE - low);
        hsn_range rest = {low, high}, piece;
        while (hsn_holes_next(&holes, &rest, &piece)) {
            cr_assert_lt(piece.low, piece.high);
            take_out(is_seen, piece);
        }
        for (uintptr_t i = 0; i < SPACE; i++)
            cr_assert_eq(is_seen[i], i >= low && i < high && !is_out[i], "%zu", (size_t)i);
    }
}

/* ---- pages ---- */

Test(parts, untouched_pages_are_passed_over)
{
    enum { PAGES = 2000 };
    unsigned char *memory = mmap(NULL, PAGES * HSN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, PAGES * HSN_PAGE, MADV_NOHUGEPAGE);
    const int pagemap = open("/proc/self/pagemap", O_RDONLY);
    cr_assert_geq(pagemap, 0);
    static bool is_touched[PAGES], is_seen[PAGES];
    test_random rng = {test_seed(6)};
    for (int i = 0; i < 400; i++) {
        const size_t page = test_below(&rng, PAGES);
        memory[page * HSN_PAGE] = 1;
        is_touched[page] = true;
    }
    hsn_range rest = {(uintptr_t)memory, (uintptr_t)memory + PAGES * HSN_PAGE}, piece;
    while (hsn_touched_next(pagemap, &rest, &piece)) {
        for (uintptr_t at = piece.low; at < piece.high; at += HSN_PAGE)
            is_seen[(at - (uintptr_t)memory) / HSN_PAGE] = true;
    }
    for (size_t i = 0; i < PAGES; i++)
        cr_assert_eq(is_seen[i], is_touched[i], "page %zu", i);
    close(pagemap);
}

Test(parts, without_a_pagemap_all_counts_as_touched)
{
    hsn_range rest = {0x10008, 0x10008 + (5 << 20)}, piece;
    uintptr_t at = rest.low;
    while (hsn_touched_next(-1, &rest, &piece)) {
        cr_assert_eq(piece.low, at);
        at = piece.high;
    }
    cr_assert_eq(at, 0x10008 + (5 << 20));
}

Test(parts, what_cannot_be_read_is_not)
{
    unsigned char *memory = mmap(NULL, 2 * HSN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t word = 0;
    memset(memory, 7, HSN_PAGE);
    mprotect(memory + HSN_PAGE, HSN_PAGE, PROT_NONE);
    cr_assert(hsn_copy(&word, (uintptr_t)memory + HSN_PAGE - 8, 8));
    cr_assert_eq(word, UINT64_C(0x0707070707070707));
    cr_assert_not(hsn_copy(&word, (uintptr_t)memory + HSN_PAGE - 4, 8));
    cr_assert_not(hsn_copy(&word, 8, 8));
}

/* ---- mappings and modules ---- */

Test(parts, mappings_are_those_of_proc)
{
    hsn_maps maps;
    unsigned char *memory = mmap(NULL, HSN_PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(hsn_maps_read(&maps, &arena));
    const hsn_mapping *m = hsn_maps_find(&maps, (uintptr_t)memory);
    cr_assert_not_null(m);
    cr_assert(m->can_read && !m->can_write && !m->can_run && m->is_shared);
    m = hsn_maps_find(&maps, (uintptr_t)&hsn_maps_read);
    cr_assert(m->can_run && m->kind == HSN_MAPPING_FILE && memchr(m->path, '/', m->path_size) != NULL);
    m = hsn_maps_find(&maps, (uintptr_t)&maps);
    cr_assert(m->can_write && m->kind != HSN_MAPPING_FILE);
    cr_assert_null(hsn_maps_find(&maps, 8));
    for (size_t i = 1; i < maps.count; i++)
        cr_assert_leq(maps.mappings[i - 1].high, maps.mappings[i].low);
    FILE *file = fopen("/proc/self/maps", "r");
    size_t lines = 0;
    for (int c; (c = getc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    cr_assert(maps.count + 8 >= lines && maps.count <= lines + 8, "%zu of %zu", maps.count, lines);
}

static int check_module(struct dl_phdr_info *info, size_t size, void *context)
{
    const hsn_modules *modules = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        const uintptr_t offset = info->dlpi_phdr[i].p_vaddr + 8, address = info->dlpi_addr + offset;
        const hsn_module *m = hsn_module_of(modules, address);
        char name[HSN_NAME_BYTES], wanted[64];
        cr_assert_not_null(m, "%s", info->dlpi_name);
        cr_assert_eq(m->bias, info->dlpi_addr);
        const size_t length = hsn_name_address(modules, address, name);
        name[length] = '\0';
        snprintf(wanted, sizeof wanted, "+0x%zx{", (size_t)offset);
        cr_assert_not_null(strstr(name, wanted), "%s has no %s", name, wanted);
        cr_assert_eq(name[length - 1], '}');
        if (strstr(info->dlpi_name, "libc.so.6") != NULL) {
            cr_assert(m->is_allocator && !m->is_loader);
            cr_assert_eq(strncmp(name, "libc.so.6+0x", 12), 0);
            cr_assert_geq(m->build_id_size, 16); /* every distribution's has one */
        }
    }
    return 0;
}

Test(parts, modules_are_those_of_the_loader)
{
    hsn_maps maps;
    hsn_modules modules;
    char name[HSN_NAME_BYTES];
    cr_assert(hsn_maps_read(&maps, &arena));
    cr_assert(hsn_modules_find(&modules, &maps, &arena));
    cr_assert_null(modules.own, "the walk is part of this program");
    dl_iterate_phdr(check_module, &modules);
    const uintptr_t heap = (uintptr_t)malloc(1);
    cr_assert_eq(hsn_name_address(&modules, heap, name), strlen("(no file)"));
    free((void *)heap);
    const size_t size = hsn_name_address(&modules, FAKE_GONE + 0x12, name);
    cr_expect_eq(size, strlen("gone.so+0x12{ab01}"));
    cr_expect_arr_eq(name, "gone.so+0x12{ab01}", size);
    const hsn_mapping code = {.low = FAKE_GONE, .high = FAKE_GONE + 0x1000, .can_run = true};
    modules.maps = &(hsn_maps){.mappings = &code, .count = 1};
    cr_expect_eq(hsn_name_address(&modules, FAKE_GONE + 0x12, name), strlen("(no file)"), "there is other code now");
}

Test(parts, names_have_no_marks_of_their_own)
{
    hsn_maps maps;
    hsn_modules modules;
    cr_assert(hsn_maps_read(&maps, &arena));
    cr_assert(hsn_modules_find(&modules, &maps, &arena));
    const uintptr_t low = hsn_module_of(&modules, (uintptr_t)&hsn_maps_read)->low;
    hsn_mapping *mapping = (hsn_mapping *)(uintptr_t)hsn_maps_find(&maps, low);
    mapping->path = "/usr/lib/a+b{c}.so";
    mapping->path_size = 18;
    cr_assert(hsn_modules_find(&modules, &maps, &arena));
    const hsn_module *m = hsn_module_of(&modules, low);
    cr_assert_eq(m->name_size, 9);
    cr_assert_arr_eq(m->name, "a_b_c}.so", 9);
}

/* ---- numbers ---- */

Test(parts, size_classes_are_whole_and_close)
{
    cr_assert_eq(hsn_size_class(0), 8);
    cr_assert_eq(hsn_size_class(8), 8);
    cr_assert_eq(hsn_size_class(9), 16);
    cr_assert_eq(hsn_size_class(65), 72);
    cr_assert_eq(hsn_size_class(128), 128);
    cr_assert_eq(hsn_size_class(129), 160);
    cr_assert_eq(hsn_size_class(256), 256);
    cr_assert_eq(hsn_size_class(257), 320);
    cr_assert_eq(hsn_size_class(UINT64_C(1) << 40), UINT64_C(1) << 40);
    for (uint64_t size = 1; size < 100000; size++) {
        const uint64_t class = hsn_size_class(size);
        cr_assert_geq(class, size);
        cr_assert_leq(class, size < 128 ? size + 7 : size + size / 4);
        cr_assert_eq(hsn_size_class(class), class);
        cr_assert_geq(class, hsn_size_class(size - 1));
    }
}

Test(parts, pairs_know_what_was_put)
{
    enum { COUNT = 20000 };
    hsn_pairs pairs = {.arena = &arena};
    cr_assert_eq(hsn_pairs_get(&pairs, 1, 2), 0);
    for (uint32_t i = 1; i <= COUNT; i++) {
        uint32_t *value = hsn_pairs_put(&pairs, i / 7, i % 7);
        cr_assert_eq(*value, 0);
        *value = i;
    }
    for (uint32_t i = 1; i <= COUNT; i++) {
        cr_assert_eq(hsn_pairs_get(&pairs, i / 7, i % 7), i);
        cr_assert_eq(*hsn_pairs_put(&pairs, i / 7, i % 7), i);
    }
    cr_assert_eq(hsn_pairs_get(&pairs, 3, 7), 0);
    hsn_pairs_clear(&pairs);
    cr_assert_eq(hsn_pairs_get(&pairs, 1, 2), 0);
    hsa_arena small;
    cr_assert(hsa_arena_open(&small, 4096));
    hsn_pairs none = {.arena = &small};
    cr_assert_null(hsn_pairs_put(&none, 1, 1));
    hsa_arena_close(&small);
}

Test(parts, buffers_of_streams_are_known)
{
    static hsn_walker k;
    static char first[256], second[256];
    FILE *one = fopen("/dev/null", "w"), *other = fopen("/dev/null", "w");
    cr_assert(one != NULL && other != NULL);
    cr_assert(setvbuf(one, second, _IOFBF, sizeof second) == 0 && setvbuf(other, first, _IOFBF, sizeof first) == 0);
    hsn_find_streams(&k);
    cr_expect(hsn_is_of_stream(&k, (uintptr_t)first) && hsn_is_of_stream(&k, (uintptr_t)second));
    cr_expect_not(hsn_is_of_stream(&k, (uintptr_t)first + 1));
    for (size_t i = 1; i < k.stream_count; i++)
        cr_expect_lt(k.streams[i - 1], k.streams[i]);
    fclose(one);
    fclose(other);
    k.stream_count = 0;
    hsn_find_streams(&k);
    cr_expect_not(hsn_is_of_stream(&k, (uintptr_t)first));
}
