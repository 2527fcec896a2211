/*
 * One ELF file: its build id and its symbols by address. Files are hostile: they are read, never mapped
 * (elf/elf.h), and what is read of one is bounded by its size.
 */
#ifndef HSD_SYMBOLS_IMAGE_H
#define HSD_SYMBOLS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "symbols/text.h"

/* The build id of an ELF file in lower-case hexadecimal, "" when it has none. False if the file is no ELF file. The
 * descriptor stays the caller's. */
bool hsd_image_build_id(int fd, char digits[HSD_BUILD_ID_DIGITS + 1]);

typedef struct hsd_image hsd_image;

/* An import is a word that the loader fills with the address of a function or variable of another file: its place, and
 * what it is called. */
typedef enum hsd_symbol_kind {
    HSD_SYMBOL_FUNCTION,
    HSD_SYMBOL_OBJECT,
    HSD_SYMBOL_THREAD_OBJECT,
    HSD_SYMBOL_IMPORT,
    HSD_SYMBOL_KINDS
} hsd_symbol_kind;

/* The descriptor is moved in. HSD_E_NOT_THIS_FORMAT, HSD_E_NOMEM, HSD_E_OVER_BUDGET when its symbols take more than
 * `memory_bytes`. */
hsd_status hsd_image_open(hsd_image **out, int fd, uint64_t memory_bytes, hsd_error *err);

/* The linkage name of the symbol that holds the address; NULL if none does. Variables of threads are looked for at the
 * place of their template. Of several at one place the most public, then the shortest name. Borrowed until close. */
const char *hsd_image_find(const hsd_image *image, hsd_symbol_kind kind, uint64_t address);

/* The source file, without its folder, of the variable that holds the address, where variables of other files are
 * called as it is; NULL where none is, or the file is not known. Borrowed until close. */
const char *hsd_image_file_of(const hsd_image *image, hsd_symbol_kind kind, uint64_t address);

/* True if it names no function of its own and has no DWARF: a program that was stripped. */
bool hsd_image_is_mute(const hsd_image *image);

/* Reads code: up to `room` bytes from the address on, as far as the section of code goes that it lies in. 0 where there
 * is none, as in a file of debug information alone, or of another machine than x86-64. */
size_t hsd_image_code(const hsd_image *image, uint64_t address, uint8_t *out, size_t room);

/* True if the address lies in what the loader makes read-only again: nothing that a program writes to is there. */
bool hsd_image_is_relro(const hsd_image *image, uint64_t address);

/* Where the variables that each thread has stand in the file: its initial values begin there. 0 = there are none. */
uint64_t hsd_image_thread_begin(const hsd_image *image);

/* And where their end is, which a thread's register leads to (x86-64). */
uint64_t hsd_image_thread_end(const hsd_image *image);

/* Bytes of DWARF in it, uncompressed; 0 when it has none, or parts of it stand in other files. */
uint64_t hsd_image_debug_bytes(const hsd_image *image);

/*
 * Makes an ELF file of the sections of DWARF alone, uncompressed, with zeros between and behind them: a reader that
 * goes past the end of a section, as libdw may where a text has no end, stays inside. *out stays empty for files of 32
 * bits or of another order of bytes, or when a section cannot be read. HSD_E_NOMEM.
 */
hsd_status hsd_image_copy_debug(const hsd_image *image, hsd_buffer *out, hsd_error *err);

void hsd_image_close(hsd_image *image);

#endif
