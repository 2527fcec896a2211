/*
 * What the DWARF of a Go program says of its types, its global variables and functions: tables, made in one pass over
 * .debug_info. A type has a number from 1; 0 is none. Types that are only other names for a type (Go's linker writes
 * one for each) lead to it by hsd_go_types_resolve. Functions that capture variables have a type that no program
 * writes: the structure of their closures (from Go 1.23 on); so have method values, whose closure is the code and the
 * receiver.
 *
 * The bytes are hostile: a type may lead to itself, be larger than memory, have members outside of it. What is bounded
 * here: the number of names that lead on (64), and every target is a type of the table or 0.
 */
#ifndef HSD_GO_DWARF_GO_TYPES_H
#define HSD_GO_DWARF_GO_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "elf/elf.h"

typedef enum hsd_go_type_kind {
    HSD_GO_IS_OTHER,
    HSD_GO_IS_BASE,
    HSD_GO_IS_POINTER,
    HSD_GO_IS_STRUCT,
    HSD_GO_IS_ARRAY,
    HSD_GO_IS_ALIAS,
    HSD_GO_IS_FUNCTION
} hsd_go_type_kind;

/* Go's kinds (reflect.Kind), where the linker gives them. */
enum {
    HSD_GO_ARRAY = 17,
    HSD_GO_CHAN = 18,
    HSD_GO_FUNC = 19,
    HSD_GO_INTERFACE = 20,
    HSD_GO_MAP = 21,
    HSD_GO_POINTER = 22,
    HSD_GO_SLICE = 23,
    HSD_GO_STRING = 24,
    HSD_GO_STRUCT = 25,
    HSD_GO_UNSAFE_POINTER = 26
};

typedef struct hsd_go_type {
    uint64_t die;                  /* its offset in .debug_info; ascending in the table */
    uint64_t size, count;          /* of an array: elements */
    uint64_t target;               /* a type: what it points to, consists of, is another name for */
    uint64_t runtime_type;         /* where the program's own description of it is; 0 = it has none */
    uint32_t name;                 /* of `names` */
    uint32_t member, member_count; /* the first of them in `members` */
    uint8_t kind, go_kind;
} hsd_go_type;

typedef struct hsd_go_member {
    uint64_t offset, type;
    uint32_t name;
} hsd_go_member;

typedef struct hsd_go_global {
    uint64_t address, type;
    uint32_t name;
} hsd_go_global;

typedef struct hsd_go_function {
    uint64_t low, high;
    uint32_t name;
    /* a structure "func main.main.func1": its code, and what it captured; 0 = it captures nothing that is told */
    uint32_t closure;
    /* of what the compiler wraps around `go f(x)`: the name of f where its code was copied into the wrapper; 0 = it is
     * not told */
    uint32_t calls;
    bool is_wrapper; /* the compiler says so; up to Go 1.21 its name does not */
} hsd_go_function;

typedef struct hsd_go_types {
    hsd_names names;
    hsd_go_type *types; /* [0] is none */
    hsd_go_member *members;
    hsd_go_global *globals;     /* by address */
    hsd_go_function *functions; /* likewise */
    uint32_t type_count, type_room, member_count, member_room, global_count, global_room, function_count, function_room;
    uint32_t *by_runtime_type; /* types that have one, by it */
    uint32_t runtime_type_count;
    uint64_t most_bytes;
} hsd_go_types;

/*
 * Reads them. `runtime_types` is the address of the symbol runtime.types. HSD_E_NOT_FOUND when the file has no DWARF or
 * none of a Go program; HSD_E_OVER_BUDGET past `most_bytes`; as hsd_elf_load and hsd_info_next. O(.debug_info).
 */
hsd_status hsd_go_types_read(hsd_go_types *types, const hsd_elf *elf, uint64_t runtime_types, uint64_t most_bytes,
                             hsd_error *err);
void hsd_go_types_release(hsd_go_types *types);
uint64_t hsd_go_types_memory(const hsd_go_types *types);

/* The type behind all names for it; 0 for what leads nowhere. */
uint32_t hsd_go_types_resolve(const hsd_go_types *types, uint32_t type);

/* Bytes of a value; 0 = not known. */
uint64_t hsd_go_types_size(const hsd_go_types *types, uint32_t type);

static inline const hsd_go_type *hsd_go_types_get(const hsd_go_types *types, uint32_t type)
{
    return &types->types[type];
}
static inline const char *hsd_go_types_text(const hsd_go_types *types, uint32_t name)
{
    return (const char *)hsd_names_get(&types->names, name).data;
}

/* The type whose entry stands there; 0 = none. O(log). */
uint32_t hsd_go_types_of_entry(const hsd_go_types *types, uint64_t die);

/* The structure of this name; 0 = none. O(types). */
uint32_t hsd_go_types_named(const hsd_go_types *types, const char *name);

/* The member at a path "state.s.value" of a structure: its type resolved, its offset from the beginning. False if there
 * is none. */
bool hsd_go_types_member(const hsd_go_types *types, uint32_t type, const char *path, uint64_t *offset,
                         uint32_t *member_type);

/* The global variable that holds this address; NULL = none. O(log). */
const hsd_go_global *hsd_go_types_global_at(const hsd_go_types *types, uint64_t address);

/* The global of this name; NULL = none. O(globals). */
const hsd_go_global *hsd_go_types_global_named(const hsd_go_types *types, const char *name);

/* The function that holds this address; NULL = none. O(log). */
const hsd_go_function *hsd_go_types_code_at(const hsd_go_types *types, uint64_t address);

/* The name of the function that holds this address; NULL = none. O(log). */
const char *hsd_go_types_function_at(const hsd_go_types *types, uint64_t address);

/* Is this what the compiler wraps around a call in `go f(x)` or `defer f(x)`? By its name, and by what it says of it.
 */
bool hsd_go_is_wrapper(const char *function);
bool hsd_go_types_is_wrapper(const hsd_go_types *types, const hsd_go_function *function);

/* The type that the program's description at this address is of; 0 = none. O(log). */
uint32_t hsd_go_types_by_runtime_type(const hsd_go_types *types, uint64_t address);

#endif
