/*
 * Salvage of whatever a file holds, with checksums made right or not. What comes out opens as an incomplete capture, is
 * read to its end, and is left as it is when it is salvaged once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hsdiff/dump.h>

#include "support/memfile.h"
#include "support/reseal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hsd_status drop(void *context, const char *bytes, size_t size, hsd_error *err)
{
    (void)context, (void)bytes, (void)size, (void)err;
    return HSD_OK;
}

static char salvaged_path[128], again_path[160];

static void remove_salvaged(void)
{
    unlink(salvaged_path);
    unlink(again_path);
}

static const char *salvaged(void)
{
    if (salvaged_path[0] == '\0') {
        const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        snprintf(salvaged_path, sizeof salvaged_path, "%s/hsdiff-fuzz-%d.hs", folder, (int)getpid());
        snprintf(again_path, sizeof again_path, "%s.again", salvaged_path);
        atexit(remove_salvaged);
    }
    return salvaged_path;
}

static void check_salvaged(const hsd_salvage_result *result)
{
    hsd_capture *capture;
    hsd_error err;
    hsd_error_init(&err);
    if (hsd_capture_open(&capture, salvaged(), HSD_DAMAGE_REFUSE, NULL, &err) != HSD_OK) abort();
    const hsd_capture_info *info = hsd_capture_get_info(capture);
    if (info->is_complete != result->was_complete || info->objects != result->objects || info->bytes != result->bytes)
        abort();
    if (hsd_capture_dump(capture, drop, NULL, &err) != HSD_OK) abort();
    hsd_capture_close(capture);
}

static void check_again(const hsd_salvage_result *result)
{
    hsd_salvage_result again;
    hsd_error err;
    size_t size, size_again;
    hsd_error_init(&err);
    if (hsd_capture_salvage(salvaged(), again_path, true, NULL, &again, &err) != HSD_OK) abort();
    if (again.was_complete != result->was_complete || again.blocks_lost != 0) abort();
    uint8_t *bytes = memfile_read_all(salvaged(), &size);
    uint8_t *bytes_again = memfile_read_all(again_path, &size_again);
    if (bytes == NULL || bytes_again == NULL || size != size_again || memcmp(bytes, bytes_again, size) != 0) abort();
    free(bytes);
    free(bytes_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_salvage_result result;
    hsd_error err;
    if (size < 8) return 0;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) return 0;
    memcpy(bytes, data, size);
    if (data[size / 2] % 2 != 0) reseal(bytes, size);
    memfile file = memfile_of(bytes, size);
    hsd_error_init(&err);
    if (hsd_capture_salvage(file.path, salvaged(), true, NULL, &result, &err) == HSD_OK) {
        check_salvaged(&result);
        check_again(&result);
    } else if (err.text[0] == '\0') {
        abort();
    }
    memfile_close(&file);
    free(bytes);
    return 0;
}
