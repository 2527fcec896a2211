/* The two foreign algorithms behind their walls: checksums and decompression. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "format/header.h"
#include "io/checksum.h"
#include "io/decompress.h"

Test(checksum, is_xxh3_with_a_seed)
{
    cr_assert_eq(hsd_checksum("", 0, 0), UINT64_C(0x2D06800538D394C2)); /* published test vectors */
    cr_assert_neq(hsd_checksum("", 0, 1), hsd_checksum("", 0, 0));
    cr_assert(hsd_checksum_matches(5, 5));
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    cr_assert(!hsd_checksum_matches(5, 6));
#endif
}

/* A frame of `size` bytes of `value`; returns its length. */
static size_t compress(uint8_t *frame, size_t capacity, uint8_t value, size_t size)
{
    uint8_t *raw = malloc(size);
    cr_assert_not_null(raw);
    memset(raw, value, size);
    const size_t length = ZSTD_compress(frame, capacity, raw, size, 1);
    free(raw);
    cr_assert(!ZSTD_isError(length));
    return length;
}

static hsd_decompressor decompressor;

static hsd_status unfold(uint8_t *raw, size_t raw_bytes, const uint8_t *frame, size_t size, const char **why)
{
    *why = NULL;
    const hsd_status status = hsd_decompress(&decompressor, raw, raw_bytes, frame, size, why);
    cr_assert((status == HSD_OK) == (*why == NULL), "a fault has a reason");
    hsd_decompressor_release(&decompressor);
    return status;
}

Test(decompress, gives_the_raw_bytes_back)
{
    uint8_t frame[256], raw[1000], expected[1000];
    const char *why;
    const size_t size = compress(frame, sizeof frame, 'x', sizeof raw);
    memset(expected, 'x', sizeof expected);
    cr_assert_eq(unfold(raw, sizeof raw, frame, size, &why), HSD_OK);
    cr_assert_arr_eq(raw, expected, sizeof raw);
}

Test(decompress, refuses_another_length)
{
    uint8_t frame[256], raw[1001];
    const char *why;
    const size_t size = compress(frame, sizeof frame, 'x', 1000);
    cr_assert_eq(unfold(raw, 999, frame, size, &why), HSD_E_CORRUPT);
    cr_assert_eq(unfold(raw, 1001, frame, size, &why), HSD_E_CORRUPT);
}

Test(decompress, does_not_follow_a_bomb)
{
    static uint8_t frame[65536], raw[4096];
    const char *why;
    const size_t size = compress(frame, sizeof frame, 0, (size_t)8 << 20);
    cr_assert_lt(size, 4096);
    cr_assert_eq(unfold(raw, sizeof raw, frame, size, &why), HSD_E_CORRUPT);
}

Test(decompress, refuses_what_is_not_one_frame)
{
    uint8_t frames[512], raw[200];
    const uint8_t skippable[] = {0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4};
    const char *why;
    const size_t one = compress(frames, sizeof frames, 'a', 100);
    const size_t two = one + compress(frames + one, sizeof frames - one, 'b', 100);
    cr_assert_eq(unfold(raw, 200, frames, two, &why), HSD_E_CORRUPT);
    cr_assert_eq(unfold(raw, 100, frames, one - 1, &why), HSD_E_CORRUPT);
    frames[one] = 0;
    cr_assert_eq(unfold(raw, 100, frames, one + 1, &why), HSD_E_CORRUPT);
    cr_assert_eq(unfold(raw, 1, skippable, sizeof skippable, &why), HSD_E_CORRUPT);
    cr_assert_eq(unfold(raw, 100, (const uint8_t *)"abc", 3, &why), HSD_E_CORRUPT);
    frames[one / 2] ^= 0xFF;
    cr_assert_eq(unfold(raw, 100, frames, one, &why), HSD_E_CORRUPT);
}

/* ---- file header and trailer ---- */

static hsd_status parse_header(const uint8_t *bytes, size_t size, hsd_fault *fault)
{
    hsd_file_header header;
    return hsd_file_header_parse(bytes, size, &header, fault);
}

static void put_u64(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* A right header with one field changed and sealed again. */
static hsd_status parse_changed(size_t offset, uint8_t value, const char *rule)
{
    uint8_t bytes[HSC_FILE_HEADER_BYTES];
    hsd_fault fault;
    hsd_file_header_build(bytes, (const uint8_t *)"0123456789abcdef", 0);
    bytes[offset] = value;
    put_u64(bytes + 56, hsd_checksum(bytes, 56, 0));
    const hsd_status status = parse_header(bytes, sizeof bytes, &fault);
    if (status != HSD_OK) cr_assert_str_eq(fault.rule, rule);
    return status;
}

Test(header, reads_back_what_it_builds)
{
    uint8_t bytes[HSC_FILE_HEADER_BYTES];
    hsd_file_header header;
    hsd_fault fault;
    hsd_file_header_build(bytes, (const uint8_t *)"0123456789abcdef", 0);
    cr_assert_eq(hsd_file_header_parse(bytes, sizeof bytes, &header, &fault), HSD_OK);
    cr_assert_eq(header.major, 1);
    cr_assert_eq(header.minor, 0);
    cr_assert_eq(header.header_bytes, 64);
    cr_assert_arr_eq(header.capture_id, "0123456789abcdef", 16);
    cr_assert_eq(header.seed, hsd_checksum("0123456789abcdef", 16, 0));
}

Test(header, tells_newer_from_damaged_from_foreign)
{
    uint8_t bytes[HSC_FILE_HEADER_BYTES];
    hsd_fault fault;
    cr_assert_eq(parse_changed(8, 2, "3.4"), HSD_E_TOO_NEW);
    cr_assert_eq(parse_changed(10, 9, ""), HSD_OK, "a later minor is read");
    cr_assert_eq(parse_changed(12, 63, "3.5"), HSD_E_CORRUPT);
    cr_assert_eq(parse_changed(13, 0x10, "3.5"), HSD_E_CORRUPT, "4,160 bytes");
    cr_assert_eq(parse_changed(13, 0x0F, ""), HSD_OK, "3,904 bytes");
    cr_assert_eq(parse_changed(20, 1, "3.6"), HSD_E_TOO_NEW);
    cr_assert_eq(parse_changed(24, 1, ""), HSD_OK, "optional features are ignored");
    cr_assert_eq(parse_changed(50, 1, "3.8"), HSD_E_CORRUPT);
    cr_assert_eq(parse_changed(0, 'X', "3.2"), HSD_E_NOT_THIS_FORMAT);
    hsd_file_header_build(bytes, (const uint8_t *)"0123456789abcdef", 0);
    bytes[40] ^= 1;
    cr_assert_eq(parse_header(bytes, sizeof bytes, &fault), HSD_E_CORRUPT);
    cr_assert_str_eq(fault.rule, "3.3");
    cr_assert_eq(parse_header(bytes, 20, &fault), HSD_E_TRUNCATED);
    cr_assert_str_eq(fault.text, "was cut off at byte 20, inside the file header");
    cr_assert_eq(parse_header(bytes, 3, &fault), HSD_E_TRUNCATED);
    cr_assert_eq(parse_header(bytes, 0, &fault), HSD_E_NOT_THIS_FORMAT);
}

Test(header, reads_back_a_trailer_and_refuses_a_changed_one)
{
    const hsd_trailer trailer = {.index_offset = 1000, .end_offset = UINT64_C(0x123456789AB)};
    uint8_t bytes[HSC_TRAILER_BYTES];
    hsd_trailer back;
    hsd_fault fault;
    hsd_trailer_build(bytes, 7, &trailer);
    cr_assert_eq(hsd_trailer_parse(bytes, 7, &back, &fault), HSD_OK);
    cr_assert_eq(back.index_offset, trailer.index_offset);
    cr_assert_eq(back.end_offset, trailer.end_offset);
    cr_assert_eq(hsd_trailer_parse(bytes, 8, &back, &fault), HSD_E_CORRUPT, "of another capture");
    cr_assert_str_eq(fault.rule, "9.3");
    bytes[16] ^= 1;
    cr_assert_eq(hsd_trailer_parse(bytes, 7, &back, &fault), HSD_E_CORRUPT);
    cr_assert_str_eq(fault.rule, "9.2");
}
