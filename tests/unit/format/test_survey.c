/*
 * What is left of a damaged capture when it is opened with HSD_DAMAGE_SKIP: the counts, what is lost, why it is not
 * complete, and every note, for each kind of damage.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "format/bytes.h"
#include "format/header.h"
#include "support/reseal.h"
#include "unit/format/legal.h"

static char said[8192];

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    va_list args;
    const size_t size = strlen(said);
    va_start(args, format);
    const int more = vsnprintf(said + size, sizeof said - size, format, args);
    va_end(args);
    cr_assert(more >= 0 && (size_t)more < sizeof said - size);
}

static void note(void *context, hsd_note_level level, const char *text)
{
    (void)context;
    if (level == HSD_NOTE_DAMAGE) say("%s\n", text);
}

enum { COUNTS = 27 };

static uint64_t expected_counts[COUNTS]; /* what is as it was is not said */

static void say_counts(const hsd_capture_info *info, bool is_expected)
{
    const struct {
        const char *what;
        uint64_t count;
    } counts[COUNTS] = {{"blocks", info->blocks},
                        {"damaged", info->damaged_blocks},
                        {"objects", info->objects},
                        {"ordinals", info->ordinals},
                        {"pseudo objects", info->pseudo_objects},
                        {"references", info->references},
                        {"bytes", info->bytes},
                        {"native bytes", info->native_bytes},
                        {"edges", info->edges},
                        {"roots", info->roots},
                        {"strings", info->strings},
                        {"types", info->types},
                        {"labels", info->labels},
                        {"sites", info->sites},
                        {"threads", info->threads},
                        {"frames", info->frames},
                        {"metrics", info->metrics},
                        {"losses", info->losses},
                        {"lost", info->lost},
                        {"live totals", info->live_totals},
                        {"root totals", info->root_totals},
                        {"places", info->places},
                        {"site totals", info->site_totals},
                        {"summary objects", info->summary_objects},
                        {"summary bytes", info->summary_bytes},
                        {"facts", info->facts},
                        {"sums", info->sums}};
    for (size_t i = 0; i < COUNTS; i++) {
        if (counts[i].count != expected_counts[i])
            say("%llu %s, ", (unsigned long long)counts[i].count, counts[i].what);
        if (is_expected) expected_counts[i] = counts[i].count;
    }
    say("1.%u%s%s%s%s%s\n", (unsigned)info->version_minor, info->is_complete ? ", complete" : "",
        info->is_salvaged ? ", salvaged" : "", info->has_index ? ", index" : "", info->is_baseline ? ", baseline" : "",
        info->targets_are_ordinals ? ", ordinals" : "");
}

/* The notes, the counts, and the status where it cannot be opened. */
static const char *surveyed(const void *bytes, size_t size, bool is_expected)
{
    hsd_capture *capture;
    hsd_error err;
    const hsd_run run = {.note = note, .memory_bytes = UINT64_C(64) << 20};
    memfile file = memfile_of(bytes, size);
    hsd_error_init(&err);
    said[0] = '\0';
    const hsd_status status = hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_SKIP, &run, &err);
    if (status != HSD_OK) {
        say("%s: %s", hsd_status_name(status), err.text);
        return said;
    }
    say_counts(hsd_capture_get_info(capture), is_expected);
    hsd_capture_close(capture);
    return said;
}

static void expect_bytes(const void *bytes, size_t size, const char *expected)
{
    const char *got = surveyed(bytes, size, false);
    cr_expect_str_eq(got, expected, "said:\n%snot:\n%s", got, expected);
}

static void expect_said(forge *f, const char *expected)
{
    expect_bytes(f->bytes.data, f->bytes.size, expected);
    forge_free(f);
}

static void damage(forge *f, size_t block) { f->bytes.data[f->blocks.refs[block].offset_bytes + 60] ^= 1; }

/* ---- a capture of everything that is counted ---- */

enum {
    INFO,
    STRINGS,
    TYPES,
    LABELS,
    SITES,
    THREADS,
    FRAMES,
    METRICS,
    LOSSES,
    OBJECTS,
    MORE_OBJECTS,
    EDGES,
    ROOTS,
    TYPE_TOTALS,
    GROUP_TOTALS,
    INDEX,
    END,
    BLOCKS
};

static void put_small_tables(forge *f)
{
    FORGE(f, HSC_COL_KEY, 1, 2, 3);
    forge_block(f, HSC_BLOCK_SITES, 0, 3, 0);
    f->end[HSC_END_SITES] = 3;
    FORGE(f, HSC_COL_KEY, 1);
    forge_block(f, HSC_BLOCK_THREADS, 0, 1, 0);
    f->end[HSC_END_THREADS] = 1;
    FORGE(f, HSC_COL_PARENT, 1, 1);
    FORGE(f, HSC_COL_DEPTH, 0, 1);
    forge_block(f, HSC_BLOCK_FRAMES, 0, 2, 0);
    f->end[HSC_END_FRAMES] = 2;
    FORGE(f, HSC_COL_VALUE_U64, 7, 8, 9, 10);
    forge_block(f, HSC_BLOCK_METRICS, 0, 4, 0);
    f->end[HSC_END_METRICS] = 4;
    FORGE(f, HSC_COL_VALUE_U64, 5, 6);
    forge_block(f, HSC_BLOCK_LOSSES, 0, 2, 0);
    f->end[HSC_END_LOSSES] = 2;
    f->end[HSC_END_LOST] = 11;
}

static void put_more_objects(forge *f)
{
    FORGE(f, HSC_COL_ID, 0x30, 0x40, 0x50);
    FORGE(f, HSC_COL_TYPE, 5, 5, 5);
    FORGE(f, HSC_COL_SIZE, 100, 16, 17);
    FORGE(f, HSC_COL_NATIVE_SIZE, 100, 3, 4);
    FORGE(f, HSC_COL_FLAGS, 1, 0, 0); /* the first is a pseudo object */
    FORGE(f, HSC_COL_REF_COUNT, 2, 0, 0);
    FORGE(f, HSC_COL_REF_TARGET, 0x20, 0x10);
    forge_block(f, HSC_BLOCK_OBJECTS, 0, 3, 2);
    f->end[HSC_END_OBJECTS] += 3;
    f->end[HSC_END_PSEUDO] = 1;
    f->end[HSC_END_REFERENCES] += 2;
    f->end[HSC_END_BYTES] += 33;
    f->end[HSC_END_NATIVE_BYTES] = 7;
    FORGE(f, HSC_COL_REF_TARGET, 0x20, 0x10);
    FORGE(f, HSC_COL_EDGE_SOURCE, 0x10, 0x20);
    forge_block(f, HSC_BLOCK_EDGES, 0, 2, 0);
    f->end[HSC_END_EDGES] = 2;
}

static void put_totals(forge *f)
{
    FORGE(f, HSC_COL_KEY, 5);
    FORGE(f, HSC_COL_COUNT, 4);
    FORGE(f, HSC_COL_BYTES, 49);
    FORGE(f, HSC_COL_NATIVE_BYTES, 7);
    FORGE(f, HSC_COL_BUCKET_COUNT, 2);
    FORGE(f, HSC_COL_BUCKET, 0, 5);
    FORGE(f, HSC_COL_BUCKET_OBJECTS, 1, 3);
    FORGE(f, HSC_COL_BUCKET_BYTES, 0, 49);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    legal_put_group_totals(f);
}

static forge all_but_the_end(void)
{
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    legal_put_tables(&f);
    put_small_tables(&f);
    legal_put_objects(&f);
    put_more_objects(&f);
    legal_put_roots(&f);
    put_totals(&f);
    return f;
}

static forge everything(uint64_t state)
{
    forge f = all_but_the_end();
    f.with_numbers = state == HSC_STATE_SALVAGED;
    forge_finish(&f, state);
    return f;
}

/* What is said from now on is what differs from the whole. */
static void expect_everything(void)
{
    forge f = everything(HSC_STATE_COMPLETE);
    surveyed(f.bytes.data, f.bytes.size, true);
    forge_free(&f);
}

Test(survey, of_whole_captures)
{
    forge f = everything(HSC_STATE_COMPLETE);
    expect_said(&f, "17 blocks, 5 objects, 5 ordinals, 1 pseudo objects, 3 references, 49 bytes, 7 native bytes, "
                    "2 edges, 1 roots, 2 strings, 1 types, 1 labels, 3 sites, 1 threads, 2 frames, 4 metrics, "
                    "2 losses, 11 lost, 1.0, complete, index\n");
    expect_everything();
    f = everything(HSC_STATE_INCOMPLETE);
    expect_said(&f, "x.hs is not complete: the producer stopped\n1.0, index\n");
    f = everything(HSC_STATE_SALVAGED);
    expect_said(&f, "x.hs is not complete: it was salvaged\n1.0, salvaged, index\n");
}

/* ---- blocks that are damaged or gone ---- */

/* What is not there without the block. */
static const char *const without[BLOCKS] = {[STRINGS] = "0 strings, ",
                                            [TYPES] = "0 types, ",
                                            [LABELS] = "0 labels, ",
                                            [SITES] = "0 sites, ",
                                            [THREADS] = "0 threads, ",
                                            [FRAMES] = "0 frames, ",
                                            [METRICS] = "0 metrics, ",
                                            [LOSSES] = "0 losses, 0 lost, ",
                                            [OBJECTS] = "3 objects, 2 references, 33 bytes, ",
                                            [MORE_OBJECTS] = "2 objects, 2 ordinals, 0 pseudo objects, 1 references, "
                                                             "16 bytes, 0 native bytes, ",
                                            [EDGES] = "0 edges, ",
                                            [ROOTS] = "0 roots, "};

static const char *lost_with(size_t block) { return without[block] != NULL ? without[block] : ""; }

Test(survey, one_block_is_damaged)
{
    expect_everything();
    for (size_t block = 0; block < BLOCKS; block++) {
        char expected[512], digits[HSD_DIGITS_BYTES];
        forge f = everything(HSC_STATE_COMPLETE);
        const hsd_block_ref *ref = &f.blocks.refs[block];
        snprintf(expected, sizeof expected,
                 "x.hs: block %zu (%s) at byte %s is left out: the checksum of its payload does not match\n"
                 "x.hs is not complete: %s\n16 blocks, 1 damaged, %s1.0\n",
                 block, hsd_block_type_name(ref->type), hsd_group_digits(digits, ref->offset_bytes),
                 block == END ? "its end record is damaged" : "1 of its blocks is damaged", lost_with(block));
        damage(&f, block);
        expect_said(&f, expected);
    }
}

static void drop_block(forge *f, size_t block)
{
    const size_t at = (size_t)f->blocks.refs[block].offset_bytes,
                 size = 56 + (size_t)f->blocks.refs[block].stored_bytes;
    memmove(f->bytes.data + at, f->bytes.data + at + size, f->bytes.size - at - size);
    f->bytes.size -= size;
}

Test(survey, one_block_is_gone)
{
    expect_everything();
    for (size_t block = 0; block < END; block++) {
        char expected[512];
        forge f = everything(HSC_STATE_COMPLETE);
        drop_block(&f, block);
        snprintf(expected, sizeof expected,
                 "x.hs is not complete: 1 of its blocks is damaged\n16 blocks, 1 damaged, %s1.0\n", lost_with(block));
        expect_said(&f, expected);
    }
    forge f = everything(HSC_STATE_COMPLETE); /* what is left behind it is shorter than a header */
    drop_block(&f, END);
    expect_said(&f, "x.hs is not complete: it was cut off at byte 1,978, inside block 16\n16 blocks, 1.0\n");
}

#define LEFT_OUT "is left out: the checksum of its payload does not match\n"

Test(survey, two_blocks_are_lost)
{
    expect_everything();
    forge f = everything(HSC_STATE_COMPLETE);
    damage(&f, FRAMES);
    damage(&f, OBJECTS);
    expect_said(&f, "x.hs: block 6 (frames) at byte 636 " LEFT_OUT "x.hs: block 9 (objects) at byte 871 " LEFT_OUT
                    "x.hs is not complete: 2 of its blocks are damaged\n"
                    "15 blocks, 2 damaged, 3 objects, 2 references, 33 bytes, 0 frames, 1.0\n");
    f = everything(HSC_STATE_COMPLETE);
    damage(&f, LOSSES);
    drop_block(&f, FRAMES);
    expect_said(&f, "x.hs: block 8 (losses) at byte 709 " LEFT_OUT "x.hs is not complete: 2 of its blocks are damaged\n"
                    "15 blocks, 2 damaged, 0 frames, 0 losses, 0 lost, 1.0\n");
    f = everything(HSC_STATE_SALVAGED); /* may have gaps */
    damage(&f, LOSSES);
    drop_block(&f, FRAMES);
    expect_said(&f, "x.hs: block 8 (losses) at byte 709 " LEFT_OUT "x.hs is not complete: 1 of its blocks is damaged\n"
                    "15 blocks, 1 damaged, 0 frames, 0 losses, 0 lost, 1.0, salvaged\n");
    f = everything(HSC_STATE_COMPLETE); /* two headers, so that bytes are skipped */
    f.bytes.data[f.blocks.refs[FRAMES].offset_bytes] ^= 1;
    f.bytes.data[f.blocks.refs[METRICS].offset_bytes] ^= 1;
    expect_said(&f, "x.hs: 164 bytes at byte 636 are no block: no block begins here\n"
                    "x.hs is not complete: 2 of its blocks are damaged\n"
                    "15 blocks, 2 damaged, 0 frames, 0 metrics, 1.0\n");
    f = everything(HSC_STATE_COMPLETE); /* of a number that was there */
    f.bytes.data[f.blocks.refs[FRAMES].offset_bytes + 16] = 2;
    forge_reseal(&f);
    expect_said(&f, "x.hs: block 2 (frames) at byte 636 is left out: it is misplaced: block 5 stands before it\n"
                    "x.hs is not complete: 1 of its blocks is damaged\n16 blocks, 1 damaged, 0 frames, 1.0\n");
}

/* ---- the end ---- */

#define NOTHING                                                                                                        \
    "0 objects, 0 ordinals, 0 pseudo objects, 0 references, 0 bytes, 0 native bytes, 0 edges, 0 roots, 0 strings, "    \
    "0 types, 0 labels, 0 sites, 0 threads, 0 frames, 0 metrics, 0 losses, 0 lost, 1.0\n"

Test(survey, the_file_is_cut_off)
{
    static const struct {
        size_t size;
        const char *said;
    } cases[] = {{2353, "it was cut off at byte 2,353, inside the trailer\n1.0\n"},
                 {2323, "it was cut off at byte 2,323, inside the trailer\n1.0\n"},
                 {2322, "it was cut off at byte 2,322, inside the trailer\n1.0\n"},
                 {2321, "it was cut off at byte 2,321, inside block 16\n16 blocks, 1.0\n"},
                 {2002, "it was cut off at byte 2,002, inside block 16\n16 blocks, 1.0\n"},
                 {2001, "it was cut off at byte 2,001, inside block 16\n16 blocks, 1.0\n"},
                 {1947, "it was cut off at byte 1,947, inside block 16\n16 blocks, 1.0\n"},
                 {1946, "it ends at byte 1,946 without an end record\n16 blocks, 1.0\n"},
                 {1722, "it ends at byte 1,722 without an end record\n15 blocks, 1.0\n"},
                 {176, "it ends at byte 176 without an end record\n1 blocks, " NOTHING},
                 {175, "it was cut off at byte 175, inside block 0\n0 blocks, " NOTHING},
                 {64, "it ends at byte 64 without an end record\n0 blocks, " NOTHING}};
    expect_everything();
    forge f = everything(HSC_STATE_COMPLETE);
    const size_t whole = f.bytes.size;
    cr_assert(whole == 2354 && f.blocks.refs[END].offset_bytes == 1946 && f.blocks.refs[INDEX].offset_bytes == 1722 &&
              f.blocks.refs[STRINGS].offset_bytes == 176);
    for (size_t i = 0; i < HSD_ARRAY_LEN(cases); i++) {
        char expected[512];
        snprintf(expected, sizeof expected, "x.hs is not complete: %s", cases[i].said);
        expect_bytes(f.bytes.data, cases[i].size, expected);
    }
    static const char trailer[] = "x.hs is not complete: its index or trailer is damaged\n1.0\n";
    cr_assert_eq(hsd_buffer_append(&f.bytes, "more", 4, NULL), HSD_OK);
    expect_bytes(f.bytes.data, whole + 1, trailer);
    f.bytes.size = whole;
    f.bytes.data[whole - 1] ^= 1;
    expect_said(&f, trailer);
}

/* The end record against what is there: each number one too many. */
Test(survey, the_end_record_must_count_right)
{
    static const char *const wrong[] = {
        "says 6 objects, and there are 5",       "says 2 pseudo objects, and there are 1",
        "says 4 references, and there are 3",    "says 3 edges, and there are 2",
        "says 2 roots, and there are 1",         "says 50 bytes, and there are 49",
        "says 8 native bytes, and there are 7",  "says 17 blocks before it, and there are 16",
        "says 3 strings, and there are 2",       "says 2 types, and there are 1",
        "says 2 labels, and there are 1",        "says 4 sites, and there are 3",
        "says 2 threads, and there are 1",       "says 3 frames, and there are 2",
        "says 5 metrics, and there are 4",       "says 3 losses, and there are 2",
        "says 12 lost things, and there are 11",
    };
    expect_everything();
    for (unsigned i = 0; i < HSD_ARRAY_LEN(wrong); i++) {
        char expected[512];
        forge f = all_but_the_end();
        f.end[HSC_END_OBJECTS + i]++;
        forge_finish(&f, HSC_STATE_COMPLETE);
        snprintf(expected, sizeof expected,
                 "x.hs: block 16 (end record) at byte 1,946 is left out: the end record %s\n"
                 "x.hs is not complete: its end record is damaged\n16 blocks, 1 damaged, 1.0\n",
                 wrong[i]);
        expect_said(&f, expected);
    }
    for (unsigned i = 0; i < 2; i++) {
        static const char *const sums[] = {"5 with 49", "4 with 50"};
        char expected[512];
        forge f = all_but_the_end();
        f.end[i == 0 ? HSC_END_COUNTED_OBJECTS : HSC_END_COUNTED_BYTES]++;
        forge_finish(&f, HSC_STATE_COMPLETE);
        snprintf(expected, sizeof expected,
                 "x.hs: block 16 (end record) at byte 1,946 is left out: the type totals sum up to 4 objects with 49 "
                 "bytes, the end record to %s\n"
                 "x.hs is not complete: its end record is damaged\n16 blocks, 1 damaged, 1.0\n",
                 sums[i]);
        expect_said(&f, expected);
    }
}

Test(survey, the_end_record_may_count_what_is_lost)
{
    expect_everything();
    forge f = all_but_the_end();
    f.end[HSC_END_FRAMES]++;
    forge_finish(&f, HSC_STATE_COMPLETE);
    damage(&f, THREADS);
    expect_said(&f, "x.hs: block 5 (threads) at byte 560 " LEFT_OUT
                    "x.hs is not complete: 1 of its blocks is damaged\n16 blocks, 1 damaged, 0 threads, 1.0\n");
    f = all_but_the_end(); /* or missing */
    f.next_number++;
    f.end[HSC_END_FRAMES]++;
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, "x.hs is not complete: 1 of its blocks is damaged\n1 damaged, 1.0\n");
    f = all_but_the_end(); /* but of what was salvaged nothing is missing */
    f.next_number++;
    f.with_numbers = true;
    f.end[HSC_END_FRAMES]++;
    forge_finish(&f, HSC_STATE_SALVAGED);
    expect_said(&f, "x.hs: block 17 (end record) at byte 1,977 is left out: the end record says 3 frames, and there "
                    "are 2\nx.hs is not complete: its end record is damaged\n16 blocks, 2 damaged, 1.0\n");
}

/* The index says what is not there, or not all of it. */
Test(survey, the_index_must_be_right)
{
    static const char expected[] = "x.hs is not complete: its index or trailer is damaged\n1.0\n";
    expect_everything();
    forge f = all_but_the_end();
    f.blocks.refs[FRAMES].record_count++;
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, expected);
    f = all_but_the_end();
    f.blocks.refs[GROUP_TOTALS].stored_bytes++;
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, expected);
    f = all_but_the_end();
    f.blocks.count--;
    f.end[HSC_END_BLOCKS]++;
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_said(&f, expected);
}

/* ---- header and info ---- */

#define RESCUED                                                                                                        \
    "x.hs: the file header is damaged; the capture id was found in block 0\n"                                          \
    "x.hs is not complete: its file header is damaged\n"

Test(survey, the_file_header_is_damaged)
{
    static const char refused[] = "corrupt: damaged: the checksum of the file header does not match (FORMAT.md 3.3)";
    expect_everything();
    forge f = everything(HSC_STATE_COMPLETE);
    f.bytes.data[40] ^= 1;
    expect_bytes(f.bytes.data, f.bytes.size, RESCUED "1.0, index\n");
    expect_bytes(f.bytes.data, 176, /* INFO alone */
                 "x.hs: the file header is damaged; the capture id was found in block 0\n"
                 "x.hs is not complete: it ends at byte 176 without an end record\n1 blocks, " NOTHING);
    expect_bytes(f.bytes.data, 175, refused);
    expect_bytes(f.bytes.data, 144, refused); /* the id in INFO ends there */
    expect_bytes(f.bytes.data, 143, refused);
    damage(&f, INFO);
    expect_bytes(f.bytes.data, f.bytes.size, refused);
    damage(&f, INFO);
    f.bytes.data[64 + 80] ^= 1; /* the id in INFO */
    expect_said(&f, refused);
    f = everything(HSC_STATE_COMPLETE); /* the first block is another */
    f.bytes.data[64 + 4] = HSC_BLOCK_THREADS;
    forge_reseal(&f);
    f.bytes.data[40] ^= 1;
    expect_said(&f, refused);
    f = everything(HSC_STATE_COMPLETE);
    f.bytes.data[0] ^= 1;
    expect_said(&f, RESCUED "1.0, index\n");
}

Test(survey, an_info_stands_at_the_beginning)
{
    expect_everything();
    forge f = all_but_the_end();
    forge_info(&f, 1, 8);
    forge_finish(&f, HSC_STATE_COMPLETE);
    expect_bytes(f.bytes.data, f.bytes.size,
                 "x.hs: block 15 (info) at byte 1,722 is left out: an info block stands in the middle\n"
                 "x.hs is not complete: 1 of its blocks is damaged\n1 damaged, 1.0\n");
    damage(&f, INFO); /* nor in its place */
    expect_said(&f, "x.hs: block 0 (info) at byte 64 " LEFT_OUT
                    "x.hs: block 15 (info) at byte 1,722 is left out: an info block stands in the middle\n"
                    "x.hs is not complete: 2 of its blocks are damaged\n16 blocks, 2 damaged, 1.0\n");
}

/* Without INFO the first block that has targets says what they are. */
Test(survey, targets_are_those_of_the_first_block)
{
    static const char *const names[] = {"objects", "edges", "roots"}, *const counts[] = {"1 objects, 1 ordinals",
                                                                                         "1 edges", "1 roots"};
    static const uint8_t types[] = {HSC_BLOCK_OBJECTS, HSC_BLOCK_EDGES, HSC_BLOCK_ROOTS};
    static const unsigned columns[] = {HSC_COL_ID, HSC_COL_EDGE_SOURCE, HSC_COL_TARGET};
    for (int are_ordinals = 0; are_ordinals < 2; are_ordinals++) {
        for (size_t first = 0; first < 3; first++) {
            char expected[1024];
            forge f = forge_begin();
            forge_info(&f, 0, 0);
            legal_put_strings(&f);
            for (size_t i = 0; i < 3; i++) {
                const bool is_set = (i == 0) == are_ordinals;
                FORGE(&f, columns[(first + i) % 3], 1);
                forge_block(&f, types[(first + i) % 3], is_set ? HSC_BLOCK_FLAG_TARGET_ORDINAL : 0, 1, 0);
            }
            damage(&f, INFO);
            const char *other = are_ordinals ? "ids" : "ordinals";
            snprintf(expected, sizeof expected,
                     "x.hs: block 0 (info) at byte 64 " LEFT_OUT
                     "x.hs: block 3 (%s) at byte 357 is left out: its targets are %s, unlike those of the capture\n"
                     "x.hs: block 4 (%s) at byte 433 is left out: its targets are %s, unlike those of the capture\n"
                     "x.hs is not complete: it ends at byte 509 without an end record\n"
                     "2 blocks, 3 damaged, %s, 2 strings, 1.0%s\n",
                     names[(first + 1) % 3], other, names[(first + 2) % 3], other, counts[first],
                     are_ordinals ? ", ordinals" : "");
            expect_said(&f, expected);
        }
    }
}

/* ---- sums ---- */

static void put_sums(forge *f, unsigned which)
{
    if (which & 1) {
        FORGE(f, HSC_COL_KEY, 5);
        FORGE(f, HSC_COL_COUNT, 2);
        forge_block(f, HSC_BLOCK_LIVE_TOTALS, 0, 1, 0);
    }
    if (which & 2) {
        FORGE(f, HSC_COL_KEY, 1);
        forge_block(f, HSC_BLOCK_ROOT_TOTALS, 0, 1, 0);
    }
    if (which & 4) {
        FORGE(f, HSC_COL_COUNT, 1);
        forge_block(f, HSC_BLOCK_PLACES, 0, 1, 0);
    }
    if (which & 8) {
        FORGE(f, HSC_COL_SITE, 1, 1);
        FORGE(f, HSC_COL_KEY, 5, 5);
        forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 2, 0);
    }
}

static forge with_sums(unsigned which, uint64_t facts, unsigned minor)
{
    forge f = forge_begin();
    hsd_file_header_build(f.bytes.data, f.id, (uint16_t)minor);
    forge_info(&f, 0, facts);
    put_sums(&f, which);
    FORGE(&f, HSC_COL_KEY, 5);
    FORGE(&f, HSC_COL_COUNT, 2);
    FORGE(&f, HSC_COL_BYTES, 20);
    forge_block(&f, HSC_BLOCK_TYPE_TOTALS, 0, 1, 0);
    f.end[HSC_END_COUNTED_OBJECTS] = 2;
    f.end[HSC_END_COUNTED_BYTES] = 20;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

#define SUMMARY "2 summary objects, 20 summary bytes, "

/* Whole, with a damaged header, without INFO, and where INFO says that it is no baseline. */
Test(survey, sums_are_those_of_a_baseline)
{
    static const struct {
        unsigned which, blocks, minor;
        const char *sums, *kinds;
    } cases[] = {{1, 5, 1, "1 live totals, ", ""},
                 {2, 5, 1, "1 root totals, ", "3 sums, "},
                 {3, 6, 1, "1 live totals, 1 root totals, ", "3 sums, "},
                 {4, 5, 1, "1 places, ", "4 sums, "},
                 {7, 7, 1, "1 live totals, 1 root totals, 1 places, ", "7 sums, "}};
    for (size_t i = 0; i < HSD_ARRAY_LEN(cases); i++) {
        char expected[512];
        forge f = with_sums(cases[i].which, 0x58, 1);
        snprintf(expected, sizeof expected, "%u blocks, %s" SUMMARY "88 facts, 1.1, complete, index, baseline\n",
                 cases[i].blocks, cases[i].sums);
        expect_bytes(f.bytes.data, f.bytes.size, expected);
        f.bytes.data[40] ^= 1;
        snprintf(expected, sizeof expected, RESCUED "%u blocks, %s" SUMMARY "88 facts, 1.1, index, baseline\n",
                 cases[i].blocks, cases[i].sums);
        expect_bytes(f.bytes.data, f.bytes.size, expected);
        f.bytes.data[40] ^= 1;
        damage(&f, INFO);
        snprintf(expected, sizeof expected,
                 "x.hs: block 0 (info) at byte 64 " LEFT_OUT "x.hs is not complete: 1 of its blocks is damaged\n"
                 "%u blocks, 1 damaged, %s" SUMMARY "88 facts, %s1.1, baseline\n",
                 cases[i].blocks - 1, cases[i].sums, cases[i].kinds);
        expect_said(&f, expected);
        f = with_sums(cases[i].which, 0, 1);
        snprintf(expected, sizeof expected, "%u blocks, " SUMMARY "1.1, complete, index\n", cases[i].blocks);
        expect_said(&f, expected);
    }
}

Test(survey, a_damaged_header_is_of_the_version_that_the_records_need)
{
    forge f = with_sums(8, 0, 2);
    expect_bytes(f.bytes.data, f.bytes.size, "5 blocks, 2 site totals, " SUMMARY "1.2, complete, index\n");
    f.bytes.data[40] ^= 1;
    expect_said(&f, RESCUED "5 blocks, 2 site totals, " SUMMARY "1.2, index\n");
    f = with_sums(0, 0, 0);
    f.bytes.data[40] ^= 1;
    expect_said(&f, RESCUED "4 blocks, " SUMMARY "1.0, index\n");
}

/* Objects that stand in the type totals alone are known by these where the end is lost. */
Test(survey, a_summary_is_counted_by_its_totals)
{
    forge f = with_sums(0, 0, 0);
    expect_bytes(f.bytes.data, f.bytes.size, "4 blocks, " SUMMARY "1.0, complete, index\n");
    damage(&f, 3);
    expect_said(&f, "x.hs: block 3 (end record) at byte 428 " LEFT_OUT
                    "x.hs is not complete: its end record is damaged\n3 blocks, 1 damaged, " SUMMARY "1.0\n");
    expect_everything(); /* where objects are there, they are those of these */
    f = everything(HSC_STATE_COMPLETE);
    damage(&f, END);
    damage(&f, OBJECTS);
    expect_bytes(f.bytes.data, f.bytes.size,
                 "x.hs: block 9 (objects) at byte 871 " LEFT_OUT "x.hs: block 16 (end record) at byte 1,946 " LEFT_OUT
                 "x.hs is not complete: its end record is damaged\n"
                 "15 blocks, 2 damaged, 3 objects, 2 references, 33 bytes, 1.0\n");
    damage(&f, MORE_OBJECTS);
    expect_said(&f, "x.hs: block 9 (objects) at byte 871 " LEFT_OUT "x.hs: block 10 (objects) at byte 1,032 " LEFT_OUT
                    "x.hs: block 16 (end record) at byte 1,946 " LEFT_OUT
                    "x.hs is not complete: its end record is damaged\n14 blocks, 3 damaged, 0 objects, 0 ordinals, "
                    "0 pseudo objects, 0 references, 0 bytes, 0 native bytes, 4 summary objects, 49 summary bytes, "
                    "1.0\n");
}
