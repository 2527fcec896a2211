/*
 * Goroutines: runtime.allgs, each with its stack. A stack is looked at word by word from where it stands to its end;
 * what looks like a pointer to an object is one, and keeps alive what nothing else does: it takes nothing away from
 * globals. Whose frame a word is in is told by the chain of frame pointers that Go keeps on amd64:
 *
 *      sp ──► words of the innermost frame ──► bp: caller's bp, return address ──► words of the caller's frame …
 */
#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "go/core/gocore.h"

enum {
    IDLE = 0,
    RUNNING = 2,
    DEAD = 6,
    SCAN = 0x1000,
    MOST_STACK = 1 << 30,
    PIECE_WORDS = 512,
    MOST_FRAMES = 4096,
    MOST_WAITING = 1024
};

typedef struct walk {
    gocore *go;
    uint64_t sp, high, pc, bp;
    uint32_t thread, depth;
    uint32_t last_function; /* name of that of the frame before; 0 = not known */
    bool is_written;        /* else its frames are only noted */
    bool has_start;         /* what it was started with is known, and names its roots */
    bool is_main;           /* its variables name them */
    hsc_root_record root;
} walk;

/* ---- frames ---- */

static bool has_chain(const walk *w)
{
    return w->bp >= w->sp && w->bp % 8 == 0 && w->bp < w->high && w->high - w->bp > 16;
}

/* What a wrapper calls is the frame below it. */
static void note_called(walk *w)
{
    hsd_go_types *types = &w->go->typing.types;
    const hsd_go_function *found = hsd_go_types_code_at(types, w->pc - w->go->typing.bias - (w->depth == 0 ? 0 : 1));
    const uint32_t last = w->last_function;
    w->last_function = found == NULL ? 0 : found->name;
    if (found == NULL || last == 0 || found->calls != 0 || !hsd_go_types_is_wrapper(types, found)) return;
    if (strncmp(hsd_go_types_text(types, last), "runtime.", 8) != 0)
        types->functions[found - types->functions].calls = last;
}

/* For types: where it ends is told by the chain alone. Behind a call the instruction is the one before. */
static hsd_status note_frame(walk *w, hsd_error *err)
{
    goframes *frames = &w->go->frames;
    note_called(w);
    if (!has_chain(w) || w->pc == 0 || frames->count * sizeof *frames->at >= w->go->import->memory_bytes / 16)
        return HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&frames->at, &frames->room, frames->count, sizeof *frames->at, err));
    frames->at[frames->count++] =
        (goframe){.pc = w->depth == 0 ? w->pc : w->pc - 1, .end = w->bp + 16, .low = w->sp, .is_main = w->is_main};
    return HSD_OK;
}

static hsd_status enter_frame(walk *w, hsd_error *err)
{
    gocore *go = w->go;
    if (!w->is_written) return note_frame(w, err);
    uint32_t name = 0;
    const char *function = hsd_go_types_function_at(&go->typing.types, w->pc - go->typing.bias);
    if (function != NULL) HSD_TRY(hsd_gowriter_format(&go->out, &name, err, "%s", function));
    if (function != NULL && !w->has_start)
        HSD_TRY(hsd_gowriter_format(&go->out, &w->root.label, err, "goroutines in %s", function));
    w->root.frame = name == 0 ? 0 : w->depth + 1;
    if (name != 0) HSD_WRITE(go->import, hsc_frame(go->import->writer, w->thread, w->depth, name, 0, 0), err);
    return HSD_OK;
}

/* Up the chain, until the frame that holds `address`. It must lead upwards within the stack, or it is none. */
static hsd_status climb(walk *w, uint64_t address, hsd_error *err)
{
    while (has_chain(w) && address >= w->bp + 16 && w->depth < MOST_FRAMES) {
        const uint64_t below = w->bp;
        HSD_TRY(hsd_gomemory_word(&w->go->typing.memory, below + 8, &w->pc, err));
        HSD_TRY(hsd_gomemory_word(&w->go->typing.memory, below, &w->bp, err));
        if (w->bp <= below) w->bp = 0;
        w->depth++;
        HSD_TRY(enter_frame(w, err));
    }
    return HSD_OK;
}

static hsd_status look_at(walk *w, uint64_t address, uint64_t value, hsd_error *err)
{
    if (!hsd_gocore_target(w->go, value, &w->root.target)) return HSD_OK;
    if (w->go->canon.count > 0 && hsd_id_table_find(&w->go->canon, w->root.target) != 0) return HSD_OK;
    HSD_TRY(climb(w, address, err));
    hsc_root_record root = w->root;
    if (w->is_main) HSD_TRY(hsd_gowriter_local(&w->go->out, address, &root.label, err));
    if (w->is_main && root.label == w->root.label && hsd_id_table_find(&w->go->led, root.target) != 0) return HSD_OK;
    HSD_WRITE(w->go->import, hsc_root(w->go->import->writer, &root), err);
    return HSD_OK;
}

static hsd_status walk_stack(walk *w, hsd_error *err)
{
    uint64_t words[PIECE_WORDS];
    HSD_TRY(enter_frame(w, err));
    for (uint64_t at = w->sp; w->is_written && at < w->high; at += sizeof words) {
        const size_t size = (size_t)hsd_min_u64(sizeof words, w->high - at);
        const hsd_status status = hsd_gomemory_read(&w->go->typing.memory, at, words, size, err);
        if (status == HSD_END) break;
        if (status != HSD_OK) return status;
        for (size_t i = 0; i < size / 8; i++)
            HSD_TRY(look_at(w, at + 8 * i, words[i], err));
    }
    return climb(w, w->high, err); /* frames that hold nothing are frames */
}

/* ---- goroutines ---- */

/* Where it stood: by its own account, or by the registers of the thread that ran it. */
static hsd_status find_top(walk *w, uint64_t g, uint64_t low, bool is_running, hsd_error *err)
{
    gocore *go = w->go;
    uint64_t in_call = 0;
    HSD_TRY(hsd_gocore_field(go, g, G_SYSCALL_SP, &in_call, err));
    if (in_call != 0)
        HSD_TRY(hsd_gocore_field(go, g, G_SYSCALL_PC, &w->pc, err));
    else
        HSD_TRY(hsd_gocore_field(go, g, G_PC, &w->pc, err));
    HSD_TRY(hsd_gocore_field(go, g, G_BP, &w->bp, err));
    w->sp = in_call;
    if (in_call == 0) HSD_TRY(hsd_gocore_field(go, g, G_SP, &w->sp, err));
    for (uint32_t i = 0; is_running && i < go->thread_count; i++) {
        const gocore_thread *thread = &go->threads[i];
        if (thread->sp < low || thread->sp >= w->high) continue;
        w->sp = thread->sp;
        w->pc = thread->pc;
        w->bp = thread->bp;
        return HSD_OK;
    }
    if (is_running && in_call == 0) w->sp = low; /* its registers are nowhere: all of the stack */
    if (go->core.machine != GOCORE_X86_64 || in_call != 0) w->bp = in_call == 0 ? 0 : w->bp;
    return HSD_OK;
}

/* For what refers to it: it has a root of its own. */
static hsd_status note_goroutine(gocore *go, uint64_t g, hsd_error *err)
{
    uint64_t target;
    uint32_t number;
    return hsd_gocore_target(go, g, &target) ? hsd_id_table_put(&go->goroutines, target, &number, err) : HSD_OK;
}

/* In the outermost frame of the program's own code, where a library runs it. */
static hsd_status find_own(const walk *w, uint64_t *own_at, hsd_error *err)
{
    const gotyping *typing = &w->go->typing;
    walk at = *w;
    *own_at = 0;
    for (uint32_t depth = 0; at.pc != 0 && depth < MOST_FRAMES; depth++) {
        const uint64_t pc = depth == 0 ? at.pc : at.pc - 1, below = at.bp;
        if (hsd_gotask_is_own(typing, pc)) *own_at = pc;
        if (!has_chain(&at)) break;
        HSD_TRY(hsd_gomemory_word(&w->go->typing.memory, below + 8, &at.pc, err));
        HSD_TRY(hsd_gomemory_word(&w->go->typing.memory, below, &at.bp, err));
        if (at.bp <= below) at.bp = 0;
    }
    return HSD_OK;
}

/* By what its roots are called; the goroutine itself hangs from there. */
static hsd_status begin_written(walk *w, uint64_t g, hsd_error *err)
{
    gocore *go = w->go;
    char text[1024];
    uint64_t id, start, created_at;
    uint32_t name;
    bool is_runtime;
    HSD_TRY(hsd_gocore_field(go, g, G_ID, &id, err));
    HSD_TRY(hsd_gocore_field(go, g, G_START, &start, err));
    HSD_TRY(hsd_gocore_field(go, g, G_CREATED, &created_at, err));
    HSD_TRY(hsd_gowriter_format(&go->out, &name, err, "goroutine %" PRIu64, id));
    w->thread = ++go->thread_number;
    HSD_WRITE(go->import, hsc_define_thread(go->import->writer, w->thread, name), err);
    const hsd_go_types *types = &go->typing.types;
    const hsd_go_function *code = hsd_go_types_code_at(types, start - go->typing.bias);
    const char *function = code == NULL ? NULL : hsd_go_types_text(types, code->name);
    gostart known = {.created_at = created_at, .function = function == NULL ? "" : function, .wrapper = ""};
    if (code != NULL && hsd_go_types_is_wrapper(types, code)) {
        known.wrapper = known.function;
        known.wrapper_at = start;
    }
    if (!hsd_gotask_is_own(&go->typing, start)) HSD_TRY(find_own(w, &known.own_at, err));
    const size_t size = hsd_gotask_goroutine(&go->typing, &known, &is_runtime, text, sizeof text);
    w->root = (hsc_root_record){.kind = HSC_ROOT_STACK, .thread = w->thread, .flags = HSC_ROOT_SECONDARY};
    w->has_start = function != NULL;
    if (w->has_start)
        HSD_TRY(hsd_gowriter_string(&go->out, (hsd_bytes){(const uint8_t *)text, size}, &w->root.label, err));
    else
        HSD_TRY(hsd_gowriter_format(&go->out, &w->root.label, err, "goroutine stacks"));
    if (hsd_gocore_target(go, g, &w->root.target)) HSD_WRITE(go->import, hsc_root(go->import->writer, &w->root), err);
    return HSD_OK;
}

static hsd_status walk_goroutine(gocore *go, uint64_t g, bool is_written, hsd_error *err)
{
    walk w = {.go = go, .is_written = is_written};
    uint64_t status, low, id;
    HSD_TRY(hsd_gocore_field(go, g, G_STATUS, &status, err));
    HSD_TRY(hsd_gocore_field(go, g, G_ID, &id, err));
    w.is_main = id == GOROUTINE_MAIN;
    status &= ~(uint64_t)SCAN;
    if (status == IDLE || status == DEAD) return HSD_OK;
    HSD_TRY(hsd_gocore_field(go, g, G_STACK_LOW, &low, err));
    HSD_TRY(hsd_gocore_field(go, g, G_STACK_HIGH, &w.high, err));
    if (low == 0 || low >= w.high || w.high - low > MOST_STACK || go->thread_number == INT32_MAX) return HSD_OK;
    HSD_TRY(find_top(&w, g, low, status == RUNNING, err));
    if (w.sp < low || w.sp > w.high || w.sp % 8 != 0) w.sp = low;
    if (is_written)
        HSD_TRY(begin_written(&w, g, err));
    else
        HSD_TRY(note_goroutine(go, g, err));
    return walk_stack(&w, err);
}

/* A goroutine that waits for a channel has what it sends, or room for what it gets, where the runtime knows: the
 * compiler tells of no variable there. Where that is a pointer, the channel knows its type. */
static hsd_status offer_waiting(gocore *go, uint64_t g, hsd_error *err)
{
    uint64_t waiting, place, channel, type, value;
    HSD_TRY(hsd_gocore_field(go, g, G_WAITING, &waiting, err));
    for (unsigned i = 0; waiting != 0 && i < MOST_WAITING; i++) {
        HSD_TRY(hsd_gocore_field(go, waiting, WAITING_VALUE, &place, err));
        HSD_TRY(hsd_gocore_field(go, waiting, WAITING_CHANNEL, &channel, err));
        HSD_TRY(hsd_gocore_field(go, channel, CHANNEL_TYPE, &type, err));
        HSD_TRY(hsd_gomemory_word(&go->typing.memory, place, &value, err));
        if (place != 0 && type != 0) HSD_TRY(hsd_gotyping_offer_pointed(&go->typing, value, type, err));
        HSD_TRY(hsd_gocore_field(go, waiting, WAITING_NEXT, &waiting, err));
    }
    return HSD_OK;
}

static hsd_status walk_all_stacks(gocore *go, bool is_written, hsd_error *err)
{
    uint64_t list, count, g;
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, hsd_gocore_symbol(go, SYM_ALL_G), &list, err));
    HSD_TRY(hsd_gomemory_word(&go->typing.memory, hsd_gocore_symbol(go, SYM_ALL_G) + 8, &count, err));
    if (count > go->core.input.bytes / 8)
        return hsd_fail(err, HSD_E_CORRUPT, "the runtime's list of goroutines is none");
    for (uint64_t i = 0; i < count; i++) {
        HSD_TRY(hsd_gomemory_word(&go->typing.memory, list + 8 * i, &g, err));
        if (g != 0) HSD_TRY(walk_goroutine(go, g, is_written, err));
        if (g != 0 && !is_written) HSD_TRY(offer_waiting(go, g, err));
    }
    return HSD_OK;
}

hsd_status hsd_gocore_find_frames(gocore *go, hsd_error *err) { return walk_all_stacks(go, false, err); }

hsd_status hsd_gocore_write_stacks(gocore *go, hsd_error *err)
{
    HSD_TRY(hsd_gocore_find_led(go, err));
    return walk_all_stacks(go, true, err);
}
