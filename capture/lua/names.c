/*
 * Names by their text, each defined once. Keys of tables are the program's data: a label says one only if it looks like
 * a name, and code in the heap mentions it or at least 16 tables have it. Both are known at the end, and labels may be
 * defined at the end.
 */
#include <string.h>

#include "lua_agent.h"

enum { KIND_STRING = 1, KIND_TYPE, KIND_VARIABLE, KIND_KEY, KIND_MENTIONED, KIND_CODE, KIND_CLASS };

static void define_fixed(hsc_writer *w)
{
    static const char *const texts[] = {"metatable", "environment", "user value", "called", "stack"};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        hsc_define_string(w, i + 1, texts[i], strlen(texts[i]));
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0);
    hsc_define_label(w, LABEL_METATABLE, HSC_LABEL_INTERNAL, 0, 1);
    hsc_define_label(w, LABEL_WEAK_KEY, HSC_LABEL_KEY, HSC_STRENGTH_WEAK, 0);
    hsc_define_label(w, LABEL_WEAK_VALUE, HSC_LABEL_VALUE, HSC_STRENGTH_WEAK, 0);
    hsc_define_label(w, LABEL_ENVIRONMENT, HSC_LABEL_INTERNAL, 0, 2);
    hsc_define_label(w, LABEL_USER_VALUE, HSC_LABEL_INTERNAL, 0, 3);
    hsc_define_label(w, LABEL_CALLED, HSC_LABEL_INTERNAL, 0, 4);
    hsc_define_label(w, LABEL_STACK, HSC_LABEL_INTERNAL, 0, 5);
}

bool names_open(names *all, hsc_writer *writer)
{
    *all = (names){.writer = writer, .next_string = 6, .next_type = 1, .next_label = LABEL_FIRST_FREE};
    if (!hsa_texts_open(&all->texts)) return false;
    define_fixed(writer);
    return true;
}

/* The entry, new or not; *is_new. NULL without memory. */
static hsa_text *intern_lua_name(names *all, const char *text, size_t size, uint32_t kind, bool *is_new)
{
    hsa_text *entry = hsa_texts_find(&all->texts, kind, text, size);
    *is_new = entry == NULL;
    return entry != NULL ? entry : hsa_texts_add(&all->texts, kind, text, size);
}

uint32_t names_string(names *all, const char *text)
{
    bool is_new;
    hsa_text *entry = intern_lua_name(all, text, strlen(text), KIND_STRING, &is_new);
    if (entry == NULL) return 0;
    if (is_new) {
        entry->id = all->next_string++;
        hsc_define_string(all->writer, entry->id, entry->text, entry->size);
    }
    return entry->id;
}

uint32_t names_type(names *all, const char *text)
{
    bool is_new;
    hsa_text *entry = intern_lua_name(all, text, strlen(text), KIND_TYPE, &is_new);
    if (entry == NULL) return 0;
    if (is_new) {
        entry->id = all->next_type++;
        hsc_define_type(all->writer, entry->id, entry->text, entry->size, 0);
    }
    return entry->id;
}

uint32_t names_variable(names *all, const char *text)
{
    bool is_new;
    hsa_text *entry = intern_lua_name(all, text, strlen(text), KIND_VARIABLE, &is_new);
    if (entry == NULL) return LABEL_STACK;
    if (is_new) {
        entry->id = all->next_label++;
        const uint32_t id = entry->id;
        hsc_define_label(all->writer, id, HSC_LABEL_VARIABLE, 0, names_string(all, text));
        return id;
    }
    return entry->id;
}

bool names_is_identifier(const char *text, size_t size) { return hsa_is_identifier(text, size, IDENTIFIER_BYTES_MAX); }

uint32_t names_key(names *all, const char *key, size_t size)
{
    bool is_new;
    if (!names_is_identifier(key, size)) return LABEL_VALUE;
    if (hsa_texts_find(&all->texts, KIND_KEY, key, size) == NULL && all->keys == NAMES_KEYS_MAX) return LABEL_VALUE;
    hsa_text *entry = intern_lua_name(all, key, size, KIND_KEY, &is_new);
    if (entry == NULL) return LABEL_VALUE;
    if (is_new) {
        entry->id = all->next_label++;
        all->keys++;
    }
    if (entry->seen < NAMES_TABLES_MIN) entry->seen++;
    return entry->id;
}

void names_mention(names *all, const char *word, size_t size)
{
    if (all->mentioned == NAMES_KEYS_MAX || !names_is_identifier(word, size) ||
        hsa_texts_find(&all->texts, KIND_MENTIONED, word, size) != NULL)
        return;
    if (hsa_texts_add(&all->texts, KIND_MENTIONED, word, size) != NULL) all->mentioned++;
}

uint32_t *names_class(names *all, const char *key, size_t size)
{
    bool is_new;
    hsa_text *entry = intern_lua_name(all, key, size, KIND_CLASS, &is_new);
    return entry == NULL ? NULL : &entry->id;
}

bool names_is_new_code(names *all, const char *place)
{
    bool is_new;
    return intern_lua_name(all, place, strlen(place), KIND_CODE, &is_new) != NULL && is_new;
}

static bool is_told(const names *all, const hsa_text *key)
{
    return key->seen >= NAMES_TABLES_MIN || hsa_texts_find(&all->texts, KIND_MENTIONED, key->text, key->size) != NULL;
}

/* Strings of keys are not looked for among the others: nothing is added to the table that is being read. */
void names_finish(names *all)
{
    for (size_t i = 0; i < all->texts.capacity; i++) {
        const hsa_text *one = &all->texts.entries[i];
        if (one->kind != KIND_KEY) continue;
        if (!is_told(all, one)) {
            hsc_define_label(all->writer, one->id, HSC_LABEL_VALUE, 0, 0);
            continue;
        }
        const uint32_t string = all->next_string++;
        hsc_define_string(all->writer, string, one->text, one->size);
        hsc_define_label(all->writer, one->id, HSC_LABEL_FIELD, 0, string);
    }
}

void names_close(names *all)
{
    hsa_texts_close(&all->texts);
    *all = (names){.writer = NULL};
}
