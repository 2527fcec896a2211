/*
 * gzip as a filter: a source whose bytes are those of another source, unpacked. Members that follow
 * one another (HotSpot writes one for each MiB) are one stream, as gzip itself reads them.
 */
#ifndef HSD_IMPORT_GZIP_H
#define HSD_IMPORT_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "io/source.h"

/* True if the bytes begin a gzip member. */
bool hsd_gzip_probe(const void *prefix, size_t size);

/*
 * Opens `source` over `below`, which stays where it is until `source` is closed and is not closed
 * with it. Going back reads and unpacks from the start again, so it needs a `below` that rewinds;
 * with can_rewind false the source pretends that it cannot, and may be spooled instead.
 *
 * Reading gives all that could be unpacked and then HSD_E_TRUNCATED if the input ends inside a
 * member, HSD_E_CORRUPT if a member contradicts the format or its checksum, or if something else
 * than zeros follows the last one. HSD_E_UNSUPPORTED in a build without zlib.
 */
hsd_status hsd_gzip_open(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind, hsd_error *err);

#endif
