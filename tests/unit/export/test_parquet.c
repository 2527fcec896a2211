/* The encodings of Parquet against decoders written from its specification alone, one bit at a time; and the columns of
 * the tables. Whole files are read by other people's readers: tests/export/test_parquet.py. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "export/parquet/column.h"
#include "export/parquet/encodings.h"
#include "export/parquet/thrift.h"
#include "export/tables/tables.h"

typedef struct reading {
    const uint8_t *at, *end;
    unsigned bit;
} reading;

static uint64_t read_bit(reading *r)
{
    cr_assert(r->at < r->end);
    const uint64_t bit = *r->at >> r->bit & 1;
    if (++r->bit == 8) {
        r->bit = 0;
        r->at++;
    }
    return bit;
}

static uint64_t read_bits(reading *r, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= read_bit(r) << i;
    return value;
}

static uint64_t read_varint(reading *r)
{
    uint64_t value = 0;
    cr_assert_eq(r->bit, 0);
    for (unsigned shift = 0;; shift += 7) {
        cr_assert(r->at < r->end && shift < 64);
        value |= (uint64_t)(*r->at & 0x7f) << shift;
        if ((*r->at++ & 0x80) == 0) return value;
    }
}

static int64_t unzigzag(uint64_t value) { return (int64_t)(value >> 1 ^ (0 - (value & 1))); }

static void check_deltas(const int64_t *values, size_t count)
{
    hsd_buffer out = {0};
    cr_assert_eq(hsd_encode_deltas(&out, values, count, NULL), HSD_OK);
    reading r = {.at = out.data, .end = out.data + out.size};
    const uint64_t block = read_varint(&r), parts = read_varint(&r);
    cr_assert(block % 128 == 0 && block / parts % 32 == 0);
    cr_assert_eq(read_varint(&r), count);
    int64_t value = unzigzag(read_varint(&r));
    if (count > 0) cr_assert_eq(value, values[0]);
    for (size_t at = 1; at < count;) {
        const int64_t least = unzigzag(read_varint(&r));
        uint8_t widths[64];
        for (uint64_t part = 0; part < parts; part++)
            widths[part] = (uint8_t)read_bits(&r, 8);
        for (uint64_t part = 0; part < parts && at < count; part++)
            for (uint64_t i = 0; i < block / parts; i++) {
                const uint64_t above = read_bits(&r, widths[part]);
                if (at >= count) continue;
                value = (int64_t)((uint64_t)value + (uint64_t)least + above);
                cr_assert_eq(value, values[at], "value %zu of %zu", at, count);
                at++;
            }
    }
    cr_assert(r.at == r.end && r.bit == 0, "bytes behind the last value");
    hsd_buffer_release(&out);
}

static uint64_t state = 7;
static uint64_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state >> 11;
}

Test(parquet, deltas)
{
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 130, 257, 1000, 4099};
    int64_t values[4099];
    for (unsigned kind = 0; kind < 40; kind++) {
        for (size_t i = 0; i < 4099; i++) {
            const uint64_t drawn = draw() << 11 | draw() >> 30;
            values[i] = kind == 0   ? (int64_t)i
                        : kind == 1 ? (i % 2 == 0 ? INT64_MIN : INT64_MAX)
                        : kind == 2 ? -(int64_t)(i * i)
                        : kind == 3 ? 5
                                    : (int64_t)(drawn >> (kind % 64)) - (int64_t)(kind * 1000);
        }
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            check_deltas(values, counts[i]);
    }
}

static void check_runs(const uint32_t *values, size_t count, unsigned width)
{
    hsd_buffer out = {0};
    cr_assert_eq(hsd_encode_runs(&out, values, count, width, NULL), HSD_OK);
    reading r = {.at = out.data, .end = out.data + out.size};
    size_t at = 0;
    while (at < count) {
        const uint64_t head = read_varint(&r), is_packed = head & 1;
        const uint64_t of = is_packed ? (head >> 1) * 8 : head >> 1;
        const uint64_t value = is_packed ? 0 : read_bits(&r, (width + 7) / 8 * 8);
        cr_assert(of > 0 && (is_packed || of >= 8));
        for (uint64_t i = 0; i < of; i++) {
            const uint64_t got = is_packed ? read_bits(&r, width) : value;
            if (at == count) continue; /* the last group is filled up */
            cr_assert_eq(got, values[at], "value %zu of %zu, width %u", at, count, width);
            at++;
        }
    }
    cr_assert(r.at == r.end && r.bit == 0, "bytes behind the last value");
    hsd_buffer_release(&out);
}

Test(parquet, runs)
{
    uint32_t values[3000];
    for (unsigned round = 0; round < 2000; round++) {
        const unsigned width = (unsigned)(draw() % 33);
        const size_t count = draw() % 3000;
        const uint64_t mask = (UINT64_C(1) << width) - 1, longest = 1 + draw() % 40;
        for (size_t i = 0; i < count;) {
            const uint32_t value = (uint32_t)(draw() & mask);
            for (uint64_t run = 1 + draw() % longest; run > 0 && i < count; run--)
                values[i++] = value;
        }
        check_runs(values, count, width);
    }
}

/* The example of the protocol's specification: a field of 16-bit, one far behind it, and what nests. */
Test(parquet, thrift)
{
    hsd_buffer out = {0};
    hsd_thrift t = {.out = &out};
    hsd_thrift_i32(&t, 1, -1);
    hsd_thrift_struct(&t, 5);
    hsd_thrift_bool(&t, 2, true);
    hsd_thrift_bool(&t, 3, false);
    hsd_thrift_end(&t);
    hsd_thrift_list(&t, 6, HSD_THRIFT_I32, 2);
    hsd_thrift_element_i32(&t, 1);
    hsd_thrift_element_i32(&t, 150);
    hsd_thrift_i64(&t, 30, 3);
    hsd_thrift_string(&t, 31, "ab");
    hsd_thrift_end(&t);
    static const uint8_t wanted[] = {0x15, 0x01, 0x4c, 0x21, 0x12, 0x00, 0x19, 0x25, 0x02, 0xac,
                                     0x02, 0x06, 0x3c, 0x06, 0x18, 0x02, 'a',  'b',  0x00};
    cr_assert_eq(t.status, HSD_OK);
    cr_assert(out.size == sizeof wanted && memcmp(out.data, wanted, out.size) == 0);
    hsd_buffer_release(&out);
}

Test(parquet, columns_of_tables)
{
    hsd_column_text columns[HSD_TABLE_COLUMNS_MOST];
    for (unsigned table = 0; table < HSD_TABLE_COUNT; table++)
        cr_assert(hsd_table_columns((hsd_table)table, columns) >= 2, "%s", hsd_table_get((hsd_table)table)->name);
    cr_assert_eq(hsd_table_columns(HSD_TABLE_OF_TYPES, columns), 8);
    cr_assert_str_eq(columns[0].name, "type");
    cr_assert(!columns[0].is_text && columns[0].is_required);
    cr_assert_str_eq(columns[1].name, "name");
    cr_assert(columns[1].is_text && columns[1].is_required);
    cr_assert(!columns[2].is_required);
    cr_assert_eq(hsd_table_columns(HSD_TABLE_OF_HOLDER_STEPS, columns), 5);
    cr_assert_str_eq(columns[3].name, "type");
    cr_assert(columns[3].is_text && columns[3].is_required);
}

Test(parquet, texts_that_are_no_text)
{
    hsd_column column = {.text = {.name = "name", .is_text = true, .is_required = true}};
    const uint8_t text[] = {'a', 0, 0xff, 'b', '\\'};
    const hsd_cell bytes = {.kind = HSD_CELL_BYTES, .size = sizeof text}, null = {.kind = HSD_CELL_NULL},
                   number = {.kind = HSD_CELL_NUMBER, .number = 1}, empty = {.kind = HSD_CELL_TEXT};
    cr_assert_eq(hsd_column_put(&column, &bytes, text, NULL), HSD_OK);
    cr_assert_eq(hsd_column_put(&column, &empty, NULL, NULL), HSD_OK);
    cr_assert_str_eq((const char *)hsd_names_get(&column.names, 0).data, "a\\x00\\xffb\\");
    cr_assert_eq(hsd_names_get(&column.names, 1).size, 0);
    cr_assert_eq(hsd_column_put(&column, &null, NULL, NULL), HSD_E_MISUSE);
    cr_assert_eq(hsd_column_put(&column, &number, NULL, NULL), HSD_E_MISUSE);
    cr_assert_eq(column.rows, 2);
    hsd_column_release(&column);
}

/* A column of NULLs alone asks no reader to open an empty dictionary. */
Test(parquet, nothing_but_null)
{
    hsd_column column = {.text = {.name = "native_bytes"}};
    const hsd_cell null = {.kind = HSD_CELL_NULL};
    hsd_buffer page = {0}, dictionary = {0};
    hsd_column_page what;
    for (unsigned i = 0; i < 300; i++)
        cr_assert_eq(hsd_column_put(&column, &null, NULL, NULL), HSD_OK);
    cr_assert_eq(hsd_column_encode(&column, &page, &dictionary, &what, NULL), HSD_OK);
    static const uint8_t levels[] = {3, 0, 0, 0, 0xd8, 4, 0}; /* 300 times 0 */
    cr_assert(page.size == sizeof levels && memcmp(page.data, levels, sizeof levels) == 0);
    cr_assert(dictionary.size == 0 && what.dictionary_values == 0 && what.encoding == HSD_ENCODING_PLAIN);
    hsd_buffer_release(&page);
    hsd_column_release(&column);
}
