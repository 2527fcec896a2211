/*
 * The zstd filter on any bytes: no crash, no stall, and a fault that says what it is. The first byte chooses how much
 * is seen at once.
 */
#include <stdint.h>
#include <stdlib.h>

#include "import/zstd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_source below, source;
    hsd_error err;
    uint64_t most = UINT64_C(64) << 20; /* a few bytes can say much: what a run looks at */
    hsd_error_init(&err);
    if (hsd_source_open_memory(&below, (hsd_bytes){data, size}, "fuzz", &err) != HSD_OK) abort();
    if (hsd_zstd_open(&source, &below, size % 2 == 0 ? 4096 : 65536, true, &err) != HSD_OK) abort();
    hsd_status status;
    while ((status = hsd_source_peek(&source, 1, &err)) == HSD_OK) {
        const size_t ahead = hsd_source_ahead(&source);
        if (ahead > most) break;
        most -= ahead;
        hsd_source_take(&source, ahead);
    }
    if (status < 0 && err.text[0] == 0) abort();
    hsd_source_close(&source);
    hsd_source_close(&below);
    return 0;
}
