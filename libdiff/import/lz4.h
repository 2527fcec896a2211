/*
 * LZ4 frames as a filter: a source whose bytes are those of another source, unpacked. Frames that follow one another
 * are one stream, as lz4 itself reads them. The decoder is hsdiff's own: no build lacks it.
 */
#ifndef HSD_IMPORT_LZ4_H
#define HSD_IMPORT_LZ4_H

#include <stdbool.h>
#include <stddef.h>

#include "io/source.h"

/* True if the bytes begin an LZ4 frame. */
bool hsd_lz4_probe(const void *prefix, size_t size);

/*
 * Opens `source` over `below`, which stays where it is until `source` is closed and is not closed with it. Going back
 * reads and unpacks from the start again, so it needs a `below` that rewinds; with can_rewind false the source pretends
 * that it cannot, and may be spooled instead. Takes twice the largest block of a frame, 8 MiB at most.
 *
 * Reading gives all that could be unpacked and then HSD_E_TRUNCATED if the input ends inside a frame, HSD_E_CORRUPT if
 * a frame contradicts the format or a checksum, or if something else than a frame follows the last one, and
 * HSD_E_UNSUPPORTED for a frame that needs a dictionary.
 */
hsd_status hsd_lz4_open(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind, hsd_error *err);

#endif
