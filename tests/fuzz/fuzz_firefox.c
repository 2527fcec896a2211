/*
 * The importer of Firefox's snapshots on any bytes, in pieces of any size: no crash, no stall, no memory past its
 * budget, and a writer that is never used wrongly.
 */
#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import_pieces(&hsd_import_firefox, data, size, 256 << 10);
    return 0;
}
