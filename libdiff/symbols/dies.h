/*
 * The entries of DWARF at an address, for those that ask more of them than names. Only in builds that have libdw.
 */
#ifndef HSD_SYMBOLS_DIES_H
#define HSD_SYMBOLS_DIES_H

#include "symbols/lines.h"

#ifdef HSD_HAVE_DW
#include <dwarf.h>
#include <elfutils/libdw.h>

#define HSD_SCOPE_FUNCTIONS 48u

typedef struct hsd_scope {
    Dwarf_Die unit;
    /* the function, then the calls that were inlined there, from the outside in; of more the first */
    Dwarf_Die functions[HSD_SCOPE_FUNCTIONS];
    size_t count; /* 0: the address lies in no function that is known */
} hsd_scope;

hsd_status hsd_lines_scope(hsd_lines *lines, uint64_t address, hsd_scope *out, hsd_error *err);

/* The linkage name of a function, else its name; of inlined calls those of what was inlined. NULL = it has none. */
const char *hsd_die_linkage_name(Dwarf_Die *die);

/* The variables of an image that are structures (variables.h), made when the first is asked for. */
typedef struct hsd_variable_list {
    struct hsd_listed_variable *at; /* ascending */
    size_t count, capacity;
    bool is_read;
} hsd_variable_list; /* zeroed: not read */

/* The types of an image by their names (named_types.h), made when the first is asked for. */
typedef struct hsd_type_list {
    struct hsd_listed_type *at; /* by the hash of the name */
    size_t count, capacity;
    bool is_read;
} hsd_type_list; /* zeroed: not read */

/* All are the image's, until close. */
Dwarf *hsd_lines_dwarf(hsd_lines *lines);
hsd_type_list *hsd_lines_types(hsd_lines *lines);
hsd_variable_list *hsd_lines_variables(hsd_lines *lines);

/* True if types and functions may be inside: a namespace, a class. */
bool hsd_die_is_around(Dwarf_Die *die);

typedef hsd_status (*hsd_die_fn)(void *context, Dwarf_Die *die, hsd_error *err);

/* Shows `visit` all entries of all units, those inside others where `is_around` says that any may be inside; of a
 * hostile file the first 2^24. What `visit` fails with. */
hsd_status hsd_dies_walk(hsd_lines *lines, bool (*is_around)(Dwarf_Die *die), hsd_die_fn visit, void *context,
                         hsd_error *err);

/* A header that was installed, a crate: of a library, not of the program. */
bool hsd_die_file_is_of_system(const char *path);

/* To the sibling behind, never back: lists that lead in circles end. */
bool hsd_die_go_on(Dwarf_Die *die);

#endif
#endif
