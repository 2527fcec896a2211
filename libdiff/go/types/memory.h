/*
 * The memory of a program that stands in a file, a piece here and a piece there, read by address. Files are read in
 * blocks of 8 KiB that are kept while there is room, for pointers are followed criss-cross; nothing is mapped, so that
 * a file that shrinks is an error and no signal.
 */
#ifndef HSD_GO_TYPES_MEMORY_H
#define HSD_GO_TYPES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/import.h>

#include "elf/elf.h"
#include "io/source.h"

/* What a source has, at any offset below `bytes`; where it stands stays as it is. HSD_E_UNSUPPORTED for one that reads
 * in order alone. */
hsd_status hsd_goinput_over(hsd_elf_input *input, hsd_source *source, uint64_t bytes, hsd_error *err);

/* A file that a core names, opened as hsd_import_options.open_file does. Errors name it. */
hsd_status hsd_goprogram_find(hsd_elf *program, const char *path, const hsd_import_options *options, hsd_error *err);

/* The executable, likewise: an ELF file of the kind that Go is read of (hsd_elf_expect). Errors name it. */
hsd_status hsd_goprogram_open(hsd_elf *program, const char *path, const hsd_import_options *options, hsd_error *err);

typedef struct goblocks {
    hsd_elf_input input;
    uint8_t *bytes;
    uint64_t *keys; /* number of the block + 1 that a place holds */
    uint64_t mask;  /* places - 1 */
} goblocks;

/* Takes up to `most_bytes`, at least 64 KiB. HSD_E_NOMEM. */
hsd_status hsd_goblocks_open(goblocks *blocks, const hsd_elf_input *input, uint64_t most_bytes, hsd_error *err);

/* HSD_END when the file ends before. */
hsd_status hsd_goblocks_read(goblocks *blocks, uint64_t offset, void *out, size_t size, hsd_error *err);
void hsd_goblocks_close(goblocks *blocks);

/* Where an address is: `left` bytes from it stand at `offset`, one behind the other. */
typedef struct goplace {
    goblocks *blocks;
    uint64_t offset, left;
} goplace;

typedef struct gomemory {
    bool (*locate)(void *context, uint64_t address, goplace *place); /* false: it is not in memory */
    void *context;
    uint64_t last_address; /* whose place is `last` */
    goplace last;
} gomemory;

/* HSD_END when not all of it is there. */
hsd_status hsd_gomemory_read(gomemory *memory, uint64_t address, void *out, size_t size, hsd_error *err);

/* A little-endian word of 8 bytes; 0 where there is none (HSD_OK). */
hsd_status hsd_gomemory_word(gomemory *memory, uint64_t address, uint64_t *out, hsd_error *err);

#endif
