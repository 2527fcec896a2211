/*
 * The importer of Go's heap dumps on any bytes: no crash, no stall, no memory past its budget, and a writer that is
 * never used wrongly. The last byte chooses the options.
 */
#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_source source;
    if (size == 0) return 0;
    const unsigned choice = data[size - 1];
    const hsd_import_options options = {.salvage = (choice & 1) != 0, .summary_only = (choice & 6) == 6};
    if (hsd_source_open_memory(&source, (hsd_bytes){data, size}, "fuzz", NULL) != HSD_OK) return 0;
    fuzz_import(&hsd_import_goheap, &source, &options, 4 << 20);
    hsd_source_close(&source);
    return 0;
}
