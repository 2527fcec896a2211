/*
 * One line of a text dump after another, each whole in the window of its source: what has no end within it is damage.
 */
#ifndef HSD_IMPORT_LINES_H
#define HSD_IMPORT_LINES_H

#include <stdbool.h>

#include "base/buffer.h"
#include "io/source.h"

typedef struct hsd_import_line {
    hsd_bytes text;  /* without its end; borrowed from the window until something is read */
    uint64_t offset; /* of its first byte */
    bool is_whole;   /* it has an end: LF, or CR LF */
} hsd_import_line;

/* Takes the next line. HSD_END when there is none; HSD_E_CORRUPT for one that has no end within the window: "a line of
 * <what> has no end"; and as hsd_source_peek fails. */
hsd_status hsd_import_next_line(hsd_source *source, hsd_import_line *line, const char *what, hsd_error *err);

#endif
