/*
 * What captures of a fleet are labelled with: four names that are columns, and all others as one JSON object.
 */
#ifndef HSD_FLEET_LABELS_H
#define HSD_FLEET_LABELS_H

#include "base/buffer.h"
#include <hsdiff/fleet.h>

typedef struct hsd_fleet_labels {
    hsd_text service, version, host, pod; /* borrowed from the labels; "" = none */
    hsd_buffer others;                    /* {"name":"value",…}, by name; owned */
} hsd_fleet_labels;

/* HSD_E_UNSUPPORTED: none is called service, one stands there twice, is too long or has no name; there are too many.
 * Release it also when this failed. */
hsd_status hsd_fleet_labels_read(hsd_fleet_labels *out, const hsd_fleet_label *labels, size_t count, hsd_error *err);

void hsd_fleet_labels_release(hsd_fleet_labels *labels);

#endif
