/*
 * The values of one column, collected until their group is full, and then encoded as the body of a page.
 */
#ifndef HSD_EXPORT_PARQUET_COLUMN_H
#define HSD_EXPORT_PARQUET_COLUMN_H

#include "base/names.h"
#include "export/tables/sink.h"

/* Parquet's numbers for encodings. */
enum {
    HSD_ENCODING_PLAIN = 0,
    HSD_ENCODING_RLE = 3,
    HSD_ENCODING_DELTA_BINARY_PACKED = 5,
    HSD_ENCODING_DELTA_LENGTH_BYTE_ARRAY = 6,
    HSD_ENCODING_RLE_DICTIONARY = 8
};

typedef struct hsd_column {
    hsd_column_text text;
    int64_t *numbers; /* of a text: its number in `names`. Values alone, no NULLs */
    uint32_t *levels; /* 1 = a value, 0 = NULL; a row each. NULL: the column is required */
    size_t capacity;  /* of both */
    uint32_t values, rows;
    hsd_names names; /* distinct texts, in the order in which they came */
    size_t text_bytes;
} hsd_column;

/* A zeroed one with `text` is empty. HSD_E_MISUSE for a NULL where none may be, or a text for a number; HSD_E_NOMEM. */
hsd_status hsd_column_put(hsd_column *column, const hsd_cell *cell, const uint8_t *texts, hsd_error *err);

/* What a column became. */
typedef struct hsd_column_page {
    int encoding;
    uint32_t dictionary_values; /* 0 = without one */
} hsd_column_page;

/*
 * Appends the body of the data page to `page`, and that of a dictionary page to `dictionary`, which stays empty without
 * one. Both come empty. HSD_E_NOMEM.
 */
hsd_status hsd_column_encode(const hsd_column *column, hsd_buffer *page, hsd_buffer *dictionary, hsd_column_page *what,
                             hsd_error *err);

/* Empties it for the next group. */
void hsd_column_clear(hsd_column *column);
void hsd_column_release(hsd_column *column);

#endif
