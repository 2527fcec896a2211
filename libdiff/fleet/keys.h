/*
 * The key of a row: XXH3-64 of what it is and of its path, the same on every machine (doc/fleet.md has the bytes).
 */
#ifndef HSD_FLEET_KEYS_H
#define HSD_FLEET_KEYS_H

#include "base/buffer.h"

typedef enum hsd_fleet_kind { HSD_FLEET_TYPE = 1, HSD_FLEET_ROOT = 2, HSD_FLEET_PLACE = 3 } hsd_fleet_kind;

/* "type", "root", "place", and back; what is none of these is a place */
const char *hsd_fleet_kind_name(hsd_fleet_kind kind);
hsd_fleet_kind hsd_fleet_kind_of(const char *name);

typedef enum hsd_fleet_step {
    HSD_STEP_OBJECT = 0, /* a type; a place that is no root and no insides */
    HSD_STEP_ROOT = 1,
    HSD_STEP_FOLD = 2, /* the insides of a container */
    HSD_STEP_OTHER = 3 /* what is too little for rows of its own */
} hsd_fleet_step;

typedef struct hsd_fleet_path {
    hsd_fleet_kind kind;
    hsd_fleet_step step;
    uint64_t parent; /* key of the place above; 0 = there is none */
    hsd_bytes edge, name;
} hsd_fleet_path;

/* *key is never 0. `scratch` is used and may be kept for the next call. HSD_E_NOMEM. */
hsd_status hsd_fleet_key(uint64_t *key, const hsd_fleet_path *path, hsd_buffer *scratch, hsd_error *err);

#endif
