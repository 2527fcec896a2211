/*
 * Texts by the numbers that the snapshot gave them. Equal ones are kept once; the names of array elements, of which
 * there are as many as the largest array has, are kept as their index alone.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/firefox/firefox.h"

#define TEXTS_MOST (UINT32_C(1) << 27) /* 8 labels for each in 31 bits */

hsd_status hsd_firefox_check_memory(const firefox *fx, hsd_error *err)
{
    const firefox_names *names = &fx->names;
    const uint64_t taken = hsd_names_memory(&names->texts) + names->uses_capacity + names->labels_capacity +
                           (uint64_t)names->wide_capacity * sizeof *names->wide +
                           (uint64_t)names->narrow_capacity * sizeof *names->narrow + hsd_id_table_memory(&fx->sites) +
                           hsd_id_table_memory(&fx->types) + (uint64_t)fx->totals_capacity * sizeof *fx->totals;
    const uint64_t most = fx->import->memory_bytes / 2;
    if (taken <= most) return HSD_OK;
    hsd_fail_at(err, HSD_E_OVER_BUDGET, hsd_source_offset(fx->source),
                "the texts of this snapshot take more than the %" PRIu64 " bytes there are for them", most);
    hsd_error_set_hint(err, "give it more: --memory %" PRIu64, taken * 4);
    return HSD_E_OVER_BUDGET;
}

/* ---- texts ---- */

static hsd_status intern_firefox_name(firefox *fx, hsd_bytes text, uint32_t *name, hsd_error *err)
{
    firefox_names *names = &fx->names;
    const uint32_t before = names->texts.count;
    HSD_TRY(hsd_names_put(&names->texts, text, name, err));
    if (names->texts.count == before) return HSD_OK;
    if (*name >= TEXTS_MOST)
        return hsd_fail(err, HSD_E_UNSUPPORTED, "a snapshot of more than %u different texts", TEXTS_MOST);
    HSD_TRY(hsd_import_grow((void **)&names->uses, &names->uses_capacity, *name, 1, err));
    HSD_TRY(hsd_import_grow((void **)&names->labels, &names->labels_capacity, *name, 1, err));
    return hsd_firefox_check_memory(fx, err);
}

hsd_status hsd_firefox_put(firefox *fx, const char *text, uint32_t *name, hsd_error *err)
{
    return intern_firefox_name(fx, (hsd_bytes){(const uint8_t *)text, strlen(text)}, name, err);
}

static void append_firefox_name(hsd_buffer *out, uint32_t c)
{
    uint8_t *bytes = out->data + out->size;
    if (c < 0x80) {
        bytes[0] = (uint8_t)c;
        out->size++;
        return;
    }
    const size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size - 1; i > 0; i--, c >>= 6)
        bytes[i] = (uint8_t)(0x80 | (c & 0x3f));
    bytes[0] = (uint8_t)(lead[size] | c);
    out->size += size;
}

static bool is_lead(uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
static bool is_trail(uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
static uint32_t unit_at(hsd_bytes text, size_t at)
{
    return (uint32_t)text.data[at] | (uint32_t)text.data[at + 1] << 8;
}

/* UTF-16, little-endian, as UTF-8; halves of pairs that stand alone become U+FFFD. */
static hsd_status decode(hsd_buffer *out, hsd_bytes text, hsd_error *err)
{
    hsd_buffer_clear(out);
    HSD_TRY(hsd_buffer_reserve(out, FIREFOX_NAME_BYTES, err));
    for (size_t at = 0; at + 2 <= text.size && out->size + 4 <= FIREFOX_NAME_BYTES; at += 2) {
        uint32_t c = unit_at(text, at);
        const uint32_t next = at + 4 <= text.size ? unit_at(text, at + 2) : 0;
        if (is_lead(c) && is_trail(next)) {
            c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
            at += 2;
        } else if (is_lead(c) || is_trail(c)) {
            c = 0xfffd;
        }
        append_firefox_name(out, c);
    }
    return HSD_OK;
}

/* ---- what is in them ---- */

static bool is_hex(uint8_t c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/* "mCallback, holder 0x7fa7…" is "mCallback": addresses of a process say nothing in another, nor in itself a moment
 * later. */
static void drop_addresses(hsd_buffer *text)
{
    static const char holder[] = ", holder ";
    size_t to = 0;
    for (size_t from = 0; from < text->size;) {
        const uint8_t *at = text->data + from;
        const size_t left = text->size - from;
        size_t digits = 0;
        if (left > 2 && memcmp(at, "0x", 2) == 0)
            while (2 + digits < left && is_hex(at[2 + digits]))
                digits++;
        if (digits < 4) {
            text->data[to++] = *at;
            from++;
            continue;
        }
        from += 2 + digits;
        if (to >= sizeof holder - 1 && memcmp(text->data + to - (sizeof holder - 1), holder, sizeof holder - 1) == 0)
            to -= sizeof holder - 1;
        else
            text->data[to++] = '*';
    }
    text->size = to;
}

/* objectElements[17] */
static bool is_element(const hsd_buffer *text, uint64_t *index)
{
    static const char front[] = "objectElements[";
    size_t at = sizeof front - 1;
    *index = 0;
    if (text->size < at + 2 || text->size > at + 11 || memcmp(text->data, front, at) != 0 ||
        text->data[text->size - 1] != ']')
        return false;
    for (; at + 1 < text->size; at++) {
        if (text->data[at] < '0' || text->data[at] > '9') return false;
        *index = *index * 10 + (text->data[at] - '0');
    }
    return true;
}

/* ---- the two tables ---- */

hsd_status hsd_firefox_add_wide(firefox *fx, hsd_bytes text, uint64_t *entry, hsd_error *err)
{
    firefox_names *names = &fx->names;
    uint32_t name;
    uint64_t index;
    HSD_TRY(decode(&names->scratch, text, err));
    if (names->in_roots) drop_addresses(&names->scratch);
    if (is_element(&names->scratch, &index)) {
        *entry = FIREFOX_IS_ELEMENT | index;
    } else {
        HSD_TRY(intern_firefox_name(fx, (hsd_bytes){names->scratch.data, names->scratch.size}, &name, err));
        *entry = name;
    }
    const uint32_t capacity = names->wide_capacity;
    HSD_TRY(hsd_import_grow((void **)&names->wide, &names->wide_capacity, names->wide_count, sizeof *names->wide, err));
    names->wide[names->wide_count++] = *entry;
    return capacity == names->wide_capacity ? HSD_OK : hsd_firefox_check_memory(fx, err);
}

hsd_status hsd_firefox_add_narrow(firefox *fx, hsd_bytes text, uint32_t *name, hsd_error *err)
{
    firefox_names *names = &fx->names;
    HSD_TRY(intern_firefox_name(fx, text, name, err));
    HSD_TRY(hsd_import_grow((void **)&names->narrow, &names->narrow_capacity, names->narrow_count,
                            sizeof *names->narrow, err));
    names->narrow[names->narrow_count++] = *name;
    return HSD_OK;
}

static hsd_status fail_firefox_name(const firefox *fx, const hsd_proto_field *field, const char *what, hsd_error *err)
{
    (void)fx;
    return hsd_fail_at(err, HSD_E_CORRUPT, field->offset, "not a valid Firefox snapshot: %s", what);
}

/* The texts of fields come as bytes, and as numbers in the field behind. */
hsd_status hsd_firefox_read_wide(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field, uint64_t *entry,
                                 hsd_error *err)
{
    hsd_bytes text;
    if (field->wire == HSD_PROTO_VARINT) return hsd_firefox_wide_at(fx, field->value, entry, err);
    if (field->wire != HSD_PROTO_BYTES || field->size % 2 != 0)
        return fail_firefox_name(fx, field, "half a character", err);
    HSD_TRY(hsd_proto_bytes(message, field, 2 * FIREFOX_NAME_BYTES, &text, err));
    return hsd_firefox_add_wide(fx, text, entry, err);
}

hsd_status hsd_firefox_read_wide_name(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field,
                                      uint32_t *name, hsd_error *err)
{
    uint64_t entry;
    HSD_TRY(hsd_firefox_read_wide(fx, message, field, &entry, err));
    if ((entry & FIREFOX_IS_ELEMENT) != 0) return hsd_firefox_put(fx, "objectElements", name, err);
    *name = (uint32_t)entry;
    return HSD_OK;
}

hsd_status hsd_firefox_read_narrow(firefox *fx, hsd_proto_message *message, const hsd_proto_field *field,
                                   uint32_t *name, hsd_error *err)
{
    hsd_bytes text;
    if (field->wire == HSD_PROTO_VARINT) {
        if (field->value >= fx->names.narrow_count)
            return fail_firefox_name(fx, field, "a text that is not there", err);
        *name = fx->names.narrow[field->value];
        return HSD_OK;
    }
    if (field->wire != HSD_PROTO_BYTES) return fail_firefox_name(fx, field, "no text where one should be", err);
    HSD_TRY(hsd_proto_bytes(message, field, FIREFOX_NAME_BYTES, &text, err));
    return hsd_firefox_add_narrow(fx, text, name, err);
}

/* ---- writing ---- */

static hsd_status write_label(firefox *fx, uint32_t name, firefox_label label, hsd_error *err)
{
    static const struct {
        hsc_label_kind kind;
        uint32_t flags;
    } rows[FIREFOX_LABELS] = {{HSC_LABEL_INTERNAL, 0},
                              {HSC_LABEL_FIELD, 0},
                              {HSC_LABEL_VARIABLE, 0},
                              {HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT},
                              {HSC_LABEL_KEY, 0},
                              {HSC_LABEL_VALUE, 0},
                              {HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK}};
    if ((fx->names.uses[name] >> label & 1) == 0) return HSD_OK;
    const uint32_t string = hsd_firefox_string(fx, name);
    HSD_WRITE(fx->import,
              hsc_define_label(fx->import->writer, hsd_firefox_label(fx, name, label), rows[label].kind,
                               rows[label].flags, string),
              err);
    return HSD_OK;
}

hsd_status hsd_firefox_write_names(firefox *fx, hsd_error *err)
{
    hsc_writer *w = fx->import->writer;
    if (fx->has_elements)
        HSD_WRITE(fx->import, hsc_define_label(w, FIREFOX_LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0), err);
    for (uint32_t name = 0; name < fx->names.texts.count; name++) {
        for (unsigned label = 0; label < FIREFOX_LABELS; label++)
            HSD_TRY(write_label(fx, name, (firefox_label)label, err));
        const hsd_bytes text = hsd_firefox_text(fx, name);
        if ((fx->names.uses[name] >> FIREFOX_LABELS & 1) != 0)
            HSD_WRITE(fx->import, hsc_define_string(w, name + 1, text.data, text.size), err);
    }
    return HSD_OK;
}
