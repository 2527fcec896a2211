/*
 * The live objects of a capture on their way into a baseline: hsd_profile_make tells of them while it works, and the
 * file can be written only when it is done. They wait in a temporary file, 20 bytes each.
 */
#ifndef HSD_EXPORT_BASELINE_OBJECTS_H
#define HSD_EXPORT_BASELINE_OBJECTS_H

#include <hsdiff/profile.h>

#include "io/temp.h"

#define HSD_KEPT_BYTES  20u /* type, id, bytes */
#define HSD_KEPT_BUFFER (HSD_KEPT_BYTES * 4096u)

typedef struct hsd_kept_objects {
    hsd_temp temp;
    uint64_t count;  /* all of them */
    size_t buffered; /* bytes not in the file yet */
    uint8_t *buffer; /* HSD_KEPT_BUFFER */
} hsd_kept_objects;

hsd_status hsd_kept_objects_init(hsd_kept_objects *kept, hsd_temp_space *space, hsd_error *err);
void hsd_kept_objects_release(hsd_kept_objects *kept); /* a zeroed one is accepted */

/* A hsd_profile_fn; context: hsd_kept_objects. */
hsd_status hsd_kept_objects_add(void *kept, const hsd_profile *profile, uint32_t type, uint64_t id, uint64_t bytes,
                                hsd_error *err);

/* After the last one. */
hsd_status hsd_kept_objects_finish(hsd_kept_objects *kept, hsd_error *err);

typedef struct hsd_kept_object {
    uint32_t type; /* row of the profile */
    uint64_t id, bytes;
} hsd_kept_object;

/* Object `i` < count, in the order in which they came; fast where i ascends, at each multiple of 4,096 one read. */
hsd_status hsd_kept_objects_get(hsd_kept_objects *kept, uint64_t i, hsd_kept_object *out, hsd_error *err);

#endif
