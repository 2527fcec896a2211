/*
 * What a script that was read is asked. See script.h.
 */
#include <stdlib.h>

#include "import/sourcemap/script.h"

bool hsd_script_is_misfit(const void *script, uint32_t line, uint32_t column)
{
    const hsd_script *s = script;
    if (line >= s->line_count) return true;
    const uint32_t end = line + 1 < s->line_count ? s->lines[line + 1] : s->units + 1;
    if (column >= end - s->lines[line]) return true;
    const uint32_t unit = s->lines[line] + column;
    return (s->inside[unit >> 6] >> (unit & 63) & 1) != 0;
}

const hsd_script_declaration *hsd_script_find(const hsd_script *s, uint32_t block, uint32_t name)
{
    const hsd_script_declaration *found = NULL;
    for (uint32_t at = s->blocks[block].declared; at != HSD_SCRIPT_NONE; at = s->declarations[at].next) {
        if (s->declarations[at].name != name) continue;
        if (found != NULL) return NULL;
        found = &s->declarations[at];
    }
    return found;
}

void hsd_script_release(hsd_script *s)
{
    free(s->blocks);
    free(s->declarations);
    free(s->lines);
    free(s->inside);
    s->blocks = NULL;
    s->declarations = NULL;
    s->lines = NULL;
    s->inside = NULL;
}
