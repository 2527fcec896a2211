/*
 * The end of a heap: what still waits, the tables, what the runtime says of its generations, and what is missing.
 */
#include "import/nettrace/heap.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"

#define NANOSECONDS UINT64_C(1000000000)

static hsd_status define_string(hsd_import *import, uint32_t string, const char *text, hsd_error *err)
{
    HSD_WRITE(import, hsc_define_string(import->writer, string, text, strlen(text)), err);
    return HSD_OK;
}

static hsd_status write_labels(hsd_import *import, hsd_error *err)
{
    HSD_TRY(define_string(import, NETTRACE_STRING_STACK, "stack", err));
    HSD_TRY(define_string(import, NETTRACE_STRING_FINALIZER, "finalizer queue", err));
    HSD_TRY(define_string(import, NETTRACE_STRING_HANDLE, "thread static or handle", err));
    HSD_TRY(define_string(import, NETTRACE_STRING_PINNED, "pinned handle", err));
    HSD_TRY(define_string(import, NETTRACE_STRING_COUNTED, "COM handle", err));
    HSD_TRY(define_string(import, NETTRACE_STRING_OTHER, "runtime", err));
    HSD_TRY(define_string(import, NETTRACE_STRING_DEPENDENT, "dependent handle", err));
    HSD_WRITE(import,
              hsc_define_label(import->writer, NETTRACE_LABEL_DEPENDENT, HSC_LABEL_INTERNAL, 0,
                               NETTRACE_STRING_DEPENDENT),
              err);
    return HSD_OK;
}

/* ---- metrics ---- */

/* ticks / per_second in nanoseconds, without leaving 64 bits; 0 where it cannot be said. */
static uint64_t nanoseconds(uint64_t ticks, uint64_t per_second)
{
    uint64_t whole, part, ns;
    if (per_second == 0 || !hsd_mul_u64(ticks / per_second, NANOSECONDS, &whole)) return 0;
    if (!hsd_mul_u64(ticks % per_second, NANOSECONDS, &part) || !hsd_add_u64(whole, part / per_second, &ns)) return 0;
    return ns;
}

static hsd_status write_generations(hsd_import *import, const uint64_t bytes[5], hsd_error *err)
{
    uint64_t used = 0;
    for (size_t i = 0; i < 5; i++)
        used = hsd_add_saturating(used, bytes[i]);
    HSD_WRITE(import, hsc_metric(import->writer, "heap.used", "bytes", used), err);
    HSD_WRITE(import, hsc_metric(import->writer, "heap.young", "bytes", hsd_add_saturating(bytes[0], bytes[1])), err);
    HSD_WRITE(import, hsc_metric(import->writer, "heap.old", "bytes", bytes[2]), err);
    HSD_WRITE(import, hsc_metric(import->writer, "heap.large", "bytes", bytes[3]), err);
    if (bytes[4] != 0) HSD_WRITE(import, hsc_metric(import->writer, "heap.pinned", "bytes", bytes[4]), err);
    return HSD_OK;
}

static hsd_status write_metrics(nettrace_heap *heap, uint64_t ticks_per_second, hsd_error *err)
{
    hsd_import *import = heap->import;
    if (heap->has_stats) HSD_TRY(write_generations(import, heap->generations, err));
    if (heap->has_collection) HSD_WRITE(import, hsc_metric(import->writer, "gc.count", "count", heap->collection), err);
    if (heap->has_pause)
        HSD_WRITE(import,
                  hsc_metric(import->writer, "capture.pause", "ns", nanoseconds(heap->paused_ticks, ticks_per_second)),
                  err);
    return HSD_OK;
}

/* ---- losses ---- */

static hsd_status write_losses(nettrace_heap *heap, hsd_error *err)
{
    hsd_import *import = heap->import;
    if (heap->lost_events != 0)
        HSD_WRITE(import, hsc_loss(import->writer, "events dropped by the runtime", heap->lost_events), err);
    if (heap->lost_references != 0)
        HSD_WRITE(import, hsc_loss(import->writer, "references without their object", heap->lost_references), err);
    return HSD_OK;
}

hsd_status hsd_nettrace_heap_finish(nettrace_heap *heap, uint64_t ticks_per_second, hsd_error *err)
{
    HSD_TRY(hsd_nettrace_heap_give_up(heap, err));
    heap->lost_references = hsd_add_saturating(heap->lost_references, hsd_nettrace_queue_count(&heap->edges));
    if (!heap->import->options->summary_only) HSD_TRY(write_labels(heap->import, err));
    HSD_TRY(hsd_nettrace_types_write(&heap->types, heap->import, NETTRACE_STRING_STATICS, err));
    HSD_TRY(write_metrics(heap, ticks_per_second, err));
    return write_losses(heap, err);
}
