/*
 * Values on stacks: each frame with the variables that its function has where it stands. A variable that is split has
 * its words here and there; words that need the one behind them (of interfaces) are followed where the variable stands
 * in one piece.
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/fail.h"
#include "go/dwarf/go_locals.h"
#include "go/types/typing.h"

static int by_pc(const void *a, const void *b)
{
    const goframe *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* ---- what lies on the stack itself ---- */

enum { MOST_INSIDE = 32 };

/* The variable under way, and what it leads to on the stack: a map that does not leave its function is there, and so is
 * what a function value has, `handle := app.handle`, and what stands in an interface. */
typedef struct reading {
    gotyping *t;
    const goframe *frame;
    const char *name; /* "" = its roots are not named */
    struct {
        uint64_t address;
        uint32_t type;
    } inside[MOST_INSIDE];
    unsigned count;
} reading;

static hsd_status add_part(reading *r, uint64_t address, uint64_t bytes, hsd_error *err)
{
    const golocal local = {.address = address, .bytes = hsd_max_u64(bytes, 8), .pc = r->frame->pc};
    return r->name[0] == '\0' ? HSD_OK : hsd_golocals_add(&r->t->locals, &local, r->name, err);
}

static bool is_in_frame(const goframe *frame, uint64_t address)
{
    return address >= frame->low && address < frame->end;
}

static bool is_inside_already(const reading *r, uint64_t address, uint32_t type)
{
    for (unsigned i = 0; i < r->count; i++)
        if (r->inside[i].address == address && r->inside[i].type == type) return true;
    return false;
}

static hsd_status add_inside(reading *r, const goword *word, uint64_t address, uint64_t value, hsd_error *err)
{
    goaim aim;
    if (value == 0 || r->count == MOST_INSIDE) return HSD_OK;
    if (word->what == GO_POINTER && !is_in_frame(r->frame, value)) return HSD_OK;
    HSD_TRY(hsd_gotyping_aim(r->t, word, address, value, &aim, err));
    const uint32_t type = aim.type >= GOTYPE_TEXT ? 0 : hsd_go_types_resolve(&r->t->types, aim.type);
    if (type == 0 || !is_in_frame(r->frame, aim.pointer) || is_inside_already(r, aim.pointer, type)) return HSD_OK;
    r->inside[r->count].address = aim.pointer;
    r->inside[r->count++].type = type;
    HSD_TRY(add_part(r, aim.pointer, hsd_go_types_size(&r->t->types, type), err));
    return hsd_gotyping_value(r->t, aim.pointer, type, err);
}

static hsd_status look_inside(reading *r, uint64_t address, uint32_t type, hsd_error *err)
{
    const goplan *plan;
    uint64_t value;
    HSD_TRY(hsd_goplans_of(&r->t->plans, type, &plan, err));
    for (uint32_t i = 0; i < plan->count; i++) {
        const uint64_t at = address + plan->words[i].offset;
        HSD_TRY(hsd_gomemory_word(&r->t->memory, at, &value, err));
        HSD_TRY(add_inside(r, &plan->words[i], at, value, err));
    }
    return HSD_OK;
}

/* Words that need the one behind them are followed where the variable stands in one piece. */
static hsd_status follow_part(reading *r, const hsd_go_local *local, uint32_t type, uint64_t address, hsd_error *err)
{
    const goplan *plan;
    uint64_t value;
    HSD_TRY(hsd_goplans_of(&r->t->plans, type, &plan, err));
    for (uint32_t i = 0; i < plan->count; i++) {
        const goword *word = &plan->words[i];
        if (word->offset != local->part || word->what == GO_EFACE || word->what == GO_IFACE) continue;
        HSD_TRY(hsd_gomemory_word(&r->t->memory, address, &value, err));
        if (value == 0) continue;
        HSD_TRY(hsd_gotyping_follow(r->t, word, address, value, err));
        HSD_TRY(add_inside(r, word, address, value, err));
    }
    return HSD_OK;
}

/* "&names" is a pointer that the compiler made, for a variable that it put on the heap: the program calls that names.
 */
static const char *name_of_local(const hsd_go_locals *locals, const hsd_go_local *local)
{
    const char *name = hsd_go_locals_name(locals, local);
    return name[0] == '&' ? name + 1 : name;
}

static hsd_status read_local(gotyping *t, const hsd_go_locals *locals, const goframe *frame, const hsd_go_local *local,
                             hsd_error *err)
{
    const uint64_t address = frame->end + (uint64_t)local->offset;
    const uint32_t type = hsd_go_types_resolve(&t->types, local->type);
    const bool is_named = frame->is_main && hsd_gotask_is_own(t, frame->pc);
    reading r = {.t = t, .frame = frame, .name = is_named ? name_of_local(locals, local) : ""};
    if (type == 0) return HSD_OK;
    HSD_TRY(add_part(&r, address, local->is_whole ? hsd_go_types_size(&t->types, type) : 8, err));
    if (local->is_whole) {
        HSD_TRY(hsd_gotyping_value(t, address, type, err));
        HSD_TRY(look_inside(&r, address, type, err));
    } else {
        HSD_TRY(follow_part(&r, local, type, address, err));
    }
    for (unsigned i = 0; i < r.count; i++)
        HSD_TRY(look_inside(&r, r.inside[i].address, r.inside[i].type, err));
    return HSD_OK;
}

/* ---- all ---- */

static hsd_status read_frame(gotyping *t, const hsd_go_locals *locals, const goframe *frame, hsd_error *err)
{
    const uint64_t pc = frame->pc - t->bias;
    for (uint32_t i = hsd_go_locals_find(locals, pc); i < locals->count && locals->at[i].pc == pc; i++)
        HSD_TRY(read_local(t, locals, frame, &locals->at[i], err));
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
        status = read_frame(t, &locals, &frames->at[i], err);
    hsd_go_locals_release(&locals);
    hsd_golocals_sort(&t->locals);
    return status == HSD_OK ? hsd_gotyping_settle(t, err) : status;
}
