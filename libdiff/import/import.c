/*
 * An import from end to end: open the input, look what it is, put the filters it needs in front,
 * let the importer write, and make the result appear at once or not at all.
 *
 *      file or pipe ─► [ decrypt ] ─► [ watch ] ─► [ gzip, lz4, zstd ] ─► [ spool ] ─► importer ─► hsc writer ─► sink ─► output | temp file
 *
 * An importer that reads its input twice gets a source that goes back. A file does by itself. A pipe
 * is spooled to a temporary file as it passes. What was packed is spooled unpacked, because unpacking
 * costs more than writing and reading back; for a summary it is unpacked again instead, and so it is where the input is
 * encrypted: then nothing of it is written down in clear here, and a temporary capture is encrypted, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/options.h"
#include "base/worker.h"
#include "import/gzip.h"
#include "import/identify.h"
#include "import/importer.h"
#include "import/lz4.h"
#include "import/zstd.h"
#include "io/fd.h"
#include "io/output.h"
#include "io/sealed.h"
#include "io/stopwatch.h"

#define AGE_PREFIX_BYTES 8
#define WINDOW_MAX_BYTES ((uint64_t)1 << 20)
#define WINDOW_MIN_BYTES ((uint64_t)128 << 10)
#define WRITER_MAX_BYTES ((uint64_t)8 << 20)
/* Of a capture that is read at once: a block that is gathered, encoded or decoded stays in the second cache then. */
#define WRITER_TEMP_BYTES ((uint64_t)2 << 20)
#define WRITER_MIN_BYTES  ((uint64_t)256 << 10)
/* What a helper and numbers that are read ahead take is no matter then. */
#define THREADS_LEAST_BYTES ((uint64_t)64 << 20)

static const uint8_t CAPTURE_MAGIC[8] = {0x89, 'H', 'S', 'C', '\r', '\n', 0x1a, '\n'};

/* ---- the input ---- */

/* A way to pack a whole file, and what is said of it. */
typedef struct packing {
    const char *holding, *held, *undo;
    bool (*probe)(const void *prefix, size_t size);
    hsd_source_filter open;
} packing;

static const packing packings[] = {
    {.holding = "a gzip file holding ",
     .held = "what this gzip file holds",
     .undo = "gunzip it and use it as it is",
     .probe = hsd_gzip_probe,
     .open = hsd_gzip_open},
    {.holding = "an lz4 file holding ",
     .held = "what this lz4 file holds",
     .undo = "unpack it (lz4 -d) and use it as it is",
     .probe = hsd_lz4_probe,
     .open = hsd_lz4_open},
    {.holding = "a zstd file holding ",
     .held = "what this zstd file holds",
     .undo = "unpack it (zstd -d) and use it as it is",
     .probe = hsd_zstd_probe,
     .open = hsd_zstd_open},
};

/* NULL: the bytes are as they are. */
static const packing *find_packing(const void *prefix, size_t size)
{
    for (size_t i = 0; i < HSD_ARRAY_LEN(packings); i++)
        if (packings[i].probe(prefix, size)) return &packings[i];
    return NULL;
}

typedef struct input {
    hsd_source stored;      /* what was opened, if that is encrypted */
    hsd_source file;        /* what was opened, decrypted */
    hsd_source unpacked;    /* over `file` when that is packed */
    hsd_source *top;        /* what the importer reads */
    hsd_watch *watch;       /* of `file`; NULL where no digest is wanted */
    const packing *packing; /* NULL: none */
    const hsd_importer *importer;
} input;

static void close_input(input *in)
{
    hsd_source_close(&in->unpacked);
    hsd_source_close(&in->file);
    hsd_source_close(&in->stored);
}

/* Files that other packers made are unpacked by these, on the way. */
static const char *unpacker_of(const char *phrase)
{
    static const struct {
        const char *phrase, *command;
    } unpackers[] = {{"an xz file", "xz -dc"},
                     {"an age file in ASCII armour", "age -d -i KEY"},
                     {"a bzip2 file", "bzip2 -dc"},
                     {"a ZIP archive", "unzip -p"},
                     {"a tar archive", "tar -xOf"}};
    for (size_t i = 0; i < sizeof unpackers / sizeof unpackers[0]; i++)
        if (strcmp(phrase, unpackers[i].phrase) == 0) return unpackers[i].command;
    return NULL;
}

/* "no heap dump that hsdiff knows: a PNG image", and what would have been one. */
static hsd_status refuse_import(const input *in, const uint8_t *prefix, size_t size, const char *format, hsd_error *err)
{
    char phrase[160];
    if (size >= sizeof CAPTURE_MAGIC && memcmp(prefix, CAPTURE_MAGIC, sizeof CAPTURE_MAGIC) == 0) {
        hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "%s is already a capture: there is nothing to import",
                 in->packing != NULL ? in->packing->held : "this");
        hsd_error_set_hint(err, "%s", in->packing != NULL ? in->packing->undo : "use it as it is");
        return HSD_E_NOT_THIS_FORMAT;
    }
    const hsd_importer *fitting;
    if (format != NULL && hsd_importer_choose(&fitting, prefix, size, NULL, NULL) == HSD_OK) {
        hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "this is not %s but %s: %s", format, fitting->info.name,
                 fitting->info.summary);
        hsd_error_set_hint(err, "leave out --from %s", format);
        return HSD_E_NOT_THIS_FORMAT;
    }
    hsd_identify(prefix, size, phrase, sizeof phrase);
    const char *holding = in->packing != NULL ? in->packing->holding : "";
    if (format != NULL)
        hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "this is not %s: it is %s%s", format, holding, phrase);
    else
        hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "no heap dump that hsdiff knows: this is %s%s", holding, phrase);
    if (unpacker_of(phrase))
        hsd_error_set_hint(err, "unpack it first, or put  <(%s FILE)  in its place", unpacker_of(phrase));
    else if (strcmp(phrase, "an SQLite database") == 0)
        hsd_error_set_hint(err, "if hsdiff export wrote it, ask it: hsdiff sql FILE 'select name, objects, bytes from "
                                "types'");
    else if (strstr(phrase, " of reli") != NULL)
        hsd_error_set_hint(err, "have it written for hsdiff: reli inspector:memory -f meminfo -p PID, or of a capture "
                                "reli inspector:memory:export-meminfo FILE");
    else if (strstr(phrase, " of JavaScriptCore") != NULL)
        hsd_error_set_hint(err, "have Bun write it in V8's form: writeHeapSnapshot() of node:v8, or "
                                "Bun.generateHeapSnapshot(\"v8\")");
    else if (strncmp(phrase, "a report of ", 12) == 0)
        hsd_error_set_hint(
            err, "it lists what was lost, and no heap: hsdiff capture --every 60s -o run/ -- COMMAND has both; of "
                 "valgrind, --tool=dhat and --tool=massif write what hsdiff reads");
    else
        hsd_error_set_hint(err,
                           "hsdiff reads .hs captures and heap dumps of many runtimes: hsdiff help formats lists them");
    return HSD_E_NOT_THIS_FORMAT;
}

/* As many bytes as the probes want, or all there are. */
static hsd_status peek_prefix(hsd_source *source, size_t *size, hsd_error *err)
{
    const size_t want = (size_t)hsd_min_u64(HSD_IMPORT_PREFIX_BYTES, source->window_bytes);
    const hsd_status status = hsd_source_peek(source, want, err);
    *size = (size_t)hsd_min_u64(want, hsd_source_ahead(source));
    /* A damaged packed file that shows its beginning is the importer's to judge. */
    const bool is_damaged = status == HSD_E_TRUNCATED || status == HSD_E_CORRUPT;
    return status == HSD_END || (is_damaged && *size > 0) ? HSD_OK : status;
}

static hsd_status open_packed(input *in, bool summary_only, size_t window, hsd_temp_space *space, hsd_error *err)
{
    if (summary_only) HSD_TRY(hsd_source_make_rewindable(&in->file, space, err));
    HSD_TRY(in->packing->open(&in->unpacked, &in->file, window, summary_only, err));
    in->top = &in->unpacked;
    return HSD_OK;
}

/* Where an import comes from: a path, or a descriptor and what to call it. */
typedef struct entrance {
    const char *path;
    int fd; /* -1: by path */
} entrance;

static hsd_status open_source(hsd_source *source, const entrance *from, size_t window, hsd_error *err)
{
    return from->fd < 0 ? hsd_source_open_file(source, from->path, window, err)
                        : hsd_source_open_fd(source, from->fd, from->path, window, err);
}

/* Puts the key in front, if the file is encrypted. */
static hsd_status unseal_input(input *in, hsd_import *import, hsd_crypt *crypt, size_t window, hsd_error *err)
{
    const hsd_status status = hsd_source_peek(&in->file, AGE_PREFIX_BYTES, err);
    if (status < 0) return status;
    if (!hsd_age_probe(in->file.at, hsd_source_ahead(&in->file))) return HSD_OK;
    import->is_secret = true;
    in->stored = in->file;
    in->file = (hsd_source){0};
    hsd_error_set_file(err, in->stored.name);
    HSD_TRY(hsd_source_make_rewindable(&in->stored, import->space, err));
    return hsd_source_unseal(&in->file, &in->stored, crypt, window, err);
}

static hsd_status open_input(input *in, const entrance *from, hsd_import *import, uint64_t memory_bytes,
                             hsd_crypt *crypt, hsd_error *err)
{
    const hsd_import_options *options = import->options;
    *in = (input){0};
    const size_t window = (size_t)hsd_max_u64(WINDOW_MIN_BYTES, hsd_min_u64(memory_bytes / 16, WINDOW_MAX_BYTES));
    size_t size = 0;
    HSD_TRY(open_source(&in->file, from, window, err));
    HSD_TRY(unseal_input(in, import, crypt, window, err));
    if (options->with_digest) HSD_TRY(hsd_watch_begin(&in->watch, &in->file, err));
    in->top = &in->file;
    HSD_TRY(peek_prefix(in->top, &size, err));
    in->packing = find_packing(in->top->at, size);
    if (in->packing != NULL) {
        HSD_TRY(open_packed(in, options->summary_only || import->is_secret, window, import->space, err));
        HSD_TRY(peek_prefix(in->top, &size, err));
    }
    const hsd_status status = hsd_importer_choose(&in->importer, in->top->at, size, options->format, err);
    if (status == HSD_E_NOT_THIS_FORMAT) return refuse_import(in, in->top->at, size, NULL, err);
    HSD_TRY(status);
    if (options->format == NULL) in->importer = hsd_importer_further(in->importer, in->top, size);
    if (in->importer->probe(in->top->at, size) == 0)
        return refuse_import(in, in->top->at, size, in->importer->info.name, err);
    return in->importer->needs_rewind ? hsd_source_make_rewindable(in->top, import->space, err) : HSD_OK;
}

/* ---- the writer ---- */

hsd_status hsd_import_writer_status(hsd_import *import, hsc_status status, hsd_error *err)
{
    if (status == HSC_OK) return HSD_OK;
    if (status == HSC_E_IO && import->sink_error.status != HSD_OK) {
        if (err != NULL) *err = import->sink_error;
        return import->sink_error.status;
    }
    const char *text = import->writer == NULL ? "cannot begin a capture" : hsc_error_text(import->writer);
    switch (status) {
    case HSC_E_IO:
        return hsd_fail_errno(err, import->writer == NULL ? 0 : hsc_system_error(import->writer),
                              "cannot write the capture");
    case HSC_E_NOMEM: return hsd_fail(err, HSD_E_NOMEM, "%s", text);
    case HSC_E_LIMIT: return hsd_fail(err, HSD_E_UNSUPPORTED, "%s", text);
    case HSC_E_MISUSE:
    case HSC_OK: break;
    }
    return hsd_fail(err, HSD_E_MISUSE, "the importer used its writer wrongly: %s", text);
}

static void take_origin(hsc_options *options, const hsd_import_origin *origin)
{
    static const uint8_t unknown[16];
    if (origin->process_name != NULL) options->process_name = origin->process_name;
    if (origin->runtime != NULL) options->runtime = origin->runtime;
    if (origin->pid != 0) options->pid = origin->pid;
    if (origin->started_unix_ns != 0) options->started_unix_ns = origin->started_unix_ns;
    if (origin->taken_unix_ns != 0) options->taken_unix_ns = origin->taken_unix_ns;
    if (memcmp(origin->domain, unknown, sizeof unknown) != 0)
        memcpy(options->domain, origin->domain, sizeof options->domain);
}

/* ---- blocks on a thread of their own ---- */

static hsd_status run_block(void *context, hsd_error *err)
{
    const hsd_import *import = context;
    (void)err;
    import->helper_job(import->helper_argument);
    return HSD_OK;
}

/* Where there is no thread the job runs at once. */
static bool start_block(void *context, void (*job)(void *argument), void *argument)
{
    hsd_import *import = context;
    import->helper_job = job;
    import->helper_argument = argument;
    hsd_worker_begin_again(&import->helper, run_block, import);
    return true;
}

static void wait_for_block(void *context)
{
    hsd_import *import = context;
    hsd_worker_finish(&import->helper, NULL);
}

static hsd_status open_writer(hsd_import *import, const hsc_options *options, hsd_error *err)
{
    const hsc_helper helper = {.start = start_block, .wait = wait_for_block, .context = import};
    HSD_TRY(hsd_import_writer_status(import, hsc_open(&import->writer, &import->sink, options), err));
    if (import->has_threads) HSD_WRITE(import, hsc_use_helper(import->writer, &helper), err);
    return HSD_OK;
}

hsd_status hsd_import_begin(hsd_import *import, hsc_options *options, hsd_error *err)
{
    char producer[64];
    snprintf(producer, sizeof producer, "hsdiff %s import %s", HSDIFF_VERSION, import->result->format);
    options->producer = producer;
    options->compression = import->options->compression;
    options->memory_bytes = (size_t)import->writer_bytes;
    if (options->source_format == NULL) options->source_format = import->result->format;
    if (import->options->origin != NULL) take_origin(options, import->options->origin);
    return open_writer(import, options, err);
}

hsd_status hsd_import_end(hsd_import *import, hsd_error *err)
{
    const hsd_import_origin *origin = import->options->origin;
    if (origin != NULL && origin->metrics != NULL) {
        hsd_origin_metric metrics[HSD_IMPORT_METRICS_MAX];
        const size_t count = origin->metrics(origin->context, metrics, HSD_IMPORT_METRICS_MAX);
        for (size_t i = 0; i < count && i < HSD_IMPORT_METRICS_MAX; i++)
            HSD_WRITE(import, hsc_metric(import->writer, metrics[i].name, metrics[i].unit, metrics[i].value), err);
    }
    HSD_WRITE(import, hsc_finish(import->writer), err);
    return HSD_OK;
}

hsd_status hsd_import_expect_room(uint64_t taken, uint64_t allowed, const char *what, uint64_t suffices, hsd_error *err)
{
    if (taken <= allowed) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "%s take more than %" PRIu64 " MiB", what, allowed >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", suffices >> 20);
    return HSD_E_OVER_BUDGET;
}

hsd_status hsd_import_mark_cut(hsd_import *import, bool is_cut, const char *reason, const char *also, hsd_error *err)
{
    import->result->is_complete = !is_cut;
    if (!is_cut) return HSD_OK;
    HSD_WRITE(import, hsc_mark_incomplete(import->writer, reason), err);
    hsd_note(import->reporter, HSD_NOTE_DAMAGE, "%s was cut off: what is there was imported%s", import->source->name,
             also);
    return HSD_OK;
}

hsd_status hsd_import_mark_incomplete(hsd_import *import, const char *reason, hsd_error *err)
{
    HSD_WRITE(import, hsc_mark_incomplete(import->writer, reason), err);
    import->result->is_complete = false;
    hsd_note(import->reporter, HSD_NOTE_DAMAGE, "%s: %s: counts are lower bounds", import->source->name, reason);
    return HSD_OK;
}

hsd_status hsd_import_give_up(hsd_status status, const hsd_error *why, bool is_usable, hsd_error *err)
{
    if (err != NULL) *err = *why;
    if (status == HSD_E_TRUNCATED && is_usable) hsd_import_hint_partial(err);
    return status;
}

hsd_status hsd_import_tell_unreadable(hsd_import *import, uint64_t lines, hsd_error *err)
{
    if (lines == 0) return HSD_OK;
    HSD_WRITE(import, hsc_loss(import->writer, "lines of the heap dump that could not be read", lines), err);
    hsd_note(import->reporter, HSD_NOTE_DAMAGE, "%" PRIu64 " line%s of %s could not be read", lines,
             lines == 1 ? "" : "s", import->source->name);
    return HSD_OK;
}

void hsd_import_set_domain(uint8_t domain[16], uint64_t first, uint64_t second)
{
    memcpy(domain, &first, sizeof first);
    memcpy(domain + sizeof first, &second, sizeof second);
}

void hsd_import_heap_end(const hsd_import *import)
{
    const hsd_import_origin *origin = import->options->origin;
    if (origin != NULL && origin->heap_end != NULL) origin->heap_end(origin->context);
}

/* ---- one run ---- */

void hsd_import_note_input(hsd_import *import)
{
    const hsd_source *file = import->file == NULL ? import->source : import->file;
    const uint64_t seen = hsd_max_u64(file->total_bytes, hsd_source_offset(file));
    import->result->input_bytes = hsd_max_u64(import->result->input_bytes, seen);
}

/* Runs the importer over `in`; the writer is closed when it returns. */
static hsd_status run_importer(hsd_import *import, const input *in, hsd_error *err)
{
    import->source = in->top;
    import->file = &in->file;
    *import->result = (hsd_import_result){.format = in->importer->info.name, .is_complete = true};
    hsd_error_init(&import->sink_error);
    hsd_status status = in->importer->run(import, err);
    if (status == HSD_END) /* whatever stopped it, what it wrote has no end */
        status = hsd_fail(err, HSD_E_TRUNCATED, "it could not be read to its end");
    if (import->writer != NULL) import->result->output_bytes = hsc_bytes_written(import->writer);
    hsc_close(import->writer);
    import->writer = NULL;
    hsd_worker_end(&import->helper);
    hsd_import_note_input(import);
    if (status < 0 && import->sink_error.status == HSD_OK) hsd_error_set_file(err, in->file.name);
    return status;
}

static hsd_status take_digest(hsd_import *import, const input *in, hsd_error *err)
{
    if (in->watch == NULL) return HSD_OK;
    const hsd_status status = hsd_watch_finish(in->watch, import->result->digest, &import->result->has_digest, err);
    if (status < 0) hsd_error_set_file(err, in->file.name);
    return status;
}

/* The bytes of the dump were read, and numbers decoded where they are text; four numbers of each object and two of each
 * reference went into columns; and these out as they are, or through zstd. */
static void tell_import(const hsd_import *import, hsd_stopwatch *watch)
{
    const hsd_import_result *result = import->result;
    const bool is_packed = import->options->compression > 0;
    hsd_work_did(strcmp(result->format, "v8") == 0 ? HSD_COST_TEXT : HSD_COST_READ, result->input_bytes);
    hsd_work_did(HSD_COST_VALUES, 4 * result->objects + 2 * result->references);
    hsd_work_did(is_packed ? HSD_COST_PACKED : HSD_COST_FILE_WRITTEN, result->output_bytes);
    hsd_stopwatch_note(watch, import->reporter, import->source->name, "importing");
}

/* Of a file that is as it is: what unpacks is asked how far it has come. */
static uint64_t read_ahead(const hsd_import *import, input *in)
{
    if (!import->has_threads || !in->importer->reads_ahead || in->top != &in->file) return 0;
    return hsd_source_read_ahead(in->top);
}

/* Opens the input, divides the memory, and imports into `sink`. */
static hsd_status import_into(hsd_import *import, const entrance *from, const hsd_run *run, hsd_error *err)
{
    hsd_temp_space space;
    hsd_reporter reporter;
    input in = {0};
    const uint64_t budget = run != NULL && run->memory_bytes != 0 ? run->memory_bytes : hsd_run_default_memory();
    hsd_temp_space_of(&space, run);
    hsd_reporter_init(&reporter, run);
    import->space = &space;
    import->reporter = &reporter;
    import->has_threads = budget >= THREADS_LEAST_BYTES && hsd_worker_count(run == NULL ? 0 : run->threads) > 1;
    const uint64_t most = import->is_temporary ? WRITER_TEMP_BYTES : WRITER_MAX_BYTES;
    import->writer_bytes = hsd_max_u64(WRITER_MIN_BYTES, hsd_min_u64(budget / 8, most));
    hsd_status status = open_input(&in, from, import, budget, run == NULL ? NULL : run->crypt, err);
    if (status == HSD_OK) {
        const uint64_t ahead = read_ahead(import, &in);
        const uint64_t taken = import->writer_bytes * (import->has_threads ? 2 : 1) + in.file.window_bytes +
                               in.unpacked.window_bytes + ahead;
        import->memory_bytes = budget > taken ? budget - taken : 0;
        hsd_stopwatch watch = hsd_stopwatch_start(&space);
        status = run_importer(import, &in, err);
        hsd_source_wait(in.top);
        if (status == HSD_OK) tell_import(import, &watch);
        if (status == HSD_OK) status = take_digest(import, &in, err);
    } else if (in.file.name[0] != '\0') {
        hsd_error_set_file(err, in.file.name);
    }
    close_input(&in);
    hsd_reporter_release(&reporter);
    import->space = NULL;
    import->reporter = NULL;
    return status;
}

/* ---- where it goes ---- */

typedef struct target {
    hsd_import import;
    hsd_output output;
    hsd_temp temp;
    hsd_sealing sealing;
    hsd_crypt *crypt;
    bool has_begun, is_sealed; /* the first write decides for all: another import may read the first secret meanwhile */
} target;

static ptrdiff_t refused(hsd_error *error)
{
    errno = error->sys_errno == 0 ? EIO : error->sys_errno;
    return -1;
}

static ptrdiff_t write_output(void *context, const void *data, size_t size)
{
    target *to = context;
    if (hsd_output_write(&to->output, data, size, &to->import.sink_error) != HSD_OK)
        return refused(&to->import.sink_error);
    return (ptrdiff_t)size;
}

static hsd_status put_temp(void *context, const void *data, size_t size, hsd_error *err)
{
    target *to = context;
    return hsd_temp_write(&to->temp, to->temp.size_bytes, data, size, err);
}

/* What was encrypted, or is to be, is so here, too, to the operation itself. */
static hsd_status put_secret(target *to, const void *data, size_t size, hsd_error *err)
{
    if (to->sealing.chunk == NULL) HSD_TRY(hsd_sealing_begin(&to->sealing, to->crypt, true, put_temp, to, err));
    return hsd_sealing_add(&to->sealing, data, size, err);
}

static ptrdiff_t write_temp(void *context, const void *data, size_t size)
{
    target *to = context;
    hsd_error *err = &to->import.sink_error;
    if (!to->has_begun) to->is_sealed = hsd_crypt_is_secret(to->crypt);
    to->has_begun = true;
    if ((to->is_sealed ? put_secret(to, data, size, err) : put_temp(to, data, size, err)) != HSD_OK)
        return refused(&to->import.sink_error);
    return (ptrdiff_t)size;
}

typedef struct descriptor_target {
    hsd_import import;
    int fd;
} descriptor_target;

static ptrdiff_t write_descriptor(void *context, const void *data, size_t size)
{
    descriptor_target *to = context;
    const int failed = hsd_fd_write(to->fd, data, size, HSD_FD_HERE);
    if (failed == 0) return (ptrdiff_t)size;
    hsd_fail_errno(&to->import.sink_error, failed, "cannot write the capture");
    return refused(&to->import.sink_error);
}

/* What an import is asked for; NULL stands for a compressed capture. */
static hsd_status take_options(hsd_import_options *own, const hsd_import_options *options, hsd_error *err)
{
    HSD_TRY(HSD_TAKE_OPTIONS(hsd_import_options, origin, own, options, err));
    if (options == NULL) own->compression = 1;
    return HSD_OK;
}

hsd_status hsd_import_file(const char *path, const char *out_path, bool force, const hsd_import_options *options,
                           const hsd_run *run, hsd_import_result *result, hsd_error *err)
{
    hsd_import_result unwanted;
    hsd_import_options own;
    target to = {.import = {.options = &own, .result = result == NULL ? &unwanted : result}};
    HSD_TRY(take_options(&own, options, err));
    to.import.sink = (hsc_sink){.write = write_output, .context = &to};
    HSD_TRY(hsd_output_open(&to.output, out_path, force, err));
    hsd_status status = hsd_output_encrypt(&to.output, run == NULL ? NULL : run->crypt, err);
    if (status == HSD_OK) status = import_into(&to.import, &(entrance){path, -1}, run, err);
    if (status == HSD_OK) status = hsd_output_finish(&to.output, err);
    hsd_output_close(&to.output);
    return status;
}

static hsd_status import_temp(const entrance *from, const hsd_import_options *options, const hsd_run *run, int *out_fd,
                              hsd_import_result *result, hsd_error *err)
{
    hsd_import_result unwanted;
    hsd_import_options own;
    hsd_temp_space space;
    target to = {.import = {.options = &own, .result = result == NULL ? &unwanted : result, .is_temporary = true}};
    *out_fd = -1;
    HSD_TRY(take_options(&own, options, err));
    to.import.sink = (hsc_sink){.write = write_temp, .context = &to};
    hsd_temp_space_init(&space, run == NULL ? NULL : run->temp_dir);
    HSD_TRY(hsd_temp_open(&to.temp, &space, err));
    to.crypt = run == NULL ? NULL : run->crypt;
    hsd_status status = import_into(&to.import, from, run, err);
    if (status == HSD_OK && to.sealing.chunk != NULL) status = hsd_sealing_finish(&to.sealing, err);
    hsd_sealing_release(&to.sealing);
    if (status == HSD_OK) {
        *out_fd = to.temp.fd;
        to.temp.fd = -1; /* it is the caller's now */
    }
    hsd_temp_close(&to.temp);
    return status;
}

hsd_status hsd_import_temp(const char *path, const hsd_import_options *options, const hsd_run *run, int *out_fd,
                           hsd_import_result *result, hsd_error *err)
{
    return import_temp(&(entrance){path, -1}, options, run, out_fd, result, err);
}

hsd_status hsd_import_temp_fd(int in_fd, const char *name, const hsd_import_options *options, const hsd_run *run,
                              int *out_fd, hsd_import_result *result, hsd_error *err)
{
    return import_temp(&(entrance){name, in_fd}, options, run, out_fd, result, err);
}

hsd_status hsd_import_descriptor(int in_fd, const char *name, int out_fd, const hsd_import_options *options,
                                 const hsd_run *run, hsd_import_result *result, hsd_error *err)
{
    hsd_import_result unwanted;
    hsd_import_options own;
    descriptor_target to = {.import = {.options = &own, .result = result == NULL ? &unwanted : result}, .fd = out_fd};
    HSD_TRY(take_options(&own, options, err));
    to.import.sink = (hsc_sink){.write = write_descriptor, .context = &to};
    return import_into(&to.import, &(entrance){name, in_fd}, run, err);
}

bool hsd_import_is_packed(const void *prefix, size_t size) { return find_packing(prefix, size) != NULL; }

const char *hsd_import_probe(const void *prefix, size_t size)
{
    const hsd_importer *importer = NULL;
    const hsd_bytes bytes = {prefix, size};
    const packing *packed = find_packing(prefix, size);
    if (packed == NULL) {
        hsd_importer_choose(&importer, bytes.data, bytes.size, NULL, NULL);
        return importer == NULL ? NULL : importer->info.name;
    }
    uint8_t *unpacked = malloc(HSD_IMPORT_PREFIX_BYTES);
    if (unpacked == NULL) return NULL;
    const size_t got = hsd_source_unpack_prefix(packed->open, prefix, size, unpacked, HSD_IMPORT_PREFIX_BYTES);
    hsd_importer_choose(&importer, unpacked, got, NULL, NULL);
    free(unpacked);
    return importer == NULL ? NULL : importer->info.name;
}
