/*
 * Every step of a walk over a file that is damaged, cut off or filled with zeros, with its place and its bytes; most
 * of all where a header begins at the end of what is looked through at once, and where the file ends with a header.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "format/bytes.h"
#include "format/scan.h"
#include "unit/format/legal.h"

#define WINDOW ((size_t)1 << 18) /* as much is looked through at once */

/* ---- the steps as text ---- */

static char steps[4096];

static void add_step(const hsd_scan_step *step)
{
    static const char *const kinds[] = {
        [HSD_SCAN_BLOCK] = "block", [HSD_SCAN_DAMAGE] = "damage", [HSD_SCAN_CUT] = "cut", [HSD_SCAN_END] = "end"};
    const size_t size = strlen(steps);
    char more[512] = "";
    if (step->kind == HSD_SCAN_BLOCK)
        snprintf(more, sizeof more, " %llu", (unsigned long long)step->header.number);
    else
        snprintf(more, sizeof more, " at %llu, %llu bytes", (unsigned long long)step->offset_bytes,
                 (unsigned long long)step->bytes);
    if (step->kind == HSD_SCAN_BLOCK && step->is_usable && step->missing > 0)
        snprintf(more + strlen(more), sizeof more - strlen(more), " behind %llu more",
                 (unsigned long long)step->missing);
    if ((step->kind == HSD_SCAN_BLOCK && !step->is_usable) || step->kind == HSD_SCAN_DAMAGE ||
        step->kind == HSD_SCAN_CUT)
        snprintf(more + strlen(more), sizeof more - strlen(more), ": %s: %s", step->fault.rule, step->fault.text);
    const int length = snprintf(steps + size, sizeof steps - size, "%s%s\n", kinds[step->kind], more);
    cr_assert(length > 0 && (size_t)length < sizeof steps - size);
}

/* Walks over these bytes; the first steps that are blocks without a fault are left out up to `from`. */
static const char *walked(const void *bytes, size_t size, uint64_t from)
{
    hsd_file file = {0};
    hsd_fault fault;
    hsd_scan scan;
    hsd_scan_step step;
    hsd_error err;
    memfile memory = memfile_of(bytes, size);
    steps[0] = '\0';
    cr_assert_eq(hsd_input_open(&file.input, memory.path, NULL, &err), HSD_OK);
    cr_assert_eq(hsd_file_read_header(&file, &fault), HSD_OK);
    hsd_scan_begin(&scan, &file);
    do {
        cr_assert_eq(hsd_scan_next(&scan, &step), HSD_OK);
        if (step.kind != HSD_SCAN_BLOCK || !step.is_usable || step.missing > 0 || step.header.number >= from)
            add_step(&step);
    } while (step.kind != HSD_SCAN_CUT && step.kind != HSD_SCAN_END);
    hsd_scan_finish(&scan);
    hsd_input_close(&file.input);
    memfile_close(&memory);
    return steps;
}

static void expect_steps(const void *bytes, size_t size, uint64_t from, const char *expected)
{
    const char *told = walked(bytes, size, from);
    cr_assert_str_eq(told, expected, "%zu bytes:\n%snot:\n%s", size, told, expected);
}

/* A capture of three blocks, `gap` bytes of `fill` between the second and the third. */
static uint8_t *with_gap(size_t gap, int fill, size_t *at, size_t *size)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_strings(&f);
    *at = f.bytes.size;
    legal_put_types(&f);
    uint8_t *bytes = malloc(f.bytes.size + gap);
    cr_assert_not_null(bytes);
    memcpy(bytes, f.bytes.data, *at);
    memset(bytes + *at, fill, gap);
    memcpy(bytes + *at + gap, f.bytes.data + *at, f.bytes.size - *at);
    *size = f.bytes.size + gap;
    forge_free(&f);
    return bytes;
}

/* ---- damage ---- */

Test(scan_steps, the_next_header_is_found_wherever_it_is)
{
    /* What follows the first byte of the damage is looked through; a header of 56 bytes lies at the end of what is read
     * at once, across it, and at the beginning of what is read next. */
    static const size_t places[] = {0, 1, 2, 53, 54, 55, 56, 57};
    for (size_t window = 0; window <= 2; window++) {
        for (size_t i = 0; i < HSD_ARRAY_LEN(places); i++) {
            const size_t gap = window * (WINDOW - 55) + places[i] + (window == 0);
            char expected[256];
            size_t at, size;
            uint8_t *bytes = with_gap(gap, window == 0 ? 'H' : 'x', &at, &size);
            snprintf(expected, sizeof expected,
                     "damage at %zu, %zu bytes: 4.2: no block begins here\nblock 2\nend at %zu, 0 bytes\n", at, gap,
                     size);
            expect_steps(bytes, size, 2, expected);
            free(bytes);
        }
    }
}

/* What is left behind a damaged block is a header and nothing else, or a byte less. */
Test(scan_steps, a_header_may_end_the_file)
{
    char expected[256];
    size_t at, size;
    uint8_t *bytes = with_gap(70, 'x', &at, &size);
    for (size_t left = 56; left <= 57; left++) {
        snprintf(expected, sizeof expected,
                 "damage at %zu, 70 bytes: 4.2: no block begins here\ncut at %zu, %zu bytes: 2.1: was cut off at byte "
                 "%zu, inside block 2\n",
                 at, at + 70, left, at + 70 + left);
        expect_steps(bytes, at + 70 + left, 2, expected);
    }
    snprintf(expected, sizeof expected, "damage at %zu, %d bytes: 4.2: no block begins here\nend at %zu, 0 bytes\n", at,
             70 + 55, at + 70 + 55);
    expect_steps(bytes, at + 70 + 55, 2, expected);
    snprintf(expected, sizeof expected, "damage at %zu, 56 bytes: 4.2: no block begins here\nend at %zu, 0 bytes\n", at,
             at + 56);
    expect_steps(bytes, at + 56, 2, expected);
    snprintf(expected, sizeof expected, "cut at %zu, 55 bytes: 2.1: was cut off at byte %zu, inside block 2\n", at,
             at + 55);
    expect_steps(bytes, at + 55, 2, expected);
    free(bytes);
}

/* The last byte that is skipped looks like the beginning of the header behind it. */
Test(scan_steps, a_header_that_ends_the_file_is_found)
{
    for (size_t gap = 1; gap <= 3; gap++) {
        char expected[256];
        size_t at, size;
        uint8_t *bytes = with_gap(gap, 'H', &at, &size);
        snprintf(expected, sizeof expected,
                 "damage at %zu, %zu bytes: 4.2: no block begins here\ncut at %zu, 56 bytes: 2.1: was cut off at byte "
                 "%zu, inside block 2\n",
                 at, gap, at + gap, at + gap + 56);
        expect_steps(bytes, at + gap + 56, 2, expected);
        free(bytes);
    }
}

/* ---- zeros ---- */

/* Zeros to the end are what a crash leaves; one byte among them, wherever it is, is damage. */
Test(scan_steps, a_file_of_zeros_was_cut_off)
{
    static const size_t sizes[] = {56, 57, WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 56, 2 * WINDOW, 2 * WINDOW + 60};
    for (size_t i = 0; i < HSD_ARRAY_LEN(sizes); i++) {
        const size_t zeros = sizes[i];
        char expected[256];
        size_t at, size;
        uint8_t *bytes = with_gap(zeros, 0, &at, &size);
        size = at + zeros;
        snprintf(expected, sizeof expected,
                 "cut at %zu, %zu bytes: 2.1: was cut off at byte %zu, before block 2: the rest of the file is zeros\n",
                 at, zeros, at);
        expect_steps(bytes, size, 2, expected);
        const size_t places[] = {0, 1, 55, zeros / 2, zeros - 2, zeros - 1};
        snprintf(expected, sizeof expected,
                 "damage at %zu, %zu bytes: 4.2: no block begins here\nend at %zu, 0 bytes\n", at, zeros, size);
        for (size_t k = 0; k < HSD_ARRAY_LEN(places); k++) {
            bytes[at + places[k]] = 1;
            expect_steps(bytes, size, 2, expected);
            bytes[at + places[k]] = 0;
        }
        free(bytes);
    }
}

/* ---- numbers and ordinals ---- */

typedef struct numbered {
    uint8_t type;
    uint32_t records;
    uint64_t number, ordinal;
} numbered;

static void expect_numbered(const numbered *blocks, size_t count, const char *expected)
{
    forge f = forge_begin();
    for (size_t i = 0; i < count; i++) {
        f.next_number = blocks[i].number;
        FORGE(&f, HSC_COL_KEY, 1);
        forge_block(&f, blocks[i].type, 0, blocks[i].records, blocks[i].ordinal);
    }
    const char *told = walked(f.bytes.data, f.bytes.size, 0);
    const char *end = strstr(told, "end at");
    cr_assert_not_null(end);
    cr_assert(strlen(expected) == (size_t)(end - told) && memcmp(told, expected, strlen(expected)) == 0, "%s", told);
    forge_free(&f);
}

#define EXPECT_NUMBERED(expected, ...)                                                                                 \
    expect_numbered((const numbered[]){__VA_ARGS__}, sizeof((const numbered[]){__VA_ARGS__}) / sizeof(numbered),       \
                    expected)

Test(scan_steps, numbers_ascend)
{
    enum { I = HSC_BLOCK_INFO, T = HSC_BLOCK_THREADS };
    EXPECT_NUMBERED("block 0\nblock 1\n", {I, 1, 0, 0}, {T, 1, 1, 0});
    EXPECT_NUMBERED("block 0\nblock 2 behind 1 more\nblock 3\n", {I, 1, 0, 0}, {T, 1, 2, 0}, {T, 1, 3, 0});
    EXPECT_NUMBERED("block 0\nblock 0: 4.5: it is misplaced: block 0 stands before it\nblock 1\n", {I, 1, 0, 0},
                    {T, 1, 0, 0}, {T, 1, 1, 0});
    EXPECT_NUMBERED("block 0\nblock 5 behind 4 more\nblock 4: 4.5: it is misplaced: block 5 stands before it\n",
                    {I, 1, 0, 0}, {T, 1, 5, 0}, {T, 1, 4, 0});
    EXPECT_NUMBERED("block 0\nblock 18446744073709551614 behind 18446744073709551613 more\n", {I, 1, 0, 0},
                    {T, 1, UINT64_MAX - 1, 0});
    EXPECT_NUMBERED("block 0\nblock 18446744073709551615: 4.5: it is misplaced: block 0 stands before it\n",
                    {I, 1, 0, 0}, {T, 1, UINT64_MAX, 0});
}

Test(scan_steps, places_end_at_their_limit)
{
    enum { P = HSC_BLOCK_PLACES };
    EXPECT_NUMBERED("block 0\n", {P, 1, 0, HSC_MAX_PLACES - 1});
    EXPECT_NUMBERED("block 0: 10.10: its places pass the limit\n", {P, 1, 0, HSC_MAX_PLACES});
}

#define BACK ": 4.10: its ordinals do not follow those before it\n"
#define FAR  ": 4.10: its ordinals leave out more than the missing blocks can hold\n"

/* One record of a block may continue the object before it; a block that is missing may hold 65,536. */
Test(scan_steps, ordinals_follow_as_far_as_headers_tell)
{
    enum { O = HSC_BLOCK_OBJECTS, T = HSC_BLOCK_THREADS, MOST = HSC_MAX_RECORDS };
    EXPECT_NUMBERED("block 0\nblock 1\n", {O, 3, 0, 0}, {O, 3, 1, 3});
    EXPECT_NUMBERED("block 0\nblock 1\n", {O, 3, 0, 0}, {O, 3, 1, 2});
    EXPECT_NUMBERED("block 0\nblock 1" BACK, {O, 3, 0, 0}, {O, 3, 1, 1});
    EXPECT_NUMBERED("block 0\nblock 1" FAR, {O, 3, 0, 0}, {O, 3, 1, 4});
    EXPECT_NUMBERED("block 0\nblock 1\nblock 2\nblock 3" FAR, {O, 3, 0, 0}, {O, 3, 1, 3}, {T, 3, 2, 0}, {O, 1, 3, 7});
    EXPECT_NUMBERED("block 0" FAR, {O, 3, 0, 1});
    EXPECT_NUMBERED("block 0\nblock 2 behind 1 more\nblock 3\n", {O, 3, 0, 0}, {O, 1, 2, 3 + MOST},
                    {O, 1, 3, 4 + MOST});
    EXPECT_NUMBERED("block 0\nblock 2" FAR, {O, 3, 0, 0}, {O, 1, 2, 4 + MOST});
    /* What is missing before other blocks is missing before the objects. */
    EXPECT_NUMBERED("block 0\nblock 3 behind 2 more\nblock 4\n", {O, 3, 0, 0}, {T, 1, 3, 0}, {O, 1, 4, 3 + 2 * MOST});
    EXPECT_NUMBERED("block 0\nblock 3 behind 2 more\nblock 4" FAR, {O, 3, 0, 0}, {T, 1, 3, 0}, {O, 1, 4, 4 + 2 * MOST});
    /* As many blocks as all objects fill: then any ordinal. */
    const uint64_t all = HSC_MAX_OBJECTS / MOST;
    EXPECT_NUMBERED("block 0\nblock 16777217 behind 16777216 more\n", {T, 3, 0, 0}, {O, 1, all + 1, HSC_MAX_OBJECTS});
    EXPECT_NUMBERED("block 0\nblock 16777218 behind 16777217 more\n", {O, 3, 0, 0}, {O, 1, all + 2, HSC_MAX_OBJECTS});
    EXPECT_NUMBERED("block 0\nblock 16777216" FAR, {T, 3, 0, 0}, {O, 1, all, HSC_MAX_OBJECTS - MOST + 1});
    EXPECT_NUMBERED("block 0\nblock 18446744073709551614 behind 18446744073709551613 more\n", {O, 3, 0, 0},
                    {O, 1, UINT64_MAX - 1, HSC_MAX_OBJECTS});
}
