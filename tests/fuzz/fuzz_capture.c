/*
 * A whole file as a capture: opened both ways, every record read, verified. Checksums are made right first, so that
 * what lies behind them is reached in every build; the first byte of the input says whether (a bit flip alone must not
 * get past them either).
 */
#include <stdlib.h>
#include <string.h>

#include <hsdiff/dump.h>

#include "support/memfile.h"
#include "support/reseal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hsd_status drop(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context, (void)bytes, (void)size, (void)err;
    return HSD_OK;
}

/* What one call promises the next: a capture that was opened in part is read without an error. */
static void read_all(const memfile *file, hsd_damage damage)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    const hsd_status opened = hsd_capture_open(&capture, file->path, damage, NULL, &err);
    if (opened != HSD_OK) {
        if (capture != NULL || err.text[0] == '\0') abort();
        return;
    }
    const hsd_status status = hsd_capture_dump(capture, drop, NULL, &err);
    if (status != HSD_OK && (damage == HSD_DAMAGE_SKIP || err.text[0] == '\0')) abort();
    hsd_capture_close(capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_error err;
    if (size < 8) return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) return 0;
    memcpy(bytes, data, size);
    if (data[size / 2] % 4 != 0) reseal(bytes, size);
    memfile file = memfile_of(bytes, size);
    read_all(&file, HSD_DAMAGE_REFUSE);
    read_all(&file, HSD_DAMAGE_SKIP);
    hsd_error_init(&err);
    hsd_capture_verify(file.path, NULL, NULL, NULL, NULL, &err);
    memfile_close(&file);
    free(bytes);
    return 0;
}
