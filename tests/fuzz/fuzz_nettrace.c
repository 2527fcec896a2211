/*
 * The nettrace importer on any bytes: no crash, no stall, no memory past its budget, and a writer that is never
 * used wrongly. The last byte chooses the options, and how large the pieces are in which the input comes.
 */
#include <stdlib.h>
#include <string.h>

#include "import/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static ptrdiff_t swallow(void *context, const void *data, size_t size)
{
    (void)context, (void)data;
    return (ptrdiff_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hsd_source_ops ops = {.read = read_piece};
    const unsigned choice = size == 0 ? 0 : data[size - 1];
    const hsd_import_options options = {.salvage = (choice & 1) != 0,
                                        .summary_only = (choice & 6) == 6,
                                        .with_values = (choice & 8) != 0};
    input in = {.data = data, .size = size, .piece = choice & 16 ? 65536 : 1 + (choice >> 5) * 13};
    hsd_import_result result = {.format = "nettrace"};
    hsd_temp_space space;
    hsd_reporter reporter;
    hsd_source source;
    hsd_error err;
    hsd_error_init(&err);
    hsd_temp_space_init(&space, NULL);
    hsd_reporter_init(&reporter, NULL);
    if (hsd_source_open_custom(&source, &ops, &in, "fuzz", 4096, false, NULL) != HSD_OK) return 0;
    hsd_import import = {.source = &source,
                         .options = &options,
                         .space = &space,
                         .reporter = &reporter,
                         .memory_bytes = 1 << 20,
                         .writer_bytes = 64 << 10,
                         .result = &result,
                         .sink = {.write = swallow}};
    const hsd_status status = hsd_import_nettrace.run(&import, &err);
    if (status == HSD_E_MISUSE || (status < 0 && err.text[0] == '\0')) abort();
    hsc_close(import.writer);
    hsd_reporter_release(&reporter);
    hsd_source_close(&source);
    return 0;
}
