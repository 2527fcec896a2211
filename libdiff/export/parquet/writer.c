/*
 * Groups of rows, and the footer that says where they are. The footer's part of a group is made when the group is
 * written, and kept as bytes.
 */
#include "export/parquet/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "export/parquet/column.h"
#include "export/parquet/thrift.h"
#include "io/decompress.h"

static const char magic[4] = {'P', 'A', 'R', '1'};

/* Parquet's numbers. */
enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { REQUIRED = 0, OPTIONAL = 1 };
enum { CODEC_ZSTD = 6 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { CONVERTED_UTF8 = 0 };

struct hsd_parquet {
    hsd_output *output; /* borrowed */
    hsd_column *columns;
    unsigned column_count;
    uint32_t rows; /* of the group that is open */
    uint64_t all_rows;
    uint32_t groups;
    hsd_buffer footer; /* RowGroup structs, one behind the other */
    hsd_buffer chunks; /* ColumnChunk structs of the group that is written */
    hsd_buffer page, dictionary, packed, header;
    hsd_compressor compressor;
    char *about;
};

hsd_status hsd_parquet_open(hsd_parquet **out, hsd_output *output, const hsd_column_text *columns,
                            unsigned column_count, const char *about, hsd_error *err)
{
    hsd_parquet *file = calloc(1, sizeof *file);
    *out = NULL;
    if (file == NULL) return hsd_fail_nomem(err, "a Parquet file");
    file->output = output;
    file->columns = calloc(column_count, sizeof *file->columns);
    file->about = about != NULL ? strdup(about) : NULL;
    hsd_status status = file->columns != NULL && (about == NULL || file->about != NULL)
                            ? HSD_OK
                            : hsd_fail_nomem(err, "a Parquet file");
    for (; status == HSD_OK && file->column_count < column_count; file->column_count++)
        file->columns[file->column_count].text = columns[file->column_count];
    if (status == HSD_OK) status = hsd_output_write(file->output, magic, sizeof magic, err);
    if (status == HSD_OK)
        *out = file;
    else
        hsd_parquet_close(file);
    return status;
}

void hsd_parquet_close(hsd_parquet *file)
{
    if (file == NULL) return;
    hsd_buffer *buffers[] = {&file->footer,     &file->chunks, &file->page,
                             &file->dictionary, &file->packed, &file->header};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        hsd_buffer_release(buffers[i]);
    for (unsigned i = 0; i < file->column_count; i++)
        hsd_column_release(&file->columns[i]);
    hsd_compressor_release(&file->compressor);
    free(file->columns);
    free(file->about);
    free(file);
}

/* ---- pages */

/* What a column takes in the file. */
typedef struct column_chunk {
    uint64_t begin, packed_bytes, raw_bytes; /* with headers */
    uint64_t data_at;
    hsd_column_page page;
} column_chunk;

static void put_data_header(hsd_thrift *t, const hsd_column *column, const hsd_column_page *what)
{
    hsd_thrift_struct(t, 5);
    hsd_thrift_i32(t, 1, (int32_t)column->rows);
    hsd_thrift_i32(t, 2, what->encoding);
    hsd_thrift_i32(t, 3, HSD_ENCODING_RLE); /* levels of NULLs */
    hsd_thrift_i32(t, 4, HSD_ENCODING_RLE); /* levels of lists, which there are none of */
    hsd_thrift_end(t);
}

static void put_dictionary_header(hsd_thrift *t, const hsd_column_page *what)
{
    hsd_thrift_struct(t, 7);
    hsd_thrift_i32(t, 1, (int32_t)what->dictionary_values);
    hsd_thrift_i32(t, 2, HSD_ENCODING_PLAIN);
    hsd_thrift_bool(t, 3, false); /* not sorted */
    hsd_thrift_end(t);
}

/* Header and packed body of one page. */
static hsd_status write_page(hsd_parquet *file, int type, const hsd_column *column, const hsd_buffer *body,
                             column_chunk *chunk, hsd_error *err)
{
    hsd_buffer_clear(&file->packed);
    hsd_buffer_clear(&file->header);
    HSD_TRY(hsd_compress(&file->compressor, &file->packed, body->data, body->size, err));
    hsd_thrift t = {.out = &file->header};
    hsd_thrift_i32(&t, 1, type);
    hsd_thrift_i32(&t, 2, (int32_t)body->size);
    hsd_thrift_i32(&t, 3, (int32_t)file->packed.size);
    if (type == DATA_PAGE)
        put_data_header(&t, column, &chunk->page);
    else
        put_dictionary_header(&t, &chunk->page);
    hsd_thrift_end(&t);
    if (t.status != HSD_OK) return hsd_fail_nomem(err, "the header of a page");
    chunk->raw_bytes += file->header.size + body->size;
    chunk->packed_bytes += file->header.size + file->packed.size;
    HSD_TRY(hsd_output_write(file->output, file->header.data, file->header.size, err));
    return hsd_output_write(file->output, file->packed.data, file->packed.size, err);
}

/* ---- the footer's part of a group */

static void number_bytes(int64_t number, uint8_t bytes[8])
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)((uint64_t)number >> 8 * i);
}

/* Least and largest number, and how many are NULL. */
static void put_statistics(hsd_thrift *t, const hsd_column *column)
{
    hsd_thrift_struct(t, 12);
    hsd_thrift_i64(t, 3, column->rows - column->values);
    if (!column->text.is_text && column->values > 0) {
        uint8_t bytes[8];
        int64_t least = column->numbers[0], most = least;
        for (uint32_t i = 1; i < column->values; i++) {
            if (column->numbers[i] < least) least = column->numbers[i];
            if (column->numbers[i] > most) most = column->numbers[i];
        }
        number_bytes(most, bytes);
        hsd_thrift_binary(t, 5, bytes, sizeof bytes);
        number_bytes(least, bytes);
        hsd_thrift_binary(t, 6, bytes, sizeof bytes);
    }
    hsd_thrift_end(t);
}

static hsd_status describe_chunk(hsd_parquet *file, const hsd_column *column, const column_chunk *chunk, hsd_error *err)
{
    const bool has_dictionary = chunk->page.dictionary_values > 0;
    hsd_thrift t = {.out = &file->chunks};
    hsd_thrift_i64(&t, 2, (int64_t)chunk->begin);
    hsd_thrift_struct(&t, 3);
    hsd_thrift_i32(&t, 1, column->text.is_text ? TYPE_BYTE_ARRAY : TYPE_INT64);
    hsd_thrift_list(&t, 2, HSD_THRIFT_I32, has_dictionary ? 3 : 2);
    hsd_thrift_element_i32(&t, HSD_ENCODING_RLE);
    hsd_thrift_element_i32(&t, chunk->page.encoding);
    if (has_dictionary) hsd_thrift_element_i32(&t, HSD_ENCODING_PLAIN);
    hsd_thrift_list(&t, 3, HSD_THRIFT_BINARY, 1);
    hsd_thrift_element_string(&t, column->text.name);
    hsd_thrift_i32(&t, 4, CODEC_ZSTD);
    hsd_thrift_i64(&t, 5, column->rows);
    hsd_thrift_i64(&t, 6, (int64_t)chunk->raw_bytes);
    hsd_thrift_i64(&t, 7, (int64_t)chunk->packed_bytes);
    hsd_thrift_i64(&t, 9, (int64_t)chunk->data_at);
    if (has_dictionary) hsd_thrift_i64(&t, 11, (int64_t)chunk->begin);
    put_statistics(&t, column);
    hsd_thrift_end(&t);
    hsd_thrift_end(&t);
    return t.status == HSD_OK ? HSD_OK : hsd_fail_nomem(err, "the footer of a Parquet file");
}

static hsd_status describe_group(hsd_parquet *file, uint64_t begin, uint64_t raw_bytes, hsd_error *err)
{
    hsd_thrift t = {.out = &file->footer};
    hsd_thrift_list(&t, 1, HSD_THRIFT_STRUCT, file->column_count);
    if (t.status == HSD_OK) t.status = hsd_buffer_append(&file->footer, file->chunks.data, file->chunks.size, NULL);
    hsd_thrift_i64(&t, 2, (int64_t)raw_bytes);
    hsd_thrift_i64(&t, 3, file->rows);
    hsd_thrift_i64(&t, 5, (int64_t)begin);
    hsd_thrift_i64(&t, 6, (int64_t)(file->output->size_bytes - begin));
    hsd_thrift_end(&t);
    return t.status == HSD_OK ? HSD_OK : hsd_fail_nomem(err, "the footer of a Parquet file");
}

/* ---- groups */

static hsd_status write_column(hsd_parquet *file, hsd_column *column, uint64_t *raw_bytes, hsd_error *err)
{
    column_chunk chunk = {.begin = file->output->size_bytes};
    hsd_buffer_clear(&file->page);
    hsd_buffer_clear(&file->dictionary);
    HSD_TRY(hsd_column_encode(column, &file->page, &file->dictionary, &chunk.page, err));
    if (chunk.page.dictionary_values > 0)
        HSD_TRY(write_page(file, DICTIONARY_PAGE, column, &file->dictionary, &chunk, err));
    chunk.data_at = file->output->size_bytes;
    HSD_TRY(write_page(file, DATA_PAGE, column, &file->page, &chunk, err));
    HSD_TRY(describe_chunk(file, column, &chunk, err));
    *raw_bytes += chunk.raw_bytes;
    hsd_column_clear(column);
    return HSD_OK;
}

static hsd_status write_group(hsd_parquet *file, hsd_error *err)
{
    const uint64_t begin = file->output->size_bytes;
    uint64_t raw_bytes = 0;
    if (file->rows == 0) return HSD_OK;
    hsd_buffer_clear(&file->chunks);
    for (unsigned i = 0; i < file->column_count; i++)
        HSD_TRY(write_column(file, &file->columns[i], &raw_bytes, err));
    HSD_TRY(describe_group(file, begin, raw_bytes, err));
    file->all_rows += file->rows;
    file->rows = 0;
    file->groups++;
    return HSD_OK;
}

static bool is_group_full(const hsd_parquet *file)
{
    size_t texts = 0;
    for (unsigned i = 0; i < file->column_count; i++)
        texts += file->columns[i].text_bytes;
    return file->rows == HSD_PARQUET_GROUP || texts >= HSD_PARQUET_TEXT_BYTES;
}

hsd_status hsd_parquet_put(hsd_parquet *file, const hsd_cell *cells, unsigned rows, const uint8_t *texts,
                           hsd_error *err)
{
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned i = 0; i < file->column_count; i++)
            HSD_TRY(hsd_column_put(&file->columns[i], cells++, texts, err));
        file->rows++;
        if (is_group_full(file)) HSD_TRY(write_group(file, err));
    }
    return HSD_OK;
}

/* ---- the footer */

static void put_schema(hsd_thrift *t, const hsd_parquet *file)
{
    hsd_thrift_list(t, 2, HSD_THRIFT_STRUCT, file->column_count + 1);
    hsd_thrift_element_struct(t);
    hsd_thrift_string(t, 4, "row");
    hsd_thrift_i32(t, 5, (int32_t)file->column_count);
    hsd_thrift_end(t);
    for (unsigned i = 0; i < file->column_count; i++) {
        const hsd_column_text *column = &file->columns[i].text;
        hsd_thrift_element_struct(t);
        hsd_thrift_i32(t, 1, column->is_text ? TYPE_BYTE_ARRAY : TYPE_INT64);
        hsd_thrift_i32(t, 3, column->is_required ? REQUIRED : OPTIONAL);
        hsd_thrift_string(t, 4, column->name);
        if (column->is_text) {
            hsd_thrift_i32(t, 6, CONVERTED_UTF8);
            hsd_thrift_struct(t, 10); /* the same as a logical type: of its union, STRING */
            hsd_thrift_struct(t, 1);
            hsd_thrift_end(t);
            hsd_thrift_end(t);
        }
        hsd_thrift_end(t);
    }
}

/* All columns are compared as their types are: without this the least and largest values would not count. */
static void put_orders(hsd_thrift *t, unsigned count)
{
    hsd_thrift_list(t, 7, HSD_THRIFT_STRUCT, count);
    for (unsigned i = 0; i < count; i++) {
        hsd_thrift_element_struct(t);
        hsd_thrift_struct(t, 1);
        hsd_thrift_end(t);
        hsd_thrift_end(t);
    }
}

static void put_about(hsd_thrift *t, const char *about)
{
    if (about == NULL) return;
    hsd_thrift_list(t, 5, HSD_THRIFT_STRUCT, 1);
    hsd_thrift_element_struct(t);
    hsd_thrift_string(t, 1, "hsdiff");
    hsd_thrift_string(t, 2, about);
    hsd_thrift_end(t);
}

static hsd_status write_footer(hsd_parquet *file, hsd_error *err)
{
    hsd_buffer_clear(&file->page);
    hsd_thrift t = {.out = &file->page};
    hsd_thrift_i32(&t, 1, 2); /* version of the format */
    put_schema(&t, file);
    hsd_thrift_i64(&t, 3, (int64_t)file->all_rows);
    hsd_thrift_list(&t, 4, HSD_THRIFT_STRUCT, file->groups);
    if (t.status == HSD_OK) t.status = hsd_buffer_append(&file->page, file->footer.data, file->footer.size, NULL);
    put_about(&t, file->about);
    hsd_thrift_string(&t, 6, "hsdiff");
    put_orders(&t, file->column_count);
    hsd_thrift_end(&t);
    if (t.status != HSD_OK) return hsd_fail_nomem(err, "the footer of a Parquet file");
    uint8_t end[8];
    for (unsigned i = 0; i < 4; i++)
        end[i] = (uint8_t)(file->page.size >> 8 * i);
    memcpy(end + 4, magic, sizeof magic);
    HSD_TRY(hsd_output_write(file->output, file->page.data, file->page.size, err));
    return hsd_output_write(file->output, end, sizeof end, err);
}

hsd_status hsd_parquet_finish(hsd_parquet *file, hsd_error *err)
{
    HSD_TRY(write_group(file, err));
    return write_footer(file, err);
}
