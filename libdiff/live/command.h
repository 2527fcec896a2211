/*
 * What a command leads to, as far as starting it with an agent is concerned: its file, by PATH, and what kind of
 * program that is.
 */
#ifndef HSD_LIVE_COMMAND_H
#define HSD_LIVE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

typedef enum hsd_command_kind {
    HSD_COMMAND_NO_ELF,  /* a script, or not there: whoever starts it will see */
    HSD_COMMAND_DYNAMIC, /* has an interpreter, which loads what LD_PRELOAD names */
    HSD_COMMAND_MUSL,    /* dynamic too, by musl's interpreter: what is built for glibc does not come in */
    HSD_COMMAND_ASAN,    /* likewise, with GCC's AddressSanitizer, whose library must come before all others */
    HSD_COMMAND_STATIC,
    HSD_COMMAND_SECURE, /* setuid, setgid: LD_PRELOAD is ignored */
    HSD_COMMAND_GO      /* by the note that its linker writes, however it is linked */
} hsd_command_kind;

/* `command` as a shell takes it: looked for in PATH if it has no slash. */
hsd_command_kind hsd_command_look(const char *command);

/* Where the command leads, behind all links. False: nowhere, or `size` is too small. */
bool hsd_command_resolve(const char *command, char *out, size_t size);

#endif
