/*
 * /proc/self/maps of the program, as it stands behind the stacks. A file is mapped in pieces, the first from its start:
 * what an address is in the file is how far it lies behind that. A program that is linked to one address (at 4 MiB, and
 * never beyond 4 GiB, where what can be moved does not come) has it as the file counts it already.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/heapprofile/heapprofile.h"

#define LINKED_BELOW (UINT64_C(1) << 32)

static bool take_hex(const char **at, const char *end, uint64_t *out)
{
    const char *from = *at;
    uint64_t number = 0;
    for (; *at < end && *at - from < 16; ++*at) {
        const char c = **at;
        const bool is_digit = c >= '0' && c <= '9', is_letter = c >= 'a' && c <= 'f';
        if (!is_digit && !is_letter) break;
        number = number << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
    }
    *out = number;
    return *at > from;
}

static bool take_char(const char **at, const char *end, char c)
{
    const bool is_there = *at < end && **at == c;
    *at += is_there;
    return is_there;
}

static void pass_word(const char **at, const char *end)
{
    while (*at < end && **at != ' ')
        ++*at;
    while (*at < end && **at == ' ')
        ++*at;
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH" */
static bool parse_mapping(const char *at, const char *end, hp_mapping *out, hsd_bytes *path)
{
    if (!take_hex(&at, end, &out->start) || !take_char(&at, end, '-') || !take_hex(&at, end, &out->end)) return false;
    if (!take_char(&at, end, ' ')) return false;
    pass_word(&at, end);
    if (!take_hex(&at, end, &out->offset)) return false;
    pass_word(&at, end); /* the blank behind the offset */
    pass_word(&at, end);
    pass_word(&at, end);
    *path = (hsd_bytes){(const uint8_t *)at, (size_t)(end - at)};
    return out->start < out->end;
}

static void drop_ending(hsd_bytes *text, const char *ending)
{
    const size_t size = strlen(ending);
    if (text->size >= size && memcmp(text->data + text->size - size, ending, size) == 0) text->size -= size;
}

hsd_status hsd_hp_put_mapping(hp *p, hsd_error *err)
{
    hp_mapping mapping = {0};
    hsd_bytes path = {0};
    if (p->line == p->line_end) return HSD_OK;
    if (!parse_mapping(p->line, p->line_end, &mapping, &path)) {
        p->unreadable += p->is_whole_line;
        return HSD_OK;
    }
    drop_ending(&path, " ");
    drop_ending(&path, " (deleted)");
    if (path.size == 0 || path.data[0] != '/' || p->mapping_count == HP_MAPPINGS) return HSD_OK;
    path.size = (size_t)hsd_min_u64(path.size, HP_TEXT_BYTES);
    HSD_TRY(hsd_names_put(&p->texts, path, &mapping.path, err));
    mapping.path++;
    HSD_TRY(hsd_import_grow((void **)&p->mappings, &p->mapping_room, p->mapping_count, sizeof *p->mappings, err));
    p->mappings[p->mapping_count++] = mapping;
    return (p->mapping_count & 0xff) == 0 ? hsd_hp_check_memory(p, err) : HSD_OK;
}

static int compare_mappings(const void *a, const void *b)
{
    const hp_mapping *first = a, *second = b;
    return (first->start > second->start) - (first->start < second->start);
}

void hsd_hp_sort_mappings(hp *p)
{
    if (p->mapping_count > 1) qsort(p->mappings, p->mapping_count, sizeof *p->mappings, compare_mappings);
}

/* Where the file of a mapping begins in memory. */
static uint64_t base_of(const hp *p, uint32_t row)
{
    const hp_mapping *mapping = &p->mappings[row];
    for (uint32_t i = row + 1; i-- > 0;)
        if (p->mappings[i].path == mapping->path && p->mappings[i].offset == 0) return p->mappings[i].start;
    return mapping->offset <= mapping->start ? mapping->start - mapping->offset : 0;
}

hsd_bytes hsd_hp_file_at(const hp *p, uint64_t address, uint64_t *offset)
{
    uint32_t low = 0, high = p->mapping_count; /* the last that begins at or before it */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (p->mappings[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= p->mappings[low - 1].end) return (hsd_bytes){0};
    const uint64_t base = base_of(p, low - 1);
    *offset = base < LINKED_BELOW ? address : address - base;
    return hsd_names_get(&p->texts, p->mappings[low - 1].path - 1);
}
