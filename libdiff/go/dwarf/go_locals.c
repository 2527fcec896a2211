/*
 * Functions that hold one of the places, their variables, and of each the expression that holds there: by itself, or
 * from a list (.debug_loc up to DWARF 4, .debug_loclists from 5 on). Go's expressions are of few kinds: a place
 * relative to the frame, a register, or pieces of such.
 */
#include "go/dwarf/go_locals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/search.h"
#include "go/dwarf/info.h"

enum {
    OP_FRAME = 0x91,
    OP_CFA = 0x9c,
    OP_PIECE = 0x93,
    OP_REGISTER = 0x50,
    OP_LAST_REGISTER = 0x6f,
    OP_REGISTER_X = 0x90
};
enum {
    LIST_END,
    LIST_BASE_X,
    LIST_START_X_END_X,
    LIST_START_X_LENGTH,
    LIST_OFFSETS,
    LIST_DEFAULT,
    LIST_BASE,
    LIST_START_END,
    LIST_START_LENGTH
};

#define MOST_NAME ((size_t)256)

/* A variable of a function that is copied elsewhere; copies lead to its entry, and it alone has the type and the name.
 */
typedef struct original {
    uint32_t entry, type, name;
} original;

typedef struct finding {
    hsd_go_locals *locals;
    const hsd_go_types *types;
    hsd_info info;
    hsd_bytes lists; /* of the kind that the program has */
    const uint64_t *pcs;
    size_t pc_count, first, last; /* places in the function under way */
    uint64_t most_bytes, taken_bytes, work_left;
    original *originals; /* in the order of their entries */
    size_t original_count, original_room;
    bool is_original; /* the function under way has no code of its own */
    bool is_copy;     /* type and name of the variable under way are those of its origin */
    uint32_t name;    /* of the variable under way, else */
} finding;

/* ---- expressions ---- */

static hsd_status add_local(finding *f, uint64_t pc, uint64_t type, int64_t offset, uint64_t part, bool is_whole,
                            hsd_error *err)
{
    hsd_go_locals *locals = f->locals;
    if (locals->count == locals->room) {
        const uint64_t room = hsd_array_next(locals->room, (uint64_t)locals->count + 1, 256);
        if (room > UINT32_MAX / 4 || f->taken_bytes + room * sizeof *locals->at > f->most_bytes)
            return hsd_fail(err, HSD_E_OVER_BUDGET, "the variables on stacks take more than %" PRIu64 " MiB",
                            f->most_bytes >> 20);
        HSD_TRY(HSD_ARRAY_GROW(locals->at, locals->room, room, 0, "variables", err));
    }
    locals->at[locals->count++] = (hsd_go_local){.pc = pc,
                                                 .offset = offset,
                                                 .part = part,
                                                 .type = (uint32_t)type,
                                                 .name = f->name,
                                                 .is_whole = is_whole,
                                                 .is_copy = f->is_copy};
    return HSD_OK;
}

/* One place: *is_there when it is on the stack. False when it is none that is known here. */
static bool read_place(hsd_bytes expression, uint64_t *at, int64_t *offset, bool *is_there)
{
    uint64_t number;
    const uint8_t op = expression.data[*at];
    *is_there = op == OP_FRAME || op == OP_CFA;
    *offset = 0;
    if (op == OP_PIECE) return true; /* a piece that is nowhere */
    ++*at;
    if (op == OP_FRAME) return hsd_info_sleb(expression, at, offset);
    if (op == OP_REGISTER_X) return hsd_info_uleb(expression, at, &number);
    return op == OP_CFA || (op >= OP_REGISTER && op <= OP_LAST_REGISTER);
}

static hsd_status take_expression(finding *f, uint64_t pc, uint64_t type, hsd_bytes expression, hsd_error *err)
{
    uint64_t at = 0, part = 0, bytes;
    int64_t offset;
    bool is_there;
    while (at < expression.size && read_place(expression, &at, &offset, &is_there)) {
        if (at == expression.size) return is_there && part == 0 ? add_local(f, pc, type, offset, 0, true, err) : HSD_OK;
        if (expression.data[at++] != OP_PIECE || !hsd_info_uleb(expression, &at, &bytes)) return HSD_OK;
        if (is_there) HSD_TRY(add_local(f, pc, type, offset, part, false, err));
        if (!hsd_add_u64(part, bytes, &part)) return HSD_OK;
    }
    return HSD_OK;
}

/* ---- lists ---- */

static bool take_block(hsd_bytes lists, uint64_t *at, uint64_t size, hsd_bytes *out)
{
    if (*at > lists.size || size > lists.size - *at) return false;
    *out = (hsd_bytes){lists.data + *at, (size_t)size};
    *at += size;
    return true;
}

/* The next of an old list: a pair of addresses relative to the base, or (greatest, base), or zeros at its end. */
static bool next_old(const finding *f, uint64_t *at, uint64_t *base, uint64_t *low, uint64_t *high,
                     hsd_bytes *expression)
{
    uint64_t size;
    for (;;) {
        if (!hsd_info_number(f->lists, at, 8, low) || !hsd_info_number(f->lists, at, 8, high) ||
            (*low == 0 && *high == 0))
            return false;
        if (*low != UINT64_MAX) break;
        *base = *high;
    }
    *low += *base;
    *high += *base;
    return hsd_info_number(f->lists, at, 2, &size) && take_block(f->lists, at, size, expression);
}

static bool next_new(const finding *f, uint64_t *at, uint64_t *base, uint64_t *low, uint64_t *high,
                     hsd_bytes *expression)
{
    uint64_t kind, size;
    for (;;) {
        if (!hsd_info_number(f->lists, at, 1, &kind) || kind == LIST_END) return false;
        if (kind == LIST_BASE_X) {
            if (!hsd_info_uleb(f->lists, at, &size) || !hsd_info_address(&f->info, size, base)) return false;
        } else if (kind == LIST_BASE) {
            if (!hsd_info_number(f->lists, at, 8, base)) return false;
        } else {
            break;
        }
    }
    *low = *high = 0;
    bool is_valid = true;
    if (kind == LIST_OFFSETS) {
        is_valid = hsd_info_uleb(f->lists, at, low) && hsd_info_uleb(f->lists, at, high);
        *low += *base;
        *high += *base;
    } else if (kind == LIST_START_END) {
        is_valid = hsd_info_number(f->lists, at, 8, low) && hsd_info_number(f->lists, at, 8, high);
    } else if (kind == LIST_START_LENGTH) {
        is_valid = hsd_info_number(f->lists, at, 8, low) && hsd_info_uleb(f->lists, at, high);
        *high += *low;
    } else if (kind == LIST_START_X_LENGTH || kind == LIST_START_X_END_X) {
        is_valid = hsd_info_uleb(f->lists, at, &size) && hsd_info_address(&f->info, size, low) &&
                   hsd_info_uleb(f->lists, at, high);
        if (is_valid && kind == LIST_START_X_END_X)
            is_valid = hsd_info_address(&f->info, *high, high);
        else
            *high += *low;
    } else if (kind == LIST_DEFAULT) {
        *high = UINT64_MAX;
    } else {
        return false;
    }
    return is_valid && hsd_info_uleb(f->lists, at, &size) && take_block(f->lists, at, size, expression);
}

static hsd_status take_list(finding *f, uint64_t type, uint64_t list, hsd_error *err)
{
    uint64_t base = 0, low, high;
    hsd_bytes expression;
    while (f->work_left > 0 && (f->info.version >= 5 ? next_new(f, &list, &base, &low, &high, &expression)
                                                     : next_old(f, &list, &base, &low, &high, &expression)))
        for (size_t i = f->first; f->work_left > 0 && i < f->last; i++) {
            f->work_left--;
            if (f->pcs[i] >= low && f->pcs[i] < high) HSD_TRY(take_expression(f, f->pcs[i], type, expression, err));
        }
    return HSD_OK;
}

/* ---- entries ---- */

static size_t count_below(const finding *f, uint64_t pc)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, f->pc_count, f->pcs[low], pc);
    return low;
}

/* A place in the names of all, 0 where there is none, or no room. */
static hsd_status keep_name(finding *f, const char *name, uint32_t *out, hsd_error *err)
{
    hsd_buffer *names = &f->locals->names;
    const size_t size = name == NULL ? 0 : strlen(name);
    *out = 0;
    if (size == 0 || size > MOST_NAME || names->size + size >= f->most_bytes / 16) return HSD_OK;
    if (names->size == 0) HSD_TRY(hsd_buffer_append(names, "", 1, err));
    *out = (uint32_t)names->size;
    return hsd_buffer_append(names, name, size + 1, err);
}

/* More than there is room for have no types. */
static hsd_status keep_original(finding *f, const hsd_die *die, hsd_error *err)
{
    if (f->original_count == f->original_room) {
        const uint64_t room = hsd_array_next(f->original_room, (uint64_t)f->original_count + 1, 256);
        if (f->taken_bytes + room * sizeof *f->originals > f->most_bytes / 2) return HSD_OK;
        HSD_TRY(HSD_ARRAY_GROW(f->originals, f->original_room, room, 0, "variables", err));
    }
    uint32_t name;
    HSD_TRY(keep_name(f, die->name, &name, err));
    f->originals[f->original_count++] = (original){(uint32_t)die->offset, (uint32_t)die->type, name};
    return HSD_OK;
}

static void take_from_origin(const finding *f, hsd_go_local *local)
{
    size_t low;
    HSD_LOWER_BOUND(low, 0, f->original_count, f->originals[low].entry, local->type);
    const bool is_there = low < f->original_count && f->originals[low].entry == local->type;
    local->type = is_there ? f->originals[low].type : 0;
    local->name = is_there ? f->originals[low].name : 0;
}

static hsd_status take_entry(finding *f, const hsd_die *die, hsd_error *err)
{
    if (die->depth <= 1) {
        f->first = f->last = 0;
        f->is_original = die->tag == HSD_TAG_SUBPROGRAM && die->low_pc >= die->high_pc;
    }
    if (die->tag == HSD_TAG_SUBPROGRAM && die->low_pc < die->high_pc) {
        f->first = count_below(f, die->low_pc);
        f->last = count_below(f, die->high_pc);
    }
    const bool is_variable = die->tag == HSD_TAG_VARIABLE || die->tag == HSD_TAG_PARAMETER;
    if (is_variable && f->is_original && die->type != 0) return keep_original(f, die, err);
    f->is_copy = die->type == 0;
    const uint64_t type = f->is_copy ? die->origin : die->type;
    if (!is_variable || f->first == f->last || type == 0) return HSD_OK;
    f->name = 0;
    if (!f->is_copy) HSD_TRY(keep_name(f, die->name, &f->name, err));
    if (die->locations != 0) return take_list(f, type, die->locations - 1, err);
    for (size_t i = f->first; i < f->last && f->work_left > 0; i++) {
        f->work_left--;
        HSD_TRY(take_expression(f, f->pcs[i], type, die->location, err));
    }
    return HSD_OK;
}

static int by_pc(const void *a, const void *b)
{
    const hsd_go_local *x = a, *y = b;
    if (x->pc != y->pc) return x->pc < y->pc ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->part < y->part ? -1 : x->part > y->part;
}

static hsd_status read_entries(finding *f, hsd_error *err)
{
    hsd_die die;
    hsd_status status;
    while ((status = hsd_info_next(&f->info, &die, err)) == HSD_OK) {
        if (die.tag == HSD_TAG_UNIT && die.language != HSD_LANGUAGE_GO)
            hsd_info_skip_unit(&f->info);
        else
            HSD_TRY(take_entry(f, &die, err));
    }
    return status == HSD_END ? HSD_OK : status;
}

/* ---- all ---- */

hsd_status hsd_go_locals_read(hsd_go_locals *locals, const hsd_go_types *types, const hsd_elf *elf, const uint64_t *pcs,
                              size_t pc_count, uint64_t most_bytes, hsd_error *err)
{
    enum { INFO, ABBREVIATIONS, ADDRESSES, LISTS, OLD_LISTS, SECTIONS };
    static const char *const names[SECTIONS] = {".debug_info", ".debug_abbrev", ".debug_addr", ".debug_loclists",
                                                ".debug_loc"};
    hsd_buffer loaded[SECTIONS] = {0};
    finding f = {.locals = locals, .types = types, .pcs = pcs, .pc_count = pc_count, .most_bytes = most_bytes};
    hsd_status status = HSD_OK;
    *locals = (hsd_go_locals){0};
    for (int i = 0; i < SECTIONS && status == HSD_OK; i++) {
        status =
            hsd_elf_load(elf, names[i], f.taken_bytes < most_bytes ? most_bytes - f.taken_bytes : 0, &loaded[i], err);
        f.taken_bytes += loaded[i].capacity;
        if (status == HSD_E_NOT_FOUND && i > ABBREVIATIONS) status = HSD_OK;
    }
    const hsd_buffer *lists = loaded[LISTS].size > 0 ? &loaded[LISTS] : &loaded[OLD_LISTS];
    f.lists = (hsd_bytes){lists->data, lists->size};
    f.work_left = 64 * ((uint64_t)f.lists.size + loaded[INFO].size) + 65536;
    const hsd_info_sections sections = {.info = {loaded[INFO].data, loaded[INFO].size},
                                        .abbreviations = {loaded[ABBREVIATIONS].data, loaded[ABBREVIATIONS].size},
                                        .addresses = {loaded[ADDRESSES].data, loaded[ADDRESSES].size}};
    hsd_info_open(&f.info, &sections);
    if (status == HSD_OK) status = read_entries(&f, err);
    hsd_info_close(&f.info);
    for (uint32_t i = 0; i < locals->count; i++) {
        if (locals->at[i].is_copy) take_from_origin(&f, &locals->at[i]);
        locals->at[i].type = hsd_go_types_of_entry(types, locals->at[i].type);
    }
    free(f.originals);
    if (locals->count > 1) qsort(locals->at, locals->count, sizeof *locals->at, by_pc);
    for (int i = 0; i < SECTIONS; i++)
        hsd_buffer_release(&loaded[i]);
    if (status != HSD_OK) hsd_go_locals_release(locals);
    return status;
}

uint32_t hsd_go_locals_find(const hsd_go_locals *locals, uint64_t pc)
{
    uint32_t low;
    HSD_LOWER_BOUND(low, 0, locals->count, locals->at[low].pc, pc);
    return low < locals->count && locals->at[low].pc == pc ? low : locals->count;
}

void hsd_go_locals_release(hsd_go_locals *locals)
{
    free(locals->at);
    hsd_buffer_release(&locals->names);
    *locals = (hsd_go_locals){0};
}
