/*
 * .gopclntab, as runtime/symtab.go reads it:
 *
 *      header     magic, 0, 0, quantum of code, bytes of a pointer; then words: functions, files, text, and where in the section stand
 *                 names, units, files, values, functions
 *      functions  pairs of 32 bits, by address: place from the beginning of the text, place of the function's record
 *      record     32 bits each: entry, name, args, deferreturn, and from where values of sp, file and line are; …, unit
 *      values     pairs of LEB128: what is added to the value (zigzag), for how much code it holds
 *
 * A file is a number of the unit: its word in the table of units is where its name stands. See go_lines.h.
 */
#include "go/dwarf/go_lines.h"

#include <string.h>

#include "base/check.h"
#include "base/search.h"
#include "go/dwarf/info.h"

enum {
    HEADER_BYTES = 8 + 8 * 8,
    RECORD_BYTES = 36,
    VALUES_OF_FILE = 20,
    VALUES_OF_LINE = 24,
    UNIT = 32,
    MOST_STEPS = 1 << 16
};

static bool read_header(hsd_go_lines *lines)
{
    const hsd_bytes bytes = {lines->bytes.data, lines->bytes.size};
    uint64_t at = 0, magic, head[8];
    if (bytes.size < HEADER_BYTES || !hsd_info_number(bytes, &at, 4, &magic)) return false;
    if ((magic != 0xfffffff0 && magic != 0xfffffff1) || bytes.data[7] != 8 || bytes.data[6] == 0) return false;
    at = 8;
    for (int i = 0; i < 8; i++)
        if (!hsd_info_number(bytes, &at, 8, &head[i])) return false;
    for (int i = 3; i < 8; i++)
        if (head[i] > bytes.size) return false;
    if (head[0] > (bytes.size - head[7]) / 8) return false;
    lines->function_count = head[0];
    lines->units = head[4];
    lines->files = head[5];
    lines->values = head[6];
    lines->functions = head[7];
    lines->entry_bytes = bytes.data[6];
    return true;
}

hsd_status hsd_go_lines_read(hsd_go_lines *lines, const hsd_elf *elf, uint64_t text, uint64_t most_bytes,
                             hsd_error *err)
{
    *lines = (hsd_go_lines){.text = text};
    hsd_status status = hsd_elf_load(elf, ".gopclntab", most_bytes, &lines->bytes, err);
    if (status == HSD_E_NOT_FOUND) status = hsd_elf_load(elf, ".data.rel.ro.gopclntab", most_bytes, &lines->bytes, err);
    if (status == HSD_OK && text != 0 && read_header(lines)) return HSD_OK;
    hsd_go_lines_release(lines);
    return status == HSD_E_NOT_FOUND ? HSD_OK : status;
}

static uint64_t number_at(const hsd_go_lines *lines, uint64_t at)
{
    uint64_t number = 0;
    const hsd_bytes bytes = {lines->bytes.data, lines->bytes.size};
    return hsd_info_number(bytes, &at, 4, &number) ? number : 0;
}

/* The record of the function that holds this place of the text, and where the function begins. */
static bool find_function(const hsd_go_lines *lines, uint64_t place, uint64_t *record, uint64_t *begin)
{
    uint64_t low;
    HSD_UPPER_BOUND(low, 0, lines->function_count, number_at(lines, lines->functions + 8 * low), place);
    if (low == 0) return false;
    *begin = number_at(lines, lines->functions + 8 * (low - 1));
    *record = lines->functions + number_at(lines, lines->functions + 8 * (low - 1) + 4);
    return *record <= lines->bytes.size && lines->bytes.size - *record >= RECORD_BYTES;
}

/* What holds there, of the values that begin at `from`. */
static bool find_value(const hsd_go_lines *lines, uint64_t from, uint64_t begin, uint64_t place, int64_t *value)
{
    const hsd_bytes bytes = {lines->bytes.data, lines->bytes.size};
    uint64_t at, change, length;
    *value = -1;
    if (from == 0 || !hsd_add_u64(lines->values, from, &at)) return false;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (!hsd_info_uleb(bytes, &at, &change) || (change == 0 && i > 0) || !hsd_info_uleb(bytes, &at, &length))
            return false;
        if (change > UINT32_MAX || length > UINT32_MAX) return false;
        *value += (int64_t)(change >> 1) ^ -(int64_t)(change & 1);
        begin += length * lines->entry_bytes;
        if (place < begin) return *value >= 0 && *value <= INT32_MAX;
    }
    return false;
}

typedef struct spot { /* in the code of a function */
    uint64_t record, begin, place;
} spot;

static bool find_spot(const hsd_go_lines *lines, uint64_t address, spot *out)
{
    if (lines->bytes.size == 0 || address < lines->text) return false;
    out->place = address - lines->text;
    return find_function(lines, out->place, &out->record, &out->begin);
}

static bool find_value_of(const hsd_go_lines *lines, const spot *at, uint64_t which, int64_t *value)
{
    return find_value(lines, number_at(lines, at->record + which), at->begin, at->place, value);
}

static const char *path_at(const hsd_go_lines *lines, const spot *at)
{
    int64_t number;
    if (!find_value_of(lines, at, VALUES_OF_FILE, &number)) return NULL;
    const uint64_t unit = number_at(lines, at->record + UNIT);
    const uint64_t name = lines->files + number_at(lines, lines->units + 4 * (unit + (uint64_t)number));
    if (name >= lines->bytes.size) return NULL;
    const char *path = (const char *)lines->bytes.data + name;
    return memchr(path, '\0', lines->bytes.size - name) == NULL ? NULL : path;
}

const char *hsd_go_lines_path(const hsd_go_lines *lines, uint64_t address)
{
    spot at;
    return find_spot(lines, address, &at) ? path_at(lines, &at) : NULL;
}

bool hsd_go_lines_find(const hsd_go_lines *lines, uint64_t address, const char **file, uint32_t *line)
{
    spot at;
    int64_t value;
    if (!find_spot(lines, address, &at)) return false;
    const char *path = path_at(lines, &at);
    if (path == NULL || !find_value_of(lines, &at, VALUES_OF_LINE, &value)) return false;
    const char *name = strrchr(path, '/');
    *file = name == NULL ? path : name + 1;
    *line = (uint32_t)value;
    return **file != '\0';
}

void hsd_go_lines_release(hsd_go_lines *lines)
{
    hsd_buffer_release(&lines->bytes);
    *lines = (hsd_go_lines){0};
}
