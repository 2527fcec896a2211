/*
 * One line of a heap profile after another.
 */
#include "import/lines.h"
#include "import/heapprofile/heapprofile.h"

hsd_status hsd_hp_next_line(hp *p, hsd_error *err)
{
    hsd_import_line line;
    const hsd_status status = hsd_import_next_line(p->source, &line, "this heap profile", err);
    if (status != HSD_OK) return status;
    p->line = (const char *)line.text.data;
    p->line_end = p->line + line.text.size;
    p->is_whole_line = line.is_whole;
    return HSD_OK;
}
