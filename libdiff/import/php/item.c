/*
 * Items with their children, as they come: short texts are looked at in the window, where the extension writes them,
 * and everything else goes through the reader of JSON. See meminfo.h.
 */
#include <string.h>

#include "base/check.h"
#include "base/fail.h"
#include "import/php/meminfo.h"

enum { PROGRESS_EVERY = 1 << 12 };

static hsd_status fail_wanted(const meminfo *m, const char *wanted, hsd_error *err)
{
    return hsd_fail_at(err, HSD_E_CORRUPT, hsd_source_offset(m->json.source),
                       "not a valid heap dump: %s should stand here, in the %s", wanted, m->json.where);
}

/* A text, at most MEMINFO_TEXT_BYTES - 1 of it: borrowed until the next read. */
static hsd_status read_word(meminfo *m, hsd_bytes *word, hsd_error *err)
{
    hsd_source *source = m->json.source;
    uint8_t byte;
    HSD_TRY(hsd_import_json_look(&m->json, &byte, err));
    const uint8_t *begin = source->at + 1, *at = begin;
    if (byte == '"') {
        while (at < source->end && *at != '"' && *at != '\\' && *at < 0x80)
            at++;
        if (at < source->end && *at == '"' && at - begin < MEMINFO_TEXT_BYTES) {
            *word = (hsd_bytes){begin, (size_t)(at - begin)};
            source->at = at + 1;
            return HSD_OK;
        }
    }
    HSD_TRY(hsd_import_json_string(&m->json, MEMINFO_TEXT_BYTES - 1, err));
    *word = (hsd_bytes){m->json.text.data, m->json.text.size};
    return HSD_OK;
}

static bool is_word(hsd_bytes word, const char *text)
{
    return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

static int hex_digit(uint8_t c)
{
    if ((uint8_t)(c - '0') < 10) return c - '0';
    const uint8_t letter = c | 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* "0x7f…", as printf has pointers; without 0x on Windows. */
static hsd_status parse_address(const meminfo *m, hsd_bytes word, uint64_t *address, hsd_error *err)
{
    size_t at = word.size > 2 && word.data[0] == '0' && word.data[1] == 'x' ? 2 : 0;
    uint64_t value = 0;
    if (word.size == at || word.size - at > 16) return fail_wanted(m, "an address", err);
    for (; at < word.size; at++) {
        const int digit = hex_digit(word.data[at]);
        if (digit < 0) return fail_wanted(m, "an address", err);
        value = value << 4 | (unsigned)digit;
    }
    *address = value;
    return HSD_OK;
}

static hsd_status read_address(meminfo *m, uint64_t *address, hsd_error *err)
{
    hsd_bytes word;
    HSD_TRY(read_word(m, &word, err));
    return parse_address(m, word, address, err);
}

/* A number in quotes or without. */
static hsd_status read_size(meminfo *m, uint64_t *size, hsd_error *err)
{
    uint8_t byte;
    hsd_bytes word;
    HSD_TRY(hsd_import_json_look(&m->json, &byte, err));
    if (byte != '"') return hsd_import_json_number(&m->json, size, err);
    HSD_TRY(read_word(m, &word, err));
    *size = 0;
    if (word.size == 0) return fail_wanted(m, "a number", err);
    for (size_t i = 0; i < word.size; i++) {
        const uint8_t digit = (uint8_t)(word.data[i] - '0');
        if (digit > 9 || !hsd_mul_u64(*size, 10, size) || !hsd_add_u64(*size, digit, size))
            return fail_wanted(m, "a number", err);
    }
    return HSD_OK;
}

static hsd_status read_name(meminfo *m, meminfo_text *text, hsd_error *err)
{
    hsd_bytes word;
    HSD_TRY(read_word(m, &word, err));
    memcpy(text->data, word.data, word.size);
    text->data[word.size] = '\0';
    text->size = word.size;
    return HSD_OK;
}

/* What follows in an object of JSON: HSD_END behind its last, whether a comma stood there or not. */
static hsd_status next_member(meminfo *m, bool *is_first, hsd_error *err)
{
    uint8_t byte;
    if (*is_first) {
        *is_first = false;
        HSD_TRY(hsd_import_json_expect(&m->json, '{', err));
        HSD_TRY(hsd_import_json_look(&m->json, &byte, err));
    } else {
        HSD_TRY(hsd_import_json_look(&m->json, &byte, err));
        if (byte == ',') {
            hsd_source_take(m->json.source, 1);
            HSD_TRY(hsd_import_json_look(&m->json, &byte, err));
        } else if (byte != '}') {
            return fail_wanted(m, "',' or '}'", err);
        }
    }
    if (byte != '}') return HSD_OK;
    hsd_source_take(m->json.source, 1);
    return HSD_END;
}

/* ---- children ---- */

static hsd_status write_child(meminfo *m, uint64_t target, uint32_t label, uint64_t index, hsd_error *err)
{
    hsc_writer *writer = m->import->writer;
    m->import->result->references++;
    if (m->item.is_begun)
        HSD_WRITE(m->import, hsc_reference(writer, target, label, index), err);
    else /* its type comes behind them */
        HSD_WRITE(m->import, hsc_edge(writer, m->item.record.id, target, label, index), err);
    return HSD_OK;
}

static hsd_status read_children(meminfo *m, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    m->json.where = "children of an item";
    while ((status = next_member(m, &is_first, err)) == HSD_OK) {
        hsd_bytes key;
        uint64_t target, index;
        uint32_t label;
        HSD_TRY(read_word(m, &key, err));
        HSD_TRY(hsd_meminfo_label(m, key, &label, &index, err));
        HSD_TRY(hsd_import_json_expect(&m->json, ':', err));
        HSD_TRY(read_address(m, &target, err));
        HSD_TRY(write_child(m, target, label, index, err));
        m->item.children++;
    }
    m->json.where = "items";
    return status == HSD_END ? HSD_OK : status;
}

/* ---- items ---- */

static hsd_status begin_item(meminfo *m, hsd_error *err)
{
    meminfo_item *item = &m->item;
    if (item->is_begun || m->import->options->summary_only) return HSD_OK;
    if (item->is_root) HSD_TRY(hsd_meminfo_write_root(m, err));
    HSD_WRITE(m->import, hsc_begin_object(m->import->writer, &item->record), err);
    item->is_begun = true;
    return HSD_OK;
}

static hsd_status end_item(meminfo *m, hsd_error *err)
{
    meminfo_item *item = &m->item;
    hsd_import_result *result = m->import->result;
    HSD_TRY(begin_item(m, err));
    if (item->is_begun)
        HSD_WRITE(m->import, hsc_end_object(m->import->writer), err);
    else
        HSD_WRITE(m->import, hsc_count(m->import->writer, item->record.type, 1, item->record.size_bytes), err);
    item->is_begun = false;
    result->objects++;
    result->bytes = hsd_add_saturating(result->bytes, item->record.size_bytes);
    return HSD_OK;
}

static hsd_status take_type(meminfo *m, bool is_class, hsd_error *err)
{
    meminfo_item *item = &m->item;
    hsd_bytes word;
    HSD_TRY(read_word(m, &word, err));
    if (!is_class) {
        item->is_object = is_word(word, "object");
        item->is_map = is_word(word, "array");
        item->has_type = true;
        if (item->is_object && item->record.type != 0) return HSD_OK; /* its class came first */
    } else if (is_word(word, "stdClass")) {
        item->is_map = true;
    }
    return hsd_meminfo_put_type(m, word, is_class, &item->record.type, err);
}

static hsd_status take_children(meminfo *m, hsd_error *err)
{
    if (m->import->options->summary_only) return hsd_import_json_skip(&m->json, err);
    if (m->item.has_type) HSD_TRY(begin_item(m, err));
    return read_children(m, err);
}

static hsd_status read_is_root(meminfo *m, hsd_error *err)
{
    uint8_t byte;
    HSD_TRY(hsd_import_json_look(&m->json, &byte, err));
    m->item.is_root = byte == 't';
    return hsd_import_json_skip(&m->json, err);
}

static hsd_status take_member(meminfo *m, hsd_error *err)
{
    meminfo_item *item = &m->item;
    hsd_bytes key;
    HSD_TRY(read_word(m, &key, err));
    const bool is_type = is_word(key, "type"), is_class = is_word(key, "class"), is_size = is_word(key, "size"),
               is_root = is_word(key, "is_root"), is_symbol = is_word(key, "symbol_name"),
               is_frame = is_word(key, "frame"), is_children = is_word(key, "children");
    HSD_TRY(hsd_import_json_expect(&m->json, ':', err));
    if (is_type || is_class) return take_type(m, is_class, err);
    if (is_size) return read_size(m, &item->record.size_bytes, err);
    if (is_root) return read_is_root(m, err);
    if (is_symbol) return read_name(m, &item->symbol, err);
    if (is_frame) return read_name(m, &item->frame, err);
    return is_children ? take_children(m, err) : hsd_import_json_skip(&m->json, err);
}

static hsd_status read_members(meminfo *m, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    while ((status = next_member(m, &is_first, err)) == HSD_OK)
        HSD_TRY(take_member(m, err));
    return status == HSD_END ? HSD_OK : status;
}

static hsd_status read_item(meminfo *m, hsd_error *err)
{
    meminfo_item *item = &m->item;
    item->record = (hsc_object){.id = 0};
    item->symbol.size = item->frame.size = 0;
    item->children = 0;
    item->has_type = item->is_object = item->is_map = item->is_root = item->is_begun = false;
    HSD_TRY(read_address(m, &item->record.id, err));
    HSD_TRY(hsd_import_json_expect(&m->json, ':', err));
    const hsd_status status = read_members(m, err);
    if (status == HSD_E_TRUNCATED && item->is_begun && m->import->options->salvage) HSD_TRY(end_item(m, err));
    HSD_TRY(status);
    if (!item->has_type) return fail_wanted(m, "an item with a type", err);
    return end_item(m, err);
}

hsd_status hsd_meminfo_items(meminfo *m, hsd_error *err)
{
    bool is_first = true;
    hsd_status status;
    hsd_source *source = m->json.source;
    m->json.where = "items";
    for (uint64_t i = 0; (status = next_member(m, &is_first, err)) == HSD_OK; i++) {
        HSD_TRY(read_item(m, err));
        if (i % PROGRESS_EVERY == 0)
            HSD_TRY(hsd_progress(m->import->reporter, "importing", hsd_source_offset(source), source->total_bytes,
                                 err));
    }
    return status == HSD_END ? HSD_OK : status;
}
