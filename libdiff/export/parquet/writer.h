/*
 * A Parquet file (format version 2 of its types, pages of version 1, zstd): rows of 64-bit numbers and texts. DuckDB,
 * ClickHouse and pyarrow have read it. Written front to back, in groups of HSD_PARQUET_GROUP rows; a group's columns
 * are one page each.
 *
 *      number   by differences, or by a dictionary where few values repeat, whichever is shorter; its least and
 *               largest value a group stand in the footer, so that engines pass over groups
 *      text     by a dictionary where it pays, else by length. What is no UTF-8 is told with \xNN
 *
 * Memory: the rows of a group, at most 12 bytes a cell (0.4 MiB a column) and 1 MiB of texts, and some 100 bytes a
 * column and group for the footer, a byte in 300 cells. Small tables take little. The same rows give the same bytes.
 */
#ifndef HSD_EXPORT_PARQUET_WRITER_H
#define HSD_EXPORT_PARQUET_WRITER_H

#include "export/tables/sink.h"
#include "io/output.h"

#define HSD_PARQUET_GROUP 32768u

/* Rows of long texts close their group at so many bytes. */
#define HSD_PARQUET_TEXT_BYTES ((size_t)1 << 20)

typedef struct hsd_parquet hsd_parquet;

/*
 * Begins a file. `output` is open, empty and borrowed until close: naming it is the caller's. `columns` are copied; at
 * least one. `about` stands in the footer as key "hsdiff", NULL = nothing. HSD_E_NOMEM, HSD_E_IO.
 */
hsd_status hsd_parquet_open(hsd_parquet **out, hsd_output *output, const hsd_column_text *columns,
                            unsigned column_count, const char *about, hsd_error *err);

/* Rows as a sink gets them: a cell a column. HSD_E_MISUSE for a NULL in a column that has none. */
hsd_status hsd_parquet_put(hsd_parquet *file, const hsd_cell *cells, unsigned rows, const uint8_t *texts,
                           hsd_error *err);

/* Writes what is left and the footer: the file is whole. */
hsd_status hsd_parquet_finish(hsd_parquet *file, hsd_error *err);

/* Frees it. NULL is accepted. */
void hsd_parquet_close(hsd_parquet *file);

#endif
