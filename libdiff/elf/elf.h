/*
 * An ELF file of 64 bits, little-endian: its segments, its sections, what is in them. Of executables and of cores
 * alike, so nothing is ever mapped or read whole but the sections that are asked for. The file is hostile: every number
 * of it is checked before it is used, tables have a most, and what is past the end of the file is not there.
 */
#ifndef HSD_ELF_ELF_H
#define HSD_ELF_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include <hsdiff/status.h>

/* Where the bytes are. `read` gives all of `size` bytes at `offset`, or fails. */
typedef struct hsd_elf_input {
    hsd_status (*read)(void *context, uint64_t offset, void *data, size_t size, hsd_error *err);
    void *context;
    uint64_t bytes; /* size of the file */
} hsd_elf_input;

enum { HSD_ELF_EXECUTABLE = 2, HSD_ELF_SHARED = 3, HSD_ELF_CORE = 4 }; /* types of a file */
enum { HSD_ELF_LOAD = 1, HSD_ELF_NOTE = 4 };                           /* types of a segment */
enum { HSD_ELF_WRITABLE = 2 };                                         /* flags of a segment */

typedef struct hsd_elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_bytes, memory_bytes; /* file_bytes: at most what the file has */
} hsd_elf_segment;

typedef struct hsd_elf_section {
    uint32_t name, type, link; /* name: its offset in section_names */
    uint64_t flags, address, offset, bytes, entry_bytes;
} hsd_elf_section;

typedef struct hsd_elf {
    hsd_elf_input input;
    int fd;
    bool is_owned; /* the descriptor is its own */
    bool is_cut;   /* segments go on behind the end of the file */
    unsigned type, machine;
    uint64_t entry; /* where the program begins */
    hsd_elf_segment *segments;
    hsd_elf_section *sections;
    uint32_t segment_count, section_count;
    hsd_buffer section_names; /* ends with NUL */
} hsd_elf;

/*
 * Reads the tables. HSD_E_NOT_THIS_FORMAT for what is no ELF file, HSD_E_UNSUPPORTED for 32 bits or another order of
 * bytes, HSD_E_CORRUPT for tables that lie outside the file, HSD_E_NOMEM, HSD_E_IO. Segments of a cut core are cut;
 * sections that cannot be read are none.
 */
hsd_status hsd_elf_open(hsd_elf *elf, const hsd_elf_input *input, hsd_error *err);

/* The same for a regular file; others are HSD_E_UNSUPPORTED. Errors name it. */
hsd_status hsd_elf_open_file(hsd_elf *elf, const char *path, hsd_error *err);

/* The segment of kind LOAD that has this address in the file, and how many bytes of it from there; NULL if none has.
 * O(segments). */
const hsd_elf_segment *hsd_elf_segment_at(const hsd_elf *elf, uint64_t address, uint64_t *bytes);

void hsd_elf_close(hsd_elf *elf);

/* ---- notes ---- */

typedef struct hsd_elf_note {
    char name[16];
    uint32_t type;
    uint64_t offset, bytes; /* of what is in it */
} hsd_elf_note;

/* The note at *at, which moves behind it; false at `end` or where there is none. */
bool hsd_elf_next_note(const hsd_elf_input *input, uint64_t *at, uint64_t end, hsd_elf_note *note);

/* ---- section.c ---- */

/*
 * The bytes of a section, unpacked when they are packed with zlib, in either form (".debug_info" with a flag,
 * ".zdebug_info"). HSD_E_NOT_FOUND when there is none; HSD_E_OVER_BUDGET past `most_bytes`; HSD_E_CORRUPT;
 * HSD_E_UNSUPPORTED for another packing, or any in a build without zlib.
 */
hsd_status hsd_elf_load(const hsd_elf *elf, const char *name, uint64_t most_bytes, hsd_buffer *out, hsd_error *err);

/* The section of this name; NULL = none. */
const hsd_elf_section *hsd_elf_section_named(const hsd_elf *elf, const char *name);

typedef struct hsd_elf_symbol {
    const char *name;
    uint64_t address; /* 0 = not found */
} hsd_elf_symbol;

/* Finds these in .symtab, in one pass; its texts are loaded for it. HSD_E_NOT_FOUND when the file has no .symtab, and
 * as hsd_elf_load. */
hsd_status hsd_elf_find_symbols(const hsd_elf *elf, hsd_elf_symbol *wanted, size_t count, uint64_t most_bytes,
                                hsd_error *err);

#endif
