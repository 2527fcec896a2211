/*
 * Strings, sites and labels: numbers are given as they come, and each is written once, before or between the objects
 * that use it.
 */
#include "native/walk/walk.h"

#include <string.h>

enum { MAX_SITES = 1 << 20, MAX_SITE_FRAMES = 64, WORD = sizeof(uintptr_t), SMALL_BYTES = HSN_OFFSET_LABELS * WORD };

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

static uint32_t offset_label(hsn_walker *k, uint64_t offset)
{
    uint32_t *label = &k->offset_labels[offset / WORD];
    if (*label == 0) {
        char text[24] = "+";
        const size_t size = (size_t)(hsn_put_number(text + 1, offset) - text);
        *label = ++k->labels;
        hsc_define_label(k->w, *label, HSC_LABEL_FIELD, 0, hsn_write_string(k, text, size));
    }
    return *label;
}

uint32_t hsn_write_label(hsn_walker *k, uint64_t offset, uint64_t size, uint64_t *index)
{
    *index = 0;
    if (size <= SMALL_BYTES) return offset_label(k, offset);
    *index = offset / WORD;
    if (k->element_label == 0) {
        k->element_label = ++k->labels;
        hsc_define_label(k->w, k->element_label, HSC_LABEL_ELEMENT, 0, 0);
    }
    return k->element_label;
}
