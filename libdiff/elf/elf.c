/*
 * The tables of an ELF file. See elf.h. The layouts are those of the System V ABI; only what is used here is read.
 */
#include "elf/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fail.h"
#include "io/fd.h"

enum { HEADER_BYTES = 64, SEGMENT_BYTES = 56, SECTION_BYTES = 64, CLASS_64 = 2, LITTLE_ENDIAN_DATA = 1 };
enum { MANY_SEGMENTS = 0xffff, MOST_SEGMENTS = 1 << 20, MOST_SECTIONS = 1 << 16, MOST_NAMES = 1 << 22 };

static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static hsd_status read_at(const hsd_elf *elf, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    if (offset > elf->input.bytes || size > elf->input.bytes - offset)
        return hsd_fail(err, HSD_E_CORRUPT, "no valid ELF file: a table lies outside of it");
    return elf->input.read(elf->input.context, offset, data, size, err);
}

/* ---- tables ---- */

static hsd_status read_segments(hsd_elf *elf, uint64_t offset, uint32_t count, hsd_error *err)
{
    uint8_t at[SEGMENT_BYTES];
    if (count > MOST_SEGMENTS) return hsd_fail(err, HSD_E_CORRUPT, "no valid ELF file: %u segments", count);
    elf->segments = calloc((size_t)count + 1, sizeof *elf->segments);
    if (elf->segments == NULL) return hsd_fail_nomem(err, "segments");
    for (uint32_t i = 0; i < count; i++) {
        HSD_TRY(read_at(elf, offset + (uint64_t)i * SEGMENT_BYTES, at, sizeof at, err));
        hsd_elf_segment *segment = &elf->segments[elf->segment_count];
        *segment = (hsd_elf_segment){.type = (uint32_t)number(at, 4),
                                     .flags = (uint32_t)number(at + 4, 4),
                                     .offset = number(at + 8, 8),
                                     .address = number(at + 16, 8),
                                     .file_bytes = number(at + 32, 8),
                                     .memory_bytes = number(at + 40, 8)};
        uint64_t end;
        if (!hsd_add_u64(segment->address, segment->memory_bytes, &end) ||
            !hsd_add_u64(segment->address, segment->file_bytes, &end))
            continue;
        const uint64_t have = segment->offset < elf->input.bytes ? elf->input.bytes - segment->offset : 0;
        elf->is_cut = elf->is_cut || segment->file_bytes > have;
        segment->file_bytes = hsd_min_u64(segment->file_bytes, have);
        elf->segment_count++;
    }
    return HSD_OK;
}

static void read_section(hsd_elf_section *section, const uint8_t *at)
{
    *section = (hsd_elf_section){.name = (uint32_t)number(at, 4),
                                 .type = (uint32_t)number(at + 4, 4),
                                 .flags = number(at + 8, 8),
                                 .address = number(at + 16, 8),
                                 .offset = number(at + 24, 8),
                                 .bytes = number(at + 32, 8),
                                 .link = (uint32_t)number(at + 40, 4),
                                 .entry_bytes = number(at + 56, 8)};
}

static hsd_status read_sections(hsd_elf *elf, uint64_t offset, uint32_t count, uint32_t names, hsd_error *err)
{
    uint8_t at[SECTION_BYTES];
    elf->sections = calloc((size_t)count + 1, sizeof *elf->sections);
    if (elf->sections == NULL) return hsd_fail_nomem(err, "sections");
    for (; elf->section_count < count; elf->section_count++) {
        HSD_TRY(read_at(elf, offset + (uint64_t)elf->section_count * SECTION_BYTES, at, sizeof at, err));
        read_section(&elf->sections[elf->section_count], at);
    }
    if (names >= count || elf->sections[names].bytes > MOST_NAMES) return HSD_OK;
    const size_t bytes = (size_t)elf->sections[names].bytes;
    HSD_TRY(hsd_buffer_reserve(&elf->section_names, bytes + 1, err));
    HSD_TRY(read_at(elf, elf->sections[names].offset, elf->section_names.data, bytes, err));
    elf->section_names.data[bytes] = 0;
    elf->section_names.size = bytes + 1;
    return HSD_OK;
}

static hsd_status read_header(hsd_elf *elf, hsd_error *err)
{
    uint8_t at[HEADER_BYTES], first[SECTION_BYTES];
    if (elf->input.bytes < HEADER_BYTES) return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no ELF file");
    HSD_TRY(read_at(elf, 0, at, sizeof at, err));
    if (memcmp(at,
               "\x7f"
               "ELF",
               4) != 0)
        return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no ELF file");
    if (at[4] != CLASS_64 || at[5] != LITTLE_ENDIAN_DATA)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "is of a machine of %s: hsdiff reads those of 64 bits, little-endian",
                        at[4] != CLASS_64 ? "32 bits" : "big-endian words");
    elf->type = (unsigned)number(at + 16, 2);
    elf->machine = (unsigned)number(at + 18, 2);
    elf->entry = number(at + 24, 8);
    const uint64_t segments = number(at + 32, 8), sections = number(at + 40, 8);
    uint32_t segment_count = (uint32_t)number(at + 56, 2), section_count = (uint32_t)number(at + 60, 2);
    const bool has_first = sections != 0 && sections <= elf->input.bytes && elf->input.bytes - sections >= sizeof first;
    if (segment_count == MANY_SEGMENTS && has_first) { /* then the first section has the number */
        HSD_TRY(read_at(elf, sections, first, sizeof first, err));
        segment_count = (uint32_t)number(first + 44, 4);
    }
    if (segment_count > 0 && number(at + 54, 2) != SEGMENT_BYTES)
        return hsd_fail(err, HSD_E_CORRUPT, "no valid ELF file: its segments");
    if (segments <= UINT64_MAX / 2) HSD_TRY(read_segments(elf, segments, segment_count, err));
    if (!has_first || section_count == 0 || number(at + 58, 2) != SECTION_BYTES) return HSD_OK;
    return read_sections(elf, sections, section_count, (uint32_t)number(at + 62, 2), err);
}

hsd_status hsd_elf_open(hsd_elf *elf, const hsd_elf_input *input, hsd_error *err)
{
    *elf = (hsd_elf){.input = *input};
    const hsd_status status = read_header(elf, err);
    if (status == HSD_OK) return HSD_OK;
    if (status == HSD_E_CORRUPT && elf->type == HSD_ELF_CORE && elf->segments != NULL)
        return HSD_OK; /* cut: its sections are gone */
    hsd_elf_close(elf);
    return status;
}

static hsd_status read_file(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    const hsd_elf *elf = context;
    uint8_t *out = data;
    for (size_t got; size > 0; out += got, size -= got, offset += got) {
        const int error = hsd_fd_read(elf->fd, out, size, (off_t)offset, &got);
        if (error != 0) return hsd_fail_errno(err, error, "cannot read");
        if (got == 0) return hsd_fail(err, HSD_E_TRUNCATED, "it became shorter while it was read");
    }
    return HSD_OK;
}

static hsd_status open_regular(int *fd, const char *path, uint64_t *bytes, hsd_error *err)
{
    struct stat what;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, &what) != 0) return hsd_fail_errno(err, errno, "cannot open");
    *bytes = (uint64_t)what.st_size;
    return S_ISREG(what.st_mode) ? HSD_OK : hsd_fail(err, HSD_E_UNSUPPORTED, "is no regular file");
}

hsd_status hsd_elf_open_file(hsd_elf *elf, const char *path, hsd_error *err)
{
    hsd_elf_input input = {.read = read_file, .context = elf};
    int fd = -1;
    *elf = (hsd_elf){0};
    hsd_status status = open_regular(&fd, path, &input.bytes, err);
    *elf = (hsd_elf){.input = input, .fd = fd, .is_owned = fd >= 0};
    if (status == HSD_OK) status = read_header(elf, err);
    if (status != HSD_OK) {
        hsd_elf_close(elf);
        hsd_error_set_file(err, path);
    }
    return status;
}

void hsd_elf_close(hsd_elf *elf)
{
    if (elf->is_owned) close(elf->fd);
    free(elf->segments);
    free(elf->sections);
    hsd_buffer_release(&elf->section_names);
    *elf = (hsd_elf){0};
}

const hsd_elf_segment *hsd_elf_segment_at(const hsd_elf *elf, uint64_t address, uint64_t *bytes)
{
    for (uint32_t i = 0; i < elf->segment_count; i++) {
        const hsd_elf_segment *segment = &elf->segments[i];
        if (segment->type != HSD_ELF_LOAD || address < segment->address ||
            address - segment->address >= segment->file_bytes)
            continue;
        *bytes = segment->file_bytes - (address - segment->address);
        return segment;
    }
    return NULL;
}

/* ---- notes ---- */

static uint64_t round_up(uint64_t bytes) { return (bytes + 3) & ~UINT64_C(3); }

bool hsd_elf_next_note(const hsd_elf_input *input, uint64_t *at, uint64_t end, hsd_elf_note *note)
{
    uint8_t head[12];
    end = hsd_min_u64(end, input->bytes);
    if (*at > end || end - *at < sizeof head || input->read(input->context, *at, head, sizeof head, NULL) != HSD_OK)
        return false;
    const uint64_t name = number(head, 4), bytes = number(head + 4, 4);
    const uint64_t content = *at + sizeof head + round_up(name);
    *note = (hsd_elf_note){.type = (uint32_t)number(head + 8, 4), .offset = content, .bytes = bytes};
    if (content > end || bytes > end - content) return false;
    const size_t kept = (size_t)hsd_min_u64(name, sizeof note->name - 1);
    if (input->read(input->context, *at + sizeof head, note->name, kept, NULL) != HSD_OK) return false;
    *at = content + round_up(bytes);
    return true;
}
