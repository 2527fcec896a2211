/*
 * The modules that a capture names, each with the files found for it: the one that was mapped, and one of debug
 * information. Opened when the first name in it is asked for, and kept.
 */
#ifndef HSD_SYMBOLS_MODULES_H
#define HSD_SYMBOLS_MODULES_H

#include "base/note.h"
#include "symbols/files.h"
#include "symbols/image.h"
#include "symbols/lines.h"

#define HSD_IMAGES_OF_A_MODULE 3u

typedef struct hsd_module {
    uint64_t hash;
    hsd_text name, build_id; /* owned by the list */
    hsd_image *images[HSD_IMAGES_OF_A_MODULE];
    size_t image_count; /* 0: not found, or stripped */
    bool is_stripped;   /* there is a file, and it names nothing: its names stay for whoever has another one */
    hsd_lines *lines;   /* NULL: no DWARF that could be read */
} hsd_module;

#define HSD_MODULES_MAX 4096u /* those after are not looked for */

typedef struct hsd_modules {
    hsd_elf_files files;
    hsd_module *modules;
    size_t count, capacity, found;
    uint64_t memory_bytes; /* what is left for symbols and DWARF */
    hsd_reporter *reporter;
    hsd_arena arena;
} hsd_modules;

/* `options` and `reporter` are borrowed until close. See hsd_elf_files_list for errors. */
hsd_status hsd_modules_open(hsd_modules *modules, const hsd_symbol_options *options, uint64_t memory_bytes,
                            hsd_reporter *reporter, hsd_error *err);

/* The module of a name; *out is NULL past the limit. Borrowed until the next call. HSD_E_NOMEM. */
hsd_status hsd_modules_get(hsd_modules *modules, const hsd_unresolved *name, hsd_module **out, hsd_error *err);

/* Up to `room` bytes of code from the address on, of the first of its files that has them; how many. */
size_t hsd_module_code(const hsd_module *module, uint64_t address, uint8_t *out, size_t room);

/* The first symbol of this kind at the address in any of its files; NULL if there is none. */
const char *hsd_module_find(const hsd_module *module, hsd_symbol_kind kind, uint64_t address);

/* A warning that says which modules had no file, or one without names, if there are any. */
void hsd_modules_tell_missing(const hsd_modules *modules);

/* Accepts a zeroed one. */
void hsd_modules_close(hsd_modules *modules);

#endif
