/*
 * Giving a job away and waiting for it; and hsc_use_helper, which makes the second half of the memory.
 */
#include "handoff.h"

#include "layout.h"
#include "writer.h"

static void run_job(void *argument)
{
    hsc_handoff *h = argument;
    h->status = hsc_staged_write(&h->job, h->blocks, h->raw);
}

void hsc_handoff_start(hsc_handoff *handoff, const hsc_staged *staged)
{
    handoff->job = *staged;
    handoff->memory = staged->stage.memory;
    handoff->is_running = true;
    if (handoff->helper.start(handoff->helper.context, run_job, handoff)) return;
    run_job(handoff);
    handoff->is_running = false;
}

hsc_status hsc_handoff_wait(hsc_handoff *handoff)
{
    if (handoff->is_running) handoff->helper.wait(handoff->helper.context);
    handoff->is_running = false;
    return handoff->status;
}

hsc_status hsc_settle(hsc_writer *w)
{
    if (w->handoff == NULL) return HSC_OK;
    return hsc_block_told(w, hsc_handoff_wait(w->handoff));
}

hsc_status hsc_use_helper(hsc_writer *w, const hsc_helper *helper)
{
    const hsc_status status = hsc_check_open(w);
    if (status != HSC_OK) return status;
    if (helper == NULL || helper->start == NULL || helper->wait == NULL || w->handoff != NULL || w->objects.ordinal > 0)
        return hsc_fail(w, HSC_E_MISUSE, "hsc_use_helper twice, behind an object, or without its functions");
    const size_t area = w->objects.memory_bytes + 16 + HSC_BLOCK_HEADER_BYTES;
    hsc_handoff *handoff = hsc_take_unset(w->allocator, sizeof *handoff + 16 + area + w->blocks.raw_bytes);
    if (handoff == NULL) return hsc_fail(w, HSC_E_NOMEM, "no memory for a second block of objects");
    unsigned char *memory = (unsigned char *)handoff + ((sizeof *handoff + 15) & ~(size_t)15);
    *handoff = (hsc_handoff){.helper = *helper,
                             .blocks = &w->blocks,
                             .memory = memory,
                             .raw = memory + area - 8 /* like that of the writer */};
    w->handoff = handoff;
    return HSC_OK;
}
