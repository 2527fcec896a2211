/*
 * Which encoding a column gets is decided by what it takes: numbers by differences or by a dictionary, texts by a
 * dictionary where half of them repeat.
 */
#include "export/parquet/column.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "export/parquet/encodings.h"

/* ---- collecting */

static hsd_status grow_column(hsd_column *column, hsd_error *err)
{
    const size_t capacity = column->capacity == 0 ? 256 : column->capacity * 2;
    int64_t *numbers = realloc(column->numbers, capacity * sizeof *numbers);
    if (numbers == NULL) return hsd_fail_nomem(err, "a column of a table");
    column->numbers = numbers;
    if (!column->text.is_required) {
        uint32_t *levels = realloc(column->levels, capacity * sizeof *levels);
        if (levels == NULL) return hsd_fail_nomem(err, "a column of a table");
        column->levels = levels;
    }
    column->capacity = capacity;
    return HSD_OK;
}

/* Bytes that are no UTF-8: every one outside ASCII as \xNN, and NUL too. */
static hsd_status escape(hsd_buffer *out, const uint8_t *bytes, size_t size, hsd_error *err)
{
    static const char digits[] = "0123456789abcdef";
    HSD_TRY(hsd_buffer_reserve(out, size * 4, err));
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0 && bytes[i] < 0x80) {
            out->data[out->size++] = bytes[i];
            continue;
        }
        const char shown[4] = {'\\', 'x', digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        memcpy(out->data + out->size, shown, sizeof shown);
        out->size += sizeof shown;
    }
    return HSD_OK;
}

static hsd_status number_text(hsd_column *column, const hsd_cell *cell, const uint8_t *texts, int64_t *number,
                              hsd_error *err)
{
    hsd_bytes text = {.data = cell->size > 0 ? texts + cell->number : (const uint8_t *)"", .size = cell->size};
    hsd_buffer escaped = {0};
    hsd_status status = HSD_OK;
    uint32_t name = 0;
    if (cell->kind == HSD_CELL_BYTES) {
        status = escape(&escaped, text.data, text.size, err);
        text = (hsd_bytes){.data = escaped.data, .size = escaped.size};
    }
    const uint32_t before = column->names.count;
    if (status == HSD_OK) status = hsd_names_put(&column->names, text, &name, err);
    if (status == HSD_OK && column->names.count > before) column->text_bytes += text.size + 4;
    hsd_buffer_release(&escaped);
    *number = name;
    return status;
}

hsd_status hsd_column_put(hsd_column *column, const hsd_cell *cell, const uint8_t *texts, hsd_error *err)
{
    const bool is_null = cell->kind == HSD_CELL_NULL, is_text = !is_null && cell->kind != HSD_CELL_NUMBER;
    if ((is_null && column->text.is_required) || (!is_null && is_text != column->text.is_text))
        return hsd_fail(err, HSD_E_MISUSE, "a value that column %s cannot hold", column->text.name);
    if (column->rows == column->capacity) HSD_TRY(grow_column(column, err));
    int64_t number = cell->number;
    if (is_text) HSD_TRY(number_text(column, cell, texts, &number, err));
    if (column->levels != NULL) column->levels[column->rows] = !is_null;
    if (!is_null) column->numbers[column->values++] = number;
    column->rows++;
    return HSD_OK;
}

void hsd_column_clear(hsd_column *column)
{
    hsd_names_release(&column->names);
    column->names = (hsd_names){0};
    column->values = column->rows = 0;
    column->text_bytes = 0;
}

void hsd_column_release(hsd_column *column)
{
    hsd_names_release(&column->names);
    free(column->numbers);
    free(column->levels);
    *column = (hsd_column){.numbers = NULL};
}

/* ---- pages */

static hsd_status put_u32(hsd_buffer *out, uint32_t value, hsd_error *err)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    return hsd_buffer_append(out, bytes, sizeof bytes, err);
}

static hsd_status put_i64(hsd_buffer *out, int64_t value, hsd_error *err)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)value >> 8 * i);
    return hsd_buffer_append(out, bytes, sizeof bytes, err);
}

/* Runs behind their size. */
static hsd_status put_levels(hsd_buffer *out, const uint32_t *levels, size_t count, hsd_error *err)
{
    const size_t at = out->size;
    HSD_TRY(put_u32(out, 0, err));
    HSD_TRY(hsd_encode_runs(out, levels, count, 1, err));
    const uint32_t size = (uint32_t)(out->size - at - 4);
    for (unsigned i = 0; i < 4; i++)
        out->data[at + i] = (uint8_t)(size >> 8 * i);
    return HSD_OK;
}

/* Places in a dictionary behind their width. */
static hsd_status put_indexes(hsd_buffer *out, const uint32_t *indexes, size_t count, uint32_t distinct, hsd_error *err)
{
    const uint8_t width = (uint8_t)hsd_bits_of(distinct > 0 ? distinct - 1 : 0);
    HSD_TRY(hsd_buffer_append(out, &width, 1, err));
    return hsd_encode_runs(out, indexes, count, width, err);
}

/* ---- numbers */

#define DISTINCT_MOST 4096u
#define SLOTS         16384u

/* Few distinct numbers, in the order in which they came. */
typedef struct number_set {
    int64_t distinct[DISTINCT_MOST];
    uint16_t slots[SLOTS]; /* place in `distinct` + 1 */
    uint32_t count;
} number_set;

/* False when there are too many. */
static bool place_of(number_set *set, int64_t number, uint32_t *place)
{
    uint32_t slot = (uint32_t)((uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) >> 50);
    for (; set->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        *place = set->slots[slot] - 1u;
        if (set->distinct[*place] == number) return true;
    }
    if (set->count == DISTINCT_MOST) return false;
    *place = set->count++;
    set->distinct[*place] = number;
    set->slots[slot] = (uint16_t)(*place + 1);
    return true;
}

/* A dictionary and the places in it; *is_few false, and nothing appended, where there are too many numbers. */
static hsd_status encode_few(const hsd_column *column, hsd_buffer *page, hsd_buffer *dictionary, bool *is_few,
                             hsd_error *err)
{
    number_set *set = calloc(1, sizeof *set);
    uint32_t *indexes = malloc((column->values + 1) * sizeof *indexes);
    hsd_status status = set != NULL && indexes != NULL ? HSD_OK : hsd_fail_nomem(err, "a dictionary of numbers");
    *is_few = status == HSD_OK;
    for (uint32_t i = 0; *is_few && i < column->values; i++)
        *is_few = place_of(set, column->numbers[i], &indexes[i]);
    for (uint32_t i = 0; *is_few && status == HSD_OK && i < set->count; i++)
        status = put_i64(dictionary, set->distinct[i], err);
    if (*is_few && status == HSD_OK) status = put_indexes(page, indexes, column->values, set->count, err);
    free(indexes);
    free(set);
    return status;
}

static hsd_status encode_numbers(const hsd_column *column, hsd_buffer *page, hsd_buffer *dictionary,
                                 hsd_column_page *what, hsd_error *err)
{
    const size_t at = page->size;
    bool is_few = false;
    HSD_TRY(encode_few(column, page, dictionary, &is_few, err));
    const size_t few = is_few ? page->size - at + dictionary->size : SIZE_MAX;
    HSD_TRY(hsd_encode_deltas(page, column->numbers, column->values, err));
    const size_t from = at + (is_few ? few - dictionary->size : 0), deltas = page->size - from;
    if (is_few && few < deltas) {
        page->size = from;
        what->encoding = HSD_ENCODING_RLE_DICTIONARY;
        what->dictionary_values = (uint32_t)(dictionary->size / 8);
        return HSD_OK;
    }
    memmove(page->data + at, page->data + from, deltas);
    page->size = at + deltas;
    hsd_buffer_clear(dictionary);
    what->encoding = HSD_ENCODING_DELTA_BINARY_PACKED;
    return HSD_OK;
}

/* ---- texts */

static hsd_status encode_dictionary(const hsd_column *column, const uint32_t *indexes, hsd_buffer *page,
                                    hsd_buffer *dictionary, hsd_error *err)
{
    for (uint32_t i = 0; i < column->names.count; i++) {
        const hsd_bytes name = hsd_names_get(&column->names, i);
        HSD_TRY(put_u32(dictionary, (uint32_t)name.size, err));
        HSD_TRY(hsd_buffer_append(dictionary, name.data, name.size, err));
    }
    return put_indexes(page, indexes, column->values, column->names.count, err);
}

static hsd_status encode_lengths(const hsd_column *column, hsd_buffer *page, hsd_error *err)
{
    int64_t *sizes = malloc((column->values + 1) * sizeof *sizes);
    if (sizes == NULL) return hsd_fail_nomem(err, "texts of a table");
    for (uint32_t i = 0; i < column->values; i++)
        sizes[i] = (int64_t)hsd_names_get(&column->names, (uint32_t)column->numbers[i]).size;
    hsd_status status = hsd_encode_deltas(page, sizes, column->values, err);
    free(sizes);
    for (uint32_t i = 0; i < column->values && status == HSD_OK; i++) {
        const hsd_bytes name = hsd_names_get(&column->names, (uint32_t)column->numbers[i]);
        status = hsd_buffer_append(page, name.data, name.size, err);
    }
    return status;
}

static hsd_status encode_texts(const hsd_column *column, hsd_buffer *page, hsd_buffer *dictionary,
                               hsd_column_page *what, hsd_error *err)
{
    if (column->names.count > column->values / 2) {
        what->encoding = HSD_ENCODING_DELTA_LENGTH_BYTE_ARRAY;
        return encode_lengths(column, page, err);
    }
    uint32_t *indexes = malloc((column->values + 1) * sizeof *indexes);
    if (indexes == NULL) return hsd_fail_nomem(err, "texts of a table");
    for (uint32_t i = 0; i < column->values; i++)
        indexes[i] = (uint32_t)column->numbers[i];
    const hsd_status status = encode_dictionary(column, indexes, page, dictionary, err);
    free(indexes);
    what->encoding = HSD_ENCODING_RLE_DICTIONARY;
    what->dictionary_values = column->names.count;
    return status;
}

hsd_status hsd_column_encode(const hsd_column *column, hsd_buffer *page, hsd_buffer *dictionary, hsd_column_page *what,
                             hsd_error *err)
{
    *what = (hsd_column_page){.encoding = HSD_ENCODING_PLAIN};
    if (column->levels != NULL) HSD_TRY(put_levels(page, column->levels, column->rows, err));
    if (column->values == 0) return HSD_OK; /* nothing but NULL: no reader is asked to open an empty dictionary */
    return column->text.is_text ? encode_texts(column, page, dictionary, what, err)
                                : encode_numbers(column, page, dictionary, what, err);
}
