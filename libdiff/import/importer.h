/*
 * What an importer is to the registry: a probe and a run from a source into a capture writer.
 * Importers know no reader, no graph and no other importer.
 */
#ifndef HSD_IMPORT_IMPORTER_H
#define HSD_IMPORT_IMPORTER_H

#include "base/note.h"
#include "base/worker.h"
#include "io/source.h"
#include "io/temp.h"
#include <hscapture/hscapture.h>
#include <hsdiff/import.h>

/* Everything one import works with. */
typedef struct hsd_import {
    hsd_source *source;     /* at byte 0; rewindable if the row asked for it */
    const hsd_source *file; /* what was opened: `source` (or NULL), or what is packed below it */
    const hsd_import_options *options;
    hsd_temp_space *space;
    hsd_reporter *reporter;
    uint64_t memory_bytes; /* for tables and buffers of the importer */
    bool has_threads;      /* there is more than one processor for it */
    bool is_secret;        /* the input is encrypted: so is what is kept of it for a while */
    hsd_import_result *result;

    /* The importer opens its writer with hsd_import_begin once it knows the facts of the capture. */
    hsc_writer *writer;

    /* with has_threads: encodes, compresses and writes a block for the writer */
    hsd_worker helper;
    void (*helper_job)(void *argument);
    void *helper_argument;
    hsc_sink sink;
    hsd_error sink_error;  /* why the sink refused, when it did */
    uint64_t writer_bytes; /* memory for the writer's buffers */
    bool is_temporary;     /* who asked reads the capture, and nobody else */
} hsd_import;

typedef struct hsd_importer {
    hsd_importer_info info;
    bool needs_rewind;   /* makes more than one pass: a pipe is spooled, and so is what was packed */
    bool reads_ahead;    /* goes through its input in order: where there is a thread, that reads it ahead */
    size_t window_bytes; /* 0 = default */
    /* Number of bits of `prefix` truly verified; 0 = not mine. No I/O. */
    unsigned (*probe)(const uint8_t *prefix, size_t size);
    /* NULL, or looks further than the first bytes into a source that can be read anywhere, whose place stays as it is:
     * true, and it is this importer's, whatever another bid. Asked where `probe` bid at all. */
    bool (*takes)(hsd_source *source);
    /* Reads all of the source and finishes the writer. */
    hsd_status (*run)(hsd_import *import, hsd_error *err);
} hsd_importer;

/* The importer of row i; NULL past the end. */
const hsd_importer *hsd_importer_row(size_t i);

/*
 * The importer for these first bytes (of the file itself, packed ones looked into by the caller), or the
 * one called `format` if that is not NULL. HSD_E_NOT_THIS_FORMAT when none bids, HSD_E_UNSUPPORTED
 * when two bid the same (both are named) or when there is no importer of that name.
 */
hsd_status hsd_importer_choose(const hsd_importer **out, const uint8_t *prefix, size_t size, const char *format,
                               hsd_error *err);

/* The importer that takes what another was chosen for by its first bytes; else `chosen`. */
const hsd_importer *hsd_importer_further(const hsd_importer *chosen, hsd_source *source, size_t size);

/* The same over a table of one's own: how the registry is tested. Ends with NULL. */
hsd_status hsd_importer_choose_from(const hsd_importer *const *table, const hsd_importer **out, const uint8_t *prefix,
                                    size_t size, const char *format, hsd_error *err);

/* How much of a file the probes are shown, and of what a packed file holds. */
#define HSD_IMPORT_PREFIX_BYTES ((size_t)65536)

/* Opens import->writer with these options (compression, memory and producer are filled in). */
hsd_status hsd_import_begin(hsd_import *import, hsc_options *options, hsd_error *err);

/* Metrics of the origin, if there is one, and the end of the capture. */
hsd_status hsd_import_end(hsd_import *import, hsd_error *err);

/* Tells the origin, if there is one, that the heap has been read in full. */
void hsd_import_heap_end(const hsd_import *import);

/* Notes how much of the input was read so far: for importers that go back, at the end of a pass. */
void hsd_import_note_input(hsd_import *import);

/* The hint of an error about a file that was cut off, where something of it can be used. */
static inline void hsd_import_hint_partial(hsd_error *err)
{
    hsd_error_set_hint(err, "to use what is there: --partial (the numbers are then lower bounds)");
}

/* What the hint of an import that needs more memory adds to what was taken. */
#define HSD_IMPORT_MORE (UINT64_C(64) << 20)

/* HSD_OK while `taken` is at most `allowed`, else HSD_E_OVER_BUDGET: "<what> take more than <allowed> MiB", and a hint
 * that names `suffices` bytes. `what` is a plural ("the names of this dump"). */
hsd_status hsd_import_expect_room(uint64_t taken, uint64_t allowed, const char *what, uint64_t suffices,
                                  hsd_error *err);

/* The end of an import whose input `is_cut`: the capture says so, with this reason, and the user is told. `also` is
 * added to what is said ("" for nothing). */
hsd_status hsd_import_mark_cut(hsd_import *import, bool is_cut, const char *reason, const char *also, hsd_error *err);

/* The capture is incomplete for this reason, and its counts are lower bounds. */
hsd_status hsd_import_mark_incomplete(hsd_import *import, const char *reason, hsd_error *err);

/* The end of an import that failed with `status`, for `why`; where the input was cut and `is_usable`, with the hint. */
hsd_status hsd_import_give_up(hsd_status status, const hsd_error *why, bool is_usable, hsd_error *err);

/* Tells of lines that were passed over, if there are any. */
hsd_status hsd_import_tell_unreadable(hsd_import *import, uint64_t lines, hsd_error *err);

/* A domain out of two words. */
void hsd_import_set_domain(uint8_t domain[16], uint64_t first, uint64_t second);

/* Turns a writer's status into the library's, with its sentence. */
hsd_status hsd_import_writer_status(hsd_import *import, hsc_status status, hsd_error *err);

#define HSD_WRITE(import, call, err)                                                                                   \
    do {                                                                                                               \
        const hsc_status hsd_write_ = (call);                                                                          \
        if (__builtin_expect(hsd_write_ != HSC_OK, 0)) return hsd_import_writer_status((import), hsd_write_, (err));   \
    } while (0)

extern const hsd_importer hsd_import_hprof;
extern const hsd_importer hsd_import_v8;
extern const hsd_importer hsd_import_goheap;
extern const hsd_importer hsd_import_gocore;
extern const hsd_importer hsd_import_nettrace;
extern const hsd_importer hsd_import_ruby;
extern const hsd_importer hsd_import_pprof;
extern const hsd_importer hsd_import_luau;
extern const hsd_importer hsd_import_mlpd;
extern const hsd_importer hsd_import_gcdump;
extern const hsd_importer hsd_import_firefox;
extern const hsd_importer hsd_import_perfetto;
extern const hsd_importer hsd_import_tracemalloc;
extern const hsd_importer hsd_import_pycore;
extern const hsd_importer hsd_import_pyheap;
extern const hsd_importer hsd_import_memray;
extern const hsd_importer hsd_import_heapprofile;
extern const hsd_importer hsd_import_massif;
extern const hsd_importer hsd_import_dhat;
extern const hsd_importer hsd_import_heaptrack;
extern const hsd_importer hsd_import_dart;
extern const hsd_importer hsd_import_meminfo;
extern const hsd_importer hsd_import_phd;

#endif
