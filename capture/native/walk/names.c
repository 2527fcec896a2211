/*
 * Strings, sites and labels: numbers are given as they come, and each is written once, before or between the objects
 * that use it.
 */
#include "native/walk/walk.h"

#include <string.h>

enum {
    MAX_MEMBERS = 1 << 16,
    MAX_SITES = 1 << 20,
    MAX_SITE_FRAMES = 64,
    WORD = sizeof(uintptr_t),
    SMALL_BYTES = HSN_OFFSET_LABELS * WORD
};

uint32_t hsn_write_string(hsn_walker *k, const char *text, size_t size)
{
    return hsc_define_string(k->w, ++k->strings, text, size) == HSC_OK ? k->strings : 0;
}

uint32_t hsn_write_name(hsn_walker *k, uintptr_t address)
{
    char name[HSN_NAME_BYTES];
    return hsn_write_string(k, name, hsn_name_address(&k->modules, address, name));
}

/* The agent's own frames are no one's. */
static bool is_own(const hsn_walker *k, uintptr_t address)
{
    return k->modules.own != NULL && hsn_module_of(&k->modules, address) == k->modules.own;
}

uint32_t hsn_write_site(hsn_walker *k, const uintptr_t *frames, size_t count)
{
    uint32_t parent = 0;
    for (size_t i = count < MAX_SITE_FRAMES ? count : MAX_SITE_FRAMES; i-- > 0;) {
        if (is_own(k, frames[i] - 1)) continue;
        if (k->sites >= MAX_SITES) return 0;
        uint32_t *site = hsn_pairs_put(&k->site_numbers, parent, frames[i]);
        if (site == NULL) return 0;
        if (*site == 0) {
            *site = ++k->sites;
            if (hsc_define_site(k->w, k->sites, parent, hsn_write_name(k, frames[i] - 1), 0, 0, 0) != HSC_OK) return 0;
        }
        parent = *site;
    }
    return parent;
}

/* "+16", and room for more. */
static char *put_offset(char *out, uint64_t offset)
{
    *out = '+';
    return hsn_put_number(out + 1, offset);
}

static uint32_t offset_label(hsn_walker *k, uint64_t offset)
{
    uint32_t *label = &k->offset_labels[offset / WORD];
    if (*label == 0) {
        char text[24];
        const size_t size = (size_t)(put_offset(text, offset) - text);
        *label = ++k->labels;
        hsc_define_label(k->w, *label, HSC_LABEL_FIELD, 0, hsn_write_string(k, text, size));
    }
    return *label;
}

/* One for each word of each type, up to a limit; 0 = the type says nothing. */
static uint32_t member_label(hsn_walker *k, const hsn_typed_block *of, uint64_t offset)
{
    static const char mark[] = " {member} ";
    char text[24 + sizeof mark + HSN_TYPE_BYTES], type[HSN_TYPE_BYTES];
    const size_t size = hsn_type_text(k, of->block, of->first_word, type);
    if (size == 0) return 0;
    char *at = put_offset(text, offset);
    at = hsn_put_text(at, mark, sizeof mark - 1);
    at = hsn_put_text(at, type, size);
    const uint32_t name = hsn_write_string(k, text, (size_t)(at - text));
    return hsc_define_label(k->w, ++k->labels, HSC_LABEL_FIELD, 0, name) == HSC_OK ? k->labels : 0;
}

uint32_t hsn_write_label(hsn_walker *k, const hsn_typed_block *of, uint64_t offset, uint64_t *index)
{
    *index = 0;
    if (of->block->size > SMALL_BYTES) {
        *index = offset / WORD;
        if (k->element_label == 0) {
            k->element_label = ++k->labels;
            hsc_define_label(k->w, k->element_label, HSC_LABEL_ELEMENT, 0, 0);
        }
        return k->element_label;
    }
    const uint32_t known = hsn_pairs_get(&k->member_labels, of->type, offset);
    if (known != 0) return known;
    if (k->member_labels.count >= MAX_MEMBERS) return offset_label(k, offset);
    uint32_t *stored = hsn_pairs_put(&k->member_labels, of->type, offset);
    if (stored == NULL) return offset_label(k, offset);
    *stored = member_label(k, of, offset);
    return *stored != 0 ? *stored : (*stored = offset_label(k, offset));
}
