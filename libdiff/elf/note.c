/*
 * Notes: what linkers and kernels write into a file about it. See elf.h.
 */
#include "elf/elf.h"

#include <string.h>

#include "base/check.h"

enum { GNU_BUILD_ID = 3, MOST_NOTE_BYTES = 1 << 20, MOST_ID_BYTES = 256 };

static uint64_t round_up(uint64_t bytes, uint64_t alignment)
{
    const uint64_t mask = alignment == 8 ? 7 : 3;
    return (bytes + mask) & ~mask;
}

bool hsd_elf_next_note(const hsd_elf *elf, uint64_t *at, uint64_t end, uint64_t alignment, hsd_elf_note *note)
{
    uint8_t head[12];
    const hsd_elf_input *input = &elf->input;
    end = hsd_min_u64(end, input->bytes);
    if (*at > end || end - *at < sizeof head || input->read(input->context, *at, head, sizeof head, NULL) != HSD_OK)
        return false;
    const uint64_t name = hsd_elf_number(elf, head, 4), bytes = hsd_elf_number(elf, head + 4, 4);
    const uint64_t content = *at + round_up(sizeof head + name, alignment);
    *note = (hsd_elf_note){
        .type = (uint32_t)hsd_elf_number(elf, head + 8, 4), .name_bytes = name, .offset = content, .bytes = bytes};
    if (content > end || bytes > end - content) return false;
    const size_t kept = (size_t)hsd_min_u64(name, sizeof note->name - 1);
    if (input->read(input->context, *at + sizeof head, note->name, kept, NULL) != HSD_OK) return false;
    *at = content + round_up(bytes, alignment);
    return true;
}

/* ---- the build id ---- */

static bool find_id(const hsd_elf *elf, uint64_t at, uint64_t size, uint64_t alignment, char *digits, size_t room)
{
    static const char hexadecimal[] = "0123456789abcdef";
    uint8_t id[MOST_ID_BYTES];
    hsd_elf_note note;
    uint64_t end;
    if (size > MOST_NOTE_BYTES || !hsd_add_u64(at, size, &end)) return false;
    while (hsd_elf_next_note(elf, &at, end, alignment, &note)) {
        if (note.type != GNU_BUILD_ID || note.name_bytes != 4 || memcmp(note.name, "GNU", 4) != 0 || note.bytes == 0 ||
            note.bytes > sizeof id || note.bytes > (room - 1) / 2)
            continue;
        if (elf->input.read(elf->input.context, note.offset, id, (size_t)note.bytes, NULL) != HSD_OK) return false;
        for (size_t i = 0; i < note.bytes; i++) {
            digits[2 * i] = hexadecimal[id[i] >> 4];
            digits[2 * i + 1] = hexadecimal[id[i] & 15];
        }
        digits[2 * note.bytes] = '\0';
        return true;
    }
    return false;
}

bool hsd_elf_build_id(const hsd_elf *elf, char *digits, size_t room)
{
    digits[0] = '\0';
    /* Sections first: in a file of debug information alone the segments lead to bytes that are not there. */
    for (uint32_t i = 0; i < elf->section_count; i++) {
        const hsd_elf_section *section = &elf->sections[i];
        if (section->type == HSD_ELF_NOTES &&
            find_id(elf, section->offset, section->bytes, section->alignment, digits, room))
            return true;
    }
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const hsd_elf_segment *segment = &elf->segments[i];
        if (segment->type == HSD_ELF_NOTE &&
            find_id(elf, segment->offset, segment->file_bytes, segment->alignment, digits, room))
            return true;
    }
    return false;
}

/* ---- Go ---- */

bool hsd_elf_is_go(const hsd_elf *elf)
{
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const hsd_elf_segment *segment = &elf->segments[i];
        uint64_t at = segment->offset, end;
        hsd_elf_note note;
        if (segment->type != HSD_ELF_NOTE || segment->file_bytes > MOST_NOTE_BYTES ||
            !hsd_add_u64(at, segment->file_bytes, &end))
            continue;
        /* the C linker, which links what uses cgo, puts notes of its own in front */
        while (hsd_elf_next_note(elf, &at, end, segment->alignment, &note))
            if (note.name_bytes == 4 && memcmp(note.name, "Go\0", 4) == 0) return true;
    }
    return false;
}
