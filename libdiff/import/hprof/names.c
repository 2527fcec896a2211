/*
 * Names of an HPROF file: which are wanted, where strings stand in the file, reading them, and what
 * a class name looks like to a person.
 */
#include "import/hprof/names.h"

#include <stdlib.h>

#include "base/check.h"

#define NAME_MAX_BYTES  65536u /* what a capture can hold */
#define MAX_STRETCHES   4096u
#define FIRST_GAP_BYTES UINT64_C(4096)

/* ---- noting ---- */

hsd_status hsd_hprof_want(hprof_names *names, uint64_t id, uint32_t *number, hsd_error *err)
{
    *number = 0;
    return id == 0 ? HSD_OK : hsd_id_table_put(&names->table, id, number, err);
}

/* Joins neighbours until half of the list is free. */
static void join_stretches(hprof_names *names)
{
    while (names->stretch_count > MAX_STRETCHES / 2) {
        names->gap_bytes *= 4;
        uint32_t kept = 0;
        for (uint32_t i = 1; i < names->stretch_count; i++) {
            if (names->stretches[i].begin - names->stretches[kept].end <= names->gap_bytes)
                names->stretches[kept].end = names->stretches[i].end;
            else
                names->stretches[++kept] = names->stretches[i];
        }
        names->stretch_count = kept + 1;
    }
}

hsd_status hsd_hprof_note_string(hprof_names *names, uint64_t begin, uint64_t end, hsd_error *err)
{
    if (names->gap_bytes == 0) names->gap_bytes = FIRST_GAP_BYTES;
    if (names->stretch_count > 0) {
        hprof_stretch *last = &names->stretches[names->stretch_count - 1];
        if (begin - last->end <= names->gap_bytes) {
            last->end = end;
            return HSD_OK;
        }
    }
    if (names->stretch_count == MAX_STRETCHES) join_stretches(names);
    HSD_TRY(hsd_import_grow((void **)&names->stretches, &names->stretch_capacity, names->stretch_count,
                            sizeof *names->stretches, err));
    names->stretches[names->stretch_count++] = (hprof_stretch){begin, end};
    return HSD_OK;
}

/* ---- reading ---- */

static hsd_status read_text(hprof_names *names, hprof_reader *reader, uint32_t number, uint64_t length, hsd_error *err)
{
    const size_t size = (size_t)hsd_min_u64(length, NAME_MAX_BYTES);
    uint8_t *text = hsd_arena_take(&names->arena, size + 1);
    if (text == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: a name of %zu bytes", size);
    HSD_TRY(hsd_source_copy(reader->source, text, size, err));
    const size_t used = hsd_hprof_to_utf8(text, size, text);
    text[used] = 0;
    names->texts[number] = (hsd_bytes){text, used};
    return HSD_OK;
}

static hsd_status read_string(hprof_names *names, hprof_reader *reader, const hprof_record *record, hsd_error *err)
{
    uint8_t id_bytes[8] = {0};
    if (record->length < reader->id_bytes) return HSD_OK;
    HSD_TRY(hsd_source_copy(reader->source, id_bytes, reader->id_bytes, err));
    const uint32_t number = hsd_id_table_find(&names->table, hsd_hprof_id(id_bytes, reader->id_bytes));
    if (number == 0 || names->texts[number].data != NULL) return HSD_OK;
    return read_text(names, reader, number, record->length - reader->id_bytes, err);
}

static hsd_status read_stretch(hprof_names *names, hprof_reader *reader, const hprof_stretch *stretch, hsd_error *err)
{
    hprof_record record;
    HSD_TRY(hsd_source_seek(reader->source, stretch->begin, err));
    while (hsd_source_offset(reader->source) < stretch->end) {
        hsd_status status = hsd_hprof_next_record(reader, &record, err);
        if (status == HSD_OK && record.tag == HPROF_STRING) status = read_string(names, reader, &record, err);
        if (status == HSD_OK) status = hsd_hprof_leave(reader, &record, err);
        if (status == HSD_END) break; /* cut off in this record */
        HSD_TRY(status);
    }
    return HSD_OK;
}

hsd_status hsd_hprof_read_names(hprof_names *names, const hprof_reader *scanned, hsd_error *err)
{
    hprof_reader reader = *scanned;
    reader.limit = reader.cut_offset;
    names->texts = calloc((size_t)names->table.count + 1, sizeof *names->texts);
    if (names->texts == NULL) return hsd_fail(err, HSD_E_NOMEM, "out of memory: %u names", names->table.count);
    for (uint32_t i = 0; i < names->stretch_count; i++)
        HSD_TRY(read_stretch(names, &reader, &names->stretches[i], err));
    return HSD_OK;
}

/* ---- how they look ---- */

static bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* A pair of surrogates, three bytes each, that stands for one character. */
static bool is_surrogate_pair(const uint8_t *at, size_t size)
{
    return size >= 6 && at[0] == 0xed && (at[1] & 0xf0) == 0xa0 && is_continuation(at[2]) && at[3] == 0xed &&
           (at[4] & 0xf0) == 0xb0 && is_continuation(at[5]);
}

static void join_surrogates(const uint8_t *from, uint8_t *to)
{
    const uint32_t high = (from[1] & 0x0fu) << 6 | (from[2] & 0x3fu);
    const uint32_t low = (from[4] & 0x0fu) << 6 | (from[5] & 0x3fu);
    const uint32_t point = 0x10000 + (high << 10 | low);
    to[0] = (uint8_t)(0xf0 | point >> 18);
    to[1] = (uint8_t)(0x80 | (point >> 12 & 0x3f));
    to[2] = (uint8_t)(0x80 | (point >> 6 & 0x3f));
    to[3] = (uint8_t)(0x80 | (point & 0x3f));
}

size_t hsd_hprof_to_utf8(const uint8_t *from, size_t size, uint8_t *to)
{
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        if (from[i] == 0xc0 && i + 1 < size && from[i + 1] == 0x80) {
            to[used++] = 0;
            i += 2;
        } else if (is_surrogate_pair(from + i, size - i)) {
            join_surrogates(from + i, to + used);
            used += 4;
            i += 6;
        } else {
            to[used++] = from[i++];
        }
    }
    return used;
}

static bool is_hex(uint8_t c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* Length of `name` without the address of a hidden class at its end. */
static size_t without_address(const uint8_t *name, size_t size)
{
    size_t at = size;
    while (at > 0 && is_hex(name[at - 1]))
        at--;
    /* now at stands behind the x of 0x */
    if (at < 4 || at == size || name[at - 1] != 'x' || name[at - 2] != '0') return size;
    const uint8_t mark = name[at - 3];
    return mark == '+' || mark == '/' || mark == '.' ? at - 3 : size;
}

size_t hsd_hprof_hidden_size(hsd_bytes raw) { return without_address(raw.data, raw.size); }

hsd_bytes hsd_hprof_dotted(hsd_bytes raw, uint8_t *to, size_t size)
{
    const size_t used = raw.size < size ? raw.size : size;
    for (size_t i = 0; i < used; i++)
        to[i] = raw.data[i] == '/' ? (uint8_t)'.' : raw.data[i];
    return (hsd_bytes){to, used};
}

static const char *primitive_name(uint8_t letter)
{
    switch (letter) {
    case 'Z': return "boolean";
    case 'C': return "char";
    case 'F': return "float";
    case 'D': return "double";
    case 'B': return "byte";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    default: return NULL;
    }
}

static hsd_status append_dotted(hsd_bytes name, hsd_buffer *out, hsd_error *err)
{
    const size_t start = out->size;
    HSD_TRY(hsd_buffer_append(out, name.data, without_address(name.data, name.size), err));
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '/') out->data[i] = '.';
    return HSD_OK;
}

hsd_status hsd_hprof_class_name(hsd_bytes raw, hsd_buffer *out, hsd_error *err)
{
    size_t arrays = 0;
    while (arrays < raw.size && raw.data[arrays] == '[')
        arrays++;
    hsd_bytes rest = {raw.data + arrays, raw.size - arrays};
    const char *primitive = arrays > 0 && rest.size == 1 ? primitive_name(rest.data[0]) : NULL;
    if (arrays > 0 && rest.size >= 2 && rest.data[0] == 'L' && rest.data[rest.size - 1] == ';')
        rest = (hsd_bytes){rest.data + 1, rest.size - 2};
    if (primitive != NULL) {
        HSD_TRY(hsd_buffer_append(out, primitive, strlen(primitive), err));
    } else if (arrays == 0 && rest.size > 2 && rest.data[rest.size - 1] == ']') {
        size_t size = rest.size; /* Foo+0x12[][] */
        while (size > 2 && rest.data[size - 1] == ']' && rest.data[size - 2] == '[')
            size -= 2;
        HSD_TRY(append_dotted((hsd_bytes){rest.data, size}, out, err));
        arrays = (rest.size - size) / 2;
    } else {
        HSD_TRY(append_dotted(rest, out, err));
    }
    for (size_t i = 0; i < arrays && i < 255; i++)
        HSD_TRY(hsd_buffer_append(out, "[]", 2, err));
    return HSD_OK;
}

uint64_t hsd_hprof_names_memory(const hprof_names *names)
{
    return hsd_id_table_memory(&names->table) + names->arena.total_bytes +
           names->stretch_capacity * sizeof *names->stretches +
           (names->texts == NULL ? 0 : (names->table.count + UINT64_C(1)) * sizeof *names->texts);
}

void hsd_hprof_names_release(hprof_names *names)
{
    hsd_id_table_release(&names->table);
    hsd_arena_release(&names->arena);
    free(names->texts);
    free(names->stretches);
    *names = (hprof_names){0};
}
