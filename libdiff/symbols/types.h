/*
 * Types as DWARF has them: what a pointer leads to, what stands at an offset, how a type is called and how much memory
 * it takes. Only in builds that have libdw. All walks are bounded: types that lead in circles end.
 */
#ifndef HSD_SYMBOLS_TYPES_H
#define HSD_SYMBOLS_TYPES_H

#include "base/buffer.h"
#include "symbols/dies.h"

#ifdef HSD_HAVE_DW

typedef struct hsd_type_name {
    hsd_buffer text; /* as people write it; empty: it has no name */
    uint64_t bytes;  /* of one; 0 = not known */
    /* a number, a character, a pointer to one or to anything: a name that many things share */
    bool says_little;
    bool is_open_ended; /* a structure that ends with an array of no certain length */
} hsd_type_name;        /* zeroed: empty */

/* The type of a variable, a member, a parameter, or what a function returns. False if it has none. */
bool hsd_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* What pointers of this type lead to, through typedefs and const. False where it is no pointer, or one to anything
 * (void *). */
bool hsd_type_pointee(Dwarf_Die *type, Dwarf_Die *pointee);

/* The same of a reference, too. What it leads to is what a T & or a T * is about. */
bool hsd_type_target(Dwarf_Die *type, Dwarf_Die *target);

/* True for a pointer to anything, or to characters: the types of functions that allocate for others. */
bool hsd_type_is_bare_pointer(Dwarf_Die *type);

/* Iterators of libstdc++'s nodes: the item that one leads to, and where that begins in the node. */
bool hsd_type_item(Dwarf_Die *iterator, Dwarf_Die *item, uint64_t *skipped);

/* What a compiler and a library call so: _Rb_tree_node_base. */
bool hsd_type_is_reserved(Dwarf_Die *type);

/* A structure, a class or a union. */
bool hsd_type_is_aggregate(Dwarf_Die *type);

/* What the pointer leads to that stands at this offset of a type: in a structure, an array, a base class, what a node
 * of a container has room for. False where none stands, or, in a union, several. */
bool hsd_type_pointee_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *pointee);

/*
 * The way from the beginning of a type to what stands at this offset, as a program says it: ".cart", ".address.street"
 * in a structure within, "[*].cart" in one of an array of structures. Appended; nothing where there is none, or in a
 * union several. Members of libraries (_M_start) are no program's: they are left out, but what the program put into
 * them is not. *is_beside: the word leads to a node of a container that another word of it leads to as well, by all
 * nodes before. HSD_E_NOMEM.
 */
hsd_status hsd_type_append_way(hsd_buffer *out, Dwarf_Die *type, uint64_t offset, bool *is_beside, hsd_error *err);

/* The same of a structure, as the name of a member: "cart", "address.street". */
hsd_status hsd_type_append_member(hsd_buffer *out, Dwarf_Die *type, uint64_t offset, bool *is_beside, hsd_error *err);

/* The member that stands there, as the structure calls it; NULL where there is none, or in a union several. */
const char *hsd_type_member_at(Dwarf_Die *type, uint64_t offset);

/* A type of a library of Rust or Zig, which tells where it comes from. HSD_E_NOMEM. */
hsd_status hsd_type_is_of_library(Dwarf_Die *type, bool *is_it, hsd_error *err);

/* The name that DWARF has of a type of Rust, "[u8; 200]" of an array, which has none, and in front of one of a closure
 * or an async function the path of that, which it is known by. HSD_E_NOMEM. */
hsd_status hsd_type_append_rust_name(hsd_buffer *out, Dwarf_Die *type, hsd_error *err);

/* What the first argument of a template is that is a type. */
bool hsd_type_argument(Dwarf_Die *type, Dwarf_Die *argument);

/* Fills a name that was emptied. Anonymous types but for closures of C++, functions and arrays have none. HSD_E_NOMEM.
 */
hsd_status hsd_type_describe(hsd_type_name *out, Dwarf_Die *type, hsd_error *err);
void hsd_type_release(hsd_type_name *name);

/*
 * Whether a block may hold these, one or several and nothing else: a block of size class `most_bytes` has more than
 * three quarters of that, or in small classes more than that less 8. *is_array tells of several. Where the code says
 * how many bytes one of them has, `exact_bytes`, it is one of that size; 0 = it does not.
 */
bool hsd_type_fits(const hsd_type_name *name, uint64_t most_bytes, uint64_t exact_bytes, bool *is_array);

#endif
#endif
