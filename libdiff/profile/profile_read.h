/*
 * A baseline while it is read. Private to profile_read.c (types, roots, objects) and profile_read_places.c.
 */
#ifndef HSD_PROFILE_PROFILE_READ_H
#define HSD_PROFILE_PROFILE_READ_H

#include "format/tables.h"
#include "profile/profile_state.h"

typedef struct hsd_profile_reading {
    hsd_profile *profile;
    hsd_capture *capture;
    const hsd_capture_info *info;
    const hsd_profile_options *options;
    uint64_t memory_bytes;
    hsd_type_names types;
    hsd_type_table table;
    hsd_texts texts; /* names of roots, edges */
    bool wants_places;
} hsd_profile_reading;

/* Called for each record of one kind, in their order. */
typedef hsd_status (*hsd_profile_record_fn)(hsd_profile_reading *r, void *context, const hsd_record *record,
                                            hsd_error *err);
hsd_status hsd_profile_each_record(hsd_profile_reading *r, hsd_record_kind kind, hsd_profile_record_fn take,
                                   void *context, hsd_error *err);

/* HSD_E_CORRUPT, with the next command. */
hsd_status hsd_profile_contradiction(const hsd_profile_reading *r, hsd_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds; HSD_E_CORRUPT for what passes 64 bits. */
hsd_status hsd_profile_add(const hsd_profile_reading *r, hsd_amount *sum, uint64_t objects, uint64_t bytes,
                           hsd_error *err);

/* The number of a string's text in r->texts. */
uint32_t hsd_profile_text_number(const hsd_profile_reading *r, uint32_t string);

/* Bytes that reading so many places takes. */
uint64_t hsd_profile_reading_bytes(const hsd_profile_reading *r);

/* The names of places and of their roots, to be loaded. */
hsd_status hsd_profile_want_places(hsd_profile_reading *r, hsd_error *err);

/* Fills the places of the profile; *all: what they add up to. After texts and types are there. */
hsd_status hsd_profile_read_places(hsd_profile_reading *r, hsd_amount *all, hsd_error *err);

#endif
