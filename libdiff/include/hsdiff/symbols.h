/*
 * Names for addresses. A native agent knows addresses and no names: it writes *unresolved names*, texts that hold
 *
 *      MODULE+0xOFFSET{BUILDID}        libshop.so+0x1af0{3fa4…40 hexadecimal digits}
 *
 * MODULE is the file name of a mapped ELF file without its folder, OFFSET an address as the file counts them (p_vaddr),
 * BUILDID its build id in lower-case hexadecimal, empty when it has none (FORMAT.md 7.12). They may stand anywhere in a
 * text of STRINGS and TYPES, several in one. Resolving replaces each by what the symbol tables and the DWARF of that
 * file say, outside the program that ran.
 */
#ifndef HSDIFF_SYMBOLS_H
#define HSDIFF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsdiff/run.h>
#include <hsdiff/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hsd_symbol_options {
    size_t struct_bytes; /* HSD_OPTIONS_INIT */
    long pid;            /* > 0: look at the files that this process has mapped (/proc/PID/maps, read through
                          * /proc/PID/root), and nowhere for paths that stand in the capture */
    /* folders with ELF files and debug files, searched by build id; /usr/lib/debug is always */
    const char *const *directories;
    size_t directory_count;
} hsd_symbol_options;

typedef struct hsd_symbol_result {
    uint64_t names, resolved; /* unresolved names seen; of them resolved */
    uint64_t modules, modules_found;
    /* false: the input was cut off, and the copy ends where its last whole block did */
    bool is_whole;
} hsd_symbol_result;

/*
 * Copies a capture with its names resolved; all else stays as it is, capture id included. A name whose file is not
 * found, or was stripped of all names, stays; one whose file is found and says nothing of the place loses its build id.
 * Incomplete captures stay incomplete.
 *
 *   in_fd    read by position; borrowed
 *   out_fd   written from where it stands; borrowed
 *   options  NULL = defaults; `run` likewise
 *   result   filled on HSD_OK; may be NULL
 *
 * Returns HSD_OK, or
 *   HSD_E_UNSUPPORTED: a build without libdw, when there is anything to resolve.
 *   HSD_E_IO: a folder or a file cannot be read, or the copy cannot be written.
 *   HSD_E_OVER_BUDGET: the symbols of a file take more than the memory allows.
 *   HSD_E_CANCELLED: the progress of `run` said so.
 *   errors of the input, as hsd_capture_open has them.
 *
 * Files are read, never mapped. Memory: one block, the symbols, and of DWARF what half of run->memory_bytes holds;
 * past that names come without lines, which is noted.
 */
HSD_API hsd_status hsd_symbols_resolve(int in_fd, int out_fd, const hsd_symbol_options *options, const hsd_run *run,
                                       hsd_symbol_result *result, hsd_error *err);

/*
 * hsd_symbols_resolve into a file, which is there whole or not at all, mode 0600.
 *
 *   out_path  "-" = standard output
 *   force     replace a file that is there
 *
 * Fails as hsd_symbols_resolve does; HSD_E_IO with EEXIST when a file is there and not `force`.
 */
HSD_API hsd_status hsd_symbols_resolve_file(int in_fd, const char *out_path, bool force,
                                            const hsd_symbol_options *options, const hsd_run *run,
                                            hsd_symbol_result *result, hsd_error *err);

#ifdef __cplusplus
}
#endif
#endif
