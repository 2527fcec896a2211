/*
 * Finds the file of a command and looks for the program header that names its interpreter (elf(5)).
 */
#include "live/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool hsd_elf_resolve(const char *command, char *out, size_t size)
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

/* The text of the interpreter's segment, cut to the room that there is. */
static bool is_musl(int fd, uint64_t header, bool is_large)
{
    union {
        Elf32_Phdr small;
        Elf64_Phdr large;
    } h;
    char name[64] = "";
    const size_t size = is_large ? sizeof h.large : sizeof h.small;
    if (pread(fd, &h, size, (off_t)header) != (ssize_t)size) return false;
    const uint64_t offset = is_large ? h.large.p_offset : h.small.p_offset;
    if (offset > INT64_MAX || pread(fd, name, sizeof name - 1, (off_t)offset) <= 0) return false;
    return strstr(name, "/ld-musl-") != NULL;
}

/* Both word sizes have the program headers' type in their first four bytes. */
static hsd_elf_kind look_for_interpreter(int fd, uint64_t offset, unsigned size, unsigned count, bool is_large)
{
    for (unsigned i = 0; i < count && size >= sizeof(Elf32_Phdr); i++) {
        uint32_t type = 0;
        if (offset > INT64_MAX - (uint64_t)i * size) return HSD_ELF_STATIC;
        const uint64_t header = offset + (uint64_t)i * size;
        if (pread(fd, &type, sizeof type, (off_t)header) != (ssize_t)sizeof type) return HSD_ELF_STATIC;
        if (type == PT_INTERP) return is_musl(fd, header, is_large) ? HSD_ELF_MUSL : HSD_ELF_DYNAMIC;
    }
    return HSD_ELF_STATIC;
}

static hsd_elf_kind look(int fd)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr small;
        Elf64_Ehdr large;
    } head;
    struct stat info;
    memset(&head, 0, sizeof head);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return HSD_ELF_NOT;
    if (pread(fd, &head, sizeof head, 0) < (ssize_t)sizeof head.small || memcmp(head.ident, ELFMAG, SELFMAG) != 0)
        return HSD_ELF_NOT;
    if ((info.st_mode & (S_ISUID | S_ISGID)) != 0) return HSD_ELF_SECURE;
    return head.ident[EI_CLASS] == ELFCLASS64
               ? look_for_interpreter(fd, head.large.e_phoff, head.large.e_phentsize, head.large.e_phnum, true)
               : look_for_interpreter(fd, head.small.e_phoff, head.small.e_phentsize, head.small.e_phnum, false);
}

/* The first note of a segment: its name is "Go", its kind the build's id. */
static bool is_note_of_go(int fd, const Elf64_Phdr *header)
{
    struct {
        Elf64_Nhdr head;
        char name[4];
    } note;
    if (header->p_type != PT_NOTE || header->p_offset > INT64_MAX) return false;
    if (pread(fd, &note, sizeof note, (off_t)header->p_offset) != (ssize_t)sizeof note) return false;
    return note.head.n_namesz == 4 && memcmp(note.name, "Go\0", 4) == 0;
}

bool hsd_elf_file_is_go(int fd)
{
    Elf64_Ehdr head;
    Elf64_Phdr header;
    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof header || head.e_phoff > INT32_MAX)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        if (pread(fd, &header, sizeof header, (off_t)(head.e_phoff + i * sizeof header)) != (ssize_t)sizeof header)
            return false;
        if (is_note_of_go(fd, &header)) return true;
    }
    return false;
}

static bool is_called(int fd, const Elf64_Shdr *names, uint32_t at, const char *name)
{
    char found[32] = "";
    const size_t size = strlen(name) + 1;
    if (size > sizeof found || at > names->sh_size || size > names->sh_size - at || names->sh_offset > INT64_MAX / 2)
        return false;
    return pread(fd, found, size, (off_t)(names->sh_offset + at)) == (ssize_t)size && memcmp(found, name, size) == 0;
}

static bool has_section(int fd, const char *name)
{
    Elf64_Ehdr head;
    Elf64_Shdr names, one;
    if (pread(fd, &head, sizeof head, 0) != (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof one || head.e_shoff > INT64_MAX / 2)
        return false;
    if (pread(fd, &names, sizeof names, (off_t)(head.e_shoff + head.e_shstrndx * sizeof one)) != (ssize_t)sizeof names)
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        if (pread(fd, &one, sizeof one, (off_t)(head.e_shoff + i * sizeof one)) != (ssize_t)sizeof one) return false;
        if (is_called(fd, &names, one.sh_name, name)) return true;
    }
    return false;
}

bool hsd_elf_has_section(const char *path, const char *name)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    const bool found = has_section(fd, name);
    close(fd);
    return found;
}

bool hsd_elf_is_go(const char *command)
{
    const int fd = open_command(command);
    if (fd < 0) return false;
    const bool is_go = hsd_elf_file_is_go(fd);
    close(fd);
    return is_go;
}

hsd_elf_kind hsd_elf_look(const char *command)
{
    const int fd = open_command(command);
    if (fd < 0) return HSD_ELF_NOT;
    const hsd_elf_kind kind = look(fd);
    close(fd);
    return kind;
}
