/*
 * Finds the file of a command and looks at its segments. See command.h.
 */
#include "live/command.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/check.h"
#include "elf/elf.h"

static int open_command(const char *command)
{
    char path[PATH_MAX];
    const char *folders = getenv("PATH");
    if (strchr(command, '/') != NULL) return open(command, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (folders == NULL) folders = "/usr/bin:/bin";
    for (const char *at = folders;; at++) {
        const size_t length = strcspn(at, ":");
        const int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, length == 0 ? "." : at, command);
        if (written > 0 && (size_t)written < sizeof path && access(path, X_OK) == 0)
            return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        at += length;
        if (*at == '\0') return -1;
    }
}

bool hsd_command_resolve(const char *command, char *out, size_t size)
{
    char link[64];
    const int fd = open_command(command);
    if (fd < 0) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, out, size);
    close(fd);
    if (length <= 0 || (size_t)length >= size) return false;
    out[length] = '\0';
    return true;
}

#define MOST_NAME_BYTES (UINT64_C(16) << 20) /* of libraries and of what is taken from them */

/* Among the texts of the dynamic section: a library of that name, any version. */
static bool needs_library(const hsd_elf *elf, const char *name)
{
    hsd_buffer names = {0};
    const size_t length = strlen(name);
    bool is_there = false;
    if (hsd_elf_load(elf, ".dynstr", MOST_NAME_BYTES, &names, NULL) == HSD_OK)
        for (size_t at = 0; at + length < names.size && !is_there;
             at += strnlen((const char *)names.data + at, names.size - at) + 1)
            is_there = memcmp(names.data + at, name, length) == 0;
    hsd_buffer_release(&names);
    return is_there;
}

/* The text of the interpreter's segment, cut to the room that there is. */
static hsd_command_kind kind_of_interpreter(const hsd_elf *elf, const hsd_elf_segment *segment)
{
    char name[64] = "";
    const size_t size = (size_t)hsd_min_u64(sizeof name - 1, segment->file_bytes);
    if (elf->input.read(elf->input.context, segment->offset, name, size, NULL) != HSD_OK) return HSD_COMMAND_DYNAMIC;
    if (strstr(name, "/ld-musl-") != NULL) return HSD_COMMAND_MUSL;
    return needs_library(elf, "libasan.so.") ? HSD_COMMAND_ASAN : HSD_COMMAND_DYNAMIC;
}

static hsd_command_kind kind_of(const hsd_elf *elf)
{
    struct stat info;
    if (elf->is_64_bits && hsd_elf_is_go(elf)) return HSD_COMMAND_GO;
    if (fstat(elf->fd, &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) != 0) return HSD_COMMAND_SECURE;
    for (uint32_t i = 0; i < elf->segment_count; i++)
        if (elf->segments[i].type == HSD_ELF_INTERPRETER) return kind_of_interpreter(elf, &elf->segments[i]);
    return HSD_COMMAND_STATIC;
}

hsd_command_kind hsd_command_look(const char *command)
{
    hsd_elf elf;
    const int fd = open_command(command);
    if (fd < 0 || hsd_elf_open_fd(&elf, fd, true, NULL) != HSD_OK) return HSD_COMMAND_NO_ELF;
    const hsd_command_kind kind = kind_of(&elf);
    hsd_elf_close(&elf);
    return kind;
}
