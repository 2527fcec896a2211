/*
 * A record of CSV, put together and written at once: for lists as long as a heap. So its parts are inline.
 */
#ifndef HSD_REPORT_CSV_ROW_H
#define HSD_REPORT_CSV_ROW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include <hsdiff/report.h>

#define HSD_CSV_REST_BYTES ((size_t)256) /* the most that a row has besides its name */

typedef struct hsd_csv_row {
    hsd_write_fn write;
    void *context;
    size_t size;
    char text[1024];
} hsd_csv_row;

static inline void hsd_csv_row_begin(hsd_csv_row *row, hsd_write_fn write, void *context)
{
    row->write = write;
    row->context = context;
    row->size = 0;
}

static inline void hsd_csv_row_put(hsd_csv_row *row, char c)
{
    HSD_ASSERT(row->size < sizeof row->text);
    row->text[row->size++] = c;
}

static inline void hsd_csv_row_put_word(hsd_csv_row *row, const char *word)
{
    for (; *word != 0; word++)
        hsd_csv_row_put(row, *word);
}

/* 0x and hexadecimal digits. */
static inline void hsd_csv_row_put_id(hsd_csv_row *row, uint64_t id)
{
    const unsigned digits = id == 0 ? 1 : (67 - (unsigned)__builtin_clzll(id)) / 4;
    HSD_ASSERT(row->size + 2 + digits <= sizeof row->text);
    char *start = row->text + row->size;
    memcpy(start, "0x", 2);
    for (char *at = start + 2 + digits; at > start + 2; id >>= 4)
        *--at = "0123456789abcdef"[id & 15];
    row->size += 2 + digits;
}

static inline void hsd_csv_row_put_count(hsd_csv_row *row, uint64_t count)
{
    unsigned digits = 1;
    for (uint64_t rest = count; rest >= 10; rest /= 10)
        digits++;
    HSD_ASSERT(row->size + digits <= sizeof row->text);
    for (char *at = row->text + row->size + digits; at > row->text + row->size; count /= 10)
        *--at = (char)('0' + count % 10);
    row->size += digits;
}

/* Escaped; allocates only for a name that is very long. */
hsd_status hsd_csv_row_put_name(hsd_csv_row *row, hsd_text name, hsd_error *err);

/* With the end of the line. */
hsd_status hsd_csv_row_end(hsd_csv_row *row, hsd_error *err);

#endif
