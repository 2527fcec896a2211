/*
 * What kind of program a command is, as far as preloading is concerned.
 */
#ifndef HSD_LIVE_ELF_FILE_H
#define HSD_LIVE_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum hsd_elf_kind {
    HSD_ELF_NOT,     /* a script, or not there: whoever starts it will see */
    HSD_ELF_DYNAMIC, /* has an interpreter, which loads what LD_PRELOAD names */
    HSD_ELF_MUSL,    /* dynamic too, by musl's interpreter: what is built for glibc does not come in */
    HSD_ELF_STATIC,
    HSD_ELF_SECURE /* setuid, setgid: LD_PRELOAD is ignored */
} hsd_elf_kind;

/* `command` as a shell takes it: looked for in PATH if it has no slash. */
hsd_elf_kind hsd_elf_look(const char *command);

/* Where the command leads, behind all links. False: nowhere, or `size` is too small. */
bool hsd_elf_resolve(const char *command, char *out, size_t size);

/* True for a program of Go, by the note that its linker writes. The same of a file that is open; the descriptor stays
 * the caller's. */
bool hsd_elf_is_go(const char *command);
bool hsd_elf_file_is_go(int fd);

/* Has a file of 64 bits a section of this name? */
bool hsd_elf_has_section(const char *path, const char *name);

#endif
