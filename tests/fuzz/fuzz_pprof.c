/*
 * The importer of pprof's heap profiles on any bytes: no crash, no stall, no memory past its budget, and a writer that
 * is never used wrongly. The last byte chooses the options. Amounts of a profile may be negative, and end where signed
 * numbers do: a stack that has less than nothing takes it from a sum, and not from objects that have addresses, so that
 * a summary may say less.
 */
#include "fuzz/importing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_source source;
    if (size == 0) return 0;
    const unsigned choice = data[size - 1];
    const hsd_import_options options = {.dump_number = choice & 3, .summary_only = (choice & 12) == 12};
    hsd_import_pprof.probe(data, size);
    if (hsd_source_open_memory(&source, (hsd_bytes){data, size}, "fuzz", NULL) != HSD_OK) return 0;
    fuzz_import_one_way(&hsd_import_pprof, &source, &options, 4 << 20);
    hsd_source_close(&source);
    return 0;
}
