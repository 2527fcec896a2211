/* Objects that wait to be written. See baseline_objects.h. */
#include "export/baseline_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

hsd_status hsd_kept_objects_init(hsd_kept_objects *kept, hsd_temp_space *space, hsd_error *err)
{
    *kept = (hsd_kept_objects){.temp.fd = -1};
    kept->buffer = malloc(HSD_KEPT_BUFFER);
    if (kept->buffer == NULL) return hsd_fail_nomem(err, "keeping objects for a baseline");
    return hsd_temp_open(&kept->temp, space, err);
}

void hsd_kept_objects_release(hsd_kept_objects *kept)
{
    hsd_temp_close(&kept->temp);
    free(kept->buffer);
    kept->buffer = NULL;
}

hsd_status hsd_kept_objects_finish(hsd_kept_objects *kept, hsd_error *err)
{
    const size_t size = kept->buffered;
    kept->buffered = 0;
    return size == 0 ? HSD_OK : hsd_temp_write(&kept->temp, kept->temp.size_bytes, kept->buffer, size, err);
}

hsd_status hsd_kept_objects_add(void *context, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                                hsd_error *err)
{
    hsd_kept_objects *kept = context;
    (void)profile;
    if (kept->buffered == HSD_KEPT_BUFFER) HSD_TRY(hsd_kept_objects_finish(kept, err));
    uint8_t *at = kept->buffer + kept->buffered;
    memcpy(at, &type, sizeof type);
    memcpy(at + 4, &id, sizeof id);
    memcpy(at + 12, &bytes, sizeof bytes);
    kept->buffered += HSD_KEPT_BYTES;
    kept->count++;
    return HSD_OK;
}

hsd_status hsd_kept_objects_get(hsd_kept_objects *kept, uint64_t i, hsd_kept_object *out, hsd_error *err)
{
    const uint64_t offset = i * HSD_KEPT_BYTES, in_buffer = offset % HSD_KEPT_BUFFER;
    if (in_buffer == 0) {
        const uint64_t left = kept->count * HSD_KEPT_BYTES - offset;
        const size_t size = left < HSD_KEPT_BUFFER ? (size_t)left : HSD_KEPT_BUFFER;
        HSD_TRY(hsd_temp_read(&kept->temp, offset, kept->buffer, size, err));
    }
    const uint8_t *at = kept->buffer + in_buffer;
    memcpy(&out->type, at, sizeof out->type);
    memcpy(&out->id, at + 4, sizeof out->id);
    memcpy(&out->bytes, at + 12, sizeof out->bytes);
    return HSD_OK;
}
