/*
 * The text of a capture (FORMAT.md, Appendix A), byte for byte: every kind of record and entry, characters that are
 * escaped, lines that lie across the pieces in which it is written, and a writer that fails.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hsdiff/dump.h>

#include "base/check.h"
#include "format/header.h"
#include "unit/format/legal.h"

enum { PIECE = 64 << 10 };

static struct {
    char *text;
    size_t size, room;
    unsigned calls, fails_at;
} out;

static hsd_status take(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context;
    cr_assert(size > 0 && size <= PIECE);
    if (++out.calls == out.fails_at) return hsd_fail(err, HSD_E_IO, "no");
    cr_assert(out.fails_at == 0 || out.calls < out.fails_at, "called again");
    cr_assert_leq(size, out.room - out.size - 1);
    memcpy(out.text + out.size, bytes, size);
    out.size += size;
    out.text[out.size] = '\0';
    return HSD_OK;
}

static hsd_status dump(const forge *f)
{
    hsd_capture *capture;
    hsd_error err;
    memfile file = forge_file(f);
    if (out.text == NULL) out.text = malloc(out.room = 1 << 20);
    cr_assert_not_null(out.text);
    out.size = out.calls = 0;
    out.text[0] = '\0';
    hsd_error_init(&err);
    cr_assert_eq(hsd_capture_open_fd(&capture, file.fd, "x.hs", HSD_DAMAGE_REFUSE, NULL, &err), HSD_OK, "%s", err.text);
    const hsd_status status = hsd_capture_dump(capture, take, NULL, &err);
    hsd_capture_close(capture);
    return status;
}

static void expect_text(forge *f, const char *expected)
{
    cr_assert_eq(dump(f), HSD_OK);
    cr_assert_str_eq(out.text, expected, "got:\n%snot:\n%s", out.text, expected);
    forge_free(f);
}

/* ---- every record ---- */

static void put_info(forge *f, uint64_t targets)
{
    forge_bytes(f, HSC_INFO_CAPTURE_ID, f->id, 16);
    forge_bytes(f, HSC_INFO_PRODUCER, "a producer", 10);
    forge_bytes(f, HSC_INFO_RUNTIME, "", 0);
    forge_number(f, HSC_INFO_PID, 4711);
    forge_number(f, HSC_INFO_TAKEN_UNIX_NS, 0);
    forge_number(f, HSC_INFO_FACTS, 0x2c);
    forge_bytes(f, HSC_INFO_DOMAIN, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\xff", 16);
    forge_number(f, HSC_INFO_TARGETS, targets);
    forge_block(f, HSC_BLOCK_INFO, 0, f->facts, 0);
}

static void put_tables(forge *f)
{
    FORGE(f, HSC_COL_KEY, 1, 2, 3);
    FORGE(f, HSC_COL_TEXT_BYTES, 4, 0, 8);
    forge_raw_column(f, HSC_COL_TEXT, HSC_CODING_BYTES, HSC_TRANSFORM_NONE, 0, 12, "root\x1f ~\x7f\"\\\n\xff", 12);
    forge_block(f, HSC_BLOCK_STRINGS, 0, 3, 0);
    f->end[HSC_END_STRINGS] = 3;
    FORGE(f, HSC_COL_FLAGS, 2, 0);
    FORGE(f, HSC_COL_KEY, 5, 6);
    FORGE(f, HSC_COL_TEXT_BYTES, 3, 0);
    forge_text(f, HSC_COL_TEXT, "Map");
    forge_block(f, HSC_BLOCK_TYPES, 0, 2, 0);
    f->end[HSC_END_TYPES] = 2;
    FORGE(f, HSC_COL_FLAGS, 1, 0);
    FORGE(f, HSC_COL_KEY, 9, 10);
    FORGE(f, HSC_COL_KIND, 7, 8);
    FORGE(f, HSC_COL_TEXT_ID, 2, 0);
    forge_block(f, HSC_BLOCK_LABELS, 0, 2, 0);
    f->end[HSC_END_LABELS] = 2;
    FORGE(f, HSC_COL_KEY, 1, 2);
    FORGE(f, HSC_COL_TEXT_ID, 1, 2);
    FORGE(f, HSC_COL_PARENT, 0, 1);
    FORGE(f, HSC_COL_FILE, 0, 3);
    FORGE(f, HSC_COL_LINE, 0, 77);
    FORGE(f, HSC_COL_COLUMN_NUMBER, 0, 12);
    forge_block(f, HSC_BLOCK_SITES, 0, 2, 0);
    f->end[HSC_END_SITES] = 2;
    FORGE(f, HSC_COL_KEY, 1, 2);
    FORGE(f, HSC_COL_TEXT_ID, 1, 0);
    forge_block(f, HSC_BLOCK_THREADS, 0, 2, 0);
    f->end[HSC_END_THREADS] = 2;
    FORGE(f, HSC_COL_TEXT_ID, 1, 0);
    FORGE(f, HSC_COL_PARENT, 1, 2);
    FORGE(f, HSC_COL_FILE, 3, 0);
    FORGE(f, HSC_COL_LINE, 8, 0);
    FORGE(f, HSC_COL_DEPTH, 0, 1);
    forge_block(f, HSC_BLOCK_FRAMES, 0, 2, 0);
    f->end[HSC_END_FRAMES] = 2;
    FORGE(f, HSC_COL_TEXT_BYTES, 7, 0);
    forge_text(f, HSC_COL_TEXT, "heap MB");
    FORGE(f, HSC_COL_UNIT, 2, 0);
    FORGE(f, HSC_COL_VALUE_U64, UINT64_MAX, 0);
    forge_block(f, HSC_BLOCK_METRICS, 0, 2, 0);
    f->end[HSC_END_METRICS] = 2;
    FORGE(f, HSC_COL_TEXT_BYTES, 4);
    forge_text(f, HSC_COL_TEXT, "gone");
    FORGE(f, HSC_COL_VALUE_U64, 3);
    forge_block(f, HSC_BLOCK_LOSSES, 0, 1, 0);
    f->end[HSC_END_LOSSES] = 1;
    f->end[HSC_END_LOST] = 3;
}

static void put_graph(forge *f, uint16_t flags)
{
    FORGE(f, HSC_COL_ID, 0x10, 0x20, 0x30);
    FORGE(f, HSC_COL_TYPE, 5, 6, 0);
    FORGE(f, HSC_COL_SIZE, 16, 100, 0);
    FORGE(f, HSC_COL_NATIVE_SIZE, 7, 0, 0);
    FORGE(f, HSC_COL_ELEMENTS, 4, 0, 0);
    FORGE(f, HSC_COL_SITE, 2, 0, 0);
    FORGE(f, HSC_COL_AGE, 9, 0, 0);
    FORGE(f, HSC_COL_FLAGS, 2, 1, 0);
    FORGE(f, HSC_COL_NAME, 1, 0, 0);
    FORGE(f, HSC_COL_CATEGORY, 3, 0, 0);
    FORGE(f, HSC_COL_IDENTITY, 0xabc, 0, 0);
    FORGE(f, HSC_COL_CONTENT, 0xdef, 0, 0);
    FORGE(f, HSC_COL_VALUE_BYTES, 2, 0, 0);
    forge_text(f, HSC_COL_VALUE, "v\"");
    FORGE(f, HSC_COL_REF_COUNT, 2, 0, 1);
    FORGE(f, HSC_COL_REF_TARGET, 1, 2, 0);
    FORGE(f, HSC_COL_REF_LABEL, 9, 0, 0);
    FORGE(f, HSC_COL_REF_INDEX, 0, 5, 0);
    forge_block(f, HSC_BLOCK_OBJECTS, flags, 3, 0);
    f->end[HSC_END_OBJECTS] = f->end[HSC_END_REFERENCES] = 3;
    f->end[HSC_END_PSEUDO] = 1;
    f->end[HSC_END_BYTES] = 16;
    f->end[HSC_END_NATIVE_BYTES] = 7;
    FORGE(f, HSC_COL_REF_TARGET, 1, 2);
    FORGE(f, HSC_COL_REF_LABEL, 9, 0);
    FORGE(f, HSC_COL_REF_INDEX, 0, 6);
    FORGE(f, HSC_COL_EDGE_SOURCE, 0, 1);
    forge_block(f, HSC_BLOCK_EDGES, (uint16_t)(flags != 0 ? flags | HSC_BLOCK_FLAG_SOURCE_ORDINAL : 0), 2, 0);
    f->end[HSC_END_EDGES] = 2;
    FORGE(f, HSC_COL_FLAGS, 1, 0);
    FORGE(f, HSC_COL_KIND, 2, 0);
    FORGE(f, HSC_COL_TEXT_ID, 1, 0);
    FORGE(f, HSC_COL_PARENT, 1, 0);
    FORGE(f, HSC_COL_TARGET, 1, 2);
    FORGE(f, HSC_COL_DEPTH, 1, 0);
    forge_block(f, HSC_BLOCK_ROOTS, flags, 2, 0);
    f->end[HSC_END_ROOTS] = 2;
}

static void put_sites(forge *f)
{
    FORGE(f, HSC_COL_SITE, 1, 2);
    FORGE(f, HSC_COL_KEY, 6, 0);
    FORGE(f, HSC_COL_COUNT, 1, 0);
    FORGE(f, HSC_COL_BYTES, 0, 4);
    forge_block(f, HSC_BLOCK_SITE_TOTALS, 0, 2, 0);
}

static void put_totals(forge *f)
{
    FORGE(f, HSC_COL_KEY, 0, 5, 6);
    FORGE(f, HSC_COL_COUNT, 1, 1, 1);
    FORGE(f, HSC_COL_BYTES, 8, 16, 0);
    FORGE(f, HSC_COL_NATIVE_BYTES, 0, 7, 0);
    FORGE(f, HSC_COL_BUCKET_COUNT, 1, 1, 0);
    FORGE(f, HSC_COL_BUCKET, 0, 5);
    FORGE(f, HSC_COL_BUCKET_OBJECTS, 1, 1);
    FORGE(f, HSC_COL_BUCKET_BYTES, 0, 16);
    forge_block(f, HSC_BLOCK_TYPE_TOTALS, 0, 3, 0);
    f->end[HSC_END_COUNTED_OBJECTS] = 1;
    f->end[HSC_END_COUNTED_BYTES] = 8;
    FORGE(f, HSC_COL_KEY, 3, 0, 2);
    FORGE(f, HSC_COL_KIND, 0, 1, 1);
    FORGE(f, HSC_COL_COUNT, 1, 1, 1);
    FORGE(f, HSC_COL_BYTES, 16, 0, 0);
    forge_block(f, HSC_BLOCK_GROUP_TOTALS, 0, 3, 0);
}

static forge with_everything(uint64_t targets)
{
    forge f = forge_begin();
    hsd_file_header_build(f.bytes.data, f.id, HSC_VERSION_MINOR_SITE_TOTALS);
    put_info(&f, targets);
    put_tables(&f);
    put_graph(&f, targets == 1 ? HSC_BLOCK_FLAG_TARGET_ORDINAL : 0);
    put_sites(&f);
    put_totals(&f);
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

#define INFO                                                                                                           \
    "info 2 \"a producer\"\n"                                                                                          \
    "info 6 4711\n"                                                                                                    \
    "info 9 0x2c\n"                                                                                                    \
    "info 11 0102030405060708090a0b0c0d0e0fff\n"

#define TABLES                                                                                                         \
    "string 1 \"root\"\n"                                                                                              \
    "string 2 \"\"\n"                                                                                                  \
    "string 3 \"\\x1f ~\\x7f\\\"\\\\\\x0a\\xff\"\n"                                                                    \
    "type 5 flags=0x2 \"Map\"\n"                                                                                       \
    "type 6 \"\"\n"                                                                                                    \
    "label 9 kind=7 flags=0x1 name=2\n"                                                                                \
    "label 10\n"                                                                                                       \
    "site 1 function=1\n"                                                                                              \
    "site 2 parent=1 function=2 file=3 line=77 column=12\n"

#define REST                                                                                                           \
    "thread 1 name=1\n"                                                                                                \
    "thread 2\n"                                                                                                       \
    "frame 1 0 function=1 file=3 line=8\n"                                                                             \
    "frame 2 1\n"                                                                                                      \
    "metric \"heap \" \"MB\" 18446744073709551615\n"                                                                   \
    "metric \"\" \"\" 0\n"                                                                                             \
    "loss \"gone\" 3\n"                                                                                                \
    "total type 0 objects=1 bytes=8\n"                                                                                 \
    " bucket 0 objects=1\n"                                                                                            \
    "total type 5 objects=1 bytes=16 native=7\n"                                                                       \
    " bucket 5 objects=1 bytes=16\n"                                                                                   \
    "total type 6 objects=1\n"                                                                                         \
    "total category 3 count=1 bytes=16\n"                                                                              \
    "total root 0 count=1\n"                                                                                           \
    "total root 2 count=1\n"                                                                                           \
    "allocated 6 1 objects=1\n"                                                                                        \
    "allocated 0 2 bytes=4\n"                                                                                          \
    "end 1 1\n"                                                                                                        \
    "end 3 3\n"                                                                                                        \
    "end 4 1\n"                                                                                                        \
    "end 5 3\n"                                                                                                        \
    "end 6 2\n"                                                                                                        \
    "end 7 2\n"                                                                                                        \
    "end 8 16\n"                                                                                                       \
    "end 9 7\n"                                                                                                        \
    "end 10 16\n"                                                                                                      \
    "end 11 3\n"                                                                                                       \
    "end 12 2\n"                                                                                                       \
    "end 13 2\n"                                                                                                       \
    "end 14 2\n"                                                                                                       \
    "end 15 2\n"                                                                                                       \
    "end 16 2\n"                                                                                                       \
    "end 17 2\n"                                                                                                       \
    "end 18 1\n"                                                                                                       \
    "end 19 3\n"                                                                                                       \
    "end 20 1\n"                                                                                                       \
    "end 21 8\n"                                                                                                       \
    "read objects=3 references=3 edges=2 roots=2 bytes=16 blocks=17\n"

Test(dump, has_every_record)
{
    forge f = with_everything(0);
    expect_text(&f, "capture 1.2 30313233343536373839616263646566 targets=ids complete=yes\n" INFO TABLES
                    "object 0 0x10 type=5 size=16 native=7 elements=4 site=2 age=9 flags=0x2 name=1 category=3 "
                    "identity=0xabc content=0xdef value=\"v\\\"\"\n"
                    " ref 0x1 label=9\n"
                    " ref 0x2 index=5\n"
                    "object 1 0x20 type=6 size=100 flags=0x1\n"
                    "object 2 0x30\n"
                    " ref 0x0\n"
                    "edge 0x0 0x1 label=9\n"
                    "edge 0x1 0x2 index=6\n"
                    "root kind=2 flags=0x1 label=1 0x1 thread=1 frame=1\n"
                    "root 0x2\n" REST);
    f = with_everything(1);
    expect_text(&f, "capture 1.2 30313233343536373839616263646566 targets=ordinals complete=yes\n" INFO
                    "info 13 1\n" TABLES "object 0 0x10 type=5 size=16 native=7 elements=4 site=2 age=9 flags=0x2 "
                    "name=1 category=3 identity=0xabc content=0xdef value=\"v\\\"\"\n"
                    " ref 1 label=9\n"
                    " ref 2 index=5\n"
                    "object 1 0x20 type=6 size=100 flags=0x1\n"
                    "object 2 0x30\n"
                    " ref 0\n"
                    "edge 0 1 label=9\n"
                    "edge 1 2 index=6\n"
                    "root kind=2 flags=0x1 label=1 1 thread=1 frame=1\n"
                    "root 2\n" REST);
}

/* ---- baselines ---- */

Test(dump, has_the_sums_of_a_baseline)
{
    forge f = forge_begin();
    hsd_file_header_build(f.bytes.data, f.id, HSC_VERSION_MINOR_BASELINE);
    forge_bytes(&f, HSC_INFO_CAPTURE_ID, f.id, 16);
    forge_number(&f, HSC_INFO_FACTS, 0x58);
    forge_number(&f, HSC_INFO_SUMS, 15);
    forge_bytes(&f, HSC_INFO_WHY_NO_PLACES, "no room", 7);
    forge_number(&f, HSC_INFO_SOFT_BYTES, 5);
    forge_number(&f, HSC_INFO_DANGLING, 6);
    forge_block(&f, HSC_BLOCK_INFO, 0, f.facts, 0);
    FORGE(&f, HSC_COL_KEY, 5, 6);
    FORGE(&f, HSC_COL_COUNT, 2, 0);
    FORGE(&f, HSC_COL_BYTES, 32, 0);
    FORGE(&f, HSC_COL_RETAINED, 33, 0);
    FORGE(&f, HSC_COL_UNREACHED, 0, 1);
    FORGE(&f, HSC_COL_UNREACHED_BYTES, 0, 8);
    forge_block(&f, HSC_BLOCK_LIVE_TOTALS, 0, 2, 0);
    FORGE(&f, HSC_COL_FLAGS, 0, 1);
    FORGE(&f, HSC_COL_KEY, 1, 2);
    FORGE(&f, HSC_COL_KIND, 1, 11);
    FORGE(&f, HSC_COL_COUNT, 1, 0);
    FORGE(&f, HSC_COL_BYTES, 16, 0);
    FORGE(&f, HSC_COL_RETAINED, 17, 0);
    forge_block(&f, HSC_BLOCK_ROOT_TOTALS, 0, 2, 0);
    FORGE(&f, HSC_COL_FLAGS, 0, 1, 2);
    FORGE(&f, HSC_COL_KEY, 0, 1, 5);
    FORGE(&f, HSC_COL_TEXT_ID, 0, 0, 2);
    FORGE(&f, HSC_COL_PARENT, 0, 0, 1);
    FORGE(&f, HSC_COL_COUNT, 0, 0, 1);
    FORGE(&f, HSC_COL_BYTES, 0, 0, 16);
    forge_block(&f, HSC_BLOCK_PLACES, 0, 3, 0);
    forge_finish(&f, HSC_STATE_INCOMPLETE);
    expect_text(&f, "capture 1.1 30313233343536373839616263646566 targets=ids complete=no\n"
                    "info 9 0x58\n"
                    "info 14 0xf\n"
                    "info 15 \"no room\"\n"
                    "info 18 5\n"
                    "info 19 6\n"
                    "live 5 objects=2 bytes=32 retained=33\n"
                    "live 6 unreached=1 unreached_bytes=8\n"
                    "owned 1 kind=1 objects=1 bytes=16 retained=17\n"
                    "owned 2 kind=11 flags=0x1\n"
                    "place 0 0\n"
                    "place 1 1 flags=0x1\n"
                    "place 2 5 parent=1 edge=2 flags=0x2 objects=1 bytes=16\n"
                    "end 1 2\n"
                    "end 10 5\n"
                    "read objects=0 references=0 edges=0 roots=0 bytes=0 blocks=6\n");
}

/* ---- pieces ---- */

static forge with_string(size_t size)
{
    static char text[HSC_MAX_TEXT_BYTES];
    memset(text, 'x', sizeof text);
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    for (uint64_t key = 1; key <= 3; key++) {
        const size_t length = key == 1 ? size : key == 2 ? 70 : HSC_MAX_TEXT_BYTES;
        FORGE(&f, HSC_COL_KEY, key);
        FORGE(&f, HSC_COL_TEXT_BYTES, length);
        if (key == 2) text[3] = '\n', text[40] = '"';
        forge_raw_column(&f, HSC_COL_TEXT, HSC_CODING_BYTES, HSC_TRANSFORM_NONE, 0, (uint32_t)length, text, length);
        forge_block(&f, HSC_BLOCK_STRINGS, 0, 1, 0);
        text[3] = text[40] = 'x';
    }
    f.end[HSC_END_STRINGS] = 3;
    forge_finish(&f, HSC_STATE_COMPLETE);
    return f;
}

/* A line of each length, so that each of its characters comes first in a piece. */
Test(dump, is_the_same_wherever_its_pieces_end)
{
    for (size_t size = HSC_MAX_TEXT_BYTES - 300; size <= HSC_MAX_TEXT_BYTES; size++) {
        forge f = with_string(size);
        cr_assert_eq(dump(&f), HSD_OK);
        const char *first = strstr(out.text, "string 1 \""), *second = strstr(out.text, "string 2 \"");
        cr_assert(first != NULL && second != NULL);
        cr_assert_eq((size_t)(second - first), size + strlen("string 1 \"\"\n"), "%zu", size);
        cr_assert_eq(strspn(first + 10, "x"), size);
        const char *third = strstr(second, "string 3 \"");
        cr_assert_eq(strncmp(second, "string 2 \"xxx\\x0axxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\\"xxxxxxxxxxxxxxxxxxxx",
                             70),
                     0);
        cr_assert_eq((size_t)(third - second), strlen("string 2 \"\"\n") + 70 + 3 + 1, "%zu", size);
        cr_assert_eq(strspn(third + 10, "x"), HSC_MAX_TEXT_BYTES);
        forge_free(&f);
    }
}

Test(dump, ends_with_the_first_failure)
{
    forge f = with_string(HSC_MAX_TEXT_BYTES);
    cr_assert_eq(dump(&f), HSD_OK);
    const unsigned calls = out.calls;
    cr_assert_eq(calls, 3);
    for (unsigned at = 1; at <= calls; at++) {
        out.fails_at = at;
        cr_assert_eq(dump(&f), HSD_E_IO, "call %u", at);
    }
    out.fails_at = 0;
    forge_free(&f);
}

/* One record that takes many pieces: each of its bytes is written as four. */
Test(dump, writes_nothing_after_a_failure)
{
    static char text[HSC_MAX_TEXT_BYTES];
    memset(text, '\n', sizeof text);
    forge f = forge_begin();
    forge_info(&f, 0, 0);
    FORGE(&f, HSC_COL_KEY, 1);
    FORGE(&f, HSC_COL_TEXT_BYTES, sizeof text);
    forge_raw_column(&f, HSC_COL_TEXT, HSC_CODING_BYTES, HSC_TRANSFORM_NONE, 0, sizeof text, text, sizeof text);
    forge_block(&f, HSC_BLOCK_STRINGS, 0, 1, 0);
    f.end[HSC_END_STRINGS] = 1;
    forge_finish(&f, HSC_STATE_COMPLETE);
    for (out.fails_at = 1; out.fails_at <= 4; out.fails_at++) {
        cr_assert_eq(dump(&f), HSD_E_IO);
        cr_assert_eq(out.calls, out.fails_at);
    }
    out.fails_at = 0;
    forge_free(&f);
}
