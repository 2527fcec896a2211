/*
 * From a mapping with offset 0 that begins like an ELF file to its bias, end and build id. Everything is read with
 * hsn_copy, since a file that was cut while it is mapped has pages that cannot be read.
 */
#include "native/walk/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "native/gone.h"

enum { MAX_HEADERS = 64, NOTE_BYTES = 4096 };

/* ---- text ---- */

char *hsn_put_text(char *out, const char *text, size_t size)
{
    memcpy(out, text, size);
    return out + size;
}

char *hsn_put_number(char *out, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    while (count > 0)
        *out++ = digits[--count];
    return out;
}

static char *put_hex(char *out, uint64_t number)
{
    int shift = 60;
    while (shift > 0 && number >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *out++ = "0123456789abcdef"[number >> shift & 15];
    return out;
}

/* ---- what a module is ---- */

/* A build id among the notes of [address, +size). */
static void read_build_id(hsn_module *m, uintptr_t address, size_t size)
{
    unsigned char bytes[NOTE_BYTES];
    if (size > sizeof bytes) size = sizeof bytes;
    if (hsn_copy(bytes, address, size)) m->build_id_size = hsn_library_build_id(bytes, size, m->build_id);
}

static bool read_headers(hsn_module *m, const ElfW(Ehdr) * file)
{
    ElfW(Phdr) headers[MAX_HEADERS];
    const size_t count = file->e_phnum < MAX_HEADERS ? file->e_phnum : MAX_HEADERS;
    if (file->e_phentsize != sizeof headers[0]) return false;
    if (!hsn_copy(headers, m->low + file->e_phoff, count * sizeof headers[0])) return false;
    uintptr_t end = 0;
    bool has_base = false;
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD) continue;
        if (!has_base) m->bias = m->low - (headers[i].p_vaddr - headers[i].p_offset);
        has_base = true;
        if (headers[i].p_vaddr + headers[i].p_memsz > end) end = headers[i].p_vaddr + headers[i].p_memsz;
    }
    if (!has_base) return false;
    m->high = (m->bias + end + HSN_PAGE - 1) & ~(uintptr_t)(HSN_PAGE - 1);
    for (size_t i = 0; i < count && m->build_id_size == 0; i++) {
        if (headers[i].p_type == PT_NOTE) read_build_id(m, m->bias + headers[i].p_vaddr, headers[i].p_memsz);
    }
    return m->high > m->low;
}

static bool native_module_begins(const hsn_module *m, const char *prefix)
{
    const size_t size = strlen(prefix);
    return m->name_size >= size && memcmp(m->name, prefix, size) == 0;
}

static void judge_native_module(hsn_module *m)
{
    static const char *const allocators[] = {"libc.so",     "libc-2",       "libstdc__.so",
                                             "libc__.so",   "libc__abi.so", "libjemalloc",
                                             "libtcmalloc", "libmimalloc",  "libhsdiff-native"};
    m->is_loader = native_module_begins(m, "ld-linux") || native_module_begins(m, "ld-2") ||
                   native_module_begins(m, "ld-musl") || native_module_begins(m, "ld.so") ||
                   native_module_begins(m, "ld64.so");
    m->is_allocator = m->is_loader;
    m->is_strings = native_module_begins(m, "libstdc__.so");
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++)
        m->is_allocator |= native_module_begins(m, allocators[i]);
    m->is_of_system =
        m->is_allocator || native_module_begins(m, "libpthread") || native_module_begins(m, "libgcc_s.so");
}

static bool name_module(hsn_module *m, const hsn_mapping *mapping, hsa_arena *arena)
{
    char *name = hsa_arena_take(arena, HSN_LIBRARY_NAME_BYTES);
    if (name == NULL) return false;
    m->name_size = hsn_library_name(mapping->path, mapping->path_size, name);
    m->name = name;
    judge_native_module(m);
    return true;
}

static bool is_module(const hsn_mapping *mapping, hsn_module *m)
{
    ElfW(Ehdr) file;
    if (mapping->kind != HSN_MAPPING_FILE || mapping->offset != 0 || !mapping->can_read || mapping->is_shared)
        return false;
    if (!hsn_copy(&file, mapping->low, sizeof file) || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0) return false;
    *m = (hsn_module){.low = mapping->low};
    return (file.e_type == ET_DYN || file.e_type == ET_EXEC) && read_headers(m, &file);
}

/* The agent's own; none where it is linked into the program, whose frames and variables count. */
static const hsn_module *own_module(const hsn_modules *modules)
{
    const hsn_module *own = hsn_module_of(modules, (uintptr_t)&hsn_modules_find);
    return own != NULL && native_module_begins(own, "libhsdiff-") ? own : NULL;
}

bool hsn_modules_find(hsn_modules *modules, const hsn_maps *maps, hsa_arena *arena)
{
    *modules = (hsn_modules){.maps = maps};
    hsn_module m;
    size_t count = 0;
    for (size_t i = 0; i < maps->count; i++)
        count += is_module(&maps->mappings[i], &m);
    modules->modules = hsa_arena_take(arena, (count + 1) * sizeof m);
    if (modules->modules == NULL) return false;
    for (size_t i = 0; i < maps->count && modules->count < count; i++) {
        if (!is_module(&maps->mappings[i], &m)) continue;
        /* one file mapped into another */
        if (modules->count > 0 && m.low < modules->modules[modules->count - 1].high) continue;
        if (!name_module(&m, &maps->mappings[i], arena)) return false;
        modules->modules[modules->count++] = m;
    }
    modules->own = own_module(modules);
    modules->program = hsn_module_of(modules, getauxval(AT_ENTRY));
    return true;
}

const hsn_module *hsn_module_of(const hsn_modules *modules, uintptr_t address)
{
    size_t low = 0, high = modules->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (modules->modules[middle].high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < modules->count && modules->modules[low].low <= address ? &modules->modules[low] : NULL;
}

/* MODULE+0xOFFSET{BUILDID} */
static size_t put_name(const char *name, size_t name_size, uintptr_t offset, const uint8_t *build_id, size_t size,
                       char out[HSN_NAME_BYTES])
{
    char *at = hsn_put_text(out, name, name_size);
    at = hsn_put_text(at, "+0x", 3);
    at = put_hex(at, offset);
    *at++ = '{';
    for (size_t i = 0; i < size; i++) {
        *at++ = "0123456789abcdef"[build_id[i] >> 4];
        *at++ = "0123456789abcdef"[build_id[i] & 15];
    }
    *at++ = '}';
    return (size_t)(at - out);
}

/* The library that was there, unless there is other code now. */
static const hsn_gone *gone_at(const hsn_modules *modules, uintptr_t address)
{
    const hsn_mapping *mapping = hsn_maps_find(modules->maps, address);
    return mapping != NULL && mapping->can_run ? NULL : hsn_gone_at(address);
}

size_t hsn_name_address(const hsn_modules *modules, uintptr_t address, char out[HSN_NAME_BYTES])
{
    static const char none[] = "(no file)";
    const hsn_module *m = hsn_module_of(modules, address);
    if (m != NULL) return put_name(m->name, m->name_size, address - m->bias, m->build_id, m->build_id_size, out);
    const hsn_gone *gone = gone_at(modules, address);
    if (gone != NULL)
        return put_name(gone->name, gone->name_size, address - gone->bias, gone->build_id, gone->build_id_size, out);
    return (size_t)(hsn_put_text(out, none, sizeof none - 1) - out);
}
