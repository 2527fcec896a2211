/*
 * The reader of protobuf: what every wire type says, messages in messages, what was left unread, and each fault with
 * its offset. Every case is read from memory and through the smallest window that comes byte by byte, and says the
 * same.
 */
#include "import/protobuf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"

/* A source that gives few bytes at a time. */
typedef struct drip {
    const uint8_t *at, *end;
} drip;

static hsd_status read_drip(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    (void)err;
    drip *from = context;
    const size_t left = (size_t)(from->end - from->at);
    *got = left < 3 ? left : 3;
    if (*got > size) *got = size;
    memcpy(data, from->at, *got);
    from->at += *got;
    return HSD_OK;
}

static const hsd_source_ops drip_ops = {.read = read_drip};

typedef struct opened {
    hsd_source source;
    drip from;
} opened;

static void open_way(opened *in, const void *data, size_t size, int way)
{
    in->from = (drip){data, (const uint8_t *)data + size};
    if (way == 0)
        cr_assert(hsd_source_open_memory(&in->source, (hsd_bytes){data, size}, "m", NULL) == HSD_OK);
    else
        cr_assert(hsd_source_open_custom(&in->source, &drip_ops, &in->from, "m", 64, false, NULL) == HSD_OK);
}

/* Reads all, entering every field of bytes whose number is 2; says the story in one line, and what ended it. */
static hsd_status tell(hsd_proto_message *message, char *text, size_t size, hsd_error *err)
{
    hsd_proto_field field;
    hsd_status status;
    while ((status = hsd_proto_next(message, &field, err)) == HSD_OK) {
        const size_t used = strlen(text);
        if (field.wire != HSD_PROTO_BYTES)
            snprintf(text + used, size - used, "%u:%u=%llu ", field.number, field.wire,
                     (unsigned long long)field.value);
        else if (field.number == 2) {
            hsd_proto_message inner;
            snprintf(text + used, size - used, "{ ");
            HSD_TRY(hsd_proto_enter(message, &field, &inner, err));
            status = tell(&inner, text, size, err);
            if (status != HSD_END) return status;
            snprintf(text + strlen(text), size - strlen(text), "} ");
        } else
            snprintf(text + used, size - used, "%u[%llu] ", field.number, (unsigned long long)field.size);
    }
    return status;
}

static void says(const void *data, size_t size, hsd_status expected, const char *story, uint64_t offset)
{
    for (int way = 0; way < 2; way++) {
        opened in;
        char text[512] = "";
        hsd_error err;
        hsd_error_init(&err);
        open_way(&in, data, size, way);
        hsd_proto_message all = hsd_proto_all(&in.source);
        const hsd_status status = tell(&all, text, sizeof text, &err);
        cr_expect(status == expected, "way %d: %s: %s", way, hsd_status_name(status), err.text);
        cr_expect_str_eq(text, story);
        if (expected < 0) {
            cr_expect_eq(err.offset_bytes, offset, "way %d: %llu: %s", way, (unsigned long long)err.offset_bytes,
                         err.text);
            cr_expect_str_eq(err.file, "m");
        }
        hsd_source_close(&in.source);
    }
}

#define SAYS(bytes, status, story, offset) says(bytes, sizeof bytes - 1, status, story, offset)

Test(protobuf, tells_every_wire_type)
{
    SAYS("", HSD_END, "", 0);
    SAYS("\x08\x96\x01", HSD_END, "1:0=150 ", 0);
    SAYS("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", HSD_END, "1:0=18446744073709551615 ", 0);
    SAYS("\x09\x01\x02\x03\x04\x05\x06\x07\x08", HSD_END, "1:1=578437695752307201 ", 0);
    SAYS("\x0d\x01\x02\x03\x04", HSD_END, "1:5=67305985 ", 0);
    SAYS("\x1a\x03"
         "abc"
         "\x08\x01",
         HSD_END, "3[3] 1:0=1 ", 0);
    SAYS("\xf8\xff\xff\xff\x0f\x01", HSD_END, "536870911:0=1 ", 0);
}

Test(protobuf, enters_messages_and_leaves_them)
{
    SAYS("\x12\x00\x08\x01", HSD_END, "{ } 1:0=1 ", 0);
    SAYS("\x12\x08\x08\x05\x12\x02\x08\x07\x08\x06\x08\x01", HSD_END, "{ 1:0=5 { 1:0=7 } 1:0=6 } 1:0=1 ", 0);
    SAYS("\x12\x04\x1a\x02"
         "xy"
         "\x08\x01",
         HSD_END, "{ 3[2] } 1:0=1 ", 0);
}

Test(protobuf, finds_every_fault_at_its_offset)
{
    SAYS("\x08\x01\x08", HSD_E_TRUNCATED, "1:0=1 ", 3);
    SAYS("\x08\x01\x08\x80", HSD_E_TRUNCATED, "1:0=1 ", 3);
    SAYS("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", HSD_E_CORRUPT, "", 1);
    SAYS("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", HSD_E_CORRUPT, "", 0);
    SAYS("\x09\x01\x02\x03", HSD_E_TRUNCATED, "", 1);
    SAYS("\x00\x01", HSD_E_CORRUPT, "", 0);
    SAYS("\x08\x01\x80\x80\x80\x80\x10\x01", HSD_E_CORRUPT, "1:0=1 ", 2); /* field 2^29 */
    SAYS("\x0b", HSD_E_CORRUPT, "", 0);                                   /* a group */
    SAYS("\x0f", HSD_E_CORRUPT, "", 0);                                   /* wire type 7 */
    SAYS("\x1a\x05"
         "abc",
         HSD_E_TRUNCATED, "3[5] ", 5);
    SAYS("\x12\x02\x1a\x05"
         "abcde",
         HSD_E_CORRUPT, "{ ", 2);                     /* the field passes its message */
    SAYS("\x12\x01\x08\x01", HSD_E_CORRUPT, "{ ", 2); /* the number does */
    SAYS("\x12\x01\x1a", HSD_E_TRUNCATED, "{ ", 3);
    SAYS("\x12\x05\x08\x01", HSD_E_TRUNCATED, "{ 1:0=1 ", 4);
    SAYS("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", HSD_E_CORRUPT, "", 0); /* 2^64-1 bytes */
    SAYS("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
         "ab",
         HSD_E_TRUNCATED, "3[9223372036854775807] ", 12);
}

/* The numbers of field 4, packed or not, as text. */
static hsd_status numbers(const void *data, size_t size, int way, char *text, size_t text_size)
{
    opened in;
    hsd_proto_field field;
    hsd_status status;
    open_way(&in, data, size, way);
    hsd_proto_message all = hsd_proto_all(&in.source);
    text[0] = '\0';
    while ((status = hsd_proto_next(&all, &field, NULL)) == HSD_OK) {
        uint64_t left = UINT64_MAX, value;
        while ((status = hsd_proto_number(&all, &field, &left, &value, NULL)) == HSD_OK)
            snprintf(text + strlen(text), text_size - strlen(text), "%llu ", (unsigned long long)value);
        if (status != HSD_END) break;
    }
    hsd_source_close(&in.source);
    return status;
}

Test(protobuf, reads_repeated_numbers_packed_or_not)
{
    for (int way = 0; way < 2; way++) {
        char text[256];
        static const char mixed[] = "\x20\x01\x22\x04\x02\xac\x02\x03\x20\x04\x22\x00\x22\x01\x05";
        cr_expect(numbers(mixed, sizeof mixed - 1, way, text, sizeof text) == HSD_END);
        cr_expect_str_eq(text, "1 2 300 3 4 5 ");
        static const char passing[] = "\x22\x02\x01\x80\x01"; /* the second ends behind its field */
        cr_expect(numbers(passing, sizeof passing - 1, way, text, sizeof text) == HSD_E_CORRUPT);
        static const char cut[] = "\x22\x05\x01\x02";
        cr_expect(numbers(cut, sizeof cut - 1, way, text, sizeof text) == HSD_E_TRUNCATED);
    }
}

Test(protobuf, shows_bytes_and_passes_over_the_rest)
{
    for (int way = 0; way < 2; way++) {
        opened in;
        hsd_proto_field field;
        hsd_bytes bytes;
        hsd_error err;
        hsd_error_init(&err);
        open_way(&in,
                 "\x0a\x04"
                 "text"
                 "\x10\x07\x0a\x09"
                 "ab",
                 12, way);
        hsd_proto_message all = hsd_proto_all(&in.source);
        cr_assert(hsd_proto_next(&all, &field, &err) == HSD_OK);
        cr_assert(hsd_proto_bytes(&all, &field, 2, &bytes, &err) == HSD_OK);
        cr_expect(bytes.size == 2 && memcmp(bytes.data, "te", 2) == 0);
        cr_assert(hsd_proto_bytes(&all, &field, 64, &bytes, &err) == HSD_OK);
        cr_expect(bytes.size == 4 && memcmp(bytes.data, "text", 4) == 0);
        cr_assert(hsd_proto_next(&all, &field, &err) == HSD_OK);
        cr_expect(field.number == 2 && field.value == 7);
        cr_expect(hsd_proto_bytes(&all, &field, 64, &bytes, &err) == HSD_E_CORRUPT);
        hsd_proto_message inner;
        cr_expect(hsd_proto_enter(&all, &field, &inner, &err) == HSD_E_CORRUPT);
        cr_assert(hsd_proto_next(&all, &field, &err) == HSD_OK);
        cr_expect(hsd_proto_bytes(&all, &field, 64, &bytes, &err) == HSD_E_TRUNCATED);
        hsd_source_close(&in.source);
    }
}

Test(protobuf, says_when_a_reader_took_more_than_the_field)
{
    opened in;
    hsd_proto_field field;
    open_way(&in,
             "\x0a\x01"
             "a"
             "\x10\x07",
             5, 0);
    hsd_proto_message all = hsd_proto_all(&in.source);
    cr_assert(hsd_proto_next(&all, &field, NULL) == HSD_OK);
    hsd_source_take(&in.source, 2);
    cr_expect(hsd_proto_next(&all, &field, NULL) == HSD_E_MISUSE);
    hsd_source_close(&in.source);
}

Test(protobuf, reads_one_number_for_framing)
{
    opened in;
    uint64_t value;
    open_way(&in, "\x05\x80\x01\x80", 4, 1);
    cr_expect(hsd_proto_varint(&in.source, &value, NULL) == HSD_OK && value == 5);
    cr_expect(hsd_proto_varint(&in.source, &value, NULL) == HSD_OK && value == 128);
    cr_expect(hsd_proto_varint(&in.source, &value, NULL) == HSD_E_TRUNCATED);
    hsd_source_close(&in.source);
    open_way(&in, "", 0, 1);
    cr_expect(hsd_proto_varint(&in.source, &value, NULL) == HSD_END);
    hsd_source_close(&in.source);
}

Test(protobuf, unfolds_signed_numbers)
{
    cr_expect_eq(hsd_proto_zigzag(0), 0);
    cr_expect_eq(hsd_proto_zigzag(1), -1);
    cr_expect_eq(hsd_proto_zigzag(2), 1);
    cr_expect_eq(hsd_proto_zigzag(UINT64_MAX), INT64_MIN);
}

/* Any bytes at all end in a status, the same from memory and through a window. */
Test(protobuf, reads_anything_to_one_end)
{
    test_random random = {test_seed(7)};
    for (int round = 0; round < 20000; round++) {
        uint8_t data[48];
        const size_t size = test_below(&random, sizeof data + 1);
        for (size_t i = 0; i < size; i++)
            data[i] = (uint8_t)(test_below(&random, 3) == 0 ? test_next(&random) : test_below(&random, 32));
        char text[2][4096] = {"", ""};
        hsd_status status[2];
        hsd_error err[2];
        for (int way = 0; way < 2; way++) {
            opened in;
            hsd_error_init(&err[way]);
            open_way(&in, data, size, way);
            hsd_proto_message all = hsd_proto_all(&in.source);
            status[way] = tell(&all, text[way], sizeof text[way], &err[way]);
            hsd_source_close(&in.source);
        }
        cr_assert(status[0] == status[1] && err[0].offset_bytes == err[1].offset_bytes && strcmp(text[0], text[1]) == 0,
                  "round %d: %s / %s, %s / %s", round, text[0], text[1], err[0].text, err[1].text);
        cr_assert(status[0] == HSD_END || status[0] == HSD_E_CORRUPT || status[0] == HSD_E_TRUNCATED);
    }
}

/* Of one byte to ten, at every distance from the end of the input. */
Test(protobuf, reads_numbers_of_all_lengths)
{
    for (unsigned size = 1; size <= 10; size++) {
        const uint64_t value = size == 10 ? UINT64_MAX : (UINT64_C(1) << (7 * size)) - 1 - size;
        for (size_t behind = 0; behind < 12; behind++) {
            uint8_t bytes[32] = {1u << 3};
            size_t used = 1;
            for (uint64_t left = value; left >= 0x80; left >>= 7)
                bytes[used++] = (uint8_t)(left | 0x80);
            bytes[used++] = (uint8_t)(value >> (7 * (size - 1)));
            cr_assert_eq(used, size + 1);
            for (size_t i = 0; i < behind; i++)
                bytes[used++] = i % 2 == 0 ? 2u << 3 : 1;
            for (int way = 0; way < 2; way++) {
                opened in;
                hsd_error err;
                hsd_error_init(&err);
                open_way(&in, bytes, used - behind % 2, way);
                hsd_proto_message all = hsd_proto_all(&in.source);
                hsd_proto_field field;
                cr_assert_eq(hsd_proto_next(&all, &field, &err), HSD_OK, "%s", err.text);
                cr_assert(field.number == 1 && field.value == value, "%u bytes, %zu behind", size, behind);
                for (size_t i = 0; i < behind / 2; i++)
                    cr_assert(hsd_proto_next(&all, &field, &err) == HSD_OK && field.value == 1);
                cr_assert_eq(hsd_proto_next(&all, &field, &err), HSD_END);
                hsd_source_close(&in.source);
            }
        }
    }
}

/* ---- what is passed over at once ---- */

/* The fields that are not number 3, and where each stands; with `at_once` what is number 3 is passed over. */
static hsd_status list_others(const void *data, size_t size, int way, bool at_once, char text[4096], hsd_error *err)
{
    opened in;
    hsd_proto_field field;
    hsd_status status;
    size_t used = 0;
    open_way(&in, data, size, way);
    hsd_proto_message all = hsd_proto_all(&in.source);
    text[0] = '\0';
    while ((status = hsd_proto_next(&all, &field, err)) == HSD_OK) {
        if (field.number == 3 && at_once) hsd_proto_pass_alike(&all, &field);
        if (field.number != 3 && used < 4000)
            used += (size_t)snprintf(text + used, 4096 - used, "%u:%u@%llu ", field.number, field.wire,
                                     (unsigned long long)field.offset);
    }
    hsd_source_close(&in.source);
    return status;
}

static size_t put_random_field(uint8_t *out, test_random *random)
{
    static const uint8_t tags[] = {0x1a, 0x1a, 0x1a, 0x1a, 0x08, 0x22, 0x18, 0x92};
    size_t size = 0;
    out[size++] = tags[test_below(random, sizeof tags)];
    if (out[0] == 0x92) out[size++] = 0x03;
    if ((out[0] & 7) == 0) {
        out[size++] = (uint8_t)test_below(random, 128);
        return size;
    }
    const size_t bytes = test_below(random, 4) == 0 ? 128 + test_below(random, 200) : test_below(random, 20);
    if (bytes >= 128) out[size++] = (uint8_t)(bytes | 0x80);
    out[size++] = (uint8_t)(bytes >= 128 ? bytes >> 7 : bytes);
    for (size_t i = 0; i < bytes; i++)
        out[size++] = (uint8_t)test_below(random, 256);
    return size;
}

Test(protobuf, what_is_passed_over_at_once_hides_nothing_else)
{
    static uint8_t data[40000];
    static char apart[4096], at_once[4096];
    const uint64_t first = test_seed(1);
    for (uint64_t seed = first; seed < first + 400; seed++) {
        test_random random = {seed};
        size_t size = 0, fields = test_below(&random, 80);
        while (fields-- > 0)
            size += put_random_field(data + size, &random);
        if (seed % 2 == 0 && size > 0) size = test_below(&random, size); /* cut off, mostly inside a field */
        if (seed % 3 == 0 && size > 0) data[test_below(&random, size)] ^= 0x80;
        for (int way = 0; way < 2; way++) {
            hsd_error first_error, second_error;
            hsd_error_init(&first_error);
            hsd_error_init(&second_error);
            const hsd_status wanted = list_others(data, size, way, false, apart, &first_error),
                             status = list_others(data, size, way, true, at_once, &second_error);
            cr_assert(status == wanted, "seed %llu, way %d: %s, not %s", (unsigned long long)seed, way,
                      hsd_status_name(status), hsd_status_name(wanted));
            cr_assert_str_eq(at_once, apart, "seed %llu, way %d", (unsigned long long)seed, way);
            cr_assert_str_eq(second_error.text, first_error.text);
        }
    }
}
