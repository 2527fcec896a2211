/*
 * zstd as a filter: a source whose bytes are those of another source, unpacked. Frames that follow one another are one
 * stream, as zstd itself reads them.
 */
#ifndef HSD_IMPORT_ZSTD_H
#define HSD_IMPORT_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

#include "io/source.h"

/* True if the bytes begin a zstd frame. */
bool hsd_zstd_probe(const void *prefix, size_t size);

/*
 * Opens `source` over `below`, which stays where it is until `source` is closed and is not closed with it. Going back
 * reads and unpacks from the start again, so it needs a `below` that rewinds; with can_rewind false the source pretends
 * that it cannot, and may be spooled instead. Takes what a frame looks back on, 8 MiB at most, and some 300 KiB.
 *
 * Reading gives all that could be unpacked and then HSD_E_TRUNCATED if the input ends inside a frame, HSD_E_CORRUPT if
 * a frame contradicts the format or its checksum, or if something else than a frame follows the last one, and
 * HSD_E_UNSUPPORTED for a frame that looks back further or needs a dictionary.
 */
hsd_status hsd_zstd_open(hsd_source *source, hsd_source *below, size_t window_bytes, bool can_rewind, hsd_error *err);

#endif
