/*
 * Lines of text dumps. See lines.h.
 */
#include "import/lines.h"

#include <string.h>

hsd_status hsd_import_next_line(hsd_source *source, hsd_import_line *line, const char *what, hsd_error *err)
{
    const uint8_t *newline = NULL;
    size_t seen = 0, ahead = hsd_source_ahead(source);
    line->offset = hsd_source_offset(source);
    while (newline == NULL) {
        if (ahead > seen) newline = memchr(source->at + seen, '\n', ahead - seen);
        if (newline != NULL) break;
        seen = ahead;
        if (ahead == source->window_bytes && !source->is_borrowed)
            return hsd_fail_at(err, HSD_E_CORRUPT, line->offset, "a line of %s has no end", what);
        const hsd_status status = hsd_source_peek(source, ahead + 1, err);
        if (status < 0) return status;
        ahead = hsd_source_ahead(source);
        if (status == HSD_END) break;
    }
    line->is_whole = newline != NULL;
    line->text = (hsd_bytes){source->at, newline != NULL ? (size_t)(newline - source->at) : ahead};
    if (line->text.size == 0 && newline == NULL) return HSD_END;
    hsd_source_take(source, line->text.size + line->is_whole);
    if (line->text.size > 0 && line->text.data[line->text.size - 1] == '\r') line->text.size--;
    return HSD_OK;
}
