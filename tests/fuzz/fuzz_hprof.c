/*
 * The HPROF importer on any bytes, plain or gzip: no crash, no stall, no memory past its budget, and a
 * writer that is never used wrongly. The last byte chooses the options.
 */
#include "fuzz/importing.h"
#include "import/gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void import(hsd_source *source, unsigned choice)
{
    static const char *const types[] = {"com.x.Value", "com.x.Derived", "java.lang.String", ""};
    const hsd_import_options options = {.salvage = (choice & 1) != 0,
                                        .summary_only = (choice & 6) == 6,
                                        .with_values = (choice & 8) != 0,
                                        .value_types = types,
                                        .value_type_count = (choice & 64) != 0 ? 4 : 0,
                                        .dump_number = choice >> 4 & 3};
    fuzz_import(&hsd_import_hprof, source, &options, 4 << 20);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_source source, unpacked;
    if (size == 0) return 0;
    const unsigned choice = data[size - 1];
    if (hsd_source_open_memory(&source, (hsd_bytes){data, size}, "fuzz", NULL) != HSD_OK) return 0;
    if (!hsd_gzip_probe(data, size)) {
        import(&source, choice);
    } else if (hsd_gzip_open(&unpacked, &source, 4096, true, NULL) == HSD_OK) {
        import(&unpacked, choice);
        hsd_source_close(&unpacked);
    }
    hsd_source_close(&source);
    return 0;
}
