/*
 * Rows that go into a table: all columns in their order, then the end of the row.
 *
 *      hsd_inserter_open(&in, sink, "", "roots", 0, err)
 *      hsd_put_count(&in, 0); hsd_put_word(&in, "static"); …  hsd_put_row(&in, err)
 *      status = hsd_inserter_close(&in, status, err)
 *
 * Rows are held until there are some, and put together: half the work of one at a time.
 */
#ifndef HSD_EXPORT_TABLES_INSERTER_H
#define HSD_EXPORT_TABLES_INSERTER_H

#include <hsdiff/capture.h>

#include "base/buffer.h"
#include "export/tables/sink.h"

typedef struct hsd_inserter {
    hsd_sink *sink; /* NULL: not open */
    void *rows;     /* the sink's */
    char name[64];
    hsd_cell *cells; /* of the rows that are held */
    hsd_buffer texts;
    unsigned columns, at, held; /* at: cells in use; held: whole rows of them */
    hsd_status status;          /* of putting columns: told by put_row */
    uint64_t count, told;       /* rows; when progress was told */
    uint64_t expected;          /* 0 = not known */
} hsd_inserter;                 /* zeroed: not open */

/* `prefix` and `table` make the name ("before_", "objects"). A row whose key is there already is left out by a
 * database. HSD_E_NOMEM, or as the sink fails. */
hsd_status hsd_inserter_open(hsd_inserter *in, hsd_sink *sink, const char *prefix, const char *table, uint64_t expected,
                             hsd_error *err);

/* Puts the rows that are held, if `status` is HSD_OK; returns what came of it, or `status`. A zeroed one is accepted.
 */
hsd_status hsd_inserter_close(hsd_inserter *in, hsd_status status, hsd_error *err);

static inline bool hsd_inserter_is_open(const hsd_inserter *in) { return in->sink != NULL; }

void hsd_put_null(hsd_inserter *in);
/* the same 64 bits: ids from 2^63 on are negative numbers */
void hsd_put_id(hsd_inserter *in, uint64_t id);
void hsd_put_count(hsd_inserter *in, uint64_t count); /* at most 2^63 - 1 */
void hsd_put_signed(hsd_inserter *in, int64_t number);
void hsd_put_some(hsd_inserter *in, uint64_t number);       /* NULL for 0, else as a count */
void hsd_put_text(hsd_inserter *in, hsd_text text);         /* a BLOB if it is no UTF-8 or holds a NUL */
void hsd_put_text_or_null(hsd_inserter *in, hsd_text text); /* NULL for "" */
void hsd_put_word(hsd_inserter *in, const char *word);      /* NULL for NULL */

/* Ends the row, and tells of progress. HSD_E_MISUSE: too few columns. */
hsd_status hsd_put_row(hsd_inserter *in, hsd_error *err);

/* True if these bytes can be a TEXT that every reader takes: UTF-8 without a NUL. */
bool hsd_is_text(const void *data, size_t size);

#endif
