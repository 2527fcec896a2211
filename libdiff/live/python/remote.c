#define _GNU_SOURCE /* process_vm_readv */
/*
 * See remote.h. A symbol is found as ld.so does it: program headers, the dynamic section, its hash table. Addresses in
 * the dynamic section are absolute where ld.so has made them so, and relative to the object where it has not.
 */
#include "live/python/remote.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/check.h"
#include "base/note.h"
#include "live/procfs.h"

enum { MOST_MAPPINGS = 1 << 17, MOST_HEADERS = 64, MOST_DYNAMIC = 128, MOST_CHAIN = 1 << 16, MOST_SYMBOL = 96 };
#define MOST_CODE ((uint64_t)64 << 20)

/* ---- mappings ---- */

static hsd_status add_mapping(hsd_remote *remote, const hsd_remote_mapping *one, hsd_error *err)
{
    if (remote->count == remote->room) {
        const size_t room = remote->room == 0 ? 256 : 2 * remote->room;
        hsd_remote_mapping *more = room > MOST_MAPPINGS ? NULL : realloc(remote->mappings, room * sizeof *more);
        if (more == NULL)
            return hsd_fail(err, HSD_E_NOMEM, "out of memory: process %ld has too many mappings", remote->pid);
        remote->mappings = more;
        remote->room = room;
    }
    remote->mappings[remote->count++] = *one;
    return HSD_OK;
}

static bool parse_line(const char *line, hsd_remote_mapping *out)
{
    char rights[8], path[4096] = "";
    size_t size = 0;
    *out = (hsd_remote_mapping){0};
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &out->begin, &out->end, rights,
               &out->offset, path) < 4)
        return false;
    if (strlen(rights) < 4 || out->end <= out->begin) return false;
    out->is_readable = rights[0] == 'r';
    out->is_writable = rights[1] == 'w';
    out->is_executable = rights[2] == 'x';
    out->is_anonymous = path[0] == '\0' || strncmp(path, "[anon", 5) == 0;
    if (path[0] != '/') return true;
    const char *name = hsd_procfs_last_part(path, &size);
    if (size < sizeof out->name) memcpy(out->name, name, size);
    return true;
}

hsd_status hsd_remote_open(hsd_remote *out, long pid, hsd_error *err)
{
    char path[48], line[4608];
    hsd_status status = HSD_OK;
    hsd_remote_mapping one;
    *out = (hsd_remote){.pid = pid};
    snprintf(path, sizeof path, "/proc/%ld/maps", pid);
    FILE *maps = fopen(path, "re");
    if (maps == NULL) return hsd_fail_errno(err, errno, "cannot read %s", path);
    while (status == HSD_OK && fgets(line, sizeof line, maps) != NULL)
        if (parse_line(line, &one)) status = add_mapping(out, &one, err);
    fclose(maps);
    if (status != HSD_OK) hsd_remote_close(out);
    return status;
}

void hsd_remote_close(hsd_remote *remote)
{
    free(remote->mappings);
    *remote = (hsd_remote){0};
}

const hsd_remote_mapping *hsd_remote_find(const hsd_remote *remote, uint64_t address)
{
    for (size_t i = 0; i < remote->count; i++)
        if (address >= remote->mappings[i].begin && address < remote->mappings[i].end) return &remote->mappings[i];
    return NULL;
}

size_t hsd_remote_object(const hsd_remote *remote, const char *prefix, size_t from)
{
    for (size_t i = from; i < remote->count; i++) {
        const hsd_remote_mapping *one = &remote->mappings[i];
        if (one->offset == 0 && one->is_readable && one->name[0] != '\0' &&
            strncmp(one->name, prefix, strlen(prefix)) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* ---- memory ---- */

bool hsd_remote_read(const hsd_remote *remote, uint64_t address, void *out, size_t size)
{
    const struct iovec to = {out, size}, from = {(void *)(uintptr_t)address, size};
    return process_vm_readv((pid_t)remote->pid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

bool hsd_remote_write(const hsd_remote *remote, uint64_t address, const void *data, size_t size)
{
    const struct iovec from = {(void *)(uintptr_t)data, size}, to = {(void *)(uintptr_t)address, size};
    return process_vm_writev((pid_t)remote->pid, &from, 1, &to, 1, 0) == (ssize_t)size;
}

/* ---- symbols ---- */

/* What the dynamic section says of the table of symbols. */
typedef struct dynamic {
    uint64_t bias, symbols, strings, strings_size, gnu_hash;
} dynamic;

static uint64_t absolute(const dynamic *d, uint64_t address) { return address < d->bias ? d->bias + address : address; }

static bool read_dynamic(const hsd_remote *remote, uint64_t address, uint64_t size, dynamic *d)
{
    Elf64_Dyn one;
    for (uint64_t i = 0; i < MOST_DYNAMIC && i < size / sizeof one; i++) {
        if (!hsd_remote_read(remote, address + i * sizeof one, &one, sizeof one)) return false;
        if (one.d_tag == DT_NULL) break;
        if (one.d_tag == DT_SYMTAB) d->symbols = absolute(d, one.d_un.d_ptr);
        if (one.d_tag == DT_STRTAB) d->strings = absolute(d, one.d_un.d_ptr);
        if (one.d_tag == DT_STRSZ) d->strings_size = one.d_un.d_val;
        if (one.d_tag == DT_GNU_HASH) d->gnu_hash = absolute(d, one.d_un.d_ptr);
    }
    return d->symbols != 0 && d->strings != 0 && d->gnu_hash != 0;
}

static bool find_dynamic(const hsd_remote *remote, uint64_t begin, dynamic *d)
{
    Elf64_Ehdr head;
    Elf64_Phdr one;
    uint64_t address = 0, size = 0, first = UINT64_MAX;
    if (!hsd_remote_read(remote, begin, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64 || head.e_phentsize != sizeof one ||
        head.e_phnum > MOST_HEADERS)
        return false;
    for (unsigned i = 0; i < head.e_phnum; i++) {
        if (!hsd_remote_read(remote, begin + head.e_phoff + i * sizeof one, &one, sizeof one)) return false;
        if (one.p_type == PT_LOAD && one.p_offset == 0) first = one.p_vaddr;
        if (one.p_type == PT_DYNAMIC) address = one.p_vaddr, size = one.p_memsz;
    }
    if (first == UINT64_MAX || address == 0) return false;
    *d = (dynamic){.bias = begin - first};
    return read_dynamic(remote, d->bias + address, size, d);
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* Is the symbol called so, and is it defined here? Its address; 0 = no. */
static uint64_t look_at_symbol(const hsd_remote *remote, const dynamic *d, uint32_t index, const char *name)
{
    Elf64_Sym symbol;
    char found[MOST_SYMBOL];
    const size_t size = strlen(name) + 1;
    if (size > sizeof found ||
        !hsd_remote_read(remote, d->symbols + (uint64_t)index * sizeof symbol, &symbol, sizeof symbol))
        return 0;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || symbol.st_name >= d->strings_size) return 0;
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC || ELF64_ST_TYPE(symbol.st_info) == STT_TLS) return 0;
    if (!hsd_remote_read(remote, d->strings + symbol.st_name, found, size) || memcmp(found, name, size) != 0) return 0;
    return d->bias + symbol.st_value;
}

static uint64_t find_in_hash(const hsd_remote *remote, const dynamic *d, const char *name)
{
    uint32_t head[4], index, found; /* buckets, first symbol, words of the filter, its shift */
    const uint32_t hash = gnu_hash(name);
    if (!hsd_remote_read(remote, d->gnu_hash, head, sizeof head) || head[0] == 0) return 0;
    const uint64_t buckets = d->gnu_hash + sizeof head + (uint64_t)head[2] * sizeof(uint64_t);
    const uint64_t chains = buckets + (uint64_t)head[0] * sizeof(uint32_t);
    if (!hsd_remote_read(remote, buckets + (uint64_t)(hash % head[0]) * sizeof index, &index, sizeof index) ||
        index < head[1])
        return 0;
    for (unsigned steps = 0; steps < MOST_CHAIN; steps++, index++) {
        if (!hsd_remote_read(remote, chains + (uint64_t)(index - head[1]) * sizeof found, &found, sizeof found))
            return 0;
        const uint64_t address = (found | 1) == (hash | 1) ? look_at_symbol(remote, d, index, name) : 0;
        if (address != 0) return address;
        if ((found & 1) != 0) return 0;
    }
    return 0;
}

uint64_t hsd_remote_symbol(const hsd_remote *remote, size_t object, const char *name)
{
    dynamic d;
    if (object >= remote->count || !find_dynamic(remote, remote->mappings[object].begin, &d)) return 0;
    return find_in_hash(remote, &d, name);
}

/* ---- code ---- */

static uint64_t search(const hsd_remote *remote, const hsd_remote_mapping *one, const void *bytes, size_t size)
{
    const uint64_t whole = one->end - one->begin;
    uint8_t *copy = whole > MOST_CODE ? NULL : malloc((size_t)whole);
    uint64_t found = 0;
    if (copy != NULL && hsd_remote_read(remote, one->begin, copy, (size_t)whole))
        for (size_t i = 0; found == 0 && i + size <= whole; i++)
            if (copy[i] == *(const uint8_t *)bytes && memcmp(copy + i, bytes, size) == 0) found = one->begin + i;
    free(copy);
    return found;
}

uint64_t hsd_remote_code(const hsd_remote *remote, size_t object, const void *bytes, size_t size)
{
    for (size_t i = object; i < remote->count; i++) {
        const hsd_remote_mapping *one = &remote->mappings[i];
        if (strcmp(one->name, remote->mappings[object].name) != 0) continue;
        const uint64_t found = one->is_executable && one->is_readable ? search(remote, one, bytes, size) : 0;
        if (found != 0) return found;
    }
    return 0;
}
