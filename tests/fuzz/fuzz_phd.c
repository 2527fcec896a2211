/*
 * The importer of portable heap dumps on any bytes: no crash, no stall, no memory past its budget, and a writer that is
 * never used wrongly. The last byte chooses the options, and how much of the input is seen at once.
 */
#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned choice = size == 0 ? 0 : data[size - 1];
    const hsd_import_options options = {.salvage = (choice & 1) != 0, .summary_only = (choice & 6) == 6};
    fuzz_import_windowed(&hsd_import_phd, data, size, &options, 4 << 20);
    return 0;
}
