/*
 * Filling tables: those that are wanted, each in the order of its key. What is asked for together is
 * made in one pass.
 *
 *      fill_records.c   strings, labels, sites, threads, frames, metrics, losses: a table a kind of record
 *      fill_facts.c     captures, types, site_totals
 *      fill_graph.c     objects, refs, roots
 *      fill_heap.c      heap_types, heap_roots, places, retained, warnings: what hsdiff top and a profile say
 *      fill_growth.c    of a pair: what the diff says
 *      fill_holders.c
 *      fill_lost.c
 */
#ifndef HSD_EXPORT_TABLES_FILL_H
#define HSD_EXPORT_TABLES_FILL_H

#include <hsdiff/diff.h>

#include "export/exporter.h"
#include "export/tables/inserter.h"
#include "export/tables/tables.h"
#include "format/tables.h"
#include "io/temp.h"

typedef struct hsd_filling {
    hsd_sink *sink;           /* where the rows go; borrowed */
    hsd_capture *captures[2]; /* before (NULL: one capture), after; borrowed */
    const hsd_run *run;
    hsd_reporter *reporter;
    hsd_temp_space *space;
    uint64_t memory_bytes; /* for all that is not the sink */
    bool partial, with_values;
    hsd_type_names names; /* of both captures */
    hsd_type_table types[2];
    bool opened[2][HSD_TABLE_COUNT]; /* tables that rows were put into, or could have been; [0]: of `before` */
    uint64_t objects, references, bytes, rows; /* of `after`; rows of all tables */
} hsd_filling;

/* What filling gets of a budget: three quarters, and never less than the stages take (HSD_MEMORY_MIN_BYTES). */
static inline uint64_t hsd_filling_memory(uint64_t memory_bytes)
{
    const uint64_t part = memory_bytes / 4 * 3;
    return part > HSD_MEMORY_MIN_BYTES ? part : HSD_MEMORY_MIN_BYTES;
}

/* Reads the types. The fields above `names` are the caller's. Release it also when this failed. */
hsd_status hsd_filling_init(hsd_filling *f, hsd_error *err);
void hsd_filling_release(hsd_filling *f);

/* Fills the tables that are wanted and not in `done` yet, and adds them to it. */
hsd_status hsd_fill(hsd_filling *f, const hsd_wanted *wanted, hsd_wanted *done, hsd_error *err);

static inline bool hsd_filling_is_pair(const hsd_filling *f) { return f->captures[0] != NULL; }

/* The prefix of the tables of a side. */
static inline const char *hsd_prefix(const hsd_filling *f, unsigned side)
{
    return side == 0 && hsd_filling_is_pair(f) ? HSD_BEFORE : "";
}

/* An inserter for a table of a side; `expected` rows, 0 = not known. */
hsd_status hsd_fill_open(hsd_inserter *in, hsd_filling *f, unsigned side, hsd_table table, uint64_t expected,
                         hsd_error *err);
/* Adds its rows to f->rows; as hsd_inserter_close. */
hsd_status hsd_fill_close(hsd_inserter *in, hsd_filling *f, hsd_status status, hsd_error *err);

/* All tables of an export, also those without a row: of what is asked for none is missing. Fills x->result but for the
 * output. */
hsd_status hsd_fill_export(hsd_export *x, hsd_sink *sink, hsd_error *err);

/* ---- the parts. `wanted`: HSD_TABLE_COUNT of a side */

hsd_status hsd_fill_records(hsd_filling *f, unsigned side, const bool *wanted, hsd_error *err);
hsd_status hsd_fill_captures(hsd_filling *f, hsd_error *err);
hsd_status hsd_fill_types(hsd_filling *f, unsigned side, hsd_error *err);
hsd_status hsd_fill_site_totals(hsd_filling *f, unsigned side, hsd_error *err);
hsd_status hsd_fill_graph(hsd_filling *f, unsigned side, const bool *wanted, hsd_error *err);
hsd_status hsd_fill_heap(hsd_filling *f, const bool *wanted, hsd_error *err);
hsd_status hsd_fill_growth(hsd_filling *f, const bool *wanted, hsd_error *err);
hsd_status hsd_fill_holders(hsd_filling *f, const hsd_diff *diff, const bool *wanted, hsd_error *err);
hsd_status hsd_fill_lost(hsd_filling *f, const hsd_diff *diff, const bool *wanted, hsd_error *err);
hsd_status hsd_fill_warnings(hsd_filling *f, const hsd_text *warnings, size_t count, hsd_error *err);

/* "static": hsc_root_kind as a word. */
const char *hsd_root_word(uint32_t kind);

static inline void hsd_put_amount(hsd_inserter *in, hsd_amount amount)
{
    hsd_put_count(in, amount.objects);
    hsd_put_count(in, amount.bytes);
}

/* NULL twice where it is not known. */
static inline void hsd_put_known(hsd_inserter *in, bool is_known, hsd_amount amount)
{
    if (is_known) {
        hsd_put_amount(in, amount);
        return;
    }
    hsd_put_null(in);
    hsd_put_null(in);
}

#endif
