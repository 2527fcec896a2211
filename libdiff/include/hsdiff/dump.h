/*
 * A capture as lines of text: everything that is in it, in the canonical form of FORMAT.md, Appendix A. The form does
 * not depend on how records are spread over blocks, so two captures of equal content give equal text.
 */
#ifndef HSDIFF_DUMP_H
#define HSDIFF_DUMP_H

#include <stddef.h>

#include <hsdiff/capture.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the next bytes of the text, of any number, whole lines or not; borrowed for the call. Anything but HSD_OK stops
 * the dump and is returned by it. */
typedef hsd_status (*hsd_dump_fn)(void *context, const char *bytes, size_t size, hsd_error *err);

/*
 * Writes the text of an open capture. Names and values of the captured program stand in it escaped: the text is ASCII
 * without control characters but LF. Of a capture that was opened with HSD_DAMAGE_SKIP, what is intact is written.
 *
 *   write  called with pieces of the text, in order, with `context`
 *
 * Returns HSD_OK; what `write` returned; HSD_E_NOMEM; or what reading returns (hsdiff/capture.h). Memory: that of one
 * reader and 64 KiB. Time: one pass over the capture for each kind of record.
 */
HSD_API hsd_status hsd_capture_dump(hsd_capture *capture, hsd_dump_fn write, void *context, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
