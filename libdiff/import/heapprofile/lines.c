/*
 * One line of a heap profile after another, each whole in the source's window: what has no end within it is damage.
 */
#include <string.h>

#include "import/heapprofile/heapprofile.h"

hsd_status hsd_hp_next_line(hp *p, hsd_error *err)
{
    hsd_source *source = p->source;
    const uint8_t *newline = NULL;
    size_t seen = 0, ahead = hsd_source_ahead(source);
    while (newline == NULL) {
        if (ahead > seen) newline = memchr(source->at + seen, '\n', ahead - seen);
        if (newline != NULL) break;
        seen = ahead;
        if (ahead == source->window_bytes && !source->is_borrowed)
            return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(source), "a line of this heap profile has no end");
        const hsd_status status = hsd_source_peek(source, ahead + 1, err);
        if (status < 0) return status;
        ahead = hsd_source_ahead(source);
        if (status == HSD_END) break;
    }
    const size_t size = newline != NULL ? (size_t)(newline - source->at) : ahead;
    if (size == 0 && newline == NULL) return HSD_END;
    p->line = (const char *)source->at;
    p->line_end = p->line + size;
    p->is_whole_line = newline != NULL;
    if (p->line_end > p->line && p->line_end[-1] == '\r') p->line_end--;
    hsd_source_take(source, size + (newline != NULL));
    return HSD_OK;
}
