/*
 * The ELF files that are mapped, by which an address is named so that another run of the program can name it too:
 *
 *      MODULE+0xOFFSET{BUILDID}        (capture/FORMAT.md 7.12)
 *
 * Found by their first mapping; where they end and their build id are read from their own program headers and notes, in
 * memory.
 */
#ifndef HSN_MODULES_H
#define HSN_MODULES_H

#include "native/library.h"
#include "native/walk/maps.h"

enum { HSN_NAME_BYTES = 512 };

typedef struct hsn_module {
    uintptr_t low, high; /* from its first byte to its last, bss included */
    uintptr_t bias;      /* address - bias = address as the file counts them */
    const char *name;    /* not ended by NUL, as FORMAT.md wants it */
    uint32_t name_size, build_id_size;
    uint8_t build_id[HSN_BUILD_ID_BYTES];
    bool is_allocator; /* allocates for others: no place of allocation of its own */
    bool is_of_system; /* the C library and what belongs to it: works for its callers, and waits for them */
    bool is_strings;   /* libstdc++: std::string is in it */
    bool is_loader;    /* ld.so: what it allocates is reached in ways that no scan sees */
} hsn_module;

typedef struct hsn_modules {
    hsn_module *modules; /* ascending */
    size_t count;
    const hsn_module *own;     /* of the agent, unless it is linked into the program */
    const hsn_module *program; /* that was executed; NULL = not known */
    const hsn_maps *maps;      /* borrowed */
} hsn_modules;

bool hsn_modules_find(hsn_modules *modules, const hsn_maps *maps, hsa_arena *arena);

/* NULL = the address lies in none. */
const hsn_module *hsn_module_of(const hsn_modules *modules, uintptr_t address);

/* Writes the name of an address, also in a library that is gone (gone.h); "(no file)" where it lies in none. How many
 * bytes: fewer than HSN_NAME_BYTES. */
size_t hsn_name_address(const hsn_modules *modules, uintptr_t address, char out[HSN_NAME_BYTES]);

/* Text into a buffer: both return where the next byte goes. */
char *hsn_put_text(char *out, const char *text, size_t size);
char *hsn_put_number(char *out, uint64_t number);

#endif
