/*
 * Where a store is, and the address of one that is no folder:
 *
 *      postgresql://user:password@host:port/database?option=value     as libpq reads it
 *      s3://bucket/prefix
 *
 * A password never gets into a message, nor into the command line of a program, which every user of a machine may read.
 */
#ifndef HSD_FLEET_STORE_H
#define HSD_FLEET_STORE_H

#include <hsdiff/fleet.h>

#define HSD_STORE_NAME_CHARS 300u

typedef struct hsd_fleet_address {
    char *url;      /* without the password; of a bucket with a slash at its end; owned */
    char *password; /* NULL = none was given; owned */
} hsd_fleet_address;

/* Takes a database or a bucket apart. HSD_E_UNSUPPORTED with a hint for what cannot be one, HSD_E_NOMEM. Release it
 * also when this failed. */
hsd_status hsd_fleet_address_read(hsd_fleet_address *out, const char *store, hsd_error *err);

/* Accepts a zeroed one. */
void hsd_fleet_address_release(hsd_fleet_address *address);

#endif
