/*
 * The nettrace importer on any bytes: no crash, no stall, no memory past its budget, and a writer that is never
 * used wrongly. The last byte chooses the options, and how large the pieces are in which the input comes.
 */
#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_import_pieces(&hsd_import_nettrace, data, size, 1 << 20);
    return 0;
}
