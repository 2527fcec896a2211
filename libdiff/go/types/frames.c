/*
 * Values on stacks: each frame with the variables that its function has where it stands. A variable that is split has
 * its words here and there; words that need the one behind them (of interfaces) are followed where the variable stands
 * in one piece.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "go/dwarf/go_locals.h"
#include "go/types/typing.h"

static int by_pc(const void *a, const void *b)
{
    const goframe *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static hsd_status follow_part(gotyping *t, const hsd_go_local *local, uint64_t address, hsd_error *err)
{
    const goplan *plan;
    uint64_t value;
    const uint32_t type = hsd_go_types_resolve(&t->types, local->type);
    if (type == 0) return HSD_OK;
    HSD_TRY(hsd_goplans_of(&t->plans, type, &plan, err));
    for (uint32_t i = 0; i < plan->count; i++) {
        const goword *word = &plan->words[i];
        if (word->offset != local->part || word->what == GO_EFACE || word->what == GO_IFACE) continue;
        HSD_TRY(hsd_gomemory_word(&t->memory, address, &value, err));
        if (value != 0) HSD_TRY(hsd_gotyping_follow(t, word, address, value, err));
    }
    return HSD_OK;
}

static hsd_status follow_frame(gotyping *t, const hsd_go_locals *locals, const goframe *frame, hsd_error *err)
{
    const uint64_t pc = frame->pc - t->bias;
    for (uint32_t i = hsd_go_locals_find(locals, pc); i < locals->count && locals->at[i].pc == pc; i++) {
        const hsd_go_local *local = &locals->at[i];
        const uint64_t address = frame->end + (uint64_t)local->offset;
        HSD_TRY(local->is_whole ? hsd_gotyping_value(t, address, local->type, err)
                                : follow_part(t, local, address, err));
    }
    return HSD_OK;
}

hsd_status hsd_gotyping_frames(gotyping *t, const hsd_elf *program, goframes *frames, uint64_t most_bytes,
                               hsd_error *err)
{
    hsd_go_locals locals = {0};
    size_t count = 0;
    t->is_guessing = true;
    if (frames->count == 0) return HSD_OK;
    uint64_t *pcs = malloc(frames->count * sizeof *pcs);
    if (pcs == NULL) return hsd_fail_nomem(err, "frames");
    qsort(frames->at, frames->count, sizeof *frames->at, by_pc);
    for (uint32_t i = 0; i < frames->count; i++)
        if (frames->at[i].pc >= t->bias && (count == 0 || pcs[count - 1] != frames->at[i].pc - t->bias))
            pcs[count++] = frames->at[i].pc - t->bias;
    hsd_status status = hsd_go_locals_read(&locals, &t->types, program, pcs, count, most_bytes, err);
    free(pcs);
    for (uint32_t i = 0; status == HSD_OK && i < frames->count; i++)
        status = follow_frame(t, &locals, &frames->at[i], err);
    hsd_go_locals_release(&locals);
    return status == HSD_OK ? hsd_gotyping_settle(t, err) : status;
}
