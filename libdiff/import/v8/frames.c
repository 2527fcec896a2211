/*
 * Slots of the stack and of the other groups of roots, as they pass; what their targets are is known when these pass,
 * behind them; and what all that is called, at the end.
 */
#include "import/v8/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/v8/wishes.h"

/* A frame has some ten slots, the stack of a server some hundred; a group that is larger is of another kind, or of a
 * function that calls itself. */
#define MOST_OF_GROUP 16384u
#define MOST_SLOTS    65536u

/* Of these no more than are filled become resident. */
static hsd_status take_slots(hsd_v8_frames *frames, hsd_error *err)
{
    if (!hsd_pages_take_any(&frames->pages, MOST_SLOTS * sizeof *frames->slots)) return hsd_fail_nomem(err, "roots");
    frames->slots = frames->pages.data;
    return HSD_OK;
}

hsd_status hsd_v8_frames_put(hsd_v8_frames *frames, uint32_t group, uint32_t name, uint32_t target, uint32_t *out,
                             hsd_error *err)
{
    *out = HSD_V8_NO_SLOT;
    if (group != frames->last_group) frames->of_group = 0;
    frames->last_group = group;
    if (frames->count == MOST_SLOTS || frames->of_group == MOST_OF_GROUP) return HSD_OK;
    if (frames->slots == NULL) HSD_TRY(take_slots(frames, err));
    const uint32_t known = hsd_id_map_get(&frames->targets, target);
    if (known == HSD_ID_NONE) HSD_TRY(hsd_id_map_put(&frames->targets, target, frames->count, err));
    frames->slots[frames->count] = (hsd_v8_slot){.group = group,
                                                 .target = target,
                                                 .name = name,
                                                 .literal = HSD_V8_NO_ENTRY,
                                                 .first = known == HSD_ID_NONE ? frames->count : known,
                                                 .proof = HSD_V8_NO_ENTRY,
                                                 .class_name = HSD_V8_NO_STRING,
                                                 .class = HSD_V8_NO_ENTRY,
                                                 .function = HSD_V8_NO_FUNCTION};
    frames->of_group++;
    *out = frames->count++;
    return HSD_OK;
}

bool hsd_v8_frames_has(const hsd_v8_frames *frames, uint32_t node)
{
    return hsd_id_map_get(&frames->targets, node) != HSD_ID_NONE;
}

void hsd_v8_frames_see(hsd_v8_frames *frames, uint32_t node, uint32_t class_name, uint32_t function)
{
    hsd_v8_slot *slot = &frames->slots[hsd_id_map_get(&frames->targets, node)];
    slot->function = function;
    slot->class_name = class_name;
}

static bool is_closure(const hsd_v8_frames *frames, uint32_t slot)
{
    return frames->slots[frames->slots[slot].first].function != HSD_V8_NO_FUNCTION;
}

static hsd_status ask_for_class(hsd_v8_frames *frames, hsd_v8_names *names, uint32_t slot, hsd_error *err)
{
    if (slot >= frames->count) return HSD_OK;
    hsd_v8_slot *first = &frames->slots[frames->slots[slot].first];
    if (first->class_name == HSD_V8_NO_STRING || first->class != HSD_V8_NO_ENTRY) return HSD_OK;
    return hsd_v8_put_proof(names, first->class_name, &first->class, err);
}

/* What stands around a closure tells whether it runs. */
static hsd_status ask_around(hsd_v8_frames *frames, hsd_v8_names *names, uint32_t slot, hsd_error *err)
{
    if (slot > 0) HSD_TRY(ask_for_class(frames, names, slot - 1, err));
    HSD_TRY(ask_for_class(frames, names, slot + 1, err));
    if (slot + 2 >= frames->count || frames->slots[slot + 2].name == HSD_V8_NO_STRING) return HSD_OK;
    return hsd_v8_put_proof(names, frames->slots[slot + 2].name, &frames->slots[slot + 2].literal, err);
}

/* For each constant of code there is a handle, so its node has two slots at least. */
static hsd_status ask_for_lists(hsd_v8_frames *frames, const hsd_v8_marks *marks, hsd_v8_names *names, uint32_t slot,
                                hsd_error *err)
{
    hsd_v8_slot *one = &frames->slots[slot], *first = &frames->slots[one->first];
    if (one == first || one->group == first->group || hsd_v8_marks_get(marks, one->target) == HSD_V8_MARK_CODE)
        return HSD_OK;
    if (first->proof == HSD_V8_NO_ENTRY && first->name != HSD_V8_NO_STRING)
        HSD_TRY(hsd_v8_put_proof(names, first->name, &first->proof, err));
    return one->name == HSD_V8_NO_STRING ? HSD_OK : hsd_v8_put_proof(names, one->name, &one->proof, err);
}

hsd_status hsd_v8_frames_resolve(hsd_v8_frames *frames, const hsd_v8_marks *marks, hsd_v8_names *names, hsd_error *err)
{
    for (uint32_t i = 0; i < frames->count; i++) {
        if (is_closure(frames, i)) HSD_TRY(ask_around(frames, names, i, err));
        HSD_TRY(ask_for_lists(frames, marks, names, i, err));
    }
    return HSD_OK;
}

/* ---- when all names are known ---- */

static bool proves(const hsd_v8_frames *frames, const hsd_v8_names *names, uint32_t slot, uint32_t proof)
{
    return hsd_v8_is_proven(names, frames->slots[frames->slots[slot].first].class, proof);
}

static bool is_of_group(const hsd_v8_frames *frames, uint32_t slot, uint32_t group)
{
    return slot < frames->count && frames->slots[slot].group == group;
}

/* The slot is that of the function which runs: a closure, its variables behind it, and its bytecode before it or, of
 * optimised code, constants behind both. */
static bool is_running(const hsd_v8_frames *frames, const hsd_v8_names *names, uint32_t slot)
{
    const uint32_t group = frames->slots[slot].group;
    if (!is_closure(frames, slot) || !is_of_group(frames, slot + 1, group) ||
        !proves(frames, names, slot + 1, HSD_V8_PROOF_VARIABLES))
        return false;
    const bool is_interpreted =
        slot > 0 && is_of_group(frames, slot - 1, group) && proves(frames, names, slot - 1, HSD_V8_PROOF_BYTECODE);
    return is_interpreted || (is_of_group(frames, slot + 2, group) &&
                              hsd_v8_is_proven(names, frames->slots[slot + 2].literal, HSD_V8_PROOF_LITERAL));
}

/* Of neither the runtime nor the helper of hsdiff, which is at work while it captures. */
static bool is_of_program(const hsd_v8_names *names, const hsd_v8_functions *functions, const hsd_v8_files *files,
                          uint32_t function)
{
    static const char helper[] = "hsdiff.cjs";
    const uint32_t file = hsd_v8_functions_file(functions, names, function);
    const hsd_bytes name = hsd_v8_files_name(files, file);
    const bool is_helper = name.size == sizeof helper - 1 && memcmp(name.data, helper, sizeof helper - 1) == 0;
    return name.size > 0 && !is_helper && !files->files[file].is_runtime;
}

/* What a proof of one slot tells is of all that lead to the same. */
static void gather_proofs(hsd_v8_frames *frames, const hsd_v8_names *names)
{
    for (uint32_t i = 0; i < frames->count; i++)
        if (hsd_v8_is_proven(names, frames->slots[i].proof, HSD_V8_PROOF_COMPILED))
            frames->slots[frames->slots[i].first].proof = frames->slots[i].proof;
}

hsd_status hsd_v8_frames_settle(hsd_v8_frames *frames, const hsd_v8_names *names, const hsd_v8_functions *functions,
                                const hsd_v8_files *files, uint32_t stack, hsd_error *err)
{
    uint32_t function = HSD_V8_NO_FUNCTION;
    if (frames->count == 0) return HSD_OK;
    frames->running = malloc(frames->count * sizeof *frames->running);
    if (frames->running == NULL) return hsd_fail_nomem(err, "roots");
    for (uint32_t i = frames->count; i-- > 0;) {
        const bool is_stack = frames->slots[i].group == stack;
        if (!is_stack) {
            function = HSD_V8_NO_FUNCTION;
        } else if (is_running(frames, names, i)) {
            function = frames->slots[frames->slots[i].first].function;
            if (!is_of_program(names, functions, files, function)) function = HSD_V8_NO_FUNCTION;
            frames->running[i + 1] = function; /* its variables that closures use */
        }
        frames->running[i] = function;
    }
    gather_proofs(frames, names);
    return HSD_OK;
}

bool hsd_v8_frames_is_compiled(const hsd_v8_frames *frames, const hsd_v8_names *names, uint32_t slot)
{
    return slot < frames->count &&
           hsd_v8_is_proven(names, frames->slots[frames->slots[slot].first].proof, HSD_V8_PROOF_COMPILED);
}

/* What runs a file: it has no name, and begins where the file does. */
static bool is_top_level(const hsd_v8_function *function)
{
    return function->name.size == 0 && function->line == 1 && function->column == 1;
}

size_t hsd_v8_frames_text(const hsd_v8_names *names, const hsd_v8_functions *functions, const hsd_v8_files *files,
                          uint32_t function, char out[HSD_V8_FRAME_BYTES])
{
    static const char begin[] = "locals of ", type[] = "Function ";
    char name[HSD_V8_FUNCTION_TYPE_BYTES];
    const hsd_v8_function *f = &functions->items[function];
    const hsd_bytes file = hsd_v8_files_name(files, f->source == HSD_V8_NO_FILE ? f->file : f->source);
    memcpy(out, begin, sizeof begin - 1);
    if (is_top_level(f)) {
        const size_t size = hsd_min_u64(file.size, HSD_V8_FRAME_BYTES - sizeof begin);
        memcpy(out + sizeof begin - 1, file.data, size);
        return sizeof begin - 1 + size;
    }
    const size_t size = hsd_v8_functions_type(functions, names, files, function, name);
    const size_t skip = size > sizeof type - 1 ? sizeof type - 1 : 0;
    memcpy(out + sizeof begin - 1, name + skip, size - skip);
    return sizeof begin - 1 + size - skip;
}

void hsd_v8_frames_release(hsd_v8_frames *frames)
{
    hsd_pages_give(&frames->pages);
    free(frames->running);
    hsd_id_map_release(&frames->targets);
    *frames = (hsd_v8_frames){0};
}
