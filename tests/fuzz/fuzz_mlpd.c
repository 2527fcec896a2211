/*
 * The importer of files of Mono's log profiler on any bytes: no crash, no stall, no memory past its budget, and a writer that is never used
 * wrongly. The last byte chooses the options, the heap shot, and how much of the input is seen at once.
 */
#include <string.h>

#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    const uint8_t *data;
    size_t size, at;
} input;

static hsd_status read_some(void *context, void *data, size_t size, size_t *got, hsd_error *err)
{
    input *in = context;
    (void)err;
    *got = in->size - in->at < size ? in->size - in->at : size;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const hsd_source_ops ops = {.read = read_some, .rewind = rewind_all};
    hsd_source source;
    if (size == 0) return 0;
    const unsigned choice = data[size - 1];
    const hsd_import_options options = {.salvage = (choice & 1) != 0, .summary_only = (choice & 6) == 6, .dump_number = choice >> 5 & 3};
    input in = {.data = data, .size = size};
    if (hsd_source_open_custom(&source, &ops, &in, "fuzz", choice & 16 ? 256 : 65536, true, NULL) != HSD_OK) return 0;
    fuzz_import(&hsd_import_mlpd, &source, &options, 4 << 20);
    hsd_source_close(&source);
    return 0;
}
