/*
 * An ELF file: its segments, its sections, what is in them, its symbols and notes. The one reader of the library, for
 * executables, libraries, files of debug information and cores, of 32 and 64 bits, in both orders of bytes. Nothing is
 * ever mapped, and nothing is read whole but the sections that are asked for.
 *
 *      hsd_elf_open*        the header and the two tables            elf.c
 *      hsd_elf_load*        the bytes of a section, unpacked         section.c
 *      hsd_elf_symbol_*     entries of a table of symbols            symbol.c
 *      hsd_elf_next_note    notes, and the build id among them       note.c
 *
 * The file is hostile: every number of it is checked before it is used, tables have a most, and what is past the end of
 * the file is not there. A file whose tables lie outside of it is opened all the same, without them (`damage`): who
 * needs them whole asks hsd_elf_expect.
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

enum { HSD_ELF_EXECUTABLE = 2, HSD_ELF_SHARED = 3, HSD_ELF_CORE = 4 };                     /* types of a file */
enum { HSD_ELF_LOAD = 1, HSD_ELF_INTERPRETER = 3, HSD_ELF_NOTE = 4, HSD_ELF_THREADS = 7 }; /* of a segment */
enum { HSD_ELF_RELRO = 0x6474e552 };                                                       /* a segment too */
enum { HSD_ELF_WRITABLE = 2 };                                                             /* flags of one */
enum {
    HSD_ELF_IN_PROGRAM = 1,
    HSD_ELF_SYMBOLS = 2,
    HSD_ELF_RELOCATIONS = 4,
    HSD_ELF_NOTES = 7, /* of a section */
    HSD_ELF_NO_BITS = 8,
    HSD_ELF_DYNAMIC_SYMBOLS = 11
};
enum { HSD_ELF_CODE = 4, HSD_ELF_PACKED = 0x800 }; /* flags of one */
enum { HSD_ELF_X86_64 = 62 };                      /* a machine */

typedef struct hsd_elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_bytes, memory_bytes; /* file_bytes: at most what the file has */
    uint64_t alignment;
} hsd_elf_segment;

typedef struct hsd_elf_section {
    uint32_t name, type, link; /* name: its offset in section_names */
    uint64_t flags, address, offset, bytes, alignment, entry_bytes;
} hsd_elf_section;

typedef struct hsd_elf {
    hsd_elf_input input;
    hsd_bytes memory; /* of one that was opened from bytes */
    int fd;
    bool is_owned; /* the descriptor is its own */
    bool is_64_bits, is_big_endian;
    bool is_cut;        /* segments go on behind the end of the file */
    const char *damage; /* what of its tables could not be had; NULL: nothing */
    unsigned type, machine;
    uint64_t entry; /* where the program begins */
    hsd_elf_segment *segments;
    hsd_elf_section *sections;
    uint32_t segment_count, section_count;
    hsd_buffer section_names; /* ends with NUL */
} hsd_elf;

/* Reads the tables. HSD_E_NOT_THIS_FORMAT for what is no ELF file, HSD_E_NOMEM, HSD_E_IO. Segments of a cut file are
 * cut; tables that cannot be had are empty, and `damage` says so. */
hsd_status hsd_elf_open(hsd_elf *elf, const hsd_elf_input *input, hsd_error *err);

/* The same for a regular file; others are HSD_E_UNSUPPORTED. Errors name it. *elf must not be moved until close. */
hsd_status hsd_elf_open_file(hsd_elf *elf, const char *path, hsd_error *err);

/* The same for a descriptor, which is moved in where it `is_owned`, on failure too, and for bytes, which stay the
 * caller's. */
hsd_status hsd_elf_open_fd(hsd_elf *elf, int fd, bool is_owned, hsd_error *err);
hsd_status hsd_elf_open_bytes(hsd_elf *elf, hsd_bytes bytes, hsd_error *err);

/* HSD_OK for a file of 64 bits, little-endian, whose tables are whole (of a core the segments are enough), else
 * HSD_E_UNSUPPORTED or HSD_E_CORRUPT. */
hsd_status hsd_elf_expect(const hsd_elf *elf, hsd_error *err);

/* The segment of kind LOAD that has this address in the file, and how many bytes of it from there; NULL if none has.
 * O(segments). */
const hsd_elf_segment *hsd_elf_segment_at(const hsd_elf *elf, uint64_t address, uint64_t *bytes);

void hsd_elf_close(hsd_elf *elf);

/* A number of the file, of at most 8 bytes, in its order. */
static inline uint64_t hsd_elf_number(const hsd_elf *elf, const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * (elf->is_big_endian ? bytes - 1 - i : i);
    return value;
}

/* A word of the file, which stands elsewhere and is half as long in files of 32 bits. */
static inline uint64_t hsd_elf_word(const hsd_elf *elf, const uint8_t *record, unsigned at_64, unsigned at_32)
{
    return elf->is_64_bits ? hsd_elf_number(elf, record + at_64, 8) : hsd_elf_number(elf, record + at_32, 4);
}

/* ---- note.c ---- */

typedef struct hsd_elf_note {
    char name[16];
    uint32_t type;
    uint64_t name_bytes, offset, bytes; /* offset, bytes: of what is in it */
} hsd_elf_note;

/* The note at *at, which moves behind it; false at `end` or where there is none. `alignment` is that of the segment or
 * section: only 8 differs from 4. */
bool hsd_elf_next_note(const hsd_elf *elf, uint64_t *at, uint64_t end, uint64_t alignment, hsd_elf_note *note);

/* The build id in lower-case hexadecimal; false and "" when there is none that fits into `room`. */
bool hsd_elf_build_id(const hsd_elf *elf, char *digits, size_t room);

/* True for a program of Go, by the note that its linker puts first. */
bool hsd_elf_is_go(const hsd_elf *elf);

/* ---- section.c ---- */

/* The section of this name; NULL = none. Its name; NULL = it has none. */
const hsd_elf_section *hsd_elf_section_named(const hsd_elf *elf, const char *name);
const char *hsd_elf_section_name(const hsd_elf *elf, const hsd_elf_section *section);

/* What it takes when it is unpacked; UINT64_MAX when that cannot be told. */
uint64_t hsd_elf_unpacked_bytes(const hsd_elf *elf, const hsd_elf_section *section);

/*
 * The bytes of a section, unpacked when they are packed with zlib, in either form (".debug_info" with a flag,
 * ".zdebug_info"). HSD_E_NOT_FOUND when there is none; HSD_E_OVER_BUDGET past `most_bytes`; HSD_E_CORRUPT;
 * HSD_E_UNSUPPORTED for another packing, or any in a build without zlib.
 */
hsd_status hsd_elf_load(const hsd_elf *elf, const char *name, uint64_t most_bytes, hsd_buffer *out, hsd_error *err);

/* The same for a section that is at hand. The bytes are put behind those of *out. */
hsd_status hsd_elf_append(const hsd_elf *elf, const hsd_elf_section *section, uint64_t most_bytes, hsd_buffer *out,
                          hsd_error *err);

/* ---- symbol.c ---- */

/* An entry of a table of symbols. */
typedef struct hsd_elf_entry {
    uint32_t name; /* offset in the section that the table's `link` names */
    unsigned kind, binding, section;
    uint64_t value, bytes;
} hsd_elf_entry;

enum {
    HSD_ELF_OBJECT = 1,
    HSD_ELF_FUNCTION = 2,
    HSD_ELF_FILE = 4, /* of the local ones behind it */
    HSD_ELF_COMMON = 5,
    HSD_ELF_THREAD_OBJECT = 6,
    HSD_ELF_INDIRECT = 10
};
enum { HSD_ELF_GLOBAL = 1, HSD_ELF_WEAK = 2 };
enum { HSD_ELF_UNDEFINED = 0, HSD_ELF_ABSOLUTE = 0xfff1 };

/* How many bytes an entry has, and the entry that begins there. */
size_t hsd_elf_entry_bytes(const hsd_elf *elf);
hsd_elf_entry hsd_elf_entry_at(const hsd_elf *elf, const uint8_t *at);

typedef struct hsd_elf_symbol {
    const char *name;
    uint64_t address; /* 0 = not found */
} hsd_elf_symbol;

/* Finds these in .symtab, in one pass; its texts are loaded for it. HSD_E_NOT_FOUND when the file has no .symtab, and
 * as hsd_elf_load. */
hsd_status hsd_elf_find_symbols(const hsd_elf *elf, hsd_elf_symbol *wanted, size_t count, uint64_t most_bytes,
                                hsd_error *err);

/* Goes through a table piece by piece: `visit` gets each entry but the first, which is empty, until it fails. */
typedef hsd_status (*hsd_elf_visit)(void *context, const hsd_elf_entry *entry, hsd_error *err);
hsd_status hsd_elf_each_symbol(const hsd_elf *elf, const hsd_elf_section *table, hsd_elf_visit visit, void *context,
                               hsd_error *err);

#endif
