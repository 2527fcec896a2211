/*
 * Types, variables that hold something, and what properties and keys are called. See meminfo.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "base/fail.h"
#include "import/php/meminfo.h"

static hsd_status check_memory(const meminfo *m, hsd_error *err)
{
    const uint64_t taken = hsd_names_memory(&m->types) + hsd_names_memory(&m->words) +
                           hsd_names_memory(&m->texts.names) + m->seen_room * sizeof *m->seen;
    return hsd_import_expect_room(taken, m->import->memory_bytes / 2, "the classes and variables of this dump",
                                  taken * 4 + HSD_IMPORT_MORE, err);
}

static hsd_status put_text(meminfo *m, const char *text, size_t size, uint32_t *number, hsd_error *err)
{
    bool is_new;
    HSD_TRY(hsd_import_put_text(m->import, &m->texts, (hsd_bytes){(const uint8_t *)text, size}, number, &is_new, err));
    return is_new ? check_memory(m, err) : HSD_OK;
}

hsd_status hsd_meminfo_begin_tables(meminfo *m, hsd_error *err)
{
    hsc_writer *writer = m->import->writer;
    HSD_WRITE(m->import, hsc_define_label(writer, MEMINFO_LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0), err);
    HSD_WRITE(m->import, hsc_define_label(writer, MEMINFO_LABEL_ENTRY, HSC_LABEL_VALUE, 0, 0), err);
    return HSD_OK;
}

/* ---- types ---- */

/* Values that lie in their slots whole. */
static bool is_scalar(hsd_bytes name)
{
    static const char *const scalars[] = {"int",    "float",   "bool",  "null", "integer",
                                          "double", "boolean", "false", "true"};
    for (size_t i = 0; i < HSD_ARRAY_LEN(scalars); i++)
        if (name.size == strlen(scalars[i]) && memcmp(name.data, scalars[i], name.size) == 0) return true;
    return false;
}

hsd_status hsd_meminfo_put_type(meminfo *m, hsd_bytes name, bool is_class, uint32_t *number, hsd_error *err)
{
    bool is_new;
    const uint32_t flags = !is_class && is_scalar(name) ? HSC_TYPE_PART : 0;
    if (name.size == 0) name = (hsd_bytes){(const uint8_t *)"(unknown)", 9};
    HSD_TRY(hsd_import_put_type(m->import, &m->types, name, flags, number, &is_new, err));
    return is_new ? check_memory(m, err) : HSD_OK;
}

/* ---- children ---- */

/* A key that is a whole number, from 0. */
static bool is_index(hsd_bytes key, uint64_t *index)
{
    *index = 0;
    if (key.size == 0 || key.size > 18) return false;
    for (size_t i = 0; i < key.size; i++) {
        const uint8_t digit = (uint8_t)(key.data[i] - '0');
        if (digit > 9) return false;
        *index = *index * 10 + digit;
    }
    return true;
}

static bool looks_like_name(hsd_bytes key)
{
    if (key.size == 0 || key.size > MEMINFO_KEY_BYTES) return false;
    for (size_t i = 0; i < key.size; i++) {
        const uint8_t c = key.data[i];
        const bool is_letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
        if (!is_letter && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.'))) return false;
    }
    return true;
}

/* The number of a property's name, or of a key's; HSD_NAME_NONE when there are too many. */
static hsd_status put_word(meminfo *m, hsd_bytes key, uint32_t *word, hsd_error *err)
{
    if (m->words.count == m->words_most) {
        *word = hsd_names_find(&m->words, key);
        return HSD_OK;
    }
    const uint32_t before = m->words.count;
    HSD_TRY(hsd_names_put(&m->words, key, word, err));
    HSD_TRY(HSD_ARRAY_GROW(m->seen, m->seen_room, *word + 1, 256, "names of properties", err));
    if (*word == before) m->seen[*word] = 0;
    return HSD_OK;
}

hsd_status hsd_meminfo_label(meminfo *m, hsd_bytes key, uint32_t *label, uint64_t *index, hsd_error *err)
{
    const bool is_map = m->item.is_map || !m->item.has_type, tells_all = m->import->options->with_values;
    uint32_t word;
    *label = MEMINFO_LABEL_ELEMENT;
    if (is_index(key, index)) return HSD_OK;
    *label = MEMINFO_LABEL_ENTRY;
    *index = 0;
    if (key.size == 0) return HSD_OK;
    if (is_map && !tells_all && (m->item.children >= MEMINFO_MAP_KEYS || !looks_like_name(key))) return HSD_OK;
    HSD_TRY(put_word(m, key, &word, err));
    if (word == HSD_NAME_NONE) return HSD_OK;
    *label = MEMINFO_LABEL_FREE + word;
    if (!is_map || tells_all)
        m->seen[word] = MEMINFO_FEW_ARRAYS;
    else if (m->seen[word] < MEMINFO_FEW_ARRAYS)
        m->seen[word]++;
    return HSD_OK;
}

hsd_status hsd_meminfo_name_labels(meminfo *m, hsd_error *err)
{
    hsc_writer *writer = m->import->writer;
    for (uint32_t word = 0; word < m->words.count; word++) {
        const bool is_told = m->seen[word] >= MEMINFO_FEW_ARRAYS;
        const hsd_bytes name = hsd_names_get(&m->words, word);
        uint32_t string = 0;
        if (is_told) HSD_TRY(put_text(m, (const char *)name.data, name.size, &string, err));
        HSD_WRITE(m->import,
                  hsc_define_label(writer, MEMINFO_LABEL_FREE + word, is_told ? HSC_LABEL_FIELD : HSC_LABEL_VALUE, 0,
                                   string),
                  err);
    }
    return HSD_OK;
}

/* ---- variables ---- */

/* "Shop\Cache::sessions" as PHP writes it, with a dollar. Of a protected one the extension says "*" for its class. */
static int name_static(const meminfo_text *symbol, char *out, size_t room)
{
    size_t at = symbol->size;
    while (at > 2 && (symbol->data[at - 1] != ':' || symbol->data[at - 2] != ':'))
        at--;
    if (at <= 2) at = 0;
    if (at == 3 && symbol->data[0] == '*') return snprintf(out, room, "(protected)::$%s", symbol->data + at);
    return snprintf(out, room, "%.*s$%s", (int)at, symbol->data, symbol->data + at);
}

hsd_status hsd_meminfo_write_root(meminfo *m, hsd_error *err)
{
    static const char of_program[] = "<GLOBAL>", of_class[] = "<CLASS_STATIC_MEMBER>";
    const meminfo_item *item = &m->item;
    char label[2 * MEMINFO_TEXT_BYTES + 32];
    hsc_root_record root = {.target = item->record.id};
    int size;
    if (strcmp(item->frame.data, of_class) == 0 && item->frame.size > 0) {
        root.kind = HSC_ROOT_STATIC;
        size = name_static(&item->symbol, label, sizeof label);
    } else if (item->frame.size == 0 || strcmp(item->frame.data, of_program) == 0) {
        root.kind = HSC_ROOT_GLOBAL;
        size = snprintf(label, sizeof label, "$%.*s", (int)item->symbol.size, item->symbol.data);
    } else {
        root.kind = HSC_ROOT_STACK;
        root.flags = HSC_ROOT_SECONDARY;
        size =
            snprintf(label, sizeof label, "$%.*s of %s", (int)item->symbol.size, item->symbol.data, item->frame.data);
    }
    HSD_TRY(put_text(m, label, (size_t)size, &root.label, err));
    HSD_WRITE(m->import, hsc_root(m->import->writer, &root), err);
    return HSD_OK;
}
