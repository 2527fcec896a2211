/*
 * The run of an importer that all of their fuzz targets share.
 */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz/importing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <hscapture/hscapture.h>
#include <hsdiff/capture.h>

typedef struct input {
    const uint8_t *data;
    size_t size, at, piece;
} input;

static hsd_status read_piece(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    input *in = context;
    (void)err;
    *got = in->size - in->at;
    if (*got > in->piece) *got = in->piece;
    if (*got > size) *got = size;
    memcpy(data, in->data + in->at, *got);
    in->at += *got;
    return HSD_OK;
}

static hsd_status rewind_all(void *context, hsd_error *err)
{
    (void)err;
    ((input *)context)->at = 0;
    return HSD_OK;
}

/* ---- what was written ---- */

typedef struct written {
    uint8_t *bytes;
    size_t size, room;
} written;

static ptrdiff_t keep_written(void *context, const void *data, size_t size)
{
    written *out = context;
    if (out->room - out->size < size) {
        out->room = 2 * (out->size + size);
        out->bytes = realloc(out->bytes, out->room);
        if (out->bytes == NULL) abort();
    }
    if (size > 0) memcpy(out->bytes + out->size, data, size);
    out->size += size;
    return (ptrdiff_t)size;
}

/* Ids are what the dump says, and nobody holds them all together on the way. */
static void count_fault(void *context, const char *rule, uint64_t offset_bytes, uint64_t block, const char *text)
{
    uint64_t *faults = context;
    if (strcmp(rule, "6.6") == 0 && (strstr(text, "stands there twice") || strstr(text, "the same ") == text)) return;
    ++*faults;
    fprintf(stderr, "rule %s of FORMAT.md is broken in block %llu, byte %llu: %s\n", rule, (unsigned long long)block,
            (unsigned long long)offset_bytes, text);
}

/* It keeps every rule of FORMAT.md, and says of itself what the import says of it. False if it is of samples: a summary
 * of these may estimate what there was. */
static bool check_written(const written *out, const hsd_import_result *result)
{
    char path[64];
    hsd_capture *capture;
    uint64_t faults = 0;
    hsd_error err;
    hsd_error_init(&err);
    const int fd = memfd_create("written", MFD_CLOEXEC);
    if (fd < 0 || write(fd, out->bytes, out->size) != (ssize_t)out->size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (hsd_capture_verify(path, NULL, count_fault, &faults, NULL, &err) != HSD_OK || faults > 0 ||
        hsd_capture_open(&capture, path, HSD_DAMAGE_REFUSE, NULL, &err) != HSD_OK) {
        fprintf(stderr, "what was written is no capture: %s\n", err.text);
        abort();
    }
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    const uint64_t objects = info->objects - info->pseudo_objects + info->summary_objects,
                   bytes = info->bytes + info->summary_bytes;
    /* what lies outside the heap counts with it, or apart */
    const bool is_same_size = result->bytes == bytes || result->bytes == bytes + info->native_bytes;
    if (objects != result->objects || !is_same_size || info->is_complete != result->is_complete) {
        fprintf(stderr, "%llu objects of %llu bytes, %swhole, were told of, and written %llu of %llu, %swhole\n",
                (unsigned long long)result->objects, (unsigned long long)result->bytes,
                result->is_complete ? "" : "not ", (unsigned long long)objects, (unsigned long long)bytes,
                info->is_complete ? "" : "not ");
        abort();
    }
    const bool is_sampled = (info->facts & HSC_FACT_SAMPLED) != 0;
    hsd_capture_close(capture);
    close(fd);
    return !is_sampled;
}

/* ---- the import ---- */

/* True when all of it was read, and it was no sample. */
static bool import_once(const hsd_importer *importer, hsd_source *source, const hsd_import_options *options,
                        uint64_t memory_bytes, hsd_import_result *result)
{
    hsd_temp_space space;
    hsd_reporter reporter;
    hsd_error err;
    written out = {0};
    *result = (hsd_import_result){.format = importer->info.name, .is_complete = true};
    hsd_error_init(&err);
    hsd_temp_space_init(&space, NULL);
    hsd_reporter_init(&reporter, NULL);
    hsd_import import = {.source = source,
                         .options = options,
                         .space = &space,
                         .reporter = &reporter,
                         .memory_bytes = memory_bytes,
                         .writer_bytes = 64 << 10,
                         .result = result,
                         .sink = {.write = keep_written, .context = &out}};
    const hsd_status status = importer->run(&import, &err);
    if (status == HSD_E_MISUSE || (status < 0 && err.text[0] == '\0')) abort();
    hsc_close(import.writer);
    hsd_reporter_release(&reporter);
    const bool is_all = status == HSD_OK && check_written(&out, result) && result->is_complete;
    free(out.bytes);
    return is_all;
}

/* What is read whole has the same objects and bytes by a summary, or without one. */
static void compare_both_ways(const hsd_import_result *one, const hsd_import_result *other)
{
    if (one->objects == other->objects && one->bytes == other->bytes) return;
    fprintf(stderr, "%llu objects of %llu bytes, and %llu of %llu the other way, by a summary or without one\n",
            (unsigned long long)one->objects, (unsigned long long)one->bytes, (unsigned long long)other->objects,
            (unsigned long long)other->bytes);
    abort();
}

static hsd_import_options other_way(const hsd_import_options *options)
{
    hsd_import_options other = *options;
    other.summary_only = !options->summary_only;
    return other;
}

void fuzz_import(const hsd_importer *importer, hsd_source *source, const hsd_import_options *options,
                 uint64_t memory_bytes)
{
    const hsd_import_options other = other_way(options);
    hsd_import_result results[2];
    if (!import_once(importer, source, options, memory_bytes, &results[0]) || !source->can_rewind ||
        hsd_source_rewind(source, NULL) != HSD_OK)
        return;
    if (import_once(importer, source, &other, memory_bytes, &results[1])) compare_both_ways(&results[0], &results[1]);
}

void fuzz_import_one_way(const hsd_importer *importer, hsd_source *source, const hsd_import_options *options,
                         uint64_t memory_bytes)
{
    hsd_import_result result;
    import_once(importer, source, options, memory_bytes, &result);
}

/* What an input names besides itself is not there, whatever this machine has. */
static int open_nothing(void *context, const char *path)
{
    (void)context, (void)path;
    errno = ENOENT;
    return -1;
}

static bool import_pieces(const hsd_importer *importer, input in, const hsd_import_options *options,
                          uint64_t memory_bytes, hsd_import_result *result)
{
    static const hsd_source_ops ops = {.read = read_piece};
    hsd_source source;
    if (hsd_source_open_custom(&source, &ops, &in, "fuzz", 4096, false, NULL) != HSD_OK) return false;
    const bool is_whole = import_once(importer, &source, options, memory_bytes, result);
    hsd_source_close(&source);
    return is_whole;
}

void fuzz_import_pieces_with(const hsd_importer *importer, hsd_bytes dump, uint64_t memory_bytes, unsigned choice,
                             const fuzz_files *files)
{
    const hsd_import_options options = {.struct_bytes = sizeof options,
                                        .salvage = (choice & 1) != 0,
                                        .summary_only = (choice & 6) == 6,
                                        .with_values = (choice & 8) != 0,
                                        .open_file = files->open,
                                        .open_context = files->context},
                             other = other_way(&options);
    const input in = {.data = dump.data, .size = dump.size, .piece = choice & 16 ? 65536 : 1 + (choice >> 5) * 13};
    hsd_import_result results[2];
    if (import_pieces(importer, in, &options, memory_bytes, &results[0]) &&
        import_pieces(importer, in, &other, memory_bytes, &results[1]))
        compare_both_ways(&results[0], &results[1]);
}

void fuzz_import_pieces(const hsd_importer *importer, const uint8_t *data, size_t size, uint64_t memory_bytes)
{
    static const fuzz_files nothing = {open_nothing, NULL};
    fuzz_import_pieces_with(importer, (hsd_bytes){data, size}, memory_bytes, size == 0 ? 0 : data[size - 1], &nothing);
}

void fuzz_import_windowed(const hsd_importer *importer, const uint8_t *data, size_t size,
                          const hsd_import_options *options, uint64_t memory_bytes)
{
    static const hsd_source_ops ops = {.read = read_piece, .rewind = rewind_all};
    const unsigned choice = size == 0 ? 0 : data[size - 1];
    input in = {.data = data, .size = size, .piece = SIZE_MAX};
    hsd_source source;
    if (hsd_source_open_custom(&source, &ops, &in, "fuzz", choice & 16 ? 256 : 65536, true, NULL) != HSD_OK) return;
    fuzz_import(importer, &source, options, memory_bytes);
    hsd_source_close(&source);
}
