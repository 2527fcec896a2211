/*
 * Texts and their numbers, each defined when it is first met. A key of a dict is the program's data: a label says it
 * only if it is an identifier and interned, which Python does to names and literals in source code and to attributes,
 * and not to what a program reads.
 */
#include <stdlib.h>
#include <string.h>

#include "python_agent.h"

static void define_fixed(hsc_writer *w)
{
    static const char *const texts[] = {"class", "__dict__", "referent", "cell_contents", "copied"};
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        hsc_define_string(w, i + 1, texts[i], strlen(texts[i]));
    hsc_define_label(w, LABEL_ELEMENT, HSC_LABEL_ELEMENT, 0, 0);
    hsc_define_label(w, LABEL_KEY, HSC_LABEL_KEY, 0, 0);
    hsc_define_label(w, LABEL_VALUE, HSC_LABEL_VALUE, 0, 0);
    hsc_define_label(w, LABEL_CLASS, HSC_LABEL_CLASS, 0, 1);
    hsc_define_label(w, LABEL_DICT, HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, 2);
    hsc_define_label(w, LABEL_WEAK, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 3);
    hsc_define_label(w, LABEL_CONTENT, HSC_LABEL_INTERNAL, HSC_LABEL_FOLD, 4);
    hsc_define_label(w, LABEL_COPIED, HSC_LABEL_INTERNAL, HSC_STRENGTH_WEAK, 5);
}

bool names_open(names *all, hsc_writer *writer)
{
    *all = (names){.writer = writer, .next_string = 6, .next_type = 1, .next_label = LABEL_FIRST_FREE};
    all->keys = calloc(KEY_CACHE, sizeof *all->keys);
    if (!hsa_texts_open(&all->texts) || all->keys == NULL) return false;
    define_fixed(writer);
    return true;
}

static uint32_t define_type(names *all, name_kind kind, const char *text, size_t size)
{
    static const uint32_t flags[] = {[NAME_TYPE] = 0,
                                     [NAME_FUNCTION_TYPE] = 0, /* a closure is an object like others */
                                     [NAME_CODE_TYPE] = HSC_TYPE_CODE | HSC_TYPE_INTERNAL,
                                     [NAME_PART_TYPE] = HSC_TYPE_PART};
    hsc_define_type(all->writer, all->next_type, text, size, flags[kind]);
    return all->next_type++;
}

static uint32_t define_label(names *all, name_kind kind, const char *text, size_t size)
{
    static const struct {
        hsc_label_kind kind;
        uint32_t flags;
    } rows[] = {[NAME_FIELD] = {HSC_LABEL_FIELD, 0},
                [NAME_GLOBAL] = {HSC_LABEL_FIELD, HSC_LABEL_NAMED_ROOT},
                [NAME_VALUE] = {HSC_LABEL_VALUE, 0},
                [NAME_VARIABLE] = {HSC_LABEL_VARIABLE, 0},
                [NAME_INTERNAL] = {HSC_LABEL_INTERNAL, 0}};
    const uint32_t label = all->next_label++;
    hsc_define_label(all->writer, label, rows[kind].kind, rows[kind].flags, names_put(all, NAME_STRING, text, size));
    return label;
}

static uint32_t define(names *all, name_kind kind, const char *text, size_t size)
{
    if (kind >= NAME_FIELD) return define_label(all, kind, text, size);
    if (kind != NAME_STRING) return define_type(all, kind, text, size);
    hsc_define_string(all->writer, all->next_string, text, size);
    return all->next_string++;
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
    const uint32_t id = define(all, kind, text, size);
    hsa_texts_find(&all->texts, kind, text, size)->id = id;
    return id;
}

/* ---- keys ---- */

static uint32_t put_key(names *all, name_kind kind, const char *text, size_t size, uint32_t fallback)
{
    if (kind == NAME_VALUE) {
        if (hsa_texts_find(&all->texts, kind, text, size) == NULL && all->key_count++ >= NAMES_KEYS_MAX)
            return fallback;
    }
    const uint32_t label = names_put(all, kind, text, size);
    return label == 0 ? fallback : label;
}

/* Interned, or, as names of the interpreter's own C are, a str that lives for ever: "__warningregistry__" in 3.11. A
 * single character may be data. */
static bool is_of_code(const python *py, const py_object *key)
{
    return py_is_interned(py, key) || (py_is_immortal(py, key) && ((const py_text *)key)->length > 1);
}

static uint32_t label_of(names *all, const python *py, name_kind kind, const py_object *key, uint32_t fallback)
{
    size_t size;
    const char *text = key->type == py->types.text && is_of_code(py, key) ? py_ascii(py, key, &size) : NULL;
    if (text == NULL || !hsa_is_identifier(text, size, KEY_BYTES_MAX)) return fallback;
    return put_key(all, kind, text, size, fallback);
}

uint32_t names_key(names *all, const python *py, name_kind kind, const py_object *key, uint32_t fallback)
{
    const size_t at = (size_t)(((uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (KEY_CACHE - 1);
    key_label *known = &all->keys[at];
    if (known->key != key || known->kind != (uint32_t)kind)
        *known = (key_label){key, label_of(all, py, kind, key, fallback), (uint32_t)kind};
    return known->label;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* "job_12" is "job_*". */
static size_t star_digits(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; i++) {
        if (is_digit(text[i]) && kept > 0 && text[kept - 1] == '*') continue;
        text[kept++] = is_digit(text[i]) ? '*' : text[i];
    }
    return kept;
}

/* Of a word of a name: a digest, or part of one. */
static bool is_digest(const char *word, size_t size)
{
    bool has_digit = false;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(word[i]) && (word[i] < 'a' || word[i] > 'f')) return false;
        has_digit |= is_digit(word[i]);
    }
    return has_digit;
}

size_t names_without_numbers(char *text, size_t size)
{
    size_t kept = 0, end;
    for (size_t at = 0; at < size; at = end) {
        for (end = at; end < size && text[end] != '_' && text[end] != '.'; end++) {
        }
        if (is_digest(text + at, end - at))
            text[kept++] = '*';
        else {
            memmove(text + kept, text + at, end - at);
            kept += star_digits(text + kept, end - at);
        }
        if (end < size) text[kept++] = text[end++];
    }
    return kept;
}

uint32_t names_numbered(names *all, char *text, size_t size, uint32_t fallback)
{
    const size_t kept = star_digits(text, size);
    return kept == 0 ? fallback : put_key(all, NAME_VALUE, text, kept, fallback);
}

void names_close(names *all)
{
    hsa_texts_close(&all->texts);
    free(all->keys);
    *all = (names){.writer = NULL};
}
