/*
 * Types by the executable. The scan tells where the bytes of each object stand in the dump; then pointers are followed
 * in them from the globals that the DWARF declares (go/types/typing.h). Objects that stand one behind the other with
 * one size become a span; where a whole page is between two, another span may be there, and a new one begins.
 *
 * Memory, of what the import may take: a quarter each for slots and for the places of their bytes, an eighth each for
 * the types of the program and the index of objects, the rest for names, variables of stacks, plans and blocks of the
 * two files.
 *
 * That executable and dump belong together is told by the segments of globals: both have them at the same places, with
 * the same sizes, but for a distance that is the same for both where the program is position-independent.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"
#include "go/heap/typed.h"

enum {
    DATA = GOHEAP_DATA_SEGMENT,
    BSS,
    SEGMENTS,
    PAGE_BYTES = 8192,
    HEAD_BYTES = 8,
    LEAST_WITH_HEAD = 512,
    MOST_WITH_HEAD = 32768,
    HEAD_SINCE = 22
};

/* ---- the executable ---- */

static hsd_status no_types(const goheap_typed *typed, hsd_error *err)
{
    char why[256] = "";
    if (err != NULL) memcpy(why, err->text, hsd_min_u64(strlen(err->text), sizeof why - 1));
    hsd_fail(err, HSD_E_NOT_FOUND, "the program of --exe cannot tell the types: %s", why);
    hsd_error_set_file(err, typed->go->import->options->executable);
    hsd_error_set_hint(
        err, "give the program as it was built, without -ldflags \"-s -w\" and not stripped; or leave --exe out");
    return HSD_E_NOT_FOUND;
}

static hsd_status open_executable(goheap_typed *typed, hsd_error *err)
{
    static const char *const names[TYPES_SYMBOLS] = {"runtime.data", "runtime.edata", "runtime.bss",
                                                     "runtime.ebss", "runtime.types", "runtime.text"};
    const uint64_t memory = typed->go->import->memory_bytes;
    for (int i = 0; i < TYPES_SYMBOLS; i++)
        typed->symbols[i].name = names[i];
    HSD_TRY(hsd_goprogram_open(&typed->executable, typed->go->import->options->executable, typed->go->import->options,
                               err));
    hsd_status status = hsd_elf_find_symbols(&typed->executable, typed->symbols, TYPES_SYMBOLS, memory / 8, err);
    if (status == HSD_OK && (typed->symbols[TYPES_DATA].address == 0 || typed->symbols[TYPES_EBSS].address == 0))
        status = hsd_fail(err, HSD_E_NOT_FOUND, "it is no Go program");
    if (status == HSD_OK)
        status = hsd_go_types_read(&typed->typing.types, &typed->executable, typed->symbols[TYPES_BEGIN].address,
                                   memory / 8, err);
    if (status == HSD_OK)
        status = hsd_go_lines_read(&typed->typing.lines, &typed->executable, typed->symbols[TYPES_TEXT].address,
                                   memory / 8, err);
    if (status == HSD_E_NOT_FOUND) return no_types(typed, err);
    if (status != HSD_OK) hsd_error_set_file(err, typed->go->import->options->executable);
    return status;
}

hsd_status hsd_goheap_open_types(goheap *go, hsd_error *err)
{
    if (go->import->options->executable == NULL) return HSD_OK;
    go->typed = calloc(1, sizeof *go->typed);
    if (go->typed == NULL) return hsd_fail_nomem(err, "types");
    go->typed->go = go;
    go->typed->typing.slots.most_bytes = go->import->memory_bytes / 4;
    return open_executable(go->typed, err);
}

/* ---- the scan ---- */

/* The allocator's header is there from 1.22 on, in objects of these sizes that have pointers. */
static uint32_t head_of(const goheap *go, uint64_t size, bool has_pointers)
{
    unsigned minor = 0;
    for (const char *digit = go->version + 4;
         strncmp(go->version, "go1.", 4) == 0 && *digit >= '0' && *digit <= '9' && minor < 1000; digit++)
        minor = minor * 10 + (unsigned)(*digit - '0');
    return has_pointers && minor >= HEAD_SINCE && size > LEAST_WITH_HEAD && size <= MOST_WITH_HEAD ? HEAD_BYTES : 0;
}

static hsd_status end_run(goheap_typed *typed, hsd_error *err)
{
    HSD_TRY(hsd_goslots_add(&typed->typing.slots, &typed->run, err));
    typed->run = (gospan){0};
    return HSD_OK;
}

/* True if the object is the next of the span, or one a few slots on. */
static bool continues(const goheap_typed *typed, uint64_t address, uint64_t size, uint64_t offset, uint32_t head)
{
    const gospan *run = &typed->run;
    const uint64_t end = run->begin + run->count * run->slot_bytes;
    if (run->count == 0 || run->slot_bytes != size || run->head_bytes != head || address < end) return false;
    const uint64_t next_page = (end + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
    if ((address - run->begin) % size != 0 || (address >= next_page && address - next_page >= PAGE_BYTES)) return false;
    return offset > typed->run_offset && offset - typed->run_offset < UINT32_MAX - 1 && run->count < UINT32_MAX / 2;
}

static hsd_status put_place(goheap_typed *typed, uint64_t place, hsd_error *err)
{
    const uint64_t allowed = typed->go->import->memory_bytes / 4;
    if (typed->place_count == typed->place_room && typed->place_room * (uint64_t)2 * sizeof *typed->places > allowed) {
        hsd_fail(err, HSD_E_OVER_BUDGET, "what is known of this heap's objects takes more than %" PRIu64 " MiB",
                 allowed >> 20);
        hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (allowed * 8 >> 20) + 64);
        return HSD_E_OVER_BUDGET;
    }
    HSD_TRY(hsd_import_grow((void **)&typed->places, &typed->place_room, typed->place_count, sizeof *typed->places,
                            err));
    typed->places[typed->place_count++] = (uint32_t)place;
    return HSD_OK;
}

hsd_status hsd_goheap_place_object(goheap *go, uint64_t address, uint64_t size, uint64_t offset, bool has_pointers,
                                   hsd_error *err)
{
    goheap_typed *typed = go->typed;
    if (typed == NULL || size == 0) return HSD_OK;
    const uint32_t head = head_of(go, size, has_pointers);
    if (!continues(typed, address, size, offset, head)) {
        HSD_TRY(end_run(typed, err));
        typed->run =
            (gospan){.begin = address, .slot_bytes = size, .head_bytes = head, .where = {offset, typed->place_count}};
        typed->run_offset = offset;
    }
    for (uint64_t gap = (address - typed->run.begin) / size - typed->run.count; gap > 0; gap--) {
        HSD_TRY(put_place(typed, 0, err));
        typed->run.count++;
    }
    typed->run.count++;
    return put_place(typed, offset - typed->run_offset + 1, err);
}

void hsd_goheap_place_segment(goheap *go, bool is_bss, uint64_t address, uint64_t size, uint64_t offset)
{
    if (go->typed != NULL) go->typed->segments[is_bss ? BSS : DATA] = (goheap_range){address, size, offset};
}

hsd_status hsd_goheap_place_frame(goheap *go, uint64_t sp, uint64_t pc, bool is_innermost,
                                  const goheap_content *content, hsd_error *err)
{
    goheap_typed *typed = go->typed;
    uint64_t end;
    if (typed == NULL || content->size == 0 || pc == 0 || !hsd_add_u64(sp, content->size, &end)) return HSD_OK;
    HSD_TRY(hsd_goheap_check_memory(go, err));
    HSD_TRY(hsd_import_grow((void **)&typed->frames.at, &typed->frames.room, typed->frames.count,
                            sizeof *typed->frames.at, err));
    HSD_TRY(hsd_import_grow((void **)&typed->stacks, &typed->stack_room, typed->stack_count, sizeof *typed->stacks,
                            err));
    typed->frames.at[typed->frames.count++] =
        (goframe){.pc = is_innermost ? pc : pc - 1, .end = end, .low = sp, .is_main = go->scans_main};
    typed->stacks[typed->stack_count++] = (goheap_range){sp, content->size, content->bytes_offset};
    return HSD_OK;
}

/* As many as there is room for: types that are not told are not missed by others. */
hsd_status hsd_goheap_place_finalizer(goheap *go, uint64_t object, uint64_t pointer_type, hsd_error *err)
{
    goheap_typed *typed = go->typed;
    if (typed == NULL || pointer_type == 0 ||
        typed->finalized_count * sizeof *typed->finalized >= go->import->memory_bytes / 64)
        return HSD_OK;
    HSD_TRY(hsd_goheap_check_memory(go, err));
    HSD_TRY(hsd_import_grow((void **)&typed->finalized, &typed->finalized_room, typed->finalized_count,
                            sizeof *typed->finalized, err));
    typed->finalized[typed->finalized_count++] = (goheap_finalized){object, pointer_type};
    return HSD_OK;
}

hsd_status hsd_goheap_place_itab(goheap *go, uint64_t itab, uint64_t type, hsd_error *err)
{
    if (go->typed == NULL) return HSD_OK;
    HSD_TRY(hsd_goheap_check_memory(go, err));
    return hsd_gotyping_put_itab(&go->typed->typing, itab, type, err);
}

/* ---- behind it ---- */

static int by_place(const void *a, const void *b)
{
    const goheap_range *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static const goheap_range *stack_at(const goheap_typed *typed, uint64_t address)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, typed->stack_count, typed->stacks[low].address, address);
    const goheap_range *found = low == 0 ? NULL : &typed->stacks[low - 1];
    return found != NULL && address - found->address < found->size ? found : NULL;
}

static bool locate_typed(void *context, uint64_t address, goplace *place)
{
    goheap_typed *typed = context;
    goslot slot;
    if (hsd_goslots_find(&typed->typing.slots, address, &slot)) {
        const uint32_t at = typed->places[slot.span->where[1] + slot.number - slot.span->first];
        const uint64_t inside = address - slot.begin;
        *place = (goplace){&typed->dump, slot.span->where[0] + at - 1 + inside, slot.span->slot_bytes - inside};
        return at != 0;
    }
    for (int i = 0; i < SEGMENTS; i++) {
        const goheap_range *s = &typed->segments[i];
        if (address < s->address || address - s->address >= s->size) continue;
        *place = (goplace){&typed->dump, s->offset + (address - s->address), s->size - (address - s->address)};
        return true;
    }
    const goheap_range *stack = stack_at(typed, address);
    if (stack != NULL) {
        *place = (goplace){&typed->dump, stack->offset + (address - stack->address),
                           stack->size - (address - stack->address)};
        return true;
    }
    uint64_t left;
    const hsd_elf_segment *segment = hsd_elf_segment_at(&typed->executable, address - typed->typing.bias, &left);
    if (segment == NULL) return false;
    *place = (goplace){&typed->program, segment->offset + (address - typed->typing.bias - segment->address), left};
    return true;
}

static hsd_status check_program(goheap_typed *typed, hsd_error *err)
{
    const hsd_elf_symbol *symbols = typed->symbols;
    const goheap_range *data = &typed->segments[DATA], *bss = &typed->segments[BSS];
    typed->typing.bias = data->address - symbols[TYPES_DATA].address;
    const bool is_same = data->size == symbols[TYPES_EDATA].address - symbols[TYPES_DATA].address &&
                         bss->size == symbols[TYPES_EBSS].address - symbols[TYPES_BSS].address &&
                         bss->address - symbols[TYPES_BSS].address == typed->typing.bias;
    if (typed->go->pointer_bytes != 8 || typed->go->is_big_endian)
        return hsd_fail(err, HSD_E_UNSUPPORTED,
                        "--exe knows programs of 64 bits, little-endian; this dump is of another");
    if (typed->go->is_cut &&
        bss->size == 0) { /* its globals are among what is missing: nothing can be checked, and little be told */
        typed->typing.bias = 0;
        return HSD_OK;
    }
    if (is_same && (typed->typing.bias == 0 || typed->executable.type == HSD_ELF_SHARED)) return HSD_OK;
    hsd_fail(err, HSD_E_UNSUPPORTED,
             "this dump is not of the program of --exe: its globals are elsewhere or of another size");
    hsd_error_set_hint(err, "give the very build that wrote the dump; or leave --exe out");
    return HSD_E_UNSUPPORTED;
}

/* Objects whose types the allocator keeps in front of them. */
static hsd_status offer_heads(goheap_typed *typed, hsd_error *err)
{
    gotyping *t = &typed->typing;
    for (uint32_t i = 0; i < t->slots.span_count; i++) {
        const gospan *span = &t->slots.spans[i];
        for (uint32_t j = 0; span->head_bytes > 0 && j < span->count; j++) {
            uint64_t described;
            const uint64_t at = span->begin + j * span->slot_bytes;
            if (!hsd_goslots_is_live(&t->slots, span->first + j)) continue;
            HSD_TRY(hsd_gomemory_word(&t->memory, at, &described, err));
            const uint32_t type = hsd_gotyping_described(t, described);
            const uint64_t size = type == 0 ? 0 : hsd_gotyping_size(t, type);
            if (size > 0)
                HSD_TRY(hsd_gotyping_offer(t, at + span->head_bytes, type,
                                           size <= (span->slot_bytes - span->head_bytes) / 2, err));
        }
    }
    return HSD_OK;
}

static void mark_live(goheap_typed *typed)
{
    goslots *slots = &typed->typing.slots;
    for (uint32_t i = 0; i < slots->span_count; i++)
        for (uint32_t j = 0; j < slots->spans[i].count; j++)
            if (typed->places[slots->spans[i].where[1] + j] != 0)
                hsd_goslots_set_live(slots, slots->spans[i].first + j);
}

hsd_status hsd_goheap_find_types(goheap *go, hsd_error *err)
{
    goheap_typed *typed = go->typed;
    if (typed == NULL) return HSD_OK;
    gotyping *t = &typed->typing;
    hsd_elf_input input;
    const uint64_t memory = go->import->memory_bytes;
    HSD_TRY(check_program(typed, err));
    HSD_TRY(end_run(typed, err));
    HSD_TRY(hsd_goslots_finish(&t->slots, err));
    mark_live(typed);
    HSD_TRY(hsd_goinput_over(&input, go->source, go->end_offset, err));
    HSD_TRY(hsd_goblocks_open(&typed->dump, &input, hsd_min_u64(memory / 16, UINT64_C(64) << 20), err));
    HSD_TRY(hsd_goblocks_open(&typed->program, &typed->executable.input, hsd_min_u64(memory / 64, UINT64_C(8) << 20),
                              err));
    t->memory = (gomemory){.locate = locate_typed, .context = typed};
    HSD_TRY(hsd_gotyping_open(t, memory / 32, err));
    for (int i = 0; i < SEGMENTS; i++) {
        t->statics.begin[i] = typed->segments[i].address;
        t->statics.end[i] = typed->segments[i].address + typed->segments[i].size;
    }
    HSD_TRY(hsd_gowriter_open(&go->out, t, err));
    HSD_TRY(hsd_progress(go->import->reporter, "finding types", 0, 0, err));
    HSD_TRY(offer_heads(typed, err));
    for (uint32_t i = 0; i < typed->finalized_count; i++)
        HSD_TRY(hsd_gotyping_offer_pointed(t, typed->finalized[i].object, typed->finalized[i].pointer_type, err));
    if (typed->stack_count > 1) qsort(typed->stacks, typed->stack_count, sizeof *typed->stacks, by_place);
    HSD_TRY(hsd_gotyping_run(t, err));
    HSD_TRY(hsd_gotyping_frames(t, &typed->executable, &typed->frames, memory / 16, err));
    go->out.timer_element = hsd_gotask_timer_element(t);
    return hsd_gostatics_finish(t, err);
}

uint64_t hsd_goheap_types_memory(const goheap *go)
{
    if (go->typed == NULL) return 0;
    return hsd_id_table_memory(&go->typed->typing.itabs) +
           go->typed->typing.itab_room * sizeof *go->typed->typing.itab_types +
           go->typed->frames.room * sizeof *go->typed->frames.at + go->typed->stack_room * sizeof *go->typed->stacks +
           go->typed->finalized_room * sizeof *go->typed->finalized;
}

void hsd_goheap_close_types(goheap *go)
{
    goheap_typed *typed = go->typed;
    if (typed == NULL) return;
    hsd_gotyping_close(&typed->typing);
    hsd_goblocks_close(&typed->dump);
    hsd_goblocks_close(&typed->program);
    hsd_elf_close(&typed->executable);
    free(typed->places);
    free(typed->frames.at);
    free(typed->stacks);
    free(typed->finalized);
    free(typed);
    go->typed = NULL;
}
