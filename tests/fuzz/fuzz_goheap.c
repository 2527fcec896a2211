/*
 * The importer of Go's heap dumps on any bytes: no crash, no stall, no memory past its budget, and a writer that is never used
 * wrongly. The last byte chooses the options.
 */
#include <stdlib.h>

#include "import/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ptrdiff_t swallow(void *context, const void *data, size_t size)
{
    (void)context, (void)data;
    return (ptrdiff_t)size;
}

static void import(hsd_source *source, unsigned choice)
{
    const hsd_import_options options = {.salvage = (choice & 1) != 0, .summary_only = (choice & 6) == 6};
    hsd_import_result result = {.format = "go"};
    hsd_temp_space space;
    hsd_reporter reporter;
    hsd_error err;
    hsd_error_init(&err);
    hsd_temp_space_init(&space, NULL);
    hsd_reporter_init(&reporter, NULL);
    hsd_import import = {.source = source,
                         .options = &options,
                         .space = &space,
                         .reporter = &reporter,
                         .memory_bytes = 4 << 20,
                         .writer_bytes = 64 << 10,
                         .result = &result,
                         .sink = {.write = swallow}};
    const hsd_status status = hsd_import_goheap.run(&import, &err);
    if (status == HSD_E_MISUSE || (status < 0 && err.text[0] == '\0')) abort();
    hsc_close(import.writer);
    hsd_reporter_release(&reporter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_source source;
    if (size == 0) return 0;
    if (hsd_source_open_memory(&source, (hsd_bytes){data, size}, "fuzz", NULL) != HSD_OK) return 0;
    import(&source, data[size - 1]);
    hsd_source_close(&source);
    return 0;
}
