/*
 * Puts a profile into a capture file's bytes: the writing half of hsd_baseline_write.
 */
#ifndef HSD_EXPORT_BASELINE_WRITE_H
#define HSD_EXPORT_BASELINE_WRITE_H

#include <hscapture/hscapture.h>
#include <hsdiff/profile.h>

#include "base/note.h"
#include "export/baseline_names.h"
#include "export/baseline_objects.h"

typedef struct hsd_baseline_source { /* all borrowed */
    hsd_capture *capture;
    const hsd_profile *profile;
    const hsd_baseline_names *names;
    hsd_kept_objects *objects; /* NULL: sums alone */
    hsd_reporter *reporter;
} hsd_baseline_source;

/* Takes the bytes of the file, in order. Anything but HSD_OK ends the writing and is returned. */
typedef hsd_status (*hsd_baseline_sink)(void *context, const void *bytes, size_t size, hsd_error *err);

/* Writes all of it. The same source and id give the same bytes. Fails as the sink does; HSD_E_CANCELLED, HSD_E_NOMEM,
 * HSD_E_IO. */
hsd_status hsd_baseline_put(const hsd_baseline_source *source, const uint8_t capture_id[16], hsd_baseline_sink sink,
                            void *context, hsd_error *err);

#endif
