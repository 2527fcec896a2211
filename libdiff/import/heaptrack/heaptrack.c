/*
 * The importer of files of heaptrack: the row of the registry, and what is told of what could not be read.
 */
#include "import/heaptrack/heaptrack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"

static hsd_status tell_heaptrack(ht *h, hsd_error *err)
{
    hsd_import *import = h->import;
    uint64_t rss;
    HSD_WRITE(import, hsc_metric(import->writer, "heap.peak", "bytes", h->peak_bytes), err);
    if (h->rss_pages > 0 && hsd_mul_u64(h->rss_pages, h->page_bytes, &rss) && rss > 0)
        HSD_WRITE(import, hsc_metric(import->writer, "process.rss", "bytes", rss), err);
    HSD_TRY(hsd_import_tell_unreadable(import, h->unreadable, err));
    if (h->strange_frees > 0)
        HSD_WRITE(import, hsc_loss(import->writer, "frees of what was not allocated", h->strange_frees), err);
    return hsd_import_mark_cut(import, h->is_cut, "the file of heaptrack was cut off", "", err);
}

static hsd_status import_heaptrack(ht *h, hsd_error *err)
{
    hsd_status status = hsd_ht_read(h, err);
    h->is_cut = status == HSD_E_TRUNCATED; /* it, or what it is packed with */
    if (h->is_cut && h->import->options->salvage) {
        hsd_error_init(err);
        status = HSD_OK;
    }
    if (h->is_cut && status < 0) hsd_import_hint_partial(err);
    if (status < 0) return status;
    hsd_import_heap_end(h->import);
    HSD_TRY(hsd_ht_add_sums(h, err));
    HSD_TRY(hsd_stack_sums_begin(&h->sums, (hsd_bytes){(const uint8_t *)h->program, strlen(h->program)}, 0, err));
    HSD_TRY(hsd_stack_sums_write(&h->sums, err));
    HSD_TRY(tell_heaptrack(h, err));
    return hsd_import_end(h->import, err);
}

static hsd_status run_heaptrack(hsd_import *import, hsd_error *err)
{
    ht *h = calloc(1, sizeof *h);
    if (h == NULL) return hsd_fail_nomem(err, "an import");
    h->import = h->sums.import = import;
    h->source = import->source;
    const hsd_status status = import_heaptrack(h, err);
    hsd_ht_release(h);
    free(h);
    return status;
}

const hsd_importer hsd_import_heaptrack = {
    .info = {.name = "heaptrack",
             .summary = "file of heaptrack 1.0 and later: what was not freed at its end",
             .suffixes = "heaptrack.*.zst heaptrack.*.gz",
             .carries = {.always = HSD_CARRIES_SITES},
             .lacks = "objects, types, references and roots: sums by allocation stack"},
    .probe = hsd_ht_probe,
    .run = run_heaptrack,
};
