/*
 * What is in the sections of an ELF file. See elf.h. Go packs its DWARF: with a header of the section that says so
 * (from 1.19 on), or in the form before that, a section of another name whose first bytes are "ZLIB" and the size. What
 * it grows to is bounded before a byte is made.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "elf/elf.h"
#include "io/zip.h"

enum { PIECE_BYTES = 65536, WITH_ZLIB = 1, HEAD_64 = 24, HEAD_32 = 12, OLD_HEAD = 12 };

typedef struct packing {
    bool is_packed;
    uint64_t offset, bytes, unpacked_bytes;
} packing;

static bool is_inside(const hsd_elf *elf, const hsd_elf_section *section)
{
    return section->type != HSD_ELF_NO_BITS && section->offset <= elf->input.bytes &&
           section->bytes <= elf->input.bytes - section->offset;
}

const char *hsd_elf_section_name(const hsd_elf *elf, const hsd_elf_section *section)
{
    return section->name < elf->section_names.size ? (const char *)elf->section_names.data + section->name : NULL;
}

const hsd_elf_section *hsd_elf_section_named(const hsd_elf *elf, const char *name)
{
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const char *its = hsd_elf_section_name(elf, &elf->sections[i]);
        if (its != NULL && strcmp(its, name) == 0) return &elf->sections[i];
    }
    return NULL;
}

/* ---- packing ---- */

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

/* Behind what is in *out, which has the room. */
static hsd_status unpack(const hsd_elf *elf, const packing *packed, hsd_buffer *out, hsd_error *err)
{
    uint8_t piece[PIECE_BYTES];
    const uint64_t want = out->size + packed->unpacked_bytes;
    hsd_unzip *unzip = NULL;
    bool is_over = packed->unpacked_bytes == 0;
    hsd_status status = hsd_unzip_new(&unzip, HSD_ZIP_ZLIB, err);
    for (uint64_t at = 0; status == HSD_OK && !is_over && at < packed->bytes; at += sizeof piece) {
        const size_t size = (size_t)hsd_min_u64(sizeof piece, packed->bytes - at);
        status = elf->input.read(elf->input.context, packed->offset + at, piece, size, err);
        if (status == HSD_OK) status = unpack_piece(unzip, piece, size, out, want, &is_over, err);
    }
    hsd_unzip_free(unzip);
    if (status == HSD_OK && out->size != want) return hsd_fail(err, HSD_E_CORRUPT, "its DWARF is cut short");
    return status;
}

static hsd_status look_at_packing(const hsd_elf *elf, const hsd_elf_section *section, packing *out, hsd_error *err)
{
    uint8_t head[HEAD_64];
    const char *name = hsd_elf_section_name(elf, section);
    const bool is_old = name != NULL && strncmp(name, ".zdebug", 7) == 0;
    const size_t size = is_old ? OLD_HEAD : elf->is_64_bits ? HEAD_64 : HEAD_32;
    *out = (packing){.offset = section->offset, .bytes = section->bytes, .unpacked_bytes = section->bytes};
    if (!is_old && (section->flags & HSD_ELF_PACKED) == 0) return HSD_OK;
    if (section->bytes < size) return hsd_fail(err, HSD_E_CORRUPT, "no valid ELF file: a packed section");
    HSD_TRY(elf->input.read(elf->input.context, section->offset, head, size, err));
    if (is_old ? memcmp(head, "ZLIB", 4) != 0 : hsd_elf_number(elf, head, 4) != WITH_ZLIB)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "its DWARF is packed with something else than zlib");
    out->is_packed = true;
    out->offset += size;
    out->bytes -= size;
    out->unpacked_bytes = hsd_elf_word(elf, head, 8, 4);
    if (is_old) { /* always big-endian */
        out->unpacked_bytes = 0;
        for (unsigned i = 4; i < OLD_HEAD; i++)
            out->unpacked_bytes = out->unpacked_bytes << 8 | head[i];
    }
    return HSD_OK;
}

uint64_t hsd_elf_unpacked_bytes(const hsd_elf *elf, const hsd_elf_section *section)
{
    packing packed;
    if (!is_inside(elf, section) || look_at_packing(elf, section, &packed, NULL) != HSD_OK) return UINT64_MAX;
    return packed.unpacked_bytes;
}

/* ---- loading ---- */

static hsd_status refuse_size(const char *name, uint64_t bytes, uint64_t most_bytes, hsd_error *err)
{
    hsd_fail(err, HSD_E_OVER_BUDGET, "%s of the program takes %" PRIu64 " MiB, and %" PRIu64 " MiB are left for it",
             name, bytes >> 20, most_bytes >> 20);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64 "M or so",
                       (hsd_min_u64(bytes, UINT64_C(1) << 40) * 4 >> 20) + 64);
    return HSD_E_OVER_BUDGET;
}

/* Errors call the section by this name. */
static hsd_status append_section(const hsd_elf *elf, const hsd_elf_section *section, const char *name,
                                 uint64_t most_bytes, hsd_buffer *out, hsd_error *err)
{
    packing packed;
    if (section == NULL || !is_inside(elf, section)) return hsd_fail(err, HSD_E_NOT_FOUND, "it has no %s", name);
    HSD_TRY(look_at_packing(elf, section, &packed, err));
    if (packed.unpacked_bytes > most_bytes) return refuse_size(name, packed.unpacked_bytes, most_bytes, err);
    HSD_TRY(hsd_buffer_reserve(out, (size_t)packed.unpacked_bytes + 1, err));
    if (packed.is_packed) return unpack(elf, &packed, out, err);
    HSD_TRY(elf->input.read(elf->input.context, packed.offset, out->data + out->size, (size_t)packed.bytes, err));
    out->size += (size_t)packed.bytes;
    return HSD_OK;
}

hsd_status hsd_elf_append(const hsd_elf *elf, const hsd_elf_section *section, uint64_t most_bytes, hsd_buffer *out,
                          hsd_error *err)
{
    const char *name = hsd_elf_section_name(elf, section);
    return append_section(elf, section, name != NULL ? name : "a section", most_bytes, out, err);
}

hsd_status hsd_elf_load(const hsd_elf *elf, const char *name, uint64_t most_bytes, hsd_buffer *out, hsd_error *err)
{
    char old[64];
    const hsd_elf_section *section = hsd_elf_section_named(elf, name);
    snprintf(old, sizeof old, ".z%s", name + 1);
    if (section == NULL) section = hsd_elf_section_named(elf, old);
    hsd_buffer_clear(out);
    return append_section(elf, section, name, most_bytes, out, err);
}
