/* A list of all variables of an image that are structures, by their addresses. See variables.h. */
#include "symbols/variables.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "symbols/flow_places.h"

#ifdef HSD_HAVE_DW

enum { VARIABLES_MAX = 1 << 18, WORD_BYTES = 8, MOST_PIECES = 64 };

/* Those that each thread has stand behind all others, by how far behind the first of them they are. */
#define OF_THREADS (UINT64_C(1) << 63)

typedef struct hsd_listed_variable {
    uint64_t low, bytes;
    uint64_t skipped; /* of the variable, in front of what stands there */
    Dwarf_Off die;
} hsd_listed_variable;

/* ---- the list ---- */

static hsd_status add_listed(hsd_variable_list *list, const hsd_listed_variable *added, hsd_error *err)
{
    if (list->count >= VARIABLES_MAX) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(list->at, list->capacity, list->count + 1, 64, "variables", err));
    list->at[list->count++] = *added;
    return HSD_OK;
}

static hsd_status list_pieces(hsd_variable_list *list, Dwarf_Die *die, uint64_t bytes, hsd_error *err)
{
    hsd_flow_piece pieces[MOST_PIECES];
    const size_t count = hsd_flow_variable_pieces(die, pieces, MOST_PIECES);
    for (size_t i = 0; i < count; i++) {
        const hsd_flow_piece *piece = &pieces[i];
        const bool is_inside = piece->skipped < bytes && piece->bytes <= bytes - piece->skipped;
        const hsd_listed_variable added = {piece->address, piece->bytes, piece->skipped, dwarf_dieoffset(die)};
        if (is_inside) HSD_TRY(add_listed(list, &added, err));
    }
    return HSD_OK;
}

/* A word is a structure, too, where that has one member. */
static bool has_members(Dwarf_Die *type, uint64_t bytes)
{
    Dwarf_Die plain;
    return bytes > WORD_BYTES ||
           (bytes == WORD_BYTES && dwarf_peel_type(type, &plain) == 0 && dwarf_tag(&plain) == DW_TAG_structure_type);
}

static hsd_status list_variable(void *context, Dwarf_Die *die, hsd_error *err)
{
    hsd_variable_list *list = context;
    Dwarf_Die type;
    Dwarf_Word bytes;
    uint64_t low;
    if (dwarf_tag(die) != DW_TAG_variable || list->count >= VARIABLES_MAX) return HSD_OK;
    if (!hsd_type_of(die, &type) || dwarf_aggregate_size(&type, &bytes) != 0 || !has_members(&type, bytes))
        return HSD_OK;
    const bool is_of_thread = hsd_flow_variable_of_thread(die, &low);
    if (!is_of_thread && !hsd_flow_variable_address(die, &low)) return list_pieces(list, die, bytes, err);
    if (is_of_thread) low |= OF_THREADS;
    return add_listed(list, &(hsd_listed_variable){low, bytes, 0, dwarf_dieoffset(die)}, err);
}

/* Functions have variables that outlive them: what a singleton is. */
static bool is_around_variables(Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || hsd_die_is_around(die);
}

static int compare_variables(const void *a, const void *b)
{
    const hsd_listed_variable *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->die < y->die ? -1 : x->die > y->die;
}

static hsd_status read_variables(hsd_lines *lines, hsd_variable_list *list, hsd_error *err)
{
    list->is_read = true;
    HSD_TRY(hsd_dies_walk(lines, is_around_variables, list_variable, list, err));
    if (list->count > 1) qsort(list->at, list->count, sizeof *list->at, compare_variables);
    return HSD_OK;
}

/* ---- looking up ---- */

hsd_status hsd_variable_append_member(hsd_lines *lines, uint64_t address, hsd_buffer *out, hsd_error *err)
{
    hsd_variable_list *list = hsd_lines_variables(lines);
    Dwarf_Die die, type;
    bool is_beside;
    size_t at;
    if (!list->is_read) HSD_TRY(read_variables(lines, list, err));
    HSD_UPPER_BOUND(at, 0, list->count, list->at[at].low, address);
    if (at == 0 || address - list->at[at - 1].low >= list->at[at - 1].bytes) return HSD_OK;
    if (dwarf_offdie(hsd_lines_dwarf(lines), list->at[at - 1].die, &die) == NULL || !hsd_type_of(&die, &type))
        return HSD_OK;
    return hsd_type_append_way(out, &type, address - list->at[at - 1].low + list->at[at - 1].skipped, &is_beside, err);
}

hsd_status hsd_variable_append_thread_member(hsd_lines *lines, uint64_t offset, hsd_buffer *out, hsd_error *err)
{
    return hsd_variable_append_member(lines, offset | OF_THREADS, out, err);
}

#else

hsd_status hsd_variable_append_member(hsd_lines *lines, uint64_t address, hsd_buffer *out, hsd_error *err)
{
    (void)lines, (void)address, (void)out, (void)err;
    return HSD_OK;
}

hsd_status hsd_variable_append_thread_member(hsd_lines *lines, uint64_t offset, hsd_buffer *out, hsd_error *err)
{
    (void)lines, (void)offset, (void)out, (void)err;
    return HSD_OK;
}

#endif
