/*
 * The header and the tables of an ELF file. See elf.h. The layouts are those of the System V ABI; only what is used
 * here is read. Tables are read in pieces, so that a list of many files costs few calls for each.
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

/* Sizes of records in files of 64 and of 32 bits. */
enum { HEADER_64 = 64, HEADER_32 = 52, SEGMENT_64 = 56, SEGMENT_32 = 32, SECTION_64 = 64, SECTION_32 = 40 };
enum { IDENTITY_BYTES = 16, CLASS_AT = 4, ORDER_AT = 5, CLASS_32 = 1, CLASS_64 = 2, LITTLE = 1, BIG = 2 };
/* Larger numbers stand in the first section. */
enum { MANY_SEGMENTS = 0xffff, NAMES_ELSEWHERE = 0xffff };
enum { MOST_SEGMENTS = 1 << 20, MOST_SECTIONS = 1 << 20, MOST_NAMES = 1 << 22, PIECE_RECORDS = 64 };

static const char outside[] = "a table lies outside of it";

/* Tables, as the header tells of them. */
typedef struct tables {
    uint64_t segments, sections; /* offsets */
    uint32_t segment_count, section_count, names;
    bool has_sections;
} tables;

static bool is_inside(const hsd_elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->input.bytes && size <= elf->input.bytes - offset;
}

static hsd_status read_at(const hsd_elf *elf, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    return elf->input.read(elf->input.context, offset, data, size, err);
}

/* How many records of a table lie in the file; the rest is damage. */
static uint32_t how_many(hsd_elf *elf, uint64_t offset, uint32_t count, size_t record)
{
    const uint64_t have = offset < elf->input.bytes ? (elf->input.bytes - offset) / record : 0;
    if (count > have) elf->damage = outside;
    return (uint32_t)hsd_min_u64(count, have);
}

/* Takes the records of a table one by one. */
typedef void (*take_fn)(hsd_elf *elf, const uint8_t *at);

static hsd_status read_table(hsd_elf *elf, uint64_t offset, uint32_t count, size_t record, take_fn take, hsd_error *err)
{
    uint8_t piece[PIECE_RECORDS * SECTION_64];
    for (uint32_t done = 0; done < count;) {
        const uint32_t now = (uint32_t)hsd_min_u64(PIECE_RECORDS, count - done);
        HSD_TRY(read_at(elf, offset + (uint64_t)done * record, piece, now * record, err));
        for (uint32_t i = 0; i < now; i++)
            take(elf, piece + i * record);
        done += now;
    }
    return HSD_OK;
}

/* ---- segments ---- */

static void take_segment(hsd_elf *elf, const uint8_t *at)
{
    const uint8_t *flags = at + (elf->is_64_bits ? 4 : 24);
    hsd_elf_segment segment = {.type = (uint32_t)hsd_elf_number(elf, at, 4),
                               .flags = (uint32_t)hsd_elf_number(elf, flags, 4),
                               .offset = hsd_elf_word(elf, at, 8, 4),
                               .address = hsd_elf_word(elf, at, 16, 8),
                               .file_bytes = hsd_elf_word(elf, at, 32, 16),
                               .memory_bytes = hsd_elf_word(elf, at, 40, 20),
                               .alignment = hsd_elf_word(elf, at, 48, 28)};
    uint64_t end;
    if (!hsd_add_u64(segment.address, segment.memory_bytes, &end) ||
        !hsd_add_u64(segment.address, segment.file_bytes, &end))
        return;
    const uint64_t have = segment.offset < elf->input.bytes ? elf->input.bytes - segment.offset : 0;
    elf->is_cut = elf->is_cut || segment.file_bytes > have;
    segment.file_bytes = hsd_min_u64(segment.file_bytes, have);
    elf->segments[elf->segment_count++] = segment;
}

static hsd_status read_segments(hsd_elf *elf, const tables *in, unsigned record, hsd_error *err)
{
    if (in->segment_count == 0) return HSD_OK;
    if (record != (elf->is_64_bits ? SEGMENT_64 : SEGMENT_32) || in->segment_count > MOST_SEGMENTS) {
        elf->damage = "its segments";
        return HSD_OK;
    }
    const uint32_t count = how_many(elf, in->segments, in->segment_count, record);
    elf->segments = calloc((size_t)count + 1, sizeof *elf->segments);
    if (elf->segments == NULL) return hsd_fail_nomem(err, "segments");
    return read_table(elf, in->segments, count, record, take_segment, err);
}

/* ---- sections ---- */

static hsd_elf_section section_of(const hsd_elf *elf, const uint8_t *at)
{
    const uint8_t *link = at + (elf->is_64_bits ? 40 : 24);
    return (hsd_elf_section){.name = (uint32_t)hsd_elf_number(elf, at, 4),
                             .type = (uint32_t)hsd_elf_number(elf, at + 4, 4),
                             .flags = hsd_elf_word(elf, at, 8, 8),
                             .address = hsd_elf_word(elf, at, 16, 12),
                             .offset = hsd_elf_word(elf, at, 24, 16),
                             .bytes = hsd_elf_word(elf, at, 32, 20),
                             .link = (uint32_t)hsd_elf_number(elf, link, 4),
                             .alignment = hsd_elf_word(elf, at, 48, 32),
                             .entry_bytes = hsd_elf_word(elf, at, 56, 36)};
}

static void take_section(hsd_elf *elf, const uint8_t *at) { elf->sections[elf->section_count++] = section_of(elf, at); }

static hsd_status read_sections(hsd_elf *elf, const tables *in, unsigned record, hsd_error *err)
{
    if (!in->has_sections || in->section_count == 0) return HSD_OK;
    const uint32_t count = how_many(elf, in->sections, in->section_count, record);
    elf->sections = calloc((size_t)count + 1, sizeof *elf->sections);
    if (elf->sections == NULL) return hsd_fail_nomem(err, "sections");
    HSD_TRY(read_table(elf, in->sections, count, record, take_section, err));
    if (in->names >= elf->section_count || elf->sections[in->names].bytes > MOST_NAMES) return HSD_OK;
    const hsd_elf_section *names = &elf->sections[in->names];
    if (!is_inside(elf, names->offset, names->bytes)) {
        elf->damage = outside;
        return HSD_OK;
    }
    const size_t bytes = (size_t)names->bytes;
    HSD_TRY(hsd_buffer_reserve(&elf->section_names, bytes + 1, err));
    HSD_TRY(read_at(elf, names->offset, elf->section_names.data, bytes, err));
    elf->section_names.data[bytes] = 0;
    elf->section_names.size = bytes + 1;
    return HSD_OK;
}

/* ---- the header ---- */

/* The first section has the numbers that the header has no room for. */
static hsd_status look_into_first_section(const hsd_elf *elf, unsigned record, tables *out, hsd_error *err)
{
    uint8_t at[SECTION_64];
    out->has_sections = out->sections != 0 && record == (elf->is_64_bits ? SECTION_64 : SECTION_32) &&
                        is_inside(elf, out->sections, record);
    if (!out->has_sections) return HSD_OK;
    HSD_TRY(read_at(elf, out->sections, at, record, err));
    const hsd_elf_section first = section_of(elf, at);
    if (out->segment_count == MANY_SEGMENTS)
        out->segment_count = (uint32_t)hsd_elf_number(elf, at + (elf->is_64_bits ? 44 : 28), 4);
    if (out->section_count == 0) out->section_count = (uint32_t)hsd_min_u64(first.bytes, MOST_SECTIONS);
    if (out->names == NAMES_ELSEWHERE) out->names = first.link;
    return HSD_OK;
}

static hsd_status read_tables(hsd_elf *elf, const uint8_t *at, hsd_error *err)
{
    const uint8_t *counts = at + (elf->is_64_bits ? 54 : 42);
    tables in = {.segments = hsd_elf_word(elf, at, 32, 28),
                 .sections = hsd_elf_word(elf, at, 40, 32),
                 .segment_count = (uint32_t)hsd_elf_number(elf, counts + 2, 2),
                 .section_count = (uint32_t)hsd_elf_number(elf, counts + 6, 2),
                 .names = (uint32_t)hsd_elf_number(elf, counts + 8, 2)};
    const unsigned segment = (unsigned)hsd_elf_number(elf, counts, 2);
    const unsigned section = (unsigned)hsd_elf_number(elf, counts + 4, 2);
    HSD_TRY(look_into_first_section(elf, section, &in, err));
    HSD_TRY(read_segments(elf, &in, segment, err));
    return read_sections(elf, &in, section, err);
}

static hsd_status read_header(hsd_elf *elf, hsd_error *err)
{
    static const char magic[] = {0x7f, 'E', 'L', 'F'};
    uint8_t at[HEADER_64] = {0};
    if (elf->input.bytes < HEADER_32) return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no ELF file");
    const size_t have = (size_t)hsd_min_u64(sizeof at, elf->input.bytes);
    HSD_TRY(read_at(elf, 0, at, have, err));
    elf->is_64_bits = at[CLASS_AT] == CLASS_64;
    elf->is_big_endian = at[ORDER_AT] == BIG;
    if (memcmp(at, magic, sizeof magic) != 0 || (!elf->is_64_bits && at[CLASS_AT] != CLASS_32) ||
        (!elf->is_big_endian && at[ORDER_AT] != LITTLE) || (elf->is_64_bits && have < HEADER_64))
        return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "is no ELF file");
    elf->type = (unsigned)hsd_elf_number(elf, at + IDENTITY_BYTES, 2);
    elf->machine = (unsigned)hsd_elf_number(elf, at + IDENTITY_BYTES + 2, 2);
    elf->entry = hsd_elf_word(elf, at, 24, 24);
    return read_tables(elf, at, err);
}

hsd_status hsd_elf_expect(const hsd_elf *elf, hsd_error *err)
{
    if (!elf->is_64_bits || elf->is_big_endian)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "is of a machine of %s: hsdiff reads those of 64 bits, little-endian",
                        elf->is_64_bits ? "big-endian words" : "32 bits");
    if (elf->damage == NULL || (elf->type == HSD_ELF_CORE && elf->segment_count > 0)) return HSD_OK;
    return hsd_fail(err, HSD_E_CORRUPT, "no valid ELF file: %s", elf->damage);
}

/* ---- opening ---- */

static hsd_status open_input(hsd_elf *elf, hsd_error *err)
{
    const hsd_status status = read_header(elf, err);
    if (status != HSD_OK) hsd_elf_close(elf);
    return status;
}

hsd_status hsd_elf_open(hsd_elf *elf, const hsd_elf_input *input, hsd_error *err)
{
    *elf = (hsd_elf){.input = *input};
    return open_input(elf, err);
}

static hsd_status read_memory(void *context, uint64_t offset, void *data, size_t size, hsd_error *err)
{
    const hsd_elf *elf = context;
    if (offset > elf->memory.size || size > elf->memory.size - offset)
        return hsd_fail(err, HSD_E_TRUNCATED, "the input ends here");
    memcpy(data, elf->memory.data + offset, size);
    return HSD_OK;
}

hsd_status hsd_elf_open_bytes(hsd_elf *elf, hsd_bytes bytes, hsd_error *err)
{
    *elf = (hsd_elf){.input = {read_memory, elf, bytes.size}, .memory = bytes};
    return open_input(elf, err);
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

hsd_status hsd_elf_open_fd(hsd_elf *elf, int fd, bool is_owned, hsd_error *err)
{
    struct stat what;
    *elf = (hsd_elf){.input = {.read = read_file, .context = elf}, .fd = fd, .is_owned = is_owned};
    hsd_status status = HSD_OK;
    if (fstat(fd, &what) != 0) {
        status = hsd_fail_errno(err, errno, "cannot open");
    } else if (!S_ISREG(what.st_mode)) {
        status = hsd_fail(err, HSD_E_UNSUPPORTED, "is no regular file");
    } else {
        elf->input.bytes = (uint64_t)what.st_size;
        return open_input(elf, err);
    }
    hsd_elf_close(elf);
    return status;
}

hsd_status hsd_elf_open_file(hsd_elf *elf, const char *path, hsd_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    *elf = (hsd_elf){0};
    const hsd_status status = fd < 0 ? hsd_fail_errno(err, errno, "cannot open") : hsd_elf_open_fd(elf, fd, true, err);
    if (status != HSD_OK) hsd_error_set_file(err, path);
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
