/*
 * The memory of a process that stands in its core, and the files that were mapped, which have what a core leaves out:
 * pages that were never written. See pycore.h.
 *
 * A file is taken only if the core's page of its ELF header is the file's: kernels and gdb put that page into cores so
 * that builds can be told apart.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "base/search.h"
#include "import/pycore/pycore.h"

enum { NOTE_PROCESS = 3, NOTE_VECTOR = 6, NOTE_FILES = 0x46494c45, VECTOR_ENTRY = 9, VECTOR_RANDOM = 25 };
enum { MOST_FILES = 1 << 16, PATH_BYTES = 4096, NAME_AT = 40, PID_AT = 24, MOST_OPEN = 512 };
enum { HEADER_BYTES = 1024, FILE_BLOCKS = 1 << 18 };

static uint64_t number_pymemory(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

/* ---- notes ---- */

static bool read_note(const hsd_elf *core, const hsd_elf_note *note, uint64_t at, void *out, size_t size)
{
    if (at > note->bytes || size > note->bytes - at) return false;
    return core->input.read(core->input.context, note->offset + at, out, size, NULL) == HSD_OK;
}

static bool note_word(const hsd_elf *core, const hsd_elf_note *note, uint64_t at, uint64_t *out)
{
    uint8_t bytes[8];
    if (!read_note(core, note, at, bytes, sizeof bytes)) return false;
    *out = number_pymemory(bytes, sizeof bytes);
    return true;
}

/* The text at `at`, and where the next one begins. */
static bool note_text(const hsd_elf *core, const hsd_elf_note *note, uint64_t *at, char out[PATH_BYTES])
{
    const size_t size = (size_t)hsd_min_u64(PATH_BYTES, *at < note->bytes ? note->bytes - *at : 0);
    if (size == 0 || !read_note(core, note, *at, out, size)) return false;
    const char *end = memchr(out, '\0', size);
    if (end == NULL) return false;
    *at += (uint64_t)(end - out) + 1;
    return true;
}

typedef hsd_status (*note_fn)(void *context, const hsd_elf *core, const hsd_elf_note *note, hsd_error *err);

static hsd_status each_note(const hsd_elf *core, note_fn each, void *context, hsd_error *err)
{
    for (uint32_t i = 0; i < core->segment_count; i++) {
        const hsd_elf_segment *segment = &core->segments[i];
        hsd_elf_note note;
        if (segment->type != HSD_ELF_NOTE) continue;
        for (uint64_t at = segment->offset;
             hsd_elf_next_note(core, &at, segment->offset + segment->file_bytes, segment->alignment, &note);)
            if (strcmp(note.name, "CORE") == 0) HSD_TRY(each(context, core, &note, err));
    }
    return HSD_OK;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool is_of_python(const char *path)
{
    const char *name = last_part(path);
    return strncmp(name, "libpython3.", 11) == 0 || strncmp(name, "python3", 7) == 0;
}

static hsd_status look_for_python(void *context, const hsd_elf *core, const hsd_elf_note *note, hsd_error *err)
{
    char path[PATH_BYTES];
    uint64_t count, at;
    (void)err;
    if (note->type != NOTE_FILES || !note_word(core, note, 0, &count) || count > MOST_FILES) return HSD_OK;
    at = 16 + 24 * count;
    for (uint64_t i = 0; i < count && note_text(core, note, &at, path); i++)
        if (is_of_python(path)) *(bool *)context = true;
    return HSD_OK;
}

bool hsd_pycore_is_python(hsd_source *source)
{
    hsd_elf_input input;
    hsd_elf core;
    bool is_python = false;
    if (!source->is_borrowed && source->total_bytes == 0) return false;
    const uint64_t bytes = source->is_borrowed ? (uint64_t)(source->end - source->window) : source->total_bytes;
    if (hsd_goinput_over(&input, source, bytes, NULL) != HSD_OK || hsd_elf_open(&core, &input, NULL) != HSD_OK)
        return false;
    if (core.type == HSD_ELF_CORE && hsd_elf_expect(&core, NULL) == HSD_OK)
        (void)each_note(&core, look_for_python, &is_python, NULL);
    hsd_elf_close(&core);
    return is_python;
}

/* ---- what the notes say ---- */

static void take_process(pymemory *m, const hsd_elf_note *note)
{
    uint8_t pid[4];
    if (read_note(&m->core, note, PID_AT, pid, sizeof pid)) m->pid = number_pymemory(pid, sizeof pid);
    if (!read_note(&m->core, note, NAME_AT, m->process_name, sizeof m->process_name - 1)) m->process_name[0] = '\0';
}

static void take_vector(pymemory *m, const hsd_elf_note *note)
{
    uint64_t kind, value;
    for (uint64_t at = 0;
         note_word(&m->core, note, at, &kind) && note_word(&m->core, note, at + 8, &value) && kind != 0; at += 16) {
        if (kind == VECTOR_ENTRY) m->entry = value;
        if (kind == VECTOR_RANDOM) m->random_address = value;
    }
}

/* A file that is mapped in several pieces stands in the list several times, one behind the other. */
static hsd_status put_file(pymemory *m, const char *path, uint32_t *out, hsd_error *err)
{
    for (uint32_t i = m->file_count; i-- > 0;)
        if (strcmp(m->files[i].path, path) == 0) return *out = i, HSD_OK;
    HSD_TRY(hsd_import_grow((void **)&m->files, &m->file_room, m->file_count, sizeof *m->files, err));
    char *copy = strdup(path);
    if (copy == NULL) return hsd_fail_nomem(err, "names of files");
    *out = m->file_count++;
    m->files[*out] = (pyfile){.path = copy};
    return HSD_OK;
}

static hsd_status take_files(pymemory *m, const hsd_elf_note *note, hsd_error *err)
{
    uint64_t count, page, at;
    char path[PATH_BYTES];
    if (!note_word(&m->core, note, 0, &count) || !note_word(&m->core, note, 8, &page) || count > MOST_FILES)
        return HSD_OK;
    at = 16 + 24 * count;
    for (uint64_t i = 0; i < count && note_text(&m->core, note, &at, path); i++) {
        pymapping one;
        if (!note_word(&m->core, note, 16 + 24 * i, &one.begin) || !note_word(&m->core, note, 24 + 24 * i, &one.end) ||
            !note_word(&m->core, note, 32 + 24 * i, &one.offset) || one.end <= one.begin ||
            !hsd_mul_u64(one.offset, page, &one.offset))
            continue;
        HSD_TRY(put_file(m, path, &one.file, err));
        HSD_TRY(hsd_import_grow((void **)&m->mappings, &m->mapping_room, m->mapping_count, sizeof one, err));
        m->mappings[m->mapping_count++] = one;
    }
    return HSD_OK;
}

static hsd_status take_note(void *context, const hsd_elf *core, const hsd_elf_note *note, hsd_error *err)
{
    pymemory *m = context;
    (void)core;
    if (note->type == NOTE_PROCESS && m->pid == 0) take_process(m, note);
    if (note->type == NOTE_VECTOR) take_vector(m, note);
    return note->type == NOTE_FILES && m->file_count == 0 ? take_files(m, note, err) : HSD_OK;
}

/* --exe names the program, whose copy may lie elsewhere. */
static hsd_status name_program(pymemory *m, hsd_error *err)
{
    const char *given = m->import->options->executable;
    if (given == NULL) return HSD_OK;
    for (uint32_t i = 0; i < m->mapping_count; i++) {
        if (m->entry < m->mappings[i].begin || m->entry >= m->mappings[i].end) continue;
        pyfile *file = &m->files[m->mappings[i].file];
        char *copy = strdup(given);
        if (copy == NULL) return hsd_fail_nomem(err, "names of files");
        free(file->path);
        file->path = copy;
        return HSD_OK;
    }
    return HSD_OK;
}

/* ---- opening ---- */

static int by_address(const void *a, const void *b)
{
    const hsd_elf_segment *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_begin(const void *a, const void *b)
{
    const pymapping *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static hsd_status sort_parts(pymemory *m, hsd_error *err)
{
    m->loads = calloc((size_t)m->core.segment_count + 1, sizeof *m->loads);
    if (m->loads == NULL) return hsd_fail_nomem(err, "segments");
    for (uint32_t i = 0; i < m->core.segment_count; i++) {
        const hsd_elf_segment *segment = &m->core.segments[i];
        if (segment->type != HSD_ELF_LOAD || segment->file_bytes == 0) continue;
        m->loads[m->load_count++] = *segment;
        m->core_bytes = hsd_add_saturating(m->core_bytes, segment->file_bytes);
    }
    m->core_bytes = hsd_min_u64(m->core_bytes, m->core.input.bytes);
    if (m->load_count > 1) qsort(m->loads, m->load_count, sizeof *m->loads, by_address);
    if (m->mapping_count > 1) qsort(m->mappings, m->mapping_count, sizeof *m->mappings, by_begin);
    return HSD_OK;
}

static hsd_status refuse_source(bool is_packed, hsd_error *err)
{
    hsd_fail(err, HSD_E_UNSUPPORTED, "a core is read here and there, and this is %s",
             is_packed ? "packed" : "no regular file");
    hsd_error_set_hint(err, is_packed ? "decompress it first: gunzip -c core.gz > core"
                                      : "write it into a file first: cat > core");
    return HSD_E_UNSUPPORTED;
}

hsd_status hsd_pymemory_open(pymemory *m, hsd_import *import, hsd_error *err)
{
    hsd_source *source = import->source;
    hsd_elf_input input;
    const bool is_packed = import->file != NULL && import->file != source;
    m->import = import;
    hsd_error_init(&m->failure);
    if (is_packed || (!source->is_borrowed && source->total_bytes == 0)) return refuse_source(is_packed, err);
    const uint64_t bytes = source->is_borrowed ? (uint64_t)(source->end - source->window) : source->total_bytes;
    HSD_TRY(hsd_goinput_over(&input, source, bytes, err));
    HSD_TRY(hsd_elf_open(&m->core, &input, err));
    HSD_TRY(hsd_elf_expect(&m->core, err));
    if (m->core.type != HSD_ELF_CORE) return hsd_fail(err, HSD_E_NOT_THIS_FORMAT, "this is an ELF file, but no core");
    if (m->core.is_cut && !import->options->salvage) {
        hsd_fail(err, HSD_E_TRUNCATED, "the core is cut off");
        hsd_import_hint_partial(err);
        return HSD_E_TRUNCATED;
    }
    HSD_TRY(hsd_goblocks_open(&m->blocks, &input, hsd_min_u64(import->memory_bytes / 8, UINT64_C(128) << 20), err));
    HSD_TRY(each_note(&m->core, take_note, m, err));
    HSD_TRY(name_program(m, err));
    return sort_parts(m, err);
}

void hsd_pymemory_close(pymemory *m)
{
    for (uint32_t i = 0; i < m->file_count; i++) {
        if (m->files[i].is_open) hsd_goblocks_close(&m->files[i].blocks);
        if (m->files[i].is_open) hsd_elf_close(&m->files[i].elf);
        free(m->files[i].path);
    }
    hsd_goblocks_close(&m->blocks);
    hsd_elf_close(&m->core);
    free(m->files);
    free(m->mappings);
    free(m->loads);
}

/* ---- reading ---- */

static const hsd_elf_segment *load_at(pymemory *m, uint64_t address)
{
    if (m->last_load < m->load_count && address - m->loads[m->last_load].address < m->loads[m->last_load].file_bytes)
        return &m->loads[m->last_load];
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, m->load_count, m->loads[low].address, address);
    if (low == 0 || address - m->loads[low - 1].address >= m->loads[low - 1].file_bytes) return NULL;
    m->last_load = low - 1;
    return &m->loads[low - 1];
}

static const pymapping *mapping_at(const pymemory *m, uint64_t address)
{
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, m->mapping_count, m->mappings[low].begin, address);
    return low > 0 && address < m->mappings[low - 1].end ? &m->mappings[low - 1] : NULL;
}

static bool note_failure(pymemory *m, const hsd_error *err)
{
    if (m->failure.status == HSD_OK) m->failure = *err;
    return false;
}

/* The first mapping of a file is that of its header. */
static const pymapping *header_of(const pymemory *m, uint32_t file)
{
    for (uint32_t i = 0; i < m->mapping_count; i++)
        if (m->mappings[i].file == file && m->mappings[i].offset == 0) return &m->mappings[i];
    return NULL;
}

/* Is what the core has of the header's page what the file has? */
static bool is_same_build(pymemory *m, uint32_t number, const hsd_elf *elf)
{
    uint8_t here[HEADER_BYTES], there[HEADER_BYTES];
    const pymapping *header = header_of(m, number);
    const hsd_elf_segment *load = header == NULL ? NULL : load_at(m, header->begin);
    if (load == NULL || load->file_bytes - (header->begin - load->address) < sizeof here) return true;
    if (elf->input.bytes < sizeof there ||
        elf->input.read(elf->input.context, 0, there, sizeof there, NULL) != HSD_OK ||
        hsd_goblocks_read(&m->blocks, load->offset + (header->begin - load->address), here, sizeof here, NULL) !=
            HSD_OK)
        return false;
    return memcmp(here, there, sizeof here) == 0;
}

static pyfile *open_file(pymemory *m, uint32_t number)
{
    pyfile *file = &m->files[number];
    hsd_error err;
    if (file->is_tried) return file->is_open ? file : NULL;
    file->is_tried = true;
    if (m->open_files == MOST_OPEN) return NULL;
    hsd_error_init(&err);
    if (hsd_goprogram_find(&file->elf, file->path, m->import->options, NULL) != HSD_OK) return NULL;
    if (hsd_elf_expect(&file->elf, NULL) == HSD_OK && is_same_build(m, number, &file->elf) &&
        hsd_goblocks_open(&file->blocks, &file->elf.input,
                          hsd_min_u64(m->import->memory_bytes / 64, (uint64_t)FILE_BLOCKS), &err) == HSD_OK) {
        m->open_files++;
        file->is_open = true;
        return file;
    }
    hsd_elf_close(&file->elf);
    return NULL;
}

typedef struct pyplace {
    goblocks *blocks;
    uint64_t offset, left;
} pyplace;

static bool locate_pymemory(pymemory *m, uint64_t address, pyplace *place)
{
    const hsd_elf_segment *load = load_at(m, address);
    if (load != NULL) {
        const uint64_t into = address - load->address;
        *place = (pyplace){&m->blocks, load->offset + into, load->file_bytes - into};
        return true;
    }
    const pymapping *mapping = mapping_at(m, address);
    pyfile *file = mapping == NULL ? NULL : open_file(m, mapping->file);
    if (file == NULL) return false;
    const uint64_t into = address - mapping->begin, offset = hsd_add_saturating(mapping->offset, into);
    if (offset >= file->elf.input.bytes) return false;
    *place = (pyplace){&file->blocks, offset, hsd_min_u64(mapping->end - address, file->elf.input.bytes - offset)};
    /* what was written of it stands in the core, and that begins somewhere behind */
    uint32_t low;
    HSD_UPPER_BOUND(low, 0, m->load_count, m->loads[low].address, address);
    if (low < m->load_count) place->left = hsd_min_u64(place->left, m->loads[low].address - address);
    return true;
}

bool hsd_pymemory_read(pymemory *m, uint64_t address, void *out, size_t size)
{
    uint8_t *to = out;
    for (size_t part; size > 0; to += part, size -= part, address += part) {
        pyplace place;
        hsd_error err;
        if (!locate_pymemory(m, address, &place)) return m->missing++, false;
        part = (size_t)hsd_min_u64(size, place.left);
        hsd_error_init(&err);
        const hsd_status status = hsd_goblocks_read(place.blocks, place.offset, to, part, &err);
        if (status == HSD_END) return m->missing++, false;
        if (status != HSD_OK) return note_failure(m, &err);
        if (address > UINT64_MAX - part) return false;
    }
    return true;
}

uint64_t hsd_pymemory_extent(pymemory *m, uint64_t address, uint64_t size)
{
    uint64_t found = 0;
    pyplace place;
    while (found < size && address <= UINT64_MAX - found && locate_pymemory(m, address + found, &place))
        found += hsd_min_u64(size - found, place.left);
    return found;
}

uint64_t hsd_pymemory_word(pymemory *m, uint64_t address)
{
    uint8_t bytes[8];
    return hsd_pymemory_read(m, address, bytes, sizeof bytes) ? number_pymemory(bytes, sizeof bytes) : 0;
}

uint32_t hsd_pymemory_half(pymemory *m, uint64_t address)
{
    uint8_t bytes[4];
    return hsd_pymemory_read(m, address, bytes, sizeof bytes) ? (uint32_t)number_pymemory(bytes, sizeof bytes) : 0;
}

uint8_t hsd_pymemory_byte(pymemory *m, uint64_t address)
{
    uint8_t byte;
    return hsd_pymemory_read(m, address, &byte, 1) ? byte : 0;
}

size_t hsd_pymemory_text(pymemory *m, uint64_t address, char *out, size_t room)
{
    const size_t size = (size_t)hsd_pymemory_extent(m, address, room - 1);
    if (address == 0 || size == 0 || !hsd_pymemory_read(m, address, out, size)) return *out = '\0', 0;
    out[size] = '\0';
    return strlen(out);
}

const hsd_elf *hsd_pymemory_file(pymemory *m, uint32_t number, uint64_t *bias)
{
    const pymapping *header = header_of(m, number);
    pyfile *file = header == NULL ? NULL : open_file(m, number);
    if (file == NULL) return NULL;
    for (uint32_t i = 0; i < file->elf.segment_count; i++) {
        const hsd_elf_segment *segment = &file->elf.segments[i];
        if (segment->type != HSD_ELF_LOAD) continue;
        *bias = header->begin - (segment->address - segment->offset);
        return &file->elf;
    }
    return NULL;
}
