/*
 * What is in the sections of an ELF file. Go packs its DWARF: with a header of the section that says so (from 1.19 on),
 * or in the form before that, a section of another name whose first bytes are "ZLIB" and the size. What it grows to is
 * bounded before a byte is made.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "elf/elf.h"
#include "io/zip.h"

enum { PIECE_BYTES = 65536, COMPRESSED = 0x800, WITH_ZLIB = 1, NO_BITS = 8, SYMBOL_BYTES = 24 };

typedef struct packing {
    bool is_packed;
    uint64_t offset, bytes, unpacked_bytes;
} packing;

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static bool is_inside(const hsd_elf *elf, const hsd_elf_section *section)
{
    return section->type != NO_BITS && section->offset <= elf->input.bytes &&
           section->bytes <= elf->input.bytes - section->offset;
}

const hsd_elf_section *hsd_elf_section_named(const hsd_elf *elf, const char *name)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const hsd_elf_section *section = &elf->sections[i];
        if (section->name < elf->section_names.size &&
            strcmp((const char *)elf->section_names.data + section->name, name) == 0)
            return section;
    }
    return NULL;
}

static hsd_status unpack_piece(hsd_unzip *unzip, const uint8_t *in, size_t in_size, hsd_buffer *out, uint64_t want,
                               bool *is_over, hsd_error *err)
{
    while (!*is_over) {
        size_t used = in_size, made = (size_t)(want - out->size);
        const hsd_status status = hsd_unzip_step(unzip, in, &used, out->data + out->size, &made, err);
        if (status < 0) return status;
        out->size += made;
        in += used;
        in_size -= used;
        *is_over = status == HSD_END || out->size == want;
        if (used == 0 && made == 0) break;
    }
    return HSD_OK;
}

static hsd_status unpack(const hsd_elf *elf, const packing *packed, hsd_buffer *out, hsd_error *err)
{
    uint8_t piece[PIECE_BYTES];
    hsd_unzip *unzip = NULL;
    bool is_over = packed->unpacked_bytes == 0;
    hsd_status status = hsd_unzip_new(&unzip, HSD_ZIP_ZLIB, err);
    for (uint64_t at = 0; status == HSD_OK && !is_over && at < packed->bytes; at += sizeof piece) {
        const size_t size = (size_t)hsd_min_u64(sizeof piece, packed->bytes - at);
        status = elf->input.read(elf->input.context, packed->offset + at, piece, size, err);
        if (status == HSD_OK) status = unpack_piece(unzip, piece, size, out, packed->unpacked_bytes, &is_over, err);
    }
    hsd_unzip_free(unzip);
    if (status == HSD_OK && out->size != packed->unpacked_bytes)
        return hsd_fail(err, HSD_E_CORRUPT, "its DWARF is cut short");
    return status;
}

static hsd_status look_at_packing(const hsd_elf *elf, const hsd_elf_section *section, bool is_old, packing *out,
                                  hsd_error *err)
{
    uint8_t head[24];
    const size_t size = is_old ? 12 : 24;
    *out = (packing){.offset = section->offset, .bytes = section->bytes, .unpacked_bytes = section->bytes};
    if (!is_old && (section->flags & COMPRESSED) == 0) return HSD_OK;
    if (section->bytes < size) return hsd_fail(err, HSD_E_CORRUPT, "no valid ELF file: a packed section");
    HSD_TRY(elf->input.read(elf->input.context, section->offset, head, size, err));
    if (is_old ? memcmp(head, "ZLIB", 4) != 0 : number(head, 4) != WITH_ZLIB)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "its DWARF is packed with something else than zlib");
    out->is_packed = true;
    out->offset += size;
    out->bytes -= size;
    out->unpacked_bytes = is_old ? __builtin_bswap64(number(head + 4, 8)) : number(head + 8, 8);
    return HSD_OK;
}

static const hsd_elf_section *find(const hsd_elf *elf, const char *name, bool *is_old)
{
    char old[64];
    const hsd_elf_section *section = hsd_elf_section_named(elf, name);
    *is_old = false;
    if (section != NULL) return section;
    snprintf(old, sizeof old, ".z%s", name + 1);
    *is_old = true;
    return hsd_elf_section_named(elf, old);
}

hsd_status hsd_elf_load(const hsd_elf *elf, const char *name, uint64_t most_bytes, hsd_buffer *out, hsd_error *err)
{
    bool is_old;
    packing packed;
    const hsd_elf_section *section = find(elf, name, &is_old);
    hsd_buffer_clear(out);
    if (section == NULL || !is_inside(elf, section)) return hsd_fail(err, HSD_E_NOT_FOUND, "it has no %s", name);
    HSD_TRY(look_at_packing(elf, section, is_old, &packed, err));
    if (packed.unpacked_bytes > most_bytes) {
        hsd_fail(err, HSD_E_OVER_BUDGET, "%s of the program takes %" PRIu64 " MiB, and %" PRIu64 " MiB are left for it",
                 name, packed.unpacked_bytes >> 20, most_bytes >> 20);
        hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so",
                           (hsd_min_u64(packed.unpacked_bytes, UINT64_C(1) << 40) * 4 >> 20) + 64);
        return HSD_E_OVER_BUDGET;
    }
    HSD_TRY(hsd_buffer_reserve(out, (size_t)packed.unpacked_bytes + 1, err));
    if (packed.is_packed) return unpack(elf, &packed, out, err);
    HSD_TRY(elf->input.read(elf->input.context, packed.offset, out->data, (size_t)packed.bytes, err));
    out->size = (size_t)packed.bytes;
    return HSD_OK;
}

/* ---- symbols ---- */

static void look_at_symbol(const hsd_buffer *names, const uint8_t *at, hsd_elf_symbol *wanted, size_t count)
{
    const uint64_t name = number(at, 4);
    if (name >= names->size) return;
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(wanted[i].name) + 1;
        if (wanted[i].address != 0 || size > names->size - name ||
            memcmp(names->data + name, wanted[i].name, size) != 0)
            continue;
        wanted[i].address = number(at + 8, 8);
    }
}

static hsd_status look_at_symbols(const hsd_elf *elf, const hsd_elf_section *table, const hsd_buffer *names,
                                  hsd_elf_symbol *wanted, size_t count, hsd_error *err)
{
    uint8_t piece[SYMBOL_BYTES * 512];
    for (uint64_t at = 0; at < table->bytes; at += sizeof piece) {
        const size_t size = (size_t)hsd_min_u64(sizeof piece, table->bytes - at);
        HSD_TRY(elf->input.read(elf->input.context, table->offset + at, piece, size, err));
        for (size_t i = 0; i + SYMBOL_BYTES <= size; i += SYMBOL_BYTES)
            look_at_symbol(names, piece + i, wanted, count);
    }
    return HSD_OK;
}

hsd_status hsd_elf_find_symbols(const hsd_elf *elf, hsd_elf_symbol *wanted, size_t count, uint64_t most_bytes,
                                hsd_error *err)
{
    hsd_buffer names = {0};
    const hsd_elf_section *table = hsd_elf_section_named(elf, ".symtab");
    if (table == NULL || !is_inside(elf, table)) return hsd_fail(err, HSD_E_NOT_FOUND, "it has no .symtab");
    hsd_status status = hsd_elf_load(elf, ".strtab", most_bytes, &names, err);
    if (status == HSD_OK) status = look_at_symbols(elf, table, &names, wanted, count, err);
    hsd_buffer_release(&names);
    return status;
}
