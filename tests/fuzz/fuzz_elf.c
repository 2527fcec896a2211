/*
 * The reader of ELF files: whatever a file says, its tables are read or left out, its sections unpacked within a bound,
 * its symbols and notes gone through to an end.
 */
#include <stdlib.h>
#include <string.h>

#include "elf/elf.h"

#define MOST_BYTES ((uint64_t)1 << 20)
#define MOST_LOADS 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hsd_status count(void *context, const hsd_elf_entry *entry, hsd_error *err)
{
    uint64_t *seen = context;
    (void)err;
    if (entry->kind > 15 || entry->binding > 15) abort();
    (*seen)++;
    return HSD_OK;
}

static void look_at_section(const hsd_elf *elf, const hsd_elf_section *section)
{
    hsd_buffer bytes = {0};
    uint64_t seen = 0;
    hsd_elf_note note;
    const uint64_t unpacked = hsd_elf_unpacked_bytes(elf, section);
    const hsd_status status = hsd_elf_append(elf, section, MOST_BYTES, &bytes, NULL);
    if (status == HSD_OK && (bytes.size != unpacked || bytes.size > MOST_BYTES)) abort();
    hsd_buffer_release(&bytes);
    if (hsd_elf_each_symbol(elf, section, count, &seen, NULL) != HSD_OK) abort();
    if (seen > elf->input.bytes) abort();
    for (uint64_t at = section->offset, before = at; hsd_elf_next_note(elf, &at, elf->input.bytes, 8, &note);
         before = at)
        if (at <= before || note.bytes > elf->input.bytes) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    hsd_elf elf;
    char id[65];
    uint64_t left = 0;
    hsd_elf_symbol wanted[] = {{"main", 0}, {"_start", 0}};
    if (hsd_elf_open_bytes(&elf, (hsd_bytes){data, size}, NULL) != HSD_OK) return 0;
    for (uint32_t i = 0; i < elf.segment_count; i++) {
        const hsd_elf_segment *segment = &elf.segments[i];
        if (segment->offset < size && segment->file_bytes > size - segment->offset) abort();
        if (hsd_elf_segment_at(&elf, segment->address, &left) != NULL && (left == 0 || left > size)) abort();
    }
    for (uint32_t i = 0; i < elf.section_count && i < MOST_LOADS; i++)
        look_at_section(&elf, &elf.sections[i]);
    if (hsd_elf_build_id(&elf, id, sizeof id) ? id[0] == '\0' || strlen(id) >= sizeof id : id[0] != '\0') abort();
    (void)hsd_elf_is_go(&elf);
    (void)hsd_elf_find_symbols(&elf, wanted, 2, MOST_BYTES, NULL);
    hsd_elf_close(&elf);
    return 0;
}
