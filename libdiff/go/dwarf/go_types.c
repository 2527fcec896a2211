/*
 * One pass over the entries fills the tables with types by the offsets of their entries; then offsets become numbers.
 * See go_types.h.
 */
#include "go/dwarf/go_types.h"
#include "go/dwarf/go_reading.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"

enum { MOST_TYPES = 1 << 24 };

/* ---- growing ---- */

uint64_t hsd_go_types_memory(const hsd_go_types *types)
{
    return hsd_names_memory(&types->names) + types->type_room * sizeof *types->types +
           types->member_room * sizeof *types->members + types->global_room * sizeof *types->globals +
           types->function_room * sizeof *types->functions + types->runtime_type_count * sizeof *types->by_runtime_type;
}

static hsd_status check_memory(const hsd_go_reading *r, hsd_error *err)
{
    const uint64_t taken =
        hsd_add_saturating(hsd_go_types_memory(r->types), r->section_bytes + hsd_go_reading_memory(r));
    if (taken <= r->types->most_bytes && r->types->type_count < MOST_TYPES) return HSD_OK;
    hsd_fail(err, HSD_E_OVER_BUDGET, "the types of the program take more than %" PRIu64 " MiB",
             r->types->most_bytes >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so", (taken * 8 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

hsd_status hsd_go_grow(const hsd_go_reading *r, void *items, uint32_t *room, uint32_t count, size_t size,
                       hsd_error *err)
{
    if (count < *room) return HSD_OK;
    HSD_TRY(check_memory(r, err));
    if (*room > UINT32_MAX / 4) return hsd_fail(err, HSD_E_OVER_BUDGET, "the program has more types than there can be");
    return hsd_array_grow(items, size, room, sizeof *room, (uint64_t)count + 1, 1024, false, "types", err);
}

hsd_status hsd_go_put_name(hsd_go_reading *r, const char *text, uint32_t *name, hsd_error *err)
{
    const char *kept = text == NULL ? "" : text;
    return hsd_names_put(&r->types->names, (hsd_bytes){(const uint8_t *)kept, strlen(kept)}, name, err);
}

/* ---- entries ---- */

static int kind_of(const hsd_die *die)
{
    switch (die->tag) {
    case HSD_TAG_BASE: return HSD_GO_IS_BASE;
    case HSD_TAG_POINTER: return HSD_GO_IS_POINTER;
    case HSD_TAG_STRUCTURE: return HSD_GO_IS_STRUCT;
    case HSD_TAG_ARRAY: return HSD_GO_IS_ARRAY;
    case HSD_TAG_TYPEDEF: return HSD_GO_IS_ALIAS;
    case HSD_TAG_SUBROUTINE_TYPE: return HSD_GO_IS_FUNCTION;
    case HSD_TAG_UNSPECIFIED: return HSD_GO_IS_OTHER;
    default: return -1;
    }
}

static uint64_t size_of(const hsd_die *die)
{
    return die->tag == HSD_TAG_POINTER || die->tag == HSD_TAG_SUBROUTINE_TYPE ? 8
           : die->tag == HSD_TAG_TYPEDEF                                      ? 0
                                                                              : die->size;
}

/* A type of which a generic function knows no more than that it is a pointer; what it is declared as is not what is
 * there. */
static bool is_shape_of_pointer(const hsd_die *die)
{
    static const char prefix[] = "go.shape.*";
    return die->tag == HSD_TAG_TYPEDEF && die->name != NULL && strncmp(die->name, prefix, sizeof prefix - 1) == 0;
}

hsd_status hsd_go_add_type(hsd_go_reading *r, const hsd_die *die, int kind, hsd_error *err)
{
    hsd_go_types *types = r->types;
    hsd_go_type added = {.die = die->offset,
                         .size = size_of(die),
                         .target = die->type,
                         .kind = (uint8_t)kind,
                         .go_kind = (uint8_t)die->go_kind,
                         .member = types->member_count,
                         .runtime_type = die->runtime_type};
    if (is_shape_of_pointer(die)) {
        added.kind = HSD_GO_IS_POINTER;
        added.size = 8;
        added.target = 0;
    }
    if (added.runtime_type != 0 && added.runtime_type < r->runtime_types) added.runtime_type += r->runtime_types;
    HSD_TRY(hsd_go_put_name(r, die->name, &added.name, err));
    HSD_TRY(hsd_go_grow(r, &types->types, &types->type_room, types->type_count, sizeof added, err));
    r->owner = types->type_count;
    r->owner_depth = die->depth + 1;
    types->types[types->type_count++] = added;
    return HSD_OK;
}

hsd_status hsd_go_add_member(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    hsd_go_types *types = r->types;
    hsd_go_member added = {.offset = die->member_offset, .type = die->type};
    HSD_TRY(hsd_go_put_name(r, die->name, &added.name, err));
    HSD_TRY(hsd_go_grow(r, &types->members, &types->member_room, types->member_count, sizeof added, err));
    types->members[types->member_count++] = added;
    types->types[r->owner].member_count++;
    return HSD_OK;
}

static hsd_status add_global(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    hsd_go_types *types = r->types;
    hsd_go_global added = {.address = die->address, .type = die->type};
    HSD_TRY(hsd_go_put_name(r, die->name, &added.name, err));
    HSD_TRY(hsd_go_grow(r, &types->globals, &types->global_room, types->global_count, sizeof added, err));
    types->globals[types->global_count++] = added;
    return HSD_OK;
}

static hsd_status take_entry(hsd_go_reading *r, const hsd_die *die, hsd_error *err)
{
    const int kind = kind_of(die);
    if (kind >= 0) return hsd_go_add_type(r, die, kind, err);
    const bool is_part = r->owner != 0 && die->depth == r->owner_depth;
    if (is_part && die->tag == HSD_TAG_MEMBER) return hsd_go_add_member(r, die, err);
    if (is_part && die->tag == HSD_TAG_SUBRANGE) r->types->types[r->owner].count = die->count;
    if (die->depth < r->owner_depth) r->owner = 0;
    HSD_TRY(hsd_go_take_function(r, die, err));
    if (die->tag == HSD_TAG_VARIABLE && die->address != 0 && die->depth == 1 && die->name != NULL)
        return add_global(r, die, err);
    return HSD_OK;
}

static hsd_status read_entries(hsd_go_reading *r, hsd_error *err)
{
    hsd_die die;
    hsd_status status;
    r->types->type_count = 0;
    HSD_TRY(hsd_go_put_name(r, "", &(uint32_t){0}, err));
    HSD_TRY(hsd_go_grow(r, &r->types->types, &r->types->type_room, 0, sizeof(hsd_go_type), err));
    r->types->types[r->types->type_count++] = (hsd_go_type){0};
    while ((status = hsd_info_next(&r->info, &die, err)) == HSD_OK) {
        if (die.tag == HSD_TAG_UNIT && die.language != HSD_LANGUAGE_GO)
            hsd_info_skip_unit(&r->info);
        else
            HSD_TRY(take_entry(r, &die, err));
    }
    if (status != HSD_END) return status;
    if (r->types->type_count == 1) return hsd_fail(err, HSD_E_NOT_FOUND, "its DWARF has no types of Go");
    return HSD_OK;
}

/* ---- numbers for offsets ---- */

uint32_t hsd_go_types_of_entry(const hsd_go_types *types, uint64_t die)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 1, types->type_count, types->types[low].die, die);
    return low < types->type_count && types->types[low].die == die ? low : 0;
}

static int by_address(const void *a, const void *b)
{
    const hsd_go_global *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static int by_place(const void *a, const void *b)
{
    const hsd_go_function *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

typedef struct described {
    uint64_t runtime_type;
    uint32_t type;
} described;

static int by_description(const void *a, const void *b)
{
    const described *x = a, *y = b;
    if (x->runtime_type != y->runtime_type) return x->runtime_type < y->runtime_type ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

static hsd_status index_descriptions(hsd_go_types *types, hsd_error *err)
{
    uint32_t count = 0;
    described *all = calloc(types->type_count, sizeof *all);
    types->by_runtime_type = calloc(types->type_count, sizeof *types->by_runtime_type);
    if (all == NULL || types->by_runtime_type == NULL) {
        free(all);
        return hsd_fail_nomem(err, "types");
    }
    for (uint32_t i = 1; i < types->type_count; i++)
        if (types->types[i].runtime_type != 0) all[count++] = (described){types->types[i].runtime_type, i};
    qsort(all, count, sizeof *all, by_description);
    for (uint32_t i = 0; i < count; i++)
        types->by_runtime_type[i] = all[i].type;
    types->runtime_type_count = count;
    free(all);
    return HSD_OK;
}

static hsd_status number_all(hsd_go_reading *r, hsd_error *err)
{
    hsd_go_types *types = r->types;
    HSD_TRY(hsd_go_finish_functions(r, err));
    for (uint32_t i = 1; i < types->type_count; i++)
        types->types[i].target = hsd_go_types_of_entry(types, types->types[i].target);
    for (uint32_t i = 0; i < types->member_count; i++)
        types->members[i].type = hsd_go_types_of_entry(types, types->members[i].type);
    hsd_go_measure_closures(types);
    HSD_TRY(hsd_go_find_shapes(types, err));
    for (uint32_t i = 0; i < types->global_count; i++)
        types->globals[i].type = hsd_go_types_of_entry(types, types->globals[i].type);
    if (types->global_count > 1) qsort(types->globals, types->global_count, sizeof *types->globals, by_address);
    if (types->function_count > 1) qsort(types->functions, types->function_count, sizeof *types->functions, by_place);
    return index_descriptions(types, err);
}

/* ---- all ---- */

static hsd_bytes view(const hsd_buffer *buffer) { return (hsd_bytes){buffer->data, buffer->size}; }

static hsd_status load_go_type(const hsd_elf *elf, const char *name, bool is_needed, uint64_t most_bytes,
                               uint64_t *taken, hsd_buffer *out, hsd_error *err)
{
    const hsd_status status = hsd_elf_load(elf, name, *taken < most_bytes ? most_bytes - *taken : 0, out, err);
    *taken += out->capacity;
    return status == HSD_E_NOT_FOUND && !is_needed ? HSD_OK : status;
}

hsd_status hsd_go_types_read(hsd_go_types *types, const hsd_elf *elf, uint64_t runtime_types, uint64_t most_bytes,
                             hsd_error *err)
{
    enum { INFO, ABBREVIATIONS, TEXTS, LINE_TEXTS, TEXT_OFFSETS, ADDRESSES, SECTIONS };
    static const char *const names[SECTIONS] = {".debug_info",     ".debug_abbrev",      ".debug_str",
                                                ".debug_line_str", ".debug_str_offsets", ".debug_addr"};
    hsd_buffer loaded[SECTIONS] = {0};
    hsd_go_reading r = {.types = types, .runtime_types = runtime_types};
    hsd_status status = HSD_OK;
    *types = (hsd_go_types){.most_bytes = most_bytes};
    for (int i = 0; i < SECTIONS && status == HSD_OK; i++)
        status = load_go_type(elf, names[i], i <= ABBREVIATIONS, most_bytes, &r.section_bytes, &loaded[i], err);
    const hsd_info_sections sections = {.info = view(&loaded[INFO]),
                                        .abbreviations = view(&loaded[ABBREVIATIONS]),
                                        .texts = view(&loaded[TEXTS]),
                                        .line_texts = view(&loaded[LINE_TEXTS]),
                                        .text_offsets = view(&loaded[TEXT_OFFSETS]),
                                        .addresses = view(&loaded[ADDRESSES])};
    hsd_info_open(&r.info, &sections);
    if (status == HSD_OK) status = read_entries(&r, err);
    if (status == HSD_OK) status = number_all(&r, err);
    hsd_go_reading_release(&r);
    hsd_info_close(&r.info);
    for (int i = 0; i < SECTIONS; i++)
        hsd_buffer_release(&loaded[i]);
    if (status != HSD_OK) hsd_go_types_release(types);
    return status;
}

void hsd_go_types_release(hsd_go_types *types)
{
    hsd_names_release(&types->names);
    free(types->types);
    free(types->members);
    free(types->globals);
    free(types->functions);
    free(types->by_runtime_type);
    *types = (hsd_go_types){0};
}
