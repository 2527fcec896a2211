/*
 * Tables of symbols: an entry at a time, or a few symbols by their names. See elf.h.
 */
#include "elf/elf.h"

#include <string.h>

#include "base/check.h"
#include "base/fail.h"

enum { ENTRY_64 = 24, ENTRY_32 = 16, PIECE_ENTRIES = 512 };

size_t hsd_elf_entry_bytes(const hsd_elf *elf) { return elf->is_64_bits ? ENTRY_64 : ENTRY_32; }

hsd_elf_entry hsd_elf_entry_at(const hsd_elf *elf, const uint8_t *at)
{
    const uint8_t *info = at + (elf->is_64_bits ? 4 : 12);
    return (hsd_elf_entry){.name = (uint32_t)hsd_elf_number(elf, at, 4),
                           .kind = info[0] & 15,
                           .binding = info[0] >> 4,
                           .section = (unsigned)hsd_elf_number(elf, info + 2, 2),
                           .value = hsd_elf_word(elf, at, 8, 4),
                           .bytes = hsd_elf_word(elf, at, 16, 8)};
}

hsd_status hsd_elf_each_symbol(const hsd_elf *elf, const hsd_elf_section *table, hsd_elf_visit visit, void *context,
                               hsd_error *err)
{
    uint8_t piece[PIECE_ENTRIES * ENTRY_64];
    const size_t entry_bytes = hsd_elf_entry_bytes(elf);
    if (table->offset > elf->input.bytes || table->bytes > elf->input.bytes - table->offset) return HSD_OK;
    const uint64_t count = table->bytes / entry_bytes;
    for (uint64_t done = 1; done < count;) {
        const size_t now = (size_t)hsd_min_u64(PIECE_ENTRIES, count - done);
        HSD_TRY(elf->input.read(elf->input.context, table->offset + done * entry_bytes, piece, now * entry_bytes, err));
        for (size_t i = 0; i < now; i++) {
            const hsd_elf_entry entry = hsd_elf_entry_at(elf, piece + i * entry_bytes);
            HSD_TRY(visit(context, &entry, err));
        }
        done += now;
    }
    return HSD_OK;
}

/* ---- a few by name ---- */

typedef struct search {
    const hsd_buffer *names;
    hsd_elf_symbol *wanted;
    size_t count;
} search;

static hsd_status look_at(void *context, const hsd_elf_entry *entry, hsd_error *err)
{
    const search *s = context;
    (void)err;
    if (entry->name >= s->names->size) return HSD_OK;
    for (size_t i = 0; i < s->count; i++) {
        const size_t size = strlen(s->wanted[i].name) + 1;
        if (s->wanted[i].address != 0 || size > s->names->size - entry->name ||
            memcmp(s->names->data + entry->name, s->wanted[i].name, size) != 0)
            continue;
        s->wanted[i].address = entry->value;
    }
    return HSD_OK;
}

hsd_status hsd_elf_find_symbols(const hsd_elf *elf, hsd_elf_symbol *wanted, size_t count, uint64_t most_bytes,
                                hsd_error *err)
{
    hsd_buffer names = {0};
    const hsd_elf_section *table = hsd_elf_section_named(elf, ".symtab");
    if (table == NULL || table->type == HSD_ELF_NO_BITS || table->offset > elf->input.bytes ||
        table->bytes > elf->input.bytes - table->offset)
        return hsd_fail(err, HSD_E_NOT_FOUND, "it has no .symtab");
    hsd_status status = hsd_elf_load(elf, ".strtab", most_bytes, &names, err);
    search s = {.names = &names, .wanted = wanted, .count = count};
    if (status == HSD_OK) status = hsd_elf_each_symbol(elf, table, look_at, &s, err);
    hsd_buffer_release(&names);
    return status;
}
