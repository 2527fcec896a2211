/*
 * The run of an importer that all of their fuzz targets share.
 */
#include "fuzz/importing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static ptrdiff_t swallow(void *context, const void *data, size_t size)
{
    (void)context, (void)data;
    return (ptrdiff_t)size;
}

/* True when all of it was read. */
static bool import_once(const hsd_importer *importer, hsd_source *source, const hsd_import_options *options,
                        uint64_t memory_bytes, hsd_import_result *result)
{
    hsd_temp_space space;
    hsd_reporter reporter;
    hsd_error err;
    *result = (hsd_import_result){.format = importer->info.name};
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
                         .sink = {.write = swallow}};
    const hsd_status status = importer->run(&import, &err);
    if (status == HSD_E_MISUSE || (status < 0 && err.text[0] == '\0')) abort();
    hsc_close(import.writer);
    hsd_reporter_release(&reporter);
    return status == HSD_OK && result->is_complete;
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

void fuzz_import_pieces(const hsd_importer *importer, const uint8_t *data, size_t size, uint64_t memory_bytes)
{
    const unsigned choice = size == 0 ? 0 : data[size - 1];
    const hsd_import_options options = {.struct_bytes = sizeof options,
                                        .salvage = (choice & 1) != 0,
                                        .summary_only = (choice & 6) == 6,
                                        .with_values = (choice & 8) != 0,
                                        .open_file = open_nothing},
                             other = other_way(&options);
    const input in = {.data = data, .size = size, .piece = choice & 16 ? 65536 : 1 + (choice >> 5) * 13};
    hsd_import_result results[2];
    if (import_pieces(importer, in, &options, memory_bytes, &results[0]) &&
        import_pieces(importer, in, &other, memory_bytes, &results[1]))
        compare_both_ways(&results[0], &results[1]);
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
