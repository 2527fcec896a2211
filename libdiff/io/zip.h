/*
 * Deflate, both ways, in the two wrappings that heap dumps use: a gzip member (.gz), a zlib stream (packets of a
 * trace). The one place that knows zlib; a build without it says so and can do the rest.
 *
 *      unzip   bytes ──step──► bytes, HSD_END behind the stream; then reset for the next one
 *      zip     bytes ──write──► sink, finish at the end
 *
 * What is packed depends on the bytes alone: no time, no name, no system stands in the header.
 */
#ifndef HSD_IO_ZIP_H
#define HSD_IO_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/status.h>

typedef enum hsd_zip_form { HSD_ZIP_GZIP = 0, HSD_ZIP_ZLIB = 1 } hsd_zip_form;

/* False in a build without zlib: everything below that can fail is HSD_E_UNSUPPORTED then. */
bool hsd_zip_is_known(void);

/* ---- unpacking ---- */

typedef struct hsd_unzip hsd_unzip;

/* HSD_E_NOMEM; some 40 KiB. */
hsd_status hsd_unzip_new(hsd_unzip **out, hsd_zip_form form, hsd_error *err);

/* A new stream begins; what was pending of the last one is forgotten. */
hsd_status hsd_unzip_reset(hsd_unzip *unzip, hsd_error *err);

/*
 * Unpacks up to *out_size bytes from up to *in_size ones; both come back as what was used. HSD_END when the stream
 * ended behind what was used; it may go on without a byte out where a header passed. HSD_E_CORRUPT when the bytes
 * contradict the format or a checksum, or ask for a dictionary; HSD_E_NOMEM. Nothing in and nothing out with HSD_OK
 * means that it needs more of one of them.
 */
hsd_status hsd_unzip_step(hsd_unzip *unzip, const void *in, size_t *in_size, void *out, size_t *out_size,
                          hsd_error *err);
void hsd_unzip_free(hsd_unzip *unzip);

/* ---- packing ---- */

typedef struct hsd_zip hsd_zip;
typedef hsd_status (*hsd_zip_sink)(void *context, const void *data, size_t size, hsd_error *err);

/* HSD_E_NOMEM; some 300 KiB. `sink` gets blocks of up to 32 KiB. */
hsd_status hsd_zip_new(hsd_zip **out, hsd_zip_form form, hsd_zip_sink sink, void *context, hsd_error *err);
hsd_status hsd_zip_write(hsd_zip *zip, const void *data, size_t size, hsd_error *err);

/* The end of the stream; nothing may be written behind it. */
hsd_status hsd_zip_finish(hsd_zip *zip, hsd_error *err);
void hsd_zip_free(hsd_zip *zip);

#endif
