/*
 * DWARF through libdw. See lines.h.
 *
 * Two tables of ranges, each searched by halves: compilation units, made when the file is opened, and the functions of
 * a unit, made when an address lies in it for the first time. From the function down a look-up follows the one block or
 * inlined call that holds the address. Nothing is asked of libdw that would make it open another file.
 */
#include "symbols/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/search.h"
#include "symbols/dies.h"

#ifdef HSD_HAVE_DW
bool hsd_lines_are_supported(void) { return elf_version(EV_CURRENT) != EV_NONE; }

#define DEPTH_MAX 256                 /* of blocks inside a function, of namespaces around it */
#define STEPS_MAX (UINT64_C(1) << 20) /* of one look-up */

typedef struct range {
    uint64_t low, high;
    Dwarf_Off die;
    size_t unit; /* of a unit: its place in `units` */
} range;

typedef struct range_list {
    range *at;
    size_t count, capacity;
} range_list;

typedef struct unit {
    range_list functions;
    bool is_read;
} unit;

struct hsd_lines {
    hsd_buffer copy; /* of the DWARF, as a file of its own */
    Elf *elf;
    Dwarf *dwarf;
    range_list unit_ranges;
    unit *units;
    size_t unit_count, unit_capacity;
    /* for tables: a sound file has fewer entries than bytes, one that leads in circles has not */
    uint64_t steps_left;
    hsd_type_list types;
    hsd_variable_list variables;
};

/* ---- tables of ranges ---- */

static hsd_status add_range(range_list *list, const range *added, hsd_error *err)
{
    if (added->low >= added->high) return HSD_OK;
    HSD_TRY(HSD_ARRAY_GROW(list->at, list->capacity, list->count + 1, 16, "lines", err));
    list->at[list->count++] = *added;
    return HSD_OK;
}

static hsd_status add_ranges_of(hsd_lines *lines, range_list *list, Dwarf_Die *die, size_t unit_, hsd_error *err)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        if (lines->steps_left == 0) return HSD_OK;
        lines->steps_left--;
        const range found = {low, high, dwarf_dieoffset(die), unit_};
        HSD_TRY(add_range(list, &found, err));
    }
    return HSD_OK;
}

static int compare_line(const void *a, const void *b)
{
    const range *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high > y->high ? -1 : 1;
    return x->die < y->die ? -1 : x->die > y->die;
}

static void sort(range_list *list)
{
    if (list->count > 1) qsort(list->at, list->count, sizeof *list->at, compare_line);
}

/* The last range that begins at or before the address, if it holds it. */
static const range *find_range(const range_list *list, uint64_t address)
{
    size_t low;
    HSD_UPPER_BOUND(low, 0, list->count, list->at[low].low, address);
    return low > 0 && address < list->at[low - 1].high ? &list->at[low - 1] : NULL;
}

/* ---- units ---- */

static hsd_status add_unit(hsd_lines *lines, Dwarf_Die *die, hsd_error *err)
{
    HSD_TRY(HSD_ARRAY_GROW(lines->units, lines->unit_capacity, lines->unit_count + 1, 16, "lines", err));
    lines->units[lines->unit_count] = (unit){.is_read = false};
    return add_ranges_of(lines, &lines->unit_ranges, die, lines->unit_count++, err);
}

static hsd_status read_units(hsd_lines *lines, hsd_error *err)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type = 0;
    while (dwarf_get_units(lines->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
        /* A skeleton's functions are in a file of their own. */
        if (type == DW_UT_compile) HSD_TRY(add_unit(lines, &die, err));
    }
    sort(&lines->unit_ranges);
    return HSD_OK;
}

bool hsd_die_is_around(Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* To the sibling behind, never back. */
static bool go_on(Dwarf_Die *die)
{
    const Dwarf_Off before = dwarf_dieoffset(die);
    return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > before;
}

/* The functions below a unit, namespaces and classes inside out. */
static hsd_status read_functions(hsd_lines *lines, range_list *functions, Dwarf_Die *top, hsd_error *err)
{
    Dwarf_Die way[DEPTH_MAX];
    size_t depth = 1;
    if (dwarf_child(top, &way[0]) != 0) return HSD_OK;
    for (; depth > 0 && lines->steps_left > 0; lines->steps_left--) {
        Dwarf_Die *die = &way[depth - 1];
        if (dwarf_tag(die) == DW_TAG_subprogram) HSD_TRY(add_ranges_of(lines, functions, die, 0, err));
        if (depth < DEPTH_MAX && hsd_die_is_around(die) && dwarf_child(die, &way[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0 && !go_on(&way[depth - 1]))
            depth--;
    }
    sort(functions);
    return HSD_OK;
}

hsd_status hsd_lines_open(hsd_lines **out, const hsd_image *image, hsd_error *err)
{
    hsd_lines *lines = calloc(1, sizeof *lines);
    *out = NULL;
    if (lines == NULL) return hsd_fail_nomem(err, "lines");
    lines->steps_left = hsd_image_debug_bytes(image);
    hsd_status status = hsd_image_copy_debug(image, &lines->copy, err);
    if (lines->copy.size > 0) lines->elf = elf_memory((char *)lines->copy.data, lines->copy.size);
    if (lines->elf != NULL) lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    if (status == HSD_OK && lines->dwarf != NULL) status = read_units(lines, err);
    if (status == HSD_OK && lines->dwarf != NULL) {
        *out = lines;
    } else {
        hsd_lines_close(lines);
    }
    return status;
}

/* ---- looking up ---- */

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (name == NULL) name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
    return name != NULL ? name : dwarf_diename(die);
}

/* The child of *die that holds the address, in its place. */
static bool descend(Dwarf_Die *die, uint64_t address, uint64_t *steps_left)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0) return false;
    do {
        if ((*steps_left)-- == 0) return false;
        const int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&child, address) == 1) {
            *die = child;
            return true;
        }
    } while (go_on(&child));
    return false;
}

static const char *without_folders(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path;
}

typedef struct source_line {
    const char *file;
    uint32_t line;
    bool is_of_system;
} source_line; /* file NULL: not known */

static source_line source_line_of(const char *path, uint32_t number)
{
    return (source_line){without_folders(path), number, path != NULL && hsd_die_file_is_of_system(path)};
}

/* Where the call of an inlined function stands in the one around it. */
static source_line call_of(Dwarf_Die *unit_die, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files = NULL;
    size_t count = 0;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0)
        return (source_line){.file = NULL};
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0)
        return (source_line){.file = NULL};
    if (line == 0 || line > INT32_MAX || dwarf_getsrcfiles(unit_die, &files, &count) != 0 || file >= count)
        return (source_line){.file = NULL};
    return source_line_of(dwarf_filesrc(files, (size_t)file, NULL, NULL), (uint32_t)line);
}

/* GCC's and LLVM's libraries have their headers in such a folder. DWARF may know a template of them by a bare name,
 * without its namespace, where one of its arguments is a type of a function: _M_create<notify(long)::<lambda()>>. */
static bool is_of_library(Dwarf_Die *function)
{
    const char *file = dwarf_decl_file(function);
    return file != NULL && strstr(file, "/include/c++/") != NULL;
}

typedef struct inlined_call {
    const char *name;
    source_line from;
    bool is_of_library;
} inlined_call;

static void put_function(hsd_place *out, const inlined_call *call, source_line at)
{
    out->files[out->function_count] = at.file;
    out->lines[out->function_count] = at.line;
    out->is_of_system[out->function_count] = at.is_of_system;
    out->is_of_library[out->function_count] = call->is_of_library;
    out->functions[out->function_count++] = call->name;
}

/* Names from the function inwards, then turned round: each stands where the one inside it is called. Of more than fit
 * the outermost are left out, but for the function itself. */
static void find_functions(Dwarf_Die *unit_die, Dwarf_Die *function, uint64_t address, source_line line, hsd_place *out)
{
    inlined_call calls[DEPTH_MAX];
    size_t count = 0;
    uint64_t steps_left = STEPS_MAX;
    Dwarf_Die die = *function;
    for (size_t depth = 0; depth < DEPTH_MAX; depth++) {
        const char *name = dwarf_tag(&die) == DW_TAG_lexical_block ? NULL : name_of(&die);
        if (name != NULL && name[0] != '\0')
            calls[count++] = (inlined_call){name, call_of(unit_die, &die), is_of_library(&die)};
        if (!descend(&die, address, &steps_left)) break;
    }
    for (; count > 0 && out->function_count + 1 < HSD_INLINED_MAX; line = calls[count].from)
        put_function(out, &calls[--count], line);
    if (count > 0) put_function(out, &calls[0], calls[1].from);
}

static source_line find_line(Dwarf_Die *unit_die, uint64_t address)
{
    int number = 0;
    Dwarf_Line *line = dwarf_getsrc_die(unit_die, address);
    const char *path = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (path == NULL || dwarf_lineno(line, &number) != 0 || number <= 0) return (source_line){.file = NULL};
    return source_line_of(path, (uint32_t)number);
}

/* The unit and the function at the address. */
static hsd_status find_dies(hsd_lines *lines, uint64_t address, Dwarf_Die *unit_die, bool *has_unit,
                            Dwarf_Die *function, bool *has_function, hsd_error *err)
{
    const range *in_unit = find_range(&lines->unit_ranges, address);
    *has_function = false;
    *has_unit = in_unit != NULL && dwarf_offdie(lines->dwarf, in_unit->die, unit_die) != NULL;
    if (!*has_unit) return HSD_OK;
    unit *u = &lines->units[in_unit->unit];
    if (!u->is_read) {
        u->is_read = true;
        HSD_TRY(read_functions(lines, &u->functions, unit_die, err));
    }
    const range *in_function = find_range(&u->functions, address);
    *has_function = in_function != NULL && dwarf_offdie(lines->dwarf, in_function->die, function) != NULL;
    return HSD_OK;
}

hsd_status hsd_lines_scope(hsd_lines *lines, uint64_t address, hsd_scope *out, hsd_error *err)
{
    bool has_unit, has_function;
    uint64_t steps_left = STEPS_MAX;
    *out = (hsd_scope){.count = 0};
    HSD_TRY(find_dies(lines, address, &out->unit, &has_unit, &out->functions[0], &has_function, err));
    if (!has_function) return HSD_OK;
    Dwarf_Die die = out->functions[0];
    out->count = 1;
    for (size_t depth = 0; depth < DEPTH_MAX && out->count < HSD_SCOPE_FUNCTIONS && descend(&die, address, &steps_left);
         depth++)
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine) out->functions[out->count++] = die;
    return HSD_OK;
}

const char *hsd_die_linkage_name(Dwarf_Die *die) { return name_of(die); }

bool hsd_die_go_on(Dwarf_Die *die) { return go_on(die); }

Dwarf *hsd_lines_dwarf(hsd_lines *lines) { return lines->dwarf; }

hsd_type_list *hsd_lines_types(hsd_lines *lines) { return &lines->types; }

hsd_variable_list *hsd_lines_variables(hsd_lines *lines) { return &lines->variables; }

hsd_status hsd_lines_find(hsd_lines *lines, uint64_t address, hsd_place *out, hsd_error *err)
{
    Dwarf_Die unit_die, function;
    bool has_unit, has_function;
    *out = (hsd_place){.function_count = 0};
    HSD_TRY(find_dies(lines, address, &unit_die, &has_unit, &function, &has_function, err));
    if (!has_unit) return HSD_OK;
    const source_line line = find_line(&unit_die, address);
    if (has_function) find_functions(&unit_die, &function, address, line, out);
    if (out->function_count > 0) return HSD_OK;
    out->files[0] = line.file; /* for a name from elsewhere */
    out->lines[0] = line.line;
    return HSD_OK;
}

void hsd_lines_close(hsd_lines *lines)
{
    if (lines == NULL) return;
    for (size_t i = 0; i < lines->unit_count; i++)
        free(lines->units[i].functions.at);
    free(lines->units);
    free(lines->types.at);
    free(lines->variables.at);
    free(lines->unit_ranges.at);
    dwarf_end(lines->dwarf);
    elf_end(lines->elf);
    hsd_buffer_release(&lines->copy);
    free(lines);
}

#else

bool hsd_lines_are_supported(void) { return false; }

hsd_status hsd_lines_open(hsd_lines **out, const hsd_image *image, hsd_error *err)
{
    (void)image, (void)err;
    *out = NULL;
    return HSD_OK;
}

hsd_status hsd_lines_find(hsd_lines *lines, uint64_t address, hsd_place *out, hsd_error *err)
{
    (void)lines, (void)address, (void)err;
    *out = (hsd_place){.function_count = 0};
    return HSD_OK;
}

void hsd_lines_close(hsd_lines *lines) { (void)lines; }

#endif
