/*
 * Texts and their numbers. Each is defined when it is first met.
 */
#include <string.h>

#include "ruby_agent.h"

static void define_fixed(hsc_writer *w)
{
    static const char *const texts[] = {"class", "(state)", "cache", "stack"};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        hsc_define_string(w, i + 1, texts[i], strlen(texts[i]));
    hsc_define_label(w, LABEL_CLASS, HSC_LABEL_CLASS, HSC_STRENGTH_STRONG, 1);
    hsc_define_label(w, LABEL_STATE, HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT, 2);
    hsc_define_label(w, LABEL_CACHE, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 3);
    hsc_define_label(w, LABEL_STACK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 4);
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0);
}

bool names_open(names *all, hsc_writer *writer)
{
    *all = (names){.writer = writer, .next_string = 5, .next_type = 1, .next_label = LABEL_FIRST_FREE};
    if (!hsa_texts_open(&all->texts)) return false;
    define_fixed(writer);
    return true;
}

static uint32_t define_ruby_name(names *all, name_kind kind, const char *text, size_t size)
{
    hsc_writer *w = all->writer;
    uint32_t id = 0, string;
    switch (kind) {
    case NAME_STRING: hsc_define_string(w, id = all->next_string++, text, size); break;
    case NAME_TYPE: hsc_define_type(w, id = all->next_type++, text, size, 0); break;
    case NAME_CODE_TYPE:
        hsc_define_type(w, id = all->next_type++, text, size, HSC_TYPE_CODE | HSC_TYPE_INTERNAL);
        break;
    case NAME_INTERNAL_TYPE: hsc_define_type(w, id = all->next_type++, text, size, HSC_TYPE_INTERNAL); break;
    case NAME_FIELD:
    case NAME_STATE:
    case NAME_LOCAL:
        string = names_put(all, NAME_STRING, text, size);
        id = all->next_label++;
        if (kind == NAME_FIELD)
            hsc_define_label(w, id, HSC_LABEL_FIELD, 0, string);
        else if (kind == NAME_STATE)
            hsc_define_label(w, id, HSC_LABEL_STATIC, HSC_LABEL_NAMED_ROOT, string);
        else
            hsc_define_label(w, id, HSC_LABEL_VARIABLE, HSC_LABEL_NAMED_ROOT | HSC_LABEL_WHOLE_NAME, string);
        break;
    }
    return id;
}

uint32_t names_put(names *all, name_kind kind, const char *text, size_t size)
{
    const hsa_text *known = hsa_texts_find(&all->texts, kind, text, size);
    if (known != NULL) return known->id;
    if (hsa_texts_add(&all->texts, kind, text, size) == NULL) {
        all->failed = true;
        return 0;
    }
    /* may put the string of a label in, and move all entries */
    const uint32_t id = define_ruby_name(all, kind, text, size);
    hsa_texts_find(&all->texts, kind, text, size)->id = id;
    return id;
}

void names_close(names *all)
{
    hsa_texts_close(&all->texts);
    *all = (names){.writer = NULL};
}
